// A task: work that the server goes on with after it has answered the request that asked for it. What is known of it comes in
// pieces, by replies to other requests and by notifications, and every piece is kept with the frame that said it. The outcome
// of a task is the reply of the call that it was made of; its creation is none.
import { FOREVER, fromMs, type Ns } from '../base/time';
import type { SessionNumber } from '../wire/frame';
import { BIT, type TaskFacts } from '../wire/jsonrpc';
import type { Call, Reply, Sender, Session, Stamp } from './calls';
import type { Trace } from './trace';

/**
 * What said that a task is in a state: the reply that created it, a poll (`tasks/get`), a notification, the reply to
 * `tasks/cancel`, a listing (`tasks/list`), its result when it was fetched (`tasks/result`).
 */
export const SAID_BY = ['creation', 'poll', 'notification', 'cancel', 'list', 'result'] as const;
export type SaidBy = (typeof SAID_BY)[number];

/** A state of a task, each time that it was said. */
export interface TaskState extends Stamp {
  /** `working`, `input_required`, `completed`, `failed`, `cancelled`, or what else a server says. */
  readonly status: string;
  readonly by: SaidBy;
  /** Index of the `tasks/…` call whose reply said it. */
  readonly asked: number | undefined;
  /** What the server says beside it. */
  readonly says: string | undefined;
  /** Of a failure: the code of the error that it came to. */
  readonly code: number | undefined;
  /** The result came along, and says `isError`. */
  readonly isError: boolean;
}

/** A request about a task that was answered with an error. */
export interface TaskRefusal extends Stamp {
  /** Index of that `tasks/…` call. */
  readonly asked: number;
  readonly code: number;
}

export interface Task {
  readonly id: string;
  /** Who asked for it. */
  readonly sender: Sender;
  /** Index of the call that it was made of; undefined for one that nobody here has created. */
  readonly call: number | undefined;
  /** The reply that created it. */
  readonly created: Stamp | undefined;
  /** What was answered to the request that created it: the creation, and whatever else came. */
  readonly answers: readonly Reply[];
  /** In the order of their times. */
  readonly states: readonly TaskState[];
  /** Indices of the calls about it: `tasks/get`, `tasks/result`, `tasks/cancel`, `tasks/update`. */
  readonly polls: readonly number[];
  readonly results: readonly number[];
  readonly cancels: readonly number[];
  readonly updates: readonly number[];
  readonly refusals: readonly TaskRefusal[];
  /** Some state that was said is an end. */
  readonly ended: boolean;
  /** How long the server keeps it since it was created; FOREVER where it says that it does not forget it. */
  readonly ttl: Ns | undefined;
  /** How long the server asks to be left alone between two polls. */
  readonly pollInterval: Ns | undefined;
}

/** Whether a task in this state changes no more. */
export const isTerminal = (status: string): boolean => isDone(status) || status === CANCELLED;
const isDone = (status: string): boolean => status === 'completed' || status === 'failed';
const CANCELLED = 'cancelled';

/** What was answered to a request, on the wire: of a call that became a task that is not its outcome. */
export const answersOf = (call: Call): readonly Reply[] => call.task?.answers ?? call.replies;

/** Means by which a client stops to ask for the state of a task and tells nobody. */
const GIVEN_UP: ReadonlySet<string> = new Set(['stop-polling', 'abandon', 'timeout', 'drop']);

/**
 * The tasks of a session that are at work as far as anybody knows, and that nobody asks for any more: those that were only heard
 * of, by a listing or by news, and those whose call was given up without a word. Whoever looks at them may cancel them.
 */
export function orphanedTasks({ number, tasks }: Session, all: readonly Call[]): readonly Task[] {
  return [...tasks.values()].filter((task) => {
    if (task.ended || task.states.length === 0) return false;
    const call = task.call === undefined ? undefined : all[task.call];
    if (!call) return task.polls.length === 0;
    // Heard of in a later session as well: it is told of once.
    if (call.session !== number) return false;
    const given = call.stops.findLast(({ how, wrote }) => !wrote && GIVEN_UP.has(how.means));
    return given !== undefined && !task.polls.some((poll) => (all[poll]?.sent.t ?? 0) > given.t);
  });
}

