// What the timeline is given to look at and what it gives back. It imports no store and no feed; the window connects them.
import type { Ns } from '../../app/base/time';
import type { World } from '../../app/evidence/world';
import type { Calls } from '../../app/trace/calls';
import type { Trace } from '../../app/trace/trace';
import type { Verdict } from '../../app/verdict/verdict';
import type { Seq } from '../../app/wire/frame';

/** The data behind the picture. `trace`, `calls` and `world` are other objects when another view begins. */
export interface TimelineModel {
  readonly trace: Trace;
  readonly calls: Calls;
  readonly world: World;
  verdict(call: number): Verdict | undefined;
  /** Changes whenever trace, calls, world or verdicts did. */
  readonly version: number;
  /** The trace's clock; for a file, the time of its last frame. */
  now(): Ns;
  /** Wall time at which the trace's clock was 0, in milliseconds since 1970, where it is known. */
  readonly began?: number | undefined;
  /** A recording that goes on, rather than a file. */
  readonly live: boolean;
  /** Somebody writes the recording. Not for a file, and not once the session host is gone. */
  readonly running: boolean;
  /** Calls back after `version` changed, at most once per animation frame. @returns a function that ends it */
  subscribe(listener: () => void): () => void;
}

/** A call, and the frame of the mark on its row when one was chosen. */
export interface Selection {
  readonly call: number;
  readonly seq?: Seq | undefined;
}

export type Density = 'comfortable' | 'compact';

/** Whether anything can still happen: a session of a running recording has begun and not ended. */
export const goesOn = ({ live, running, calls }: Pick<TimelineModel, 'live' | 'running' | 'calls'>): boolean =>
  live && running && [...calls.sessions.values()].some(({ ends }) => ends.length === 0);
