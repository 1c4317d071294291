// Before a task is cancelled: which one, what it does, and what the cancel is worth. Nothing is sent until somebody says so.
import type { ConnectionNumber, ListedTask } from '../../../app/contract/host';
import { useSelect, useStopgap } from '../../context';
import { statusWords } from '../../taskWords';
import { Dialog } from '../../ui/Dialog';
import { cancelWorth, timesText } from './taskList';
import './tasks.css';

export function CancelTaskDialog({ connection, task }: { readonly connection: ConnectionNumber; readonly task: ListedTask }) {
  const { actions, feed } = useStopgap();
  const abilities = useSelect((state) => state.servers.find((server) => server.connection === connection)?.tasks);
  const call = task.call === undefined ? undefined : feed.calls.all[task.call];
  const go = (): void => {
    actions.closeDialog();
    void actions.cancelTask(connection, task.id);
  };
  return (
    <Dialog
      title={call ? `Cancel the task of ${call.tool ?? call.method}?` : 'Cancel a task that nobody here has made?'}
      description={abilities && cancelWorth(abilities)}
      onClose={actions.closeDialog}
    >
      <dl className="facts selectable">
        <div>
          <dt>Task</dt>
          <dd className="mono">{task.id}</dd>
        </div>
        <div>
          <dt>State</dt>
          <dd>
            {statusWords(task.status)}
            {task.message !== undefined && <small>{task.message}</small>}
          </dd>
        </div>
        <div>
          <dt>Times</dt>
          <dd>{timesText(task) || 'the server says none'}</dd>
        </div>
      </dl>
      {!call && (
        <p className="hint">
          It may be somebody else’s: another client of this server, or a session of before. The server cannot tell whose it is by this list.
        </p>
      )}
      <div className="dialog-actions">
        <button type="button" className="button" data-autofocus onClick={actions.closeDialog}>
          Leave it
        </button>
        <button type="button" className="button danger" onClick={go}>
          Send tasks/cancel
        </button>
      </div>
    </Dialog>
  );
}
