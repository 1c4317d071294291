// A server that asks for an authorization, in the real window: begun by the person, answered in a browser, connected, used;
// and what was granted is nowhere that anybody could read it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
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

/** Whether secrets can be sealed here with anything better than a password that everybody knows. */
const hasKeychain = (electron: ElectronApplication): Promise<boolean> =>
  electron.evaluate(
    ({ safeStorage }) =>
      safeStorage.isEncryptionAvailable() && (process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text'),
  );

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
    // On a desktop without a keychain nothing is kept, and that is said.
    if (await hasKeychain(app.electron)) expect(filesIn(userData).map(([file]) => file)).toContain('secrets.json');
    else await app.page.getByText(/^Secrets are kept until Stopgap is closed, and not on disk/).waitFor();
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

test('what is granted is sealed by the shell, on its way from the host to the file', async () => {
  const server = await oauthServer();
  try {
    const lastServer = { kind: 'http', url: server.url, transport: 'auto', headers: {} } as const;
    const app = await launch({ settings: { lastServer, welcomeDismissed: true } });
    const opened = await catchBrowser(app.electron);
    // A machine for tests has no keychain: the plain one stands in its place, and is taken for a real one.
    await app.electron.evaluate(({ safeStorage }) => {
      safeStorage.setUsePlainTextEncryption?.(true);
      safeStorage.getSelectedStorageBackend = () => 'gnome_libsecret';
    });
    await app.page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await expect.poll(opened, PATIENT).toHaveLength(1);
    await browser((await opened())[0] ?? '', 'consent');
    await driver(app).connected();
    const file = path.join(app.userData, 'secrets.json');
    await expect.poll(() => existsSync(file), PATIENT).toBe(true);
    expect(statSync(file).mode & 0o077).toBe(0);
    const { sealed } = JSON.parse(readFileSync(file, 'utf8')) as { sealed: Record<string, string> };
    const texts = await app.electron.evaluate(
      ({ safeStorage }, all) => all.map((text) => safeStorage.decryptString(Buffer.from(text, 'base64'))),
      Object.values(sealed),
    );
    expect(texts).toEqual([expect.stringContaining(server.url)]);
    expect(server.tokens.some((token) => texts.join().includes(token))).toBe(true);
    expect(server.tokens.some((token) => readFileSync(file, 'utf8').includes(token))).toBe(false);
    await app.close();
  } finally {
    await server.close();
  }
});
