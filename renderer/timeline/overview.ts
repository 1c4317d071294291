// The strip above the timeline as a picture: how much happened when, where the worst verdicts are (always in sight), and
// which part is in view. Pure, like the scene; densities come from binary searches, one for each bar.
import { asNs, type Ns } from '../../app/base/time';
import type { Verdict } from '../../app/verdict/verdict';
import type { Box, Command } from './draw';
import { sign } from './glyphs';
import { goesOn, type TimelineModel } from './model';
import { clockScale, firstAt, type Range, type Scale } from './scale';
import { dataOf } from './TimelineController';

export interface OverviewScene {
  readonly commands: readonly Command[];
  readonly scale: Scale;
  /** The part in view, as far as it is on the strip. */
  readonly window: Box;
  readonly signs: readonly (Box & { readonly call: number })[];
}

/** A verdict that deserves its sign here, at the moment that made it so bad. */
export interface Alarm {
  readonly call: number;
  readonly severity: 'warn' | 'breach';
  readonly at: Ns;
}

const BAR = 3;
const STEP = 4;
const GRIP = 6;

/** Breaches and warnings of all calls. */
export function alarms(model: TimelineModel): readonly Alarm[] {
  const found: Alarm[] = [];
  for (const call of model.calls.all) {
    const verdict = model.verdict(call.index);
    if (verdict?.severity === 'warn' || verdict?.severity === 'breach')
      found.push({ call: call.index, severity: verdict.severity, at: momentOf(verdict) ?? call.sent.t });
  }
  return found;
}

const momentOf = (verdict: Verdict): Ns | undefined => verdict.effect.worst?.hi ?? verdict.reply.at ?? verdict.stop.at;

/** What the strip shows: all frames, and a little beyond while it goes on, so that the edge is not glued to the border. */
function wholeOf(model: TimelineModel): Range {
  const { from, to } = dataOf(model);
  return { from, to: asNs(goesOn(model) ? Math.max(to * 1.02, Math.min(model.now(), to * 1.25)) : to) };
}

/** Draws the strip. */
export function overview(model: TimelineModel, known: readonly Alarm[], view: Range, width: number, height: number): OverviewScene {
  const scale = clockScale(wholeOf(model), 0, Math.max(1, width));
  const window = windowOf(scale, view, height);
  const signs = signsOf(known, scale);
  const commands: Command[] = [
    { draw: 'rect', x: 0, y: 0, w: width, h: height, fill: 'page' },
    { draw: 'rect', ...window, fill: 'request', alpha: 0.1, radius: 4 },
    ...density(model, scale, height),
    { draw: 'frame', ...window, stroke: 'request', width: 1, radius: 4 },
    ...grips(window),
    ...(goesOn(model) ? edge(scale, model.now(), height) : []),
    ...signs.flatMap((at) => sign(at.severity, at.x + at.w / 2, at.y + at.h / 2, 0.85)),
    { draw: 'line', x1: 0, y1: height - 0.5, x2: width, y2: height - 0.5, stroke: 'line', width: 1 },
  ];
  return { commands, scale, window, signs };
}

/** Which part of the window a point takes hold of. */
export function gripAt({ window }: OverviewScene, x: number): 'from' | 'to' | 'both' | 'none' {
  const right = window.x + window.w;
  if (window.w > 3 * GRIP && Math.abs(x - window.x) <= GRIP) return 'from';
  if (window.w > 3 * GRIP && Math.abs(x - right) <= GRIP) return 'to';
  return x >= window.x - GRIP && x <= right + GRIP ? 'both' : 'none';
}

function windowOf(scale: Scale, view: Range, height: number): Box {
  const clip = (x: number): number => Math.min(scale.width - 1, Math.max(1, x));
  const from = clip(scale.x(view.from));
  const to = clip(scale.x(view.to));
  const x = Math.min(from, scale.width - 5);
  return { x, y: 3, w: Math.max(4, to - x), h: height - 7 };
}

const grips = ({ x, y, w, h }: Box): Command[] =>
  w < 3 * GRIP
    ? []
    : [x, x + w - 3].map((left) => ({ draw: 'rect', x: left, y: y + h / 2 - 6, w: 3, h: 12, fill: 'request', radius: 1.5 }));

/** Bars on a logarithmic height: one frame is seen beside a flood. */
function density(model: TimelineModel, scale: Scale, height: number): Command[] {
  const times = model.trace.times();
  const indexAt = (x: number): number => firstAt(times.length, (index) => times[index] ?? 0, scale.t(x));
  const counts: number[] = [];
  let before = indexAt(0);
  for (let x = 0; x < scale.width; x += STEP) {
    const end = indexAt(x + STEP);
    counts.push(end - before);
    before = end;
  }
  const most = Math.log1p(Math.max(4, ...counts));
  const bars: Command[] = [];
  for (const [index, count] of counts.entries()) {
    if (count === 0) continue;
    const h = 2 + (height - 16) * (Math.log1p(count) / most);
    bars.push({ draw: 'rect', x: index * STEP, y: height - 5 - h, w: BAR, h, fill: 'request', alpha: 0.42 });
  }
  return bars;
}

/** The worst last, so that it is on top; signs on the same pixels become one. */
function signsOf(known: readonly Alarm[], scale: Scale): readonly (Box & Alarm)[] {
  const placed: (Box & Alarm)[] = [];
  const order = [...known.filter((alarm) => alarm.severity === 'breach'), ...known.filter((alarm) => alarm.severity === 'warn')];
  const columns = new Set<number>();
  for (const alarm of order) {
    const x = Math.min(scale.width - 7, Math.max(7, scale.x(alarm.at)));
    const column = Math.round(x / 8);
    if (columns.has(column)) continue;
    columns.add(column);
    placed.push({ ...alarm, x: x - 6, y: 3, w: 12, h: 12 });
  }
  return placed.reverse();
}

function edge(scale: Scale, now: Ns, height: number): Command[] {
  const x = scale.x(now);
  return x > scale.width ? [] : [{ draw: 'line', x1: x, y1: 4, x2: x, y2: height - 4, stroke: 'ink', width: 1, alpha: 0.5 }];
}
