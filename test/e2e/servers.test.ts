// Servers that we did not write, and many calls at once.
import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { serverEverything, serverFilesystem } from '../real/servers';
import { cleanUp, launch, PATIENT, temporaryFolder } from './app';
import { calls, cancels, lives, messages, replies } from './trace';
import { driver } from './window';

afterEach(cleanUp);

test("server-everything's long operation goes on reporting progress after the cancel and never replies", async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.connect(serverEverything());
  await window.choose('trigger-long-running-operation');
  await window.fill({ duration: 8, steps: 16 });
  await window.stopAfter(2000);
  await window.call();
  await window.verdict('still-working');
  expect(await window.certainty()).toBe('proved');
  expect(await window.sentence()).toMatch(/progress/i);

  const progress = () => messages(app.frames(), 's2c').filter(({ method }) => method === 'notifications/progress');
  await expect.poll(() => progress().at(-1)?.params?.['progress'], PATIENT).toBe(16);
  const [call] = calls(app.frames());
  const [cancel, ...more] = cancels(app.frames());
  expect(more).toEqual([]);
  expect(cancel?.params).toEqual({ requestId: call?.id, reason: 'user pressed stop' });
  expect(progress().filter(({ frame }) => frame.seq > (cancel?.frame.seq ?? Number.POSITIVE_INFINITY)).length).toBeGreaterThan(0);
  expect(replies(app.frames(), call?.id)).toEqual([]);
  expect(await window.state('reply')).toBe('none');
  await app.close();
});

// A FIFO makes the race exact: edit_file reads until somebody has written into it, and nobody does before the cancel.
test.runIf(process.platform !== 'win32')('server-filesystem writes into a probed folder after the cancel', async () => {
  const folder = temporaryFolder('files');
  const file = path.join(folder, 'notes.txt');
  execFileSync('mkfifo', [file]);
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.connect(serverFilesystem(folder));
  await window.choose('edit_file');
  await window.addProbe('notes', folder);
  await window.fill({ path: file, edits: [{ oldText: 'draft', newText: 'final' }] });
  await window.call();
  await expect.poll(() => calls(app.frames()), PATIENT).toHaveLength(1);
  await window.stop();
  await expect.poll(() => cancels(app.frames()), PATIENT).toHaveLength(1);

  const fifo = await open(file, 'w'); // opens once the server reads
  await fifo.writeFile('a draft\n');
  await fifo.close();
  await window.verdict('write-after-cancel');
  expect(await window.sentence()).toContain('notes');
  const [call] = calls(app.frames());
  expect(cancels(app.frames()).map(({ params }) => params?.['requestId'])).toEqual([call?.id]);
  expect(replies(app.frames(), call?.id)).toEqual([]);
  await app.close();
});

test('of twenty calls at once, stopping the seventh stops the seventh only', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('charge_card');
  await window.fill({ amount: 100, currency: 'EUR', commit_ms: 15_000, write_ms: 15_000 });
  for (let i = 0; i < 20; i++) await window.call();
  await expect.poll(() => calls(app.frames()), PATIENT).toHaveLength(20);
  const seventh = calls(app.frames())[6];
  await window.stopOne(`charge_card #${seventh?.id}`);

  const others = calls(app.frames()).filter(({ id }) => id !== seventh?.id);
  await expect.poll(() => others.filter(({ id }) => replies(app.frames(), id).length === 1), PATIENT).toHaveLength(19);
  expect(cancels(app.frames()).map(({ params }) => params?.['requestId'])).toEqual([seventh?.id]);
  expect(replies(app.frames(), seventh?.id)).toEqual([]);
  for (const { id } of others) expect(replies(app.frames(), id)[0]?.result?.['isError']).not.toBe(true);
  await app.close();
});

test("a child that outlives its call's cancel does not outlive the app", async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('deploy');
  await window.stopAfter(300);
  await window.call();
  await expect.poll(() => cancels(app.frames()), PATIENT).toHaveLength(1);
  await app.close(); // looks for what was left behind
  expect(lives(app.frames())).toContainEqual(expect.objectContaining({ event: 'exited', asked: 'quit' }));
});
