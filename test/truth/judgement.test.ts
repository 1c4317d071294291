// The one who looks for lies has to be able to find them: verdicts beside truths that contradict them.
import { describe, expect, test } from 'vitest';
import { fromMs, type Ns } from '../../app/base/time';
import { Build } from '../../app/trace/build.testing';
import { judge } from '../../app/verdict/judge';
import type { Verdict } from '../../app/verdict/verdict';
import { judgementOf, lieOf } from './judgement';
import type { Truth, Write } from './truth';

const quick = { probes: ['ledger'], normally: 400 };
const start = (): Build =>
  new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger')
    .at(10)
    .call(3, 'charge', quick);

function verdictOf(build: Build): Verdict {
  const court = judge(build.trace());
  court.advance(fromMs(9000));
  const verdict = court.verdict(court.calls.find(1, 'client', 'n:3')?.index ?? -1);
  if (!verdict) throw new Error('expected a verdict');
  return verdict;
}

const write = (from: number, to: number, more: Partial<Write> = {}): Write => ({
  as: 'a',
  file: 'ledger',
  from: fromMs(from),
  to: fromMs(to),
  undone: false,
  ...more,
});

const lie = (verdict: Verdict, writes: readonly Write[], cancelRead?: Ns): string | undefined => {
  const truth: Truth = {
    writes,
    cancelRead: new Map(cancelRead === undefined ? [] : [['a', cancelRead]]),
    tellsCancels: true,
    error: 1000,
  };
  return lieOf({ verdict, truth, as: 'a', retryOf: undefined });
};

describe('stopped', () => {
  const verdict = verdictOf(start().at(100).stop(3).at(102).pong(3).clear('ledger', 5, 110).clear('ledger', 5, 8000));

  test('is no lie where nothing was written', () => {
    expect([verdict.verdict, lie(verdict, [])]).toEqual(['stopped', undefined]);
  });
  test('is one where the call wrote later, however much later', () => {
    expect(lie(verdict, [write(20_000, 20_001)])).toMatch(/stopped/);
  });
  test('is one where the call had written before, too', () => {
    expect(lie(verdict, [write(50, 51)])).toMatch(/stopped/);
  });
  test('is none where somebody else wrote', () => {
    expect(lie(verdict, [write(500, 501, { as: 'b' })])).toBeUndefined();
  });
});

describe('a breach', () => {
  const after = verdictOf(start().at(310).stop(3).at(312).pong(3).seen('ledger', 387, 397));

  test('is no lie where its effect is', () => {
    expect([after.verdict, lie(after, [write(390, 391)], fromMs(311))]).toEqual(['write-after-cancel', undefined]);
  });
  test('is one without an effect, with one before the stop only, and with another call’s', () => {
    expect(lie(after, [])).toMatch(/write-after-cancel/);
    expect(lie(after, [write(300, 301)])).toMatch(/write-after-cancel/);
    expect(lie(after, [write(390, 391, { as: 'b' })])).toMatch(/write-after-cancel/);
  });
  test('is one where the observation is not when the write was', () => {
    expect(lie(after, [write(800, 801)], fromMs(311))).toMatch(/observation/);
  });
  test('before the cancel is one where the server wrote because of the cancel', () => {
    const before = verdictOf(start().seen('ledger', 200, 305).at(310).stop(3));
    expect([before.verdict, lie(before, [write(250, 251)])]).toEqual(['write-before-cancel', undefined]);
    expect(lie(before, [write(303, 304)], fromMs(302))).toMatch(/write-before-cancel/);
  });
  test('that says the cancel had been read first is one where it was read after the write, or never', () => {
    expect(after.effect.readFirst).toBe('yes');
    expect(lie(after, [write(390, 391)], fromMs(395))).toMatch(/readFirst/);
    expect(lie(after, [write(390, 391)])).toMatch(/readFirst/);
  });
});

test('never-told is a lie where a cancel had been read by then, and none where one was read later', () => {
  const told = verdictOf(start().at(310).stopAct(3, { means: 'abandon' }, false));
  expect([told.verdict, lie(told, [])]).toEqual(['never-told', undefined]);
  expect(lie(told, [], fromMs(320))).toMatch(/never-told/);
  const later = verdictOf(start().at(310).stopAct(3, { means: 'abandon' }, false).at(6000).stop(3).at(6002).pong(3));
  expect([later.history.some((row) => row.verdict === 'never-told'), later.verdict]).toEqual([
    true,
    expect.not.stringMatching('never-told'),
  ]);
  expect([lie(later, [], fromMs(6001)), lie(later, [], fromMs(300))]).toEqual([undefined, expect.stringMatching(/never-told/)]);
});

test('what was said for a while counts as well', () => {
  const changed = verdictOf(
    start().at(100).stop(3).at(102).pong(3).clear('ledger', 5, 110).clear('ledger', 5, 8000).seen('ledger', 8500, 8510),
  );
  expect([changed.verdict, changed.history.some((row) => row.verdict === 'stopped')]).toEqual(['write-after-cancel', true]);
  expect(lie(changed, [write(8505, 8506)], fromMs(101))).toMatch(/stopped/);
});

test('a headline that claims nothing is unknown, another one a contradiction', () => {
  const quiet = verdictOf(start().at(100).stop(3, { fence: false }));
  expect(judgementOf(quiet, ['stopped']).kind).toBe('unknown');
  expect(judgementOf(quiet, [quiet.verdict]).kind).toBe('agree');
  const after = verdictOf(start().at(310).stop(3).seen('ledger', 387, 397));
  expect(judgementOf(after, ['stopped']).kind).toBe('disagreement');
});
