// The judge: feeds frames to the folds, asks the rules, and says which verdicts changed. It has no clock; whoever holds
// one says how far time has come. Frame by frame and deadline by deadline, so that pieces of any size give one history.
import { equal } from '../base/equal';
import { asNs, FOREVER, minus, type Ns, plus, ZERO } from '../base/time';
import { meetingsOf, openTime, watchOf } from '../evidence/attribution';
import { opensAt, ProbeCalls } from '../evidence/probeCalls';
import { probeKey, type World, world } from '../evidence/world';
import { type Call, type Calls, calls, type Ended, type Session } from '../trace/calls';
import { writtenAt } from '../trace/faults';
import type { Trace } from '../trace/trace';
import type { Seq, SessionNumber } from '../wire/frame';
import type { TaskFacts, ToolHints } from '../wire/jsonrpc';
import { faultsOn, overtaken } from './faults';
import { findings } from './findings';
import {
  afterStop,
  closingOf,
  effectLane,
  exchangeLoss,
  type Facts,
  fenceOf,
  heldOpen,
  isStopped,
  type Loss,
  latest,
  outlasting,
  readPast,
  replyLane,
  sessionLoss,
  settleOf,
  stopLane,
} from './lanes';
import { outcomeOf, taskCancelOf, taskForgotten } from './overTasks';
import { RULES } from './rules';
import { callerSaw, ifRetried, sentence } from './sentences';
import type { Finding, Headline, Severity, StopLane, Verdict } from './verdict';
import { type Normally, type Ruling, succeeded, unanswered, type View } from './view';

export interface Judge {
  readonly calls: Calls;
  readonly world: World;
  /**
   * Takes what was appended to the trace since the last time and lets time pass up to `now`.
   * @param end frames from here on are left for another time: a long trace that is there already is judged in slices
   * @returns what changed
   */
  advance(now: Ns, end?: Seq): readonly Verdict[];
  /** The verdict on a call; every folded call has one. */
  verdict(call: number): Verdict | undefined;
  /** Worst first. The list is a new one whenever something in it changed. */
  readonly findings: readonly Finding[];
  /** When time alone will change something: call `advance` then. FOREVER when it will not. */
  readonly nextAt: Ns;
  /** Probes of which a reading is wanted now: a deadline has passed that no reading has outlasted. */
  due(now: Ns): readonly Due[];
}

/** A reading that a verdict waits for. */
export interface Due {
  readonly session: SessionNumber;
  readonly probe: string;
}

/** Judges a trace: all of it so far, and what is appended later. */
export function judge(trace: Trace): Judge {
  return new Court(trace);
}

/** What is remembered of a call between two judgements. */
interface Case {
  verdict: Verdict;
  /** Moments at which time alone may change the verdict: end of the settle window, end of the watch. */
  deadlines: readonly Ns[];
  /** When its time on each of its probes ends, as far as that is known. */
  closes: readonly Ns[];
}

const NEVER: readonly Ns[] = [];

class Court implements Judge {
  readonly calls: Calls;
  readonly world = world();
  nextAt = FOREVER;
  #findings: readonly Finding[] = [];
  #now = ZERO;
  readonly #trace: Trace;
  readonly #cases: (Case | undefined)[] = [];
  readonly #changed = new Set<number>();
  /** By what {@link meetingsOf} says. */
  readonly #meetings = new Map<string, ProbeCalls>();
  /** Calls of which only a count may have changed: judged once, at the end of `advance`. */
  readonly #recount = new Set<Call>();
  /** Calls with a deadline ahead. */
  readonly #pending = new Set<number>();
  /** Stopped calls, by session. */
  readonly #stopped = new Map<number, Set<Call>>();
  /** Calls that finished with nobody stopping them, and the longest of these, by session and tool. */
  readonly #runs = new Map<string, { readonly calls: Set<Call>; longest: Normally | undefined }>();
  readonly #retries = new Map<number, Call[]>();
  /** The client's calls that have no reply yet, by session. */
  readonly #unanswered = new Map<number, Set<Call>>();
  #findingsStale = false;

  readonly #facts: Facts;

