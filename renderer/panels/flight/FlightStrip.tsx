// What is in flight, and Stop. The strip keeps its place when nothing is, so that nothing jumps; a call that was answered
// a moment ago stays as a ghost, so that a press that comes too late meets the truth instead of an empty place.
import { ChevronDown, Pencil, Square, X } from 'lucide-react';
import { memo, useRef, useSyncExternalStore } from 'react';
import { minus } from '../../../app/base/time';
import type { Call } from '../../../app/trace/calls';
import { closesToCancel } from '../../../app/verdict/overHttp';
import type { Means, TransportName } from '../../../app/wire/frame';
import { idText } from '../../../app/wire/jsonrpc';
import { textOf } from '../../bodies';
import { useBodiesVersion, useKeyText, useSelect, useStopgap, useTick, useVersion } from '../../context';
import { type Flight, stopTarget } from '../../inFlight';
import { serverOf, whoseOf } from '../../servers';
import { writeWarning } from '../../tools';
import { Menu, MenuItem, MenuLine } from '../../ui/Menu';
import { Popover } from '../../ui/Popover';
import { Kbd } from '../../ui/signs';
import './flight.css';

/** The message of a progress notification, where it has one. */
export function progressText(raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined;
  const { params } = JSON.parse(raw) as { params?: { message?: unknown; progress?: unknown; total?: unknown } };
  if (typeof params?.message === 'string') return params.message;
  if (typeof params?.progress !== 'number') return undefined;
  return typeof params.total === 'number' ? `${params.progress} of ${params.total}` : String(params.progress);
}

function Elapsed({ call, running }: { readonly call: Call; readonly running: boolean }) {
  const { feed } = useStopgap();
  const text = useRef<HTMLSpanElement>(null);
  useTick(running, () => {
    const until = running ? feed.now() : (call.replies[0]?.t ?? call.cancels[0]?.t ?? feed.now());
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

function Reason() {
  const { store } = useStopgap();
  const reason = useSelect((state) => state.reason);
  return (
    <Popover
      title="Reason sent with the cancel"
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
            placeholder="no reason is sent"
            onChange={(event) => store.setState({ reason: event.target.value })}
          />
          <p className="hint">Goes over the wire as it stands, with every Stop from now on. It is remembered.</p>
        </form>
      )}
    </Popover>
  );
}

interface Way {
  readonly how: Means;
  readonly title: string;
  readonly hint: string;
}

const CANCEL: Way = {
  how: { means: 'cancel' },
  title: 'Send cancel',
  hint: 'notifications/cancelled for this request, as the specification says',
};
const POST_CANCEL: Way = {
  how: { means: 'cancel' },
  title: 'Send cancel (POST)',
  hint: 'notifications/cancelled by a POST of its own; its status says that something received it',
};
const CLOSE: Way = {
  how: { means: 'cancel' },
  title: 'Close stream (this is the cancel here)',
  hint: 'In this revision closing the response stream is the cancel; no message is sent, and nothing can be heard afterwards',
};
const NOTIFY: Way = {
  how: { means: 'notify' },
  title: 'Send the notification (the wrong means here)',
  hint: 'Misuse on purpose: notifications/cancelled, which tells nobody to stop in this revision over HTTP',
};
/** What Stop does on each wire. */
const STOPS: Readonly<Record<TransportName, Way>> = { stdio: CANCEL, http: POST_CANCEL, sse: POST_CANCEL };

const GIVING_UP: readonly Way[] = [
  { how: { means: 'abandon' }, title: 'Give up silently', hint: 'Stop waiting and tell the server nothing, as some clients do' },
  {
    how: { means: 'timeout', silent: false },
    title: 'Time out, with a cancel',
    hint: 'As a client whose patience ended: sends a cancel with the SDK’s reason',
  },
  { how: { means: 'timeout', silent: true }, title: 'Time out, silently', hint: 'As a client whose patience ended and that tells nobody' },
];
const DROP = { how: { means: 'drop' }, title: 'Drop the connection' } as const;
const KILL: Way = {
  how: { means: 'kill' },
  title: 'Kill the server',
  hint: 'Ends its whole process tree; every other call in flight is lost too',
};

/** What other clients do, by the wire that a call went over. Over HTTP there is no process of ours to kill. */
const WAYS: Readonly<Record<TransportName, readonly Way[]>> = {
  stdio: [...GIVING_UP, { ...DROP, hint: 'Closes the pipe without a cancel; every other call in flight is lost too' }, KILL],
  http: [...GIVING_UP, { ...DROP, hint: 'Closes this call’s response. A disconnect is not a cancel here: most servers go on' }],
  sse: [
    ...GIVING_UP,
    { ...DROP, hint: 'Closes the session’s one stream, with every other call that is on it. A disconnect is not a cancel here' },
  ],
};

/** What Stop does for a call, and what else there is: by its wire, and by its revision. */
function useWays(call: Call): readonly [stop: Way, ...others: Way[]] {
  const { feed } = useStopgap();
  const transport = useTransport(call);
  const session = feed.calls.sessions.get(call.session);
  return session && closesToCancel(session) ? [CLOSE, ...GIVING_UP, NOTIFY] : [STOPS[transport], ...WAYS[transport]];
}

/** How the messages of a call's session travel; as over a pipe until that is known. */
function useTransport(call: Call): TransportName {
  const { feed } = useStopgap();
  return feed.calls.sessions.get(call.session)?.transport ?? 'stdio';
}

function StopMenu({ call, others }: { readonly call: Call; readonly others: number }) {
  const { actions } = useStopgap();
  const tool = useSelect((state) => serverOf(state, call)?.tools.find(({ name }) => name === call.tool));
  const warning = tool && writeWarning(tool);
  const allKey = useKeyText('call.stop-all');
  const ways = useWays(call);
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="icon-button stop-more" aria-label="Other ways to stop">
          <ChevronDown size={16} aria-hidden />
        </button>
      }
    >
      {ways.map(({ how, title, hint }) => (
        <MenuItem key={title} hint={hint} onPress={() => void actions.stop(call.index, how)}>
          {title}
        </MenuItem>
      ))}
      <MenuItem
        hint="For conformance: names another id on purpose"
        onPress={() => actions.openDialog({ kind: 'cancel-id', call: call.index })}
      >
        Send a cancel with a chosen id…
      </MenuItem>
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
  const [stopWay] = useWays(call);
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
      <Reason />
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
            <small>{open ? stopWay.title : state === 'answered' ? 'Too late: nothing would be sent' : 'Stop was pressed already'}</small>
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
        aria-label={`Stop ${name}: send cancel`}
        title={`Stop ${name}: send cancel`}
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
