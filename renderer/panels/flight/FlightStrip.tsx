// What is in flight, and Stop. The strip keeps its place when nothing is, so that nothing jumps; a call that was answered
// a moment ago stays as a ghost, so that a press that comes too late meets the truth instead of an empty place.
import { ChevronDown, Pencil, Square, X } from 'lucide-react';
import { memo, useRef, useSyncExternalStore } from 'react';
import { FOREVER, minus, type Ns } from '../../../app/base/time';
import type { Call, Session } from '../../../app/trace/calls';
import { toldAt } from '../../../app/trace/faults';
import { idText } from '../../../app/wire/jsonrpc';
import { textOf } from '../../bodies';
import { useBodiesVersion, useKeyText, useSelect, useStopgap, useTick, useVersion } from '../../context';
import { type Flight, stopTarget } from '../../inFlight';
import { serverOf, whoseOf } from '../../servers';
import { writeWarning } from '../../tools';
import { Menu, MenuGroup, MenuItem, MenuLine } from '../../ui/Menu';
import { Popover } from '../../ui/Popover';
import { Kbd } from '../../ui/signs';
import { type Way, waysOf } from './ways';
import './flight.css';

/** The message of a progress notification, where it has one. */
export function progressText(raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined;
  const { params } = JSON.parse(raw) as { params?: { message?: unknown; progress?: unknown; total?: unknown } };
  if (typeof params?.message === 'string') return params.message;
  if (typeof params?.progress !== 'number') return undefined;
  return typeof params.total === 'number' ? `${params.progress} of ${params.total}` : String(params.progress);
}

/** When the answer got through; one that a fault of ours keeps has not. */
function gotAt(call: Call): Ns | undefined {
  const [reply] = call.replies;
  const t = reply && toldAt(call, reply);
  return t === FOREVER ? undefined : t;
}

function Elapsed({ call, running }: { readonly call: Call; readonly running: boolean }) {
  const { feed } = useStopgap();
  const text = useRef<HTMLSpanElement>(null);
  useTick(running, () => {
    const until = running ? feed.now() : (gotAt(call) ?? call.cancels[0]?.t ?? feed.now());
    if (text.current) text.current.textContent = elapsedText(Math.max(0, minus(until, call.sent.t)));
  });
  return <span ref={text} className="mono elapsed" />;
}

/** Tenths of a second while it runs: a number that can be read. */
const elapsedText = (ns: number): string =>
  ns < 60e9 ? `${(ns / 1e9).toFixed(1)} s` : `${Math.floor(ns / 60e9)} min ${Math.floor(ns / 1e9) % 60} s`;

function Progress({ call }: { readonly call: Call }) {
  const { feed, bodies } = useStopgap();
  useVersion(250);
  useBodiesVersion();
  const last = call.progress.at(-1);
  const shown = useRef<string | undefined>(undefined);
  if (last === undefined) return null;
  bodies.want([last]);
  // While the newest body is on its way, the one before stays.
  shown.current = progressText(textOf(bodies.get(last))) ?? shown.current;
  const share = feed.trace.num(last);
  return (
    <>
      <span
        className="bar"
        data-unknown={share < 0}
        role="progressbar"
        aria-label={`Progress of ${call.tool ?? call.method}`}
        {...(share < 0 ? {} : { 'aria-valuenow': Math.round(share / 1e4) })}
      >
        <i style={{ width: share < 0 ? '30%' : `${share / 1e4}%` }} />
      </span>
      <span className="soft clip progress-text">{shown.current}</span>
    </>
  );
}

/** @param kept why it does not go along with Stop; undefined where it does */
function Reason({ kept }: { readonly kept: string | undefined }) {
  const { store } = useStopgap();
  const reason = useSelect((state) => state.reason);
  return (
    <Popover
      title={kept === undefined ? 'Reason sent with the cancel' : 'Reason kept with the stop'}
      trigger={
        <button type="button" className="button reason-button">
          <Pencil size={13} aria-hidden />
          <span>Reason…</span>
        </button>
      }
    >
      {(close) => (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            close();
          }}
        >
          <input
            className="field"
            value={reason}
            maxLength={500}
            aria-label="Reason"
            placeholder={kept === undefined ? 'no reason is sent' : 'no reason'}
            onChange={(event) => store.setState({ reason: event.target.value })}
          />
          <p className="hint">{kept ?? 'Goes over the wire as it stands, with every Stop from now on. It is remembered.'}</p>
        </form>
      )}
    </Popover>
  );
}

/** The session of a call; undefined before anything of it is known. */
function useSession(call: Call): Session | undefined {
  const { feed } = useStopgap();
  return feed.calls.sessions.get(call.session);
}

function StopMenu({ call, others }: { readonly call: Call; readonly others: number }) {
  const { actions } = useStopgap();
  const tool = useSelect((state) => serverOf(state, call)?.tools.find(({ name }) => name === call.tool));
  const warning = tool && writeWarning(tool);
  const allKey = useKeyText('call.stop-all');
  const { others: ways, misuse } = waysOf(useSession(call), call);
  const item = ({ how, title, hint }: Way) => (
    <MenuItem key={title} hint={hint} onPress={() => void actions.stop(call.index, how)}>
      {title}
    </MenuItem>
  );
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="icon-button stop-more" aria-label="Other ways to stop">
          <ChevronDown size={16} aria-hidden />
        </button>
      }
    >
      {ways.map(item)}
      <MenuLine />
      <MenuGroup label="Wrong on purpose, to see what the server does">
        {misuse.map(item)}
        <MenuItem hint="Names another id than the call’s" onPress={() => actions.openDialog({ kind: 'cancel-id', call: call.index })}>
          Send a cancel with a chosen id…
        </MenuItem>
      </MenuGroup>
      {others > 0 && (
        <>
          <MenuLine />
          <MenuItem keys={allKey} onPress={() => void actions.stopAll()}>
            Stop all {others + 1}
          </MenuItem>
        </>
      )}
      {warning && <p className="menu-warning">{warning}</p>}
    </Menu>
  );
}

