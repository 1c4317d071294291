import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asNs } from '../base/time';
import { Trace } from '../trace/trace';
import { moments } from './order';

function traceAt(times: readonly number[]): Trace {
  const trace = new Trace();
  for (const t of times)
    trace.push({
      t: asNs(t),
      session: 1,
      dir: 's2c',
      kind: 'stderr',
      shape: 'none',
      name: '',
      key: '',
      num: 0,
      bits: 0,
      size: 0,
      exchange: 0,
    });
  return trace;
}

function momentsOf(times: readonly number[]) {
  const made = moments(traceAt(times));
  made.take();
  return made;
}

const anyTimes = fc.array(fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1e14 })), { maxLength: 60 });
const anyTime = fc.oneof(fc.integer({ min: -1000, max: 2000 }), fc.integer({ min: -1e13, max: 2e14 }));

describe('the order scale', () => {
  it('gives every moment the same room, whatever order the frames are in', () => {
    const made = momentsOf([50, 10, 10, 1e12, 12]);
    expect([made.length, [10, 12, 50, 1e12].map(made.u), made.u(31)]).toEqual([4, [0, 1, 2, 3], 1.5]);
  });

  it('is strictly monotone', () => {
    fc.assert(
      fc.property(anyTimes, anyTime, anyTime, (times, a, b) => {
        const { u } = momentsOf(times);
        fc.pre(Math.abs(a - b) > Math.max(Math.abs(a), Math.abs(b)) * 1e-12);
        expect(Math.sign(u(a) - u(b))).toBe(Math.sign(a - b));
      }),
    );
  });

  it('can be turned back', () => {
    fc.assert(
      fc.property(anyTimes, anyTime, (times, t) => {
        const { u, t: back } = momentsOf(times);
        expect(Math.abs(back(u(t)) - t)).toBeLessThanOrEqual(Math.max(1, Math.abs(t) * 1e-9));
      }),
    );
  });

  it('keeps every moment in its place while others come after it, taken in slices or at once', () => {
    fc.assert(
      fc.property(anyTimes, anyTimes, (some, more) => {
        const last = Math.max(0, ...some);
        const all = momentsOf([...some, ...more.map((t) => t + last + 1)]);
        const before = momentsOf(some);
        expect(some.map(all.u)).toEqual(some.map(before.u));
        const sliced = moments(traceAt(some));
        while (!sliced.take(() => false)) {}
        expect(some.map(sliced.u)).toEqual(some.map(before.u));
      }),
    );
  });

  it('gives no room to frames that are not shown', () => {
    const times = [10, 20, 30, 40, 50];
    const made = moments(traceAt(times), (seq) => seq % 2 === 0);
    made.take();
    expect([made.length, [10, 30, 50].map(made.u), made.u(20)]).toEqual([3, [0, 1, 2], 0.5]);
  });
});
