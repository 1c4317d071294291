// The three lanes of a call: what left the client, what came back, what happened in the world. Each is read by itself
// from the folds; nothing here decides what is worst.
import { asNs, FOREVER, fromMs, minus, type Ns, plus, words } from '../base/time';
import { type Closing, mayBelong, onlyThen, openTime, unbroken, watchOf } from '../evidence/attribution';
import { opensAt, type ProbeCalls } from '../evidence/probeCalls';
import { type Observation, seenBetween, type Watch, type Work, type World } from '../evidence/world';
import {
  type Call,
  type Calls,
  type Cancel,
  type Ended,
  lastKey,
  type Reply,
  type Round,
  type Session,
  type StopAct,
} from '../trace/calls';
import { exchangeName } from '../trace/exchanges';
import { copiesOf, type Faulted, keptBack, requestKept, toldAt, writtenAt } from '../trace/faults';
import type { Trace } from '../trace/trace';
import { eraOf } from '../wire/era';
import type { Means, Seq } from '../wire/frame';
import { idText } from '../wire/jsonrpc';
import { cancelReleased, faultWords } from './faults';
import {
  closedStream,
  closesToCancel,
  closingWords,
  droppedWords,
  firstRefusal,
  heardCancel,
  postedBecause,
  type Refusal,
  refusalOf,
  unanswered,
} from './overHttp';
import {
  endedAfter,
  heardTaskCancels,
  outcomeOf,
  outcomeWord,
  type StopTimes,
  stillAtWork,
  type TaskCancel,
  taskCancelBecause,
  taskCancelOf,
  taskCancelRefusal,
  taskForgotten,
  taskSays,
  UNKNOWN_OR_OVER,
} from './overTasks';
import type {
  Attributed,
  Because,
  Certainty,
  EffectLane,
  EffectState,
  Fence,
  ReplyLane,
  ReplyState,
  StopFlag,
  StopLane,
  StopState,
} from './verdict';
import { type AfterStop, type AllClear, succeeded } from './view';

/** Everything that the lanes are read from. `now` is how far time has come. */
export interface Facts {
  readonly trace: Trace;
  readonly calls: Calls;
  readonly world: World;
  readonly now: Ns;
  /** The calls that meet a call on one of its probes, and on the place that this watches. */
  readonly meetings: (call: Call, probe: string) => readonly ProbeCalls[];
  /** Observations that may be more than one call's: once so, always so, as long as frames come in the order of their times. */
  readonly contested: Set<Seq>;
  /** Until when a call that was stopped at a moment has to be watched; undefined when its normal duration is not known. */
  readonly outlastAt: (call: Call, stoppedAt: Ns) => Ns | undefined;
}

const DEFAULT_SETTLE = fromMs(3000);
const LEAST_TIE = fromMs(10);

export const settleOf = (call: Call): Ns => call.arrangement?.settle ?? DEFAULT_SETTLE;

/** The end of a call's session that came after the call was sent, when there was one. */
export const endOf = (session: Session, call: Call): Ended | undefined => session.ends.find((end) => end.t >= call.sent.t);

// ── stop ────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Stopping {
  readonly state: StopState;
  readonly at: Ns | undefined;
  readonly how: Means | undefined;
  readonly reason: string | undefined;
  readonly certainty: Certainty;
  readonly because: readonly Because[];
}

const UNSTOPPED: Stopping = { state: 'none', at: undefined, how: undefined, reason: undefined, certainty: 'proved', because: [] };

const unstopped = (call: Call): Stopping => ({
  ...UNSTOPPED,
  because: [{ seq: call.sent.seq, says: 'sent, and nothing that stops it since' }],
});

/** Lane "stop": what left the client (docs/verdicts.md, section 3). */
export function stopLane(call: Call, session: Session, calls: Calls): StopLane {
  if (!isStopped(call)) return { ...unstopped(call), flags: [] };
  const flags: StopFlag[] = [];
  const cancel = earliest(call.cancels);
  const reply = earliest(call.replies);
  const heard = call.cancels.filter(({ exchange }) => refusalOf(exchange) === undefined).length - copiesOf(call, 'cancel');
  if (heard > 1 || heardTaskCancels(call, calls).length > 1) flags.push('twice');
  const left = [cancel, taskCancelOf(call, calls)?.asked.written];
  if (reply && left.some((stamp) => stamp !== undefined && toldAt(call, reply) < stamp.t)) flags.push('stale');
  // Revisions 2024-11-05 to 2025-11-25, Cancellation: initialize MUST NOT be cancelled by clients.
  if (call.method === 'initialize' && cancel) flags.push('forbidden');
  // Revision 2026-07-28, Cancellation: over HTTP closing the stream is the cancel, and no notification is sent.
  if (cancel && (closesToCancel(session) || isForTask(call, cancel, session))) flags.push('wrong-means');
  return { ...stopping(call, session, calls), flags };
}

/** Whether anybody has asked to stop a call, by whatever means. */
export const isStopped = (call: Call): boolean => call.cancels.length > 0 || call.stops.length > 0 || (call.task?.cancels.length ?? 0) > 0;

/**
 * Revision 2025-11-25 and the later extension: a task is cancelled by `tasks/cancel`, and not by the notification. Where the
 * server decides whether a request becomes one, the notification is right until it has.
 */
