import { expect, test } from 'vitest';
import { asNs } from '../../app/base/time';
import type { Observation, Watch } from '../../app/evidence/world';
import type { Effect } from '../../app/wire/frame';
import { type Found, foundBy } from './found';

const t = asNs(0);
const spec = { kind: 'folder', name: 'ledger', path: '/x', shared: false } as const;
const seen = (says: string): Effect => ({ effect: 'seen', probe: 'ledger', lo: t, hi: t, says, subject: '' });
const work = (says: string): Effect => ({ effect: 'work', probe: 'ledger', sign: 'process', lo: t, hi: t, says, subject: '' });
const clear: Effect = { effect: 'clear', probe: 'ledger', since: t, lo: t, hi: t };
const reverted: Effect = { effect: 'reverted', probe: 'ledger', lo: t, hi: t, says: '1 line gone again', of: [1] };
const gap: Effect = { effect: 'gap', probe: 'ledger', lo: t, hi: t, why: 'no answer within 2 s' };

/** A watch that has seen things, each of which stands or was taken back. */
const watch = (...things: readonly (readonly [string, 'stands' | 'reverted'])[]): Watch => {
  const all = things.map(([says, is]) => ({ says, reverted: is === 'reverted' ? { seq: 0, t } : undefined }) as Observation);
  return { seen: all } as unknown as Watch;
};

const cases: readonly (readonly [string, Partial<Found>])[] = [
  ['ledger: nothing new since the baseline', { effects: [clear] }],
  ['ledger: nothing new; still there: 1 line more', { effects: [clear], watch: watch(['1 line more', 'stands']) }],
  ['ledger: nothing new; what had been seen was taken back', { effects: [clear], watch: watch(['1 line more', 'reverted']) }],
  ['ledger: a; b; c; and 2 more', { effects: ['a', 'b', 'c', 'd', 'e'].map(seen) }],
  ['ledger: taken back: 1 line gone again', { effects: [reverted] }],
  ['ledger: a', { effects: [gap, seen('a'), clear] }],
  ['ledger: it could not read the place (no answer within 2 s)', { effects: [gap] }],
  ['ledger: sleep 60 (pid 78) still runs', { effects: [work('sleep 60 (pid 78) still runs'), clear] }],
  [
    'spans: no span has come meanwhile, which proves nothing: spans are sent late',
    { status: { spec: { kind: 'otel', name: 'spans', port: 0, shared: false }, state: 'watching', why: undefined } },
  ],
  ['ledger: no answer yet', { effects: [], read: false }],
  ['ledger: it cannot say yet', { effects: [] }],
  ['ledger: it is still being started', { status: { spec, state: 'off', why: undefined } }],
  ['ledger: it cannot watch (no such folder)', { status: { spec, state: 'failed', why: 'no such folder' } }],
];

test.each(cases)('%s', (says, found) => {
  expect(foundBy({ status: { spec, state: 'watching', why: undefined }, effects: [], read: true, watch: watch(), ...found })).toBe(says);
});
