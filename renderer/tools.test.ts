import { expect, test } from 'vitest';
import { badgeOf, mayWrite, writeWarning } from './tools';

test('badges follow the hints and their defaults', () => {
  const badge = (hints: object): string => badgeOf({ name: 'x', ...hints });
  expect([
    badge({ readOnly: true }),
    badge({ readOnly: true, destructive: true }),
    badge({ readOnly: false }),
    badge({ readOnly: false, destructive: true }),
    badge({ readOnly: false, destructive: false }),
    badge({ destructive: false }),
    badge({ idempotent: true }),
    badge({ openWorld: false }),
    badge({}),
  ]).toEqual(['R', 'R', 'D', 'D', 'W', 'W', 'D', 'D', '?']);
});

test('whatever is not declared read-only may write, and is warned of', () => {
  expect(mayWrite({ name: 'x' })).toBe(true);
  expect(mayWrite({ name: 'x', readOnly: true })).toBe(false);
  expect(writeWarning({ name: 'x', readOnly: true })).toBeUndefined();
  expect(writeWarning({ name: 'x', readOnly: false })).toBe('This tool writes. Stop asks; it does not undo.');
  expect(writeWarning({ name: 'x' })).toContain('may write');
});
