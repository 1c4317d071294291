// The fold from frames to calls. It forgets nothing: every reply, every cancel, all progress, in order, so that a late
// arrival or a second answer can never hide behind the first. It is the same code in the host and in the window, it may
// be fed in pieces of any size, and it does not mind when two wires' frames are appended in another order than their
// times: what came too early for its request waits for it.
import { type Column, type Counts, counts } from '../base/columns';
import type { Ns } from '../base/time';
import type { Act, ExchangeNumber, Life, Means, RequestId, Seq, SessionNumber, TransportName } from '../wire/frame';
import { BIT, factsOf, isAboutTask, keyOf, type ToolHints } from '../wire/jsonrpc';
import { type Exchange, Exchanges } from './exchanges';
import type { Faulted } from './faults';
import { answersOf, type Task, Tasks } from './tasks';
import type { Extra, Trace } from './trace';

export type Sender = 'client' | 'server';

/** A frame with its time: what every statement points at. */
export interface Stamp {
  readonly seq: Seq;
  readonly t: Ns;
}

export interface Reply extends Stamp {
  readonly shape: 'result' | 'error';
  /** JSON-RPC error code of an error. */
  readonly code: number | undefined;
  readonly isError: boolean;
  /** No end of the work: the server wants input first, and to be asked again (2026-07-28). */
  readonly asksInput: boolean;
  /** What it wants to know: methods of requests of its own. */
  readonly asks: readonly string[];
  /** What an error of the protocol's own means, in words. */
  readonly means: string | undefined;
  readonly saysCancelled: boolean;
  /** The HTTP exchange that it came with; 0 for none. */
  readonly exchange: ExchangeNumber;
}

/** One more round of a call: the server had asked for input, and was asked again with it (2026-07-28). */
export interface Round extends Stamp {
  /** Typed keys of this round's request, and of the one whose reply had asked. */
  readonly key: string;
  readonly of: string;
  /** That reply. It is none of the call's own any more: what the call comes to is what the last round brings. */
  asked: Reply | undefined;
  /** Its request; undefined while it has not been sent. */
  sent: Stamp | undefined;
}

export interface Cancel extends Stamp {
  readonly reason: string | undefined;
  /** Over HTTP: the POST that it went with. */
  readonly exchange: Exchange | undefined;
}

export interface StopAct extends Stamp {
  readonly how: Means;
  readonly reason: string | undefined;
  /** Whether anything was handed to the wire for it. */
  readonly wrote: boolean;
  /** The reply was there already when Stop was pressed. */
  readonly late: boolean;
}

/** What was arranged for a call before it was sent. */
export interface Arrangement extends Stamp {
  readonly probes: readonly string[];
  readonly settle: Ns;
  readonly normally: Ns | undefined;
  readonly fence: boolean;
  readonly retryOf: RequestId | undefined;
  /** The call whose effect this one is meant to take back. */
  readonly undoOf: RequestId | undefined;
  /** By probe: a text that only this call's own effects carry. */
  readonly owns: Readonly<Record<string, string>>;
  /** It was asked to be run as a task. */
  readonly task: { readonly ttl?: Ns | undefined } | undefined;
}

/**
 * Why a request was sent: by the person or the scenario (or the SDK's handshake), as a fence, to measure an idle server, by a
 * probe, about a task (`tasks/…`), for news.
 */
export type Purpose = 'call' | 'fence' | 'idle' | 'probe' | 'task' | 'listen';

export interface Call {
  /** Dense, in the order in which the requests appear in the trace. */
  readonly index: number;
  readonly session: SessionNumber;
  readonly sender: Sender;
  /** Typed key of the request id. */
  readonly key: string;
  /** 1 for the first request with this id, 2 for the next one … */
  readonly occurrence: number;
  readonly method: string;
  readonly tool: string | undefined;
  /** When the client sent it; where a fault of ours kept it from the wire, the frame that says so. */
  readonly sent: Stamp;
  /** When it was written to the wire; undefined for one that a fault keeps or has dropped. */
  readonly written: Stamp | undefined;
  /** What faults of ours have done to its request, to its cancels and to its replies, in order. */
  readonly faults: readonly Faulted[];
  /** Over HTTP: the POSTs that carried the request. Several where it was sent again after a login. */
  readonly exchanges: readonly Exchange[];
  /** Over HTTP: the POSTs that were to carry a cancel for it, whether it left or not. */
  readonly cancelExchanges: readonly Exchange[];
  readonly purpose: Purpose;
  readonly arrangement: Arrangement | undefined;
  /** Rounds behind the first, in order. */
  readonly rounds: readonly Round[];
  /** Of a call that became a task how that came out, and not its creation (docs/verdicts.md, section 4). */
  readonly replies: readonly Reply[];
  readonly cancels: readonly Cancel[];
  /** Cancels meant for this call by the person that named another id. */
  readonly misaddressed: readonly Cancel[];
  readonly stops: readonly StopAct[];
  readonly undelivered: readonly (Stamp & { readonly why: string })[];
  readonly progress: readonly Seq[];
  /** Index of the ping that fences this call's cancel. */
  fence: number | undefined;
  /** Index of the call whose cancel this ping fences. */
  readonly guards: number | undefined;
  /** The task that its server has made of it. */
  readonly task: Task | undefined;
}