  constructor(trace: Trace) {
    this.#trace = trace;
    this.calls = calls(trace);
    const now = (): Ns => this.#now;
    this.#facts = {
      trace,
      calls: this.calls,
      world: this.world,
      meetings: (call, probe) => this.#meetingsOf(call, probe),
      contested: new Set(),
      outlastAt: (call, stoppedAt) => {
        const normally = this.#normalDuration(call);
        return normally && outlast(call, stoppedAt, normally.takes);
      },
      get now() {
        return now();
      },
    };
  }

  advance(now: Ns, end = this.#trace.length): readonly Verdict[] {
    for (let seq = this.calls.folded; seq < end; seq++) {
      this.#pass(this.#trace.t(seq));
      this.#frame(seq);
    }
    this.#pass(now);
    for (const call of this.#recount) this.#judge(call);
    this.#recount.clear();
    const changed = [...this.#changed].sort((a, b) => a - b).flatMap((index) => this.#cases[index]?.verdict ?? []);
    this.#changed.clear();
    return changed;
  }

  /** Worked out when somebody asks: while a long trace is judged in slices, nobody does before its end. */
  get findings(): readonly Finding[] {
    if (this.#findingsStale) this.#find();
    return this.#findings;
  }

  verdict(call: number): Verdict | undefined {
    return this.#cases[call]?.verdict;
  }

  due(now: Ns): readonly Due[] {
    const wanted = new Map<string, Due>();
    for (const index of this.#pending) {
      const call = this.calls.all[index];
      const passed = this.#cases[index]?.deadlines.filter((deadline) => deadline <= now).at(-1);
      if (!call || passed === undefined) continue;
      const { session } = call;
      for (const probe of call.arrangement?.probes ?? [])
        if (this.#unread(session, probe, passed)) wanted.set(probeKey(session, probe), { session, probe });
    }
    return [...wanted.values()];
  }

  #unread(session: SessionNumber, probe: string, since: Ns): boolean {
    const watch = this.world.of(session, probe);
    if (!watch || watch.ended) return false;
    const read = [watch.clears.at(-1), watch.seen.at(-1), watch.gaps.at(-1)];
    return !read.some((reading) => reading !== undefined && reading.hi >= since && ('since' in reading ? reading.lo >= since : true));
  }

  /** Lets time pass: every deadline up to `t` is judged at its own moment. */
  #pass(t: Ns): void {
    while (this.nextAt <= t) {
      const at = this.nextAt;
      if (at > this.#now) this.#now = at;
      for (const index of [...this.#pending]) {
        const call = this.calls.all[index];
        if (call && this.#cases[index]?.deadlines.includes(at)) this.#judge(call);
      }
      this.nextAt = this.#nextDeadline(at);
    }
    if (t > this.#now) this.#now = t;
  }

  #nextDeadline(after: Ns): Ns {
    let next = FOREVER;
    for (const index of this.#pending) {
      const deadlines = this.#cases[index]?.deadlines ?? [];
      for (const deadline of deadlines) if (deadline > after && deadline < next) next = deadline;
    }
    return next;
  }

  #frame(seq: Seq): void {
    this.calls.take(seq + 1);
    if (this.#trace.t(seq) < this.#now) this.#facts.contested.clear();
    switch (this.#trace.kind(seq)) {
      case 'message':
        this.#message(seq);
        break;
      case 'act':
        this.#acted(seq, this.calls.touched);
        break;
      case 'effect':
        this.#effect(seq);
        break;
      case 'life':
        this.#sessionChanged(this.#trace.session(seq));
        break;
      case 'noise':
        this.#findingsStale = true;
        break;
      case 'http':
        this.#exchanged(seq);
        break;
      case 'stderr':
        break;
    }
  }

  #acted(seq: Seq, touched: Call | undefined): void {
    const name = this.#trace.name(seq);
    if (name === 'faults') this.#sessionChanged(this.#trace.session(seq));
    if (name !== 'fault' && name !== 'released') this.#touched(touched);
    else if (touched) this.#faulted(touched);
  }

  /** A fault of ours did something to a call; where it keeps its request from the wire, that is how the call begins. */
  #faulted(call: Call): void {
    this.#findingsStale = true;
    if (this.#cases[call.index] === undefined && call.written === undefined) this.#opened(call);
    else this.#touched(call);
  }

  /**
   * A step of an HTTP exchange: of the POST of a call or of its cancel it is theirs; of a stream it may be the end of the way for
   * every answer that is still to come.
   */
  #exchanged(seq: Seq): void {
    const { touched } = this.calls;
    if (touched) {
      this.#findingsStale ||= isStopped(touched);
      this.#touched(touched);
      if (touched.purpose === 'task') this.#taskChanged(touched);
      return;
    }
    const session = this.calls.sessions.get(this.#trace.session(seq));
    const exchange = session?.exchanges.get(this.#trace.exchange(seq));
    if (!session || exchange?.request?.http.purpose !== 'stream') return;
    for (const call of this.#unanswered.get(session.number) ?? []) this.#touched(call);
  }

  #message(seq: Seq): void {
    const { touched } = this.calls;
    this.#messageOf(seq, touched);
    if (touched?.purpose === 'task') this.#taskChanged(touched);
  }

  /** A `tasks/…` request, or what was answered to it, is about a call: the one that the task was made of. */
  #taskChanged(asking: Call): void {
    const index = this.calls.taskOf(asking)?.call;
    const call = index === undefined ? undefined : this.calls.all[index];
    if (!call) return;
    this.#findingsStale ||= isStopped(call);
    this.#moved(call);
  }

  /** A call is judged again, with what its answer means for others. The creation of a task is none of its outcome. */
  #moved(call: Call): void {
    this.#touched(call);
    if (call.replies.length > 0) this.#answered(call);
  }

  #messageOf(seq: Seq, touched: Call | undefined): void {
    switch (this.#trace.shape(seq)) {
      case 'request':
        if (touched && touched.rounds.at(-1)?.sent?.seq === seq) this.#wentOn(touched);
        else if (touched && touched.sent !== touched.written && touched.sent.seq < seq) this.#touched(touched);
        else if (touched) this.#opened(touched);
        break;
      case 'notification':
        this.#notified(seq, touched);
        break;
      case 'result':
      case 'error':
        this.#replied(seq, touched);
        break;
      case 'invalid':
      case 'none':
        this.#findingsStale = true;
        break;
    }
  }

  #opened(call: Call): void {
    for (const probe of call.arrangement?.probes ?? []) {
      const late = this.#now > opensAt(call);
      for (const meeting of meetingsOf(call.session, probe, watchOf(this.world, call, probe))) {
        const calls = this.#meetings.get(meeting) ?? new ProbeCalls();
        this.#meetings.set(meeting, calls);
        calls.add({ call, probe }, (other) => this.#closes(other.call, other.probe));
        // Who was open there until now may be so no longer.
        for (const { call: other } of calls.openSince(opensAt(call)))
          if (other !== call && (late || this.#closesAnew(other))) this.#judge(other);
      }
    }
    if (call.sender === 'server') this.#nameless(call.session);
    else this.#openedBeside(call);
    this.#touched(call);
    if (call.replies.length > 0) this.#answered(call);
  }

  /** One more round of a call that is open already: what was asked has been given, and it is in flight again. */
  #wentOn(call: Call): void {
    this.#openedBeside(call);
    this.#touched(call);
    if (call.replies.length > 0) this.#answered(call);
  }

  /** Whether a call's time on its probes ends at another moment than when it was judged last. */
  #closesAnew(call: Call): boolean {
    const known = this.#cases[call.index]?.closes ?? NEVER;
    return (call.arrangement?.probes ?? []).some((probe, index) => this.#closes(call, probe) !== known[index]);
  }

  #meetingsOf(call: Call, probe: string): readonly ProbeCalls[] {
    return meetingsOf(call.session, probe, watchOf(this.world, call, probe)).flatMap((meeting) => this.#meetings.get(meeting) ?? []);
  }

  #closes(call: Call, probe: string): Ns {
    return openTime(call, closingOf(this.#facts, call, probe)).to;
  }

  #notified(seq: Seq, touched: Call | undefined): void {
    const method = this.#trace.name(seq);
    if (method === 'notifications/cancelled') {
      this.#touched(touched);
      return;
    }
    if (method === 'notifications/progress') {
      if (touched && isStopped(touched)) this.#count(touched, 'progress');
      if (!touched || touched.replies.length > 0) this.#findingsStale = true;
      return;
    }
    if (method === 'notifications/message') this.#nameless(this.#trace.session(seq));
    else if (touched) this.#moved(touched);
  }

  #replied(seq: Seq, touched: Call | undefined): void {
    const extra = this.#trace.extra(seq);
    if (extra?.about === 'tasks') this.#tasksListed(extra.tasks, this.#trace.session(seq));
    if (!touched) {
      this.#findingsStale = true;
      return;
    }
    if (touched.replies.length > 1) this.#findingsStale = true;
    if (extra?.about === 'tools') this.#sessionChanged(touched.session);
    this.#moved(touched);
  }

  #tasksListed(listed: readonly TaskFacts[], session: SessionNumber): void {
    const known = this.calls.sessions.get(session)?.tasks;
    for (const { id } of listed) {
      const call = this.calls.all[known?.get(id)?.call ?? -1];
      if (call) this.#moved(call);
    }
  }

  /** What a reply means for other calls: a pong fences one, an idle pong measures for all, a finished run tells its duration. */
  #answered(call: Call): void {
    this.#unanswered.get(call.session)?.delete(call);
    if (call.guards !== undefined) this.#touched(this.calls.all[call.guards]);
    if (call.purpose === 'idle') for (const stopped of this.#stopped.get(call.session) ?? []) this.#judge(stopped);
    this.#finished(call);
  }

  /** A run that nobody stopped tells how long the tool takes: stopped calls of the tool may be waiting to know. */
  #finished(call: Call): void {
    if (call.tool === undefined) return;
    const name = `${call.session} ${call.tool}`;
    const runs = this.#runs.get(name) ?? { calls: new Set<Call>(), longest: undefined };
    const run = runOf(call, this.calls);
    if (run) runs.calls.add(call);
    else if (!runs.calls.delete(call)) return;
    this.#runs.set(name, runs);
    const longest = run
      ? longer(runs.longest, run)
      : [...runs.calls].reduce<Normally | undefined>((most, c) => longer(most, runOf(c, this.calls)), undefined);
    if (longest?.takes === runs.longest?.takes && longest?.seq === runs.longest?.seq) return;
    runs.longest = longest;
    for (const other of this.#stopped.get(call.session) ?? []) {
      if (other.tool !== call.tool) continue;
      this.#judge(other);
      this.#judgeNeighbours(other);
    }
  }

  #effect(seq: Seq): void {
    const watch = this.world.take(this.#trace, seq);
    if (!watch) return;
    this.#findingsStale = true;
    const since = Math.min(...[seq, ...this.#takenBackBy(seq)].map((one) => this.#effectBegan(one))) as Ns;
    const there = meetingsOf(watch.session, watch.probe, watch).flatMap((meeting) => this.#meetings.get(meeting)?.openSince(since) ?? []);
    for (const call of new Set(there.map(({ call }) => call))) this.#judge(call);
  }

  /** What an effect is about that was told before: an undo may come long after its call's time on the probe is over. */
  #takenBackBy(seq: Seq): readonly Seq[] {
    const extra = this.#trace.extra(seq);
    return extra?.about === 'effect' && 'of' in extra.effect ? extra.effect.of : [];
  }

  #effectBegan(seq: Seq): Ns {
    const extra = this.#trace.extra(seq);
    return extra?.about === 'effect' && 'lo' in extra.effect ? extra.effect.lo : this.#trace.t(seq);
  }

  /** Judges a call again, with those whose verdict looks at it. */
  #touched(call: Call | undefined): void {
    if (!call) return;
    this.#note(call);
    const anew = this.#closesAnew(call);
    this.#judge(call);
    for (const retry of this.#retries.get(call.index) ?? []) this.#judge(retry);
    if (!isStopped(call)) return;
    if (call.replies.length > 0) this.#finished(call);
    if (anew) this.#judgeNeighbours(call);
  }

  /** Where a stopped call's time ends decides whether its neighbours were alone. */
  #judgeNeighbours(call: Call): void {
    for (const probe of call.arrangement?.probes ?? []) {
      for (const there of this.#meetingsOf(call, probe))
        for (const { call: other } of there.openSince(opensAt(call))) if (other !== call) this.#judge(other);
    }
  }

  #note(call: Call): void {
    if (isStopped(call)) {
      const stopped = this.#stopped.get(call.session) ?? new Set();
      this.#stopped.set(call.session, stopped.add(call));
    }
    const of = this.#retriedBy(call);
    if (!of) return;
    const retries = this.#retries.get(of.index) ?? [];
    if (!retries.includes(call)) this.#retries.set(of.index, [...retries, call]);
  }

  #retriedBy(call: Call): Call | undefined {
    const id = call.arrangement?.retryOf;
    if (id === undefined) return undefined;
    const key = typeof id === 'number' ? `n:${id}` : `s:${id}`;
    return this.calls.all.findLast((c) => c.index < call.index && c.session === call.session && c.sender === 'client' && c.key === key);
  }

  /** Logs, and requests of the server, name no call: they are a stopped call's work only while it alone is open. */
  #nameless(session: number): void {
    const open = this.#unanswered.get(session);
    const [only] = open ?? [];
    if (open?.size === 1 && only && isStopped(only)) this.#count(only, 'logs');
  }

  /** A call of the client has been sent: it is open beside the others, also where that becomes known after the fact. */
  #openedBeside(call: Call): void {
    if (call.purpose !== 'call') return;
    // Time has been further already: this request was appended late, and what came meanwhile was not judged with it.
    if (this.#now > call.sent.t) for (const other of this.#stopped.get(call.session) ?? []) this.#judge(other);
    if (call.replies.length > 0) return;
    const open = this.#unanswered.get(call.session) ?? new Set();
    this.#unanswered.set(call.session, open.add(call));
  }

  /** Signs of work come in floods: the first one may change the headline, the others only their number. */
  #count(call: Call, sign: 'progress' | 'logs'): void {
    if ((this.#cases[call.index]?.verdict.afterStop[sign] ?? 0) > 0) this.#recount.add(call);
    else this.#judge(call);
  }

  #sessionChanged(number: number): void {
    this.#findingsStale = true;
    const session = this.calls.sessions.get(number);
    for (const index of session?.calls ?? []) {
      const call = this.calls.all[index];
      if (call) this.#judge(call);
    }
  }

  #judge(call: Call): void {
    if (call.purpose !== 'call') return;
    const session = this.calls.sessions.get(call.session);
    if (!session) return;
    const view = this.#view(call, session);
    const before = this.#cases[call.index]?.verdict;
    const verdict = pronounce(view, before, this.#now);
    const deadlines = this.#deadlines(call, view);
    const probes = call.arrangement?.probes ?? [];
    const closes = probes.length === 0 ? NEVER : probes.map((probe) => this.#closes(call, probe));
    this.#cases[call.index] = { verdict, deadlines, closes };
    if (deadlines.length > 0) this.#pending.add(call.index);
    else this.#pending.delete(call.index);
    for (const deadline of deadlines) if (deadline > this.#now && deadline < this.nextAt) this.nextAt = deadline;
    if (before && equal(before, verdict)) return;
    this.#changed.add(call.index);
    const overHttp = call.exchanges.length > 0 && verdict.stop.at !== undefined;
    if (verdict.fence.blocked || verdict.effect.worst || overHttp) this.#findingsStale = true;
  }

  /** Only a stopped call changes by time alone: when its settle window ends, and when its watch has outlasted it. */
  #deadlines(call: Call, view: View): readonly Ns[] {
    if (view.stop.at === undefined || view.reply.state === 'in-time') return [];
    const settle = plus(view.stop.at, settleOf(call));
    if (view.settled && (view.outlasted || view.outlastAt === undefined || !unanswered(view))) {
      const looked = view.effect.probes.every((probe) => !this.#unread(call.session, probe, settle));
      return looked ? [] : [settle];
    }
    return view.outlastAt === undefined || view.outlastAt === settle ? [settle] : [settle, view.outlastAt];
  }

  #view(call: Call, session: Session): View {
    const facts = this.#facts;
    const stop = stopLane(call, session, this.calls);
    const fence = fenceOf(facts, call, session, stop.at);
    const settleEnd = stop.at === undefined ? undefined : plus(stop.at, settleOf(call));
    const normally = stop.at === undefined ? undefined : this.#normalDuration(call);
    const outlastAt = stop.at === undefined ? undefined : facts.outlastAt(call, stop.at);
    const until = outlastAt ?? settleEnd;
    // A server that has not read the cancel yet may be at work on the call, or have it before it.
    const watchTo = outlastAt === undefined ? undefined : latest(outlastAt, readPast(fence));
    const reply = replyLane(facts, call, session, stop, fence, this.#lossOf(call, session, stop, settleEnd, until));
    const hints = hintsOf(call, session);
    const needed = until ?? reply.at ?? this.#now;
    const effect = effectLane(facts, call, stop, reply, fence, hints, needed);
    return {
      call,
      session,
      stop,
      reply,
      first: call.replies.find((r) => r.t === reply.at),
      effect,
      fence,
      after: afterStop(facts, call, session, stop, fence),
      mayWrite: call.method === 'tools/call' && !hints.declaredReadOnly,
      idempotent: hints.idempotent,
      // Answered in time it is over, whatever was sent for it afterwards: no window runs.
      settled: settleEnd === undefined || reply.state === 'in-time' ? reply.state !== 'waiting' : this.#now >= settleEnd,
      normally,
      outlastAt: watchTo,
      outlasted: watchTo === undefined || this.#now < watchTo ? undefined : outlasting(facts, call, watchTo),
      taskCancel: taskCancelOf(call, this.calls),
      held: heldOpen(facts, call),
      faults: faultsOn(call, session),
      overtaken: overtaken(call, stop),
      retried: this.#retried(call),
    };
  }

  /** What took a call's reply away, before it was settled or outlasted. */
  #lossOf(call: Call, session: Session, stop: StopLane, settleEnd: Ns | undefined, until: Ns | undefined): Loss | undefined {
    const ended = sessionLoss(session, call);
    // Whoever closes the session after the settle window takes no reply away from anybody.
    const before = ended && wanted(ended.end) ? settleEnd : until;
    const byEnd = ended && (before === undefined || ended.t < before) ? ended : undefined;
    const broken = exchangeLoss(call, session, stop);
    const byBreak = broken && (until === undefined || broken.t < until) ? broken : undefined;
    // Of a task whose cancel has been taken nothing is owed any more: it may be forgotten.
    const owed = stop.state !== 'task-cancel';
    const forgotten = owed ? taskForgotten(call, this.calls) : undefined;
    const byLapse = forgotten && (until === undefined || forgotten.t < until) ? forgotten : undefined;
    return [byEnd, byBreak, byLapse].reduce((first, one) => (first && (!one || first.t <= one.t) ? first : one), undefined);
  }

  #retried(call: Call): View['retried'] {
    const of = this.#retriedBy(call);
    const effect = of && this.#cases[of.index]?.verdict.effect;
    return of && effect ? { call: of, effect, stopped: isStopped(of) } : undefined;
  }

  #normalDuration(call: Call): Normally | undefined {
    const arranged = call.arrangement;
    if (arranged?.normally !== undefined) return { takes: arranged.normally, seq: arranged.seq };
    return call.tool === undefined ? undefined : this.#runs.get(`${call.session} ${call.tool}`)?.longest;
  }

  #find(): void {
    this.#findingsStale = false;
    const next = findings(this.#facts, (call) => this.verdict(call));
    if (!equal(next, this.#findings)) this.#findings = next;
  }
}

/** How long a call took that ended well and that nobody had stopped before it did. */
function runOf(call: Call, calls: Calls): Normally | undefined {
  const reply = outcomeOf(call);
  if (!reply || !succeeded(reply)) return undefined;
  const ofTask = (call.task?.cancels ?? []).flatMap((index) => calls.all[index]?.sent ?? []);
  const stopped = [...call.cancels, ...ofTask, ...call.stops.filter((stop) => !stop.late)].some((stop) => stop.t <= reply.t);
  return stopped ? undefined : { takes: minus(reply.t, writtenAt(call)), seq: reply.seq };
}

const longer = (a: Normally | undefined, b: Normally | undefined): Normally | undefined =>
  !a || (b && (b.takes > a.takes || (b.takes === a.takes && b.seq < a.seq))) ? b : a;

/**
 * Until when a stopped call must be watched: the time it would still have needed, half as much again, and the settle window at
 * least. FOREVER for one that a fault of ours keeps from the server: it may begin whenever that lets go of it.
 */
export function outlast(call: Call, stoppedAt: Ns, takes: Ns): Ns {
  if (call.written === undefined) return FOREVER;
  const needed = Math.max(0, takes - (stoppedAt - writtenAt(call)));
  return asNs(stoppedAt + Math.max(settleOf(call), Math.ceil(1.5 * needed)));
}

/** Whether the session was ended from here, and not by the server. */
function wanted({ life }: Ended): boolean {
  return life.event === 'closed' || (life.event === 'exited' && life.asked !== 'nobody' && life.asked !== 'kill');
}

interface CallHints {
  readonly declaredReadOnly: boolean;
  readonly idempotent: boolean;
  readonly seq: Seq | undefined;
}

/** What the server declares of the call's tool. Requests other than tools/call read, by the protocol. */
function hintsOf(call: Call, session: Session): CallHints {
  if (call.method !== 'tools/call') return { declaredReadOnly: true, idempotent: true, seq: undefined };
  const hints: (ToolHints & { readonly seq: Seq }) | undefined = session.tools.get(call.tool ?? '');
  return { declaredReadOnly: hints?.readOnly === true, idempotent: hints?.idempotent === true, seq: hints?.seq };
}

/** What a server does with a call whose cancel a fault of ours let it read first is no breach of its own. */
const excused = (severity: Severity): Severity => (severity === 'breach' ? 'warn' : severity);

const NO_MORE: readonly Headline[] = [];

function pronounce(view: View, before: Verdict | undefined, now: Ns): Verdict {
  const applies: (Ruling & { readonly id: Headline })[] = [];
  for (const rule of RULES) {
    const ruling = rule.judge(view);
    if (ruling) applies.push({ ...ruling, id: rule.id });
  }
  const first = applies[0] ?? {
    id: 'waiting' as const,
    severity: 'info' as const,
    certainty: 'unknown' as const,
    because: view.reply.because,
  };
  const changed = before?.verdict !== first.id;
  return {
    call: view.call.index,
    verdict: first.id,
    severity: view.overtaken ? excused(first.severity) : first.severity,
    certainty: first.certainty,
    sentence: sentence(first.id, view),
    because: first.because,
    also: applies.length < 2 ? NO_MORE : applies.slice(1).flatMap(({ id }) => (id === 'settling' || id === 'waiting' ? [] : [id])),
    stop: view.stop,
    reply: view.reply,
    effect: view.effect,
    fence: view.fence,
    settled: view.settled,
    afterStop: { progress: view.after.progress, logs: view.after.logs, requests: view.after.requests, work: view.after.work },
    held: view.held,
    faults: view.faults,
    callerSaw: callerSaw(view),
    ifRetried: ifRetried(view),
    normally: view.normally,
    history: changed ? withRow(before?.history ?? [], { at: now, verdict: first.id }) : (before?.history ?? []),
  };
}

/** What was said for no time at all, between two frames of one moment, was not said. */
function withRow(history: Verdict['history'], row: Verdict['history'][number]): Verdict['history'] {
  const earlier = history.at(-1)?.at === row.at ? history.slice(0, -1) : history;
  return earlier.at(-1)?.verdict === row.verdict ? earlier : [...earlier, row];
}
