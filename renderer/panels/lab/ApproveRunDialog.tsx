// The question before a scenario from a file runs for the first time: what it would start, and where it would send anything,
// whole. The easy ways out of it (Escape, Enter, the cross) all mean no.
import type { Params } from '../../../app/contract/host';
import { useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';
import { visible } from '../configs/importing';
import '../configs/configs.css';

interface Props {
  readonly how: Params<'scenario.run'>;
  /** As the host has put it: a line for each thing. */
  readonly approval: string;
}

export function ApproveRunDialog({ how, approval }: Props) {
  const { actions } = useStopgap();
  const run = (): void => {
    actions.closeDialog();
    void actions.lab.runAs({ ...how, approved: true });
  };
  return (
    <Dialog
      title="Run this scenario?"
      description="It has not run here in this form. What it starts can do whatever you can do, and its calls write for real. Nothing has been started."
      onClose={actions.closeDialog}
    >
      <code className="whole-command">{approval.split('\n').map(visible).join('\n')}</code>
      {how.path !== undefined && <p className="hint selectable">From {how.path}</p>}
      <p className="hint">The answer is remembered for exactly this. If it changes, it is asked for again.</p>
      <div className="dialog-actions">
        <button type="button" className="button" data-autofocus onClick={actions.closeDialog}>
          Do not run it
        </button>
        <button type="button" className="button" onClick={run}>
          Run it
        </button>
      </div>
    </Dialog>
  );
}
