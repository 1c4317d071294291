import fc from 'fast-check';
import { expect, it } from 'vitest';
import { column, counts, float64, uint8 } from './columns';

it('holds what was pushed and extended, however it has grown', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer(), fc.array(fc.integer(), { maxLength: 40 }))), (parts) => {
      const grown = column((n) => new Float64Array(n), 1);
      for (const part of parts) {
        if (typeof part === 'number') grown.push(part);
        else grown.extend(Float64Array.from(part));
      }
      const values = parts.flat();
      expect([...grown.view()]).toEqual(values);
      expect(grown.length).toBe(values.length);
      expect(values.map((_, index) => grown.at(index))).toEqual(values);
      expect([...grown.slice(1, 3)]).toEqual(values.slice(1, 3));
    }),
  );
});

it('goes on after it has given back its room', () => {
  fc.assert(
    fc.property(fc.nat(3000), fc.nat(3000), (before, after) => {
      for (const grown of [float64(), counts()]) {
        for (let n = 0; n < before; n++) grown.push(n);
        grown.trim();
        expect(grown.bytes).toBe(Math.max(1024, before) * grown.view().BYTES_PER_ELEMENT);
        for (let n = before; n < before + after; n++) grown.push(n);
        expect([...grown.view()]).toEqual(Array.from({ length: before + after }, (_, n) => n));
      }
    }),
  );
});

it('is read as 0 beyond its end, and changed in place', () => {
  const times = float64();
  times.push(1.5);
  times.set(0, 2.5);
  expect([times.at(0), times.at(5000), times.bytes]).toEqual([2.5, 0, 8 * 1024]);
  expect(uint8().view()).toEqual(new Uint8Array());
});

it('gives away copies only where it says so', () => {
  const bytes = uint8();
  bytes.push(1);
  const [view, slice] = [bytes.view(), bytes.slice(0, 1)];
  bytes.set(0, 2);
  expect([view[0], slice[0]]).toEqual([2, 1]);
});

it('widens for what does not fit, and not before', () => {
  const value = fc.oneof(fc.nat(255), fc.nat(65_535), fc.nat(2 ** 32 - 1));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(value, fc.array(value, { maxLength: 40 }), fc.array(fc.nat(9), { minLength: 1000, maxLength: 1100 })), {
        maxLength: 8,
      }),
      (parts) => {
        const grown = counts();
        for (const part of parts) {
          if (typeof part === 'number') grown.push(part);
          else grown.extend(Uint32Array.from(part));
        }
        const values = parts.flat();
        expect([...grown.view()]).toEqual(values);
        expect([...grown.slice(0, values.length)]).toEqual(values);
        const width = values.some((n) => n > 65_535) ? 4 : values.some((n) => n > 255) ? 2 : 1;
        expect(grown.view().BYTES_PER_ELEMENT).toBe(width);
      },
    ),
  );
  const changed = counts();
  changed.push(1);
  changed.set(0, 70_000);
  expect([changed.at(0), changed.at(5000), changed.length]).toEqual([70_000, 0, 1]);
});
