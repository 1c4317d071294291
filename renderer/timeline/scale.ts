// Time to pixels and back, on the clock or in order; whatever draws asks a Scale and does not care which. Views are ranges
// of time; they are moved and zoomed in the room that a warp gives to time.
import { scaleLinear } from 'd3-scale';
import { asNs, type Ns, words } from '../../app/base/time';
import { CLOCK, type Moments, type Warp } from '../../app/layout/order';

export interface Range {
  readonly from: Ns;
  readonly to: Ns;
}

/** A monotone map between time and pixels of the plot. */
export interface Scale extends Range {
  /** Left edge and width of the plot in CSS pixels. */
  readonly left: number;
  readonly width: number;
  x(t: Ns): number;
  t(x: number): Ns;
}

export interface Tick {
  readonly t: Ns;
  readonly label: string;
}

export interface Axis {
  readonly ticks: readonly Tick[];
  /** When the ticks are so fine that whole labels would not fit, they count from here. */
  readonly anchor: Tick | undefined;
}

export const MIN_SPAN = 50;
const MAX_SPAN = 7 * 86_400e9;

/** A scale over a range. `to` is taken as at least a nanosecond after `from`. */
export function scaleOf(range: Range, warp: Warp, left: number, width: number): Scale {
  const to = asNs(Math.max(range.to, range.from + 1));
  const start = warp.u(range.from);
  const perPixel = (warp.u(to) - start) / Math.max(1, width);
  return {
    from: range.from,
    to,
    left,
    width,
    x: (t) => left + (warp.u(t) - start) / perPixel,
    t: (x) => asNs(warp.t(start + (x - left) * perPixel)),
  };
}

/** Linear time. */
export const clockScale = (range: Range, left: number, width: number): Scale => scaleOf(range, CLOCK, left, width);

/**
 * A scale on the way from one to another: monotone as both are, and turned back by halving.
 * @param share 0 is the first, 1 the second
 */
export function between(a: Scale, b: Scale, share: number): Scale {
  const x = (t: Ns): number => a.x(t) * (1 - share) + b.x(t) * share;
  const turnBack = (at: number): Ns => {
    let low = Math.min(a.t(at), b.t(at));
    let high = Math.max(a.t(at), b.t(at));
    for (let step = 0; step < 64 && high - low > 1e-3; step++) {
      const middle = (low + high) / 2;
      if (x(asNs(middle)) < at) low = middle;
      else high = middle;
    }
    return asNs(high);
  };
  const { left, width } = b;
  return { from: turnBack(left), to: turnBack(left + width), left, width, x, t: turnBack };
}

/**
 * Zooms so that the time under a point stays there.
 * @param at the time to keep in place
 * @param factor below 1 zooms in
 */
export function zoom(range: Range, at: Ns, factor: number, warp: Warp = CLOCK): Range {
  const start = warp.u(range.from);
  const span = warp.u(range.to) - start;
  const next = Math.min(MAX_SPAN, Math.max(warp.least, span * factor));
  const share = span > 0 ? (warp.u(at) - start) / span : 0.5;
  const from = warp.u(at) - next * share;
  return back(warp, from, from + next);
}

const back = (warp: Warp, from: number, to: number): Range => ({ from: asNs(warp.t(from)), to: asNs(warp.t(to)) });

/** Moves by a share of what is in view; negative goes back in time. */
export function pan(range: Range, share: number, warp: Warp = CLOCK): Range {
  const by = (warp.u(range.to) - warp.u(range.from)) * share;
  return back(warp, warp.u(range.from) + by, warp.u(range.to) + by);
}

/** Keeps some of the data in view: at most nine tenths of the range may lie outside of it. The span stays. */
export function clamp(range: Range, data: Range, warp: Warp = CLOCK): Range {
  const [start, span] = [warp.u(range.from), warp.u(range.to) - warp.u(range.from)];
  const slack = span * 0.9;
  const lowest = warp.u(data.from) - slack;
  const highest = Math.max(lowest, warp.u(data.to) + slack - span);
  const from = Math.min(highest, Math.max(lowest, start));
  return from === start ? range : back(warp, from, from + span);
}

