// Revision 2026-07-28 in the real window, against servers on the SDK's second version: what was offered and chosen, the Stop
// that is a cut over HTTP and a message over stdio, and what is known after it, with a probe and without.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { MODERN } from '../../app/wire/era';
import { sdkV2Http, serverBothEras } from '../real/servers';
import { type App, cleanUp, launch, PATIENT, temporaryFolder } from './app';
import { calls, cancels, lives, messages } from './trace';
import { driver, textOf } from './window';

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await cleanUp();
  for (const server of servers.splice(0)) await server.close();
});

/** A place of a server's own: where it writes, and gates by which a test says when. */
function newPlace() {
  const home = temporaryFolder('era');
  const [place = '', log = '', gates = ''] = ['place', 'log', 'gates'].map((name) => path.join(home, name));
  for (const folder of [place, gates]) mkdirSync(folder);
  return { home, place, where: [place, log, gates], open: (gate: string) => writeFileSync(path.join(gates, gate), '') };
}

/** The app with a server on the SDK's second version over HTTP, pinned to the revision without a handshake. */
async function overHttp() {
  const at = newPlace();
  const server = await sdkV2Http(at.where);
  servers.push(server);
  const app = await launch({ settings: { welcomeDismissed: true } });
  const window = driver(app);
  await window.connected();
  await window.connectTo(server.url, MODERN);
  await window.tools.locator('[id="tool-write_ignore"]').waitFor();
  return { ...at, app, window };
}

const stopLabel = (app: App): Promise<string> => textOf(app.page.locator('#stop-button small'));
/** Works until its gate is opened, and then writes. */
const WRITES_LATER = { as: 'work', steps: [{ gate: 'go' }, { write: 'late' }] };

test('over HTTP Stop is a cut, and says so before; without a probe nobody can tell', async () => {
  const { app, window } = await overHttp();
  await app.page.getByRole('button', { name: /^The connection: HTTP · 2026-07-28/ }).click();
  const facts = app.page.getByRole('dialog', { name: /^The connection to/ });
  expect(await textOf(facts)).toMatch(/Offered.*2026-07-28.*Chosen2026-07-28Pinned.*Stopcloses the response stream/);
  await app.page.keyboard.press('Escape');

  await window.choose('write_ignore');
  await window.fill(WRITES_LATER);
  await window.call();
  await expect.poll(() => stopLabel(app), PATIENT).toBe('Close stream (this is the cancel here)');
  await window.flight.getByRole('button', { name: 'Other ways to stop' }).click();
  const ways = await app.page.getByRole('menuitem').allTextContents();
  expect(ways.filter((way) => way.startsWith('Drop the connection') || way.includes('Kill'))).toEqual([]);
  expect(ways.find((way) => way.startsWith('Send the notification anyway (wrong means here)'))).toContain('tells nobody to stop');
  await app.page.keyboard.press('Escape');
  await window.stop();

  await window.verdict('unknown-write');
  expect([await window.state('stop'), await window.state('reply'), await window.state('effect')]).toEqual([
    'stream-closed',
    'none',
    'not-probed',
  ]);
  expect(await window.sentence()).toContain('nothing can be heard after it');
  expect(cancels(app.frames())).toEqual([]);
  // The marks of its row: the request, and the cut; nothing that would be a message.
  const walked = await window.walkMarks();
  expect(walked.map((row) => /tools\/call|cut|cancelled/.exec(row)?.[0])).toEqual(['tools/call', 'cut']);
  expect(walked[1]).toContain('closed from here: that is the cancel');
  // The window of ignorance is open behind the cut, and says what alone can close it.
  const cut = await window.drawn('cancel');
  expect(await window.cardAt(cut.x + 30, /^Unknown/)).toMatch(/Unknown, still open.*only a probe can close this window/);
  const sequence = window.details.getByRole('figure', { name: /^Sequence/ });
  expect(await textOf(sequence)).toContain('client: closes the stream: the cancel here');
  await app.close();
});

test('over HTTP the probe sees what nobody could hear: it wrote after the cut', async () => {
  const { app, window, place, open } = await overHttp();
  await window.choose('write_ignore');
  await window.addProbe('place', place);
  await window.fill(WRITES_LATER);
  await window.call();
  await expect.poll(() => calls(app.frames()), PATIENT).toHaveLength(1);
  await window.stop();
  await expect.poll(() => window.state('stop'), PATIENT).toBe('stream-closed');
  open('go');
  await window.verdict('write-after-cancel');
  expect(await window.state('effect')).toBe('after');
  expect((await window.drawn('breach')).pixels).toBeGreaterThan(20);
  expect(cancels(app.frames())).toEqual([]);
  await app.close();
});

test('over HTTP the notification is a misuse that has to be chosen, and is judged as one', async () => {
  const { app, window } = await overHttp();
  await window.choose('write_ignore');
  await window.fill(WRITES_LATER);
  await window.call();
  await expect.poll(() => calls(app.frames()), PATIENT).toHaveLength(1);
  await window.stopBy('Send the notification anyway');
  await window.verdict('invalid-cancel');
  expect(await window.sentence()).toContain('the wrong means');
  expect(cancels(app.frames())).toHaveLength(1);
  await app.close();
});

test('over stdio the same revision cancels by a message, in the one process that was started', async () => {
  const at = newPlace();
  const app = await launch({ settings: { welcomeDismissed: true } });
  const window = driver(app);
  await window.connected();
  await window.connect(serverBothEras(at.where, path.join(at.home, 'starts')), MODERN);
  await window.choose('write_ignore');
  await window.addProbe('place', at.place);
  await window.fill(WRITES_LATER);
  await window.call();
  await expect.poll(() => stopLabel(app), PATIENT).toBe('Send cancel');
  await window.stop();
  await expect.poll(() => window.state('stop'), PATIENT).toBe('sent');
  // There is no ping: what stands in its place shows that the cancel was read.
  await expect
    .poll(() => messages(app.frames(), 'c2s').filter(({ method }) => method === 'server/discover').length, PATIENT)
    .toBeGreaterThan(1);
  at.open('go');
  await window.verdict('write-after-cancel');
  expect(messages(app.frames(), 'c2s').filter(({ method }) => method === 'ping' || method === 'initialize').length).toBe(
    await initialised(app),
  );
  expect(lives(app.frames()).filter((life) => life.event === 'started').length).toBe(2);
  await app.close();
});

/** How many pings and handshakes belong to the demo, which was connected first. */
async function initialised(app: App): Promise<number> {
  const demo = app.frames().filter((frame) => frame.session === 1);
  return messages(demo, 'c2s').filter(({ method }) => method === 'ping' || method === 'initialize').length;
}
