import { describe, expect, it } from 'vitest';
import { fromMs } from '../../app/base/time';
import { alarms, gripAt, overview } from './overview';
import { crowd, endOf, modelOf, SHOP } from './shop.testing';

const range = (from: number, to: number) => ({ from: fromMs(from), to: fromMs(to) });

describe('the overview', () => {
  const model = modelOf(SHOP, 3120);
  const strip = overview(model, alarms(model), range(1000, 2000), 800, 40);

  it('always shows breaches and warnings, the worst on top', () => {
    const known = alarms(model).map(({ call, severity }) => `${model.calls.all[call]?.tool} ${severity}`);
    expect(known).toEqual(['send_email warn', 'charge_card breach', 'deploy warn']);
    expect(strip.signs.map(({ call }) => model.calls.all[call]?.tool)).toEqual(['deploy', 'send_email', 'charge_card']);
  });

  it('keeps the breach where a warning falls on the same pixels', () => {
    const both = [
      { call: 1, severity: 'warn', at: fromMs(500) },
      { call: 2, severity: 'breach', at: fromMs(501) },
    ] as const;
    expect(overview(model, both, range(0, 10), 800, 40).signs.map((sign) => sign.call)).toEqual([2]);
  });

  it('can be taken by its edges and in between', () => {
    const { x, w } = strip.window;
    expect([x, x + w, x + w / 2, x - 30].map((at) => gripAt(strip, at))).toEqual(['from', 'to', 'both', 'none']);
  });

  it('keeps a window in sight that is narrower than a pixel or lies outside', () => {
    for (const view of [range(500, 500.001), range(-9000, -8000), range(90_000, 91_000)]) {
      const { x, w } = overview(model, [], view, 800, 40).window;
      expect(x >= 0 && x + w <= 800 && w >= 4).toBe(true);
    }
  });

  it('draws no more bars than it has room for', () => {
    const frames = crowd(400);
    const many = modelOf(frames, endOf(frames));
    expect(overview(many, alarms(many), range(0, 1000), 400, 40).commands.length).toBeLessThan(100 + (400 / 8) * 2 + 20);
  });
});