function isForTask({ task }: Call, cancel: Cancel, session: Session): boolean {
  if (!task?.created) return false;
  return eraOf(session.opened?.life.protocol).taskCancel === 'stays-cancelled' || cancel.t >= task.created.t;
}

/** The stop of a task, where `tasks/cancel` was sent for it. */
function taskStopping(call: Call, calls: Calls): Stopping | undefined {
  const cancel = taskCancelOf(call, calls);
  if (cancel && comesAfterGivingUp(call, cancel)) return undefined;
  const failed = cancel ? undefined : taskCancelRefusal(call, calls);
  const at = cancel ? writtenAt(cancel.asked) : failed?.at;
  if (at === undefined) return undefined;
  const act = call.stops.findLast((stop) => stop.wrote && !stop.late && stop.t <= at);
  const by = { how: act?.how ?? ({ means: 'cancel' } as const), reason: act?.reason, at };
  if (!cancel) return failed && { ...by, ...undelivered(failed.refusal) };
  return { ...by, state: 'task-cancel', certainty: 'proved', because: taskCancelBecause(cancel) };
}

/**
 * A `tasks/cancel` that the server refused because the task had ended, after the client had stopped waiting and told nobody: it
 * takes nothing of that back, since what the task did in between it did untold.
 */
function comesAfterGivingUp(call: Call, { asked, refused }: TaskCancel): boolean {
  if (refused !== UNKNOWN_OR_OVER) return false;
  return call.stops.some((stop) => !stop.wrote && !stop.late && stop.how.means !== 'cancel' && stop.t <= writtenAt(asked));
}

function stopping(call: Call, session: Session, calls: Calls): Stopping {
  const ofTask = taskStopping(call, calls);
  if (ofTask) return ofTask;
  const act = call.stops.find((stop) => !stop.late);
  const by = { how: act?.how, reason: act?.reason, certainty: 'proved' } as const;
  const closed = closedStream(call, session);
  if (closed) {
    const says = `${exchangeName(closed.exchange)} was closed from here, which is the cancel in this revision`;
    return { ...by, state: 'stream-closed', at: closed.t, how: act?.how ?? { means: 'cancel' }, because: [{ seq: closed.seq, says }] };
  }
  const cancel = heardCancel(call);
  if (cancel) {
    const says = `cancel for request ${idText(lastKey(call))} written ${cancel.exchange ? `as ${exchangeName(cancel.exchange)}` : 'to the pipe'}`;
    return {
      ...by,
      state: 'sent',
      at: cancel.t,
      how: act?.how ?? { means: 'cancel' },
      reason: cancel.reason,
      because: [{ seq: cancel.seq, says }, ...postedBecause(cancel)],
    };
  }
  const refused = firstRefusal(call);
  const written = earliest(call.cancels);
  if (refused && written) return { ...by, ...undelivered(refused), at: written.t, reason: written.reason };
  const wrong = call.misaddressed[0];
  if (wrong) {
    const says = `a cancel was written, but it names another request than ${idText(lastKey(call))}`;
    return { ...by, state: 'misaddressed', at: wrong.t, because: [{ seq: wrong.seq, says }] };
  }
  if (!act) return call.stops[0] ? tooLate(call, call.stops[0]) : unstopped(call);
  if (act.how.means === 'kill') {
    return { ...by, state: 'killed', at: act.t, because: [{ seq: act.seq, says: 'the server was killed on request' }] };
  }
  return notDelivered(call, session, act, by, refused);
}

/** A stop of which nothing reached the server, or that is still on its way. */
function notDelivered(
  call: Call,
  session: Session,
  act: StopAct,
  by: Pick<Stopping, 'how' | 'reason' | 'certainty'>,
  refused: Refusal | undefined,
): Stopping {
  if (refused) return { ...by, ...undelivered(refused), at: act.t };
  const failed = call.undelivered[0];
  if (failed) {
    const says = `the cancel never reached the wire: ${failed.why}`;
    return { ...by, state: 'undelivered', at: act.t, because: [{ seq: failed.seq, says }] };
  }
  if (!act.wrote || act.how.means === 'drop') {
    return { ...by, state: 'not-sent', at: act.t, because: [{ seq: act.seq, says: notSent(act.how, call, session) }] };
  }
  const end = endOf(session, call);
  // Handed to the wire, not on it yet: nothing is said until it is, or can no longer be.
  if (!end) return unstopped(call);
  return { ...by, state: 'undelivered', at: act.t, because: [{ seq: end.seq, says: 'the session ended before the cancel was written' }] };
}

/** A POST that came to nothing. One that was written and got no answer may have been read all the same. */
const undelivered = ({ seq, says, sure }: Refusal) => ({
  state: 'undelivered' as const,
  certainty: sure ? ('proved' as const) : ('inferred' as const),
  because: [{ seq, says: sure ? says : `${says}: whether it was read is not known` }],
});

const tooLate = (call: Call, act: StopAct): Stopping => ({
  state: 'too-late',
  at: undefined,
  how: act.how,
  reason: act.reason,
  certainty: 'proved',
  because: [
    ...call.replies.slice(0, 1).map((reply) => ({ seq: reply.seq, says: 'the reply' })),
    { seq: act.seq, says: 'Stop was pressed; the reply had arrived, so nothing was sent' },
  ],
});

function notSent(how: Means, call: Call, session: Session): string {
  if (how.means === 'drop') return droppedWords(call, session);
  if (how.means === 'stop-polling') return 'the client stopped asking for the state of the task and told the server nothing';
  return how.means === 'timeout'
    ? 'the client timed out and told the server nothing'
    : 'the client gave up waiting and told the server nothing';
}

