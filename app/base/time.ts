// One clock for the whole product. A time is never a plain number: it is branded, counts nanoseconds since the trace
// began, and is turned into milliseconds or words only at the edge, where a person or a report reads it.

declare const ns: unique symbol;

/** Monotonic nanoseconds since the trace began (or a length of time in nanoseconds). Exact up to 104 days. */
export type Ns = number & { readonly [ns]: true };

export const asNs = (value: number): Ns => value as Ns;
export const fromMs = (ms: number): Ns => Math.round(ms * 1e6) as Ns;
export const toMs = (t: Ns): number => t / 1e6;
export const plus = (a: Ns, b: Ns): Ns => (a + b) as Ns;
export const minus = (a: Ns, b: Ns): Ns => (a - b) as Ns;
export const ZERO = 0 as Ns;
export const FOREVER = Number.POSITIVE_INFINITY as Ns;

/** Where time comes from. The host has the real one; tests have a fake one. */
export interface Clock {
  /** Monotonic, since the trace began. */
  now(): Ns;
  /** Wall time in milliseconds since 1970, for people only. */
  wallMs(): number;
}

/**
 * A length of time in words, with three significant digits at most: `87 ms`, `1.24 s`, `12 µs`, `2 min 5 s`.
 * @param t nanoseconds; a negative one keeps its sign
 */
export function words(t: Ns): string {
  const abs = Math.abs(t);
  const sign = t < 0 ? '-' : '';
  if (!Number.isFinite(abs)) return `${sign}∞`;
  if (abs < 1e3) return `${sign}${Math.round(abs)} ns`;
  if (abs < 999.5e3) return `${sign}${digits(abs / 1e3)} µs`;
  if (abs < 999.5e6) return `${sign}${digits(abs / 1e6)} ms`;
  if (abs < 59.95e9) return `${sign}${digits(abs / 1e9)} s`;
  const seconds = Math.round(abs / 1e9);
  return `${sign}${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const digits = (value: number): string => (value >= 99.5 ? String(Math.round(value)) : String(Number(value.toPrecision(3))));
