// What happened to the selected call: the sentence first, then the three lanes, then the evidence, each piece a link to
// its frame, then what the caller was told, and the raw messages.
import { ChevronDown, ClipboardCopy, Radar, RotateCcw, Undo2 } from 'lucide-react';
import type { Call } from '../../../app/trace/calls';
import type { Because, Certainty, Verdict } from '../../../app/verdict/verdict';
import { idText } from '../../../app/wire/jsonrpc';
import { canRetry, retry, undoOf } from '../../again';
import { useKeyText, useSelect, useStopgap, useVersion } from '../../context';
import { isToolCall } from '../../inFlight';
import { serverOf, whoseOf } from '../../servers';
import { Menu, MenuItem } from '../../ui/Menu';
import { Kbd, SeveritySign } from '../../ui/signs';
import { copyCommandLine, copyJson, copyReport } from './copy';
import { Exchanges } from './Exchanges';
import { FrameLink } from './FrameLink';
import { Noticed } from './Noticed';
import { FrameBodyView, RawMessages } from './RawMessages';
import { Related } from './Related';
import { Sequence } from './Sequence';
import { TaskSection } from './TaskSection';
import { Watched } from './Watched';
import { at, CERTAINTY_WORDS, effectText, effectTime, headlineText, replyText, replyTime, stopText, stopTime } from './words';
import './details.css';

interface LaneProps {
  readonly name: string;
  readonly says: string;
  readonly state: string;
  readonly certainty: Certainty;
  readonly time: string | undefined;
  readonly breach?: boolean;
  readonly flags?: readonly string[];
}

function Lane({ name, says, state, certainty, time, breach = false, flags = [] }: LaneProps) {
  return (
    <div className="lane" data-certainty={certainty}>
      <dt>{name}</dt>
      <dd>
        <span className={breach ? 'lane-says breach' : 'lane-says'} title={state}>
          {says}
        </span>
        <span className="lane-certainty">
          {CERTAINTY_WORDS[certainty]}
          {flags.map((flag) => (
            <em key={flag}> · {flag}</em>
          ))}
        </span>
      </dd>
      {time !== undefined && <dd className="mono lane-time">{time}</dd>}
    </div>
  );
}

function Lanes({ call, verdict }: { readonly call: Call; readonly verdict: Verdict }) {
  const { stop, reply, effect } = verdict;
  const told = `${stopText(call, stop)}${stop.state === 'sent' && stop.reason !== undefined ? `, “${stop.reason}”` : ''}`;
  const flags = [...(reply.duplicate ? ['answered twice'] : [])];
  return (
    <dl className="lanes" aria-label="Stop, reply and effect">
      <Lane name="stop" says={told} state={stop.state} certainty={stop.certainty} time={stopTime(stop)} flags={stop.flags} />
      <Lane
        name="reply"
        says={reply.code === undefined ? replyText(call, reply) : `${replyText(call, reply)} (${reply.code})`}
        state={reply.state}
        certainty={reply.certainty}
        time={replyTime(reply)}
        flags={flags}
      />
      <Lane
        name="effect"
        says={effect.state === 'before' && stop.at === undefined ? 'observed' : effectText(effect)}
        state={effect.state}
        certainty={effect.certainty}
        time={effectTime(effect, stop)}
        breach={effect.state === 'after'}
      />
    </dl>
  );
}

interface EvidenceProps {
  readonly title: string;
  readonly call: number;
  readonly pieces: readonly Because[];
}

