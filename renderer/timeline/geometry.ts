// Heights. A call's row has an upper band (what the client saw), a lower band (what the server is known to have done) and,
// where there is room, a line of words below; a row that calls share is lower. All of it in CSS pixels.
import type { Lanes } from '../../app/layout/lanes';
import type { Density } from './model';

export interface Band {
  readonly y: number;
  readonly h: number;
}

export interface RowGeometry {
  readonly height: number;
  readonly upper: Band;
  readonly lower: Band;
  /** Baseline of the words below the bands; undefined where there is no room for any. */
  readonly below: number | undefined;
}

export interface Geometry {
  readonly call: RowGeometry;
  readonly group: RowGeometry;
  /** Width of the gutter with names, and height of the time axis. */
  readonly gutter: number;
  readonly axis: number;
  /** Half the width of a diamond: 8 for one of 12 px a side. */
  readonly diamond: number;
}

const UPPER = 14;
const LOWER = 6;

export const GEOMETRY: Readonly<Record<Density, Geometry>> = {
  comfortable: {
    call: { height: 44, upper: { y: 5, h: UPPER }, lower: { y: 22, h: LOWER }, below: 41 },
    group: { height: 30, upper: { y: 4, h: UPPER }, lower: { y: 20, h: LOWER }, below: undefined },
    gutter: 164,
    axis: 28,
    diamond: 8,
  },
  compact: {
    call: { height: 28, upper: { y: 3, h: UPPER }, lower: { y: 19, h: LOWER }, below: undefined },
    group: { height: 26, upper: { y: 2, h: UPPER }, lower: { y: 18, h: LOWER }, below: undefined },
    gutter: 184,
    axis: 28,
    diamond: 6.5,
  },
};

/** Below this width the names give way to the plot. */
const NARROW = 420;

/** The heights and widths of a timeline so many pixels wide. */
export function geometryOf(density: Density, width: number): Geometry {
  const geometry = GEOMETRY[density];
  return width < NARROW ? { ...geometry, gutter: 124 } : geometry;
}

/** The bands of what the server asks: the asking side's wide band is below. */
export const swapped = (row: RowGeometry): RowGeometry => ({
  ...row,
  upper: { y: row.lower.y - (UPPER - LOWER), h: UPPER },
  lower: { y: row.upper.y, h: LOWER },
});

/** Top of a row, counted from the top of the first row. */
export const topOf = (row: number, lanes: Lanes, geometry: Geometry): number =>
  row * geometry.call.height - lanes.sharedBefore(row) * (geometry.call.height - geometry.group.height);

/** Height of all rows together. */
export const heightOf = (lanes: Lanes, geometry: Geometry): number => topOf(lanes.rows.length, lanes, geometry);

/** The row at a height; the number of rows where there is none. */
export function rowAt(y: number, lanes: Lanes, geometry: Geometry): number {
  let low = 0;
  let high = lanes.rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (topOf(middle + 1, lanes, geometry) <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}
