// kill -9 in the middle of a call, of the host and of the whole app: everything that had been flushed can be opened and read.
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { electronArgs, ensureElectron } from '../../scripts/electron-runtime.mjs';
import { type App, cleanUp, launch, PATIENT, ROOT, temporaryFolder } from './app';
import { calls, cancels, readFrames, replies } from './trace';
import { driver, textOf } from './window';

afterEach(cleanUp);

/** Starts a long call that reports progress, and waits until some of it is on disk. @returns the id of the call */
async function callInFlight(app: App): Promise<string | number | undefined> {
  const window = driver(app);
  await window.connected();
  await window.choose('crawl_site');
  await window.call();
  const progressed = () => app.frames().filter((frame) => frame.kind === 'message' && frame.raw.includes('notifications/progress'));
  await expect.poll(() => progressed().length, PATIENT).toBeGreaterThan(2);
  return calls(app.frames())[0]?.id;
}

test('the host is killed: the window lives, says so, starts another, and opens the trace', async () => {
  const app = await launch();
  const window = driver(app);
  const id = await callInFlight(app);
  const file = app.traceFile();
  process.kill(await app.hostPid(), 'SIGKILL');

  await window.hostGone.waitFor();
  // What had arrived before is still to be read.
  await window.show('Calls');
  await window.callsTable.getByText('crawl_site').waitFor();
  const flushed = readFrames(file);
  expect(calls(flushed).map((call) => call.id)).toEqual([id]);

  await window.hostGone.getByRole('button', { name: 'Restart the host' }).click();
  await window.hostGone.waitFor({ state: 'detached' });
  await window.connected();
  await window.openTrace(file);
  await window.show('Calls');
  await window.callsTable.getByText('crawl_site').waitFor();
  expect(app.traceFile()).not.toBe(file);
  await app.close();
});

test('the app is killed: a new one opens the trace with every flushed frame', async () => {
  const app = await launch();
  const id = await callInFlight(app);
  const file = app.traceFile();
  const before = readFrames(file);
  await app.kill();
  const after = readFrames(file);
  expect(after.slice(0, before.length)).toEqual(before);

  const again = await launch({ userData: app.userData, args: [file] });
  const window = driver(again);
  await window.fileView.waitFor();
  await window.show('Calls');
  await window.callsTable.getByText('crawl_site').click();
  await expect.poll(() => textOf(window.details), PATIENT).toContain(`#${id}`);
  await expect.poll(() => window.frameCount(), PATIENT).toBe(after.length);
  await again.close();
});

test('the page is loaded again: nothing is lost, and the recording goes on', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('charge_card');
  await window.fill({ amount: 4200, currency: 'EUR', commit_ms: 0, write_ms: 3000 });
  await window.stopAfter(500);
  await window.call();
  await expect.poll(() => cancels(app.frames()), PATIENT).toHaveLength(1);
  await app.page.reload();
  await window.connected();
  await window.show('Calls');
  await window.callsTable.getByText('charge_card').click();
  await window.verdict('write-after-cancel');
  expect(cancels(app.frames())).toHaveLength(1);
  expect(calls(app.frames())).toHaveLength(1);
  await app.close();
});

test("the page's process is killed: the window loads it again, and the call goes on", async () => {
  const app = await launch();
  const id = await callInFlight(app);
  const pages = () => app.electron.evaluate(({ app: it }) => it.getAppMetrics().flatMap(({ type, pid }) => (type === 'Tab' ? [pid] : [])));
  const [pid = 0] = await pages();
  process.kill(pid, 'SIGKILL');
  await expect.poll(async () => (await pages()).filter((other) => other !== pid).length, PATIENT).toBe(1);
  // Asked through the window, since this page is another one than the one that was being driven.
  const text = () =>
    app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
        'document.querySelector("[aria-label=\'Calls in flight\']")?.textContent ?? ""',
      ),
    );
  await expect.poll(text, PATIENT).toContain(`crawl_site#${id}`);
  await expect.poll(() => replies(app.frames(), id), PATIENT).toHaveLength(1);
  await app.close();
});

test('a host that ends before the page is there: the window says so, and offers another', async () => {
  const root = temporaryFolder('app');
  cpSync(path.join(ROOT, 'package.json'), path.join(root, 'package.json'));
  cpSync(path.join(ROOT, 'dist'), path.join(root, 'dist'), { recursive: true });
  writeFileSync(path.join(root, 'dist/main/host.js'), 'process.exit(3);');
  const app = await launch({ program: { path: ensureElectron().path, switches: electronArgs({ test: true }), root } });
  const window = driver(app);
  await window.hostGone.filter({ hasText: 'exit code 3' }).waitFor();
  cpSync(path.join(ROOT, 'dist/main/host.js'), path.join(root, 'dist/main/host.js'));
  await window.hostGone.getByRole('button', { name: 'Restart the host' }).click();
  await window.connected();
  await app.close();
});
