// A server that asks for an authorization, in the real window: begun by the person, answered in a browser, connected, used;
// and what was granted is nowhere that anybody could read it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ElectronApplication } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { browser, oauthServer } from '../oauth.testing';
import { cleanUp, launch, PATIENT } from './app';
import { calls, lives, replies } from './trace';
import { driver } from './window';

afterEach(cleanUp);

/** Keeps the addresses that the system's browser would be sent to. */
async function catchBrowser(electron: ElectronApplication): Promise<() => Promise<readonly string[]>> {
  await electron.evaluate(({ shell }) => {
    const opened: string[] = [];
    Object.assign(globalThis, { opened });
    shell.openExternal = async (address) => void opened.push(address);
  });
  return () => electron.evaluate(() => (globalThis as unknown as { opened: string[] }).opened);
}

/** Every file below a folder, as text. */
function filesIn(folder: string): readonly (readonly [file: string, text: string])[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => [name, readFileSync(path.join(parentPath, name), 'latin1')] as const);
}

test('authorized in the browser: from the question to a call, and no token in anything that was written', async () => {
  const server = await oauthServer();
  try {
    const lastServer = { kind: 'http', url: server.url, transport: 'auto', headers: {} } as const;
    const app = await launch({ settings: { lastServer, welcomeDismissed: true } });
    const window = driver(app);
    const opened = await catchBrowser(app.electron);
    await app.page.getByRole('heading', { name: /asks for an authorization$/ }).waitFor();
    expect(await opened()).toEqual([]);
    await app.page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await expect.poll(opened, PATIENT).toHaveLength(1);
    const [address = ''] = await opened();
    await app.page.getByRole('heading', { name: /waits for your authorization$/ }).waitFor();
    expect(await app.page.locator('.auth-address').textContent()).toBe(address);

    expect((await browser(address, 'consent')).text).toMatch(/You can close this window\.\n$/);
    await window.connected();
    await window.choose('read_notes');
    await window.call();
    await expect.poll(() => calls(app.frames()).flatMap(({ id }) => replies(app.frames(), id)), PATIENT).toHaveLength(1);
    const steps = lives(app.frames()).flatMap((life) => (life.event === 'auth' ? [life.ok ? life.step : `!${life.step}`] : []));
    expect(steps).toEqual(['challenge', 'discovery', 'registration', 'browser', 'redirect', 'token']);

    expect(server.tokens.length).toBeGreaterThan(1);
    const { userData } = app;
    const written = (): readonly string[] =>
      [...filesIn(userData), ['printed', app.printed()] as const].flatMap(([file, text]) =>
        server.tokens.some((token) => text.includes(token)) ? [file] : [],
      );
    expect(written()).toEqual([]);
    await app.close();
    expect(written()).toEqual([]);
  } finally {
    await server.close();
  }
});
