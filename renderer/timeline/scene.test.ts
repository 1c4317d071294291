import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asNs, fromMs } from '../../app/base/time';
import { Build } from '../../app/trace/build.testing';
import type { Command } from './draw';
import { GEOMETRY } from './geometry';
import type { Mark } from './marks';
import type { Density } from './model';
import { hitTest, overlay, type Scene } from './scene';
import { lookAt, texts } from './scene.testing';
import { crowd, EVERY_MARK, endOf, modelOf, SHOP, story } from './shop.testing';
import { explain, type Target } from './words';

const shop = modelOf(SHOP, 3120);
const WHOLE = { from: 0, to: 3300 };

const markHits = (shown: Scene, kind: Mark['mark']) =>
  shown.hits.filter((hit) => hit.target.on === 'mark' && hit.target.mark.mark === kind);
const fills = (commands: readonly Command[], colour: string): number =>
  commands.filter((command) => 'fill' in command && command.fill === colour && command.draw === 'shape').length;

describe('a scene of the shop', () => {
  const shown = lookAt(shop, WHOLE);

  it('says what happened, in order of rows', () => {
    const said = texts(shown.commands).filter((text) => !/^[\d.]+ s$|^#|^[a-z_]+$/.test(text));
    expect(said.filter((text) => !text.startsWith('cancel'))).toEqual([
      'server asks',
      '1 ms',
      '182 ms',
      'tools/call search_orders #10',
      'wrote 330 ms before · outbox',
      'read past cancel',
      'unknown 2.6 s',
      'after cancel +87 ms · ledger',
      'read past cancel',
      'late +412 ms',
      'tools/call huge_search #13',
      'no effect seen in tickets, past its normal 1.2 s',
      'read past cancel',
      '28 %',
      'tools/call crawl_site #15',
      '4 × progress after cancel · 50 %',
      'read past cancel',
      'unknown 640 ms',
      'roots/list',
      '61 ms',
    ]);
  });

  it('draws the breach over everything else of its row', () => {
    const marks = shown.hits.filter((hit) => hit.target.on === 'mark');
    const last = marks.at(-1)?.target;
    expect(last?.on === 'mark' && last.mark.mark === 'effect' && last.mark.state).toBe('after');
  });

  it('hatches what is unknown and lets it fade only while it is open', () => {
    const hatches = shown.commands.filter((command) => command.draw === 'hatch');
    const shapes = hatches.map((hatch) => (hatch.fade === 0 ? 'closed' : hatch.fadeTo === 0 ? 'fades out' : 'calms down'));
    expect(shapes).toEqual(['calms down', 'fades out', 'closed', 'closed', 'closed', 'fades out']);
  });

  it('rings calls that nobody probed, and puts no ring where a probe watched', () => {
    const rings = shown.hits.flatMap((hit) => (hit.target.on === 'not-probed' ? [hit.target.of.call.tool] : []));
    expect(rings).toEqual(['search_orders', 'huge_search', 'crawl_site', 'deploy']);
  });

  it('swaps the bands of what the server asks', () => {
    const bars = shown.hits.flatMap((hit) => (hit.target.on === 'span' && hit.target.of.call.sender === 'server' ? [hit] : []));
    const waits = bars.find((hit) => hit.target.on === 'span' && hit.target.span === 'waits');
    const alive = bars.find((hit) => hit.target.on === 'span' && hit.target.span === 'alive');
    expect((waits?.y ?? 0) > (alive?.y ?? 0)).toBe(true);
  });

  it('moves while something in view is open, and stands still elsewhere', () => {
    expect([shown.moves, lookAt(modelOf(SHOP, 3120), { ...WHOLE, height: 28 + 30 + 40 }).moves]).toEqual([true, false]);
  });

  it('draws now only over a recording that goes on', () => {
    expect([texts(overlay(shown, fromMs(3120), true, undefined)), texts(overlay(shown, fromMs(3120), false, undefined))]).toEqual([
      ['now, live'],
      [],
    ]);
    expect(texts(overlay(shown, fromMs(9300), true, undefined))).toEqual(['now, 6 s on ›']);
  });
});

describe('a scene of every mark', () => {
  const model = modelOf(EVERY_MARK, 9000);
  const shown = lookAt(model, { from: 0, to: 8000 });

  it.each<Mark['mark']>([
    'request',
    'reply',
    'late-reply',
    'duplicate-reply',
    'lost',
    'cancel',
    'untold',
    'killed',
    'too-late',
    'fence',
    'effect',
  ])('draws %s and can be pointed at', (kind) => {
    const hits = markHits(shown, kind);
    expect(hits.length).toBeGreaterThan(0);
    for (const hit of hits) {
      const found = hitTest(shown, hit.x + hit.w / 2, hit.y + hit.h / 2);
      expect(found && explain(found)).toBeDefined();
    }
  });

  it('gives each effect the shape of its order', () => {
    const states = new Map(
      markHits(shown, 'effect').map(({ target }) => [
        target.on === 'mark' && target.mark.mark === 'effect' ? (target.mark.reverted ? 'reverted' : target.mark.state) : '',
        true,
      ]),
    );
    expect([...states.keys()].sort()).toEqual(['after', 'observed', 'reverted', 'straddles']);
    expect(fills(shown.commands, 'breach')).toBeGreaterThanOrEqual(2);
  });

  it('ends a session with a line as tall as its rows, and begins the next with another', () => {
    const ends = shown.hits.filter((hit) => hit.target.on === 'ended');
    const began = shown.hits.filter((hit) => hit.target.on === 'began');
    expect([ends.length, began.length]).toEqual([2, 1]);
    const geometry = GEOMETRY.comfortable;
    expect(ends[0]?.h).toBe(geometry.group.height + 14 * geometry.call.height);
    expect(texts(shown.commands)).toEqual(expect.arrayContaining(['exited, code 7', 'session 2', 'handshake · session 2']));
  });
});

describe('evidence', () => {
  it('on the same pixels is one mark that carries the others, the worst on top', () => {
    const frames = story([
      [0, (b) => b.opened([{ name: 'charge_card' }])],
      [5, (b) => b.watching('ledger')],
      [10, (b) => b.call(3, 'charge_card', { probes: ['ledger'] })],
      [299, (b) => b.seen('ledger', 298, 299)],
      [300, (b) => b.stop(3)],
      [302, (b) => b.seen('ledger', 301, 302)],
      [303, (b) => b.seen('ledger', 302, 303)],
    ]);
    const shown = lookAt(modelOf(frames, 5000), { from: 0, to: 5000 });
    const [hit, ...others] = markHits(shown, 'effect');
    expect(others).toEqual([]);
    expect(hit?.target.on === 'mark' && [hit.target.mark.mark === 'effect' && hit.target.mark.state, hit.target.members.length]).toEqual([
      'after',
      3,
    ]);
    expect(texts(shown.commands)).toEqual(expect.arrayContaining(['3', 'after cancel +2 ms · ledger · 3 effects']));
  });

  it('in view is not swallowed by evidence just outside of it', () => {
    const model = modelOf(
      randomStory([
        {
          at: 10,
          stop: 1,
          effects: [
            [1, 3],
            [1, 1],
          ],
          progress: [],
          reply: null,
        },
      ]),
      9000,
    );
    const shown = lookAt(model, { from: 14, to: 32, width: 300, height: 77, density: 'compact' });
    const drawn = markHits(shown, 'effect').map(({ target }) => (target.on === 'mark' ? target.mark.at / 1e6 : 0));
    expect(drawn).toEqual([14]);
  });

  it('is told of where its row is out of view', () => {
    const alarms = [
      { row: 0, call: 0, severity: 'breach' },
      { row: 39, call: 39, severity: 'warn' },
    ] as const;
    const shown = lookAt(modelOf(crowd(40), 12_000), { from: 0, to: 9000, top: 400, height: 400, alarms });
    expect(texts(shown.commands)).toEqual(expect.arrayContaining(['1 ↑', '1 ↓']));
  });

  const anyCall = fc.record({
    at: fc.integer({ min: 10, max: 4000 }),
    stop: fc.option(fc.integer({ min: 1, max: 900 })),
    effects: fc.array(fc.tuple(fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 1, max: 60 })), { maxLength: 6 }),
    progress: fc.array(fc.integer({ min: 1, max: 1200 }), { maxLength: 8 }),
    reply: fc.option(fc.integer({ min: 1, max: 1500 })),
  });
  const anyLook = fc.record({
    from: fc.integer({ min: -500, max: 5000 }),
    span: fc.integer({ min: 1, max: 9000 }),
    top: fc.integer({ min: 0, max: 120 }),
    width: fc.integer({ min: 300, max: 1600 }),
    height: fc.integer({ min: 60, max: 700 }),
    density: fc.constantFrom<Density>('comfortable', 'compact'),
  });

  it('in view is always drawn and can always be pointed at', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { minLength: 1, maxLength: 6 }), anyLook, (calls, { span, ...look }) => {
        const model = modelOf(randomStory(calls), 9000);
        const shown = lookAt(model, { ...look, to: look.from + span });
        const { geometry, lanes } = shown.input;
        for (const call of model.calls.all) {
          const row = lanes.rowOf(call.index);
          if (row === undefined || call.purpose !== 'call') continue;
          for (const seen of model.verdict(call.index)?.effect.observations ?? []) {
            if (seen.state !== 'after') continue;
            const x = shown.scale.x(seen.hi);
            const y = rowTop(shown, row) + geometry.call.lower.y + geometry.call.lower.h / 2;
            if (x < shown.scale.left || x > shown.scale.left + shown.scale.width || y < geometry.axis || y >= (look.height ?? 0)) continue;
            const hit = shown.hits.find(({ target }) => target.on === 'mark' && target.members.some((mark) => mark.seq === seen.seq));
            expect(hit).toBeDefined();
            const found = hit && hitTest(shown, inside(hit.x, hit.w, look.width), hit.y + hit.h / 2);
            expect(found && includes(found, seen.seq)).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it('and everything else is found where it is drawn: nothing can be pointed at outside of the plot', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { minLength: 1, maxLength: 5 }), anyLook, (calls, { span, ...look }) => {
        const shown = lookAt(modelOf(randomStory(calls), 9000), { ...look, to: look.from + span });
        const { gutter, axis } = shown.input.geometry;
        const outside = shown.hits.filter(
          ({ target, x, w }) => (target.on === 'mark' || target.on === 'span') && (x < gutter || x + w > look.width),
        );
        expect(outside).toEqual([]);
        expect(hitTest(shown, gutter + 5, axis - 1)).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

const includes = (target: Target, seq: number): boolean => target.on === 'mark' && target.members.some((mark) => mark.seq === seq);
/** The middle of what is left of a box that may be cut off at the edge. */
const inside = (x: number, w: number, width: number): number => Math.min(x + w / 2, width - 0.5);

function rowTop({ hits }: Scene, row: number): number {
  return hits.find((hit) => hit.target.on === 'row' && hit.target.row === row)?.y ?? Number.NEGATIVE_INFINITY;
}

interface Told {
  readonly at: number;
  readonly stop: number | null;
  readonly effects: readonly (readonly [number, number])[];
  readonly progress: readonly number[];
  readonly reply: number | null;
}

function randomStory(calls: readonly Told[]) {
  return story([
    [0, (b) => b.opened([{ name: 'charge_card' }])],
    ...calls.map((_, index) => [5, (b: Build) => b.watching(`ledger${index}`)] as const),
    ...calls.flatMap(({ at, stop, effects, progress, reply }, index) => {
      const probe = `ledger${index}`;
      return [
        [at, (b: Build) => b.call(index, 'charge_card', { probes: [probe], settle: 500 })] as const,
        ...(stop === null ? [] : [[at + stop, (b: Build) => b.stop(index)] as const]),
        ...effects.map(([after, width]) => [at + after + width, (b: Build) => b.seen(probe, at + after, at + after + width)] as const),
        ...progress.map((after) => [at + after, (b: Build) => b.progress(index)] as const),
        ...(reply === null ? [] : [[at + reply, (b: Build) => b.result(index)] as const]),
      ];
    }),
  ]);
}

describe('work', () => {
  it('is bounded by pixels: ten thousand progress ticks are a few hundred commands', () => {
    const build = new Build()
      .opened([{ name: 'crawl_site' }])
      .at(10)
      .call(3, 'crawl_site');
    for (let index = 0; index < 10_000; index++) build.at(20 + index / 10).progress(3, index, 10_000);
    const shown = lookAt(modelOf(build.frames, 2000), { from: 0, to: 2000, width: 600 });
    expect(shown.commands.length).toBeLessThan(400);
  });

  it('looks at rows in view only', () => {
    const frames = crowd(200);
    const model = modelOf(frames, endOf(frames));
    let asked = 0;
    const counting = {
      ...model,
      verdict: (call: number) => {
        asked++;
        return model.verdict(call);
      },
    };
    lookAt(counting, { from: 0, to: 50_000, top: 3000, height: 28 + 44 * 5 });
    expect(asked).toBeLessThan(12);
  });

  it('stays exact when the view is far inside of a bar', () => {
    const at = asNs(500e6);
    const shown = lookAt(shop, { from: 500, to: 500.0001 });
    expect(Math.abs(shown.scale.t(shown.scale.x(at)) - at)).toBeLessThan(1);
    const wild = shown.commands.filter((command) => 'w' in command && (command.w > 2000 || command.x < -100));
    expect(wild).toEqual([]);
  });
});
