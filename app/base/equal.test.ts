// Structural equality agrees with the test runner's own, and notices every difference.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equal } from './equal';

test('a copy is equal; a changed copy is not', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(equal(a, structuredClone(a))).toBe(true);
      expect(equal({ a }, { a, extra: 1 })).toBe(false);
      expect(equal([a], [a, a])).toBe(false);
      expect(equal(a, b)).toBe(equal(b, a));
    }),
  );
  expect([
    equal(undefined, null),
    equal({ a: undefined }, { b: undefined }),
    equal([], {}),
    equal({}, []),
    equal(Number.NaN, Number.NaN),
  ]).toEqual([false, false, false, false, true]);
});