// ── fence ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const NO_FENCE: Fence = {
  state: 'off',
  at: undefined,
  seq: undefined,
  idle: undefined,
  tie: LEAST_TIE,
  blocked: false,
  taken: undefined,
};

/** What shows that the cancel was read: the ping behind it, and of `tasks/cancel`, which is a request, its own reply. */
export function fenceOf(facts: Facts, call: Call, session: Session, stoppedAt: Ns | undefined): Fence {
  const ping = pingFence(facts, call, session, stoppedAt);
  const cancel = stoppedAt === undefined ? undefined : taskCancelOf(call, facts.calls);
  if (!cancel) return ping;
  const fence = isBehind(facts.calls.all[call.fence ?? -1], cancel) ? ping : { ...NO_FENCE, idle: ping.idle, tie: ping.tie };
  const { reply } = cancel;
  if (!reply || (fence.at !== undefined && fence.at <= reply.t)) {
    return { ...fence, state: fence.state === 'answered' ? 'answered' : 'unanswered', taken: undefined };
  }
  return { ...fence, state: 'answered', at: reply.t, seq: reply.seq, blocked: false, taken: undefined };
}

/** A ping tells of a `tasks/cancel` only where it was written behind that, and not behind a notification before it. */
const isBehind = (ping: Call | undefined, { asked }: TaskCancel): boolean => ping !== undefined && writtenAt(ping) >= writtenAt(asked);

/** What is known of the ping behind the cancel. Valid on ordered transports only (docs/verdicts.md, section 4). */
function pingFence(facts: Facts, call: Call, session: Session, stoppedAt: Ns | undefined): Fence {
  if (stoppedAt === undefined) return NO_FENCE;
  const idle = idlePong(facts.calls, session, stoppedAt);
  const tie = asNs(Math.max(LEAST_TIE, 3 * (idle ?? 0)));
  const ping = call.fence === undefined ? undefined : facts.calls.all[call.fence];
  const post = heardCancel(call)?.exchange;
  const taken = post && (post.response?.t ?? FOREVER);
  if (!ping) return { ...NO_FENCE, idle, tie, taken };
  // An error serves as well: it was read in its turn.
  const pong = earliest(ping.replies);
  const reply = earliest(call.replies);
  if (!pong) return { ...NO_FENCE, state: 'unanswered', idle, tie, taken };
  const delay = minus(pong.t, writtenAt(ping));
  const late = delay > Math.max(5 * tie, 10 * (idle ?? 0));
  const blocked = late && reply !== undefined && reply.t > writtenAt(ping) && reply.t <= pong.t;
  return { state: 'answered', at: pong.t, seq: pong.seq, idle, tie, blocked, taken };
}

/**
 * When the server has read past the cancel, by its pong: FOREVER while a server that answers pings has not answered this one,
 * and over HTTP while the cancel's POST has no status. One that reads one message after the other is at work on the call until then, or has not even begun it.
 * @returns undefined where nothing tells
 */
export function readPast(fence: Fence): Ns | undefined {
  if (fence.taken !== undefined) return fence.taken;
  if (fence.state === 'answered') return fence.at;
  return fence.state === 'unanswered' && fence.idle !== undefined ? FOREVER : undefined;
}

/** The median answering time of the session's idle pings that were answered before a moment. */
function idlePong(calls: Calls, session: Session, before: Ns): Ns | undefined {
  const took: Ns[] = [];
  for (const index of session.idlePings) {
    const ping = calls.all[index];
    const pong = ping?.replies[0];
    if (ping && pong && pong.t <= before) took.push(minus(pong.t, writtenAt(ping)));
  }
  return took.sort((a, b) => a - b)[took.length >> 1];
}

/**
 * Whether something that arrived at `t` came so soon after the stop that the server cannot be shown to have read the
 * cancel first: before the pong, or after it by less than the tie; without a fence, within two round trips, and over HTTP
 * also before the status of the cancel's POST has come.
 */
export function nearStop(t: Ns, stoppedAt: Ns, fence: Fence): boolean {
  if (fence.state === 'unanswered' || (fence.taken !== undefined && t <= fence.taken)) return true;
  if (fence.at !== undefined) return t <= plus(fence.at, fence.tie);
  return t <= plus(stoppedAt, twoTrips(fence));
}

/** Two round trips: twice the idle pong, and no less than the least tie, below which a scheduler's whim decides. */
export const twoTrips = (fence: Fence): Ns => asNs(Math.max(LEAST_TIE, 2 * (fence.idle ?? 0)));

// ── reply ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Something after which no reply can come. */
export interface Loss extends Because {
  readonly t: Ns;
}

/** The end of a call's session, as what took its reply away. */
export const sessionLoss = (session: Session, call: Call): (Loss & { readonly end: Ended }) | undefined => {
  const end = endOf(session, call);
  return end && { t: end.t, seq: end.seq, says: `${endWord(end)} before any reply`, end };
};

/**
 * Over HTTP: when the way of the reply was lost, by a refusal, by a break, by an end without a reply. A stream that the server
 * ends in order once it was told to stop is none: it owes no reply. One that was closed from here is none either.
 */
