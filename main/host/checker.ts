// Makes the runs of a report card on a running server, one after the other, each a small plan of its own as a scenario would
// have it; then says odd things to the server, in sessions of their own. Every line of the card is judged from the trace, so
// that an interruption keeps what there is.
import { minus, toMs } from '../../app/base/time';
import { type PlannedTool, planOf } from '../../app/contract/check';
import type { Tool } from '../../app/contract/host';
import { withRun } from '../../app/evidence/variables';
import type { Card } from '../../app/report/check/schema';
import { linesOf } from '../../app/scenario/check/card';
import type { CheckRecord, ExerciseRecord, RunRecord, ToolRecord } from '../../app/scenario/check/evidence';
import { EXERCISES, lookAfterMs, momentOf, otherMeans, RUNS, type RunKind, type Where, windowOf } from '../../app/scenario/check/plan';
import type { Op, Plan, PlannedCall } from '../../app/scenario/plan';
import type { Call } from '../../app/trace/calls';
import type { Verdict } from '../../app/verdict/verdict';
import { eraOf } from '../../app/wire/era';
import type { Means } from '../../app/wire/frame';
import { type Exerciser, exerciser } from './exercises';
import { Interrupted, type Live, NotReached } from './live';
import { type Names, runPlan } from './runner';
import { plain } from './why';

export interface CheckOptions {
  readonly live: Live;
  /** undefined: all of the server's. */
  readonly tools: readonly string[] | undefined;
  /** Tools that do not declare that they only read are called, for real. */
  readonly allowWrites: boolean;
  /** By tool; `${run}` in a text is the number of the call. */
  readonly arguments: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Ids of checks that are left out of the card. */
  readonly skip: readonly string[];
  /** How long a stopped call is watched at least. */
  readonly settleMs: number;
  /** How long a tool may take when nobody stops it. */
  readonly patienceMs: number;
  /** After this long no further run is begun. */
  readonly budgetMs: number;
  readonly onProgress: (progress: CheckProgress) => void;
  readonly warn: (line: string) => void;
}

/** How far a check has come. */
export interface CheckProgress {
  readonly done: number;
  readonly of: number;
  /** What is being done now, in words. */
  readonly doing: string;
  /** What is known so far. */
  readonly card: () => Card;
}

/**
 * Checks a server. An interruption, or the loss of the server, ends it and keeps what there is.
 * @returns judges everything that is in the trace by then: what ending the server brings to light counts as well
 */
export const check = (options: CheckOptions): Promise<() => Card> => new Checker(options).run();

/** A tool while it is tried. */
interface Trying {
  readonly tool: Tool;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly probes: readonly string[];
  readonly runs: Partial<Record<RunKind, RunRecord>>;
  readonly left: Partial<Record<RunKind, string>>;
  normallyMs: number | undefined;
}

const PROCESSES = 'processes';
const PROCESSES_EVERY_MS = 100;
/** What the repeat of a call may take, beside its normal duration: it may have to wait for the stopped one. */
const REPEAT_MS = 2000;

