// Opens a window of the real Electron for a bench: the product's, or an empty one with React in it.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import type { Settings } from '../../app/contract/host';
import { electronArgs, ensureElectron } from '../../scripts/electron-runtime.mjs';
import { ROOT } from './servers';

export interface Opened {
  readonly app: ElectronApplication;
  readonly page: Page;
  /** Where the window's settings and traces lie. */
  readonly userData: string;
  /** ms from the start of the process to the page's mark `usable`. */
  readonly usableMs: number;
  readonly close: () => Promise<void>;
}

/**
 * @param what the folder or script that Electron runs
 * @param traces trace files that are to lie in the window's folder of traces
 */
export async function open(what: string, settings: Partial<Settings> = {}, traces: readonly string[] = []): Promise<Opened> {
  const userData = mkdtempSync(path.join(os.tmpdir(), 'stopgap-bench-'));
  mkdirSync(path.join(userData, 'traces'), { mode: 0o700 });
  for (const trace of traces) copyFileSync(trace, path.join(userData, 'traces', path.basename(trace)));
  const { writeFile } = await import('node:fs/promises');
  await writeFile(path.join(userData, 'settings.json'), JSON.stringify({ welcomeDismissed: true, ...settings }), { mode: 0o600 });
  const since = Date.now();
  const app = await _electron.launch({
    executablePath: ensureElectron().path,
    args: [...electronArgs({ test: true }), what],
    cwd: ROOT,
    env: { ...(process.env as Record<string, string>), STOPGAP_USER_DATA: userData },
    timeout: 120_000,
  });
  const page = await app.firstWindow();
  await page.waitForFunction(() => performance.getEntriesByName('usable').length > 0, undefined, { timeout: 120_000 });
  const at = await page.evaluate(() => performance.timeOrigin + (performance.getEntriesByName('usable')[0]?.startTime ?? 0));
  return {
    app,
    page,
    userData,
    usableMs: at - since,
    async close() {
      await app.close();
      rmSync(userData, { recursive: true, force: true });
    },
  };
}