/** The states at which a task's state changed, in order: most polls say what the one before said. */
export const changesOf = (task: Task): readonly TaskState[] =>
  task.states.filter((state, index) => state.status !== task.states[index - 1]?.status);

type Folding = { -readonly [K in keyof Task]: Task[K] extends readonly (infer Item)[] ? Item[] : Task[K] };

/** Requests about a task, by their method; the rest asks for nothing that is counted. */
const ASKS = { 'tasks/get': 'polls', 'tasks/result': 'results', 'tasks/cancel': 'cancels', 'tasks/update': 'updates' } as const;
const asks = (method: string): (typeof ASKS)[keyof typeof ASKS] | undefined => ASKS[method as keyof typeof ASKS];

/** 2025-11-25, Tasks: ids need enough entropy not to be guessed. One that is shorter may be given out again by a server that was started anew. */
const UNGUESSABLE = 16;

/** JSON-RPC errors that refuse a request by itself: what became of the task they do not say. */
const REFUSES: ReadonlySet<number> = new Set([-32600, -32601, -32602]);

/** The tasks of a trace, by session, by who asked for them, and by id. */
export class Tasks {
  readonly #trace: Trace;
  readonly #all: readonly Call[];
  /** All that had an id, in the order in which their calls were sent: ids may be used again. */
  readonly #byId = new Map<string, Folding[]>();
  /** By index of a call that is about one. */
  readonly #about = new Map<number, Folding>();
  readonly #before: (session: SessionNumber) => readonly SessionNumber[];

  /** @param before the sessions before one in which the same server was spoken to, the newest first */
  constructor(trace: Trace, all: readonly Call[], before: (session: SessionNumber) => readonly SessionNumber[]) {
    this.#trace = trace;
    this.#all = all;
    this.#before = before;
  }

  /** The task that a `tasks/…` call is about. */
  about(call: Call): Task | undefined {
    return this.#about.get(call.index);
  }

  /** A `tasks/…` request was sent. */
  asked(call: Call, id: string): Task {
    const task = this.#at(call, id, call.sent.t);
    this.#about.set(call.index, task);
    const list = asks(call.method);
    if (list) task[list].push(call.index);
    return task;
  }

  /** A `tasks/…` request was answered. */
  answered(call: Call, reply: Reply): Task | undefined {
    const task = this.#about.get(call.index);
    const list = asks(call.method);
    if (!task || !list) return task;
    if (reply.shape === 'error') task.refusals.push({ seq: reply.seq, t: reply.t, asked: call.index, code: reply.code ?? 0 });
    else if (list === 'results') this.#fetched(task, call, reply);
    else if (list !== 'updates') this.#says(task, reply, list === 'polls' ? 'poll' : 'cancel', call.index, this.#factsOf(reply));
    return task;
  }

  /** A reply no longer counts as this call's: its id was used again, and the reply is the later one's. */
  unanswered(call: Call, { seq }: Reply): void {
    const task = this.#about.get(call.index);
    if (!task) return;
    task.states = task.states.filter((state) => state.seq !== seq);
    task.refusals = task.refusals.filter((refusal) => refusal.seq !== seq);
  }

  /** News of a task. */
  noticed(stamp: Stamp, session: number, sender: Sender, facts: TaskFacts): Task {
    const task = this.#at({ session, sender }, facts.id, stamp.t);
    this.#says(task, stamp, 'notification', undefined, facts);
    return task;
  }

  /** A listing; of a task that it says nothing new of nothing is kept. */
  listed(reply: Reply, session: number, sender: Sender, listed: readonly TaskFacts[]): readonly Task[] {
    return listed.map((facts) => {
      const task = this.#at({ session, sender }, facts.id, reply.t);
      const last = task.states.findLast(({ t }) => t <= reply.t);
      if (last?.status !== facts.status) this.#says(task, reply, 'list', undefined, facts);
      return task;
    });
  }

