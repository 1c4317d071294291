import { expect, it } from 'vitest';
import { getsRoom, isFiltering, NO_FACETS, passes, toggled, valuesOf } from './facets';
import { modelOf, SHOP } from './shop.testing';

const shop = modelOf(SHOP, 3120);
const left = (facets = NO_FACETS): readonly string[] =>
  shop.calls.all.filter((call) => call.purpose === 'call' && passes(facets, call, shop)).map((call) => call.tool ?? call.method);

it('lists the values of a facet with how many calls have each', () => {
  expect(valuesOf('method', shop)).toEqual([
    ['tools/call', 7],
    ['initialize', 1],
    ['roots/list', 1],
    ['tools/list', 1],
  ]);
  expect(valuesOf('direction', shop)).toEqual([
    ['client asks', 9],
    ['server asks', 1],
  ]);
  expect(valuesOf('verdict', shop).map(([verdict]) => verdict)).toContain('write-after-cancel');
});

it('leaves out what was chosen, and takes it in again', () => {
  const facets = toggled(toggled(NO_FACETS, 'direction', 'server asks'), 'tool', 'deploy');
  expect([isFiltering(facets), left(facets).includes('roots/list'), left(facets).includes('deploy'), left(facets).length]).toEqual([
    true,
    false,
    false,
    8,
  ]);
  const back = toggled(toggled(facets, 'tool', 'deploy'), 'direction', 'server asks');
  expect([isFiltering(back), left(back)]).toEqual([false, left()]);
});

it('gives room on the order scale to the frames of rows only: a hidden call takes its ping along, a dimmed one stays', () => {
  const frames = Array.from({ length: shop.trace.length }, (_, seq) => seq);
  const charge = shop.calls.find(1, 'client', 'n:12');
  if (!charge) throw new Error('no call 12');
  const without = frames.filter((seq) => !getsRoom(shop.calls, seq, (call) => call !== charge.index));
  const own = frames.filter((seq) => [charge.index, charge.fence].includes(shop.calls.ofFrame(seq)?.index));
  expect([without, own.length > 3]).toEqual([own, true]);
  expect(frames.every((seq) => getsRoom(shop.calls, seq, undefined))).toBe(true);
});
