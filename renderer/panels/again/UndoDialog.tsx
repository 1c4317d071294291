// Before an effect is taken back: the call that would do it, in full. MCP knows no undo; it is one more call, to a tool
// that somebody has said undoes the other.
import { argumentsFrom } from '../../../app/evidence/variables';
import { idText } from '../../../app/wire/jsonrpc';
import { useSelect, useStopgap } from '../../context';
import { serverOf } from '../../servers';
import { Dialog } from '../../ui/Dialog';
import { CallText, useCallArguments } from './RetryDialog';
import './again.css';

export function UndoDialog({ call: index }: { readonly call: number }) {
  const { actions, feed } = useStopgap();
  const used = useCallArguments(index);
  const call = feed.calls.all[index];
  const undo = useSelect((state) => serverOf(state, call)?.setups[call?.tool ?? '']?.undo);
  const there = useSelect((state) => serverOf(state, call)?.tools.some(({ name }) => name === undo?.tool) ?? false);
  if (!call || !undo) return null;
  const args = used && argumentsFrom(undo.arguments, used.arguments);
  const probes = call.arrangement?.probes ?? [];
  const go = (): void => {
    if (!args) return;
    actions.closeDialog();
    void actions.undoCall(call, { tool: undo.tool, arguments: args });
  };
  return (
    <Dialog
      title={`Undo ${call.tool ?? call.method} ${idText(call.key)}?`}
      description={`There is no undo in MCP: it is one more call that writes. ${undo.tool} was set as the tool that takes this one back.`}
      onClose={actions.closeDialog}
    >
      <div className="stack">
        {args ? <CallText tool={undo.tool} args={args} /> : <p className="hint">Reading the call’s arguments…</p>}
        {!there && <p className="error">The server offers no tool {undo.tool} at the moment.</p>}
        <p className="soft">
          {probes.length > 0
            ? `Afterwards ${probes.join(', ')} ${probes.length === 1 ? 'looks' : 'look'} again: only that confirms that the effect is gone, not the answer of ${undo.tool}.`
            : 'No probe watched the call, so nothing can confirm that its effect is gone.'}
        </p>
      </div>
      <div className="dialog-actions">
        <button type="button" className="button" data-autofocus onClick={actions.closeDialog}>
          Leave it
        </button>
        <button type="button" className="button danger" disabled={!args || !there} onClick={go}>
          Call {undo.tool}
        </button>
      </div>
    </Dialog>
  );
}
