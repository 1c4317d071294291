import { describe, expect, it } from 'vitest';
import { COLOURS, FACES, type Theme } from '../theme/theme';
import type { Command } from './draw';
import { LEGEND } from './lessons';
import { lookAt } from './scene.testing';
import { EVERY_MARK, modelOf } from './shop.testing';
import { svgOf } from './svg';

const theme: Theme = {
  name: 'light',
  colours: Object.fromEntries(COLOURS.map((colour) => [colour, `var(${colour})`])) as Theme['colours'],
  fonts: Object.fromEntries(FACES.map((face) => [face, `500 11px 'Inter Variable'`])) as Theme['fonts'],
};
const SIZE = { width: 100, height: 40 };
const drawn = (commands: readonly Command[]): readonly string[] => svgOf(commands, theme, SIZE, 'A test').split('\n').slice(3, -1);

describe('the drawing', () => {
  it('has text as text, and what a server sent as nothing but text', () => {
    const text: Command = { draw: 'text', x: 4, y: 20, text: '<script>&\u0007', face: 'label', fill: 'ink', align: 'center' };
    expect(drawn([text])).toEqual([
      `<text x="4" y="20" text-anchor="middle" style="font:500 11px 'Inter Variable'" fill="var(ink)">&lt;script&gt;&amp;□</text>`,
    ]);
  });

  it('draws shapes, lines, rectangles and circles', () => {
    const commands: readonly Command[] = [
      { draw: 'rect', x: 1, y: 2, w: 3, h: 4, fill: 'request', alpha: 0.5, radius: 2 },
      { draw: 'rects', boxes: [0, 0, 2, 2, 4, 0, 2, 2], fill: 'request', alpha: 1 },
      { draw: 'line', x1: 0, y1: 1, x2: 9, y2: 1, stroke: 'line', width: 1, dash: [2, 3] },
      { draw: 'shape', points: [0, 0, 4, 0, 2, 4], closed: true, fill: 'cancel' },
      { draw: 'circle', x: 5, y: 5, r: 3, stroke: 'unknown', width: 1.5 },
    ];
    expect(drawn(commands)).toEqual([
      '<rect x="1" y="2" width="3" height="4" rx="2" fill="var(request)" opacity="0.5"/>',
      '<path d="M0 0h2v2h-2zM4 0h2v2h-2z" fill="var(request)"/>',
      '<line x1="0" y1="1" x2="9" y2="1" stroke="var(line)" stroke-width="1" stroke-dasharray="2 3"/>',
      '<polygon points="0 0 4 0 2 4" fill="var(cancel)"/>',
      '<circle cx="5" cy="5" r="3" fill="none" stroke="var(unknown)" stroke-width="1.5"/>',
    ]);
  });

  it('clips and lets go, and closes what was left open', () => {
    const clip: Command = { draw: 'clip', x: 0, y: 0, w: 9, h: 9 };
    expect(drawn([{ draw: 'unclip' }, clip, { draw: 'unclip' }]).slice(1)).toEqual(['<g clip-path="url(#d0)">', '</g>']);
    expect(svgOf([clip], theme, SIZE, '')).toMatch(/<\/g><\/svg>$/);
  });

  it('is a whole document with everything that is defined used, for every mark', () => {
    const { commands } = lookAt(modelOf(EVERY_MARK, 9000), { from: 0, to: 8000 });
    const svg = svgOf(commands, theme, { width: 1164, height: 1000 }, 'Timeline of 14 calls');
    expect(svg.match(/<g /g)?.length).toBe(svg.match(/<\/g>/g)?.length);
    const ids = [...svg.matchAll(/id="(d\d+)"/g)].map(([, id]) => id);
    expect(ids.filter((id) => !svg.includes(`#${id})`))).toEqual([]);
    expect([svg.includes('NaN'), svg.includes('undefined'), svg.includes('after cancel')]).toEqual([false, false, false]);
    expect(svg).toContain('order unknown');
  });
});

describe('the legend', () => {
  it('teaches every mark inside of its sample', () => {
    for (const { lessons } of LEGEND)
      for (const { name, says, commands } of lessons) {
        expect([name, says, commands.length > 0].every(Boolean)).toBe(true);
        for (const command of commands) {
          const xs = command.draw === 'shape' ? command.points.filter((_, index) => index % 2 === 0) : 'x' in command ? [command.x] : [];
          expect(xs.filter((x) => x < 0 || x > 76)).toEqual([]);
        }
      }
  });
});
