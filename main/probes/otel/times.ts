// When a span was, on the trace's clock. A span tells wall time, and whose is not sure: on this machine it is comparable to
// a few ms, on another it may be off by anything. Two things hold on any machine: a span that names the trace of a call is
// not older than that trace's id, and not younger than its arrival here.
import { fromMs, type Ns } from '../../../app/base/time';
import type { TracedCall } from '../../../app/evidence/probe';
import { both, type Interval, type WallOffset } from '../folder/narrow';
import type { Span } from './decode';

/** How far a span's stamps may lie from the truth on the machine that we run on. */
const ERROR_MS = 10;
/** Clocks that drifted apart by more than this while the call ran, or were read too slowly, are not compared. */
const DRIFT_MS = 50;

export interface SpanTimes {
  /** Bounds of its start. */
  readonly start: Interval;
  /** From before its start to after its end. */
  readonly whole: Interval;
  /** Whether its stamps could be used at all. */
  readonly sameClock: boolean;
}

/** What is known here of a span that has arrived. */
export interface Arrival {
  readonly call: TracedCall;
  readonly at: Ns;
  /** Wall time less trace time at the arrival. */
  readonly wall: WallOffset;
  /** The name of this machine. */
  readonly host: string;
}

/**
 * When a span started and ended. Its stamps count, to ± 10 ms and the error between the clocks, when it was made on this
 * machine as far as it says, and when they contradict neither the call nor the arrival. Otherwise only those two count.
 */
export function timesOf(span: Span, { call, at, wall, host }: Arrival): SpanTimes {
  const unknown: SpanTimes = { start: { lo: call.since, hi: at }, whole: { lo: call.since, hi: at }, sameClock: false };
  const offset = both(call.wall, wall);
  if (offset.max - offset.min > DRIFT_MS || !isHost(span.host, host)) return unknown;
  const earliest = (ms: number): Ns => fromMs(ms - offset.max - ERROR_MS);
  const latest = (ms: number): Ns => fromMs(ms - offset.min + ERROR_MS);
  const contradicted = span.endMs < span.startMs || latest(span.startMs) < call.since || earliest(span.endMs) > at;
  if (contradicted) return unknown;
  const lo = later(earliest(span.startMs), call.since);
  return {
    start: { lo, hi: earlier(latest(span.startMs), at) },
    whole: { lo, hi: earlier(latest(span.endMs), at) },
    sameClock: true,
  };
}

/** What says nothing of its host has come over loopback, and is taken for this machine's until its stamps contradict it. */
const isHost = (said: string | undefined, ours: string): boolean => said === undefined || label(said) === label(ours);

/** The name without its domain. */
const label = (name: string): string => name.toLowerCase().split('.')[0] ?? '';

const later = (a: Ns, b: Ns): Ns => (a > b ? a : b);
const earlier = (a: Ns, b: Ns): Ns => (a < b ? a : b);
