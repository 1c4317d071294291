// Where the words of a row go. A label never covers another label or a mark: it takes the first of its places that is
// free, slides a little, gives up words, or is left out; what speaks of evidence is placed first and left out last.
import type { Colour, Face } from '../theme/theme';
import type { Command, Measure } from './draw';

/** The lines of text in a row: on the upper band, on the lower band, below it. */
export const TRACKS = ['upper', 'lower', 'below'] as const;
export type Track = (typeof TRACKS)[number];

export interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface Place {
  readonly track: Track;
  /** Where the text begins; where it ends when it hangs to the left. */
  readonly x: number;
  readonly hang: 'right' | 'left';
  /** How far the text may move away from `x` to find room. */
  readonly slide: number;
  /** Free of marks by construction (inside a bar): only other labels count, and the text must end here. */
  readonly inside?: number;
  /** Another colour in this place. */
  readonly fill?: Colour;
  /** A place of need: tried only after all words have been tried in all other places. */
  readonly far?: true;
}

export interface Wish {
  /** From most to fewest words. */
  readonly texts: readonly string[];
  readonly places: readonly Place[];
  readonly face: Face;
  readonly fill: Colour;
  /** Higher is placed earlier. */
  readonly rank: number;
}

export interface Placed extends Interval {
  readonly track: Track;
  readonly text: string;
  readonly face: Face;
  readonly fill: Colour;
}

const GAP = 5;

/**
 * Places what fits.
 * @param taken what marks and bars cover, per track
 * @param bounds the part of the row in view
 */
export function place(
  wishes: readonly Wish[],
  taken: Readonly<Record<Track, readonly Interval[]>>,
  bounds: Interval,
  measure: Measure,
): Placed[] {
  const labels: Record<Track, Interval[]> = { upper: [], lower: [], below: [] };
  const placed: Placed[] = [];
  for (const wish of [...wishes].sort((a, b) => b.rank - a.rank)) {
    const found = find(wish, taken, labels, bounds, measure);
    if (!found) continue;
    labels[found.track].push(found);
    placed.push(found);
  }
  return placed;
}

function find(
  wish: Wish,
  taken: Readonly<Record<Track, readonly Interval[]>>,
  labels: Readonly<Record<Track, readonly Interval[]>>,
  bounds: Interval,
  measure: Measure,
): Placed | undefined {
  for (const places of [wish.places.filter((at) => !at.far), wish.places.filter((at) => at.far)]) {
    for (const text of wish.texts) {
      const width = measure(text, wish.face);
      for (const at of places) {
        const limit = at.inside === undefined ? bounds : { from: bounds.from, to: Math.min(bounds.to, at.inside) };
        const blocked = at.inside === undefined ? [...taken[at.track], ...labels[at.track]] : labels[at.track];
        const from = free(at, width, blocked, limit);
        if (from !== undefined) return { track: at.track, from, to: from + width, text, face: wish.face, fill: at.fill ?? wish.fill };
      }
    }
  }
  return undefined;
}

/** The nearest free beginning for a text of that width, no farther away than the place allows. */
function free(at: Place, width: number, blocked: readonly Interval[], bounds: Interval): number | undefined {
  const step = at.hang === 'right' ? 1 : -1;
  let from = at.hang === 'right' ? at.x : at.x - width;
  const start = from;
  for (let tries = 0; tries <= blocked.length; tries++) {
    if (from < bounds.from || from + width > bounds.to || Math.abs(from - start) > at.slide) return undefined;
    const hit = blocked.find((other) => from < other.to + GAP - 0.01 && other.from - GAP + 0.01 < from + width);
    if (!hit) return from;
    from = step > 0 ? hit.to + GAP : hit.from - GAP - width;
  }
  return undefined;
}

/** A placed label as a command. */
export const draw = ({ from, text, face, fill }: Placed, baseline: number): Command => ({
  draw: 'text',
  x: from,
  y: baseline,
  text,
  face,
  fill,
});
