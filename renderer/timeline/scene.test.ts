import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asNs, fromMs } from '../../app/base/time';
import { RANK } from '../../app/layout/extent';
import type { Grouping } from '../../app/layout/lanes';
import { Build } from '../../app/trace/build.testing';
import type { Command } from './draw';
import { GEOMETRY } from './geometry';
import type { Mark } from './marks';
import type { Density } from './model';
import { type Over, overlay as overlayOf } from './overlay';
import { hitTest, type Scene } from './scene';
import { lookAt, texts } from './scene.testing';
import { crowd, EVERY_MARK, endOf, modelOf, SHOP, story } from './shop.testing';
import { explain, type Target } from './words';

const shop = modelOf(SHOP, 3120);
const overlay = (shown: Scene, now: Over['now'], live: boolean) =>
  overlayOf(shown, { now, live, hover: undefined, edges: [], ruler: undefined, pointer: undefined });
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
      'roots/list 61 ms',
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
    expect([texts(overlay(shown, fromMs(3120), true)), texts(overlay(shown, fromMs(3120), false))]).toEqual([['now, live'], []]);
    expect(texts(overlay(shown, fromMs(9300), true))).toEqual(['now, 6 s on ›']);
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
    const shown = lookAt(modelOf(crowd(40), 12_000), { from: 0, to: 9000, top: 400, height: 400 });
    const said = texts(shown.commands);
    expect([said.some((text) => /^\d+ ↑$/.test(text)), said.some((text) => /^\d+ ↓$/.test(text))]).toEqual([true, true]);
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

