import { expect, test } from 'vitest';
import type { Ns } from '../../app/base/time';
import { type Facts, Trace } from '../../app/trace/trace';
import { nextBatch, START } from './batches';

const row = (n: number): Facts => ({
  t: n as Ns,
  session: 1,
  dir: 's2c',
  kind: 'message',
  shape: 'request',
  name: `method ${n % 7}`,
  key: `n:${n}`,
  num: 0,
  bits: 0,
  size: 10,
  exchange: 0,
  ...(n % 100 === 0 ? { extra: { about: 'request', tool: 'charge_card' } as const } : {}),
});

function filled(length: number): Trace {
  const trace = new Trace();
  for (let n = 0; n < length; n++) trace.push(row(n));
  return trace;
}

test('batches make the same trace again, each within its limit', () => {
  const trace = filled(5000);
  const copy = new Trace();
  const sizes: number[] = [];
  for (let next = nextBatch(trace, START, 8192); next; next = nextBatch(trace, next.cursor, 8192)) {
    copy.append(next.batch);
    sizes.push(next.batch.t.length * 28 + next.batch.names.join('').length);
  }
  expect(copy.length).toBe(5000);
  for (const seq of [0, 1, 99, 100, 2500, 4999]) expect(copy.facts(seq)).toEqual(trace.facts(seq));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(8192);
  expect(sizes.length).toBeGreaterThan(10);
});

test('a row that is larger than a batch goes alone', () => {
  const trace = filled(2);
  expect(nextBatch(trace, START, 1)?.batch.t.length).toBe(1);
});

test('what is appended later continues where the last batch ended', () => {
  const trace = filled(3);
  const first = nextBatch(trace, START);
  expect(first?.cursor).toEqual({ frames: 3, names: trace.names.length });
  expect(first && nextBatch(trace, first.cursor)).toBeUndefined();
  trace.push(row(3));
  expect(first && nextBatch(trace, first.cursor)?.batch).toMatchObject({ first: 3, names: ['method 3', 'n:3'] });
});
