// Rows of a name and a secret value: variables of an environment, headers of requests. What is typed is never shown.
import { Plus, X } from 'lucide-react';

export interface Pair {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

const pair = (name = ''): Pair => ({ key: Math.random(), name, value: '' });

/** Rows for names that are known; their values stay where they are kept. */
export const pairsOf = (values: Readonly<Record<string, string>>): readonly Pair[] => Object.keys(values).map((name) => pair(name));

export const valuesOf = (pairs: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]));

interface Props {
  readonly heading: string;
  /** One of them: `variable`. */
  readonly one: string;
  readonly example: string;
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
  /** Where the values go. */
  readonly hint: string;
}

export function NamedValues({ heading, one, example, pairs, onChange, hint }: Props) {
  const set = (key: number, part: Partial<Pair>): void => onChange(pairs.map((row) => (row.key === key ? { ...row, ...part } : row)));
  return (
    <div className="stack">
      <div className="row">
        <h3 className="heading grow">{heading}</h3>
        <button type="button" className="button small" onClick={() => onChange([...pairs, pair()])}>
          <Plus size={12} aria-hidden /> {one.charAt(0).toUpperCase() + one.slice(1)}
        </button>
      </div>
      {pairs.map((row) => (
        <div key={row.key} className="row">
          <input
            className="field mono"
            placeholder={example}
            aria-label={`Name of the ${one}`}
            value={row.name}
            spellCheck={false}
            onChange={(event) => set(row.key, { name: event.target.value })}
          />
          <input
            className="field mono"
            type="password"
            autoComplete="off"
            placeholder="value"
            aria-label={`Value of ${row.name || `the ${one}`}`}
            value={row.value}
            onChange={(event) => set(row.key, { value: event.target.value })}
          />
          <button
            type="button"
            className="icon-button quiet"
            aria-label={`Remove ${row.name || `the ${one}`}`}
            onClick={() => onChange(pairs.filter(({ key }) => key !== row.key))}
          >
            <X size={14} aria-hidden />
          </button>
        </div>
      ))}
      <p className="hint">{hint} One left empty stays what it was.</p>
    </div>
  );
}
