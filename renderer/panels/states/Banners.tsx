// What must be known before anything else is believed: that the host is gone, that this is a file, that the server ended.
import type { ServerStatus } from '../../../app/contract/host';
import { useSelect, useStopgap, useVersion } from '../../context';
import { AuthBanners, pendingAuth } from '../auth/Authorization';
import { FaultsOn } from '../faults/FaultsOn';
import { overText } from '../servers/words';
import { readingText } from './readingText';

function HostGone() {
  const { actions } = useStopgap();
  const link = useSelect((state) => state.link);
  if (link.state !== 'gone') return null;
  return (
    <div className="banner" data-level="error" role="alert">
      <p className="grow selectable">
        <b>The session host is not running.</b> {link.why} What is shown here was received before.
      </p>
      <button type="button" className="button" onClick={() => void actions.restartHost()}>
        Restart the host
      </button>
    </div>
  );
}

/** A long file is shown while it is being read, and says so: what is not there yet is not shown as absent. */
function Reading() {
  const reading = useSelect((state) => state.reading);
  if (!reading || reading.done) return null;
  return <span className="banner-note"> {readingText(reading)}</span>;
}

function FileView() {
  const { actions } = useStopgap();
  const view = useSelect((state) => state.view);
  const repaired = useSelect((state) => state.reading?.repaired ?? state.view?.repaired);
  if (view?.source !== 'file') return null;
  return (
    <div className="banner" role="status">
      <p className="grow selectable">
        <b>You are looking at a trace file</b> <span className="mono soft">{view.path}</span>, begun {new Date(view.began).toLocaleString()}
        , read-only.
        <Reading />
        {repaired !== undefined && <span className="banner-note"> {repaired}</span>}
      </p>
      <button type="button" className="button" onClick={() => void actions.liveTrace()}>
        Back to live
      </button>
    </div>
  );
}

/** While the timeline has something to show, the end of a server is said above it, whichever is in focus; else in its middle. */
function ServersEnded() {
  const { feed } = useStopgap();
  const servers = useSelect((state) => state.servers);
  const file = useSelect((state) => state.view?.source === 'file');
  const linked = useSelect((state) => state.link.state === 'ready');
  useVersion(250);
  if (file || !linked || feed.calls.all.length === 0) return null;
  return servers
    .filter((server) => (server.state === 'failed' || server.state === 'ended') && !pendingAuth(server))
    .map((server) => <ServerEnded key={server.connection} server={server} />);
}

function ServerEnded({ server }: { readonly server: ServerStatus }) {
  const { actions } = useStopgap();
  const { title, command, state, why } = server;
  return (
    <div className="banner" data-level={state === 'failed' ? 'error' : 'info'} role="status">
      <p className="grow selectable">
        <b>
          {title || command} {overText(server)}.
        </b>{' '}
        {why} Everything received before stays here.
      </p>
      <button type="button" className="button" onClick={() => void actions.reconnect(server)}>
        {server.sessionLost ? 'Begin a new session' : 'Reconnect'}
      </button>
    </div>
  );
}

export function Banners() {
  return (
    <div>
      <HostGone />
      <FileView />
      <FaultsOn />
      <AuthBanners />
      <ServersEnded />
    </div>
  );
}
