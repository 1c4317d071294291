// Whether two plain values say the same: for "did the verdict change?", asked far more often than the answer is yes.

/** Structural equality of plain data: primitives, arrays and objects without prototypes of their own. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]));
  if (Array.isArray(b)) return false;
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  let keys = 0;
  for (const key in left) {
    if (!Object.hasOwn(right, key) || !equal(left[key], right[key])) return false;
    keys++;
  }
  for (const _ in right) keys--;
  return keys === 0;
}
