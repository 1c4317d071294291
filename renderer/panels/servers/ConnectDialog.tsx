// Describing a server: a command that is started here, or an address. What will be started is shown word by word before it
// is; values of variables and headers are secrets, and are shown as such. A saved server is changed in the same dialog.
import { type FormEvent, useId, useState } from 'react';
import type { ServerSpec } from '../../../app/contract/server';
import { AUTOMATIC, MODERN, PROTOCOLS } from '../../../app/wire/era';
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';
import { draftOf, revisionHint, type ServerDraft, specOf, type Transport, wordsOf } from './draft';
import { NamedValues } from './NamedValues';
import './servers.css';

interface FieldsProps {
  readonly draft: ServerDraft;
  readonly onChange: (part: Partial<ServerDraft>) => void;
}

function CommandFields({ draft, onChange }: FieldsProps) {
  const { actions } = useStopgap();
  const preview = useId();
  const words = wordsOf(draft.line);
  const browse = async (): Promise<void> => {
    const folder = await actions.chooseFolder('Working directory of the server', draft.cwd || undefined);
    if (folder !== undefined) onChange({ cwd: folder });
  };
  return (
    <>
      <label className="label">
        Command line of a server that speaks MCP over stdio
        <input
          className="field mono"
          data-autofocus
          value={draft.line}
          spellCheck={false}
          placeholder="npx -y @modelcontextprotocol/server-everything"
          aria-describedby={preview}
          onChange={(event) => onChange({ line: event.target.value })}
        />
      </label>
      <p id={preview} className="argv">
        {words.length === 0 ? (
          <span className="hint">Quote words with spaces; no shell is involved, so no pipes and no variables.</span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a word may come twice, and its place is what it is known by
          words.map((word, i) => <code key={`${i} ${word}`}>{word}</code>)
        )}
      </p>
      <label className="label">
        Working directory
        <span className="row">
          <input
            className="field mono"
            value={draft.cwd}
            placeholder="Stopgap’s own"
            spellCheck={false}
            onChange={(event) => onChange({ cwd: event.target.value })}
          />
          <button type="button" className="button" onClick={() => void browse()}>
            Browse…
          </button>
        </span>
      </label>
      <NamedValues
        heading="Environment"
        one="variable"
        example="NAME"
        pairs={draft.env}
        onChange={(env) => onChange({ env })}
        hint="Values are handed to the process, and are kept in the system’s keychain where it has one."
      />
      <label className="label">
        Restart when one of these changes
        <textarea
          className="field mono"
          value={draft.watch}
          rows={2}
          spellCheck={false}
          placeholder={'one file or folder of the server a line'}
          onChange={(event) => onChange({ watch: event.target.value })}
        />
      </label>
    </>
  );
}

const TRANSPORTS: readonly { readonly value: Transport; readonly label: string }[] = [
  { value: 'auto', label: 'Streamable HTTP, else the older HTTP+SSE' },
  { value: 'http', label: 'Streamable HTTP' },
  { value: 'sse', label: 'HTTP+SSE (2024-11-05)' },
];

function AddressFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <label className="label">
        Address of a server that speaks MCP over HTTP
        <input
          className="field mono"
          data-autofocus
          value={draft.url}
          spellCheck={false}
          placeholder="http://127.0.0.1:3000/mcp"
          onChange={(event) => onChange({ url: event.target.value })}
        />
      </label>
      <label className="label">
        Transport
        <select
          className="field"
          value={draft.transport}
          onChange={(event) => onChange({ transport: TRANSPORTS.find(({ value }) => value === event.target.value)?.value ?? 'auto' })}
        >
          {TRANSPORTS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <NamedValues
        heading="Headers"
        one="header"
        example="Authorization"
        pairs={draft.headers}
        onChange={(headers) => onChange({ headers })}
        hint="They go with every request to this address; their values are kept in the system’s keychain where it has one."
      />
    </>
  );
}

