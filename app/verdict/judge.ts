// The judge: feeds frames to the folds, asks the rules, and says which verdicts changed. It has no clock; whoever holds
// one says how far time has come. Frame by frame and deadline by deadline, so that pieces of any size give one history.
import type { Ns } from '../base/time';
import type { World } from '../evidence/world';
import type { Calls } from '../trace/calls';
import type { Trace } from '../trace/trace';
import type { Finding, Verdict } from './verdict';

export interface Judge {
  readonly calls: Calls;
  readonly world: World;
  /** Takes what was appended to the trace since the last time and lets time pass up to `now`. @returns what changed */
  advance(now: Ns): readonly Verdict[];
  /** The verdict on a call; every folded call has one. */
  verdict(call: number): Verdict | undefined;
  /** Worst first. The list is a new one whenever something in it changed. */
  readonly findings: readonly Finding[];
  /** When time alone will change something: call `advance` then. FOREVER when it will not. */
  readonly nextAt: Ns;
  /** Probes of which a reading is wanted now: a deadline has passed that no reading has outlasted. */
  due(now: Ns): readonly string[];
}

export declare function judge(trace: Trace): Judge;
