import { expect, test } from 'vitest';
import { truthLines } from './truth-results.mjs';

test('what is not agreed upon has a line of its own; the last line counts', () => {
  expect(
    truthLines([
      { name: 'a', kind: 'agree' },
      { name: 'b', kind: 'unknown', says: 'nobody knows' },
      { name: 'c', kind: 'lie', says: 'it wrote' },
    ]),
  ).toEqual(['unknown: b: nobody knows', 'lie: c: it wrote', 'cases 3, agree 1, unknown 1, lies 1']);
});

test('contradictions and cases that cannot be played are counted where there are any', () => {
  expect(
    truthLines([
      { name: 'a', kind: 'disagreement', says: 'expected x' },
      { name: 'b', kind: 'skipped', says: 'no FIFO here' },
    ]).at(-1),
  ).toBe('cases 2, agree 0, unknown 0, lies 0, disagree 1, not playable here 1');
});
