// A lane: calls side by side on one row. Those with room are drawn whole, from their facts; smaller ones as a bar and the
// worst mark they have; what shares a pixel becomes one bar, and where there is evidence the worst mark of all of them,
// which carries how many there are. What is drawn depends on pixels only, never on how many calls there are.
import { asNs, type Ns } from '../../app/base/time';
import { RANK } from '../../app/layout/extent';
import type { Lane } from '../../app/layout/lanes';
import type { Strip } from '../../app/layout/strip';
import type { Colour } from '../theme/theme';
import type { Command } from './draw';
import type { RowGeometry } from './geometry';
import * as glyph from './glyphs';
import type { Interval } from './labels';
import { type Facts, type Picture, picture } from './marks';
import { drawRow } from './row';
import type { Scale } from './scale';
import type { RowStage } from './sheet';
import type { Target } from './words';

/** Rectangles gathered by colour and strength: a few commands for thousands of bars. */
export class Fills {
  readonly #boxes = new Map<string, { readonly fill: Colour; readonly alpha: number; readonly boxes: number[] }>();

  add(fill: Colour, alpha: number, x: number, y: number, w: number, h: number): void {
    const key = `${fill} ${alpha}`;
    let bucket = this.#boxes.get(key);
    if (!bucket) {
      bucket = { fill, alpha, boxes: [] };
      this.#boxes.set(key, bucket);
    }
    bucket.boxes.push(x, y, w, h);
  }

