// The question before an imported command runs for the first time. It shows what would run, whole; the easy ways out of it
// (Escape, Enter, the cross) all mean no.
import type { Params } from '../../../app/contract/host';
import { useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';
import { visible } from './importing';
import { ServerFacts } from './ServerFacts';
import './configs.css';

interface Props {
  readonly how: Params<'server.connect'>;
  /** As the host has put it: the command line, and below it what else was agreed to. */
  readonly approval: string;
}

export function ApproveDialog({ how, approval }: Props) {
  const { actions } = useStopgap();
  const { spec } = how;
  if (spec.kind !== 'stdio') return null;
  const { command, args = [], env = {}, watch = [], cwd, title, importedFrom = 'a file' } = spec;
  const [line = command] = approval.split('\n');
  const run = (): void => {
    actions.closeDialog();
    void actions.connectAs({ ...how, approved: true });
  };
  return (
    <Dialog
      title="Run this command?"
      description={`${title === undefined ? 'It' : `“${visible(title)}”`} came from another client’s configuration and has not run here in this form. It can do whatever you can do. Nothing has been started.`}
      onClose={actions.closeDialog}
    >
      <ServerFacts
        spec={{ kind: 'stdio', command, args, env, watch, cwd }}
        line={visible(line)}
        more={[...(cwd === undefined ? [['Folder', 'the one that Stopgap runs in'] as const] : []), ['From', importedFrom]]}
      />
      <p className="hint">The answer is remembered for exactly this command. If it changes, it is asked for again.</p>
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
