// From the turn of a wheel that pans a timeline of a million frames to the end of the paint call that shows it, at eight
// zooms, against the animation frames of the same window while it is idle. The time of the input is the event's own.
import type { Page } from 'playwright-core';
import { type Figure, figure, quantile } from './figures';
import { idleFrames } from './idleFrames';
import { beside, breachesIn, judged, MILLION, openIn, traceOf } from './longTrace';

const ZOOMS = 8;
const PANS = 24;
/** Presses of W between two zooms. */
const PRESSES = 3;
const TURN_PX = 60;

export async function panToFrame(): Promise<Figure> {
  const file = await traceOf(MILLION);
  const { page, close } = await beside(file);
  await openIn(page, file, MILLION);
  await judged(page, breachesIn(MILLION));
  const idle = await idleFrames(page);
  const waits = await panning(page);
  await close();
  return figure({
    name: 'pan-to-frame-p95',
    value: quantile(waits, 0.95),
    unit: 'ms',
    baseline: quantile(idle, 0.5),
    against: 'an idle animation-frame loop in the same window',
    goal: { atMost: 2 },
    remark: `p50 ${quantile(waits, 0.5).toFixed(1)} ms; ${waits.length} turns of the wheel at ${ZOOMS} zooms, ${MILLION.toLocaleString('en')} frames`,
  });
}

/** Pans back and forth at every zoom. @returns ms from each input to the end of its paint call */
async function panning(page: Page): Promise<number[]> {
  const stage = page.getByRole('application');
  await stage.focus();
  await stage.hover();
  await page.keyboard.press('0');
  const noted = await page.evaluateHandle(noteWaits);
  for (let zoom = 0; zoom < ZOOMS; zoom++) {
    for (let press = 0; press < PRESSES; press++) await page.keyboard.press('w');
    for (let pan = 0; pan < PANS; pan++) {
      // Not in step with the frames, as no hand is.
      await page.waitForTimeout(20 + ((pan * 7) % 17));
      await page.mouse.wheel(pan % 2 === 0 ? TURN_PX : -TURN_PX, 0);
      await noted.evaluate(
        async (waits, wanted) => {
          while (waits.length < wanted) await new Promise((resolve) => requestAnimationFrame(resolve));
        },
        zoom * PANS + pan + 1,
      );
    }
  }
  return noted.jsonValue();
}

/** Notes, from now on, how long it takes from each turn of the wheel to the end of the next paint call. */
function noteWaits(): number[] {
  const canvas = document.querySelector<HTMLElement>('[data-painted]');
  if (!canvas) throw new Error('expected the timeline in the window');
  const waits: number[] = [];
  let since: number | undefined;
  window.addEventListener(
    'wheel',
    (event) => {
      since ??= event.timeStamp;
    },
    { capture: true, passive: true },
  );
  // Told in a microtask of the drawing's own task: the paint calls have just ended.
  new MutationObserver(() => {
    if (since !== undefined) waits.push(performance.now() - since);
    since = undefined;
  }).observe(canvas, { attributes: true, attributeFilter: ['data-painted'] });
  return waits;
}
