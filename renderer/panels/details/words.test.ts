import { expect, test } from 'vitest';
import { fromMs } from '../../../app/base/time';
import { HttpBuild } from '../../../app/trace/buildHttp.testing';
import { fakeVerdict } from '../../fakeHost.testing';
import { modelOf } from '../../timeline/shop.testing';
import { at, effectText, effectTime, headlineText, replyTime, stopText, stopTime } from './words';

const { stop, reply, effect } = fakeVerdict(0);
const stopped = { ...stop, state: 'sent' as const, at: fromMs(420.4) };
const seen = (lo: number, hi: number) => ({
  ...effect,
  worst: {
    seq: 7,
    probe: 'ledger',
    lo: fromMs(lo),
    hi: fromMs(hi),
    says: '',
    state: 'after' as const,
    reverted: false,
    certainty: 'proved' as const,
    done: true,
  },
});

test('times of the lanes count from the stop where there is one', () => {
  expect([stopTime(stopped), stopTime(stop)]).toEqual(['at 420.4 ms', undefined]);
  expect([
    replyTime({ ...reply, at: fromMs(832.4), lateBy: fromMs(412) }),
    replyTime({ ...reply, at: fromMs(182) }),
    replyTime(reply),
  ]).toEqual(['+412 ms', 'at 182.0 ms', undefined]);
  expect([
    effectTime(seen(497.4, 507.4), stopped),
    effectTime(seen(419.9, 421), stopped),
    effectTime(seen(100, 102), stop),
    effectTime(effect, stopped),
  ]).toEqual(['+77…+87 ms', '−0.5…+0.6 ms', 'at 102.0 ms', undefined]);
});

test('moments and headlines in words', () => {
  expect([at(fromMs(420.44)), at(fromMs(12_345.6)), headlineText('write-after-cancel')]).toEqual([
    '420.4 ms',
    '12.346 s',
    'write after cancel',
  ]);
});

test('that nothing was seen is said of the places that were watched', () => {
  expect(effectText({ state: 'not-seen', probes: ['ledger', 'rows'] })).toBe('nothing seen so far in ledger, rows');
  expect(effectText({ state: 'not-probed', probes: [] })).toBe('not probed');
});

test('over HTTP the stop carries the status of its POST', () => {
  const said = (stop: (b: HttpBuild) => HttpBuild): string | undefined => {
    const model = modelOf(stop(new HttpBuild().openedHttp().at(20).post(3, 'charge').at(300)).frames, 600);
    const call = model.calls.find(1, 'client', 'n:3');
    const verdict = call && model.verdict(call.index);
    return call && verdict && stopText(call, verdict.stop);
  };
  expect([said((b) => b.accepted(3)), said((b) => b.accepted(3, 1, 500)), said((b) => b.postCancel(3)), said((b) => b)]).toEqual([
    'sent · 202',
    'not delivered · 500',
    'sent',
    'nobody asked',
  ]);
});
