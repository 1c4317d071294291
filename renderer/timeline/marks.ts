// One call as the grammar sees it: which spans and which marks its facts make, in time, without a pixel. Whatever draws,
// explains, steps through or reads aloud a row takes its marks from here, so that all of them say the same.
import { asNs, FOREVER, type Ns } from '../../app/base/time';
import type { Observation, World } from '../../app/evidence/world';
import { settleOf } from '../../app/layout/extent';
import type { Call, Calls, Ended, Reply, Stamp } from '../../app/trace/calls';
import { type Faulted, keeps, toldAt } from '../../app/trace/faults';
import type { Trace } from '../../app/trace/trace';
import { faultWords } from '../../app/verdict/faults';
import { closesToCancel, type LeftOpen, refusalOf } from '../../app/verdict/overHttp';
import type { Attributed, Certainty, ReplyState, StopState, Verdict } from '../../app/verdict/verdict';
import type { Fault, Means, PassingKind, Seq } from '../../app/wire/frame';
import { type Delivery, deliveries, openResponse, type Post, postOf, wayClosed } from './exchanges';
import { type TaskCancel, type TaskPicture, type TaskSegment, taskCancels, taskPicture } from './tasks';
import { type Witness, witness } from './witness';

interface At {
  readonly at: Ns;
  readonly seq: Seq;
}

/** Why a client stopped waiting without the server hearing of it. */
export type Untold = 'gave-up' | 'timed-out' | 'stopped-polling' | 'dropped' | 'told-another-id' | 'undelivered';

export interface EffectMark extends At {
  readonly mark: 'effect';
  readonly state: Attributed['state'];
  readonly lo: Ns;
  readonly hi: Ns;
  readonly probe: string;
  readonly says: string;
  /** `hi` counted from the stop; undefined when nobody stopped the call. */
  readonly by: Ns | undefined;
  readonly reverted: Stamp | undefined;
  readonly certainty: Exclude<Certainty, 'unknown'>;
}

export type Mark =
  | (At & { readonly mark: 'request' })
  | (At & {
      readonly mark: 'reply';
      readonly failed: 'no' | 'error' | 'tool-error';
      readonly code: number | undefined;
      readonly took: Ns;
      readonly task: string | undefined;
    })
  | (At & {
      readonly mark: 'late-reply';
      readonly state: ReplyState;
      readonly failed: boolean;
      readonly code: number | undefined;
      readonly by: Ns;
      readonly task: string | undefined;
      /** The task had come to another end before. */
      readonly again: boolean;
    })
  | (At & { readonly mark: 'duplicate-reply'; readonly took: Ns; readonly task: string | undefined })
  | (At & {
      readonly mark: 'lost';
      /** How the way of the answer was closed, where the session went on. */
      readonly says: string | undefined;
    })
  | (At & { readonly mark: 'progress'; readonly ppm: number; readonly count: number; readonly after: number })
  | (At & {
      readonly mark: 'cancel';
      readonly timeout: boolean;
      readonly waited: Ns;
      readonly reason: string | undefined;
      readonly stale: boolean;
      /** Where another means is the cancel: this message has told nobody to stop. */
      readonly wrong: boolean;
      /** Over HTTP: the POST that it went with. */
      readonly post: Post | undefined;
    })
  | (At & { readonly mark: 'untold'; readonly why: Untold; readonly waited: Ns })
  /** The response stream was closed where that is the cancel: a cut, and no message. */
  | (At & { readonly mark: 'closed'; readonly timeout: boolean; readonly waited: Ns })
  | (At & { readonly mark: 'killed' })
  /** A state of the call's task that is no outcome of the call. */
  | (At & { readonly mark: 'task-state'; readonly segment: TaskSegment; readonly after: boolean })
  | (At & { readonly mark: 'task-cancel'; readonly timeout: boolean; readonly waited: Ns; readonly cancel: TaskCancel })
  | (At & { readonly mark: 'too-late' })
  | (At & {
      readonly mark: 'fence' /** A ping, or what stands in its place. */;
      readonly method: string;
      readonly pong: Stamp | undefined;
      readonly until: Ns | undefined;
      readonly blocked: boolean;
    })
  | (At & { readonly mark: 'all-clear'; readonly probes: readonly string[]; readonly past: Ns | undefined })
  | (At & { readonly mark: 'gap'; readonly until: Ns; readonly probe: string; readonly why: string })
  | (At & {
      readonly mark: 'work';
      readonly sign: 'process' | 'span' | 'cpu';
      readonly since: Ns;
      readonly probe: string;
      readonly says: string;
      readonly count: number;
      /** It was seen to go on after the stop. */
      readonly after: boolean;
    })
  /** A fault of ours named a message of the call. */
  | (At & {
      readonly mark: 'fault';
      readonly fault: Fault;
      readonly what: PassingKind;
      readonly rule: string;
      readonly says: string;
      /** It keeps the message: until then, as far as it is known. */
      readonly keeps: boolean;
      readonly until: Stamp | undefined;
    })
  | (At & { readonly mark: 'held'; readonly freed: Stamp | undefined; readonly probe: string; readonly says: string })
  | EffectMark;

