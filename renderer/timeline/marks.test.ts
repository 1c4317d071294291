import { describe, expect, it } from 'vitest';
import { Build } from '../../app/trace/build.testing';
import type { Frame } from '../../app/wire/frame';
import { lastOf, type Picture, picture, type Span } from './marks';
import { EVERY_MARK, modelOf, SHOP, story } from './shop.testing';
import { labels } from './words';

const ms = (t: number | undefined): string => (t === undefined ? 'open' : String(t / 1e6));
const span = (name: string, of: Span | undefined): string[] => (of ? [`${name} ${ms(of.from)}…${ms(of.to)}`] : []);

/** A picture in words: its spans, then its marks in order of time, each with its longest label. */
const told = (of: Picture): string[] => [
  ...span('waits', of.waits),
  ...span('gone', of.gone),
  ...span('alive', of.alive),
  ...span('unknown', of.unknown),
  ...of.marks.map((mark) => [ms(mark.at), mark.mark, labels(mark, of)[0]].filter(Boolean).join(' ')),
];

/** The newest call with an id, at a time. */
function pictureOf(frames: readonly Frame[], id: number, nowMs: number, session = 1): Picture {
  const model = modelOf(frames, nowMs);
  const call = model.calls.find(session, 'client', `n:${id}`);
  if (!call) throw new Error(`no call ${id}`);
  return picture(model, call);
}

