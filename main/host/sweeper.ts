// Carries out a sweep on a running server: one attempt after the other, each a small plan of its own (call, stop, settle), so
// that an attempt is exactly what a scenario would have done. What came of it is read off the trace.
import { asNs, minus, type Ns, toMs } from '../../app/base/time';
import { unreachable } from '../../app/base/unreachable';
import { withRun } from '../../app/evidence/variables';
import type { Op, Plan } from '../../app/scenario/plan';
import type { When } from '../../app/scenario/stops';
import { type Attempt, type Axis, nextMoment, outcomeOf, type Strategy } from '../../app/scenario/sweep';
import type { Call } from '../../app/trace/calls';
import type { Verdict } from '../../app/verdict/verdict';
import type { Means } from '../../app/wire/frame';
import { Interrupted, type Live } from './live';
import { type Names, runPlan } from './runner';

/** What is done before every attempt, so that each begins as the first did. */
export type Reset =
  | { readonly by: 'nothing' }
  /** A tool of the same server. */
  | { readonly by: 'tool'; readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }
  /** Anything else: a command, say. Rejects when it failed. */
  | { readonly by: 'action'; readonly run: (attempt: number, signal: AbortSignal) => Promise<void> };

export interface SweepOptions {
  readonly live: Live;
  readonly tool: string;
  /** `${run}` in a text is the number of the attempt. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** undefined: every probe of the person, and those that the server brings for the tool. */
  readonly probes: readonly string[] | undefined;
  readonly strategy: (normallyMs: number) => Strategy;
  readonly axis: Axis;
  readonly how: Means;
  readonly settleMs: number;
  /** How long the tool takes when nobody stops it; undefined: it is called once without a stop, to find out. */
  readonly normallyMs: number | undefined;
  readonly reset: Reset;
  readonly signal: AbortSignal;
  readonly random: () => number;
  /** Called after every attempt, with all of them. */
  readonly onAttempt: (attempts: readonly Attempt[], planned: number, tieMs: number) => void;
  readonly progress: (line: string) => void;
  readonly warn: (line: string) => void;
}

export interface Swept {
  readonly attempts: readonly Attempt[];
  /** Differences up to this long say nothing: max(10 ms, 3 × idle round trip). On the progress axis 0. */
  readonly tieMs: number;
  /** It was ended before it was over; what there is counts. */
  readonly interrupted: boolean;
}

/** The tool cannot be swept. The message says what was expected, what was seen, what to try. */
export class SweepError extends Error {
  override readonly name = 'SweepError';
}

/**
 * Sweeps. An interruption ends it and keeps what there is.
 * @throws SweepError when the tool does not come to an end, or nothing watches what it writes
 * @throws NotReached when the server is lost and cannot be started again
 */
export async function sweep(options: SweepOptions): Promise<Swept> {
  return new Sweeper(options).run();
}

const LEAST_TIE_MS = 10;

class Sweeper {
  readonly #options: SweepOptions;
  readonly #attempts: Attempt[] = [];
  readonly #names: Names = new Map();
  #runs = 0;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  async run(): Promise<Swept> {
    let interrupted = false;
    try {
      await this.#sweep();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      interrupted = true;
    }
    return { attempts: this.#attempts, tieMs: this.#tieMs(), interrupted };
  }

  async #sweep(): Promise<void> {
    const { axis, random, onAttempt } = this.#options;
    const normallyMs = this.#options.normallyMs ?? (await this.#undisturbed());
    const strategy = this.#options.strategy(normallyMs);
    for (;;) {
      const moment = nextMoment(strategy, this.#attempts, axis, random);
      if (moment === undefined) return;
      this.#attempts.push(await this.#attempt(moment, normallyMs));
      onAttempt(this.#attempts, strategy.how === 'moments' ? strategy.moments.length : strategy.runs, this.#tieMs());
    }
  }

  /** One call that nobody stops: how long it takes, and whether a probe sees what it writes. */
  async #undisturbed(): Promise<number> {
    const { progress, tool } = this.#options;
    progress(`calling ${tool} once without a stop, to see how long it takes`);
    const { call, verdict } = await this.#perform(undefined, undefined);
    const reply = call.replies[0];
    if (!reply)
      throw new SweepError(`Expected ${tool} to answer when nobody stops it, but it did not. Give --normally to sweep it all the same.`);
    if (verdict.effect.observations.length === 0)
      throw new SweepError(
        `Expected a probe to see what ${tool} writes when nobody stops it, but none saw anything. Add a probe on the place where it writes.`,
      );
    return toMs(minus(reply.t, call.sent.t));
  }

