import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromMs } from '../../../app/base/time';
import { world } from '../../../app/evidence/world';
import { type Calls, calls } from '../../../app/trace/calls';
import type { Verdict } from '../../../app/verdict/verdict';
import { type About, FakeHost, fakeVerdict } from '../../fakeHost.testing';
import { sequelsOf, subjectOf, type UndoOutcome, undoOutcome } from './relations';

let host: FakeHost;
beforeEach(() => {
  host = new FakeHost();
});
afterEach(() => host.close());

const call = (ms: number, id: number, tool: string, about: About = {}): void => host.call(ms, id, tool, {}, ['ledger'], about);

const folded = (): Calls => {
  const fold = calls(host.trace);
  fold.take();
  return fold;
};

test('a retry and an undo are found from both ends, by the newest call with their id before them', () => {
  call(1, 1, 'charge_card');
  call(2, 2, 'charge_card', { retryOf: 1 });
  call(3, 1, 'charge_card');
  call(4, 3, 'charge_card', { retryOf: 1 });
  call(5, 4, 'refund', { undoOf: 1 });
  call(6, 5, 'charge_card', { retryOf: '1' });
  const fold = folded();
  const subjects = (about: 'retryOf' | 'undoOf') => fold.all.map((each) => subjectOf(fold, each, about)?.index);
  const sequels = (about: 'retryOf' | 'undoOf') => fold.all.map((each) => sequelsOf(fold, each, about).map(({ index }) => index));
  expect(subjects('retryOf')).toEqual([undefined, 0, undefined, 2, undefined, undefined]);
  expect(subjects('undoOf')).toEqual([undefined, undefined, undefined, undefined, 2, undefined]);
  expect(sequels('retryOf')).toEqual([[1], [], [3], [], [], []]);
  expect(sequels('undoOf')).toEqual([[], [], [4], [], [], []]);
});

/** A charge that was seen, an undo, and whatever else happens. */
function outcome(then: (seen: number) => void, observed = true): UndoOutcome {
  host.effect(0, { effect: 'watching', probe: 'ledger', kind: 'folder', place: '/state', shared: false });
  call(1, 1, 'charge_card');
  const seen = host.effect(5, {
    effect: 'seen',
    probe: 'ledger',
    lo: fromMs(3),
    hi: fromMs(4),
    says: '1 line appended',
    subject: 'ledger.jsonl',
  });
  call(10, 2, 'refund', { undoOf: 1 });
  then(seen);
  const fold = folded();
  const seeing = world();
  for (let seq = 0; seq < host.trace.length; seq++) seeing.take(host.trace, seq);
  const verdict = fakeVerdict(0);
  const observations = observed ? [{ seq: seen, probe: 'ledger' }] : [];
  const undo = fold.all[1];
  if (!undo) throw new Error('expected the undo to be folded');
  return undoOutcome({ ...verdict, effect: { ...verdict.effect, observations } } as unknown as Verdict, undo, seeing);
}

test('an undo is confirmed by the probe that saw the effect, never by its own reply', () => {
  expect(outcome(() => undefined)).toEqual({ state: 'waiting' });
});

test('what the probe saw being gone confirms it', () => {
  expect(
    outcome((seen) => {
      host.reply(20, 2);
      host.effect(21, { effect: 'reverted', probe: 'ledger', lo: fromMs(18), hi: fromMs(19), says: 'the line is gone', of: [seen] });
    }),
  ).toEqual({ state: 'confirmed', seqs: [host.trace.length - 1], probes: ['ledger'] });
});

test('a probe that looked after the reply and found no change refutes it; one that has not looked says neither', () => {
  expect(outcome(() => host.reply(20, 2))).toEqual({ state: 'not-looked', probes: ['ledger'] });
});

test('a reading from before the reply counts for nothing, one from after it does', () => {
  expect(
    outcome(() => {
      host.effect(15, { effect: 'clear', probe: 'ledger', since: fromMs(5), lo: fromMs(14), hi: fromMs(15) });
      host.reply(20, 2);
      host.effect(22, { effect: 'clear', probe: 'ledger', since: fromMs(15), lo: fromMs(21), hi: fromMs(22) });
    }),
  ).toEqual({ state: 'refuted', probes: ['ledger'] });
});

test('where no probe saw an effect, nothing can be confirmed', () => {
  expect(outcome(() => host.reply(20, 2), false)).toEqual({ state: 'nothing-seen' });
});
