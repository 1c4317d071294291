import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attempt, boundaryOf, boundarySentence, nextMoment, type Outcome, outcomeOf, type Strategy } from './sweep';

const attempt = (cancelAt: number, outcome: Outcome): Attempt => ({
  cancelAt,
  outcome,
  verdict: outcome === 'landed' ? 'write-after-cancel' : outcome === 'prevented' ? 'stopped' : 'quiet',
  effect: outcome === 'landed' ? 'after' : 'not-seen',
  landed: undefined,
  call: 0,
});

/** A tool that commits at one moment: what is cancelled before is prevented. */
const commitsAt =
  (commit: number) =>
  (moment: number): Attempt =>
    attempt(moment, moment < commit ? 'prevented' : 'landed');

function swept(strategy: Strategy, tool: (moment: number) => Attempt, random = Math.random): readonly Attempt[] {
  const attempts: Attempt[] = [];
  for (;;) {
    const moment = nextMoment(strategy, attempts, 'time', random);
    if (moment === undefined) return attempts;
    attempts.push(tool(moment));
  }
}

describe('the boundary', () => {
  it('contains the commit point of a tool that has one, however it was sought', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1999 }),
        fc.constantFrom('grid', 'random', 'boundary'),
        fc.integer({ min: 2, max: 40 }),
        (commit, how, runs) => {
          const { preventedUpTo = 0, landsFrom = 2000, varies } = boundaryOf(swept({ how, from: 0, to: 2000, runs }, commitsAt(commit)));
          expect(preventedUpTo).toBeLessThan(commit);
          expect(landsFrom).toBeGreaterThanOrEqual(commit);
          expect(varies).toBe(false);
        },
      ),
    );
  });

  it('is halved by every attempt when it is sought', () => {
    const { preventedUpTo = 0, landsFrom = 0 } = boundaryOf(swept({ how: 'boundary', from: 0, to: 2048, runs: 12 }, commitsAt(300.5)));
    expect(landsFrom - preventedUpTo).toBe(2);
    expect([preventedUpTo, landsFrom]).toEqual([300, 302]);
  });

  it('says that it varies when an earlier cancel failed where a later one helped', () => {
    const attempts = [attempt(100, 'prevented'), attempt(200, 'landed'), attempt(250, 'prevented'), attempt(400, 'landed')];
    expect(boundaryOf(attempts)).toEqual({ preventedUpTo: 100, landsFrom: 400, varies: true, known: 4 });
    expect(boundarySentence(attempts, 'time')).toBe('Up to 100 ms Stop prevents the write; from 400 ms it does not; between, it varies.');
  });

  it('is no more exact than the tie', () => {
    const attempts = [attempt(280, 'prevented'), attempt(305, 'landed'), attempt(312, 'prevented'), attempt(330, 'landed')];
    expect(boundaryOf(attempts, 10)).toMatchObject({ preventedUpTo: 270, landsFrom: 340, varies: false });
    expect(boundaryOf(attempts, 5)).toMatchObject({ preventedUpTo: 275, landsFrom: 335, varies: true });
  });

  it('counts attempts of unknown outcome for nothing, and says so', () => {
    const attempts = [attempt(100, 'prevented'), attempt(150, 'unknown'), attempt(200, 'landed')];
    expect(boundaryOf(attempts)).toMatchObject({ preventedUpTo: 100, landsFrom: 200, varies: false, known: 2 });
    expect(boundarySentence(attempts, 'time')).toContain('of 1 is not known');
  });

  it.each([
    [[], 'no attempt has a known outcome'],
    [[attempt(5, 'unknown')], 'no attempt has a known outcome'],
    [[attempt(5, 'prevented')], 'prevented the write at every moment tried, up to 5 ms'],
    [[attempt(5, 'landed')], 'landed at every moment tried, from 5 ms on'],
    [[attempt(5, 'landed'), attempt(9, 'prevented')], 'At the moments tried it varies'],
    [[attempt(1, 'prevented'), attempt(5, 'landed'), attempt(9, 'prevented')], 'Up to 1 ms Stop prevented the write; after that it varies'],
    [[attempt(5, 'landed'), attempt(9, 'prevented'), attempt(12, 'landed')], 'From 12 ms it did not'],
  ])('says no more than its attempts %#', (attempts, words) => {
    expect(boundarySentence(attempts, 'time')).toContain(words);
  });

  it('counts in notifications of progress where that is the axis', () => {
    const moments = swept({ how: 'moments', moments: [1, 2, 3] }, commitsAt(3));
    expect(boundarySentence(moments, 'progress')).toContain('Up to progress 2 Stop prevents the write; from progress 3');
    expect(nextMoment({ how: 'grid', from: 1, to: 4, runs: 3 }, [attempt(1, 'prevented')], 'progress', Math.random)).toBe(3);
  });
});

describe('an attempt', () => {
  const lane = (state: Attempt['effect'], seen: readonly boolean[] = []) =>
    ({ state, observations: seen.map((reverted) => ({ reverted })) }) as unknown as Parameters<typeof outcomeOf>[0]['effect'];

  it('landed when anything stands, whatever the headline', () => {
    expect(outcomeOf({ verdict: 'write-before-cancel', effect: lane('before', [false]), settled: false })).toBe('landed');
    expect(outcomeOf({ verdict: 'write-after-cancel', effect: lane('after', [true, false]), settled: true })).toBe('landed');
  });

  it('was prevented only where the absence counts', () => {
    expect(outcomeOf({ verdict: 'stopped', effect: lane('not-seen'), settled: true })).toBe('prevented');
    expect(outcomeOf({ verdict: 'rolled-back', effect: lane('not-seen', [true]), settled: true })).toBe('prevented');
    expect(outcomeOf({ verdict: 'quiet', effect: lane('not-seen'), settled: true })).toBe('unknown');
    expect(outcomeOf({ verdict: 'unknown-write', effect: lane('watch-gap'), settled: true })).toBe('unknown');
    expect(outcomeOf({ verdict: 'stopped', effect: lane('not-seen'), settled: false })).toBe('unknown');
  });
});