describe('a picture', () => {
  it.each([
    [10, ['waits 40…222', 'alive 40…222', '40 request', '222 reply 182 ms']],
    [
      11,
      [
        'waits 60…520',
        'gone 520…open',
        'alive 60…190',
        'unknown 520…open',
        '60 request',
        '190 effect wrote 330 ms before · outbox',
        '520 cancel cancel “user pressed stop”',
        '520 fence read past cancel',
      ],
    ],
    [
      12,
      [
        'waits 120…420',
        'gone 420…open',
        'unknown 420…507',
        '120 request',
        '420 cancel cancel “user pressed stop”',
        '420 fence read past cancel',
        '507 effect after cancel +87 ms · ledger',
      ],
    ],
    [
      13,
      [
        'waits 300…900',
        'gone 900…1312',
        'unknown 900…1312',
        '300 request',
        '900 cancel cancel “user pressed stop”',
        '900 fence read past cancel',
        '1312 late-reply late +412 ms',
      ],
    ],
    [
      14,
      [
        'waits 620…980',
        'gone 980…open',
        'unknown 980…2900',
        '620 request',
        '980 cancel cancel “user pressed stop”',
        '980 fence read past cancel',
        '2900 all-clear no effect seen in tickets, past its normal 1.2 s',
      ],
    ],
    [15, ['waits 1020…open', 'alive 1020…2960', '1020 request', '2960 progress 28 %']],
    [
      16,
      [
        'waits 1500…1800',
        'gone 1800…open',
        'alive 1500…2480',
        'unknown 2480…open',
        '1500 request',
        '1800 cancel cancel “user pressed stop”',
        '1800 fence read past cancel',
        '2480 progress 4 × progress after cancel · 50 %',
      ],
    ],
  ])('of the shop, call %i', (id, expected) => {
    expect(told(pictureOf(SHOP, id, 3120))).toEqual(expected);
  });

  it.each([
    [10, ['222 reply -32602 · 182 ms']],
    [11, ['400 reply tool error · 340 ms']],
    [12, ['400 cancel timeout 300 ms', '5900 lost lost']],
    [13, ['900 untold not told', '1300 effect after giving up +400 ms · ledger', '5900 lost lost']],
    [
      14,
      ['1500 effect wrote, taken back · seats', '1600 cancel cancel “user pressed stop”', '1600 fence read past cancel', '5900 lost lost'],
    ],
    [
      15,
      [
        '2300 cancel cancel “user pressed stop”',
        '2300 fence read past cancel',
        '2700 late-reply late error -32603 +400 ms',
        '2900 duplicate-reply again after 900 ms',
      ],
    ],
    [
      16,
      [
        '2900 cancel cancel “user pressed stop”',
        '2900 fence no pong so far',
        '2905 effect order unknown ±45 ms · ledger',
        '5900 lost lost',
      ],
    ],
    [17, ['3200 reply 100 ms', '3300 too-late too late, nothing sent']],
    [18, ['3700 cancel cancel “user pressed stop”', '3700 fence read past cancel', '3702 late-reply says cancelled -32800 +2 ms']],
    [19, ['4300 untold told another id', '5900 lost lost']],
    [20, ['4901 untold not delivered', '5900 lost lost']],
    [21, ['5300 effect wrote · seats', '5400 reply 400 ms']],
    [22, ['5900 lost lost']],
  ])('of every mark, call %i', (id, expected) => {
    const all = told(pictureOf(EVERY_MARK, id, 9000));
    expect(all.filter((line) => /^\d/.test(line) && !line.endsWith('request'))).toEqual(expected);
  });

  it('of a kill that a write outlived', () => {
    expect(told(pictureOf(EVERY_MARK, 10, 9000, 2))).toEqual([
      'waits 6700…7000',
      'gone 7000…7050',
      'unknown 7000…7050',
      '6700 request',
      '7000 killed killed',
      '7050 lost lost',
      '7400 effect after kill +400 ms · ledger',
    ]);
  });

  it('keeps the uncertain window open after an answer that only says "cancelled"', () => {
    const acknowledged = pictureOf(EVERY_MARK, 18, 5000);
    expect([acknowledged.unknown, acknowledged.gone?.to]).toEqual([{ from: 3700e6, to: undefined }, 3702e6]);
  });

  it('closes the uncertain window where an effect was taken back: the server acted then', () => {
    expect(pictureOf(EVERY_MARK, 14, 5000).unknown).toEqual({ from: 1600e6, to: 1800e6 });
  });

  it('draws no all-clear while the watch has not outlasted the call', () => {
    const early = pictureOf(SHOP, 14, 1500);
    expect([early.marks.some((mark) => mark.mark === 'all-clear'), early.unknown?.to]).toEqual([false, undefined]);
  });

  it('never takes silence for a probe', () => {
    expect([pictureOf(SHOP, 13, 3120).notProbed, pictureOf(SHOP, 12, 3120).notProbed]).toEqual([true, false]);
  });

  it('counts progress in thousands by binary search', () => {
    const build = new Build()
      .opened([{ name: 'crawl_site' }])
      .at(10)
      .call(3, 'crawl_site');
    for (let index = 0; index < 5000; index++) build.at(20 + index * 0.1).progress(3, index, 5000);
    build.at(300).stop(3);
    const of = pictureOf(
      [...build.frames].sort((a, b) => a.t - b.t).map((frame, seq) => ({ ...frame, seq })),
      3,
      1000,
    );
    const last = of.marks.find((mark) => mark.mark === 'progress');
    expect(last?.mark === 'progress' && [last.count, last.after]).toEqual([5000, 2199]);
  });

  it('moves with time only while something of it is open', () => {
    const still = [10, 11, 13, 15].map((id) => pictureOf(SHOP, id, 3120).still);
    expect(still).toEqual([true, false, true, false]);
  });

  it('ends with the last thing known, or now while it is in flight', () => {
    const now = 3120e6 as never;
    expect([10, 12, 13, 15].map((id) => lastOf(pictureOf(SHOP, id, 3120), now))).toEqual([222e6, 507e6, 1312e6, 3120e6]);
  });

  it('draws one mark for every cancel, the second included', () => {
    const twice = story([
      [0, (b) => b.opened([{ name: 'charge_card' }])],
      [10, (b) => b.call(3, 'charge_card')],
      [100, (b) => b.stop(3)],
      [200, (b) => b.cancelled(3, 'again')],
    ]);
    expect(told(pictureOf(twice, 3, 400)).filter((line) => line.includes(' cancel '))).toEqual([
      '100 cancel cancel “user pressed stop”',
      '200 cancel cancel “again”',
    ]);
  });
});