export interface Span {
  readonly from: Ns;
  /** Undefined: still open, follows now. */
  readonly to: Ns | undefined;
}

export interface Picture {
  readonly call: Call;
  readonly verdict: Verdict | undefined;
  readonly stop: StopState;
  /** The moment of the stop. */
  readonly c: Ns | undefined;
  /** The client waits for an answer. */
  readonly waits: Span;
  /** Where a response to it was coming meanwhile. */
  readonly delivers: readonly Delivery[];
  /** Over HTTP: a response that the server has left open after the stop. */
  readonly open: LeftOpen | undefined;
  /** The client has stopped waiting, and no answer has come so far or came late. */
  readonly gone: Span | undefined;
  /** The server is known to have worked on it. */
  readonly alive: Span | undefined;
  /** The task that the server has made of it. */
  readonly task: TaskPicture | undefined;
  /** Nobody can say what the server did. */
  readonly unknown: Span | undefined;
  /** All probes of the call were looking. */
  readonly watched: Span | undefined;
  /** No probe that sees effects watched a call that was stopped or is done. */
  readonly notProbed: boolean;
  /** Nothing of this picture will move while time alone goes on. */
  readonly still: boolean;
  /** In order of time. */
  readonly marks: readonly Mark[];
}

/** Where the facts of a picture come from. */
export interface Facts {
  readonly trace: Trace;
  readonly calls: Calls;
  readonly world: World;
  verdict(call: number): Verdict | undefined;
}

/** Reads one call's spans and marks off the folded facts. */
export function picture(facts: Facts, call: Call): Picture {
  const verdict = facts.verdict(call.index);
  const c = verdict?.stop.at;
  const ended = endOf(facts.calls, call);
  // After the cut nothing can be heard: that the session is closed too says nothing of the server's work.
  const deaf = verdict?.stop.state === 'stream-closed';
  const over = deaf && ended?.life.event !== 'exited' ? undefined : ended;
  const first = call.replies[0];
  // Of a task it is the outcome that counts, and that it is called cancelled is none.
  const counted = call.task ? (call.replies.find(({ t }) => t === verdict?.reply.at) ?? first) : first;
  const got = counted && gotAt(call, counted, c);
  // A stop of what had been answered leaves nothing open.
  const stopped = c !== undefined && (got === undefined || got.t >= c);
  const late = stopped && got !== undefined;
  const effects = effectMarks(facts.world, verdict, c);
  const clear = allClear(facts.trace, verdict);
  const progress = progressMark(facts.trace, call, c ?? got?.t);
  const closed = deaf ? undefined : wayClosed(call, facts.calls, verdict);
  const waits = { from: call.sent.t, to: earliest(got?.t, c, ended?.t, first ? undefined : closed?.t) };
  const open = openResponse(call, facts.calls, verdict);
  const unknown = stopped ? unknownSpan(c, progress, late ? got.t : undefined, verdict, effects, clear, over) : undefined;
  const gone = stopped ? { from: c, to: late ? got.t : later(ended?.t, c) } : undefined;
  const task = taskPicture(call, facts.calls);
  const marks: Mark[] = [
    { mark: 'request', at: call.sent.t, seq: call.sent.seq },
    ...taskMarks(call, task, facts.calls, verdict),
    ...stopMarks(call, facts.calls, got?.t, verdict),
    ...replyMarks(call, verdict, c),
    ...effects,
    ...call.faults.map(faultMark),
  ];
  if (progress) marks.push(progress);
  if (clear) marks.push(clear);
  const until = c === undefined ? (got?.t ?? ended?.t) : verdict?.settled ? asNs(Math.max(c + settleOf(call), clear?.at ?? 0)) : undefined;
  const seen = witness(facts.world, call, verdict, until);
  marks.push(...witnessMarks(seen, c));
  const fence = fenceMark(facts.calls, call, verdict, ended?.t);
  if (fence) marks.push(fence);
  if (!first && closed && (!ended || closed.t <= ended.t)) marks.push({ mark: 'lost', at: closed.t, seq: closed.seq, says: closed.says });
  else if (!first && over && (c === undefined || over.t >= c)) marks.push({ mark: 'lost', at: over.t, seq: over.seq, says: undefined });
  marks.sort((a, b) => a.at - b.at || a.seq - b.seq);
  return {
    call,
    verdict,
    stop: verdict?.stop.state ?? 'none',
    c,
    waits,
    delivers: deliveries(call, facts.calls, waits.to),
    open,
    gone,
    alive: aliveSpan(call, progress, effects, first && (c === undefined || first.t < c) ? first.t : undefined),
    task,
    unknown,
    watched: seen.watched,
    notProbed: verdict !== undefined && verdict.effect.probes.length === 0 && (call.method === 'tools/call' || c !== undefined),
    still: waits.to !== undefined && [gone, unknown].every((span) => span?.to !== undefined || span === undefined) && !isOpen(open),
    marks,
  };
}

