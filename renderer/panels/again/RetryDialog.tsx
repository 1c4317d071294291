// Before a stopped call is repeated: what may happen, with which arguments, and whether the server could tell the retry
// from a second order. Nothing is sent until somebody says so.
import { useEffect, useState } from 'react';
import type { CallArguments, Tool } from '../../../app/contract/host';
import { idText } from '../../../app/wire/jsonrpc';
import { useSelect, useStopgap, useVersion } from '../../context';
import { serverOf } from '../../servers';
import { Dialog } from '../../ui/Dialog';
import { idempotencyKeyOf } from './idempotency';
import './again.css';

/** What a call was made with, as the host reads it from the trace; undefined until it is here. */
export function useCallArguments(call: number): CallArguments | undefined {
  const { actions } = useStopgap();
  const [used, setUsed] = useState<CallArguments | undefined>(undefined);
  useEffect(() => {
    let gone = false;
    void actions.ask('call.arguments', { call }).then((answer) => {
      if (!gone) setUsed(answer);
    });
    return () => {
      gone = true;
    };
  }, [actions, call]);
  return used;
}

/** A call as it would be sent. */
export function CallText({ tool, args }: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }) {
  return (
    <pre className="call-text mono selectable">
      <b>{tool}</b> {JSON.stringify(args, undefined, 2)}
    </pre>
  );
}

interface KeyProps {
  readonly name: string;
  readonly used: unknown;
}

function KeyNote({ name, used }: KeyProps) {
  if (typeof used === 'string' && used !== '')
    return (
      <p className="soft">
        Its <code className="mono">{name}</code> goes along: a server that honours it does not do it a second time. Whether this one does is
        what the retry shows.
      </p>
    );
  return (
    <p className="again-warning">
      The tool takes an <code className="mono">{name}</code>, and this call had none: the server cannot tell the retry from a second order.
      With a key the first time, it could.
    </p>
  );
}

const declared = (tool: Tool): string =>
  [
    tool.readOnly === undefined ? 'does not say whether it only reads' : tool.readOnly ? 'is declared read-only' : 'is declared to write',
    tool.idempotent === undefined
      ? 'does not say whether twice is as once'
      : tool.idempotent
        ? 'is declared idempotent'
        : 'is declared not idempotent',
  ].join(' and ');

export function RetryDialog({ call: index }: { readonly call: number }) {
  const { actions, feed } = useStopgap();
  const used = useCallArguments(index);
  useVersion(250);
  const call = feed.calls.all[index];
  const status = useSelect((state) => serverOf(state, call));
  const verdict = feed.verdict(index);
  const tool = status?.tools.find(({ name }) => name === call?.tool);
  const key = tool && idempotencyKeyOf(tool);
  const elsewhere = call !== undefined && call.session !== status?.session;
  if (!call) return null;
  const go = (): void => {
    actions.closeDialog();
    void actions.retry(call);
  };
  return (
    <Dialog
      title={`Retry ${call.tool ?? call.method} ${idText(call.key)}?`}
      description={verdict?.ifRetried ?? 'It was not stopped, so this is a second call like any other.'}
      onClose={actions.closeDialog}
    >
      <div className="stack">
        {tool && (
          <p className="soft">
            <b>{tool.name}</b> {declared(tool)}. Hints rank the risk; they prove nothing.
          </p>
        )}
        {used ? <CallText tool={used.tool} args={used.arguments} /> : <p className="hint">Reading its arguments…</p>}
        {used?.task && <p className="soft">It runs as a task again: a new one, with an id of its own.</p>}
        {key !== undefined && used && <KeyNote name={key} used={used.arguments[key]} />}
        <p className="soft">
          {used && used.probes.length > 0
            ? `Watched by ${used.probes.join(', ')}: a second effect there would be seen, and end in double write.`
            : 'No probe watches it: a second effect would not be seen.'}
        </p>
        {elsewhere && <p className="hint">The call belongs to an earlier session, so the trace cannot say that this one repeats it.</p>}
      </div>
      <div className="dialog-actions">
        <button type="button" className="button" data-autofocus onClick={actions.closeDialog}>
          Leave it
        </button>
        <button type="button" className="button danger" disabled={!used} onClick={go}>
          Retry it
        </button>
      </div>
    </Dialog>
  );
}