  /**
   * What was answered to a request.
   * @returns the task that it was made into, if it was made into one
   */
  made(call: Call, answers: readonly Reply[]): Task | undefined {
    const known = call.task && this.#byId.get(nameOf(call, call.task.id))?.find((task) => task.call === call.index);
    const creation = answers.find(({ seq }) => this.#makes(seq));
    const facts = creation && this.#factsOf(creation);
    if (!creation || !facts) {
      if (known) known.call = undefined;
      return undefined;
    }
    const task = known ?? this.#create(call, facts.id, creation);
    task.answers = [...answers];
    if (!known) this.#says(task, creation, 'creation', undefined, facts);
    return task;
  }

  /** How a task came out, as replies to the call that it was made of: none while it is at work. */
  outcomes({ answers, states, refusals, ended }: Task): Reply[] {
    if (!ended && refusals.length === 0 && answers.length < 2) return [];
    const outcomes = answers.filter(({ seq }) => !this.#makes(seq));
    const done = states.find(({ status }) => isDone(status));
    if (done) outcomes.push(this.#outcome(done, states));
    const cancelled = states.find(({ status }) => status === CANCELLED);
    if (cancelled) outcomes.push(this.#outcome(cancelled, states));
    // 2025-11-25, Tasks: where the request of a task came to an error, fetching its result comes to that error.
    const failed = refusals.find(({ asked, code }) => this.#all[asked]?.method === 'tasks/result' && !REFUSES.has(code));
    if (failed && !done && !cancelled) outcomes.push(this.#outcome({ ...failed, status: 'failed', isError: false }, []));
    return outcomes.length < 2 ? outcomes : outcomes.sort((a, b) => a.t - b.t || a.seq - b.seq);
  }

  /** @param states of them those that say the same say more of it: a result that is fetched later, whether it says `isError` */
  #outcome(first: Stamp & Pick<TaskState, 'status' | 'code' | 'isError'>, states: readonly TaskState[]): Reply {
    const { seq, t, status } = first;
    const same = [first, ...states.filter((state) => state.status === status)];
    return {
      seq,
      t,
      shape: status === 'completed' ? 'result' : 'error',
      code: same.find(({ code }) => code !== undefined)?.code,
      isError: same.some(({ isError }) => isError),
      asksInput: false,
      asks: [],
      means: undefined,
      saysCancelled: status === CANCELLED,
      exchange: this.#trace.exchange(seq),
    };
  }

  /** Its result was fetched: so it was completed. */
  #fetched(task: Folding, { index }: Call, { seq, t, isError }: Reply): void {
    this.#add(task, { seq, t, status: 'completed', by: 'result', asked: index, says: undefined, code: undefined, isError });
  }

  #says(task: Folding, { seq, t }: Stamp, by: SaidBy, asked: number | undefined, facts: TaskFacts | undefined): void {
    if (!facts) return;
    const { status, says, ttl, pollInterval, code, isError = false } = facts;
    if (ttl !== undefined) task.ttl = ttl === 'unlimited' ? FOREVER : fromMs(ttl);
    if (pollInterval !== undefined) task.pollInterval = fromMs(pollInterval);
    if (status !== undefined) this.#add(task, { seq, t, status, by, asked, says, code, isError });
  }

  /** Keeps the states in the order of their times; almost always the newest is the last. */
  #add(task: Folding, state: TaskState): void {
    let at = task.states.length;
    while (at > 0 && isBehind(task.states[at - 1], state)) at--;
    task.states.splice(at, 0, state);
    task.ended ||= isTerminal(state.status);
  }

  #makes(seq: number): boolean {
    return (this.#trace.bits(seq) & BIT.makesTask) !== 0;
  }

  #factsOf({ seq }: Stamp): TaskFacts | undefined {
    const extra = this.#trace.extra(seq);
    return extra?.about === 'task' ? extra.task : undefined;
  }

  /** The task that an id meant at a moment: the newest whose call had been sent by then, else the first. */
  #at(asker: Pick<Call, 'session' | 'sender'>, id: string, t: Ns): Folding {
    const name = nameOf(asker, id);
    const all = this.#byId.get(name) ?? [];
    const found = all.findLast((task) => this.#since(task) <= t) ?? all[0];
    if (found) return found;
    const task = this.#ofEarlier(asker, id) ?? blank(id, asker.sender, undefined, undefined);
    this.#byId.set(name, [task]);
    return task;
  }

  /** A task that was made in an earlier session: it outlives that, and may be asked for and cancelled in a later one. */
  #ofEarlier({ session, sender }: Pick<Call, 'session' | 'sender'>, id: string): Folding | undefined {
    if (id.length < UNGUESSABLE) return undefined;
    for (const earlier of this.#before(session)) {
      const task = this.#byId.get(nameOf({ session: earlier, sender }, id))?.at(-1);
      if (task) return task;
    }
    return undefined;
  }