class Checker {
  readonly #options: CheckOptions;
  readonly #live: Live;
  readonly #where: Where;
  readonly #server: Card['server'];
  readonly #began = performance.now();
  readonly #tools: ToolRecord[] = [];
  readonly #exercises: ExerciseRecord[] = [];
  readonly #exerciser: Exerciser;
  /** The tool that was tried last. */
  #trying: Trying | undefined;
  #calls = 0;
  #pings = 0;
  #done = 0;
  #of = 0;
  #interrupted = false;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#live = options.live;
    const { protocol = '', transport = 'stdio', server: { name, version } = { name: '', version: '' } } = options.live.status;
    this.#where = { protocol, transport };
    this.#server = { name, version, protocol, transport };
    this.#exerciser = exerciser(options.live, this.#where);
  }

  async run(): Promise<() => Card> {
    const watched = await this.#watchProcesses();
    const planned = this.#plan();
    this.#of = EXERCISES.length + planned.reduce((sum, { plan }) => sum + (plan.called ? plan.runs.length : 0), 0);
    try {
      for (const one of planned) await this.#tool(one);
      if (watched) await this.#live.server.removeProbe(PROCESSES);
      await this.#wholeServer();
    } catch (error) {
      this.#ended(error, planned);
      if (watched) await this.#live.server.removeProbe(PROCESSES);
    }
    return this.#card;
  }

  /** What was not come to is said to be so, with why. */
  #ended(error: unknown, planned: readonly PlannedTool[]): void {
    if (!(error instanceof Interrupted) && !(error instanceof NotReached)) throw error;
    this.#interrupted = error instanceof Interrupted;
    const why = this.#interrupted ? 'The check was ended before.' : `The server could not be reached any more: ${plain(error)}`;
    if (!this.#interrupted) this.#options.warn(why);
    for (const run of RUNS) if (this.#trying && !this.#trying.runs[run]) this.#trying.left[run] ??= why;
    for (const { tool } of planned.slice(this.#tools.length)) this.#tools.push({ tool, refusal: why, runs: {}, left: {} });
    for (const exercise of EXERCISES.slice(this.#exercises.length)) this.#exercises.push({ exercise, tried: false, why });
  }

  readonly #card = (): Card => {
    const { recorder, judge } = this.#live.recording;
    const court = {
      trace: recorder.trace,
      calls: judge.calls,
      world: judge.world,
      findings: judge.findings,
      verdict: (call: number) => judge.verdict(call),
    };
    const record: CheckRecord = { where: this.#where, tools: this.#tools, exercises: this.#exercises };
    return { server: this.#server, lines: linesOf(record, court, this.#options.skip), interrupted: this.#interrupted };
  };

  #tell(doing: string): void {
    this.#options.onProgress({ done: this.#done, of: this.#of, doing, card: this.#card });
  }

  /** Where the server runs here its processes are watched, for what its tools leave behind. @returns whether a probe was added */
  async #watchProcesses(): Promise<boolean> {
    const { server, status } = this.#live;
    if (status.transport !== 'stdio' || status.probes.some(({ spec }) => spec.kind === 'process')) return false;
    const probe = { kind: 'process', name: PROCESSES, shared: false, everyMs: PROCESSES_EVERY_MS } as const;
    const { state, why } = await server.setProbe(probe);
    if (state !== 'failed') return true;
    this.#options.warn(`the server's processes cannot be watched: ${why}`);
    await server.removeProbe(PROCESSES);
    return false;
  }

  #plan(): readonly PlannedTool[] {
    const { tools, allowWrites, arguments: args } = this.#options;
    const { status } = this.#live;
    return status.tools
      .filter(({ name }) => tools === undefined || tools.includes(name))
      .map((tool) => planOf(status, tool, allowWrites, args[tool.name]));
  }

  async #tool({ tool, plan, probes, normallyMs }: PlannedTool): Promise<void> {
    if (!plan.called) {
      this.#tools.push({ tool, refusal: plan.why, runs: {}, left: {} });
      return;
    }
    const trying: Trying = { tool, arguments: plan.arguments, probes, runs: {}, left: { ...plan.left }, normallyMs };
    // In the record from the first run on: what an interruption leaves counts.
    this.#trying = trying;
    this.#tools.push({ tool, refusal: undefined, runs: trying.runs, left: trying.left });
    for (const run of RUNS) if (!plan.runs.includes(run)) trying.left[run] ??= 'It is not needed here.';
    for (const run of plan.runs) {
      await this.#tryRun(run, trying);
      this.#done++;
    }
    if (this.#wantsComparison(trying)) await this.#undisturbed(trying);
  }

  /** A stopped call and its repeat may both have written: how much one call writes when it is alone shows whether they have. */
  #wantsComparison({ runs }: Trying): boolean {
    const { call, again } = runs.repeat ?? {};
    if (runs.undisturbed || call === undefined || again === undefined) return false;
    const { judge } = this.#live.recording;
    const seen = [call, again].flatMap((index) => judge.verdict(index)?.effect.observations.filter((one) => !one.reverted) ?? []);
    return new Set(seen.map(({ seq }) => seq)).size > 1;
  }

  async #tryRun(kind: RunKind, trying: Trying): Promise<void> {
    const { budgetMs } = this.#options;
    if (trying.left[kind] !== undefined) return;
    if (performance.now() - this.#began > budgetMs) {
      trying.left[kind] = `The time for this check was over (${Math.round(budgetMs / 1000)} s).`;
      return;
    }
    this.#tell(`${trying.tool.name}: ${DOING[kind]}`);
    if (kind === 'undisturbed') return this.#undisturbed(trying);
    const normally = trying.normallyMs ?? 0;
    const at = kind === 'at-once' ? 0 : momentOf(normally);
    if (at === undefined) {
      trying.left[kind] =
        `It takes ${Math.round(normally)} ms, which is too short for a cancel to meet it at work. Give it arguments with which it takes longer.`;
      return;
    }
    for (const sooner of SOONER) {
      const made = await this.#stoppedRun(kind, trying, normally, Math.round(at * sooner));
      if (made) trying.runs[kind] = made;
      if (!made || !this.#isCloseRace(made)) return;
    }
  }

  /** Whether a run shows nothing because the call and its cancel met too closely, as they do on a busy machine. */
  #isCloseRace({ call: index }: RunRecord): boolean {
    const { judge, recorder } = this.#live.recording;
    const call = judge.calls.all[index];
    const verdict = judge.verdict(index);
    if (!call || verdict?.stop.at === undefined) return verdict !== undefined;
    const { stop, reply, effect, afterStop, fence } = verdict;
    // A server that reads nothing while it works is not met any sooner.
    if (fence.blocked) return false;
    const later = call.progress.filter((seq) => recorder.trace.t(seq) > (stop.at ?? 0)).length;
    return (
      reply.state === 'in-time' || reply.state === 'crossed' || effect.state === 'straddles' || (later > 0 && afterStop.progress === 0)
    );
  }

  /** One call that nobody stops: how long it takes, and whether a probe sees what it writes. */
  async #undisturbed(trying: Trying): Promise<void> {
    const { patienceMs } = this.#options;
    const call = this.#planned(trying, 'undisturbed', patienceMs);
    const names = await this.#perform({ ops: [op.call(call), op.settle(call)], calls: [call.name] });
    const made = this.#callOf(names, call);
    if (!made) return;
    trying.runs.undisturbed = { call: made.index };
    const [reply] = made.replies;
    const stopRuns = RUNS.filter((run) => run !== 'undisturbed');
    const leave = (why: string): void => {
      for (const run of stopRuns) trying.left[run] ??= why;
    };
    if (this.#live.recording.judge.verdict(made.index)?.reply.state === 'lost')
      return leave('The server ended, or its connection broke, while it was called and nobody had stopped it: there is nothing to stop.');
    if (!reply)
      return leave(
        `It gave no answer within ${Math.round(patienceMs / 1000)} s when nobody stopped it, so it is not known when it is at work. Give it arguments with which it is quicker.`,
      );
    if (reply.shape === 'error' || reply.isError)
      return leave(
        `Called with ${JSON.stringify(trying.arguments)} it answers with an error, so that stopping it would show nothing. Give it other arguments (--args).`,
      );
    trying.normallyMs = toMs(minus(reply.t, made.sent.t));
  }

  async #stoppedRun(kind: RunKind, trying: Trying, normally: number, at: number): Promise<RunRecord | undefined> {
    const { settleMs } = this.#options;
    const how: Means = kind === 'other-means' ? (otherMeans(this.#where) ?? { means: 'cancel' }) : { means: 'cancel' };
    const first = this.#planned(trying, kind, windowOf(normally, at, settleMs), { stopAtOnce: kind === 'at-once' });
    const stop: readonly Op[] =
      kind === 'at-once' ? [] : [{ step: 0, op: 'stop', call: first.name, when: { on: 'time', afterMs: at }, how, reason: REASON }];
    const again =
      kind === 'repeat'
        ? this.#planned(trying, kind, first.settleMs + 3 * normally + REPEAT_MS, { retryOf: first.name, arguments: first.arguments })
        : undefined;
    const ops = [op.call(first), ...stop, ...(again ? [op.call(again)] : []), op.settle(first), ...(again ? [op.settle(again)] : [])];
    const names: Names = new Map();
    const looking = this.#lookAfterStop(names, first);
    await this.#perform({ ops, calls: [first.name, ...(again ? [again.name] : [])] }, names).finally(looking.over);
    const made = this.#callOf(names, first);
    if (!made) return undefined;
    return { call: made.index, again: again && this.#callOf(names, again)?.index, ping: looking.ping() };
  }

  #planned(trying: Trying, kind: RunKind, settleMs: number, more: Partial<PlannedCall> = {}): PlannedCall {
    const number = ++this.#calls;
    return {
      name: `${trying.tool.name} ${kind} ${number}`,
      tool: trying.tool.name,
      arguments: withRun(trying.arguments, number),
      probes: trying.probes,
      settleMs: Math.ceil(settleMs),
      normallyMs: trying.normallyMs,
      fence: undefined,
      retryOf: undefined,
      task: undefined,
      ...more,
    };
  }

  async #perform(plan: Plan, names: Names = new Map()): Promise<Names> {
    // What goes otherwise than planned is what the card tells.
    const said = { progress: () => undefined, warn: () => undefined };
    await runPlan({ live: this.#live, plan, untilAnswered: false, enough, ...said }, names);
    return names;
  }

  #callOf(names: Names, { name }: PlannedCall): Call | undefined {
    const index = [...names].find(([, given]) => given === name)?.[0];
    return index === undefined ? undefined : this.#live.recording.judge.calls.all[index];
  }

  /** A while after a stop its processes are looked at, and over HTTP, where no fence goes with the cancel, a ping is sent. */
  #lookAfterStop(names: Names, first: PlannedCall): { readonly ping: () => string | undefined; readonly over: () => void } {
    const live = this.#live;
    let isOver = false;
    let ping: string | undefined;
    const stopped = (): number | false | undefined => {
      const call = this.#callOf(names, first);
      if (isOver) return false;
      return call && live.recording.judge.verdict(call.index)?.stop.at !== undefined ? call.index : undefined;
    };
    const look = async (): Promise<void> => {
      const call = await live.until(stopped);
      if (call === undefined || call === false) return;
      if (!this.#isOrdered && live.status.state === 'connected') {
        const id = `stopgap-check-ping-${++this.#pings}`;
        ping = `s:${id}`;
        await live.server.say([{ jsonrpc: '2.0', id, method: eraOf(this.#where.protocol).cheapRead }]);
      }
      await live.until(() => (isOver ? true : undefined), lookAfterMs(first.settleMs));
      if (!isOver) await live.server.readProbes(call);
    };
    // What it sees is in the trace; what goes wrong with it goes wrong with the run as well.
    void look().catch(() => undefined);
    return {
      ping: () => ping,
      over: () => {
        isOver = true;
        live.look();
      },
    };
  }

  get #isOrdered(): boolean {
    return this.#where.transport === 'stdio';
  }

  async #wholeServer(): Promise<void> {
    for (const exercise of EXERCISES) {
      this.#tell(`the server: ${exercise}`);
      const late = performance.now() - this.#began > this.#options.budgetMs;
      this.#exercises.push(
        late ? { exercise, tried: false, why: 'The time for this check was over.' } : await this.#exerciser.make(exercise),
      );
      this.#done++;
    }
    this.#tell('done');
  }
}

const REASON = 'stopgap check';
/** A run whose outcome was too close is made again, and the cancel comes sooner, as parts of when it came first. */
const SOONER = [1, 0.7, 0.4] as const;

const DOING = {
  undisturbed: 'called once without a stop',
  'at-work': 'cancelled at work',
  'at-once': 'cancelled in the same write',
  repeat: 'cancelled at work, and called again',
  'other-means': 'stopped by the other means',
} as const satisfies Record<RunKind, string>;

const op = {
  call: (call: PlannedCall): Op => ({ step: 0, op: 'call', call }),
  settle: ({ name }: PlannedCall): Op => ({ step: 0, op: 'settle', calls: [name] }),
};

/** An answer has come, and whatever watches has seen what there is to be seen. */
const enough = ({ reply, effect }: Verdict): boolean =>
  reply.state !== 'none' && reply.state !== 'waiting' && effect.state !== 'not-seen' && effect.state !== 'watch-gap';
