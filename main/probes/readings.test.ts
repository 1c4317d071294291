import { expect, it } from 'vitest';
import { readings } from './readings';

it('reads once at a time, and shares the reading that begins after the question', async () => {
  const ends: (() => void)[] = [];
  const ask = readings(() => new Promise((resolve) => ends.push(resolve)));
  const first = ask();
  const shared = [ask(), ask()];
  expect(shared[0]).toBe(shared[1]);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await first;
  while (ends.length < 2) await Promise.resolve();
  const third = ask();
  expect(third).not.toBe(shared[0]);
  ends[1]?.();
  await Promise.all(shared);
  while (ends.length < 3) await Promise.resolve();
  ends[2]?.();
  await third;
  expect(ends).toHaveLength(3);
});

it('reads again after a reading that failed', async () => {
  let fail: (error: Error) => void = () => undefined;
  let count = 0;
  const ask = readings(() => {
    count++;
    return count === 1 ? new Promise((_, reject) => (fail = reject)) : Promise.resolve();
  });
  const first = ask();
  const next = ask();
  fail(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await next;
  expect(count).toBe(2);
});
