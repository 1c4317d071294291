import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asNs, fromMs } from '../../app/base/time';
import { around, axis, clamp, clockScale, firstAt, pan, type Range, zoom } from './scale';

const range = (from: number, to: number): Range => ({ from: fromMs(from), to: fromMs(to) });
const anyRange = fc
  .tuple(fc.integer({ min: -1e12, max: 1e13 }), fc.integer({ min: 100, max: 1e13 }))
  .map(([from, span]): Range => ({ from: asNs(from), to: asNs(from + span) }));
const labels = (from: number, to: number, width = 800): readonly string[] =>
  axis(clockScale({ from: asNs(from), to: asNs(to) }, 0, width)).ticks.map((tick) => tick.label);

describe('the clock scale', () => {
  it('is monotone and can be turned back', () => {
    fc.assert(
      fc.property(
        anyRange,
        fc.integer({ min: 1, max: 4000 }),
        fc.double({ min: -1, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (of, width, a, b) => {
          const scale = clockScale(of, 160, width);
          const span = of.to - of.from;
          const early = asNs(of.from + span * a);
          const late = asNs(early + span * b);
          expect(scale.x(late)).toBeGreaterThanOrEqual(scale.x(early));
          expect(Math.abs(scale.t(scale.x(early)) - early)).toBeLessThanOrEqual(Math.max(1, span * 1e-9));
        },
      ),
    );
  });

  it('keeps the time under the pointer in place while zooming', () => {
    fc.assert(
      fc.property(
        anyRange,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0.2, max: 5, noNaN: true }),
        (of, share, factor) => {
          const at = asNs(of.from + (of.to - of.from) * share);
          const before = clockScale(of, 0, 1000).x(at);
          expect(Math.abs(clockScale(zoom(of, at, factor), 0, 1000).x(at) - before)).toBeLessThan(0.1);
        },
      ),
    );
  });

  it('never zooms to nothing', () => {
    let view = range(0, 1000);
    for (let index = 0; index < 200; index++) view = zoom(view, fromMs(500), 0.5);
    expect(view.to - view.from).toBeGreaterThanOrEqual(49);
  });

  it('pans by a share and is held near the data', () => {
    expect(pan(range(0, 1000), 0.25)).toEqual(range(250, 1250));
    expect(clamp(range(-5000, -4000), range(0, 2000))).toEqual(range(-900, 100));
    expect(clamp(range(9000, 10000), range(0, 2000))).toEqual(range(1900, 2900));
    expect(around(range(100, 200), 0.1)).toEqual(range(90, 210));
  });
});

describe('the axis', () => {
  it('labels from minutes down to nanoseconds', () => {
    expect(labels(0, 3.3e9, 400)).toEqual(['0 s', '1 s', '2 s', '3 s']);
    expect(labels(0, 3.3e9)).toContain('0.5 s');
    expect(labels(0, 240e9)).toContain('1:30');
    expect(labels(3600e9, 7300e9)).toContain('1:10:00');
    expect(labels(0, 3.3e6)).toContain('0.5 ms');
    expect(labels(0, 3.3e3)).toContain('0.5 µs');
    expect(labels(0, 330)).toContain('50 ns');
    expect(labels(419.9e6, 420.05e6, 400)).toContain('419.95 ms');
  });

  it('counts from an anchor when whole labels would be too long', () => {
    const made = axis(clockScale({ from: asNs(75e9 + 10_000), to: asNs(75e9 + 14_000) }, 0, 800));
    expect(made.anchor?.t).toBeLessThanOrEqual(75e9 + 10_000);
    expect(made.ticks.map((tick) => tick.label)).toContain('+12.0 µs');
  });

  it('never gives two ticks the same label', () => {
    fc.assert(
      fc.property(anyRange, fc.integer({ min: 100, max: 2500 }), (of, width) => {
        const texts = axis(clockScale(of, 0, width)).ticks.map((tick) => tick.label);
        expect(new Set(texts).size).toBe(texts.length);
      }),
    );
  });
});

it('finds the first time at or after another', () => {
  const times = [1, 3, 3, 7];
  expect([0, 1, 2, 3, 4, 7, 8].map((t) => firstAt(times.length, (index) => times[index] ?? 0, t))).toEqual([0, 0, 1, 1, 3, 3, 4]);
});
