// The plan of a report card: which runs are made of a tool, and why others are not. A run is one call, stopped in one way, as a
// scenario would have it; from what came of the runs every line of the card is judged (tools.ts, server.ts). Pure: the host
// that makes the runs brings the clock.
import { closingCancels } from '../../wire/era';
import type { Means, TransportName } from '../../wire/frame';
import type { ToolHints } from '../../wire/jsonrpc';
import { exampleOf } from './arguments';

/**
 * `undisturbed`: nobody stops it, which tells how long it takes. `at-work`: cancelled in the middle. `at-once`: the cancel is in
 * the same write as the call, before any handler can have begun. `repeat`: cancelled in the middle, and called again at once.
 * `other-means`: over HTTP, stopped by the means that is no cancel in the revision.
 */
export const RUNS = ['undisturbed', 'at-work', 'at-once', 'repeat', 'other-means'] as const;
export type RunKind = (typeof RUNS)[number];

/** A tool as its server describes it. */
export interface CheckedTool extends ToolHints {
  readonly description: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly taskSupport?: 'forbidden' | 'optional' | 'required';
}

/** How the server is spoken to. */
export interface Where {
  readonly protocol: string;
  readonly transport: TransportName;
}

export interface ToolFacts {
  readonly tool: CheckedTool;
  readonly where: Where;
  /** Tools that may write may be called, for real. */
  readonly allowWrites: boolean;
  /** Arguments that somebody has given for it, or that are known to do no harm. */
  readonly given: Readonly<Record<string, unknown>> | undefined;
  /** How long it takes with them when nobody stops it, where that is known. */
  readonly normallyMs: number | undefined;
  /** The probes that watch for its effects. */
  readonly watchedBy: readonly string[];
}

export type ToolPlan =
  | { readonly called: false; readonly why: string }
  | {
      readonly called: true;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly runs: readonly RunKind[];
      /** Why a run is not made. */
      readonly left: Readonly<Partial<Record<RunKind, string>>>;
    };

/** Whether a tool has to be taken for one that writes: it does not declare that it only reads. */
export const mayWrite = ({ readOnly }: ToolHints): boolean => readOnly !== true;

/** What is tried of a tool. */
export function planOfTool({ tool, where, allowWrites, given, normallyMs, watchedBy }: ToolFacts): ToolPlan {
  const not = (why: string): ToolPlan => ({ called: false, why });
  if (tool.taskSupport === 'required') return not('It runs only as a task, and tasks are not checked.');
  if (mayWrite(tool) && !allowWrites)
    return not(
      'It does not declare that it only reads (readOnlyHint), so it was not called. Allow writes (--allow-writes) to have it called, for real.',
    );
  if (mayWrite(tool) && watchedBy.length === 0)
    return not('It may write, and no probe watches where: it would have been called for nothing. Add a probe on the place (--probe).');
  const example = given === undefined ? exampleOf(tool.inputSchema) : { known: true as const, arguments: given };
  if (!example.known)
    return not(
      `No arguments are known: its schema requires ${example.missing.join(', ')}, and gives neither a default nor an example. Give some (--args '${tool.name}={…}').`,
    );
  const left: Partial<Record<RunKind, string>> = {};
  const means = otherMeans(where);
  if (where.transport === 'sse')
    left['other-means'] = 'Over HTTP+SSE the connection is the session: to drop it ends every call, and shows nothing of this one.';
  else if (watchedBy.length === 0)
    left['other-means'] = 'What a call does after its connection was dropped can only be seen by a probe, and none watches it.';
  const runs = RUNS.filter((run) => {
    switch (run) {
      case 'undisturbed':
        return normallyMs === undefined;
      case 'other-means':
        return means !== undefined && left['other-means'] === undefined;
      // Where nothing is watched, the repeat disturbs no observation: one run serves for both.
      case 'at-work':
        return watchedBy.length > 0;
      case 'at-once':
      case 'repeat':
        return true;
    }
    return false;
  });
  return { called: true, arguments: example.arguments, runs, left };
}

/** Over HTTP: the means that is no cancel in the revision. */
export function otherMeans({ protocol, transport }: Where): Means | undefined {
  if (transport === 'stdio') return undefined;
  return closingCancels(protocol, transport) ? { means: 'notify' } : { means: 'drop' };
}

/** How far into its work a call is cancelled: past the middle, so that what it does first has been done. */
const AT_WORK = 0.6;
/** A call that is shorter is over before a cancel can be shown to have met it at work. */
const LEAST_MS = 40;
/** How much longer than it would have needed a stopped call is watched (docs/verdicts.md, section 5). */
const OUTLAST = 1.5;

/** When a call is cancelled at work, in ms since it was sent; undefined when it is too short for that. */
export const momentOf = (normallyMs: number): number | undefined => (normallyMs < LEAST_MS ? undefined : Math.round(normallyMs * AT_WORK));

/** How long a call is watched that was stopped at a moment. */
export const windowOf = (normallyMs: number, stoppedAtMs: number, settleMs: number): number =>
  Math.ceil(Math.max(settleMs, OUTLAST * (normallyMs - stoppedAtMs)));

/** When its processes are looked at after a stop: late enough for them to have ended, before they would have by themselves. */
export const lookAfterMs = (windowMs: number): number => Math.min(1000, Math.max(400, Math.round(windowMs * 0.3)));

/** Odd things that are said to the server as a whole; each must leave it as it was. */
export const EXERCISES = ['unknown-id', 'finished-id', 'repeated-cancel', 'wrong-typed-id', 'missing-id', 'initialize'] as const;
export type Exercise = (typeof EXERCISES)[number];