export function exchangeLoss(call: Call, session: Session, stop: StopLane): Loss | undefined {
  const closing = unanswered(call, session);
  if (!closing || closing.how === 'closed') return undefined;
  // Over HTTP+SSE the drop of one call takes the stream away from all of them: for the others it is a loss.
  if (closing.how === 'dropped' && (stop.how?.means === 'drop' || stop.state === 'stream-closed')) return undefined;
  const told = stop.state === 'sent' && !stop.flags.includes('wrong-means');
  if (closing.how === 'ended' && told && stop.at !== undefined && closing.t >= stop.at) return undefined;
  return { t: closing.t, seq: closing.seq, says: closingWords(closing) };
}

/** Lane "reply": what came back (docs/verdicts.md, section 4). The first reply sets the lane. @param loss what took it away, where that counts */
export function replyLane(facts: Facts, call: Call, session: Session, stop: StopLane, fence: Fence, loss: Loss | undefined): ReplyLane {
  const reply = outcomeOf(call);
  const duplicate = call.replies.length > 1 + copiesOf(call, 'request');
  const lane = { at: reply?.t, lateBy: undefined, code: reply?.code, duplicate, certainty: 'proved' } as const;
  const rounds = call.rounds.map(roundBecause);
  if (!reply) return noReply(call, session, stop, loss);
  const kept = keptBack(call, reply);
  if (kept && (stop.at === undefined || reply.t < stop.at) && !(toldAt(call, reply) < (stop.at ?? FOREVER)))
    return keptReply(call, reply, kept, stop, loss);
  if (stop.at === undefined || reply.t < stop.at) {
    const says = `${wordOf(call, reply)} after ${words(minus(reply.t, writtenAt(call)))}`;
    return { ...lane, state: 'in-time', because: [...rounds, { seq: reply.seq, says }] };
  }
  const lateBy = minus(reply.t, stop.at);
  const because = [...rounds, { seq: reply.seq, says: `${wordOf(call, reply)}, ${words(lateBy)} after the stop` }];
  if (call.task) return { ...lane, lateBy, because, state: taskReply(facts, call, reply, stop.at, fence) };
  const near = nearStop(reply.t, stop.at, fence);
  if (near && reply.saysCancelled) {
    return { ...lane, lateBy, because, state: 'acknowledged', certainty: reply.shape === 'error' ? 'proved' : 'inferred' };
  }
  if (near) return { ...lane, lateBy, because, state: 'crossed' };
  return { ...lane, lateBy, because, state: succeeded(reply) ? 'late-result' : 'late-error' };
}

/** How the outcome of a task that came after the stop lies to it. That it is cancelled is what was asked for, and proves nothing. */
function taskReply({ calls }: Facts, call: Call, outcome: Reply, c: Ns, fence: Fence): ReplyState {
  if (outcome.saysCancelled) return 'acknowledged';
  if (!endedAfter(call, calls, outcome, stopTimes(c, fence))) return 'crossed';
  return succeeded(outcome) ? 'late-result' : 'late-error';
}

const stopTimes = (c: Ns, fence: Fence): StopTimes => ({ c, read: fence.at ?? c, near: (t) => nearStop(t, c, fence) });

const wordOf = (call: Call, reply: Reply): string => (call.task ? outcomeWord(reply, call.task) : replyWord(reply));

/**
 * A reply that came before the stop, where there was one, and that a fault of ours kept from the client beyond it. When it
 * passed after the stop, or still waits to, the two have crossed; when it never passes it is lost to the client.
 */
function keptReply(call: Call, reply: Reply, kept: Faulted, stop: StopLane, loss: Loss | undefined): ReplyLane {
  const { at } = stop;
  const told = toldAt(call, reply);
  const never = kept.fault === 'drop' || kept.fault === 'cut' || (told === FOREVER && loss !== undefined);
  const came = at === undefined ? `after ${words(minus(reply.t, writtenAt(call)))}` : `${words(minus(at, reply.t))} before the stop`;
  const because = [
    { seq: reply.seq, says: `${replyWord(reply)} came ${came}` },
    { seq: kept.released?.seq ?? kept.seq, says: faultWords(kept) },
  ];
  const lane = { at: reply.t, lateBy: undefined, code: reply.code, duplicate: false, certainty: 'proved', because } as const;
  if (never) return { ...lane, state: 'lost' };
  // The client still waits, and has been told of no reply.
  if (at === undefined) return { ...lane, at: undefined, code: undefined, state: 'waiting' };
  return { ...lane, lateBy: told === FOREVER ? undefined : minus(told, at), state: 'crossed' };
}

function noReply(call: Call, session: Session, stop: StopLane, loss: Loss | undefined): ReplyLane {
  const lane = { at: undefined, lateBy: undefined, code: undefined, duplicate: false, certainty: 'proved' } as const;
  const unsent = call.written === undefined ? requestKept(call) : undefined;
  if (unsent?.fault === 'drop') return { ...lane, state: 'lost', because: [{ seq: unsent.seq, says: faultWords(unsent) }] };
  if (loss) return { ...lane, state: 'lost', because: [{ seq: loss.seq, says: loss.says }] };
  if (stop.at === undefined && unsent)
    return { ...lane, state: 'waiting', because: [{ seq: unsent.seq, says: `not sent yet: ${faultWords(unsent)}` }] };
  if (stop.at === undefined)
    return { ...lane, state: 'waiting', because: [taskSays(call) ?? { seq: call.sent.seq, says: 'sent, not answered yet' }] };
  const closing = unanswered(call, session);
  // What broke off when the silence had been judged says nothing about it.
  if (closing?.how !== 'ended' && closing?.how !== 'dropped') return { ...lane, state: 'none', because: stop.because };
  const because = [...stop.because, { seq: closing.seq, says: closingWords(closing) }];
  // Of what is not listened to any more nothing is known.
  return { ...lane, state: 'none', certainty: closing.how === 'dropped' ? 'unknown' : 'proved', because };
}