/** A range with some air on both sides of what it is to show. */
export function around(range: Range, air = 0.06, warp: Warp = CLOCK): Range {
  const start = warp.u(range.from);
  const span = Math.max(warp.least * 4, warp.u(range.to) - start);
  return back(warp, start - span * air, start + span * (1 + air));
}

const UNITS = [
  { name: 's', ns: 1e9 },
  { name: 'ms', ns: 1e6 },
  { name: 'µs', ns: 1e3 },
  { name: 'ns', ns: 1 },
] as const;
type Unit = (typeof UNITS)[number];
const [SECONDS] = UNITS;

/** The largest unit in which a length of time is at least one; nanoseconds for everything shorter. */
const unitOf = (length: number): Unit => UNITS.find((unit) => length >= unit.ns * 0.9999) ?? { name: 'ns', ns: 1 };

/** Steps that people count in, from a second up. */
const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].map((s) => s * 1e9);

/** What the labels of an axis count from. */
export interface Origin {
  /** The time (ns of the trace) at which they are 0. */
  readonly at: number;
  /** `clock` writes times of day, `length` lengths of time. */
  readonly as: 'clock' | 'length';
}

/** The beginning of the trace. */
export const BEGINNING: Origin = { at: 0, as: 'length' };

/** Round times about `gap` pixels apart, none before the trace began. */
function roundTimes(scale: Scale, gap: number, { at }: Origin): readonly number[] {
  const count = Math.max(2, Math.floor(scale.width / gap));
  const span = scale.to - scale.from;
  if (span / count < 1e9) {
    const times = scaleLinear()
      .domain([scale.from - at, scale.to - at])
      .ticks(count);
    return times.filter((t) => t + at >= 0 && Number.isInteger(t)).map((t) => t + at);
  }
  const step = CLOCK_STEPS.find((ns) => ns >= span / count) ?? 86_400e9;
  const first = Math.ceil((Math.max(0, scale.from) - at) / step);
  const last = Math.floor((scale.to - at) / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step + at);
}

/** Ticks about `gap` pixels apart, with labels as short as they can be without two being equal. */
export function axis(scale: Scale, gap = 84, origin = BEGINNING): Axis {
  const times = roundTimes(scale, gap, origin);
  const step = Math.max(1, (times[1] ?? times[0] ?? 0) - (times[0] ?? 0));
  const reach = Math.max(Math.abs(scale.to - origin.at), Math.abs(scale.from - origin.at), step);
  if (reach / step < 1e5 && (origin.as === 'length' || step >= 1e9))
    return { ticks: times.map((t) => ({ t: asNs(t), label: label(t - origin.at, step, reach, origin) })), anchor: undefined };
  const coarse = origin.as === 'clock' ? Math.max(1e9, step * 100) : step * 100;
  const anchor = Math.floor((Math.max(0, scale.from) - origin.at) / coarse) * coarse + origin.at;
  const unit = unitOf(Math.max(step, (times.at(-1) ?? anchor) - anchor));
  return {
    ticks: times.map((t) => ({ t: asNs(t), label: `+${decimal((t - anchor) / unit.ns, step / unit.ns)} ${unit.name}` })),
    anchor: { t: asNs(anchor), label: label(anchor - origin.at, coarse, anchor - origin.at, origin) },
  };
}

/** A time on the axis: `1:20` for whole seconds past a minute, else one unit for the whole axis. */
function label(t: number, step: number, reach: number, { as }: Origin): string {
  if (t < 0) return `−${label(-t, step, reach, BEGINNING)}`;
  if (as === 'clock') return timeOfDay(t);
  if (step >= 1e9 && reach >= 60e9) return clock(Math.round(t / 1e9));
  const unit = step >= 1e8 ? SECONDS : unitOf(Math.max(step, Math.min(reach, 9.999e8)));
  return `${decimal(t / unit.ns, step / unit.ns)} ${unit.name}`;
}

