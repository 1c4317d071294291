// The port between scene and painter: a flat list of drawing commands in CSS pixels that names colours by role and fonts
// by use. The scene makes it without a canvas; the painter draws it without knowing a trace; tests read it as it is.
import type { Colour, Face } from '../theme/theme';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export type Command =
  | (Box & { readonly draw: 'rect'; readonly fill: Colour; readonly alpha?: number; readonly radius?: number })
  /** Many rectangles of one colour: x, y, w and h in turns. */
  | { readonly draw: 'rects'; readonly boxes: readonly number[]; readonly fill: Colour; readonly alpha: number }
  | (Box & {
      readonly draw: 'frame';
      readonly stroke: Colour;
      readonly width: number;
      readonly alpha?: number;
      readonly radius?: number;
    })
  | {
      readonly draw: 'line';
      readonly x1: number;
      readonly y1: number;
      readonly x2: number;
      readonly y2: number;
      readonly stroke: Colour;
      readonly width: number;
      readonly alpha?: number;
      readonly dash?: readonly number[];
    }
  /** A polygon or a path of straight lines: x and y in turns. */
  | {
      readonly draw: 'shape';
      readonly points: readonly number[];
      readonly closed: boolean;
      readonly fill?: Colour;
      readonly stroke?: Colour;
      readonly width?: number;
      readonly alpha?: number;
      readonly dash?: readonly number[];
    }
  | {
      readonly draw: 'circle';
      readonly x: number;
      readonly y: number;
      readonly r: number;
      readonly fill?: Colour;
      readonly stroke?: Colour;
      readonly width?: number;
      readonly alpha?: number;
    }
  /**
   * 45° hatch of strength `alpha`, which falls to `fadeTo` over the last `fade` pixels. `phase` is where the stripes are
   * counted from: it keeps them in place while the left edge is cut off.
   */
  | (Box & {
      readonly draw: 'hatch';
      readonly fill: Colour;
      readonly alpha: number;
      readonly fade: number;
      readonly fadeTo: number;
      readonly phase: number;
    })
  | {
      readonly draw: 'text';
      readonly x: number;
      /** The baseline. */
      readonly y: number;
      readonly text: string;
      readonly face: Face;
      readonly fill: Colour;
      readonly align?: 'left' | 'right' | 'center';
      readonly alpha?: number;
    }
  /** Everything up to the matching `unclip` is drawn inside the box only. */
  | (Box & { readonly draw: 'clip' })
  | { readonly draw: 'unclip' };

/** Width of a text in CSS pixels. */
export type Measure = (text: string, face: Face) => number;

/** The longest beginning of a text that fits, with an ellipsis where something was cut off; '' when nothing fits. */
export function fitted(text: string, face: Face, width: number, measure: Measure): string {
  if (measure(text, face) <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (measure(`${text.slice(0, middle)}…`, face) <= width) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? `${text.slice(0, low)}…` : '';
}
