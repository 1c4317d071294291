// An undo comes when it comes: long after the call that it takes back has ceased to be open on its probe.
import { expect, test } from 'vitest';
import { fromMs } from '../base/time';
import { Build, traceOf } from '../trace/build.testing';
import { judge } from './judge';

/** A charge that was stopped too late; then another call on the same probe, and another. */
const charged = (): Build => {
  const b = new Build()
    .opened([{ name: 'charge' }, { name: 'refund' }])
    .at(5)
    .watching('ledger');
  b.at(10).call(3, 'charge', { probes: ['ledger'], settle: 1000 });
  b.at(300).stop(3).at(302).pong(3).seen('ledger', 1500, 1510);
  b.at(2000)
    .call(4, 'charge', { probes: ['ledger'] })
    .at(2010)
    .result(4);
  return b.at(3000).call(5, 'refund', { probes: ['ledger'] });
};

test('it changes the verdict on the call whose effect it takes back, and on no other', () => {
  const trace = traceOf(charged().reverted('ledger', 3100, 3110).at(3120).result(5).frames);
  const court = judge(trace);
  // Frame by frame, as they come.
  for (let end = 1; end <= trace.length; end++) court.advance(trace.t(end - 1), end);
  court.advance(fromMs(9000));
  const verdicts = ['n:3', 'n:4', 'n:5'].map((key) => court.verdict(court.calls.find(1, 'client', key)?.index ?? -1));
  expect(verdicts.map((one) => one?.verdict)).toEqual(['rolled-back', 'completed', 'completed']);
  expect(verdicts[0]?.history.map(({ verdict }) => verdict)).toEqual(['waiting', 'settling', 'quiet', 'write-after-cancel', 'rolled-back']);
});