const clock = (seconds: number): string => {
  const rest = `${Math.floor(seconds / 60) % 60}:${String(seconds % 60).padStart(2, '0')}`;
  return seconds < 3600 ? rest : `${Math.floor(seconds / 3600)}:${rest.padStart(5, '0')}`;
};

/** `9:05:12`; @param t ns since midnight */
function timeOfDay(t: number): string {
  const seconds = Math.round(t / 1e9) % 86_400;
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** As many decimals as the step needs. */
const decimal = (value: number, step: number): string => value.toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step) - 1e-9))));

/**
 * Ticks of the order scale: moments about `gap` pixels apart. The first says when it was, each other how long after the
 * one before: between neighbours of microseconds and of hours no common unit serves.
 */
export function orderAxis(scale: Scale, moments: Moments, gap = 96, origin = BEGINNING): Axis {
  const ticks: Tick[] = [];
  const right = scale.left + scale.width;
  let before = Number.NEGATIVE_INFINITY;
  for (let x = scale.left; x <= right; x += gap / 2) {
    const t = moments.at(Math.max(0, Math.min(moments.length - 1, Math.ceil(moments.u(scale.t(x))))));
    const at = scale.x(asNs(t));
    if (moments.length === 0 || at < scale.left || at > right || at - before < gap) continue;
    const last = ticks.at(-1);
    ticks.push({ t: asNs(t), label: last ? `+${words(asNs(t - last.t))}` : exact(t, origin) });
    before = at;
  }
  return { ticks, anchor: undefined };
}

/** A moment to the microsecond. */
function exact(t: number, origin: Origin): string {
  if (origin.as === 'clock') return timeOfDay(Math.floor((t - origin.at) / 1e9) * 1e9);
  const since = t - origin.at;
  const sign = since < 0 ? '−' : '';
  const abs = Math.abs(since);
  return abs >= 1e9 ? `${sign}${(abs / 1e9).toFixed(3)} s` : `${sign}${(abs / 1e6).toFixed(abs < 1e6 ? 3 : 1)} ms`;
}

/** A stretch of the order scale in which far more time is squeezed than in the others. */
export interface Squeezed {
  /** Where its `≈` stands, and how wide the stretch is. */
  readonly x: number;
  readonly width: number;
  readonly length: Ns;
}

const SQUEEZE = 10;
const LEAST_SQUEEZED = 1e6;

/** Where idle time is squeezed: room in which more than ten times as much time passes as is usual in view. */
export function squeezed(scale: Scale, moments: Moments): readonly Squeezed[] {
  const room = moments.u(scale.to) - moments.u(scale.from);
  const column = Math.max(24, scale.width / Math.max(1, room));
  const first = Math.max(0, Math.floor(moments.u(scale.from)));
  const last = Math.min(moments.length - 1, moments.u(scale.to) + 1);
  const edges: number[] = [];
  // Columns begin at moments where there is room to tell them apart.
  if (column > 24) for (let u = first; u <= last; u++) edges.push(scale.x(asNs(moments.t(u))));
  else for (let x = scale.left; x <= scale.left + scale.width; x += column) edges.push(x);
  const lengths = edges.slice(1).map((x, index) => scale.t(x) - scale.t(edges[index] ?? x));
  const usual = [...lengths].sort((a, b) => a - b)[lengths.length >> 1] ?? 0;
  return lengths.flatMap((length, index) => {
    const [from, to] = [edges[index] ?? 0, edges[index + 1] ?? 0];
    if (length < Math.max(LEAST_SQUEEZED, usual * SQUEEZE)) return [];
    return [{ x: (from + to) / 2, width: to - from, length: asNs(length) }];
  });
}

/** The first index in `[0, length)` whose time is at least `t`; `length` when there is none. Times must ascend. */
export function firstAt(length: number, time: (index: number) => number, t: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (time(middle) < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
