// A server's text is shown in this window, so the page must be able to do nothing by itself: no Node, no eval, no other
// page, no other window, no permissions, and a Chromium sandbox around it where there is one.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { type App, cleanUp, launch, PATIENT } from './app';
import { asOrdinaryUser } from './ordinary-user';
import { driver } from './window';

afterEach(cleanUp);

/** Runs in a timer of the page: what Playwright evaluates directly is not held by the page's policy. */
const inTimer = (page: Page, code: string): Promise<unknown> =>
  page.evaluate(
    (text) =>
      new Promise((resolve) => {
        setTimeout(() => {
          try {
            resolve(String(new Function(text)()));
          } catch (error) {
            resolve((error as Error).name);
          }
        });
      }),
    code,
  );

test('the page has no Node, no eval and no way out', async () => {
  const app = await launch();
  const { page, electron } = app;
  expect(page.url()).toBe('app://stopgap/index.html');
  expect(await page.evaluate(() => ['require', 'process', 'module', 'Buffer'].filter((name) => name in window))).toEqual([]);
  expect(await page.evaluate(() => Object.keys((window as unknown as { stopgap: object }).stopgap).sort())).toEqual([
    'on',
    'pathOf',
    'platform',
    'request',
  ]);
  // A page may know where a file lies only when a person has dropped it there.
  expect(
    await page.evaluate(() => (window as unknown as { stopgap: { pathOf(file: unknown): string } }).stopgap.pathOf(new File(['a'], 'a'))),
  ).toBe('');

  expect(await inTimer(page, 'return 1')).toBe('EvalError');
  expect(await page.evaluate(() => fetch('https://example.com/').then(String, (error: Error) => error.name))).toBe('TypeError');
  expect(await page.evaluate(() => window.open('https://example.com/'))).toBeNull();
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.href = 'https://example.com/';
    document.body.append(link);
    link.click();
    window.location.assign('file:///etc/passwd');
  });
  expect(await page.evaluate(() => Notification.requestPermission())).toBe('denied');
  expect(page.url()).toBe('app://stopgap/index.html');
  expect(electron.windows()).toHaveLength(1);

  // The page's own policy complains of each refusal: these, and no others, were provoked here.
  const provoked = app.errors.filter((error) => !/Content Security Policy|Not allowed to load local resource/.test(error));
  expect(provoked).toEqual([]);
  await app.kill();
});

test('only files of the page are served, and only known requests answered', async () => {
  const app = await launch();
  const status = (address: string) => app.page.evaluate((url) => fetch(url).then((response) => response.status), address);
  expect(await status('index.html')).toBe(200);
  expect(await status('..%2f..%2fpackage.json')).toBe(404);
  expect(await status('..%5c..%5cpackage.json')).toBe(403);
  expect(await app.page.evaluate(() => fetch('index.html').then((response) => response.headers.get('content-type')))).toContain(
    'text/html',
  );

  const refusal = (request: string, params: object) =>
    app.page.evaluate(
      ([name, given]) => {
        const { stopgap } = window as unknown as { stopgap: { request(name: unknown, params: unknown): Promise<unknown> } };
        return stopgap.request(name, given).then(String, (error: Error) => error.message);
      },
      [request, params] as const,
    );
  expect(await refusal('app.quit', {})).toMatch(/Expected one of dialog\.folder/);
  expect(await refusal('theme.set', { theme: 'pink' })).toMatch(/The parameters of theme\.set were not as expected/);
  expect(await refusal('show.trace', { path: '/etc/passwd' })).toMatch(/Expected a trace file in .*, got \/etc\/passwd/);
  await app.kill();
});

test("Chromium's sandbox is on for an ordinary user", async () => {
  const started = await launch(asOrdinaryUser()).catch((error: Error) => error);
  if (started instanceof Error) {
    // Some machines refuse to everybody what the sandbox needs. Then Chromium must say so, in these words, and not run.
    expect(started.message).toMatch(/No usable sandbox!|The SUID sandbox helper binary was found, but is not configured correctly/);
    return;
  }
  await expectSandboxed(started);
  // The host and a server run for that user, too, and leave nothing behind.
  await driver(started).connected();
  await started.close();
});

async function expectSandboxed({ electron, page }: App): Promise<void> {
  expect(await electron.evaluate(() => process.argv.join(' '))).not.toContain('no-sandbox');
  await expect.poll(() => page.title(), PATIENT).toBe('Stopgap');
  if (process.platform !== 'linux') return;
  const [browser, tab] = await electron.evaluate(({ app }) =>
    ['Browser', 'Tab'].map((type) => app.getAppMetrics().find((process) => process.type === type)?.pid),
  );
  // The page's process lives in a process namespace of its own, and behind a filter of system calls that its parent has not.
  const field = (pid: number | undefined, name: string) =>
    readFileSync(`/proc/${pid}/status`, 'utf8')
      .match(new RegExp(`^${name}:\\s*(.*)$`, 'm'))?.[1]
      ?.split(/\s+/) ?? [];
  expect(field(tab, 'NSpid').length).toBeGreaterThan(field(browser, 'NSpid').length);
  expect(Number(field(tab, 'Seccomp_filters')[0])).toBeGreaterThan(Number(field(browser, 'Seccomp_filters')[0]));
  expect(field(browser, 'Uid')[0]).not.toBe('0');
}
