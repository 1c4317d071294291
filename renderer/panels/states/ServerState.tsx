// The middle of an empty timeline: what state the server is in, why, and what to do next.
import { useRef } from 'react';
import { useSelect, useStopgap, useTick } from '../../context';
import { AuthState, pendingAuth } from '../auth/Authorization';
import { overText, titleOf } from '../servers/words';
import './states.css';

function Starting() {
  const { actions, store } = useStopgap();
  const status = useSelect((state) => state.status);
  const text = useRef<HTMLSpanElement>(null);
  useTick(true, () => {
    const since = store.getState().startingSince;
    if (text.current && since !== undefined) text.current.textContent = `${((performance.now() - since) / 1000).toFixed(1)} s`;
  });
  return (
    <>
      <h2>
        Starting {status.title || 'the server'} <span ref={text} className="mono faint" />
      </h2>
      {status.command && <p className="mono soft selectable command">{status.command}</p>}
      <p className="soft">
        Waiting for its answer to <span className="mono">initialize</span>. What it writes meanwhile is in the wire log
        {status.spec?.kind === 'http' ? '' : ' and under stderr'}.
      </p>
      <div className="row state-actions">
        <button type="button" className="button" onClick={() => void actions.disconnect()}>
          Cancel
        </button>
      </div>
    </>
  );
}

function Over() {
  const { actions } = useStopgap();
  const status = useSelect((state) => state.status);
  const auth = pendingAuth(status);
  if (auth) return <AuthState status={status} auth={auth} />;
  const failed = status.state === 'failed';
  return (
    <>
      <h2>{`${status.title || 'The server'} ${overText(status)}`}</h2>
      {status.why !== undefined && <p className="why selectable">{status.why}</p>}
      {status.command && <p className="mono soft selectable command">{status.command}</p>}
      <div className="row state-actions">
        <button type="button" className="button go" onClick={() => void actions.reconnect()}>
          {failed ? 'Try again' : status.sessionLost ? 'Begin a new session' : 'Connect again'}
        </button>
        <button type="button" className="button" onClick={() => actions.openDialog({ kind: 'connect' })}>
          Another server…
        </button>
        {status.spec?.kind !== 'http' && (
          <button type="button" className="button" onClick={() => actions.showTab('stderr')}>
            Show stderr
          </button>
        )}
      </div>
    </>
  );
}

function NoServer() {
  const { actions } = useStopgap();
  const recent = useSelect((state) => state.settings.recentServers);
  const [last] = recent;
  return (
    <>
      <h2>Which server?</h2>
      <p className="soft">
        Stopgap starts an MCP server, calls its tools, stops the calls, and says what really happened. The demo server is made so that every
        tool shows one truth.
      </p>
      <div className="row state-actions">
        {last && last.kind !== 'demo' && (
          <button type="button" className="button go" onClick={() => void actions.connect(last)}>
            Connect to {titleOf(last)} again
          </button>
        )}
        <button type="button" className="button go" onClick={() => void actions.connect({ kind: 'demo' })}>
          Connect to the demo
        </button>
        <button type="button" className="button" onClick={() => actions.openDialog({ kind: 'connect' })}>
          Another server…
        </button>
        <button type="button" className="button" onClick={() => void actions.openTrace()}>
          Open trace file…
        </button>
      </div>
      {recent.length > 0 && <p className="hint">Servers used before are in the menu at the top left.</p>}
    </>
  );
}

function Ready() {
  const status = useSelect((state) => state.status);
  if (status.tools.length === 0)
    return (
      <>
        <h2>Connected, and no tools</h2>
        <p className="soft">
          {status.server ? `${status.server.name} ${status.server.version}` : 'The server'} offers no tools, so there is nothing to call.
          The wire log shows what it did answer.
        </p>
      </>
    );
  return (
    <>
      <h2>Ready</h2>
      <p className="soft">
        Choose a tool on the left and press Call. While it is in flight, press Stop. The upper band of its row is what the client saw; the
        lower one is what the server is known to have done.
      </p>
    </>
  );
}

export function ServerState() {
  const state = useSelect(({ status }) => status.state);
  const link = useSelect((all) => all.link.state);
  const file = useSelect(({ view }) => view?.source === 'file');
  return (
    <div className="server-state">
      {file ? (
        <>
          <h2>No calls in this trace</h2>
          <p className="soft">The wire log below shows what it holds.</p>
        </>
      ) : link === 'waiting' ? (
        <p className="soft">Waiting for the session host…</p>
      ) : state === 'starting' || state === 'closing' ? (
        <Starting />
      ) : state === 'failed' || state === 'ended' ? (
        <Over />
      ) : state === 'none' ? (
        <NoServer />
      ) : (
        <Ready />
      )}
    </div>
  );
}