const isOpen = (open: LeftOpen | undefined): boolean => open !== undefined && open.until === undefined;

/** The last time that anything is known of a call; `now` while something of it is open. */
export function lastOf(of: Picture, now: Ns): Ns {
  const inFlight = of.waits.to === undefined;
  const unsettled = of.c !== undefined && of.verdict?.settled === false;
  const last = of.marks.reduce((most, mark) => Math.max(most, mark.mark === 'fence' ? (mark.pong?.t ?? mark.at) : mark.at), 0);
  return asNs(inFlight || unsettled ? Math.max(now, last) : last);
}

/** The first end of a call's session after the call was sent: no reply can come any more. */
function endOf(calls: Calls, call: Call): Ended | undefined {
  return calls.sessions.get(call.session)?.ends.find((end) => end.t >= call.sent.t);
}

/** The means that send notifications/cancelled; where closing the stream is the cancel, one of them only, and wrongly. */
const TELLS: readonly Means['means'][] = ['cancel', 'timeout', 'notify'];
const TELLS_WRONGLY: readonly Means['means'][] = ['notify'];

function stopMarks(call: Call, calls: Calls, replied: Ns | undefined, verdict: Verdict | undefined): Mark[] {
  const closed = verdict?.stop.state === 'stream-closed' ? verdict.stop : undefined;
  const session = calls.sessions.get(call.session);
  const tells = session && closesToCancel(session) ? TELLS_WRONGLY : TELLS;
  const written = call.stops.filter((stop) => stop.wrote && tells.includes(stop.how.means));
  const marks: Mark[] = call.cancels.map((cancel, index) => ({
    mark: 'cancel',
    at: cancel.t,
    seq: cancel.seq,
    timeout: written[index]?.how.means === 'timeout',
    waited: asNs(cancel.t - call.sent.t),
    reason: cancel.reason ?? written[index]?.reason,
    stale: replied !== undefined && cancel.t > replied,
    wrong: verdict?.stop.flags.includes('wrong-means') ?? false,
    post: postOf(cancel.exchange),
  }));
  const untold = (stamp: Stamp, why: Untold): void => {
    marks.push({ mark: 'untold', at: stamp.t, seq: stamp.seq, why, waited: asNs(stamp.t - call.sent.t) });
  };
  for (const stop of call.stops) {
    if (stop.late) marks.push({ mark: 'too-late', at: stop.t, seq: stop.seq });
    else if (stop.how.means === 'kill') marks.push({ mark: 'killed', at: stop.t, seq: stop.seq });
    else if (stop.how.means === 'abandon') untold(stop, 'gave-up');
    else if (stop.how.means === 'stop-polling') untold(stop, 'stopped-polling');
    else if (stop.how.means === 'drop' && !closed) untold(stop, 'dropped');
    else if (stop.how.means === 'timeout' && stop.how.silent) untold(stop, 'timed-out');
  }
  const cut = closed?.because[0];
  if (closed?.at !== undefined && cut) {
    const timeout = closed.how?.means === 'timeout';
    marks.push({ mark: 'closed', at: closed.at, seq: cut.seq, timeout, waited: asNs(closed.at - call.sent.t) });
  }
  for (const cancel of call.misaddressed) untold(cancel, 'told-another-id');
  for (const failed of call.undelivered) untold(failed, 'undelivered');
  // A cancel whose POST came to nothing before it was written has no message that could be drawn.
  for (const post of call.cancelExchanges) {
    const refusal = refusalOf(post);
    if (refusal && call.cancels.every(({ exchange }) => exchange !== post)) untold(refusal, 'undelivered');
  }
  return marks;
}

