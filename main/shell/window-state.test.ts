import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeWindow, type Rectangle, readWindowState, writeWindowState } from './window-state';

const primary: Rectangle = { x: 0, y: 25, width: 1920, height: 1055 };
const right: Rectangle = { x: 1920, y: 0, width: 2560, height: 1440 };
const saved: Rectangle = { x: 2100, y: 80, width: 1400, height: 900 };

describe('placeWindow', () => {
  test('the first time, in the middle of the primary display, and no larger than it', () => {
    expect(placeWindow(undefined, [primary, right])).toEqual({ x: 240, y: 103, width: 1440, height: 900 });
    expect(placeWindow(undefined, [{ x: 0, y: 0, width: 1024, height: 700 }])).toEqual({ x: 0, y: 0, width: 1024, height: 700 });
  });

  test('where it stood, on whichever display', () => {
    expect(placeWindow(saved, [primary, right])).toEqual(saved);
  });

  test('with its size on the primary display when its own is gone', () => {
    expect(placeWindow(saved, [primary])).toEqual({ x: 260, y: 103, width: 1400, height: 900 });
  });

  test('pushed back where it hung over the edge, shrunk where the display has become smaller', () => {
    expect(placeWindow({ x: -300, y: 100, width: 1000, height: 600 }, [primary])).toEqual({ x: 0, y: 100, width: 1000, height: 600 });
    expect(placeWindow({ x: 100, y: 100, width: 3000, height: 2000 }, [primary])).toEqual(primary);
  });

  test('a window whose upper edge is out of reach counts as gone', () => {
    expect(placeWindow({ x: 100, y: -500, width: 1000, height: 600 }, [primary])).toEqual({ x: 460, y: 253, width: 1000, height: 600 });
    expect(placeWindow({ x: 1880, y: 100, width: 1000, height: 600 }, [primary])).toEqual({ x: 460, y: 253, width: 1000, height: 600 });
  });

  test('it always ends up whole on one display', () => {
    const size = fc.integer({ min: 1, max: 6000 });
    const place = fc.integer({ min: -6000, max: 6000 });
    const areas = [primary, right];
    fc.assert(
      fc.property(fc.record({ x: place, y: place, width: size, height: size }), (window) => {
        const { x, y, width, height } = placeWindow(window, areas);
        return areas.some((a) => x >= a.x && y >= a.y && x + width <= a.x + a.width && y + height <= a.y + a.height);
      }),
    );
  });
});

describe('the file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'stopgap-window-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('gives back what was written, and leaves nothing beside it', () => {
    const file = path.join(folder, 'data', 'window.json');
    const state = { theme: 'dark', bounds: saved, maximized: true } as const;
    writeWindowState(file, state);
    expect(readWindowState(file)).toEqual(state);
    expect(readdirSync(path.dirname(file))).toEqual(['window.json']);
  });

  test.each([
    ['missing', undefined],
    ['torn', '{"theme":"da'],
    ['of another shape', '{"theme":"pink","bounds":{"x":"left"}}'],
    ['without a size', '{"bounds":{"x":0,"y":0,"width":0,"height":0}}'],
  ])('%s, it counts for nothing', (_, text) => {
    const file = path.join(folder, 'window.json');
    if (text !== undefined) writeFileSync(file, text);
    expect(readWindowState(file)).toEqual({ theme: 'system', maximized: false });
  });
});
