// What one row of the timeline collects while it is drawn: bars, threads, marks and words in their layers, the boxes by which a
// pointer finds them again, and what is taken already. What draws a part of a row puts it here.
import type { Ns } from '../../app/base/time';
import type { Trace } from '../../app/trace/trace';
import type { Colour } from '../theme/theme';
import type { Box, Command, Measure } from './draw';
import type { RowGeometry } from './geometry';
import type { Interval, Place, Track, Wish } from './labels';
import type { EffectMark, Mark, Picture, Span } from './marks';
import type { Scale } from './scale';
import { labels, type SpanName, type Target } from './words';

export interface Hit extends Box {
  readonly target: Target;
}

/** Drawn in this order: bars, threads, marks from harmless to worst, words. */
export interface Layers {
  readonly bars: Command[];
  readonly threads: Command[];
  readonly marks: { readonly rank: number; readonly commands: readonly Command[]; readonly hit: Hit }[];
  readonly words: Command[];
  /** Boxes of bars; marks bring theirs along. */
  readonly spans: Hit[];
}

export const layers = (): Layers => ({ bars: [], threads: [], marks: [], words: [], spans: [] });

export interface RowStage {
  readonly scale: Scale;
  readonly now: Ns;
  readonly trace: Trace;
  readonly measure: Measure;
  readonly diamond: number;
  /** Where lines of the session cross the row: words keep off them. */
  readonly walls: readonly number[];
  /** Of a lane: what neighbours cover that are too small to be drawn whole, and what evidence covers. */
  readonly covered?: Readonly<Record<'upper' | 'lower', readonly Interval[]>>;
  readonly into: Layers;
}

/** What one row collects before its words are placed: several calls may share a row. */
export interface Sheet extends RowStage {
  readonly top: number;
  readonly row: RowGeometry;
  /** Several calls share the row, and the gutter names none of them. */
  readonly shared: boolean;
  readonly taken: Record<Track, Interval[]>;
  readonly wishes: Wish[];
  /** How far spans reach that are still open: to now, on a lane no farther than the lane is the call's own. */
  readonly edge: Ns;
}

/** Worst last: it is drawn over the others and found first. */
const RANK: Readonly<Record<Mark['mark'], number>> = {
  request: 0,
  progress: 1,
  'task-state': 1,
  reply: 2,
  fence: 3,
  gap: 3,
  'all-clear': 4,
  work: 5,
  held: 5,
  'too-late': 5,
  cancel: 6,
  untold: 6,
  closed: 6,
  killed: 6,
  'task-cancel': 6,
  'duplicate-reply': 7,
  'late-reply': 8,
  lost: 8,
  fault: 9,
  effect: 10,
};
const EFFECT_RANK: Readonly<Record<EffectMark['state'], number>> = { observed: 10, before: 11, straddles: 12, after: 13 };
export const rankOf = (mark: Mark): number => (mark.mark !== 'effect' ? RANK[mark.mark] : mark.reverted ? 9 : EFFECT_RANK[mark.state]);

/** How eagerly words are placed: evidence first. */
export const WORDS = {
  evidence: 100,
  late: 80,
  clear: 70,
  fence: 65,
  stop: 60,
  progress: 50,
  task: 45,
  reply: 40,
  unknown: 30,
  request: 10,
} as const;

export const isIn = (x: number, scale: Scale, reach: number): boolean => x >= scale.left - reach && x <= scale.left + scale.width + reach;

/** Pixels of a span as far as it is in view, with some room so that edges stay out of sight; undefined when it is not. */
export function cut(span: Span, { scale, edge }: Sheet, period = 1): (Interval & { readonly phase: number }) | undefined {
  const low = scale.left - 24;
  const high = scale.left + scale.width + 24;
  const from = scale.x(span.from);
  const to = Math.min(high, Math.max(scale.x(span.to ?? edge), from));
  if (to < low || from > high) return undefined;
  const start = from >= low ? from : low - ((low - from) % period);
  return { from: start, to, phase: from };
}

export function take(sheet: Sheet, track: Track, from: number, to: number): void {
  sheet.taken[track].push({ from, to });
}

export function spanHit(of: Picture, span: SpanName, x: Interval, y: number, h: number, sheet: Sheet): void {
  sheet.into.spans.push({ x: x.from, y, w: Math.max(1, x.to - x.from), h, target: { on: 'span', of, span } });
}

export interface Glyph {
  readonly commands: readonly Command[];
  readonly box: Box;
}

export function add(mark: Mark, members: readonly Mark[], of: Picture, { commands, box }: Glyph, sheet: Sheet): void {
  sheet.into.marks.push({ rank: rankOf(mark), commands, hit: { ...box, target: { on: 'mark', of, mark, members } } });
}

export function wish(
  mark: Mark,
  of: Picture,
  sheet: Sheet,
  fill: Colour,
  rank: number,
  places: readonly Place[],
  strong = false,
  members = 1,
): void {
  const texts = labels(mark, of, members);
  if (texts.length > 0) sheet.wishes.push({ texts, places, face: strong ? 'strong' : 'label', fill, rank });
}

export const right = (track: Track, x: number, slide: number): Place => ({ track, x, hang: 'right', slide });
export const left = (track: Track, x: number, slide: number): Place => ({ track, x, hang: 'left', slide });
export const far = (at: Place): Place => ({ ...at, far: true });

export const upperOf = (sheet: Sheet): { readonly y: number; readonly h: number } => ({
  y: sheet.top + sheet.row.upper.y,
  h: sheet.row.upper.h,
});