/** The states of its task, and what was sent to cancel that. Outcomes have marks of their own: they are the call's replies. */
function taskMarks(call: Call, task: TaskPicture | undefined, calls: Calls, verdict: Verdict | undefined): Mark[] {
  if (!task) return [];
  const { at: c, how } = verdict?.stop ?? {};
  const states = task.segments
    .filter(({ isOutcome }) => !isOutcome)
    .map((segment): Mark => ({ mark: 'task-state', at: segment.t, seq: segment.seq, segment, after: c !== undefined && segment.t > c }));
  const cancels = taskCancels(call, calls).map(
    (cancel, index): Mark => ({
      mark: 'task-cancel',
      at: cancel.t,
      seq: cancel.seq,
      timeout: index === 0 && how?.means === 'timeout',
      waited: asNs(cancel.t - call.sent.t),
      cancel,
    }),
  );
  return [...states, ...cancels];
}

function replyMarks(call: Call, verdict: Verdict | undefined, c: Ns | undefined): Mark[] {
  return call.replies.flatMap((reply, index): Mark | readonly Mark[] => {
    const got = gotAt(call, reply, c);
    if (!got) return [];
    const stamp = { at: got.t, seq: reply.seq };
    const took = asNs(reply.t - call.sent.t);
    const task = call.task?.states.find(({ seq }) => seq === reply.seq)?.status;
    const again = index > 0;
    // A task may say “cancelled” and come out all the same: both are outcomes, and each is late for itself.
    if (again && (task === undefined || c === undefined || reply.t < c)) return { mark: 'duplicate-reply', ...stamp, took, task };
    const failed = reply.shape === 'error' || reply.isError || reply.asksInput;
    if (c !== undefined && got.t >= c) {
      return {
        mark: 'late-reply',
        ...stamp,
        state: task !== undefined && reply.saysCancelled ? 'acknowledged' : (verdict?.reply.state ?? 'late-result'),
        failed,
        code: reply.code,
        by: asNs(got.t - c),
        task,
        again,
      };
    }
    return {
      mark: 'reply',
      ...stamp,
      failed: reply.shape === 'error' ? 'error' : failed ? 'tool-error' : 'no',
      code: reply.code,
      took,
      task,
    };
  });
}

/**
 * When a reply is drawn to have come: when the client got it. What came after the stop was late when it came, whatever a fault
 * of ours did to it then.
 */
function gotAt(call: Call, reply: Reply, c: Ns | undefined): { readonly t: Ns } | undefined {
  if (c !== undefined && reply.t >= c) return reply;
  const t = toldAt(call, reply);
  return t === FOREVER ? undefined : { t };
}

const faultMark = (of: Faulted): Mark => ({
  mark: 'fault',
  at: of.t,
  seq: of.seq,
  fault: of.fault,
  what: of.what,
  rule: of.rule,
  says: faultWords(of),
  keeps: keeps(of),
  until: of.released,
});

/** The last tick stands for all of them; the others are found by binary search when they are drawn. */
function progressMark(trace: Trace, call: Call, since: Ns | undefined): Extract<Mark, { mark: 'progress' }> | undefined {
  const last = call.progress.at(-1);
  if (last === undefined) return undefined;
  const count = call.progress.length;
  const after = since === undefined ? 0 : count - firstAfter(trace, call.progress, since);
  return { mark: 'progress', at: trace.t(last), seq: last, ppm: trace.num(last), count, after };
}

