// A trace of a million frames is a handful of typed arrays, not a million objects. A column grows by doubling and is
// read in place; nothing else in the product copies it.

type Numbers = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** A growable typed array. `view` is valid until the next push. */
export interface Column<A extends Numbers> {
  readonly length: number;
  /** The value at an index below `length`; 0 beyond it (callers hold the bounds). */
  at(index: number): number;
  set(index: number, value: number): void;
  push(value: number): void;
  /** Appends all values of another array. */
  extend(values: A): void;
  /** The filled part, not copied. */
  view(): A;
  /** A copy of the part from `start` up to `end`. */
  slice(start: number, end: number): A;
  readonly bytes: number;
}

/** @param make allocates the typed array, for example `(n) => new Float64Array(n)` */
export function column<A extends Numbers>(make: (length: number) => A, initial = 1024): Column<A> {
  let array = make(initial);
  let length = 0;
  const reserve = (wanted: number): void => {
    if (wanted <= array.length) return;
    const next = make(Math.max(wanted, array.length * 2));
    next.set(array);
    array = next;
  };
  return {
    get length() {
      return length;
    },
    get bytes() {
      return array.byteLength;
    },
    at: (index) => array[index] ?? 0,
    set: (index, value) => {
      array[index] = value;
    },
    push: (value) => {
      if (length === array.length) reserve(length + 1);
      array[length++] = value;
    },
    extend: (values) => {
      reserve(length + values.length);
      array.set(values, length);
      length += values.length;
    },
    view: () => array.subarray(0, length) as A,
    slice: (start, end) => array.slice(start, end) as A,
  };
}

export const float64 = (): Column<Float64Array> => column((n) => new Float64Array(n));
export const int32 = (): Column<Int32Array> => column((n) => new Int32Array(n));
export const uint32 = (): Column<Uint32Array> => column((n) => new Uint32Array(n));
export const uint8 = (): Column<Uint8Array> => column((n) => new Uint8Array(n));
