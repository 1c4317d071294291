// A long trace in the real window: shown while it is being read, and searched from its first frame to its last, bodies too.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { wanted, writeTrace } from '../bench/generate';
import { cleanUp, launch, PATIENT } from './app';
import { driver, textOf } from './window';

afterEach(cleanUp);

const FRAMES = 60_000;

test('words are found in every body of a long trace, and what was searched is said', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stopgap-e2e-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'long.stopgap.ndjson');
  await writeTrace(file, wanted(FRAMES));
  const app = await launch({ args: [file] });
  const { page } = app;
  const window = driver(app);
  await window.fileView.waitFor();
  await page.getByText(`${FRAMES.toLocaleString('en')} frames`, { exact: true }).waitFor();
  await page.getByText('frames of the trace read so far').waitFor({ state: 'detached' });
  await window.show('Wire');
  const log = page.getByRole('listbox', { name: 'Wire log' });
  // The arguments of the third call: among the first frames, far from the newest.
  await page.keyboard.press('/');
  await page.keyboard.type('"arguments":{"n":3}');
  const status = page.locator('.search-status');
  await expect.poll(() => textOf(status), PATIENT).toBe('1 frame has it');
  await expect.poll(() => log.getByRole('option').count(), PATIENT).toBe(1);
  expect(await textOf(log.getByRole('option').first())).toContain('tools/call');
  // Escape puts the words away, and everything is there again.
  await page.keyboard.press('Escape');
  await status.waitFor({ state: 'detached' });
  await expect.poll(() => log.getByRole('option').count(), PATIENT).toBeGreaterThan(1);
  await app.close();
});
