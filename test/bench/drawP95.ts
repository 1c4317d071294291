// How long scene and paint calls take, in the real window, at eight zooms from everything to a few milliseconds, panning at
// each: for generated traces of ten thousand, a hundred thousand and a million frames, and for one that a real session has
// just recorded. The baseline draws every frame that is in view from an object of its own, on a canvas of the same size,
// over the same ranges.
import type { Page } from 'playwright-core';
import { type Figure, figure, type Part, part, quantile } from './figures';
import { wanted } from './generate';
import { beside, breachesIn, judged, MILLION, openIn, traceOf } from './longTrace';
import { record } from './recorded';

const ZOOMS = 8;
const PANS = 24;
/** Presses of W between two zooms: each shows three fifths of what was in view. */
const PRESSES = 3;
const SHARE = 0.6 ** PRESSES;

/** A trace and what it is called in names of figures and for people. */
interface Subject {
  readonly name: string;
  readonly title: string;
  readonly file: string;
  readonly frames: number;
  /** Waits until the window has judged it. */
  readonly judged: (page: Page) => Promise<void>;
}

/** Times in ms, by zoom. */
interface Draws {
  readonly subject: Subject;
  readonly ours: readonly (readonly number[])[];
  readonly baseline: readonly (readonly number[])[];
}

export async function drawP95(): Promise<Figure> {
  const measured: Draws[] = [];
  for (const subject of [await generated('10k', 10_000), await generated('100k', 100_000), await recorded()])
    measured.push(await measure(subject));
  const million = await measure(await generated('1m', MILLION));
  measured.push(million);
  return figure({
    name: 'draw-p95-1m',
    value: quantile(million.ours.flat(), 0.95),
    unit: 'ms',
    baseline: quantile(million.baseline.flat(), 0.95),
    against: 'drawing every frame in view from objects',
    goal: { atMost: 0.15 },
    remark: measured.map(inWords).join('\n  '),
    parts: measured.flatMap(partsOf),
  });
}

const generated = async (name: string, frames: number): Promise<Subject> => ({
  name,
  title: `${frames.toLocaleString('en')} frames, generated`,
  file: await traceOf(frames),
  frames,
  judged: (page) => judged(page, breachesIn(frames)),
});

async function recorded(): Promise<Subject> {
  const { file, frames, warnings } = await record();
  const title = `${frames.toLocaleString('en')} frames, recorded from a running server`;
  return { name: 'recorded', title, file, frames, judged: (page) => judged(page, warnings, 'warning') };
}

async function measure(subject: Subject): Promise<Draws> {
  const { page, close } = await beside(subject.file);
  await openIn(page, subject.file, subject.frames);
  await subject.judged(page);
  const ours = await panning(page);
  const baseline = await everyFrame(page, subject.frames);
  await close();
  return { subject, ours, baseline };
}

function inWords({ subject, ours }: Draws): string {
  const each = ours.map((times) => `${quantile(times, 0.5).toFixed(1)}/${quantile(times, 0.95).toFixed(1)}`);
  return `${subject.title}, p50/p95 in ms at eight zooms: ${each.join('  ')}`;
}

/** `draw-p50-10k-zoom-1` and so on; zoom 1 shows everything, each further one a fifth of the one before. */
const partsOf = ({ subject, ours, baseline }: Draws): readonly Part[] =>
  ours.flatMap((times, zoom) =>
    [50, 95].map((p) =>
      part({
        name: `draw-p${p}-${subject.name}-zoom-${zoom + 1}`,
        value: quantile(times, p / 100),
        unit: 'ms',
        baseline: quantile(baseline[zoom] ?? [], p / 100),
      }),
    ),
  );

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
function everyFrame(page: Page, count: number): Promise<number[][]> {
  const { frames, lanes, rate } = wanted(count);
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
