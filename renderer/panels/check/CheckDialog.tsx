// The report card: what is tried is chosen and agreed to first, then it can be watched, and stopped, and read.
import { useState } from 'react';
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';
import { CardView } from './CardView';
import { Choose } from './Choose';
import { Progress } from './Progress';
import './check.css';

const DESCRIPTION = 'What does cancelling do on this server, tool by tool? Tried out, with the evidence for every line.';

export function CheckDialog() {
  const { actions } = useStopgap();
  const check = useSelect((state) => state.check);
  const connected = useSelect((state) => state.status.state === 'connected');
  const [again, setAgain] = useState(false);
  const running = check !== undefined && check.state !== 'over';
  const choosing = !running && (check === undefined || again);
  const title = choosing || !check ? 'Report card' : `Report card of ${check.title}`;
  return (
    <Dialog title={title} description={DESCRIPTION} wide onClose={actions.closeDialog}>
      {running ? (
        <Progress check={check} />
      ) : choosing ? (
        connected ? (
          <Choose onBegun={() => setAgain(false)} onBack={check && (() => setAgain(false))} />
        ) : (
          <NoServer />
        )
      ) : (
        check && <CardView check={check} onAgain={() => setAgain(true)} />
      )}
    </Dialog>
  );
}

function NoServer() {
  const { actions } = useStopgap();
  return (
    <>
      <p className="hint">No server is connected, so there is nothing to check. Connect one first: the demo has faults of every kind.</p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={actions.closeDialog}>
          Close
        </button>
        <button type="button" className="button go" data-autofocus onClick={() => void actions.connect({ kind: 'demo' })}>
          Connect to the demo server
        </button>
      </div>
    </>
  );
}