/** By value; '' leaves the choice to the handshake of before. */
const PROTOCOL_TEXT: Readonly<Record<string, string>> = {
  '': 'Whichever the handshake agrees on, up to 2025-11-25',
  [AUTOMATIC]: `${MODERN} where the server knows it, else the handshake`,
};

function ProtocolField({ draft, onChange }: FieldsProps) {
  const hint = useId();
  return (
    <>
      <label className="label">
        Revision of the protocol
        <select
          className="field"
          value={draft.protocol}
          aria-describedby={hint}
          onChange={(event) => onChange({ protocol: event.target.value })}
        >
          {['', AUTOMATIC, ...PROTOCOLS.filter((one) => one !== AUTOMATIC).reverse()].map((value) => (
            <option key={value} value={value}>
              {PROTOCOL_TEXT[value] ?? `Only ${value}`}
            </option>
          ))}
        </select>
      </label>
      <p id={hint} className="hint">
        {revisionHint(draft)}
      </p>
    </>
  );
}

const KINDS = [
  { kind: 'stdio', label: 'Command' },
  { kind: 'http', label: 'Address' },
] as const;

function Kind({ draft, onChange }: FieldsProps) {
  return (
    <fieldset className="server-kind">
      <legend className="visually-hidden">How the server is reached</legend>
      {KINDS.map(({ kind, label }) => (
        <label key={kind} className="row">
          <input type="radio" name="server-kind" checked={draft.kind === kind} onChange={() => onChange({ kind })} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** @param edit the saved server that is changed; a new one is described where there is none */
export function ConnectDialog({ edit }: { readonly edit: ServerSpec | undefined }) {
  const { actions } = useStopgap();
  const focused = useSelect((state) => state.status);
  const [draft, setDraft] = useState(() => draftOf(edit ?? focused.spec));
  const [beside, setBeside] = useState(false);
  const [save, setSave] = useState(edit !== undefined);
  const described = edit?.kind === 'demo' ? undefined : edit;
  const read = specOf(draft, described);
  const change = (part: Partial<ServerDraft>): void => setDraft((now) => ({ ...now, ...part }));
  const others = focused.state !== 'none';

  const submit = async (connect: boolean): Promise<void> => {
    if ('why' in read) return;
    const id = save ? await actions.save(read.spec) : undefined;
    if (save && id === undefined) return;
    actions.closeDialog();
    if (connect) await actions.connect(id === undefined ? read.spec : { ...read.spec, id }, beside);
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void submit(true);
  };

  return (
    <Dialog title={described ? `Change ${described.title ?? 'the server'}` : 'Connect to a server'} onClose={actions.closeDialog}>
      <form onSubmit={onSubmit}>
        <Kind draft={draft} onChange={change} />
        {draft.kind === 'stdio' ? <CommandFields draft={draft} onChange={change} /> : <AddressFields draft={draft} onChange={change} />}
        <ProtocolField draft={draft} onChange={change} />
        <label className="label">
          Title
          <input
            className="field"
            value={draft.title}
            placeholder="as it calls itself"
            onChange={(event) => change({ title: event.target.value })}
          />
        </label>
        {!described && (
          <label className="row">
            <input type="checkbox" checked={save} onChange={(event) => setSave(event.target.checked)} />
            Save it in the list of servers
          </label>
        )}
        {others && (
          <label className="row">
            <input type="checkbox" checked={beside} onChange={(event) => setBeside(event.target.checked)} />
            Keep {focused.title} connected beside it
          </label>
        )}
        {'why' in read && draft.kind === 'http' && draft.url !== '' && <p className="error">{read.why}</p>}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={actions.closeDialog}>
            Cancel
          </button>
          {described && (
            <button type="button" className="button" disabled={'why' in read} onClick={() => void submit(false)}>
              Save
            </button>
          )}
          <button type="submit" className="button go" disabled={'why' in read}>
            {described ? 'Save and connect' : 'Connect'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