/** What a round was for. */
const roundBecause = ({ asked, sent, seq, key }: Round): Because => ({
  seq: sent?.seq ?? seq,
  says: `${asked ? asksWord(asked) : 'the server asked for input'}, and request ${idText(key)} brought it`,
});

const asksWord = ({ asks }: Reply): string =>
  asks.length === 0 ? 'the server asked to be asked again' : `the server asked for input (${[...new Set(asks)].join(', ')})`;

const replyWord = (reply: Reply): string => {
  if (reply.shape === 'error') {
    const meaning = reply.means === undefined ? '' : ` (${reply.means})`;
    return `error ${reply.code ?? ''}${meaning}${reply.saysCancelled ? ' that says "cancelled"' : ''}`;
  }
  if (reply.asksInput)
    return reply.asks.length === 0 ? 'a request for input' : `a request for input (${[...new Set(reply.asks)].join(', ')})`;
  return reply.isError ? 'a result that says isError' : reply.saysCancelled ? 'a result that says "cancelled"' : 'a result';
};

const ASKED = {
  kill: 'on request (kill)',
  disconnect: 'by disconnecting',
  restart: 'to be started again',
  quit: 'because Stopgap ended',
} as const;

/** How a session ended, in words. */
export function endWord(end: Ended): string {
  const { life } = end;
  if (life.event === 'lost') return `the connection was lost (${life.why})`;
  if (life.event === 'closed') return 'the session was closed';
  const how = life.signal ? `by ${life.signal}` : `with code ${life.code ?? '?'}`;
  return life.asked === 'nobody' ? `the server's process ended by itself ${how}` : `the server's process was ended ${ASKED[life.asked]}`;
}

const earliest = <S extends { readonly t: Ns }>(list: readonly S[]): S | undefined =>
  list.length < 2 ? list[0] : list.reduce((a, b) => (b.t < a.t ? b : a));

// ── after the stop ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Server-to-client requests that are a call's own work; `roots/list` and `ping` are the session's housekeeping. */
const NESTED: ReadonlySet<string> = new Set(['sampling/createMessage', 'elicitation/create']);

const NOTHING_AFTER: AfterStop = { progress: 0, logs: 0, requests: 0, work: 0, certainty: 'unknown', because: [] };

/** What goes on after c, and only what is later than anything the server may have sent before it read the cancel. */
export function afterStop(facts: Facts, call: Call, session: Session, stop: StopLane, fence: Fence): AfterStop {
  const at = stop.at;
  if (at === undefined || stop.state === 'killed') return NOTHING_AFTER;
  const later = (seq: Seq): boolean => facts.trace.t(seq) > at && !nearStop(facts.trace.t(seq), at, fence);
  const progress = from(call.progress, facts.trace, at).filter(later);
  const asks = requestsAfter(facts, session.calls, at).filter(later);
  const named = call.task ? asks.filter((seq) => taskNamed(facts, seq) === call.task?.id) : [];
  const nameless = {
    logs: from(session.logs, facts.trace, at).filter(later),
    requests: asks.filter((seq) => taskNamed(facts, seq) === undefined),
  };
  const { logs, requests: alone } = onlyWhileAlone(facts, call, session, at, nameless);
  const requests = named.length === 0 ? alone : [...named, ...alone].sort((a, b) => a - b);
  const because: Because[] = [];
  const say = (list: readonly Seq[], what: string): void => {
    const last = list.at(-1);
    if (last !== undefined) because.push({ seq: last, says: `${what} ${words(minus(facts.trace.t(last), at))} after the stop` });
  };
  say(progress, 'progress');
  say(requests, 'a request of the server');
  say(logs, 'a log message');
  const work = [...workAfter(facts, call, at, fence), ...taskWork(facts, call, at, fence)];
  because.push(...work.map(({ seq, says, lo }) => ({ seq, says: `${says}, ${words(minus(lo, at))} after the stop` })));
  const sure = progress.length > 0 || named.length > 0 || work.some(({ certainty }) => certainty === 'proved');
  const certainty: Certainty = sure ? 'proved' : because.length > 0 ? 'inferred' : 'unknown';
  return { progress: progress.length, logs: logs.length, requests: requests.length, work: work.length, certainty, because };
}

interface WorkSign {
  readonly seq: Seq;
  readonly says: string;
  readonly lo: Ns;
  readonly certainty: Certainty;
}

/**
 * Spans of the call that started after the stop, and processes that appeared while the call was open and were seen alive
 * after it. A span that only ends after the stop is how every cooperative stop looks; CPU alone says nothing.
 */
