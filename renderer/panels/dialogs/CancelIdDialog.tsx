// For conformance: a cancel that names another id than the call's own, or the right one in another type.
import { type FormEvent, useState } from 'react';
import type { RequestId } from '../../../app/wire/frame';
import { idOf, idText } from '../../../app/wire/jsonrpc';
import { useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';

/** `5` is the number, `"5"` the text; anything else is text as it stands. */
export function readId(text: string): RequestId | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    if (typeof value === 'number' || typeof value === 'string') return value;
  } catch {
    return trimmed;
  }
  return trimmed;
}

export function CancelIdDialog({ call: index }: { readonly call: number }) {
  const { actions, feed } = useStopgap();
  const call = feed.calls.all[index];
  const own = call ? idOf(call.key) : 0;
  const [text, setText] = useState(JSON.stringify(String(own)));
  const id = readId(text);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (id === undefined) return;
    actions.closeDialog();
    void actions.stop(index, { means: 'cancel-id', id });
  };
  return (
    <Dialog
      title="Send a cancel with a chosen id"
      description={`The call is ${call ? idText(call.key) : 'gone'}. A server must not take "5" for 5; one that does, or that forgives a wrong id, shows it here.`}
      onClose={actions.closeDialog}
    >
      <form onSubmit={submit}>
        <label className="label">
          Request id, as JSON
          <input className="field mono" value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        </label>
        <p className="hint">
          {id === undefined
            ? 'Give a number, or a text in quotes.'
            : `It goes out as ${typeof id === 'number' ? 'the number' : 'the text'} ${JSON.stringify(id)}.`}
        </p>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={actions.closeDialog}>
            Cancel
          </button>
          <button type="submit" className="button go" disabled={id === undefined}>
            Send it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