const GHOST_WORDS: Readonly<Record<Flight['state'], string>> = {
  open: '',
  answered: 'answered',
  stopped: 'no longer waited for',
  lost: 'lost: no answer can come',
};

function Primary({ flight, others }: { readonly flight: Flight; readonly others: number }) {
  const { actions, feed } = useStopgap();
  const { call, state } = flight;
  const tool = useSelect((all) => serverOf(all, call)?.tools.find(({ name }) => name === call.tool));
  const warning = tool && writeWarning(tool);
  const stopKey = useKeyText('call.stop');
  const ways = waysOf(useSession(call), call);
  const open = state === 'open';
  const name = call.tool ?? call.method;
  const whose = whoseOf(feed.calls)(call);
  return (
    <>
      <div className="flight-what">
        <div className="row">
          <button type="button" className="link flight-name clip" onClick={() => actions.selectCall(call.index)}>
            {name}
          </button>
          <span className="mono faint">{idText(call.key)}</span>
          {whose !== undefined && <span className="soft clip">{whose}</span>}
          <Elapsed call={call} running={open} />
          {open ? <Progress call={call} /> : <span className="soft clip">{GHOST_WORDS[state]}</span>}
        </div>
        {warning && <p className="flight-warning clip">{warning}</p>}
      </div>
      <Reason kept={ways.keepsReason} />
      <div className="stop-group">
        <button
          type="button"
          id="stop-button"
          className="stop-button"
          data-ghost={!open}
          aria-keyshortcuts="Escape"
          onClick={() => void actions.stop(call.index)}
        >
          <Square size={12} fill="currentColor" aria-hidden />
          <span className="stop-words">
            <b>Stop {name}</b>
            <small>{open ? ways.stop.title : state === 'answered' ? 'Too late: nothing would be sent' : 'Stop was pressed already'}</small>
          </span>
          <Kbd keys={stopKey} />
        </button>
        <StopMenu call={call} others={others} />
      </div>
    </>
  );
}

function Chip({ flight }: { readonly flight: Flight }) {
  const { actions, feed } = useStopgap();
  const { call } = flight;
  const { stop } = waysOf(useSession(call), call);
  const name = [call.tool ?? call.method, idText(call.key), whoseOf(feed.calls)(call)].filter((word) => word !== undefined).join(' ');
  return (
    <span className="chip">
      <button type="button" className="link clip" onClick={() => actions.selectCall(call.index)}>
        {name}
      </button>
      <Elapsed call={call} running />
      <button
        type="button"
        className="chip-stop"
        aria-label={`Stop ${name}: ${stop.briefly}`}
        title={`Stop ${name}: ${stop.briefly}`}
        onClick={() => void actions.stop(call.index)}
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}

/** What is in flight; a change is shown at once, and frames that change nothing of it render nothing. */
function useFlights(): readonly Flight[] {
  const { feed, flight } = useStopgap();
  return useSyncExternalStore(feed.subscribe, () => flight.update(feed.calls, performance.now()));
}

export const FlightStrip = memo(function FlightStrip() {
  const { actions } = useStopgap();
  const selected = useSelect((state) => state.call);
  const file = useSelect((state) => state.view?.source === 'file');
  const state = useSelect(({ status }) => status.state);
  const list = useFlights();
  const allKey = useKeyText('call.stop-all');
  useTickToForgetGhosts();
  if (file) return null;
  const primary = stopTarget(list, selected) ?? list.at(-1);
  const rest = list.filter((other) => other !== primary && other.state === 'open');
  return (
    <section className="flight" aria-label="Calls in flight" data-idle={primary?.state !== 'open'}>
      <div className="flight-line">
        {primary ? (
          <Primary flight={primary} others={rest.length} />
        ) : (
          <p className="faint">{state === 'connected' ? 'Nothing is in flight. Choose a tool and press Call.' : 'Nothing is in flight.'}</p>
        )}
      </div>
      {rest.length > 0 && (
        <div className="flight-line chips">
          <div className="chips-scroll">
            {[...rest].reverse().map((other) => (
              <Chip key={other.call.index} flight={other} />
            ))}
          </div>
          <button type="button" className="button stop-all" onClick={() => void actions.stopAll()}>
            Stop all {rest.length + 1} <Kbd keys={allKey} />
          </button>
        </div>
      )}
    </section>
  );
});

/** Ghosts go by time alone, without any frame that would say so. */
function useTickToForgetGhosts(): void {
  const { flight, feed } = useStopgap();
  const ghosts = flight.list().some(({ state }) => state !== 'open');
  useTick(
    ghosts,
    () => {
      const before = flight.list().length;
      if (ghosts && flight.update(feed.calls, performance.now()).length !== before) feed.refresh();
    },
    300,
  );
}
