// Connecting to a command line. What will be started is shown word by word before it is; values of the environment are
// secrets, are shown as such, and are not kept.
import { Plus, X } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { parseArgsStringToArgv } from 'string-argv';
import type { ServerSpec } from '../../../app/contract/server';
import { quote } from '../../commandLine';
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';

interface Pair {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

const variable = (name = ''): Pair => ({ key: Math.random(), name, value: '' });

/** A line per watched path. */
const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function Environment({ pairs, onChange }: { readonly pairs: readonly Pair[]; readonly onChange: (pairs: readonly Pair[]) => void }) {
  const set = (key: number, part: Partial<Pair>): void => onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...part } : pair)));
  return (
    <div className="stack">
      <div className="row">
        <h3 className="heading grow">Environment</h3>
        <button type="button" className="button small" onClick={() => onChange([...pairs, variable()])}>
          <Plus size={12} aria-hidden /> Variable
        </button>
      </div>
      {pairs.map((pair) => (
        <div key={pair.key} className="row">
          <input
            className="field mono"
            placeholder="NAME"
            aria-label="Name of the variable"
            value={pair.name}
            spellCheck={false}
            onChange={(event) => set(pair.key, { name: event.target.value })}
          />
          <input
            className="field mono"
            type="password"
            autoComplete="off"
            placeholder="value"
            aria-label={`Value of ${pair.name || 'the variable'}`}
            value={pair.value}
            onChange={(event) => set(pair.key, { value: event.target.value })}
          />
          <button
            type="button"
            className="icon-button quiet"
            aria-label={`Remove ${pair.name || 'the variable'}`}
            onClick={() => onChange(pairs.filter(({ key }) => key !== pair.key))}
          >
            <X size={14} aria-hidden />
          </button>
        </div>
      ))}
      <p className="hint">
        Values are handed to the process and are not saved. One left empty stays what it was; after the next start of Stopgap it has to be
        given again.
      </p>
    </div>
  );
}

export function CommandLineDialog() {
  const { actions } = useStopgap();
  const last = useSelect((state) => (state.status.spec?.kind === 'stdio' ? state.status.spec : undefined));
  const [line, setLine] = useState(last ? [last.command, ...last.args].map((word) => quote(word, 'posix')).join(' ') : '');
  const [title, setTitle] = useState(last?.title ?? '');
  const [cwd, setCwd] = useState(last?.cwd ?? '');
  const [pairs, setPairs] = useState<readonly Pair[]>(() => Object.keys(last?.env ?? {}).map((name) => variable(name)));
  const [watch, setWatch] = useState((last?.watch ?? []).join('\n'));
  const preview = useId();
  const [command, ...args] = parseArgsStringToArgv(line.trim());

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (command === undefined) return;
    const spec: ServerSpec = {
      kind: 'stdio',
      command,
      args,
      env: Object.fromEntries(pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value])),
      watch: lines(watch),
      ...(cwd.trim() === '' ? {} : { cwd: cwd.trim() }),
      ...(title.trim() === '' ? {} : { title: title.trim() }),
    };
    actions.closeDialog();
    await actions.connect(spec);
  };

  return (
    <Dialog title="Connect to a command line" onClose={actions.closeDialog}>
      <form onSubmit={(event) => void submit(event)}>
        <label className="label">
          Command line of a server that speaks MCP over stdio
          <input
            className="field mono"
            value={line}
            spellCheck={false}
            placeholder="npx -y @modelcontextprotocol/server-everything"
            aria-describedby={preview}
            onChange={(event) => setLine(event.target.value)}
          />
        </label>
        <p id={preview} className="argv">
          {command === undefined ? (
            <span className="hint">Quote words with spaces; no shell is involved, so no pipes and no variables.</span>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a word may come twice, and its place is what it is known by
            [command, ...args].map((word, i) => <code key={`${i} ${word}`}>{word}</code>)
          )}
        </p>
        <div className="two">
          <label className="label">
            Title
            <input className="field" value={title} placeholder="as it calls itself" onChange={(event) => setTitle(event.target.value)} />
          </label>
          <label className="label">
            Working directory
            <span className="row">
              <input
                className="field mono"
                value={cwd}
                placeholder="Stopgap’s own"
                spellCheck={false}
                onChange={(event) => setCwd(event.target.value)}
              />
              <button
                type="button"
                className="button"
                onClick={() =>
                  void actions
                    .chooseFolder('Working directory of the server', cwd || undefined)
                    .then((folder) => folder !== undefined && setCwd(folder))
                }
              >
                Browse…
              </button>
            </span>
          </label>
        </div>
        <Environment pairs={pairs} onChange={setPairs} />
        <label className="label">
          Restart when one of these changes
          <textarea
            className="field mono"
            value={watch}
            rows={2}
            spellCheck={false}
            placeholder={'one file or folder of the server a line'}
            onChange={(event) => setWatch(event.target.value)}
          />
        </label>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={actions.closeDialog}>
            Cancel
          </button>
          <button type="submit" className="button go" disabled={command === undefined}>
            Connect
          </button>
        </div>
      </form>
    </Dialog>
  );
}
