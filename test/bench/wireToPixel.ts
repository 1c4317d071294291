// From the arrival of a frame in the host to the end of the paint call that shows it, at five thousand frames a second,
// against the animation frames of the same window while it is idle. Arrivals are the stamps in the trace file; the page
// notes when which frame was on the picture. Both clocks are wall clocks of one machine, compared when the run begins.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readLine } from '../../app/wire/tracefile';
import { type Figure, figure, quantile } from './figures';
import { idleFrames } from './idleFrames';
import { ROOT, server } from './servers';
import { open } from './window';

const COUNT = 30_000;
const RATE = 5000;

interface Paint {
  /** Wall time in ms. */
  readonly at: number;
  readonly painted: number;
}

export async function wireToPixel(): Promise<Figure> {
  const { command, args } = server('steady');
  const { page, userData, close } = await open(ROOT, { lastServer: { kind: 'stdio', command, args, env: {}, watch: [] } });
  await page.getByRole('button', { name: /^Call steady/ }).waitFor({ timeout: 60_000 });
  const idle = await idleFrames(page);
  const paints = await page.evaluate(recordPaints, COUNT);
  await page.waitForTimeout(1000);
  const arrivals = arrivalsIn(path.join(userData, 'traces'));
  await close();
  const latencies: number[] = [];
  let paint = 0;
  for (const { seq, wall } of arrivals) {
    while (paint < paints.length && (paints[paint]?.painted ?? 0) <= seq) paint++;
    const at = paints[paint]?.at;
    if (at === undefined) throw new Error(`frame ${seq} was never painted`);
    latencies.push(at - wall);
  }
  if (latencies.length < COUNT) throw new Error(`expected ${COUNT} frames, the trace has ${latencies.length}`);
  return figure({
    name: 'wire-to-pixel-p95',
    value: quantile(latencies, 0.95),
    unit: 'ms',
    baseline: quantile(idle, 0.5),
    against: 'an idle animation-frame loop in the same window',
    goal: { atMost: 2 },
    remark: `p50 ${quantile(latencies, 0.5).toFixed(1)} ms; ${COUNT.toLocaleString('en')} frames at ${RATE.toLocaleString('en')} a second, ${paints.length} pictures`,
  });
}

/** Presses Call and notes, after every paint call, when it ended and how many frames are on the picture. */
async function recordPaints(count: number): Promise<Paint[]> {
  const canvas = document.querySelector<HTMLElement>('[data-painted]');
  const call = [...document.querySelectorAll('button')].find((button) => /^Call steady/.test(button.textContent ?? ''));
  if (!canvas || !call) throw new Error('expected the timeline and the Call button in the window');
  const wall = Date.now() - performance.now();
  const paints: Paint[] = [];
  const before = Number(canvas.dataset['painted']);
  // Told in a microtask of the drawing's own task: the paint calls have just ended.
  const observer = new MutationObserver(() => paints.push({ at: wall + performance.now(), painted: Number(canvas.dataset['painted']) }));
  observer.observe(canvas, { attributes: true, attributeFilter: ['data-painted'] });
  call.click();
  while (Number(canvas.dataset['painted']) < before + count + 2) await new Promise((resolve) => requestAnimationFrame(resolve));
  observer.disconnect();
  return paints;
}

/** The progress notifications of the newest trace, with the wall time of their arrival in ms. */
function arrivalsIn(folder: string): readonly { readonly seq: number; readonly wall: number }[] {
  const newest = readdirSync(folder).sort().at(-1);
  if (newest === undefined) throw new Error('expected the trace of the run');
  return readFileSync(path.join(folder, newest), 'utf8')
    .split('\n')
    .filter((line) => line.includes('notifications/progress'))
    .map((line) => readLine(line).frame)
    .map(({ seq, wall }) => ({ seq, wall: Date.parse(wall) }));
}
