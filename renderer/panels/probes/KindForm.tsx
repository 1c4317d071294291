// The settings of each kind of probe, as few fields as it needs; what is rarely changed is under "More".
import { unreachable } from '../../../app/base/unreachable';
import { useSelect, useStopgap } from '../../context';
import { DATABASES, type Database, EVERY_MS, type ProbeDraft, partsOfDsn } from './drafts';
import { Area, Choice, Field } from './fields';

interface Props {
  readonly draft: ProbeDraft;
  readonly onChange: (part: Partial<ProbeDraft>) => void;
}

export function KindForm({ draft, onChange }: Props) {
  switch (draft.kind) {
    case 'folder':
      return <FolderForm draft={draft} onChange={onChange} />;
    case 'http':
      return (
        <div className="two">
          <Field label="Answers with status" value={draft.status} placeholder="200" onChange={(status) => onChange({ status })} />
          <Field label="Answers after" unit="ms" value={draft.delayMs} placeholder="0" onChange={(delayMs) => onChange({ delayMs })} />
        </div>
      );
    case 'sql':
      return <SqlForm draft={draft} onChange={onChange} />;
    case 'read':
      return <ReadForm draft={draft} onChange={onChange} />;
    case 'command':
      return (
        <Field
          label="Command whose output would change"
          mono
          value={draft.command}
          placeholder="git log -1 --format=%H"
          hint="No shell is involved: no pipes, no variables. It is run again and again, so it must only look."
          onChange={(command) => onChange({ command })}
        />
      );
    case 'process':
      return (
        <p className="soft">
          There is nothing to set: it watches the processes that the server starts during a call and that still live after it, and the CPU
          time spent after a cancel.
        </p>
      );
    case 'otel':
      return (
        <p className="soft">
          It opens an address for OTLP over HTTP on this machine. Give that address to the server as{' '}
          <code className="mono">OTEL_EXPORTER_OTLP_ENDPOINT</code>; every call carries a trace context, so that its spans are told apart.
        </p>
      );
    default:
      return unreachable(draft.kind);
  }
}

function FolderForm({ draft, onChange }: Props) {
  const { actions } = useStopgap();
  const browse = async (): Promise<void> => {
    const folder = await actions.chooseFolder('The folder to watch', draft.path || undefined);
    if (folder !== undefined) onChange({ path: folder });
  };
  return (
    <>
      <Field
        label="Folder"
        mono
        value={draft.path}
        placeholder="absolute path"
        onChange={(path) => onChange({ path })}
        beside={
          <button type="button" className="button" onClick={() => void browse()}>
            Browse…
          </button>
        }
      />
      <Field
        label="Files that match"
        mono
        value={draft.match}
        placeholder="everything, or *.jsonl, or **/*.md"
        onChange={(match) => onChange({ match })}
      />
    </>
  );
}

const DATABASE_CHOICES = (Object.keys(DATABASES) as Database[]).map((value) => ({ value, text: DATABASES[value] }));

function SqlForm({ draft, onChange }: Props) {
  const file = draft.database === 'sqlite';
  /** A whole address that was pasted is taken apart, its password first of all. */
  const address = (text: string): void => {
    const whole = /^[a-z0-9+]+:\/\/|^sqlite:/i.test(text) ? partsOfDsn(text) : undefined;
    if (!whole) onChange({ address: text });
    else onChange(whole.password === '' ? { database: whole.database, address: whole.address } : whole);
  };
  return (
    <>
      <div className="sql-address">
        <Choice label="Database" value={draft.database} choices={DATABASE_CHOICES} onChange={(database) => onChange({ database })} />
        <Field
          label={file ? 'File' : 'Address'}
          mono
          value={draft.address}
          placeholder={file ? '/path/to/shop.db' : draft.database === 'mysql' ? 'root@localhost:3306/shop' : 'ada@localhost:5432/shop'}
          onChange={address}
        />
        {!file && (
          <Field label="Password" secret value={draft.password} placeholder="none" onChange={(password) => onChange({ password })} />
        )}
      </div>
      <Area
        label="Query whose value or rows would change"
        value={draft.query}
        placeholder="SELECT id, state FROM orders"
        onChange={(query) => onChange({ query })}
      />
    </>
  );
}

function ReadForm({ draft, onChange }: Props) {
  const tools = useSelect((state) => state.status.tools);
  const reading = tools.filter((tool) => tool.readOnly !== false);
  const known = reading.some(({ name }) => name === draft.tool);
  const choices = [
    { value: '', text: 'Choose…' },
    ...(draft.tool === '' || known ? [] : [{ value: draft.tool, text: draft.tool }]),
    ...reading.map(({ name, readOnly }) => ({ value: name, text: readOnly ? name : `${name} (declares nothing)` })),
  ];
  return (
    <>
      <div className="two">
        <Choice
          label="Reads"
          value={draft.readBy}
          choices={[
            { value: 'tool', text: 'a tool of this server' },
            { value: 'resource', text: 'a resource of this server' },
          ]}
          onChange={(readBy) => onChange({ readBy })}
        />
        {draft.readBy === 'tool' ? (
          <Choice label="Tool" value={draft.tool} choices={choices} onChange={(tool) => onChange({ tool })} />
        ) : (
          <Field
            label="Resource"
            mono
            value={draft.resource}
            placeholder="tickets://open"
            onChange={(resource) => onChange({ resource })}
          />
        )}
      </div>
      {draft.readBy === 'tool' && (
        <Area
          label="Its arguments, as JSON"
          rows={1}
          value={draft.arguments}
          placeholder="{}"
          onChange={(text) => onChange({ arguments: text })}
        />
      )}
      <p className="hint">
        The server under test answers for itself: what it says is what it believes, and while it is blocked it cannot be asked. Its requests
        are kept out of the wire log unless you ask for them.
      </p>
    </>
  );
}

/** What is the same for all kinds, and what hardly anybody changes. */
export function MoreForm({ draft, onChange }: Props) {
  const every = EVERY_MS[draft.kind];
  return (
    <>
      {draft.kind === 'command' && (
        <Field label="Working directory" mono value={draft.cwd} placeholder="Stopgap’s own" onChange={(cwd) => onChange({ cwd })} />
      )}
      <div className="two">
        {every !== undefined && (
          <Field
            label="Reads every"
            unit="ms"
            value={draft.everyMs}
            placeholder={String(every)}
            onChange={(everyMs) => onChange({ everyMs })}
          />
        )}
        {(draft.kind === 'http' || draft.kind === 'otel') && (
          <Field label="Port" value={draft.port} placeholder="a free one" onChange={(port) => onChange({ port })} />
        )}
      </div>
      <Field
        label="The effect is whole when its text matches"
        mono
        value={draft.done}
        placeholder="a regular expression"
        hint="Lets a write before the cancel be called complete."
        onChange={(done) => onChange({ done })}
      />
      <Field
        label="A text that only the call’s own effects carry"
        mono
        value={draft.owns}
        placeholder="order ${id}"
        hint={
          <>
            Arguments of the call stand in <code className="mono">$&#123;…&#125;</code>. Tells several calls at once apart.
          </>
        }
        onChange={(owns) => onChange({ owns })}
      />
    </>
  );
}