function workAfter(facts: Facts, call: Call, at: Ns, fence: Fence): readonly WorkSign[] {
  return (call.arrangement?.probes ?? []).flatMap((probe) => {
    const open = openTime(call, closingOf(facts, call, probe));
    const watch = watchOf(facts.world, call, probe);
    const began = new Map<string, Work>();
    const signs = new Map<string, WorkSign>();
    for (const work of watch?.work ?? []) {
      if (work.sign === 'cpu' || (work.call !== undefined && work.call !== call.key)) continue;
      const first = began.get(work.subject) ?? work;
      began.set(work.subject, first);
      const later = work.lo > at && !nearStop(work.lo, at, fence);
      if (!later || first.hi < open.from || first.lo > open.to) continue;
      const others = facts.meetings(call, probe).flatMap((there) => there.openSince(first.lo));
      // Begun between two readings, the first of which was before the call: perhaps not the call's.
      const within = first.lo >= open.from && !others.some((other) => other.call !== call && isOpen(other.call, first.hi));
      const alone = work.call === call.key || within;
      signs.set(work.subject, { seq: work.seq, says: work.says, lo: work.lo, certainty: alone ? 'proved' : 'inferred' });
    }
    return [...signs.values()];
  });
}

/** Of a task that goes on: what it says itself. */
function taskWork({ calls }: Facts, call: Call, at: Ns, fence: Fence): readonly WorkSign[] {
  const sign = call.task && stillAtWork(call, calls, stopTimes(at, fence));
  return sign ? [{ seq: sign.seq, says: sign.says, lo: sign.t, certainty: 'proved' }] : [];
}

/** What the server has held open at a place since the call opened and not let go of. */
export function heldOpen(facts: Facts, call: Call): readonly Because[] {
  return (call.arrangement?.probes ?? []).flatMap((probe) => {
    const open = openTime(call, closingOf(facts, call, probe));
    const held = watchOf(facts.world, call, probe)?.held ?? [];
    return held
      .filter((h) => !h.freed && h.hi >= open.from && h.lo <= open.to)
      .map(({ seq, says }) => ({ seq, says: `${probe}: ${says}` }));
  });
}

/** The part of an ascending list of frames that can be later than a moment: whole lists are never walked for it. */
function from(seqs: readonly Seq[], trace: Trace, at: Ns): readonly Seq[] {
  let start = seqs.length;
  while (start > 0 && trace.t(seqs[start - 1] ?? 0) > at) start--;
  return start === 0 ? seqs : seqs.slice(start);
}

function requestsAfter(facts: Facts, indices: readonly number[], at: Ns): readonly Seq[] {
  const found: Seq[] = [];
  for (let i = indices.length - 1; i >= 0; i--) {
    const call = facts.calls.all[indices[i] ?? -1];
    if (!call || call.sent.t <= at) break;
    if (call.sender === 'server' && NESTED.has(call.method)) found.push(call.sent.seq);
  }
  return found.reverse();
}

/** The task that a request of the server says it belongs to. */
function taskNamed({ trace }: Facts, seq: Seq): string | undefined {
  const extra = trace.extra(seq);
  return extra?.about === 'request' ? extra.task : undefined;
}

interface Nameless {
  readonly logs: readonly Seq[];
  readonly requests: readonly Seq[];
}

/** What names no request is a call's own only while that call was open, and no other. */
function onlyWhileAlone(facts: Facts, call: Call, session: Session, at: Ns, found: Nameless): Nameless {
  if (found.logs.length === 0 && found.requests.length === 0) return found;
  const others = openAfter(facts, session, call, at);
  const alone = (seq: Seq): boolean => {
    const t = facts.trace.t(seq);
    return isOpen(call, t) && !others.some((other) => isOpen(other, t));
  };
  return { logs: found.logs.filter(alone), requests: found.requests.filter(alone) };
}

/** The other calls that were waiting for a reply at a moment or after it: what names no request may be theirs. */
function openAfter(facts: Facts, session: Session, call: Call, at: Ns): readonly Call[] {
  return session.calls.flatMap((index) => {
    const other = facts.calls.all[index];
    if (!other || other === call || other.sender === 'server' || other.purpose !== 'call') return [];
    const reply = earliest(other.replies);
    return reply === undefined || reply.t > at ? [other] : [];
  });
}

function isOpen(call: Call, t: Ns): boolean {
  const reply = earliest(call.replies);
  return call.sent.t <= t && (reply === undefined || reply.t > t);
}

// ── effect ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const WORST: readonly Attributed['state'][] = ['after', 'straddles', 'before', 'observed'];

export interface Hints {
  readonly declaredReadOnly: boolean;
  /** The frame that declares it. */
  readonly seq: Seq | undefined;
}

const NO_PROBES: readonly string[] = [];

/** The call's probes that watch for effects. The process tree shows who works, not what was done. */
function effectProbes(facts: Facts, call: Call): readonly string[] {
  const probes = call.arrangement?.probes ?? NO_PROBES;
  if (probes.length === 0) return probes;
  return probes.filter((probe) => watchOf(facts.world, call, probe)?.kind !== 'process');
}

const UNPROBED = { observations: [], worst: undefined, probes: NO_PROBES, readFirst: 'unknown' } as const;

