// A trace of a million frames is a handful of typed arrays, not a million objects. A column grows by doubling and is
// read in place; nothing else in the product copies it.

type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** Room for so many values is always there. */
const LEAST = 1024;

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
  /** Gives back the room that was kept for more: nothing will be added, or not soon. */
  trim(): void;
  readonly bytes: number;
}

/** A class, so that every column is of one shape: a push is inlined where it is called, and costs a few nanoseconds. */
class Growing<A extends Numbers> implements Column<A> {
  #array: A;
  #length = 0;
  readonly #make: (length: number) => A;

  constructor(make: (length: number) => A, initial: number) {
    this.#make = make;
    this.#array = make(initial);
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#array.byteLength;
  }

  at(index: number): number {
    return this.#array[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#array[index] = value;
  }

  push(value: number): void {
    const index = this.#length;
    if (index === this.#array.length) this.#reserve(index + 1);
    this.#array[index] = value;
    this.#length = index + 1;
  }

  extend(values: A): void {
    this.#reserve(this.#length + values.length);
    this.#array.set(values, this.#length);
    this.#length += values.length;
  }

  view(): A {
    return this.#array.subarray(0, this.#length) as A;
  }

  slice(start: number, end: number): A {
    return this.#array.slice(start, end) as A;
  }

  trim(): void {
    this.#array = this.#array.slice(0, Math.max(LEAST, this.#length)) as A;
  }

  #reserve(wanted: number): void {
    if (wanted <= this.#array.length) return;
    const next = this.#make(Math.max(wanted, this.#array.length * 2));
    next.set(this.#array);
    this.#array = next;
  }
}

/** @param make allocates the typed array, for example `(n) => new Float64Array(n)` */
export const column = <A extends Numbers>(make: (length: number) => A, initial = LEAST): Column<A> => new Growing(make, initial);

export const float64 = (): Column<Float64Array> => column((n) => new Float64Array(n));
export const int32 = (): Column<Int32Array> => column((n) => new Int32Array(n));
export const uint32 = (): Column<Uint32Array> => column((n) => new Uint32Array(n));
export const uint8 = (): Column<Uint8Array> => column((n) => new Uint8Array(n));

/** Whole numbers from 0 up, in as few bytes as the largest of them needs. */
export type Counts = Uint8Array | Uint16Array | Uint32Array;

/** A column that begins with a byte for each value and widens when one does not fit: most numbers in a trace are small. */
class Widening implements Column<Counts> {
  #array: Counts = new Uint8Array(LEAST);
  #length = 0;
  /** The largest value that fits. */
  #most = 0xff;

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#array.byteLength;
  }

  at(index: number): number {
    return this.#array[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (value > this.#most) this.#widen(value, this.#array.length);
    this.#array[index] = value;
  }

  push(value: number): void {
    const index = this.#length;
    if (value > this.#most) this.#widen(value, this.#array.length);
    if (index === this.#array.length) this.#widen(this.#most, index * 2);
    this.#array[index] = value;
    this.#length = index + 1;
  }

  extend(values: Counts): void {
    let most = 0;
    for (const value of values) if (value > most) most = value;
    const wanted = this.#length + values.length;
    if (most > this.#most || wanted > this.#array.length)
      this.#widen(Math.max(most, this.#most), wanted > this.#array.length ? Math.max(wanted, this.#array.length * 2) : this.#array.length);
    this.#array.set(values, this.#length);
    this.#length = wanted;
  }

  view(): Counts {
    return this.#array.subarray(0, this.#length);
  }

  slice(start: number, end: number): Counts {
    return this.#array.slice(start, end);
  }

  trim(): void {
    this.#array = this.#array.slice(0, Math.max(LEAST, this.#length));
  }

  #widen(most: number, length: number): void {
    const next = most > 0xffff ? new Uint32Array(length) : most > 0xff ? new Uint16Array(length) : new Uint8Array(length);
    next.set(this.#array);
    this.#array = next;
    this.#most = 256 ** next.BYTES_PER_ELEMENT - 1;
  }
}

/** Whole numbers from 0 to 2³² − 1, of which most are small. */
export const counts = (): Column<Counts> => new Widening();
