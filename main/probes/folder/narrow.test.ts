import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clock, fromMs, type Ns } from '../../../app/base/time';
import { both, narrow, type WallOffset, wallOffset } from './narrow';

const at = (ms: number): Ns => fromMs(ms);
const span = (lo: number, hi: number) => ({ lo: at(lo), hi: at(hi) });
/** Wall time is exactly 1,000,000 ms ahead of the trace. */
const EXACT: WallOffset = { min: 1_000_000, max: 1_000_000 };
const wall = (ms: number): number => 1_000_000 + ms;

describe('an interval between two looks', () => {
  it('is narrowed by stamps, to a tick on each side', () => {
    expect(narrow(span(0, 500), EXACT, { notBefore: wall(100), notAfter: wall(300) })).toEqual(span(90, 310));
    expect(narrow(span(0, 500), EXACT, { notAfter: wall(300) })).toEqual(span(0, 310));
    expect(narrow(span(0, 500), EXACT, { notBefore: wall(100) })).toEqual(span(90, 500));
    expect(narrow(span(0, 500), EXACT, {})).toEqual(span(0, 500));
  });

  it('is never narrowed below a tick and the error between the clocks', () => {
    const loose: WallOffset = { min: 999_998, max: 1_000_002 };
    expect(narrow(span(0, 500), loose, { notBefore: wall(200), notAfter: wall(200) })).toEqual(span(188, 212));
  });

  it('never reaches beyond the looks', () => {
    expect(narrow(span(100, 104), EXACT, { notBefore: wall(101), notAfter: wall(103) })).toEqual(span(100, 104));
  });

  it('is left alone by stamps that contradict the looks or each other', () => {
    expect(narrow(span(100, 200), EXACT, { notAfter: wall(50) })).toEqual(span(100, 200));
    expect(narrow(span(100, 200), EXACT, { notBefore: wall(250) })).toEqual(span(100, 200));
    expect(narrow(span(0, 500), EXACT, { notBefore: wall(300), notAfter: wall(100) })).toEqual(span(0, 500));
  });

  it('is left alone when the clocks have drifted apart', () => {
    const drifted = both(EXACT, { min: 1_000_020, max: 1_000_020 });
    expect(narrow(span(0, 500), drifted, { notBefore: wall(200), notAfter: wall(200) })).toEqual(span(0, 500));
  });

  it('stays in order and inside, whatever the stamps say', () => {
    const ms = fc.integer({ min: -1000, max: 1000 });
    fc.assert(
      fc.property(ms, fc.nat(1000), fc.option(ms), fc.option(ms), fc.nat(20), (lo, length, notBefore, notAfter, error) => {
        const looks = span(lo, lo + length);
        const got = narrow(
          looks,
          { min: 1_000_000 - error, max: 1_000_000 + error },
          {
            notBefore: notBefore === null ? undefined : wall(notBefore),
            notAfter: notAfter === null ? undefined : wall(notAfter),
          },
        );
        expect(got.lo).toBeGreaterThanOrEqual(looks.lo);
        expect(got.hi).toBeLessThanOrEqual(looks.hi);
        expect(got.lo).toBeLessThanOrEqual(got.hi);
      }),
    );
  });
});

describe('a pair of readings', () => {
  it('holds the true offset, however long the reading took', () => {
    const monotonic = [10, 14];
    const clock: Clock = { now: () => at(monotonic.shift() ?? 0), wallMs: () => 1012 };
    expect(wallOffset(clock)).toEqual({ min: 998, max: 1003 });
  });
});
