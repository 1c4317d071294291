// The race laboratory: scenarios that the window has the host run, and sweeps over a tool. One runs at a time; the host sends
// its whole picture whenever something of it changes.
import { z } from 'zod';
import type { Tally } from '../report/repeat';
import type { ReportedExpectation } from '../report/schema';
import type { Attempt, Axis } from '../scenario/sweep';
import type { Headline, Severity } from '../verdict/verdict';
import { means, type Seq } from '../wire/frame';

const ms = z.number().nonnegative().max(86_400_000);
const args = z.record(z.string(), z.unknown());

/** How often a scenario may be run in a row here: each run is a session, and a trace holds 255. The command line has no limit. */
export const MOST_ROUNDS = 100;
export const MOST_ATTEMPTS = 500;

export const scenarioRun = z.object({
  text: z.string(),
  /** The file that it was read from: its relative paths count from there. */
  path: z.string().optional(),
  repeat: z.number().int().min(1).max(MOST_ROUNDS).default(1),
  /** Waits before every step until it is told to go on. */
  step: z.boolean().default(false),
  /** What it runs has been shown whole, and agreed to. */
  approved: z.boolean().default(false),
});

/** What is done before every attempt of a sweep, so that each begins as the first did. */
export const reset = z.discriminatedUnion('by', [
  z.object({ by: z.literal('nothing') }),
  z.object({ by: z.literal('tool'), tool: z.string().min(1), arguments: args.default({}) }),
  /** A command line; no shell reads it. */
  z.object({ by: z.literal('command'), line: z.string().min(1) }),
]);
export type ResetBy = z.infer<typeof reset>;

export const sweepRun = z.object({
  connection: z.number().int().positive(),
  tool: z.string().min(1),
  /** `${run}` in a text is the number of the attempt. */
  arguments: args.default({}),
  probes: z.array(z.string()),
  axis: z.enum(['time', 'progress']),
  strategy: z.object({
    how: z.enum(['grid', 'random', 'boundary']),
    from: z.number().nonnegative(),
    /** A little after the normal end of the call when absent. */
    to: z.number().nonnegative().optional(),
    runs: z.number().int().min(1).max(MOST_ATTEMPTS),
  }),
  how: means,
  settleMs: ms,
  /** How long the tool takes when nobody stops it; it is called once to find out when absent. */
  normallyMs: ms.optional(),
  reset: reset.default({ by: 'nothing' }),
  /** That it writes for real has been shown, and agreed to. Not needed for a tool that is declared read-only. */
  agreed: z.boolean().default(false),
});
export type SweepRunRequest = z.output<typeof sweepRun>;

/** `paused`: before a step, until it is told to go on. */
export type LabState = 'starting' | 'running' | 'paused' | 'stopping' | 'over';

/** `armed`: a stop whose moment has not come yet. `given-up`: its moment can no longer come, and nobody pressed it. */
export type StepState = 'waiting' | 'running' | 'armed' | 'done' | 'given-up';

/** An expectation with what was seen, and where that is. */
export interface LabExpectation extends ReportedExpectation {
  readonly call: number | undefined;
  readonly seq: Seq | undefined;
}

/** What was called in the present round. */
export interface LabCall {
  readonly name: string;
  readonly call: number;
  /** Undefined until the round is over. */
  readonly verdict: Headline | undefined;
  readonly severity: Severity | undefined;
}

interface Running {
  /** Number of the run, not used again. */
  readonly run: number;
  readonly title: string;
  readonly state: LabState;
  /** Why it ended before its end. */
  readonly why: string | undefined;
}

export interface ScenarioStatus extends Running {
  readonly kind: 'scenario';
  /** The text that is run, as it was when it began. */
  readonly text: string;
  readonly path: string | undefined;
  readonly repeat: number;
  /** From 1. */
  readonly round: number;
  /** One for each step of the file. */
  readonly steps: readonly StepState[];
  readonly calls: readonly LabCall[];
  /** What was done and what was warned of, in the present round. */
  readonly says: readonly { readonly level: 'info' | 'warn'; readonly text: string }[];
  /** Of the last round that is over. */
  readonly expectations: readonly LabExpectation[];
  /** What was found in the last round that is over and nobody expected, at the severity of a breach. */
  readonly surprises: readonly string[];
  /** All rounds that are over. */
  readonly tally: Tally;
}

export interface SweepStatus extends Running {
  readonly kind: 'sweep';
  readonly tool: string;
  readonly axis: Axis;
  readonly attempts: readonly Attempt[];
  readonly planned: number;
  readonly tieMs: number;
  /** What is being done. */
  readonly says: string | undefined;
}

export type LabStatus = ScenarioStatus | SweepStatus;

/** A scenario file as it lies on the disk. */
export interface ScenarioOnDisk {
  readonly path: string;
  readonly text: string;
}
