// Faults on a row: the mark stands where the message was named, the answer where the client got it, and a call whose answer
// is held is in flight for whoever wants to stop it.
import { expect, test } from 'vitest';
import { FAULT_GOLDEN, type FaultGolden } from '../../app/verdict/golden.faults.testing';
import { inFlight } from '../inFlight';
import { picture } from './marks';
import { modelOf } from './shop.testing';
import { explain, labels } from './words';

const ms = (t: number | undefined): string => (t === undefined ? 'open' : String(t / 1e6));

function found(rule: FaultGolden['rule'], answer: FaultGolden['answer']) {
  const golden = FAULT_GOLDEN.find((g) => g.rule === rule && g.answer === answer);
  if (!golden) throw new Error('no such golden trace');
  const model = modelOf(golden.frames, golden.until);
  const call = model.calls.find(1, 'client', golden.key);
  if (!call) throw new Error('no such call');
  const of = picture(model, call);
  return {
    of,
    flight: inFlight()
      .update(model.calls, 0)
      .map(({ state }) => state),
    told: [
      `waits ${ms(of.waits.from)}…${ms(of.waits.to)}`,
      ...of.marks.map((mark) => [ms(mark.at), mark.mark, labels(mark, of)[0]].filter(Boolean).join(' ')),
    ],
  };
}

test('a held reply that crossed is drawn late, and its hold where it came', () => {
  expect(found('kept-reply', 'yes').told).toEqual([
    'waits 10…310',
    '10 request',
    '190 fault ours: reply held 121 ms',
    '310 cancel cancel “user pressed stop”',
    '310 fence read past cancel',
    '311 late-reply crossed +1 ms',
  ]);
});

test('while it is held the client waits, and the call can be stopped', () => {
  const { told, flight } = found('kept-reply', 'unknown');
  expect(told).toEqual(['waits 10…open', '10 request', '190 fault ours: reply held']);
  expect(flight).toEqual(['open']);
});

test('what was late by itself is drawn when it came, whatever a fault did then', () => {
  expect(found('kept-reply', 'no').told).toContain('810 late-reply late +500 ms');
});

test('a dropped cancel is drawn as ours and as not delivered', () => {
  expect(found('lost-cancel', 'yes').told).toEqual([
    'waits 10…310',
    '10 request',
    '310 untold not delivered',
    '310 fault ours: cancel dropped',
    '397 effect after stop +87 ms · ledger',
  ]);
});

test('a call that is held begins where the client made it', () => {
  const { told, flight } = found('early-cancel', 'unknown');
  expect(told).toEqual(['waits 10…open', '10 request', '10 fault ours: call held']);
  expect(flight).toEqual(['open']);
});

test('the card of a mark says whose doing it is', () => {
  const { of } = found('kept-reply', 'yes');
  const mark = of.marks.find((one) => one.mark === 'fault');
  if (!mark) throw new Error('no such mark');
  expect(explain({ on: 'mark', of, mark, members: [mark] })?.sentence).toBe(
    'A fault of ours (hold it) held the reply back for 121 ms. That is our doing, not the server’s, and no verdict lays it to the server.',
  );
});
