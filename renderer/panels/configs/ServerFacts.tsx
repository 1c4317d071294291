// What is to be known of a server before it is imported, run or exported: its whole command or address, where it runs, and
// the names of the values that it gets. It all comes from files of others, and is text.
import { type ServerSpec, secretsOf } from '../../../app/contract/server';
import { reachedBy, visible } from './importing';

type Spec = Exclude<ServerSpec, { kind: 'demo' }>;

interface Props {
  readonly spec: Spec;
  /** What else is to be known: a name and what it is. */
  readonly more?: readonly (readonly [string, string])[];
  /** The command as the host has put it; made of the description when absent. */
  readonly line?: string;
}

const factsOf = (spec: Spec): readonly (readonly [string, string])[] => {
  const names = Object.keys(secretsOf(spec));
  return [
    ...(spec.kind === 'stdio' && spec.cwd !== undefined ? [['Folder', spec.cwd] as const] : []),
    ...(names.length > 0 ? [[spec.kind === 'stdio' ? 'Variables' : 'Headers', names.join(', ')] as const] : []),
  ];
};

export function ServerFacts({ spec, more = [], line = reachedBy(spec) }: Props) {
  const facts = [...factsOf(spec), ...more];
  return (
    <div className="server-facts">
      <code className="whole-command">{line}</code>
      {facts.length > 0 && (
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="mono">{visible(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