/** The first index whose frame is later than `t`. */
export function firstAfter(trace: Trace, seqs: readonly Seq[], t: number): number {
  let low = 0;
  let high = seqs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (trace.t(seqs[middle] ?? 0) <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

function effectMarks(world: World, verdict: Verdict | undefined, c: Ns | undefined): EffectMark[] {
  return (verdict?.effect.observations ?? []).map((seen) => ({
    mark: 'effect',
    at: seen.state === 'straddles' ? asNs((seen.lo + seen.hi) / 2) : seen.hi,
    seq: seen.seq,
    state: seen.state,
    lo: seen.lo,
    hi: seen.hi,
    probe: seen.probe,
    says: seen.says,
    by: c === undefined ? undefined : asNs(seen.hi - c),
    reverted: seen.reverted ? observed(world, seen)?.reverted : undefined,
    certainty: seen.certainty,
  }));
}

function observed(world: World, { probe, seq }: Attributed): Observation | undefined {
  for (const watch of world.watches) {
    if (watch.probe !== probe) continue;
    const seen = watch.seen.find((observation) => observation.seq === seq);
    if (seen) return seen;
  }
  return undefined;
}

/** Only once the judge is done waiting, and only at a reading that it names as its evidence. */
function allClear(trace: Trace, verdict: Verdict | undefined): Extract<Mark, { mark: 'all-clear' }> | undefined {
  if (!verdict?.settled || verdict.effect.state !== 'not-seen' || verdict.verdict === 'quiet') return undefined;
  let last: { readonly at: Ns; readonly seq: Seq } | undefined;
  for (const { seq } of verdict.effect.because) {
    const extra = trace.extra(seq);
    if (extra?.about !== 'effect' || extra.effect.effect !== 'clear') continue;
    if (!last || extra.effect.lo > last.at) last = { at: extra.effect.lo, seq };
  }
  if (!last) return undefined;
  return {
    mark: 'all-clear',
    ...last,
    probes: verdict.effect.probes,
    past: verdict.verdict === 'stopped' ? verdict.normally?.takes : undefined,
  };
}

function witnessMarks({ gaps, work, held }: Witness, c: Ns | undefined): Mark[] {
  return [
    ...gaps.map((gap): Mark => ({ mark: 'gap', at: gap.lo, seq: gap.seq, until: gap.hi, probe: gap.probe, why: gap.why })),
    ...work.map(({ first, last, count }): Mark => {
      const { seq, sign, probe, says } = last;
      return { mark: 'work', at: last.lo, seq, sign, since: first.lo, probe, says, count, after: c !== undefined && last.lo > c };
    }),
    ...held.map(({ lo, seq, freed, probe, says }): Mark => ({ mark: 'held', at: lo, seq, freed, probe, says })),
  ];
}

function fenceMark(
  calls: Calls,
  call: Call,
  verdict: Verdict | undefined,
  until: Ns | undefined,
): Extract<Mark, { mark: 'fence' }> | undefined {
  const ping = call.fence === undefined ? undefined : calls.all[call.fence];
  if (!ping) return undefined;
  return {
    mark: 'fence',
    at: ping.sent.t,
    seq: ping.sent.seq,
    method: ping.method,
    pong: ping.replies[0],
    until,
    blocked: verdict?.fence.blocked ?? false,
  };
}

/** From the request to the last sign of work: progress, an effect that came before the stop, an answer in time. */
function aliveSpan(call: Call, progress: At | undefined, effects: readonly EffectMark[], inTime: Ns | undefined): Span | undefined {
  const early = effects.filter((effect) => effect.state === 'before' || effect.state === 'observed').map((effect) => effect.hi);
  const to = Math.max(progress?.at ?? 0, inTime ?? 0, ...early);
  return to > call.sent.t ? { from: call.sent.t, to: asNs(to) } : undefined;
}

/**
 * From the stop, or the last progress after it, to the first proof of what the server did. An answer that only says
 * "cancelled" is no proof, and neither is silence.
 */
function unknownSpan(
  c: Ns,
  progress: At | undefined,
  late: Ns | undefined,
  verdict: Verdict | undefined,
  effects: readonly EffectMark[],
  clear: At | undefined,
  ended: Ended | undefined,
): Span | undefined {
  const from = asNs(Math.max(c, progress?.at ?? 0));
  const answered = verdict?.reply.state === 'acknowledged' ? undefined : late;
  const seen = effects.filter((effect) => effect.state === 'after' || effect.state === 'straddles').map((effect) => effect.hi);
  const undone = effects.map((effect) => effect.reverted?.t);
  const to = earliest(...[answered, clear?.at, ended?.t, ...seen, ...undone].map((t) => later(t, from)));
  return to === from ? undefined : { from, to };
}

const later = (t: Ns | undefined, than: Ns): Ns | undefined => (t !== undefined && t >= than ? t : undefined);

function earliest(...times: readonly (Ns | undefined)[]): Ns | undefined {
  let least: Ns | undefined;
  for (const t of times) if (t !== undefined && (least === undefined || t < least)) least = t;
  return least;
}
