// Carries out a plan on a running server: sends calls, presses Stop at its moment, waits until what is to be waited for has
// come or its window has passed. What came of it is read off the trace, like everything else.
import { minus, type Ns, toMs } from '../../app/base/time';
import { ruleName } from '../../app/scenario/faults';
import { meant } from '../../app/scenario/nearest';
import type { Op, Plan, PlannedCall } from '../../app/scenario/plan';
import { ScenarioError } from '../../app/scenario/schema';
import type { When } from '../../app/scenario/stops';
import type { Call } from '../../app/trace/calls';
import { isTerminal } from '../../app/trace/tasks';
import { outlast } from '../../app/verdict/judge';
import type { Verdict } from '../../app/verdict/verdict';
import { idText } from '../../app/wire/jsonrpc';
import { Interrupted, type Live, NotReached } from './live';
import { wishOf } from './task-state';
import { plain } from './why';

export interface RunOptions {
  readonly live: Live;
  readonly plan: Plan;
  /** A call that nobody stops is given all the time it needs, not its window. */
  readonly untilAnswered: boolean;
  /** Whether enough is known of a stopped call, so that the rest of its window need not be waited for. */
  readonly enough?: (verdict: Verdict) => boolean;
  readonly progress: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly watch?: RunWatch;
}

type StopOp = Extract<Op, { op: 'stop' }>;

/** Who looks on while a plan is carried out, and may hold it between two steps. What is in flight is not held. */
export interface RunWatch {
  /** Before something is done; it is done when this has resolved. */
  readonly before: (op: Op) => Promise<void>;
  readonly after: (op: Op) => void;
  /** A call was made. */
  readonly called: (name: string, call: number) => void;
  /** The moment of a stop has come, and it was pressed; or it can no longer come. */
  readonly stopped: (op: StopOp, pressed: boolean) => void;
}

/** Names of the calls that were made, by index; filled as they are made. */
export type Names = Map<number, string>;

/** A call that was made, with the stops that wait for their moment. */
interface Made {
  readonly planned: PlannedCall;
  readonly index: number;
  readonly armed: Set<Armed>;
}

interface Armed {
  readonly when: When;
  /** Resolves when it was pressed, or given up. */
  done: Promise<void>;
  pressing: boolean;
  givenUp: boolean;
}

/** How long readings that were asked for at the end of a window may take. */
const LAST_READING_MS = 1500;

/**
 * Carries out a plan. `names` is filled as it goes, so that what was done is known when it is interrupted.
 * @throws ScenarioError when the server has not got what the plan asks for
 * @throws NotReached when the server cannot be reached any more
 * @throws Interrupted
 */
export async function runPlan(options: RunOptions, names: Names): Promise<void> {
  await new Runner(options, names).run();
}

class Runner {
  readonly #options: RunOptions;
  readonly #host: Live;
  readonly #names: Names;
  readonly #made = new Map<string, Made>();
  /** What went wrong while a stop was being pressed: said by the next step that waits for it. */
  #failure: unknown;

  constructor(options: RunOptions, names: Names) {
    this.#options = options;
    this.#host = options.live;
    this.#names = names;
  }

  async run(): Promise<void> {
    await this.#host.ready();
    await this.#probesWatch();
    for (const op of this.#options.plan.ops) {
      await this.#options.watch?.before(op);
      await this.#do(op);
      this.#options.watch?.after(op);
      if (this.#failure !== undefined) throw this.#failure;
    }
    this.#sayHeld();
  }

  /** What is held to the end never passes. */
  #sayHeld(): void {
    const { held, heldCount } = this.#host.server.faults;
    const more = heldCount > held.length ? ` and ${heldCount - held.length} more` : '';
    const what = `${held.map(({ what: kind, id }) => `${kind}${id === undefined ? '' : ` ${id}`}`).join(', ')}${more}`;
    if (held.length > 0) this.#options.warn(`faults still held ${what} at the end: it never got through`);
  }

