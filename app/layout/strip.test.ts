import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Extent } from './extent';
import { type Cell, Strip } from './strip';

const anyItem = fc.record({ gap: fc.nat(50), length: fc.nat(80), rank: fc.nat(6), lit: fc.boolean() });
const anyItems = fc.array(anyItem, { maxLength: 300 });

interface Item extends Extent {
  readonly lit: boolean;
}

function itemsOf(given: readonly { gap: number; length: number; rank: number; lit: boolean }[]): readonly Item[] {
  let start = 0;
  return given.map(({ gap, length, rank, lit }) => {
    start += gap;
    const end = start + length;
    return { start, wait: end, stop: Number.NaN, end, moment: end, rank, lit };
  });
}

function stripOf(items: readonly Item[]): Strip {
  const strip = new Strip();
  for (const [index, item] of items.entries()) {
    // First as if nothing were known yet: what becomes known later must reach every sum.
    strip.push(index, { ...item, end: item.start, rank: 0 });
    strip.light(index, item.lit);
  }
  for (const [index, item] of items.entries()) strip.set(index, item);
  return strip;
}

it('gives every call in view once, in order, with the worst of each cell and how many are as bad', () => {
  fc.assert(
    fc.property(anyItems, fc.integer({ min: -20, max: 3000 }), fc.nat(4000), fc.nat(500), (given, from, span, grain) => {
      const items = itemsOf(given);
      const cells: Cell[] = [];
      const tiny = (a: number, b: number): boolean => b - a < grain;
      stripOf(items).walk(from, from + span, tiny, (cell) => cells.push({ ...cell }));
      const covered = cells.flatMap((cell) => Array.from({ length: cell.end - cell.first }, (_, index) => cell.first + index));
      expect(covered).toEqual([...new Set(covered)].sort((a, b) => a - b));
      for (const [index, { start, end }] of items.entries()) if (end >= from && start <= from + span) expect(covered).toContain(index);
      for (const cell of cells) {
        const inside = items.slice(cell.first, cell.end);
        const rank = Math.max(...inside.map((item) => item.rank));
        expect(cell).toEqual({
          first: cell.first,
          end: cell.end,
          from: Math.min(...inside.map((item) => item.start)),
          to: Math.max(...inside.map((item) => item.end)),
          rank,
          worst: cell.first + inside.findIndex((item) => item.rank === rank),
          count: inside.filter((item) => item.rank === rank).length,
          lit: inside.filter((item) => item.lit).length,
        });
        if (inside.length > 1) expect(tiny(cell.from, cell.to)).toBe(true);
      }
    }),
  );
});

it('gives no more cells than a few for each pixel, however many calls there are', () => {
  const items = itemsOf(Array.from({ length: 100_000 }, () => ({ gap: 10, length: 8, rank: 0, lit: true })));
  let cells = 0;
  const pixel = 1_000_000 / 1000;
  stripOf(items).walk(
    0,
    1_000_000,
    (a, b) => b - a < pixel,
    () => cells++,
  );
  expect(cells).toBeGreaterThan(900);
  expect(cells).toBeLessThan(1000 * 17);
});

it('says how much memory it holds', () => {
  expect(stripOf(itemsOf(Array.from({ length: 10_000 }, () => ({ gap: 1, length: 1, rank: 0, lit: true })))).bytes).toBeLessThan(
    10_000 * 100,
  );
});