  commands = (): Command[] => [...this.#boxes.values()].map((bucket) => ({ draw: 'rects', ...bucket }));
}

/** Calls closer together than this are one bar. */
const GRAIN = 3;
/** Beyond the edges of the plot, so that marks that reach into it are found. */
const REACH = 24;
/** At most so many calls are drawn whole, however many rows there are. */
const WHOLE = 140;
/** Widths below which a call is drawn small; the least of them that leaves few enough whole. */
const WIDTHS = [GRAIN, 12, 20, 30, 44, 64, 96, 140, 200, 300];

/** What of a lane is in view. */
export interface LaneView {
  readonly lane: Lane;
  /** Places of calls with some room of their own. */
  readonly single: readonly number[];
  /** Bars of what has none: from and to in pixels, and whether a filter lets any of it through. */
  readonly bars: readonly { x: number; to: number; lit: boolean }[];
  readonly evidence: readonly Evidence[];
}

/** Calls on the same pixels, and the worst of them. */
interface Evidence {
  x: number;
  rank: number;
  /** Place of the worst. */
  worst: number;
  /** How many of the calls have evidence, and how many calls there are. */
  count: number;
  first: number;
  end: number;
}

/** Evidence is what a filter, a sum or a zoom must never hide: from a late reply up. */
const isEvidence = (rank: number): boolean => rank >= RANK.late;

/** Finds what of a lane the pixels can show. */
export function viewOf(lane: Lane, scale: Scale): LaneView {
  const single: number[] = [];
  const bars: { x: number; to: number; lit: boolean }[] = [];
  const evidence: Evidence[] = [];
  const { strip } = lane;
  const tiny = (from: number, to: number): boolean => scale.x(asNs(to)) - scale.x(asNs(from)) < GRAIN;
  const right = scale.left + scale.width;
  strip.walk(scale.t(scale.left - REACH), scale.t(right + REACH), tiny, (cell) => {
    const x = scale.x(asNs(cell.from));
    const to = scale.x(asNs(cell.to));
    if (cell.end - cell.first === 1 && to - x >= GRAIN) {
      single.push(cell.first);
      return;
    }
    const last = bars.at(-1);
    if (last && x <= last.to + 1) {
      last.to = Math.max(last.to, to);
      last.lit ||= cell.lit > 0;
    } else bars.push({ x, to: Math.max(to, x + 1), lit: cell.lit > 0 });
    if (!isEvidence(cell.rank)) return;
    const at = scale.x(asNs(strip.moment(cell.worst)));
    evidence.push({ x: at, rank: cell.rank, worst: cell.worst, count: cell.count, first: cell.first, end: cell.end });
  });
  return { lane, single, bars, evidence };
}

/** How wide a call must be to be drawn whole, given all that is in view. */
export function wholeFrom(views: readonly LaneView[], scale: Scale, now: Ns): number {
  const widths = views.flatMap(({ lane, single }) => single.map((place) => widthOf(lane.strip, place, scale, now)));
  return WIDTHS.find((width) => widths.filter((w) => w >= width).length <= WHOLE) ?? Number.POSITIVE_INFINITY;
}

function widthOf(strip: Strip, place: number, scale: Scale, now: Ns): number {
  const from = Math.max(scale.left, scale.x(asNs(strip.start(place))));
  const to = Math.min(scale.left + scale.width, scale.x(asNs(Math.min(strip.end(place), Math.max(now, strip.start(place))))));
  return to - from;
}

export interface LaneStage extends RowStage {
  readonly facts: Facts;
  readonly fills: Fills;
  /** Index of the row. */
  readonly row: number;
  readonly top: number;
  readonly shape: RowGeometry;
  /** Calls at least this wide are drawn whole. */
  readonly whole: number;
  readonly selected: number | undefined;
}

/** Draws what is in view. @returns the pictures that were drawn whole */
export function drawLane(view: LaneView, stage: LaneStage): readonly Picture[] {
  const { strip } = view.lane;
  const { scale, now, fills, top, shape } = stage;
  const evidence = [...view.evidence];
  const covered: Covered = { upper: view.bars.map(({ x, to }) => ({ from: x, to })), lower: [] };
  const whole: Picture[] = [];
  const edges: Ns[] = [];
  for (const bar of view.bars) fills.add('request', bar.lit ? 0.5 : 0.1, bar.x, top + shape.upper.y, bar.to - bar.x, shape.upper.h);
  for (const place of view.single) {
    const call = stage.facts.calls.all[strip.calls[place] ?? -1];
    if (!call) continue;
    const large = widthOf(strip, place, scale, now) >= stage.whole || call.index === stage.selected;
    if (large && strip.isLit(place)) {
      whole.push(picture(stage.facts, call));
      edges.push(asNs(Math.min(strip.end(place), place + 1 < strip.length ? strip.start(place + 1) : Number.POSITIVE_INFINITY)));
      continue;
    }
    drawSmall(strip, place, stage, covered);
    const rank = strip.rank(place);
    if (isEvidence(rank))
      evidence.push({ x: scale.x(asNs(strip.moment(place))), rank, worst: place, count: 1, first: place, end: place + 1 });
  }
  const worst = clusters(evidence, stage.diamond, scale);
  for (const { x, count } of worst) {
    const across = { from: x - stage.diamond, to: x + stage.diamond + (count > 1 ? BADGE : 0) };
    covered.upper.push(across);
    covered.lower.push(across);
  }
  drawRow(whole, edges, true, top, shape, { ...stage, covered });
  for (const cluster of worst) drawEvidence(cluster, strip, stage);
  return whole;
}

/** What words must keep off, by the line that they would stand on. */
type Covered = Record<'upper' | 'lower', Interval[]>;

/** How far the count beside a mark reaches. */
const BADGE = 12;

/** What the client saw, the stop, and that nobody knows what came of it. @param covered takes in what is drawn over */
function drawSmall(strip: Strip, place: number, { scale, now, fills, top, shape }: LaneStage, covered: Covered): void {
  const low = scale.left - REACH;
  const high = scale.left + scale.width + REACH;
  const xOf = (t: number): number => Math.min(high, Math.max(low, scale.x(asNs(Math.min(t, now)))));
  const lit = strip.isLit(place);
  const x = xOf(strip.start(place));
  const wait = Math.max(x + 1, xOf(strip.wait(place)));
  const { upper, lower } = shape;
  fills.add('request', lit ? 0.34 : 0.08, x, top + upper.y, wait - x, upper.h);
  if (lit) fills.add('request', 0.9, x, top + upper.y, 1.5, upper.h);
  const stop = strip.stop(place);
  if (!lit || Number.isNaN(stop)) {
    covered.upper.push({ from: x, to: wait });
    return;
  }
  const end = Math.max(wait, xOf(strip.end(place)));
  const stopX = xOf(stop);
  fills.add('request', 0.12, stopX, top + upper.y, end - stopX, upper.h);
  fills.add('unknown', 0.4, stopX, top + lower.y + 1, end - stopX, lower.h - 2);
  fills.add('cancel', 1, stopX - 0.75, top + upper.y - 2, 1.5, lower.y + lower.h - upper.y + 3);
  covered.upper.push({ from: x, to: end });
  covered.lower.push({ from: stopX - 1, to: end });
}

/**
 * Evidence whose marks would touch becomes one mark: the worst, carrying how many there are.
 * @param evidence in any order
 * @returns from left to right
 */
function clusters(evidence: readonly Evidence[], half: number, scale: Scale): readonly Evidence[] {
  const found: Evidence[] = [];
  for (const one of [...evidence].sort((a, b) => a.x - b.x)) {
    if (one.x < scale.left || one.x > scale.left + scale.width) continue;
    const last = found.at(-1);
    if (!last || one.x - last.x >= 2 * half) {
      found.push({ ...one });
      continue;
    }
    if (one.rank > last.rank) Object.assign(last, { x: one.x, rank: one.rank, worst: one.worst, count: one.count });
    else if (one.rank === last.rank) last.count += one.count;
    last.first = Math.min(last.first, one.first);
    last.end = Math.max(last.end, one.end);
  }
  return found;
}

function drawEvidence(cluster: Evidence, strip: Strip, stage: LaneStage): void {
  const { x, rank, count, first, end, worst } = cluster;
  const { top, shape, diamond: half } = stage;
  const middle = top + shape.lower.y + shape.lower.h / 2;
  const y = rank === RANK.late ? top + shape.upper.y + shape.upper.h / 2 : middle;
  const badge = count > 1 ? glyph.count(count, x + half, y - half + 2) : [];
  const box = { x: x - half - 1, y: y - half - 1, w: 2 * half + 2, h: 2 * half + 2 };
  const calls = end - first;
  const target: Target = {
    on: 'cells',
    facts: stage.facts,
    row: stage.row,
    calls,
    worst: strip.calls[worst] ?? 0,
    first: strip.calls[first] ?? 0,
    rank,
    count,
    from: asNs(strip.start(first)),
    to: asNs(strip.end(end - 1)),
    places: [first, end],
  };
  stage.into.marks.push({ rank: EVIDENCE_RANK + rank, commands: [...glyphOf(rank, x, y, half), ...badge], hit: { ...box, target } });
}

/** Over the marks of calls that are drawn whole and are less bad. */
const EVIDENCE_RANK = 7;

function glyphOf(rank: number, x: number, y: number, half: number): readonly Command[] {
  switch (rank) {
    case RANK.breach:
      return glyph.effectAfter(x, y, half, false);
    case RANK.unordered:
      return glyph.effectStraddles(x, y, half - 1);
    case RANK.warned:
      return glyph.sign('warn', x, y, 0.9);
    case RANK.wrote:
      return glyph.effectBefore(x, y, half - 2, false);
    default:
      return glyph.lateReply(x, y - 5, 10, false);
  }
}

/** The calls of a lane under a point, as they are drawn there. */
export function cellsAt(lane: Lane, row: number, x: number, scale: Scale, facts: Facts): Target | undefined {
  const { strip } = lane;
  let found: (Extract<Target, { on: 'cells' }> & { places: [number, number] }) | undefined;
  const tiny = (from: number, to: number): boolean => scale.x(asNs(to)) - scale.x(asNs(from)) < GRAIN;
  strip.walk(scale.t(x - 1.5), scale.t(x + 1.5), tiny, (cell) => {
    const worse = !found || cell.rank > found.rank;
    const same = found && cell.rank === found.rank;
    const first = found ? found.places[0] : cell.first;
    found = {
      on: 'cells',
      facts,
      row,
      calls: (found?.calls ?? 0) + cell.end - cell.first,
      worst: worse ? (strip.calls[cell.worst] ?? 0) : (found?.worst ?? 0),
      first: strip.calls[first] ?? 0,
      rank: Math.max(cell.rank, found?.rank ?? 0),
      count: worse ? cell.count : (found?.count ?? 0) + (same ? cell.count : 0),
      from: asNs(Math.min(cell.from, found?.from ?? cell.from)),
      to: asNs(Math.max(cell.to, found?.to ?? cell.to)),
      places: [first, cell.end],
    };
  });
  return found;
}