  async #do(op: Op): Promise<void> {
    switch (op.op) {
      case 'call':
        return this.#call(op.call, op.step);
      case 'stop':
        return this.#arm(op);
      case 'settle':
        for (const name of op.calls) await this.#settle(name);
        return;
      case 'wait':
        await this.#host.until(() => undefined, op.ms);
        return;
      case 'faults':
        this.#host.server.setFaults(op.rules);
        this.#options.progress(op.rules.length === 0 ? 'faults are off' : `faults: ${op.rules.map(ruleName).join('; ')}`);
        return;
      case 'release': {
        const released = this.#host.server.releaseFaults();
        if (released === 0) this.#options.warn('nothing was held that could be released');
        else this.#options.progress(`released ${released} held ${released === 1 ? 'message' : 'messages'}`);
        return;
      }
    }
  }

  async #probesWatch(): Promise<void> {
    await this.#host.until(() => this.#host.status.probes.every(({ state }) => state !== 'off') || undefined);
    this.#host.probesWatch();
  }

  async #call(planned: PlannedCall, step: number): Promise<void> {
    const original = planned.retryOf === undefined ? undefined : this.#made.get(planned.retryOf);
    if (original) await this.#stopped(original);
    await this.#revived();
    this.#toolIsThere(planned, step);
    this.#taskIsAllowed(planned, step);
    if (original) this.#sayRisk(original, planned);
    const { status, server } = this.#host;
    const { name, tool, settleMs, normallyMs, fence, task, stopAtOnce } = planned;
    const probes = planned.probes ?? [...new Set([...ownProbes(status.probes), ...(status.setups[tool]?.probes ?? [])])];
    const request = {
      tool,
      arguments: planned.arguments,
      probes,
      settleMs,
      normallyMs,
      fence,
      task,
      name,
      stopAtOnce,
      retryOf: original?.index,
    };
    const { call } = await server.call(request).catch((error: unknown) => {
      throw new NotReached(plain(error));
    });
    this.#names.set(call, name);
    this.#options.watch?.called(name, call);
    this.#made.set(name, { planned, index: call, armed: new Set() });
    this.#options.progress(`${name}: called ${tool} ${idText(this.#callOf(call).key)}`);
  }

  /** A server that has ended (killed by a stop, crashed) is started again for the next call. */
  async #revived(): Promise<void> {
    if (this.#host.status.state === 'connected') return;
    this.#options.warn(`the server is not running any more (${this.#host.status.why ?? this.#host.status.state}): starting it again`);
    await this.#host.restart();
    await this.#host.ready();
    await this.#probesWatch();
  }

  #toolIsThere({ tool, retryOf }: PlannedCall, step: number): void {
    const known = this.#host.status.tools.map(({ name }) => name);
    if (known.length === 0 || known.includes(tool)) return;
    const says = `expected one of the server's tools (${known.join(', ')}), got “${tool}”${meant(tool, known)}`;
    throw new ScenarioError([{ path: ['steps', step, retryOf === undefined ? 'tool' : 'retry'], says }]);
  }

  #taskIsAllowed({ tool, task }: PlannedCall, step: number): void {
    const { tools, tasks } = this.#host.status;
    try {
      wishOf(
        task,
        tool,
        tools.find(({ name }) => name === tool),
        tasks,
      );
    } catch (error) {
      throw new ScenarioError([{ path: ['steps', step, 'task'], says: plain(error).replace(/^E/, 'e') }]);
    }
  }

  #sayRisk({ index, planned }: Made, { name }: PlannedCall): void {
    const risk = this.#verdictOf(index)?.ifRetried;
    if (risk !== undefined) this.#options.warn(`${name}: calling ${planned.tool} again. ${risk}`);
  }

  /** Sets a stop up; it is pressed at its moment, whatever the steps are doing by then. */
  async #arm(op: StopOp): Promise<void> {
    const { call, when, how, reason } = op;
    const made = this.#madeOf(call);
    const armed: Armed = { when, pressing: false, givenUp: false, done: Promise.resolve() };
    const press = async (): Promise<void> => {
      if (!(await this.#moment(made, armed))) return this.#options.watch?.stopped(op, false);
      armed.pressing = true;
      const { says } = await this.#host.server.stop(made.index, how, reason);
      this.#options.progress(
        `${call}: stopped ${Math.round(toMs(this.#now) - toMs(this.#callOf(made.index).sent.t))} ms after it was sent. ${says}`,
      );
      this.#options.watch?.stopped(op, true);
    };
    armed.done = press()
      .catch((error: unknown) => {
        if (!(error instanceof Interrupted)) this.#failure = error;
      })
      .finally(() => made.armed.delete(armed));
    made.armed.add(armed);
    // A stop that is due at once is pressed before anything else is done.
    if (when.on === 'time' && when.afterMs === 0) await armed.done;
  }

  /** Resolves at the moment of a stop. @returns false when it will not come */
  async #moment({ index }: Made, armed: Armed): Promise<boolean> {
    const { when } = armed;
    const call = this.#callOf(index);
    if (when.on === 'time') {
      const left = when.afterMs - (toMs(this.#now) - toMs(call.sent.t));
      if (left > 0) await this.#host.until(() => undefined, left);
      return true;
    }
    // Decided at once, not when the waiting is resumed: it is either pressed or given up, and said to be, never both.
    const come = await this.#host.until(() => {
      if (armed.givenUp) return false;
      armed.pressing = this.#hasCome(call, when);
      return armed.pressing || undefined;
    });
    return come === true;
  }

  #hasCome(call: Call, when: Exclude<When, { on: 'time' }>): boolean {
    switch (when.on) {
      case 'progress':
        return call.progress.length >= when.count;
      case 'effect':
        return (this.#verdictOf(call.index)?.effect.observations.length ?? 0) > 0;
      case 'reply':
        return call.replies.length > 0;
    }
  }

  /** Waits for the stops that were set up for a call: each is pressed, or its moment can no longer come. */
  async #stopped(made: Made): Promise<void> {
    const call = this.#callOf(made.index);
    const windowMs = this.#options.untilAnswered && made.armed.size === 0 ? undefined : this.#leftOfWindow(made);
    const over = (): true | undefined => {
      const waiting = [...made.armed];
      if (waiting.length === 0) return true;
      const timed = waiting.some(({ when, pressing }) => when.on === 'time' || pressing);
      return !timed && this.#isOver(made) ? true : undefined;
    };
    if (waitsForTime(made)) await Promise.all([...made.armed].filter(({ when }) => when.on === 'time').map(({ done }) => done));
    await this.#host.until(over, windowMs);
    for (const armed of made.armed) {
      if (armed.pressing) continue;
      armed.givenUp = true;
      this.#options.warn(
        `${made.planned.name}: ${momentWord(armed.when)} did not come (${call.replies.length > 0 ? 'it was answered first' : 'its window passed first'}); nobody stopped it`,
      );
    }
    const pending = [...made.armed].map(({ done }) => done);
    this.#host.recording.advance();
    await Promise.all(pending);
  }

  /**
   * Waits until a call that nobody stopped has been answered (or its window has passed since it was sent), a stopped one
   * until its window has passed since the stop, and the watch has outlasted it where its normal duration is known.
   */
  async #settle(name: string): Promise<void> {
    const made = this.#made.get(name);
    if (!made) return;
    await this.#stopped(made);
    const { until } = this.#host;
    if (!this.#wasStopped(made)) {
      const windowMs = this.#options.untilAnswered ? undefined : this.#leftOfWindow(made);
      await until.call(this.#host, () => this.#isOver(made) || undefined, windowMs);
    } else {
      const { enough } = this.#options;
      const isOver = (verdict: Verdict | undefined): boolean => verdict !== undefined && (verdict.settled || enough?.(verdict) === true);
      await until.call(this.#host, () => isOver(this.#verdictOf(made.index)) || undefined);
      if (this.#verdictOf(made.index)?.settled) await this.#outlasted(made);
    }
    await this.#fetched(made);
    await Promise.race([this.#host.server.readProbes(made.index), this.#host.until(() => undefined, LAST_READING_MS)]);
    this.#host.recording.advance();
  }

  /** Of a task that has ended, the result is a request of its own (2025-11-25): it is not left on its way. */
  async #fetched({ index }: Made): Promise<void> {
    const { task } = this.#callOf(index);
    const ended = task?.states.some(({ status }) => isTerminal(status)) ?? false;
    const asked = this.#host.status.tasks?.form === 'experimental' && this.#verdictOf(index)?.stop.state !== 'not-sent';
    if (!ended || !asked) return;
    const answered = (): true | undefined => {
      const results = this.#callOf(index).task?.results ?? [];
      return results.some((result) => this.#callOf(result).replies.length > 0) || undefined;
    };
    await this.#host.until(answered, LAST_READING_MS);
  }

  /** Where probes watch and have seen nothing yet: until the call would have been over if nobody had stopped it. */
  async #outlasted({ index }: Made): Promise<void> {
    const call = this.#callOf(index);
    const seen = (): true | undefined => (this.#verdictOf(index)?.effect.state === 'not-seen' ? undefined : true);
    const { normally, stop } = this.#verdictOf(index) ?? {};
    if (normally && stop?.at !== undefined) {
      const left = toMs(minus(outlast(call, stop.at, normally.takes), this.#now));
      // A timer may be early by part of a millisecond, and a reading that begins before the end outlasts nothing.
      if (left > 0) await this.#host.until(seen, Math.ceil(left) + 1);
    }
    const due = (): boolean =>
      this.#host.recording.judge
        .due(this.#now)
        .some(({ session, probe }) => session === call.session && call.arrangement?.probes.includes(probe));
    await this.#host.until(() => (due() ? undefined : true), LAST_READING_MS);
  }

  #wasStopped = ({ index }: Made): boolean => this.#verdictOf(index)?.stop.at !== undefined;
  /** Answered, or lost with the server. */
  #isOver = ({ index }: Made): boolean => {
    const state = this.#verdictOf(index)?.reply.state;
    return state !== undefined && state !== 'waiting' && state !== 'none';
  };

  /** What is left of a call's window since it was sent, in ms. */
  #leftOfWindow({ index, planned }: Made): number {
    return Math.max(0, planned.settleMs - (toMs(this.#now) - toMs(this.#callOf(index).sent.t)));
  }

  get #now(): Ns {
    return this.#host.recording.clock.now();
  }

  #verdictOf = (index: number): Verdict | undefined => this.#host.recording.judge.verdict(index);

  #callOf(index: number): Call {
    const call = this.#host.recording.judge.calls.all[index];
    if (!call) throw new RangeError(`expected a call ${index} in the trace`);
    return call;
  }

  #madeOf(name: string): Made {
    const made = this.#made.get(name);
    if (!made) throw new RangeError(`expected a call ${name}: the plan checks that`);
    return made;
  }
}

const waitsForTime = ({ armed }: Made): boolean => [...armed].some(({ when }) => when.on === 'time');

const ownProbes = (probes: Live['status']['probes']): readonly string[] =>
  probes.filter(({ builtIn }) => !builtIn).map(({ spec }) => spec.name);

function momentWord(when: When): string {
  switch (when.on) {
    case 'time':
      return `${when.afterMs} ms`;
    case 'progress':
      return when.count === 1 ? 'its first progress' : `progress ${when.count}`;
    case 'effect':
      return 'an effect';
    case 'reply':
      return 'a reply';
  }
}
