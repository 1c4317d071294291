// The authorization that a server asks for: what it is about, the page that is waited for, what went wrong. It stands in the
// middle of an empty timeline, and above one that shows something. Addresses are text; nothing here opens one by itself.
import { Copy, KeyRound } from 'lucide-react';
import type { ServerStatus } from '../../../app/contract/host';
import type { AuthStatus } from '../../../app/contract/server';
import { useSelect, useStopgap, useVersion } from '../../context';
import { isToolCall } from '../../inFlight';
import './auth.css';

/** An authorization about which somebody has to know or do something. */
export const pendingAuth = ({ auth }: ServerStatus): AuthStatus | undefined => (auth?.state === 'granted' ? undefined : auth);

const HEADS: Readonly<Record<Exclude<AuthStatus['state'], 'granted'>, string>> = {
  needed: 'asks for an authorization',
  waiting: 'waits for your authorization',
  failed: 'was not authorized',
};

interface Props {
  readonly status: ServerStatus;
  readonly auth: AuthStatus;
}

/** The page that is waited for, whole: whoever opens it should see where it leads. */
function Page({ address }: { readonly address: string }) {
  const { actions } = useStopgap();
  return (
    <div className="auth-page">
      <span className="mono selectable auth-address">{address}</span>
      <button type="button" className="button small" onClick={() => void actions.copy(address, 'the address')}>
        <Copy size={13} aria-hidden /> Copy
      </button>
    </div>
  );
}

function Says({ status: { why, state: session }, auth: { state, says, address } }: Props) {
  return (
    <>
      <p className={state === 'failed' ? 'why selectable' : 'soft selectable'}>{says}</p>
      {state === 'needed' && (
        <p className="soft">
          Its page opens in your browser, and the answer comes back to this computer. Nothing is sent before you press Authorize.
        </p>
      )}
      {state === 'needed' && session === 'failed' && why !== undefined && <p className="hint selectable">{why}</p>}
      {address !== undefined && <Page address={address} />}
    </>
  );
}

function Buttons({ status: { connection }, auth: { state } }: Props) {
  const { actions } = useStopgap();
  return (
    <>
      {state === 'waiting' ? (
        <button type="button" className="button" onClick={() => void actions.unauthorize(false, connection)}>
          Cancel
        </button>
      ) : (
        <button type="button" className="button go" onClick={() => void actions.authorize(connection)}>
          {state === 'failed' ? 'Authorize again' : 'Authorize'}
        </button>
      )}
      <button type="button" className="button" onClick={() => actions.showTab('wire')}>
        Show the steps
      </button>
    </>
  );
}

const title = ({ title: given, command }: ServerStatus): string => given || command;

/** In the middle of an empty timeline. */
export function AuthState({ status, auth }: Props) {
  if (auth.state === 'granted') return null;
  return (
    <>
      <h2 className="auth-head">
        <KeyRound size={17} aria-hidden /> {title(status)} {HEADS[auth.state]}
      </h2>
      <Says status={status} auth={auth} />
      <div className="row state-actions">
        <Buttons status={status} auth={auth} />
      </div>
    </>
  );
}

function AuthBanner({ status, auth }: Props) {
  if (auth.state === 'granted') return null;
  return (
    <section
      className="banner auth-banner"
      aria-label={`Authorization of ${title(status)}`}
      data-level={auth.state === 'failed' ? 'error' : 'info'}
    >
      <div className="grow" role="status">
        <b>
          <KeyRound size={14} aria-hidden /> {title(status)} {HEADS[auth.state]}
        </b>
        <Says status={status} auth={auth} />
      </div>
      <Buttons status={status} auth={auth} />
    </section>
  );
}

/** For every server that asks, but for the one whose state stands in the middle of the timeline. */
export function AuthBanners() {
  const { feed } = useStopgap();
  const servers = useSelect((state) => state.servers);
  const focused = useSelect((state) => state.status.connection);
  const live = useSelect((state) => state.view?.source !== 'file' && state.link.state === 'ready');
  useVersion(250);
  if (!live) return null;
  const isEmpty = !feed.calls.all.some(isToolCall);
  return servers.map((status) => {
    const auth = pendingAuth(status);
    const isInTheMiddle = isEmpty && status.connection === focused && status.state !== 'connected';
    return auth && !isInTheMiddle ? <AuthBanner key={status.connection} status={status} auth={auth} /> : null;
  });
}
