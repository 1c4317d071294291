// When a file changed, a scan knows only as an interval. The file system's own stamps may narrow it, but they are wall
// time, coarse by up to a kernel tick, and wall time jumps; so they are used only as far as pairs of readings of both
// clocks hold together, and never beyond what the scans saw.
import { type Clock, fromMs, type Ns, toMs } from '../../../app/base/time';

export interface Interval {
  readonly lo: Ns;
  readonly hi: Ns;
}

/** Wall time less trace time, in ms: somewhere between the two. */
export interface WallOffset {
  readonly min: number;
  readonly max: number;
}

/** What a file system's stamps say about a change, in ms of wall time. */
export interface Stamps {
  /** The change had not happened before this stamp. */
  readonly notBefore?: number | undefined;
  /** The change had happened by this stamp. */
  readonly notAfter?: number | undefined;
}

/** A stamp is taken from a clock that stands still between two ticks of the kernel: 1 to 10 ms. */
const TICK_MS = 10;
/** Clocks that drift apart by more than this between two scans are not compared. */
const BAD_MS = 5;
const WALL_RESOLUTION_MS = 1;

/** Reads both clocks, the wall between two readings of the other. */
export function wallOffset(clock: Clock): WallOffset {
  const before = toMs(clock.now());
  const wall = clock.wallMs();
  const after = toMs(clock.now());
  return { min: wall - after, max: wall + WALL_RESOLUTION_MS - before };
}

/** The range that holds both. */
export const both = (a: WallOffset, b: WallOffset): WallOffset => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

/**
 * Narrows an interval by stamps, each widened by a tick and by the error between the clocks. Stamps that contradict the
 * scans, or clocks that do not hold together, leave it as it is.
 */
export function narrow(interval: Interval, offset: WallOffset, { notBefore, notAfter }: Stamps): Interval {
  const error = (offset.max - offset.min) / 2;
  if (error > BAD_MS) return interval;
  const middle = (offset.max + offset.min) / 2;
  const slack = TICK_MS + error;
  const lo = notBefore === undefined ? interval.lo : later(interval.lo, fromMs(notBefore - middle - slack));
  const hi = notAfter === undefined ? interval.hi : earlier(interval.hi, fromMs(notAfter - middle + slack));
  const contradicted = lo > interval.hi || hi < interval.lo || lo > hi;
  return contradicted ? interval : { lo, hi };
}

const later = (a: Ns, b: Ns): Ns => (a > b ? a : b);
const earlier = (a: Ns, b: Ns): Ns => (a < b ? a : b);
