// A report card while it is made: how far it is, what is known so far, and the way to end it.
import type { CheckStatus } from '../../../app/contract/check';
import { useStopgap } from '../../context';
import { Groups } from './Groups';

export function Progress({ check: { run, state, done, of, doing, report } }: { readonly check: CheckStatus }) {
  const { actions } = useStopgap();
  return (
    <>
      <div className="check-progress">
        <progress aria-label="How far the report card is" max={Math.max(1, of)} value={done} />
        <span className="soft" role="status">
          {state === 'stopping' ? 'Stopping: what there is counts.' : of === 0 ? 'Beginning…' : `${done} of ${of}: ${doing}`}
        </span>
      </div>
      <Groups report={report} />
      <div className="dialog-actions">
        <span className="hint grow">It goes on when this is closed; the timeline shows every call.</span>
        <button type="button" className="button" onClick={actions.closeDialog}>
          Close
        </button>
        <button
          type="button"
          className="button"
          data-autofocus
          disabled={state === 'stopping'}
          onClick={() => void actions.ask('check.stop', { run })}
        >
          Stop
        </button>
      </div>
    </>
  );
}
