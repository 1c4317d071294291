// Carries out a plan on a running server: sends calls, presses Stop at its moment, waits until what is to be waited for has
// come or its window has passed. What came of it is read off the trace, like everything else.
import { minus, type Ns, toMs } from '../../app/base/time';
import { meant } from '../../app/scenario/nearest';
import type { Op, Plan, PlannedCall } from '../../app/scenario/plan';
import { ScenarioError } from '../../app/scenario/schema';
import type { When } from '../../app/scenario/stops';
import type { Call } from '../../app/trace/calls';
import { outlast } from '../../app/verdict/judge';
import type { Verdict } from '../../app/verdict/verdict';
import { idText } from '../../app/wire/jsonrpc';
import { plain } from '../host/why';
import type { Connection } from './connection';
import { isInterrupt, notReached } from './exit';

export interface RunOptions {
  readonly connection: Connection;
  readonly plan: Plan;
  /** A call that nobody stops is given all the time it needs, not its window. */
  readonly untilAnswered: boolean;
  readonly progress: (line: string) => void;
  readonly warn: (line: string) => void;
}

/** Names of the calls that were made, by index; filled as they are made. */
export type Names = Map<number, string>;

/** A call that was made, with the stops that wait for their moment. */
interface Live {
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
 * @throws CliError when the server cannot be reached any more, or when interrupted
 */
export async function runPlan(options: RunOptions, names: Names): Promise<void> {
  await new Runner(options, names).run();
}

class Runner {
  readonly #options: RunOptions;
  readonly #connection: Connection;
  readonly #names: Names;
  readonly #live = new Map<string, Live>();
  /** What went wrong while a stop was being pressed: said by the next step that waits for it. */
  #failure: unknown;

  constructor(options: RunOptions, names: Names) {
    this.#options = options;
    this.#connection = options.connection;
    this.#names = names;
  }

  async run(): Promise<void> {
    await this.#connection.ready();
    await this.#probesWatch();
    for (const op of this.#options.plan.ops) {
      await this.#do(op);
      if (this.#failure !== undefined) throw this.#failure;
    }
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
        await this.#connection.until(() => undefined, op.ms);
        return;
    }
  }

  async #probesWatch(): Promise<void> {
    await this.#connection.until(() => this.#connection.status.probes.every(({ state }) => state !== 'off') || undefined);
    this.#connection.probesWatch();
  }

