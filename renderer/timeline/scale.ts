// Time to pixels and back. Only the clock scale exists so far; whatever draws asks a Scale and does not care which.
import { scaleLinear } from 'd3-scale';
import { asNs, type Ns } from '../../app/base/time';

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

/** Linear time. `to` is taken as at least a nanosecond after `from`. */
export function clockScale(range: Range, left: number, width: number): Scale {
  const span = Math.max(1, range.to - range.from);
  const perPixel = span / Math.max(1, width);
  return {
    from: range.from,
    to: asNs(range.from + span),
    left,
    width,
    x: (t) => left + (t - range.from) / perPixel,
    t: (x) => asNs(range.from + (x - left) * perPixel),
  };
}

/**
 * Zooms so that the time under a point stays there.
 * @param at the time to keep in place
 * @param factor below 1 zooms in
 */
export function zoom(range: Range, at: Ns, factor: number): Range {
  const span = range.to - range.from;
  const next = Math.min(MAX_SPAN, Math.max(MIN_SPAN, span * factor));
  const share = span > 0 ? (at - range.from) / span : 0.5;
  const from = at - next * share;
  return { from: asNs(from), to: asNs(from + next) };
}

/** Moves by a share of what is in view; negative goes back in time. */
export function pan(range: Range, share: number): Range {
  const by = (range.to - range.from) * share;
  return { from: asNs(range.from + by), to: asNs(range.to + by) };
}

/** Keeps some of the data in view: at most nine tenths of the range may lie outside of it. The span stays. */
export function clamp(range: Range, data: Range): Range {
  const span = range.to - range.from;
  const slack = span * 0.9;
  const lowest = data.from - slack;
  const highest = Math.max(lowest, data.to + slack - span);
  const from = Math.min(highest, Math.max(lowest, range.from));
  return { from: asNs(from), to: asNs(from + span) };
}

/** A range with some air on both sides of what it is to show. */
export function around(range: Range, air = 0.06, least = 1000): Range {
  const span = Math.max(least, range.to - range.from);
  return { from: asNs(range.from - span * air), to: asNs(range.from + span * (1 + air)) };
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

/** Round times about `gap` pixels apart, none before 0. */
function roundTimes(scale: Scale, gap: number): readonly number[] {
  const count = Math.max(2, Math.floor(scale.width / gap));
  const span = scale.to - scale.from;
  if (span / count < 1e9) {
    const times = scaleLinear().domain([scale.from, scale.to]).ticks(count);
    return times.filter((t) => t >= 0 && Number.isInteger(t));
  }
  const step = CLOCK_STEPS.find((ns) => ns >= span / count) ?? 86_400e9;
  const first = Math.max(0, Math.ceil(scale.from / step));
  const last = Math.floor(scale.to / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}

/** Ticks about `gap` pixels apart, with labels as short as they can be without two being equal. */
export function axis(scale: Scale, gap = 84): Axis {
  const times = roundTimes(scale, gap);
  const step = Math.max(1, (times[1] ?? times[0] ?? 0) - (times[0] ?? 0));
  const reach = Math.max(Math.abs(scale.to), step);
  if (reach / step < 1e5) return { ticks: times.map((t) => ({ t: asNs(t), label: label(t, step, reach) })), anchor: undefined };
  const anchor = Math.floor(Math.max(0, scale.from) / (step * 100)) * step * 100;
  const unit = unitOf(Math.max(step, (times.at(-1) ?? anchor) - anchor));
  return {
    ticks: times.map((t) => ({ t: asNs(t), label: `+${decimal((t - anchor) / unit.ns, step / unit.ns)} ${unit.name}` })),
    anchor: { t: asNs(anchor), label: label(anchor, step * 100, anchor) },
  };
}

/** A time on the axis: `1:20` for whole seconds past a minute, else one unit for the whole axis. */
function label(t: number, step: number, reach: number): string {
  if (step >= 1e9 && reach >= 60e9) return clock(Math.round(t / 1e9));
  const unit = step >= 1e8 ? SECONDS : unitOf(Math.max(step, Math.min(reach, 9.999e8)));
  return `${decimal(t / unit.ns, step / unit.ns)} ${unit.name}`;
}

const clock = (seconds: number): string => {
  const rest = `${Math.floor(seconds / 60) % 60}:${String(seconds % 60).padStart(2, '0')}`;
  return seconds < 3600 ? rest : `${Math.floor(seconds / 3600)}:${rest.padStart(5, '0')}`;
};

/** As many decimals as the step needs. */
const decimal = (value: number, step: number): string => value.toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step) - 1e-9))));

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
