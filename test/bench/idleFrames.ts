// What an animation frame of a window takes while nothing happens in it: the baseline of whatever is to be seen in time.
import type { Page } from 'playwright-core';

const FRAMES = 180;

/** Lengths in ms of the window's next animation frames. */
export const idleFrames = (page: Page): Promise<number[]> =>
  page.evaluate(async (count) => {
    const lengths: number[] = [];
    let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    for (let frame = 0; frame < count; frame++) {
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      lengths.push(now - last);
      last = now;
    }
    return lengths;
  }, FRAMES);