  async #call(planned: PlannedCall, step: number): Promise<void> {
    const original = planned.retryOf === undefined ? undefined : this.#live.get(planned.retryOf);
    if (original) await this.#stopped(original);
    await this.#revived();
    this.#toolIsThere(planned, step);
    if (original) this.#sayRisk(original, planned);
    const { status, server } = this.#connection;
    const { name, tool, settleMs, normallyMs, fence } = planned;
    const probes = planned.probes ?? [...new Set([...ownProbes(status.probes), ...(status.setups[tool]?.probes ?? [])])];
    const request = { tool, arguments: planned.arguments, probes, settleMs, normallyMs, fence, retryOf: original?.index };
    const { call } = await server.call(request).catch((error: unknown) => {
      throw notReached(plain(error));
    });
    this.#names.set(call, name);
    this.#live.set(name, { planned, index: call, armed: new Set() });
    this.#options.progress(`${name}: called ${tool} ${idText(this.#callOf(call).key)}`);
  }

  /** A server that has ended (killed by a stop, crashed) is started again for the next call. */
  async #revived(): Promise<void> {
    if (this.#connection.status.state === 'connected') return;
    this.#options.warn(
      `the server is not running any more (${this.#connection.status.why ?? this.#connection.status.state}): starting it again`,
    );
    await this.#connection.restart();
    await this.#connection.ready();
    await this.#probesWatch();
  }

  #toolIsThere({ tool, retryOf }: PlannedCall, step: number): void {
    const known = this.#connection.status.tools.map(({ name }) => name);
    if (known.length === 0 || known.includes(tool)) return;
    const says = `expected one of the server's tools (${known.join(', ')}), got “${tool}”${meant(tool, known)}`;
    throw new ScenarioError([{ path: ['steps', step, retryOf === undefined ? 'tool' : 'retry'], says }]);
  }

  #sayRisk({ index, planned }: Live, { name }: PlannedCall): void {
    const risk = this.#verdictOf(index)?.ifRetried;
    if (risk !== undefined) this.#options.warn(`${name}: calling ${planned.tool} again. ${risk}`);
  }

  /** Sets a stop up; it is pressed at its moment, whatever the steps are doing by then. */
  async #arm({ call, when, how, reason }: Extract<Op, { op: 'stop' }>): Promise<void> {
    const live = this.#liveOf(call);
    const armed: Armed = { when, pressing: false, givenUp: false, done: Promise.resolve() };
    const press = async (): Promise<void> => {
      if (!(await this.#moment(live, armed))) return;
      armed.pressing = true;
      const { says } = await this.#connection.server.stop(live.index, how, reason);
      this.#options.progress(
        `${call}: stopped ${Math.round(toMs(this.#now) - toMs(this.#callOf(live.index).sent.t))} ms after it was sent. ${says}`,
      );
    };
    armed.done = press()
      .catch((error: unknown) => {
        if (!isInterrupt(error)) this.#failure = error;
      })
      .finally(() => live.armed.delete(armed));
    live.armed.add(armed);
    // A stop that is due at once is pressed before anything else is done.
    if (when.on === 'time' && when.afterMs === 0) await armed.done;
  }

  /** Resolves at the moment of a stop. @returns false when it will not come */
  async #moment({ index }: Live, armed: Armed): Promise<boolean> {
    const { when } = armed;
    const call = this.#callOf(index);
    if (when.on === 'time') {
      const left = when.afterMs - (toMs(this.#now) - toMs(call.sent.t));
      if (left > 0) await this.#connection.until(() => undefined, left);
      return true;
    }
    // Decided at once, not when the waiting is resumed: it is either pressed or given up, and said to be, never both.
    const come = await this.#connection.until(() => {
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
  async #stopped(live: Live): Promise<void> {
    const call = this.#callOf(live.index);
    const windowMs = this.#options.untilAnswered && live.armed.size === 0 ? undefined : this.#leftOfWindow(live);
    const over = (): true | undefined => {
      const waiting = [...live.armed];
      if (waiting.length === 0) return true;
      const timed = waiting.some(({ when, pressing }) => when.on === 'time' || pressing);
      return !timed && this.#isOver(live) ? true : undefined;
    };
    if (waitsForTime(live)) await Promise.all([...live.armed].filter(({ when }) => when.on === 'time').map(({ done }) => done));
    await this.#connection.until(over, windowMs);
    for (const armed of live.armed) {
      if (armed.pressing) continue;
      armed.givenUp = true;
      this.#options.warn(
        `${live.planned.name}: ${momentWord(armed.when)} did not come (${call.replies.length > 0 ? 'it was answered first' : 'its window passed first'}); nobody stopped it`,
      );
    }
    const pending = [...live.armed].map(({ done }) => done);
    this.#connection.recording.advance();
    await Promise.all(pending);
  }

  /**
   * Waits until a call that nobody stopped has been answered (or its window has passed since it was sent), a stopped one
   * until its window has passed since the stop, and the watch has outlasted it where its normal duration is known.
   */
  async #settle(name: string): Promise<void> {
    const live = this.#live.get(name);
    if (!live) return;
    await this.#stopped(live);
    const { until } = this.#connection;
    if (!this.#wasStopped(live)) {
      const windowMs = this.#options.untilAnswered ? undefined : this.#leftOfWindow(live);
      await until.call(this.#connection, () => this.#isOver(live) || undefined, windowMs);
    } else {
      await until.call(this.#connection, () => this.#verdictOf(live.index)?.settled || undefined);
      await this.#outlasted(live);
    }
    await Promise.race([this.#connection.server.readProbes(live.index), this.#connection.until(() => undefined, LAST_READING_MS)]);
    this.#connection.recording.advance();
  }

  /** Where probes watch and have seen nothing yet: until the call would have been over if nobody had stopped it. */
  async #outlasted({ index }: Live): Promise<void> {
    const call = this.#callOf(index);
    const seen = (): true | undefined => (this.#verdictOf(index)?.effect.state === 'not-seen' ? undefined : true);
    const { normally, stop } = this.#verdictOf(index) ?? {};
    if (normally && stop?.at !== undefined) {
      const left = toMs(minus(outlast(call, stop.at, normally.takes), this.#now));
      if (left > 0) await this.#connection.until(seen, left);
    }
    const due = (): boolean => this.#connection.recording.judge.due(this.#now).some((probe) => call.arrangement?.probes.includes(probe));
    await this.#connection.until(() => (due() ? undefined : true), LAST_READING_MS);
  }

  #wasStopped = ({ index }: Live): boolean => this.#verdictOf(index)?.stop.at !== undefined;
  /** Answered, or lost with the server. */
  #isOver = ({ index }: Live): boolean => {
    const state = this.#verdictOf(index)?.reply.state;
    return state !== undefined && state !== 'waiting' && state !== 'none';
  };

  /** What is left of a call's window since it was sent, in ms. */
  #leftOfWindow({ index, planned }: Live): number {
    return Math.max(0, planned.settleMs - (toMs(this.#now) - toMs(this.#callOf(index).sent.t)));
  }

  get #now(): Ns {
    return this.#connection.recording.clock.now();
  }

  #verdictOf = (index: number): Verdict | undefined => this.#connection.recording.judge.verdict(index);

  #callOf(index: number): Call {
    const call = this.#connection.recording.judge.calls.all[index];
    if (!call) throw new RangeError(`expected a call ${index} in the trace`);
    return call;
  }

  #liveOf(name: string): Live {
    const live = this.#live.get(name);
    if (!live) throw new RangeError(`expected a call ${name}: the plan checks that`);
    return live;
  }
}

const waitsForTime = ({ armed }: Live): boolean => [...armed].some(({ when }) => when.on === 'time');

const ownProbes = (probes: Connection['status']['probes']): readonly string[] =>
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