/** The key of the request that is, or was, the last of a call: what a cancel of it names. */
export const lastKey = (call: Call): string => call.rounds.at(-1)?.key ?? call.key;

export interface Ended extends Stamp {
  readonly life: Extract<Life, { event: 'exited' | 'lost' | 'closed' }>;
}

export interface Session {
  readonly number: SessionNumber;
  /** How its messages travel, as far as that is decided. */
  transport: TransportName | undefined;
  readonly exchanges: Exchanges;
  /** Over HTTP: when the server was about to be spoken to. */
  connecting: (Stamp & { readonly life: Extract<Life, { event: 'connecting' }> }) | undefined;
  opened: (Stamp & { readonly life: Extract<Life, { event: 'opened' }> }) | undefined;
  started: (Stamp & { readonly life: Extract<Life, { event: 'started' }> }) | undefined;
  /** In order; the first says when replies became impossible. */
  readonly ends: Ended[];
  readonly tools: Map<string, ToolHints & Stamp>;
  /** Each time that other faults of ours were on: in words, none when they were off. */
  readonly faults: (Stamp & { readonly rules: readonly string[] })[];
  /** Processes that had to be ended by force. */
  readonly outlived: (Stamp & { readonly life: Extract<Life, { event: 'outlived' }> })[];
  /** Indices of the session's calls, in order. */
  readonly calls: number[];
  /** Indices of the pings that were sent while nothing was in flight. */
  readonly idlePings: number[];
  /** Log notifications name no request. */
  readonly logs: Seq[];
  /** Replies that no request is known for (yet), and messages that name no request at all. */
  readonly orphans: Reply[];
  readonly withoutId: Seq[];
  readonly noise: Seq[];
  /** Progress for tokens that no request has given out. */
  readonly strayProgress: Seq[];
  /** Those that the server runs, by id the newest of each: made of the client's calls, or only heard of. */
  readonly tasks: Map<string, Task>;
}

export interface Calls {
  readonly all: readonly Call[];
  readonly sessions: ReadonlyMap<SessionNumber, Session>;
  /** How many frames have been folded. */
  readonly folded: number;
  /** Folds the trace's frames up to `end`. @returns nothing; ask `touched` for the calls that changed */
  take(end?: Seq): void;
  /** The newest call that a typed key names, for one sender in one session. */
  find(session: SessionNumber, sender: Sender, key: string): Call | undefined;
  /** The call that the last folded frame belongs to, if it belongs to one. */
  readonly touched: Call | undefined;
  /** The call that a frame belongs to: request, reply, cancel, progress or act. Filled as frames are folded. */
  ofFrame(seq: Seq): Call | undefined;
  /** The task that a `tasks/…` request is about. */
  taskOf(call: Call): Task | undefined;
  /** Gives back the room that was kept for more frames. */
  trim(): void;
}

/** A call while it is folded. */
type Folding<T = Call> = { -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? Item[] : T[K] };

