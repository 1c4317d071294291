// The order scale: every moment at which something happened gets the same room, however close the next one is, so that a
// race of microseconds is as wide as an hour of waiting. The map from time to room is strictly monotone and can be turned
// back; moments never move when later ones are added at the end.
import type { Trace } from '../trace/trace';
import type { Seq } from '../wire/frame';

/** A strictly monotone map from time (ns) to room, and back. */
export interface Warp {
  u(t: number): number;
  t(u: number): number;
  /** The least room that a view may show. */
  readonly least: number;
}

/** The clock's own: a nanosecond is a nanosecond. */
export const CLOCK: Warp = { u: (t) => t, t: (u) => u, least: 50 };

/** The moments of a trace, ascending and each once. */
export interface Moments extends Warp {
  readonly length: number;
  at(index: number): number;
  /** Takes in what was appended to the trace. @param goOn as for lanes @returns whether everything is in */
  take(goOn?: () => boolean): boolean;
}

const SLICE = 65_536;

/**
 * The moments of a trace's frames.
 * @param shows whether a frame gets room: one of which nothing is drawn would only push apart what is
 */
export function moments(trace: Trace, shows: (seq: Seq) => boolean = () => true): Moments {
  let times = new Float64Array(1024);
  let length = 0;
  let taken = 0;

  const at = (index: number): number => times[index] ?? 0;

  /** The first index whose moment is later than `t`. */
  const after = (t: number): number => {
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (at(middle) <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const add = (t: number): void => {
    // Two wires' frames may be appended a little out of order.
    const place = length === 0 || t > at(length - 1) ? length : after(t);
    if (place > 0 && at(place - 1) === t) return;
    if (length === times.length) {
      const next = new Float64Array(length * 2);
      next.set(times);
      times = next;
    }
    if (place < length) times.copyWithin(place + 1, place, length);
    times[place] = t;
    length++;
  };

  return {
    get length() {
      return length;
    },
    at,
    take(goOn = () => true) {
      for (let read = 1; taken < trace.length; taken++, read++) {
        if (read % SLICE === 0 && !goOn()) return false;
        if (shows(taken)) add(trace.t(taken));
      }
      return true;
    },
    least: 2,
    u(t) {
      if (length === 0) return beyond(t);
      if (t < at(0)) return -beyond(at(0) - t);
      const next = after(t);
      if (next === length) return length - 1 + beyond(t - at(length - 1));
      return next - 1 + (t - at(next - 1)) / (at(next) - at(next - 1));
    },
    t(u) {
      if (length === 0) return reach(u);
      if (u <= 0) return at(0) - reach(-u);
      if (u >= length - 1) return at(length - 1) + reach(u - (length - 1));
      const before = Math.floor(u);
      return at(before) + (u - before) * (at(before + 1) - at(before));
    },
  };
}

/** Before the first moment and after the last one waiting takes room, but ever less of it. */
const SLACK = 1e8;
const STEEP = 16;

/** Room of a time outside of all moments, and back; odd functions, so that they serve both sides. */
function beyond(t: number): number {
  if (t < 0) return -beyond(-t);
  const room = Math.log2(1 + t / SLACK);
  return room <= STEEP ? room : STEEP + (t - reach(STEEP)) / (SLACK * 2 ** STEEP * Math.LN2);
}

function reach(room: number): number {
  if (room < 0) return -reach(-room);
  if (room <= STEEP) return SLACK * (2 ** room - 1);
  return SLACK * (2 ** STEEP - 1) + (room - STEEP) * SLACK * 2 ** STEEP * Math.LN2;
}