/** Statements with the frames that they rest on. */
function Evidence({ title, call, pieces }: EvidenceProps) {
  if (pieces.length === 0) return null;
  return (
    <section>
      <h3 className="heading">{title}</h3>
      <ul className="because">
        {pieces.map(({ seq, says }) => (
          <li key={`${seq} ${says}`}>
            <FrameLink seq={seq} call={call} />
            <span>{says}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function History({ verdict }: { readonly verdict: Verdict }) {
  if (verdict.history.length < 2) return null;
  return (
    <section>
      <h3 className="heading">How the verdict changed</h3>
      <ol className="history">
        {verdict.history.map((change) => (
          <li key={`${change.at} ${change.verdict}`}>
            <span className="mono faint">{at(change.at)}</span>
            <span>{headlineText(change.verdict)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Doings({ call }: { readonly call: Call }) {
  const stopgap = useStopgap();
  const live = useSelect((state) => state.view?.source !== 'file');
  const connected = useSelect((state) => serverOf(state, call)?.state === 'connected');
  const watched = (call.arrangement?.probes.length ?? 0) > 0;
  const undo = undoOf(stopgap, call);
  const verifyKey = useKeyText('probe.read');
  const retryKey = useKeyText('call.retry');
  return (
    <div className="doings">
      {live && isToolCall(call) && (
        <button
          type="button"
          className="button"
          disabled={!connected || !watched}
          title={watched ? 'Reads every probe of this call once more' : 'No probe watches this call'}
          onClick={() => void stopgap.actions.readProbes(call.index)}
        >
          <Radar size={14} aria-hidden /> Verify now <Kbd keys={verifyKey} />
        </button>
      )}
      {canRetry(stopgap, call) && (
        <button type="button" className="button" onClick={() => retry(stopgap, call)}>
          <RotateCcw size={13} aria-hidden /> Retry… <Kbd keys={retryKey} />
        </button>
      )}
      {undo && (
        <button type="button" className="button" onClick={() => stopgap.actions.openDialog({ kind: 'undo', call: call.index })}>
          <Undo2 size={14} aria-hidden /> Undo: {undo.tool}…
        </button>
      )}
      <Menu
        trigger={
          <button type="button" className="button">
            <ClipboardCopy size={14} aria-hidden /> Copy <ChevronDown size={13} aria-hidden />
          </button>
        }
      >
        <MenuItem hint="What somebody would type to see the same race again" onPress={() => void copyCommandLine(stopgap, call)}>
          As command line
        </MenuItem>
        <MenuItem hint="Verdict, lanes, evidence, probes: the JSON report of this call" onPress={() => void copyReport(stopgap, call)}>
          As report
        </MenuItem>
        <MenuItem hint="The verdict and every message, byte for byte" onPress={() => void copyJson(stopgap, call)}>
          As JSON with raw messages
        </MenuItem>
      </Menu>
    </div>
  );
}

/** What the last reading by hand has found, while it was about this call. */
function Verified({ call }: { readonly call: Call }) {
  const verified = useSelect((state) => state.verified);
  if (!verified || (verified.call !== undefined && verified.call !== call.index)) return null;
  return (
    <p className="verified soft">
      <span className="mono faint">{at(verified.at)}</span> Verified:{verified.says.includes('\n') ? '\n' : ' '}
      {verified.says}
    </p>
  );
}

const sure = (verdict: Verdict): string =>
  verdict.certainty === 'proved' ? 'proved' : verdict.certainty === 'inferred' ? 'inferred, not proved' : 'not known';

function CallDetails({ call, verdict }: { readonly call: Call; readonly verdict: Verdict | undefined }) {
  const { feed } = useStopgap();
  const whose = whoseOf(feed.calls)(call);
  return (
    <>
      <p className="details-name">
        {verdict && <SeveritySign severity={verdict.severity} />}
        <b className="clip">{call.tool ?? call.method}</b>
        <span className="mono faint">{idText(call.key)}</span>
        {whose !== undefined && <span className="soft clip">{whose}</span>}
        {verdict && (
          <span className="certainty-tag" data-certainty={verdict.certainty} title={`${verdict.verdict}: ${sure(verdict)}`}>
            {sure(verdict)}
          </span>
        )}
      </p>
      {verdict ? (
        <>
          <p className="sentence">{verdict.sentence}</p>
          {verdict.stop.state !== 'none' && !verdict.settled && <p className="hint">Not settled yet: later facts may still change this.</p>}
          {verdict.also.length > 0 && <p className="also soft">Also: {verdict.also.map(headlineText).join(', ')}</p>}
          <Lanes call={call} verdict={verdict} />
          <Evidence title="Because" call={call.index} pieces={verdict.because} />
          <Evidence title="What the server still holds open" call={call.index} pieces={verdict.held} />
          <TaskSection call={call} />
          <Noticed call={call.index} />
          <Exchanges call={call} verdict={verdict} />
          <section>
            <h3 className="heading">What the caller saw</h3>
            <p className="soft">{verdict.callerSaw}</p>
          </section>
          {verdict.ifRetried !== undefined && (
            <section>
              <h3 className="heading">If your client retries</h3>
              <p className="soft">{verdict.ifRetried}</p>
            </section>
          )}
          <Doings call={call} />
          <Verified call={call} />
          <Related call={call} verdict={verdict} />
          <Watched call={call} verdict={verdict} />
          <section>
            <h3 className="heading">Sequence</h3>
            <Sequence call={call} />
          </section>
          <History verdict={verdict} />
        </>
      ) : (
        <>
          <p className="soft">
            {isToolCall(call)
              ? 'Not judged yet.'
              : call.purpose === 'call'
                ? `${call.method} is part of the protocol’s own traffic; only tool calls are judged.`
                : call.purpose === 'probe'
                  ? 'A request of a probe’s own: it only looks, and belongs to no call.'
                  : call.purpose === 'task'
                    ? 'A request about a task: it belongs to the call that the task was made of.'
                    : 'A ping of Stopgap’s own, to see what the server has read.'}
          </p>
          <Doings call={call} />
        </>
      )}
      <RawMessages call={call} />
    </>
  );
}

function Empty() {
  const file = useSelect((state) => state.view?.source === 'file');
  const connected = useSelect((state) => state.status.state === 'connected');
  const { feed } = useStopgap();
  const some = feed.calls.all.some(isToolCall);
  return (
    <div className="details-empty">
      <p className="sentence">{some ? 'Choose a call.' : 'Nothing has been called yet.'}</p>
      <p className="soft">
        {some
          ? 'Press ↑ or ↓, or click a row of the timeline: here stands, in one sentence, what happened to it, and the evidence.'
          : file
            ? 'This trace holds no tool calls. The wire log below shows what it does hold.'
            : connected
              ? 'Choose a tool on the left, press Call, then press Stop while it is in flight. Here it will say what really happened.'
              : 'Connect to a server first. Then call one of its tools and stop the call: here it will say what really happened.'}
      </p>
    </div>
  );
}

export function Details() {
  const { feed } = useStopgap();
  const index = useSelect((state) => state.call);
  const frame = useSelect((state) => state.frame);
  useVersion(250);
  const call = index === undefined ? undefined : feed.calls.all[index];
  const shown = frame !== undefined && frame < feed.trace.length ? frame : undefined;
  return (
    <aside className="side details selectable" id="call-details" tabIndex={-1} aria-label="Details of the selected call">
      <div className="details-scroll">
        {call ? <CallDetails key={call.index} call={call} verdict={feed.verdict(call.index)} /> : shown === undefined && <Empty />}
        {shown !== undefined && <FrameBodyView seq={shown} />}
      </div>
    </aside>
  );
}
