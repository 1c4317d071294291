import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Interval, type Place, place, TRACKS, type Track, type Wish } from './labels';

const measure = (text: string): number => text.length * 6;
const nothing: Record<Track, readonly Interval[]> = { upper: [], lower: [], below: [] };
const bounds = { from: 0, to: 400 };
const at = (x: number, more: Partial<Place> = {}): Place => ({ track: 'upper', x, hang: 'right', slide: 0, ...more });
const wish = (texts: readonly string[], places: readonly Place[], rank = 1): Wish => ({ texts, places, rank, face: 'label', fill: 'ink' });
const said = (wishes: readonly Wish[], taken = nothing): string[] =>
  place(wishes, taken, bounds, measure).map(({ text, track, from }) => `${text} ${track} ${from}`);

describe('labels', () => {
  it('go where they want, slide out of the way, or give up words', () => {
    const blocked = { ...nothing, upper: [{ from: 90, to: 130 }] };
    expect(said([wish(['late'], [at(10)])])).toEqual(['late upper 10']);
    expect(said([wish(['late'], [at(100, { slide: 50 })])], blocked)).toEqual(['late upper 135']);
    expect(said([wish(['late'], [at(100, { hang: 'left', slide: 50 })])], blocked)).toEqual(['late upper 61']);
    expect(said([wish(['after cancel +87 ms', '+87 ms'], [at(40)])], blocked)).toEqual(['+87 ms upper 40']);
  });

  it('take another place before a far one, and a far one before none', () => {
    const blocked = { ...nothing, upper: [{ from: 0, to: 100 }] };
    const places = [at(10), at(10, { track: 'below' }), at(120, { far: true })];
    expect(said([wish(['wrote'], places)], blocked)).toEqual(['wrote below 10']);
    expect(said([wish(['wrote'], places)], { ...blocked, below: [{ from: 0, to: 100 }] })).toEqual(['wrote upper 120']);
  });

  it('are left out rather than laid over another, the lowest first', () => {
    expect(said([wish(['cancel'], [at(0)], 1), wish(['after'], [at(0)], 9)])).toEqual(['after upper 0']);
  });

  it('stay inside their bar', () => {
    expect(said([wish(['tools/call charge_card'], [at(0, { inside: 60 })])])).toEqual([]);
    expect(said([wish(['tools'], [at(0, { inside: 60 })])], { ...nothing, upper: [{ from: 0, to: 60 }] })).toEqual(['tools upper 0']);
  });

  it('never overlap one another, a mark, or the edge', () => {
    const interval = fc
      .tuple(fc.integer({ min: -50, max: 450 }), fc.integer({ min: 0, max: 80 }))
      .map(([from, w]) => ({ from, to: from + w }));
    const anyPlace = fc.record({
      track: fc.constantFrom(...TRACKS),
      x: fc.integer({ min: -20, max: 420 }),
      hang: fc.constantFrom('left' as const, 'right' as const),
      slide: fc.integer({ min: 0, max: 200 }),
    });
    const anyWish = fc
      .tuple(
        fc.array(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 3 }),
        fc.array(anyPlace, { maxLength: 4 }),
        fc.nat(9),
      )
      .map(([texts, places, rank]) => wish(texts, places, rank));
    const marks = fc.record({ upper: fc.array(interval), lower: fc.array(interval), below: fc.array(interval) });
    fc.assert(
      fc.property(fc.array(anyWish, { maxLength: 8 }), marks, (wishes, taken) => {
        const placed = place(wishes, taken, bounds, measure);
        for (const [index, label] of placed.entries()) {
          const others = [...taken[label.track], ...placed.slice(0, index).filter((other) => other.track === label.track)];
          expect(others.filter((other) => label.from < other.to && other.from < label.to)).toEqual([]);
          expect(label.from >= bounds.from && label.to <= bounds.to).toBe(true);
        }
      }),
    );
  });
});