  /** What was heard of a task before its call was sent is another one's, whose id has been used again. */
  #since({ call }: Task): number {
    return (call === undefined ? undefined : this.#all[call]?.sent.t) ?? Number.NEGATIVE_INFINITY;
  }

  /** Makes a call's task, of what was heard of its id since the call was sent, and until the id was used again. */
  #create(call: Call, id: string, { seq, t }: Reply): Folding {
    const name = nameOf(call, id);
    const all = this.#byId.get(name) ?? [];
    const next = all.find((other) => this.#since(other) > call.sent.t);
    const task = blank(id, call.sender, call.index, { seq, t });
    for (const other of all) this.#divide(other, task, call.sent.t, next ? this.#since(next) : Number.POSITIVE_INFINITY);
    const kept = all.filter((other) => other.call !== undefined || hasAnything(other));
    const ordered = [...kept, task].sort((a, b) => this.#since(a) - this.#since(b));
    this.#byId.set(name, ordered);
    return task;
  }

  /** Gives `task` what another one with its id took for its own between two moments. */
  #divide(other: Folding, task: Folding, from: number, to: number): void {
    const mine = (t: number): boolean => t >= from && t < to;
    for (const list of ['polls', 'results', 'cancels', 'updates'] as const) {
      const sent = (index: number): number => this.#all[index]?.sent.t ?? 0;
      task[list].push(...other[list].filter((index) => mine(sent(index))));
      other[list] = other[list].filter((index) => !mine(sent(index)));
      for (const index of task[list]) this.#about.set(index, task);
    }
    for (const state of other.states.filter(({ t }) => mine(t))) this.#add(task, state);
    other.states = other.states.filter(({ t }) => !mine(t));
    task.refusals.push(...other.refusals.filter(({ t }) => mine(t)));
    other.refusals = other.refusals.filter(({ t }) => !mine(t));
    task.ttl ??= other.ttl;
    task.pollInterval ??= other.pollInterval;
  }
}

const nameOf = ({ session, sender }: Pick<Call, 'session' | 'sender'>, id: string): string => `${session} ${sender} ${id}`;
const isBehind = (a: TaskState | undefined, b: TaskState): boolean => a !== undefined && (a.t > b.t || (a.t === b.t && a.seq > b.seq));
const hasAnything = ({ states, polls, results, cancels, updates }: Task): boolean =>
  states.length + polls.length + results.length + cancels.length + updates.length > 0;

const blank = (id: string, sender: Sender, call: number | undefined, created: Stamp | undefined): Folding => ({
  id,
  sender,
  call,
  created,
  answers: [],
  states: [],
  polls: [],
  results: [],
  cancels: [],
  updates: [],
  refusals: [],
  ended: false,
  ttl: undefined,
  pollInterval: undefined,
});
