import { describe, expect, it } from 'vitest';
import { asNs, fromMs } from '../../app/base/time';
import { along, edgesOfCall } from './edges';
import { overlay } from './overlay';
import { lookAt, texts } from './scene.testing';
import { EVERY_MARK, modelOf, SHOP } from './shop.testing';

const shop = modelOf(SHOP, 3120);
const every = modelOf(EVERY_MARK, 9000);
const indexOf = (model: typeof shop, id: number): number => model.calls.find(1, 'client', `n:${id}`)?.index ?? -1;
/** Edges in words: from when to when in ms, why, and how sure. */
const told = (model: typeof shop, id: number): readonly string[] =>
  edgesOfCall(model, indexOf(model, id)).map(
    ({ from, to, reason, proved }) => `${from.t / 1e6}→${to.t / 1e6} ${reason}${proved ? '' : ', inferred'}`,
  );

describe('what happened after what', () => {
  it('for a write that landed after the cancel', () => {
    expect(told(shop, 12)).toEqual(['120→420 fifo', '120→507 probe', '420→420 fifo', '420→507 clock', '420→507 clock']);
  });

  it('for a late answer that came after the pong, and one that came before it', () => {
    expect(told(shop, 13)).toEqual(['300→900 fifo', '300→1312 id', '900→900 fifo', '900→1312 fifo']);
    expect(told(every, 18)).toEqual(['3400→3700 fifo', '3400→3702 id', '3700→3700 fifo', '3700→3702 clock, inferred']);
  });

  it('says nothing of what comes first where the order is unknown', () => {
    expect(told(every, 16).filter((edge) => edge.includes('clock'))).toEqual([]);
  });

  it('is walked from the nearest to the nearest', () => {
    const edges = edgesOfCall(shop, indexOf(shop, 12));
    const seqs = [edges[0]?.from.seq ?? -1];
    for (let end = along(edges, seqs[0] ?? -1, 1); end; end = along(edges, end.seq, 1)) seqs.push(end.seq);
    expect(seqs.length).toBe(4);
    expect(along(edges, seqs[0] ?? -1, -1)).toBeUndefined();
  });

  it('is drawn over the picture of the selected call, solid or dashed, with its reason', () => {
    const call = indexOf(every, 18);
    const shown = lookAt(every, { from: 3300, to: 3720, selection: { call } });
    const edges = edgesOfCall(every, call);
    const over = overlay(shown, { now: fromMs(9000), live: false, hover: undefined, edges, ruler: undefined, pointer: undefined });
    expect(texts(over)).toEqual(expect.arrayContaining(['fifo', 'id']));
    const ink = over.filter((command) => command.draw === 'shape' && command.stroke === 'ink');
    expect(ink.some((command) => 'dash' in command)).toBe(edges.some((edge) => !edge.proved && edge.to.t - edge.from.t > fromMs(4)));
  });

  it('never has one reason stand on another', () => {
    for (const [model, id] of [
      [shop, 12],
      [every, 18],
      [every, 14],
    ] as const) {
      const call = indexOf(model, id);
      const shown = lookAt(model, { from: 0, to: 4000, selection: { call } });
      const over = overlay(shown, {
        now: fromMs(9000),
        live: false,
        hover: undefined,
        edges: edgesOfCall(model, call),
        ruler: undefined,
        pointer: undefined,
      });
      const boxes = over.filter((command) => command.draw === 'rect' && command.fill === 'page');
      for (const a of boxes) for (const b of boxes) if (a !== b && a.draw === 'rect' && b.draw === 'rect') expect(meet(a, b)).toBe(false);
    }
  });

  it('goes behind the words that it comes across', () => {
    const call = indexOf(shop, 12);
    const shown = lookAt(shop, { from: 0, to: 3120, selection: { call } });
    const edges = edgesOfCall(shop, call);
    const over = overlay(shown, { now: fromMs(9000), live: false, hover: undefined, edges, ruler: undefined, pointer: undefined });
    const line = over.findLastIndex((command) => command.draw === 'shape');
    expect(texts(over.slice(line))).toContain('read past cancel');
    // The words of other rows are not drawn twice.
    expect([texts(shown.commands), texts(over)].map((drawn) => drawn.includes('roots/list 61 ms'))).toEqual([true, false]);
  });

  it('has reasons that cover no words and no marks, and that are told wherever there is room', () => {
    let told = 0;
    for (const model of [shop, every])
      for (const call of model.calls.all)
        for (const density of ['comfortable', 'compact'] as const)
          for (const [from, to] of [
            [0, 4000],
            [call.sent.t / 1e6 - 50, call.sent.t / 1e6 + 900],
          ] as const) {
            const shown = lookAt(model, { from, to, density, selection: { call: call.index } });
            const edges = edgesOfCall(model, call.index);
            const over = overlay(shown, { now: fromMs(9000), live: false, hover: undefined, edges, ruler: undefined, pointer: undefined });
            const reasons = over.filter((command) => command.draw === 'rect' && command.fill === 'page');
            told += reasons.length;
            const words = shown.commands.flatMap((command) => {
              if (command.draw !== 'text' || (command.align ?? 'left') !== 'left') return [];
              return [{ x: command.x, y: command.y - 8, w: command.text.length * 6, h: 8, text: command.text }];
            });
            const marks = shown.hits.flatMap((hit) => (hit.target.on === 'mark' ? [{ ...hit, text: hit.target.mark.mark }] : []));
            for (const reason of reasons)
              if (reason.draw === 'rect')
                expect([...words, ...marks].filter((other) => meet(reason, other)).map(({ text }) => text)).toEqual([]);
          }
    expect(told).toBeGreaterThan(60);
  });

  it('never points back in time', () => {
    for (const model of [shop, every])
      for (const call of model.calls.all)
        for (const { from, to } of edgesOfCall(model, call.index)) expect(asNs(to.t - from.t)).toBeGreaterThanOrEqual(0);
  });
});

interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const meet = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
