// The product's window with a generated trace in its folder, for the benches of long traces.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { EXTENSION } from '../../app/wire/tracefile';
import { wanted, writeTrace } from './generate';
import { ROOT } from './servers';
import { type Opened, open } from './window';

export const MILLION = 1_000_000;

let folder: string | undefined;

/** A generated trace file of so many frames; made once in a run. */
export async function traceOf(frames: number): Promise<string> {
  if (!folder) {
    const made = mkdtempSync(path.join(os.tmpdir(), 'stopgap-bench-traces-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  const file = path.join(folder, `generated-${frames}${EXTENSION}`);
  if (!existsSync(file)) await writeTrace(file, wanted(frames));
  return file;
}

/** Opens the window beside traces, without the guided race and without motion; the list of traces is shown. */
export async function beside(...files: readonly [string, ...string[]]): Promise<Opened> {
  // A server that does not exist: nothing is recorded meanwhile.
  const nobody = { kind: 'stdio' as const, command: path.join(ROOT, 'no-such-server'), args: [], env: {}, watch: [] };
  const opened = await open(ROOT, { lastServer: nobody }, files);
  await opened.page.emulateMedia({ reducedMotion: 'reduce' });
  await opened.page.getByRole('tab', { name: /^Traces/ }).click();
  await rowOf(opened.page, files[0]).waitFor({ timeout: 60_000 });
  return opened;
}

const rowOf = (page: Page, file: string) =>
  page
    .getByRole('row')
    .filter({ hasText: path.basename(file) })
    .getByRole('button', { name: 'Open' });

export interface Opening {
  /** ms from the press of Open to the first picture of the file's frames, and how many of them are on it. */
  readonly first: number;
  readonly firstFrames: number;
  /** ms to the picture with all frames. */
  readonly all: number;
}

/** Presses Open, and waits for the picture with all frames. */
export async function openIn(page: Page, file: string, frames: number): Promise<Opening> {
  const button = await rowOf(page, file).elementHandle();
  if (!button) throw new Error('expected the trace in the list of traces');
  return page.evaluate(
    async ([open, count]) => {
      const canvas = document.querySelector<HTMLElement>('[data-painted]');
      if (!canvas) throw new Error('expected the timeline in the window');
      const had = canvas.dataset['painted'];
      const since = performance.now();
      (open as HTMLElement).click();
      let first = 0;
      let firstFrames = 0;
      // The frames of what was shown before are none of the file's: another view begins with an empty picture.
      let begun = false;
      for (;;) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const painted = Number(canvas.dataset['painted']);
        begun ||= canvas.dataset['painted'] !== had;
        if (first === 0 && begun && painted > 0) {
          first = performance.now() - since;
          firstFrames = painted;
        }
        if (painted >= count) return { first, firstFrames, all: performance.now() - since };
        if (performance.now() - since > 300_000) throw new Error(`expected ${count} frames, ${painted} were painted after five minutes`);
      }
    },
    [button, frames] as const,
  );
}

/** How many breaches the generator has put into a trace. */
export const breachesIn = (frames: number): number => Math.floor(frames / 100 / 50);

/** Waits until the timeline tells of so many calls with a verdict of a kind: then the trace has been judged. */
export async function judged(page: Page, count: number, severity: 'breach' | 'warning' = 'breach'): Promise<void> {
  await page.waitForFunction(
    ([wanted, word]) =>
      Number(new RegExp(`(\\d+) ${word}`).exec(document.querySelector('[role=application]')?.getAttribute('aria-label') ?? '')?.[1] ?? 0) >=
      wanted,
    [count, severity] as const,
    { timeout: 600_000, polling: 250 },
  );
}