describe('lanes', () => {
  const anyLane = fc.record({
    from: fc.integer({ min: -500, max: 60_000 }),
    span: fc.integer({ min: 1, max: 90_000 }),
    width: fc.integer({ min: 300, max: 1600 }),
    height: fc.integer({ min: 60, max: 700 }),
    top: fc.integer({ min: 0, max: 60 }),
    density: fc.constantFrom<Density>('comfortable', 'compact'),
    grouping: fc.constantFrom<Grouping>('server', 'tool', 'direction'),
    order: fc.boolean(),
  });
  const busy = modelOf(crowd(240), endOf(crowd(240)));
  /** Two breaches, one of them with its middle beside the gutter. */
  const AT_THE_EDGE = { from: 0, span: 38_909, width: 300, height: 60, top: 0 };

  it('show every breach in view, however many calls share its pixels, and it can be pointed at', () => {
    fc.assert(
      fc.property(anyLane, ({ span, ...look }) => {
        const shown = lookAt(busy, { ...look, to: look.from + span });
        const { lanes, geometry } = shown.input;
        const { left, width } = shown.scale;
        for (const { call, severity, row } of lanes.alarms) {
          const lane = lanes.rows[row];
          if (severity !== 'breach' || lane?.kind !== 'lane') continue;
          const place = lanes.placeOf(call);
          const x = shown.scale.x(asNs(lane.strip.moment(place)));
          const y = rowTop(shown, row) + geometry.group.lower.y;
          if (x < left || x > left + width || y < geometry.axis || y + geometry.group.lower.h >= look.height) continue;
          const holding = shown.hits.filter(({ target }) => holdsCall(target, call, place, row));
          expect(holding.length).toBeGreaterThan(0);
          const found = holding.some((hit) => {
            const under = hitTest(shown, inside(hit.x, hit.w, look.width), hit.y + hit.h / 2);
            return under !== undefined && (holdsCall(under, call, place, row) || isBreach(under));
          });
          expect(found).toBe(true);
        }
      }),
      { numRuns: 200, examples: [[{ ...AT_THE_EDGE, density: 'compact', grouping: 'server', order: false }]] },
    );
  }, 60_000);

  it('find under the pointer what is drawn there', () => {
    fc.assert(
      fc.property(anyLane, fc.double({ min: 0, max: 1, noNaN: true }), ({ span, ...look }, share) => {
        const shown = lookAt(busy, { ...look, to: look.from + span });
        const { lanes, geometry } = shown.input;
        const x = shown.scale.left + shown.scale.width * share * 0.999;
        for (const [row, lane] of lanes.rows.entries()) {
          const y = rowTop(shown, row);
          if (lane.kind !== 'lane' || y < geometry.axis || y + geometry.group.height >= look.height) continue;
          const target = hitTest(shown, x, y + geometry.group.upper.y + 2);
          if (target?.on !== 'cells' || target.calls > 1) continue;
          const place = target.places[0];
          expect(shown.scale.x(asNs(lane.strip.start(place)))).toBeLessThanOrEqual(x + 16);
          expect(shown.scale.x(asNs(lane.strip.end(place)))).toBeGreaterThanOrEqual(x - 16);
        }
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('keep the words of a selected call off the evidence of its neighbours', () => {
    // More calls in view than are drawn whole, each with evidence of its own: late answers, and effects in the middle.
    const written = Array.from({ length: 200 }, (_, id) => 10 + id * 100).flatMap((at, id) => {
      const wrote = id > 95 && id < 110;
      return [
        [at, (b: Build) => b.call(id, 'charge_card', { probes: wrote ? ['ledger'] : [], settle: 20 })] as const,
        [at + 30, (b: Build) => b.stop(id)] as const,
        [at + 85, (b: Build) => (wrote ? b.seen('ledger', at + 80, at + 85) : b.result(id))] as const,
      ];
    });
    const dense = modelOf(story([[0, (b) => b.opened([{ name: 'charge_card' }])], [5, (b) => b.watching('ledger')], ...written]), 20_100);
    const covering = [100, 101, 102, 103].flatMap((call) => {
      const { commands, hits, input } = lookAt(dense, { from: 0, to: 20_100, grouping: 'server', selection: { call } });
      const evidence = hits.filter(({ target }) => target.on === 'cells');
      const crosses = (x: number, y: number, w: number): boolean =>
        evidence.some((hit) => hit.y < y && y - 8 < hit.y + hit.h && hit.x + 1 < x + w && x < hit.x + hit.w - 1);
      return commands.flatMap((command) => {
        if (command.draw !== 'text' || command.face === 'count' || command.y < input.geometry.axis) return [];
        return crosses(command.x, command.y, command.text.length * 6) ? [command.text] : [];
      });
    });
    expect(covering).toEqual([]);
  });

  it('are a few commands for thousands of calls', () => {
    const frames = crowd(700);
    const shown = lookAt(modelOf(frames, endOf(frames)), { from: 0, to: 150_000, grouping: 'server' });
    expect(shown.commands.length).toBeLessThan(1200);
    expect(shown.hits.length).toBeLessThan(900);
  });

  it('draw faint what a filter leaves out, but never its evidence', () => {
    const shown = lookAt(busy, { from: 0, to: 52_000, grouping: 'server', dimmed: () => true });
    const strengths = shown.commands.flatMap((command) => (command.draw === 'rects' && command.fill === 'request' ? [command.alpha] : []));
    expect(Math.max(...strengths)).toBeLessThan(0.2);
    expect(fills(shown.commands, 'breach')).toBeGreaterThan(0);
  });
});

/** Marks of two breaches that touch: one of them lies above, and says as much. */
const isBreach = (target: Target): boolean =>
  target.on === 'cells'
    ? target.rank === RANK.breach
    : target.on === 'mark' && target.mark.mark === 'effect' && target.mark.state === 'after';

/** Whether a target is of a call, alone or among others on its lane. */
function holdsCall(target: Target, call: number, place: number, row: number): boolean {
  if (target.on === 'mark') return target.of.call.index === call && target.mark.mark === 'effect';
  return target.on === 'cells' && target.row === row && place >= target.places[0] && place < target.places[1];
}

describe('the order scale', () => {
  it('marks where idle time is squeezed, and says when moments were', () => {
    const idle = story([
      [0, (b) => b.opened([{ name: 'charge_card' }])],
      ...[10, 40_010].flatMap((at) => [
        [at, (b: Build) => b.call(at, 'charge_card')] as const,
        ...[1, 2, 3, 4, 5].map((n) => [at + n * 0.2, (b: Build) => b.progress(at, n)] as const),
        [at + 2, (b: Build) => b.result(at)] as const,
      ]),
    ]);
    const shown = lookAt(modelOf(idle, 41_000), { from: 0, to: 40_020, order: true });
    const said = texts(shown.commands);
    expect(said.filter((text) => text.startsWith('≈'))).toContain('≈ 40 s');
    expect(said.some((text) => /^\+\d/.test(text))).toBe(true);
  });

  it('has room between moments that the clock lays on one pixel', () => {
    const [clock, order] = [false, true].map((ordered) => lookAt(shop, { from: 400, to: 2500, order: ordered }));
    const apart = (shown: Scene | undefined): number => (shown ? shown.scale.x(fromMs(428)) - shown.scale.x(fromMs(420)) : 0);
    expect([apart(clock) < 5, apart(order) > 15]).toEqual([true, true]);
  });
});

it('shows on the axis what a search has found, a tick for each pixel at most', () => {
  const found = Array.from({ length: 5000 }, (_, index) => index * 1e6);
  const shown = lookAt(shop, { from: 0, to: 3300, found });
  const ticks = shown.commands.find((command) => command.draw === 'rects' && command.fill === 'focus');
  const places = ticks?.draw === 'rects' ? ticks.boxes.length / 4 : 0;
  expect([places > 300, places <= 1000]).toEqual([true, true]);
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
    /** How often verdicts are asked for, laying out the rows included. */
    const asked = (height: number): number => {
      let times = 0;
      const verdict = (call: number) => {
        times++;
        return model.verdict(call);
      };
      lookAt({ ...model, verdict }, { from: 0, to: 50_000, top: 3000, height });
      return times;
    };
    expect(asked(28 + 44 * 5) - asked(28)).toBeLessThan(12);
  });

  it('stays exact when the view is far inside of a bar', () => {
    const at = asNs(500e6);
    const shown = lookAt(shop, { from: 500, to: 500.0001 });
    expect(Math.abs(shown.scale.t(shown.scale.x(at)) - at)).toBeLessThan(1);
    const wild = shown.commands.filter((command) => 'w' in command && (command.w > 2000 || command.x < -100));
    expect(wild).toEqual([]);
  });
});