/** Lane "effect": what happened in the world, as far as somebody looked (docs/verdicts.md, section 5). */
export function effectLane(facts: Facts, call: Call, stop: StopLane, reply: ReplyLane, fence: Fence, hints: Hints, until: Ns): EffectLane {
  const probes = effectProbes(facts, call);
  if (probes.length === 0) return { ...UNPROBED, ...unprobed(call, reply, hints) };
  const c = reply.state === 'in-time' ? undefined : stop.at;
  const observations = probes.flatMap((probe) => seenBy(facts, call, probe, c));
  const standing = observations.filter((o) => !o.reverted);
  const worst = WORST.map((state) => best(standing.filter((o) => o.state === state))).find((o) => o !== undefined);
  const lane = { observations, worst, probes, readFirst: readFirst(worst, stop, fence) } as const;
  if (worst) return { ...lane, state: worst.state, certainty: worst.certainty, because: [{ seq: worst.seq, says: seenWords(worst, c) }] };
  return { ...lane, ...watched(facts, call, probes, until, reply.state === 'in-time') };
}

const best = (list: readonly Attributed[]): Attributed | undefined => list.find((o) => o.certainty === 'proved') ?? list[0];

/** The pong shows that what stood before it was read; where that was no cancel of this call, it shows nothing. */
function readFirst(worst: Attributed | undefined, stop: StopLane, fence: Fence): 'yes' | 'unknown' {
  const told = stop.state === 'sent' || stop.state === 'stream-closed' || stop.state === 'task-cancel';
  return told && worst?.state === 'after' && fence.at !== undefined && fence.at <= worst.lo ? 'yes' : 'unknown';
}

const seenWords = (o: Attributed, at: Ns | undefined): string => {
  if (at === undefined) return `${o.probe}: ${o.says}`;
  return `${o.probe}: ${o.says}; absent at ${offset(o.lo, at)}, there at ${offset(o.hi, at)} from the stop`;
};
const offset = (t: Ns, at: Ns): string => (t >= at ? `+${words(minus(t, at))}` : words(minus(t, at)));

function seenBy(facts: Facts, call: Call, probe: string, stoppedAt: Ns | undefined): Attributed[] {
  const open = openTime(call, closingOf(facts, call, probe));
  const watch = watchOf(facts.world, call, probe);
  if (!watch) return [];
  const begun = stoppedAt === undefined ? undefined : stopBegan(call, stoppedAt);
  return seenBetween(watch, open.from, open.to)
    .filter((seen) => mayBelong(seen, open) && !anothers(seen, call, probe))
    .map((seen) => {
      const own = seen.call === call.key || carries(seen, call, probe);
      const sure = !watch.shared && (own || (onlyThen(seen, open) && !rivals(facts, call, probe, seen)));
      const state = place(seen.lo, seen.hi, seen.undecided, stoppedAt, begun);
      const { seq, lo, hi, says, done } = seen;
      return { seq, probe, lo, hi, says, done, state, reverted: seen.reverted !== undefined, certainty: sure ? 'proved' : 'inferred' };
    });
}

/**
 * When the writing of the stop began. A busy machine may look at its clock again only long after the server has read the
 * cancel: what came about in between is neither before it nor after it.
 */
const stopBegan = (call: Call, stoppedAt: Ns): Ns =>
  cancelReleased(call, stoppedAt) ?? call.stops.findLast((stop) => stop.wrote && !stop.late && stop.t <= stoppedAt)?.t ?? stoppedAt;

/** How an interval lies to the stop, which began at `begun` and was out at `c`: absent at `lo`, present at `hi`. */
function place(lo: Ns, hi: Ns, undecided: boolean, c: Ns | undefined, begun = c): Attributed['state'] {
  if (c === undefined || begun === undefined) return 'observed';
  if (undecided) return 'straddles';
  return lo >= c ? 'after' : hi <= begun ? 'before' : 'straddles';
}

/** Whether something carries the text that only this call's effects carry. */
function carries(seen: Observation, call: Call, probe: string): boolean {
  const mark = call.arrangement?.owns[probe];
  return mark !== undefined && (seen.subject.includes(mark) || seen.sample.includes(mark));
}

/** Whether the probe can tell that something is not this call's. */
function anothers(seen: Observation, call: Call, probe: string): boolean {
  if (seen.call !== undefined) return seen.call !== call.key;
  return call.arrangement?.owns[probe] !== undefined && !carries(seen, call, probe);
}

/** Whether another call was open on the probe, or on its place, while something came about. */
function rivals(facts: Facts, call: Call, probe: string, seen: Observation): boolean {
  if (facts.contested.has(seen.seq)) return true;
  const others = facts.meetings(call, probe).flatMap((there) => there.openSince(seen.lo));
  const found = others.some(
    (other) =>
      other.call !== call &&
      !anothers(seen, other.call, other.probe) &&
      mayBelong(seen, openTime(other.call, closingOf(facts, other.call, other.probe))),
  );
  if (found) facts.contested.add(seen.seq);
  return found;
}

/** What decides how long a call stays open on a probe. */
export function closingOf(facts: Facts, call: Call, probe: string): Closing {
  const session = facts.calls.sessions.get(call.session);
  const stop = session ? stopping(call, session, facts.calls) : UNSTOPPED;
  const reply = earliest(call.replies);
  const inTime = reply !== undefined && (stop.at === undefined || toldAt(call, reply) < stop.at);
  const stoppedAt = inTime ? undefined : stop.at;
  const endedAt = session ? endOf(session, call)?.t : undefined;
  const brokenAt = session && stoppedAt === undefined ? exchangeLoss(call, session, { ...stop, flags: [] })?.t : undefined;
  const forgottenAt = stoppedAt === undefined ? taskForgotten(call, facts.calls)?.t : undefined;
  const lostAt = soonest(endedAt, soonest(brokenAt, forgottenAt));
  const ended = stoppedAt ?? lostAt;
  return {
    stoppedAt,
    settle: settleOf(call),
    outlastAt: stoppedAt === undefined || !session ? undefined : mayWorkUntil(facts, call, session, stoppedAt, endedAt),
    repliedAt: reply?.t,
    lostAt,
    nextOpens: ended === undefined ? undefined : opensNext(facts.meetings(call, probe), call, ended),
  };
}