  async #attempt(moment: number, normallyMs: number): Promise<Attempt> {
    const { call, verdict } = await this.#perform(this.#when(moment), normallyMs);
    const { stop, effect } = verdict;
    const first = effect.observations.find((one) => !one.reverted);
    const since = (t: Ns): number => toMs(minus(t, call.sent.t));
    return {
      cancelAt: this.#options.axis === 'time' && stop.at !== undefined ? since(stop.at) : moment,
      outcome: outcomeOf(verdict),
      verdict: verdict.verdict,
      effect: effect.state,
      landed: first && [since(first.lo), since(first.hi)],
      call: call.index,
    };
  }

  #when(moment: number): When {
    const { axis } = this.#options;
    switch (axis) {
      case 'time':
        return { on: 'time', afterMs: moment };
      case 'progress':
        return { on: 'progress', count: Math.max(1, moment) };
      default:
        return unreachable(axis);
    }
  }

  /** Resets, calls, stops, waits until the outcome is known. */
  async #perform(when: When | undefined, normallyMs: number | undefined): Promise<{ readonly call: Call; readonly verdict: Verdict }> {
    const { live, progress, warn } = this.#options;
    const name = `run-${++this.#runs}`;
    const plan = await this.#plan(name, when, normallyMs);
    await runPlan({ live, plan, untilAnswered: when === undefined, progress, warn }, this.#names);
    const index = [...this.#names].find(([, given]) => given === name)?.[0];
    const call = index === undefined ? undefined : live.recording.judge.calls.all[index];
    const verdict = index === undefined ? undefined : live.recording.judge.verdict(index);
    if (!call || !verdict) throw new Error(`expected the call ${name} to have a verdict`);
    return { call, verdict };
  }

  async #plan(name: string, when: When | undefined, normallyMs: number | undefined): Promise<Plan> {
    const { tool, arguments: args, probes, how, reset, signal } = this.#options;
    // A stop that waits for progress is given up when the window passes first: it has to be as long as the call may take.
    const settleMs = when?.on === 'progress' ? Math.max(this.#options.settleMs, 2 * (normallyMs ?? 0)) : this.#options.settleMs;
    const call = { tool, probes, settleMs, normallyMs, fence: undefined, retryOf: undefined, task: undefined };
    const ops: Op[] = [];
    if (reset.by === 'action') await reset.run(this.#runs, signal);
    if (reset.by === 'tool') {
      const again = {
        ...call,
        name: `${name}-reset`,
        tool: reset.tool,
        arguments: withRun(reset.arguments, this.#runs),
        normallyMs: undefined,
      };
      ops.push({ step: 0, op: 'call', call: again }, { step: 0, op: 'settle', calls: [again.name] });
    }
    ops.push({ step: 0, op: 'call', call: { ...call, name, arguments: withRun(args, this.#runs) } });
    if (when) ops.push({ step: 0, op: 'stop', call: name, when, how, reason: undefined });
    ops.push({ step: 0, op: 'settle', calls: [name] });
    return { ops, calls: [name] };
  }

  /** What the judge takes for a tie on this session (docs/verdicts.md, section 4). */
  #tieMs(): number {
    if (this.#options.axis === 'progress') return 0;
    const { judge } = this.#options.live.recording;
    const ties = this.#attempts.map(({ call }) => judge.verdict(call)?.fence.tie ?? asNs(0));
    return Math.max(LEAST_TIE_MS, ...ties.map(toMs));
  }
}
