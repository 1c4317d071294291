import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromMs } from '../../../app/base/time';
import { world } from '../../../app/evidence/world';
import { calls } from '../../../app/trace/calls';
import type { Verdict } from '../../../app/verdict/verdict';
import { FakeHost, fakeVerdict } from '../../fakeHost.testing';
import { interval, type Watched, watchedBy } from './watched';

let host: FakeHost;
beforeEach(() => {
  host = new FakeHost();
  host.effect(0, { effect: 'watching', probe: 'ledger', kind: 'folder', place: '/state', shared: false });
});
afterEach(() => host.close());

const text = (list: readonly Watched[]): readonly string[] =>
  list.flatMap(({ probe, says, rows }) => [`${probe}: ${says}`, ...rows.map((row) => `  ${row.is} ${row.when}: ${row.says}`)]);

function read(observations: readonly object[] = []): readonly string[] {
  const fold = calls(host.trace);
  fold.take();
  const seeing = world();
  for (let seq = 0; seq < host.trace.length; seq++) seeing.take(host.trace, seq);
  const verdict = fakeVerdict(0);
  const judged = { ...verdict, stop: { ...verdict.stop, at: fromMs(100) }, effect: { ...verdict.effect, observations } };
  const call = fold.all[0];
  if (!call) throw new Error('expected a call');
  return text(watchedBy(call, judged as unknown as Verdict, seeing));
}

test('each probe of a call: how it watched, what it saw from the stop on, what it missed', () => {
  host.effect(1, { effect: 'gap', probe: 'ledger', lo: fromMs(0), hi: fromMs(1), why: 'of before the call' });
  host.call(10, 1, 'charge_card', {}, ['ledger', 'gone']);
  const seen = host.effect(190, {
    effect: 'seen',
    probe: 'ledger',
    lo: fromMs(184),
    hi: fromMs(190),
    says: '1 line appended',
    subject: 'l',
  });
  host.effect(200, { effect: 'gap', probe: 'ledger', lo: fromMs(195), hi: fromMs(200), why: 'the folder was gone' });
  host.effect(210, { effect: 'reverted', probe: 'ledger', lo: fromMs(205), hi: fromMs(210), says: 'as before', of: [seen] });
  host.effect(300, { effect: 'clear', probe: 'ledger', since: fromMs(210), lo: fromMs(299), hi: fromMs(300) });
  const observation = {
    seq: seen,
    probe: 'ledger',
    lo: fromMs(184),
    hi: fromMs(190),
    says: '1 line appended',
    state: 'after',
    reverted: true,
    certainty: 'inferred',
  };
  expect(read([observation])).toEqual([
    'ledger: 1 reading with nothing new, the last one 290 ms after the call, 1 gap, still watching',
    '  seen +84…+90 ms: 1 line appended, inferred to be this call’s',
    '  gap +95…+100 ms: not watched: the folder was gone',
    '  reverted +110.0 ms: taken back',
    'gone: did not watch when the call was sent',
  ]);
});

test('signs of work and what is held open stand there too; another call’s spans do not', () => {
  host.call(10, 1, 'deploy', {}, ['ledger']);
  const work = { effect: 'work', probe: 'ledger', lo: fromMs(120), hi: fromMs(121), subject: 'x' } as const;
  host.effect(121, { ...work, sign: 'process', says: 'sh (pid 7) still runs' });
  host.effect(122, { ...work, sign: 'span', says: 'a span of another call', call: 2 });
  host.effect(123, { ...work, sign: 'span', says: 'a span of this call', call: 1 });
  const held = host.effect(130, { effect: 'held', probe: 'ledger', lo: fromMs(129), hi: fromMs(130), says: 'a transaction', subject: 't' });
  host.effect(131, { effect: 'held', probe: 'ledger', lo: fromMs(130), hi: fromMs(131), says: 'a lock', subject: 'l' });
  host.effect(140, { effect: 'freed', probe: 'ledger', lo: fromMs(139), hi: fromMs(140), of: [held] });
  expect(read()).toEqual([
    'ledger: still watching',
    '  work +20.0…+21.0 ms: sh (pid 7) still runs',
    '  work +20.0…+21.0 ms: a span of this call',
    '  held +29.0…+30.0 ms: a transaction; let go of later',
    '  held +30.0…+31.0 ms: a lock; still held',
  ]);
});

test('an interval from the stop, around it, and on the trace’s own clock', () => {
  expect([
    interval(fromMs(184), fromMs(191), fromMs(100)),
    interval(fromMs(99.5), fromMs(100.5), fromMs(100)),
    interval(fromMs(5), fromMs(5), fromMs(100)),
    interval(fromMs(184), fromMs(191), undefined),
    interval(fromMs(12_767), fromMs(12_790), fromMs(100)),
  ]).toEqual(['+84…+91 ms', '−0.5…+0.5 ms', '−95.0 ms', '184…191 ms', '+12.67…+12.69 s']);
});