/** What a call has none of: one list for all of them, and never added to. There are thousands of calls, and most have little. */
const NONE: never[] = [];
const OWNS_NOTHING: Arrangement['owns'] = {};
/** A list with one more in it. A first item makes a list of one, not one with room for many. */
function added<T>(list: T[], item: T): T[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

/** A fold over `trace`; call `take` whenever the trace has grown. */
export function calls(trace: Trace): Calls {
  const fold = new Fold(trace);
  return fold;
}

/** What a call is made of. */
interface FirstFrame {
  readonly seq: Seq;
  readonly sender: Sender;
  readonly tool: string | undefined;
  readonly exchange: Exchange | undefined;
  readonly written: boolean;
}

interface Pending {
  readonly replies: Reply[];
  readonly cancels: Cancel[];
}

class Fold implements Calls {
  readonly all: Folding[] = [];
  readonly sessions = new Map<SessionNumber, Session>();
  touched: Folding | undefined;
  folded = 0;
  readonly #trace: Trace;
  /** Newest call by slot: session, sender and key in one number. */
  readonly #newest = new Map<number, Folding>();
  /** By token text, and by the token's number in the trace once one has been seen: progress comes in floods. */
  readonly #byToken = new Map<string, Folding>();
  readonly #byTokenSlot = new Map<number, Folding>();
  readonly #early = new Map<number, Pending>();
  readonly #earlyProgress = new Map<string, Seq[]>();
  readonly #arranged = new Map<string, Arrangement>();
  readonly #purposes = new Map<string, { purpose: Purpose; fences?: Folding }>();
  readonly #misaddressed = new Map<string, Folding>();
  /** Rounds that are about to begin, by session and key. */
  readonly #rounds = new Map<string, { readonly call: Folding; readonly round: Round }>();
  /** Calls by the HTTP exchanges that carry something of theirs. */
  readonly #byExchange = new Map<Exchange, Folding>();
  /** POSTs of cancels for requests that have not appeared yet, by session and key. */
  readonly #earlyPosts = new Map<string, Exchange[]>();
  /** Messages that faults of ours have named, by session and number. */
  readonly #items = new Map<string, Folding<Faulted>>();
  /** By session and direction: the fault that is about the next message. */
  readonly #ahead = new Map<string, Folding<Faulted>>();
  /** Faults about what belongs to requests that have not appeared yet, by session, sender and key. */
  readonly #earlyFaults = new Map<string, Folding<Faulted>[]>();
  /** How many more copies of a request faults of ours send. */
  readonly #copies = new Map<string, number>();
  /** Index of each frame's call plus one, 0 for none. */
  readonly #owners: Column<Counts> = counts();
  readonly #tasks: Tasks;

  constructor(trace: Trace) {
    this.#trace = trace;
    this.#tasks = new Tasks(trace, this.all, (session) => this.#sameServerBefore(session));
  }

  take(end = this.#trace.length): void {
    while (this.folded < end) {
      this.touched = undefined;
      this.#owners.push(0);
      this.#frame(this.folded);
      this.folded++;
    }
  }

  find(session: SessionNumber, sender: Sender, key: string): Folding | undefined {
    const number = this.#trace.names.find(key);
    return number === undefined ? undefined : this.#newest.get(slot(session, sender, number));
  }

  ofFrame(seq: Seq): Folding | undefined {
    return seq < this.#owners.length ? this.all[this.#owners.at(seq) - 1] : undefined;
  }

  taskOf(call: Call): Task | undefined {
    return this.#tasks.about(call);
  }

  trim(): void {
    this.#owners.trim();
  }

  #frame(seq: Seq): void {
    switch (this.#trace.kind(seq)) {
      case 'message':
        this.#message(seq);
        break;
      case 'noise':
        this.#session(this.#trace.session(seq)).noise.push(seq);
        break;
      case 'life':
        this.#life(seq);
        break;
      case 'act':
        this.#act(seq);
        break;
      case 'http':
        this.#http(seq);
        break;
      case 'stderr':
      case 'effect':
        break;
    }
  }

  #message(seq: Seq): void {
    if (this.#ahead.size > 0) this.#faulted(seq);
    switch (this.#trace.shape(seq)) {
      case 'request':
        this.#request(seq);
        break;
      case 'notification':
        this.#notification(seq);
        break;
      case 'result':
      case 'error':
        this.#reply(seq);
        break;
      case 'invalid':
        this.#session(this.#trace.session(seq)).withoutId.push(seq);
        break;
      case 'none':
        break;
    }
  }

  #request(seq: Seq): void {
    const trace = this.#trace;
    const session = this.#session(trace.session(seq));
    const sender = trace.dir(seq) === 'c2s' ? 'client' : 'server';
    const key = trace.key(seq);
    const at = slot(session.number, sender, trace.keyNumber(seq));
    const before = this.#newest.get(at);
    const known = `${session.number} ${key}`;
    const mine = sender === 'client';
    const exchange = mine ? this.#exchangeOf(seq, session) : undefined;
    const next = mine ? this.#rounds.get(known) : undefined;
    if (next) {
      this.#rounds.delete(known);
      next.round.sent = this.#stamp(seq);
      this.#goesOn(seq, next.call, exchange);
      return;
    }
    if (exchange && before && this.#isSentAgain(seq, before)) {
      this.#sentAgain(seq, before, exchange);
      return;
    }
    if (before && mine && (before.written === undefined || this.#isCopy(known))) {
      this.#isWritten(seq, before, exchange);
      return;
    }
    const extra = trace.extra(seq);
    const tool = extra?.about === 'request' ? extra.tool : undefined;
    const call = this.#begun({ seq, sender, tool, exchange, written: true });
    if (exchange) this.#carries(exchange, call);
    this.#own(seq, call);
    this.touched = call;
  }

  /** A new call, with what came too early for it. */
  #begun(of: FirstFrame): Folding {
    const { seq, sender } = of;
    const session = this.#session(this.#trace.session(seq));
    const known = `${session.number} ${this.#trace.key(seq)}`;
    const at = slot(session.number, sender, this.#trace.keyNumber(seq));
    const before = this.#newest.get(at);
    const call = this.#called(of);
    const extra = this.#trace.extra(seq);
    if (extra?.about === 'request' && extra.token !== undefined) this.#adoptProgress(call, extra.token);
    this.#asksOfTask(call, extra, session);
    this.#adopt(call, at, before, session);
    for (const post of sender === 'client' ? (this.#earlyPosts.get(known) ?? []) : []) this.#carriesCancel(post, call);
    if (sender === 'client') this.#earlyPosts.delete(known);
    return call;
  }

  /** A new call. @param of its first frame: its request, or the fault that keeps this from the wire */
  #called({ seq, sender, tool, exchange, written }: FirstFrame): Folding {
    const trace = this.#trace;
    const session = this.#session(trace.session(seq));
    const key = trace.key(seq);
    const at = slot(session.number, sender, trace.keyNumber(seq));
    const known = `${session.number} ${key}`;
    const mine = sender === 'client';
    const purpose = mine ? this.#purposes.get(known) : undefined;
    const extra = trace.extra(seq);
    const stamp = this.#stamp(seq);
    const method = extra?.about === 'act' && extra.act.act === 'fault' ? extra.act.method : trace.name(seq);
    const call: Folding = {
      index: this.all.length,
      session: session.number,
      sender,
      key,
      occurrence: (this.#newest.get(at)?.occurrence ?? 0) + 1,
      method,
      tool,
      sent: stamp,
      written: written ? stamp : undefined,
      faults: this.#earlyFaults.get(tokenOf(session.number, sender, key)) ?? NONE,
      exchanges: exchange ? [exchange] : NONE,
      cancelExchanges: NONE,
      purpose: purpose?.purpose ?? (isAboutTask(method) ? 'task' : 'call'),
      arrangement: mine ? this.#arranged.get(known) : undefined,
      rounds: NONE,
      replies: NONE,
      cancels: NONE,
      misaddressed: NONE,
      stops: NONE,
      undelivered: NONE,
      progress: NONE,
      fence: undefined,
      guards: purpose?.fences?.index,
      task: undefined,
    };
    this.all.push(call);
    session.calls.push(call.index);
    if (call.purpose === 'idle') session.idlePings.push(call.index);
    this.#newest.set(at, call);
    if (mine) this.#purposes.delete(known);
    if (mine) this.#arranged.delete(known);
    this.#earlyFaults.delete(tokenOf(session.number, sender, key));
    if (purpose?.fences) purpose.fences.fence = call.index;
    return call;
  }

  /** The message of a request that a fault had kept is on the wire, or a copy of it. */
  #isWritten(seq: Seq, call: Folding, exchange: Exchange | undefined): void {
    const extra = this.#trace.extra(seq);
    call.written ??= this.#stamp(seq);
    if (extra?.about === 'request' && extra.token !== undefined) this.#adoptProgress(call, extra.token);
    if (!this.#tasks.about(call)) this.#asksOfTask(call, extra, this.#session(call.session));
    if (exchange) this.#sentAgain(seq, call, exchange);
    this.#own(seq, call);
    this.touched = call;
  }

  /** A request is about a task: it names it, also where a fault keeps it from the wire. */
  #asksOfTask(call: Folding, extra: Extra | undefined, session: Session): void {
    const task = call.purpose === 'task' ? taskNamedBy(extra) : undefined;
    if (task !== undefined) this.#taskChanged(this.#tasks.asked(call, task), session);
  }

  #isCopy(known: string): boolean {
    const copies = this.#copies.get(known) ?? 0;
    if (copies > 0) this.#copies.set(known, copies - 1);
    return copies > 0;
  }

  /** A fault of ours that is about a message of this direction stood before it. */
  #faulted(seq: Seq): void {
    const way = `${this.#trace.session(seq)} ${this.#trace.dir(seq)}`;
    const faulted = this.#ahead.get(way);
    if (!faulted) return;
    faulted.frame = seq;
    this.#ahead.delete(way);
  }

  /** A client's request that nobody had answered is on its way once more, by another POST: after a login, or a redirect. */
  #isSentAgain(seq: Seq, before: Folding): boolean {
    return before.exchanges.length > 0 && !answersOf(before).some((reply) => reply.t < this.#trace.t(seq));
  }

  #sentAgain(seq: Seq, call: Folding, exchange: Exchange): void {
    call.exchanges = added(call.exchanges, exchange);
    this.#carries(exchange, call);
    this.#own(seq, call);
    this.touched = call;
  }

  /** The next round of a call is its own: what is answered, cancelled or reported under the new id is the call's. */
  #goesOn(seq: Seq, call: Folding, exchange: Exchange | undefined): void {
    if (exchange) call.exchanges = added(call.exchanges, exchange);
    const extra = this.#trace.extra(seq);
    if (extra?.about === 'request' && extra.token !== undefined) this.#adoptProgress(call, extra.token);
    const at = slot(call.session, call.sender, this.#trace.keyNumber(seq));
    this.#adopt(call, at, undefined, this.#session(call.session));
    if (exchange) this.#carries(exchange, call);
    this.#own(seq, call);
    this.touched = call;
  }

  /** The reply that asked for a round is taken for that, and what is said of the new id is said of the call. */
  #roundBegins(seq: Seq, call: Folding, of: string): void {
    const key = this.#trace.key(seq);
    const asked = call.replies.find((reply) => reply.asksInput);
    if (asked) call.replies = call.replies.filter((reply) => reply !== asked);
    const round: Round = { ...this.#stamp(seq), key, of, asked, sent: undefined };
    call.rounds = added(call.rounds, round);
    this.#newest.set(slot(call.session, call.sender, this.#trace.keyNumber(seq)), call);
    this.#rounds.set(`${call.session} ${key}`, { call, round });
  }

  /** Stopped before the next round was sent: it will not be, and what there is is the reply that asked for it. */
  #noFurtherRound(call: Folding): void {
    const last = call.rounds.at(-1);
    if (!last || last.sent) return;
    call.rounds = call.rounds.slice(0, -1);
    this.#rounds.delete(`${call.session} ${last.key}`);
    if (last.asked) call.replies = added(call.replies, last.asked);
  }

  /** Gives a request what was appended before it and is not older: orphans, and what its id's former holder took for its own. */
  #adopt(call: Folding, at: number, before: Folding | undefined, session: Session): void {
    // Over HTTP the request is stamped when it has been written; a cancel by another POST can have overtaken it by then.
    const since = call.exchanges[0]?.request?.t ?? call.sent.t;
    const early = this.#early.get(at);
    if (early) {
      call.replies = moved(early.replies, call.replies, since);
      call.cancels = moved(early.cancels, call.cancels, since);
      for (const reply of call.replies) remove(session.orphans, reply);
    }
    if (before) this.#inherit(call, before, since, session);
    const answers = call.replies;
    for (const { seq } of [...answers, ...call.cancels]) this.#own(seq, call);
    if (answers.length > 0) this.#answer(call, answers, session);
    for (const reply of answers) this.#tell(call, reply, session);
  }

  /** Takes from an id's former holder what is not older than the new one's request. */
  #inherit(call: Folding, before: Folding, since: Ns, session: Session): void {
    call.cancels = moved(before.cancels, call.cancels, since);
    const answers = [...answersOf(before)];
    const mine = moved(answers, [], since);
    if (mine.length === 0) return;
    call.replies = [...call.replies, ...mine];
    for (const reply of mine) this.#tasks.unanswered(before, reply);
    this.#answer(before, answers, session);
  }

  /** What was answered to a request: its replies, unless it was made into a task; then what that came to. */
  #answer(call: Folding, answers: Reply[], session: Session): void {
    const made = call.task !== undefined || answers.some(({ seq }) => (this.#trace.bits(seq) & BIT.makesTask) !== 0);
    const task = made ? this.#tasks.made(call, answers) : undefined;
    call.task = task;
    if (task) this.#taskChanged(task, session);
    else call.replies = answers;
  }

  /** What a reply to a `tasks/…` request says of the task. */
  #tell(call: Folding, reply: Reply, session: Session): void {
    const task = call.purpose === 'task' ? this.#tasks.answered(call, reply) : undefined;
    if (task) this.#taskChanged(task, session);
  }

  /** Earlier sessions with the server at the same address: what it had begun then may still go on. */
  #sameServerBefore(number: SessionNumber): readonly SessionNumber[] {
    const url = this.sessions.get(number)?.connecting?.life.url;
    if (url === undefined) return NONE;
    const same = [...this.sessions.values()].filter((one) => one.number < number && one.connecting?.life.url === url);
    return same.map((one) => one.number).sort((a, b) => b - a);
  }

  /** More is known of a task: perhaps what it came to. @returns the call that it was made of */
  #taskChanged(task: Task, session: Session): Folding | undefined {
    const known = session.tasks.get(task.id);
    const isNewest = !known || (known.call ?? -1) <= (task.call ?? -1);
    if (task.sender === 'client' && isNewest) session.tasks.set(task.id, task);
    const call = task.call === undefined ? undefined : this.all[task.call];
    if (!call) return undefined;
    call.task = task;
    call.replies = this.#tasks.outcomes(task);
    return call;
  }

  #http(seq: Seq): void {
    const extra = this.#trace.extra(seq);
    if (extra?.about !== 'http') return;
    const session = this.#session(this.#trace.session(seq));
    const exchange = session.exchanges.take(this.#stamp(seq), extra.http);
    if (extra.http.http === 'request' && extra.http.cancels !== undefined) this.#cancelPosted(exchange, session, extra.http.cancels);
    this.#toOwner(seq, this.#byExchange.get(exchange) ?? this.#resumed(exchange, session));
  }

  /** The call whose response a GET takes up, where the GET itself says so. */
  #resumed({ request }: Exchange, session: Session): Folding | undefined {
    const { purpose, id } = request?.http ?? {};
    return purpose === 'stream' && id !== undefined ? this.find(session.number, 'client', keyOf(id)) : undefined;
  }

  #cancelPosted(exchange: Exchange, session: Session, id: RequestId): void {
    const call = this.find(session.number, 'client', keyOf(id));
    if (call) this.#carriesCancel(exchange, call);
    else push(this.#earlyPosts, `${session.number} ${keyOf(id)}`, exchange);
  }

  #carriesCancel(exchange: Exchange, call: Folding): void {
    call.cancelExchanges = added(call.cancelExchanges, exchange);
    this.#carries(exchange, call);
  }

  /** An exchange is a call's, and so are its frames that have been appended already. */
  #carries(exchange: Exchange, call: Folding): void {
    this.#byExchange.set(exchange, call);
    for (const step of [exchange.request, exchange.response, exchange.opened, exchange.end, ...exchange.events])
      if (step) this.#own(step.seq, call);
  }

  #exchangeOf(seq: Seq, session: Session): Exchange | undefined {
    const number = this.#trace.exchange(seq);
    return number === 0 ? undefined : session.exchanges.of(number);
  }

  #adoptProgress(call: Folding, token: string): void {
    const name = tokenOf(call.session, call.sender, token);
    const number = this.#trace.names.find(token);
    // A token that has a number in the trace is found by it, and by nothing else; most tokens are ids, which have one.
    if (number === undefined) this.#byToken.set(name, call);
    else this.#byTokenSlot.set(slot(call.session, call.sender, number), call);
    const early = this.#earlyProgress.get(name);
    if (!early) return;
    this.#earlyProgress.delete(name);
    const stray = this.#session(call.session).strayProgress;
    for (const seq of early) {
      call.progress = added(call.progress, seq);
      this.#own(seq, call);
      remove(stray, seq);
    }
  }

  #notification(seq: Seq): void {
    const trace = this.#trace;
    const session = this.#session(trace.session(seq));
    const method = trace.name(seq);
    if (method === 'notifications/progress') this.#progress(seq, session);
    else if (method === 'notifications/cancelled') this.#cancelled(seq, session);
    else if (method === 'notifications/message') session.logs.push(seq);
    else this.#taskNews(seq, session);
  }

  /** News of a task goes to whoever asked for it: against the direction in which it travels. */
  #taskNews(seq: Seq, session: Session): void {
    const extra = this.#trace.extra(seq);
    if (extra?.about !== 'task') return;
    const sender = this.#trace.dir(seq) === 's2c' ? 'client' : 'server';
    const call = this.#taskChanged(this.#tasks.noticed(this.#stamp(seq), session.number, sender, extra.task), session);
    this.#toOwner(seq, call);
  }

  /** Progress goes to the sender of the request that gave the token out: against the direction in which it travels. */
  #progress(seq: Seq, session: Session): void {
    const sender = this.#trace.dir(seq) === 's2c' ? 'client' : 'server';
    const at = slot(session.number, sender, this.#trace.keyNumber(seq));
    let call = this.#byTokenSlot.get(at);
    const name = call ? '' : tokenOf(session.number, sender, this.#trace.key(seq));
    call ??= this.#byToken.get(name);
    if (call) {
      this.#byTokenSlot.set(at, call);
      call.progress = added(call.progress, seq);
      this.#own(seq, call);
      this.touched = call;
      return;
    }
    session.strayProgress.push(seq);
    push(this.#earlyProgress, name, seq);
  }

  /** Only the sender of a request may cancel it, so a cancel travels in the request's own direction. */
  #cancelled(seq: Seq, session: Session): void {
    const trace = this.#trace;
    const sender = trace.dir(seq) === 'c2s' ? 'client' : 'server';
    const extra = trace.extra(seq);
    const reason = extra?.about === 'cancelled' ? extra.reason : undefined;
    const cancel: Cancel = { seq, t: trace.t(seq), reason, exchange: this.#exchangeOf(seq, session) };
    const meant = this.#misaddressed.get(`${session.number} ${trace.key(seq)}`);
    if (meant && sender === 'client') {
      meant.misaddressed = added(meant.misaddressed, cancel);
      this.#misaddressed.delete(`${session.number} ${trace.key(seq)}`);
      this.#own(seq, meant);
      this.touched = meant;
    }
    if (trace.keyNumber(seq) < 0) return;
    const at = slot(session.number, sender, trace.keyNumber(seq));
    const call = this.#newest.get(at);
    if (call) {
      call.cancels = added(call.cancels, cancel);
      if (!meant) this.#own(seq, call);
      this.touched ??= call;
    } else this.#pending(at).cancels.push(cancel);
  }

  #reply(seq: Seq): void {
    const trace = this.#trace;
    const session = this.#session(trace.session(seq));
    const bits = trace.bits(seq);
    if (bits & BIT.withoutId) {
      session.withoutId.push(seq);
      return;
    }
    const sender = trace.dir(seq) === 's2c' ? 'client' : 'server';
    const shape = trace.shape(seq) === 'error' ? 'error' : 'result';
    const extra = trace.extra(seq);
    // Spelled out, here and below: an object that begins as a copy of another is half as large again.
    const reply: Reply = {
      seq,
      t: trace.t(seq),
      shape,
      code: shape === 'error' ? trace.num(seq) : undefined,
      isError: (bits & BIT.isError) !== 0,
      asksInput: (bits & BIT.asksInput) !== 0,
      asks: extra?.about === 'asks' ? extra.methods : NONE,
      means: extra?.about === 'refused' ? extra.says : undefined,
      saysCancelled: (bits & BIT.saysCancelled) !== 0,
      exchange: trace.exchange(seq),
    };
    this.#listed(reply, session, sender);
    const at = slot(session.number, sender, trace.keyNumber(seq));
    const call = this.#newest.get(at);
    if (!call) {
      session.orphans.push(reply);
      this.#pending(at).replies.push(reply);
      return;
    }
    if (!this.#ofEarlierRound(call, trace.key(seq), reply)) {
      if (call.task || bits & BIT.makesTask) this.#answer(call, [...answersOf(call), reply], session);
      else call.replies = added(call.replies, reply);
      this.#tell(call, reply, session);
    }
    // Most calls are over with their answer: what was kept free for more progress is given back.
    if (call.progress.length > 0) call.progress = call.progress.slice();
    this.#own(seq, call);
    this.touched = call;
  }

  /** Whether a reply is to a round that another one has followed: it decides nothing any more. */
  #ofEarlierRound(call: Folding, key: string, reply: Reply): boolean {
    const next = call.rounds.find(({ of }) => of === key);
    if (next) next.asked ??= reply;
    return next !== undefined;
  }

  /** What a reply lists, whatever was asked: tools, tasks. */
  #listed(reply: Reply, session: Session, sender: Sender): void {
    const extra = this.#trace.extra(reply.seq);
    if (extra?.about === 'tools') for (const tool of extra.tools) session.tools.set(tool.name, { ...tool, seq: reply.seq, t: reply.t });
    if (extra?.about !== 'tasks') return;
    for (const task of this.#tasks.listed(reply, session.number, sender, extra.tasks)) this.#taskChanged(task, session);
  }

  #life(seq: Seq): void {
    const extra = this.#trace.extra(seq);
    if (extra?.about !== 'life') return;
    const session = this.#session(this.#trace.session(seq));
    const stamp = this.#stamp(seq);
    const { life } = extra;
    switch (life.event) {
      case 'started':
        session.started = { ...stamp, life };
        session.transport = 'stdio';
        break;
      case 'connecting':
        session.connecting = { ...stamp, life };
        session.transport = life.transport;
        break;
      case 'fell-back':
        session.transport = life.to;
        break;
      case 'opened':
        session.opened = { ...stamp, life };
        session.transport = life.transport;
        break;
      case 'exited':
      case 'lost':
      case 'closed':
        session.ends.push({ ...stamp, life });
        break;
      case 'outlived':
        session.outlived.push({ ...stamp, life });
        break;
      case 'auth':
        session.exchanges.authorized(stamp.t, life);
        break;
      case 'failed':
        break;
    }
  }

  #act(seq: Seq): void {
    const extra = this.#trace.extra(seq);
    if (extra?.about !== 'act') return;
    const session = this.#trace.session(seq);
    const stamp = this.#stamp(seq);
    const act: Act = extra.act;
    switch (act.act) {
      case 'call':
        this.#arranged.set(`${session} ${keyOf(act.id)}`, {
          seq,
          t: stamp.t,
          probes: act.probes,
          settle: act.settle,
          normally: act.normally,
          fence: act.fence,
          retryOf: act.retryOf,
          undoOf: act.undoOf,
          owns: act.owns ?? OWNS_NOTHING,
          task: act.task,
        });
        break;
      case 'stop': {
        const call = this.#mine(session, act.id);
        if (call && act.late) this.#noFurtherRound(call);
        if (call) call.stops = added(call.stops, { ...stamp, how: act.how, reason: act.reason, wrote: act.wrote, late: act.late });
        if (call && act.wrote && act.how.means === 'cancel-id') this.#misaddressed.set(`${session} ${keyOf(act.how.id)}`, call);
        this.#toOwner(seq, call);
        break;
      }
      case 'undelivered': {
        const call = this.#mine(session, act.id);
        if (call) call.undelivered = added(call.undelivered, { ...stamp, why: act.why });
        this.#toOwner(seq, call);
        break;
      }
      case 'fence': {
        const call = this.#mine(session, act.id);
        this.#purposes.set(`${session} ${keyOf(act.ping)}`, { purpose: 'fence', ...(call ? { fences: call } : {}) });
        this.#toOwner(seq, call);
        break;
      }
      case 'faults':
        this.#session(session).faults.push({ ...stamp, rules: act.rules });
        break;
      case 'fault':
        this.#fault(seq, act);
        break;
      case 'released': {
        const faulted = this.#items.get(`${session} ${act.item}`);
        if (faulted) faulted.released = { ...stamp, by: act.by };
        this.#toOwner(seq, this.#ofFault(session, faulted));
        break;
      }
      case 'probe':
        this.#purposes.set(`${session} ${keyOf(act.id)}`, { purpose: 'probe' });
        break;
      case 'idle':
        this.#purposes.set(`${session} ${keyOf(act.ping)}`, { purpose: 'idle' });
        break;
      case 'listen':
        this.#purposes.set(`${session} ${keyOf(act.id)}`, { purpose: 'listen' });
        break;
      case 'round': {
        const call = this.#mine(session, act.of);
        if (call) this.#roundBegins(seq, call, keyOf(act.of));
        this.#toOwner(seq, call);
        break;
      }
    }
  }

  /** A fault of ours has named a message. */
  #fault(seq: Seq, { fault, rule, item, what, method, id, tool }: Extract<Act, { act: 'fault' }>): void {
    const session = this.#trace.session(seq);
    const dir = this.#trace.dir(seq) === 'c2s' ? 'c2s' : 's2c';
    const key = id === undefined ? undefined : keyOf(id);
    const stamp = this.#stamp(seq);
    const faulted: Folding<Faulted> = { ...stamp, fault, rule, item, dir, what, method, key, frame: undefined, released: undefined };
    this.#items.set(`${session} ${item}`, faulted);
    if (dir === 's2c') this.#ahead.set(`${session} ${dir}`, faulted);
    const known = `${session} ${key}`;
    // A request by which a call goes on (2026-07-28) begins none.
    const round = dir === 'c2s' && what === 'request' ? this.#rounds.get(known) : undefined;
    const keeps = dir === 'c2s' && what === 'request' && fault !== 'duplicate' && fault !== 'cut' && !round;
    if (keeps) this.#own(seq, this.#begun({ seq, sender: 'client', tool, exchange: undefined, written: false }));
    if (dir === 'c2s' && what === 'request' && fault === 'duplicate') this.#copies.set(known, (this.#copies.get(known) ?? 0) + 1);
    const call = round?.call ?? this.#ofFault(session, faulted);
    if (call) call.faults = added(call.faults, faulted);
    else if (key !== undefined && what !== 'notification') push(this.#earlyFaults, tokenOf(session, senderOf(faulted), key), faulted);
    if (call && dir === 'c2s' && what === 'cancel' && fault === 'drop')
      call.undelivered = added(call.undelivered, { ...stamp, why: `a fault of ours dropped it (${rule})` });
    this.#toOwner(seq, call);
  }

  /** The call that a fault is about. */
  #ofFault(session: SessionNumber, of: Faulted | undefined): Folding | undefined {
    return of?.key === undefined || of.what === 'notification' ? undefined : this.find(session, senderOf(of), of.key);
  }

  #mine(session: SessionNumber, id: RequestId): Folding | undefined {
    return this.find(session, 'client', keyOf(id));
  }

  #toOwner(seq: Seq, call: Folding | undefined): void {
    if (!call) return;
    this.#own(seq, call);
    this.touched = call;
  }

  #own(seq: Seq, call: Folding): void {
    this.#owners.set(seq, call.index + 1);
  }

  #stamp(seq: Seq): Stamp {
    return { seq, t: this.#trace.t(seq) };
  }

  #pending(at: number): Pending {
    const known = this.#early.get(at);
    if (known) return known;
    const pending: Pending = { replies: [], cancels: [] };
    this.#early.set(at, pending);
    return pending;
  }

  #session(number: SessionNumber): Session {
    let session = this.sessions.get(number);
    if (!session) {
      session = {
        number,
        transport: undefined,
        exchanges: new Exchanges(number),
        connecting: undefined,
        opened: undefined,
        started: undefined,
        ends: [],
        outlived: [],
        tools: new Map(),
        faults: [],
        calls: [],
        idlePings: [],
        logs: [],
        orphans: [],
        withoutId: [],
        noise: [],
        strayProgress: [],
        tasks: new Map(),
      };
      this.sessions.set(number, session);
    }
    return session;
  }
}

function taskNamedBy(extra: Extra | undefined): string | undefined {
  if (extra?.about === 'request') return extra.task;
  if (extra?.about !== 'act' || extra.act.act !== 'fault' || extra.act.raw === undefined) return undefined;
  return taskNamedBy(factsOf(JSON.parse(extra.act.raw))?.extra);
}

const KEYS = 2 ** 31;
const slot = (session: SessionNumber, sender: Sender, key: number): number => (session * 2 + (sender === 'client' ? 0 : 1)) * KEYS + key;
const tokenOf = (session: SessionNumber, sender: Sender, token: string): string => `${session} ${sender} ${token}`;

/** Who sent the request that a fault is about: a cancel goes the same way, a reply the other. */
const senderOf = ({ dir, what }: Faulted): Sender => ((dir === 'c2s') !== (what === 'reply') ? 'client' : 'server');

/** Moves what is not older than `since` from one list to another. @returns the other */
function moved<S extends Stamp>(from: S[], to: S[], since: Ns): S[] {
  const late = from.filter((item) => item.t >= since);
  if (late.length === 0) return to;
  from.splice(0, from.length, ...from.filter((item) => item.t < since));
  return [...to, ...late];
}

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
