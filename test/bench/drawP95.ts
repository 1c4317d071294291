// How long scene and paint calls take, in the real window, at eight zooms from everything to a few milliseconds, panning at
// each. The baseline draws every frame that is in view from an object of its own, on a canvas of the same size, over the
// same ranges. For people also for traces of ten and a hundred thousand frames.
import type { Page } from 'playwright-core';
import { type Figure, figure, quantile } from './figures';
import { wanted } from './generate';
import { beside, judged, MILLION, openIn, traceOf } from './longTrace';

const ZOOMS = 8;
const PANS = 24;
/** Presses of W between two zooms: each shows three fifths of what was in view. */
const PRESSES = 3;
const SHARE = 0.6 ** PRESSES;

export async function drawP95(): Promise<Figure> {
  const remarks: string[] = [];
  let million: { readonly draws: number[][]; readonly baseline: number[][] } | undefined;
  for (const frames of [10_000, 100_000, MILLION]) {
    const file = await traceOf(frames);
    const { page, close } = await beside(file);
    await openIn(page, file, frames);
    await judged(page, frames);
    const draws = await panning(page);
    const each = draws.map((times) => `${quantile(times, 0.5).toFixed(1)}/${quantile(times, 0.95).toFixed(1)}`);
    remarks.push(`${frames.toLocaleString('en')} frames, p50/p95 in ms at eight zooms: ${each.join('  ')}`);
    if (frames === MILLION) million = { draws, baseline: await everyFrame(page) };
    await close();
  }
  return figure({
    name: 'draw-p95-1m',
    value: quantile(million?.draws.flat() ?? [], 0.95),
    unit: 'ms',
    baseline: quantile(million?.baseline.flat() ?? [], 0.95),
    against: 'drawing every frame in view from objects',
    goal: { atMost: 0.15 },
    remark: remarks.join('\n  '),
  });
}

/** Scene and paint times in ms, by zoom. */
async function panning(page: Page): Promise<number[][]> {
  const stage = page.getByRole('application');
  await stage.focus();
  await page.keyboard.press('0');
  const draws: number[][] = [];
  for (let zoom = 0; zoom < ZOOMS; zoom++) {
    for (let press = 0; zoom > 0 && press < PRESSES; press++) await page.keyboard.press('w');
    const times: number[] = [];
    for (let pan = 0; pan < PANS; pan++) {
      await page.keyboard.press(pan % 2 === 0 ? 'd' : 'a');
      times.push(await page.evaluate(afterDrawing));
    }
    draws.push(times);
  }
  return draws;
}

/** How long the last picture took, once it has been drawn. */
async function afterDrawing(): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return Number(document.querySelector<HTMLElement>('[data-draw-ms]')?.dataset['drawMs']);
}

/** The baseline, in the same window: a rectangle for each frame in view. Times in ms, by zoom. */
function everyFrame(page: Page): Promise<number[][]> {
  const { frames, lanes, rate } = wanted(MILLION);
  return page.evaluate(
    ({ frames, lanes, rate, zooms, share, pans }) => {
      const shown = document.querySelector<HTMLCanvasElement>('[data-painted]');
      const canvas = document.createElement('canvas');
      canvas.width = shown?.width ?? 1000;
      canvas.height = shown?.height ?? 500;
      const context = canvas.getContext('2d');
      if (!context) throw new Error('expected a 2D context');
      const all = Array.from({ length: frames }, (_, seq) => ({
        t: seq / rate,
        row: seq % lanes,
        colour: seq % 7 === 0 ? '#ffae1a' : '#4c96ff',
      }));
      const whole = frames / rate;
      return Array.from({ length: zooms }, (_, zoom) => {
        const span = whole * share ** zoom;
        return Array.from({ length: pans }, (__, pan) => {
          const from = (whole - span) / 2 + (pan % 2) * span * 0.25;
          const perPixel = span / canvas.width;
          const since = performance.now();
          context.clearRect(0, 0, canvas.width, canvas.height);
          for (const { t, row, colour } of all) {
            if (t < from || t > from + span) continue;
            context.fillStyle = colour;
            context.fillRect((t - from) / perPixel, row * 24, 1, 14);
          }
          return performance.now() - since;
        });
      });
    },
    { frames, lanes, rate, zooms: ZOOMS, share: SHARE, pans: 4 },
  );
}