const opensNext = (meetings: readonly ProbeCalls[], call: Call, notBefore: Ns): Ns | undefined =>
  meetings.map((there) => there.opensNext(call, notBefore)).reduce(soonest, undefined);

/** The end of the time that a stopped call would still have needed, and of the time before its cancel was read, as far as they are known. */
function mayWorkUntil(facts: Facts, call: Call, session: Session, stoppedAt: Ns, endedAt: Ns | undefined): Ns | undefined {
  const read = readPast(fenceOf(facts, call, session, stoppedAt));
  // A server that has ended reads nothing any more.
  const reading = read === FOREVER ? (endedAt ?? FOREVER) : read;
  return latest(facts.outlastAt(call, stoppedAt), reading);
}

/** The later of two moments, as far as they are known. */
export const latest = (a: Ns | undefined, b: Ns | undefined): Ns | undefined => (a === undefined || (b !== undefined && b > a) ? b : a);

const soonest = (a: Ns | undefined, b: Ns | undefined): Ns | undefined => (a === undefined || (b !== undefined && b < a) ? b : a);

type Read = Pick<EffectLane, 'state' | 'certainty' | 'because'>;

/** Nothing was seen: was somebody looking from before the call until it mattered no more? */
function watched(facts: Facts, call: Call, probes: readonly string[], until: Ns, over: boolean): Read {
  const from = opensAt(call);
  const because: Because[] = [];
  let state: EffectState = 'not-seen';
  for (const probe of probes) {
    const missed = missedBy(facts, call, probe, from, until, over);
    if (missed) state = 'watch-gap';
    const watch = watchOf(facts.world, call, probe);
    if (missed) because.push(missed);
    else if (watch) because.push(looked(watch, from));
  }
  return { state, certainty: state === 'not-seen' ? 'inferred' : 'unknown', because };
}

/**
 * What a probe missed while it mattered: it ran not at all, had a gap, or ended too early. A call that was answered in time
 * is over at its reply; a stopped one matters until a reading has outlasted it.
 */
function missedBy(facts: Facts, call: Call, probe: string, from: Ns, until: Ns, over: boolean): Because | undefined {
  const watch = watchOf(facts.world, call, probe);
  if (!watch) return { seq: call.arrangement?.seq ?? call.sent.seq, says: `${probe} was not being watched when the call was sent` };
  const enough = over ? until : (watch.clears.find((reading) => reading.lo >= until)?.lo ?? facts.now);
  const gap = watch.gaps.find((g) => g.hi >= from && g.lo <= enough);
  if (gap) return { seq: gap.seq, says: `${probe} could not be watched for ${words(minus(gap.hi, gap.lo))}: ${gap.why}` };
  if (watch.ended && watch.ended.t < until)
    return { seq: watch.ended.seq, says: `${probe} stopped watching before the call would have been over` };
  return undefined;
}

function looked(watch: Watch, from: Ns): Because {
  const last = watch.clears.at(-1);
  if (last && last.lo >= from) return { seq: last.seq, says: `${watch.probe} read again: nothing new` };
  return { seq: watch.began.seq, says: `${watch.probe} has been watched since before the call: nothing new` };
}

function unprobed(call: Call, reply: ReplyLane, hints: Hints): Read {
  const first = outcomeOf(call);
  const because = first
    ? [{ seq: first.seq, says: 'the reply is all there is; no probe watched for an effect' }]
    : [{ seq: call.sent.seq, says: 'no probe watched for an effect of this call' }];
  if (hints.declaredReadOnly) {
    return {
      state: 'none-expected',
      certainty: 'inferred',
      because: hints.seq === undefined ? because : [{ seq: hints.seq, says: 'the server declares the tool read-only (a hint)' }],
    };
  }
  const late = reply.state === 'late-result' || reply.state === 'crossed';
  return late && succeeded(first)
    ? { state: 'claimed', certainty: 'inferred', because }
    : { state: 'not-probed', certainty: 'unknown', because };
}

/**
 * The readings that outlast the call: for every probe one that began after `until` and saw nothing, with no gap since the
 * call opened.
 * @returns undefined while one of them is missing, or when the call has no probe
 */
export function outlasting(facts: Facts, call: Call, until: Ns): readonly AllClear[] | undefined {
  const from = opensAt(call);
  const readings: AllClear[] = [];
  for (const probe of effectProbes(facts, call)) {
    const watch = watchOf(facts.world, call, probe);
    // Spans arrive seconds after they ended: their absence is never an all-clear, and no reason to withhold another's.
    if (watch?.kind === 'otel') continue;
    const clear = watch?.clears.find((reading) => reading.lo >= until && reading.since <= from);
    if (!watch || !clear || !unbroken(watch, from, clear.lo)) return undefined;
    readings.push({
      probe,
      seq: clear.seq,
      says: `${probe}: nothing new until ${words(minus(clear.lo, call.sent.t))} after the call was sent`,
    });
  }
  return readings.length > 0 ? readings : undefined;
}
