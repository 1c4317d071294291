// Servers over HTTP in the real window: what a cancel and a dropped connection are worth with sessions and without.
import { afterEach, expect, test } from 'vitest';
import type { Http } from '../../app/wire/frame';
import { broken } from '../fixtures/http/broken';
import { everythingOverHttp } from '../real/servers';
import { type App, cleanUp, launch, PATIENT } from './app';
import { calls, cancels, replies } from './trace';
import { driver } from './window';

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await cleanUp();
  for (const server of servers.splice(0)) await server.close();
});

/** Ends with the test. */
function kept<S extends { close(): Promise<void> }>(server: S): S {
  servers.push(server);
  return server;
}

/** What happened below JSON-RPC, in order. */
const exchanges = (app: App): readonly Http[] => app.frames().flatMap((frame) => (frame.kind === 'http' ? [frame.http] : []));

/** The statuses with which the POSTs that carried a cancel were answered. */
function cancelStatuses(app: App): readonly number[] {
  const all = exchanges(app);
  const posts = all.flatMap((http) => (http.http === 'request' && http.cancels !== undefined ? [http.exchange] : []));
  return all.flatMap((http) => (http.http === 'response' && posts.includes(http.exchange) ? [http.status] : []));
}

test('the demo without sessions: 202, and the ticket is written and answered all the same; with sessions it is not', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.demoOver('http-stateless');
  await window.choose('create_ticket');
  await window.stopAfter(200);
  await window.call();
  await window.verdict('write-after-cancel');
  expect([await window.state('stop'), await window.state('effect')]).toEqual(['sent', 'after']);
  await expect.poll(() => window.state('reply'), PATIENT).toBe('late-result');
  expect(cancelStatuses(app)).toEqual([202]);

  await window.demoOver('http');
  await window.choose('create_ticket');
  await window.stopAfter(200);
  await window.call();
  await window.verdict('stopped');
  expect([await window.state('stop'), await window.state('reply'), await window.state('effect')]).toEqual(['sent', 'none', 'not-seen']);
  expect(cancelStatuses(app)).toEqual([202, 202]);
  await app.close();
});

test('the demo with sessions: a dropped connection is no cancel, and the card is charged', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.demoOver('http');
  await window.choose('charge_card');
  await window.fill({ amount: 4200, currency: 'EUR', commit_ms: 3000, write_ms: 3000 });
  await window.call();
  await expect.poll(() => calls(app.frames()), PATIENT).toHaveLength(1);
  await window.stopBy('Drop the connection');
  await window.verdict('never-told');
  await expect.poll(() => window.state('effect'), PATIENT).toBe('after');
  expect(await window.state('stop')).toBe('not-sent');
  expect(await window.sentence()).toMatch(/disconnect is not a cancel/);
  expect(cancels(app.frames())).toEqual([]);
  expect(replies(app.frames(), calls(app.frames())[0]?.id)).toEqual([]);
  await app.close();
});

test('server-everything over HTTP: the cancel is accepted, the progress goes on, the stream is left open', async () => {
  const server = kept(await everythingOverHttp('streamableHttp'));
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.connectTo(server.url);
  await window.choose('trigger-long-running-operation');
  await window.fill({ duration: 4, steps: 16 });
  await window.stopAfter(1000);
  await window.call();
  await window.verdict('still-working');
  expect([await window.state('stop'), await window.state('reply')]).toEqual(['sent', 'none']);
  await expect.poll(() => cancelStatuses(app), PATIENT).toEqual([202]);
  await window.show('Findings');
  await expect.poll(() => window.findings.textContent(), PATIENT).toContain('left open after the cancel');
  await app.close();
});

test('a page of a proxy in the place of a server, and a server that never answers: the window says so and goes on', async () => {
  const page = kept(await broken('proxy-page'));
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.connectTo(page.url);
  await window.server('did not connect');
  await expect.poll(() => app.page.textContent('body'), PATIENT).toContain('a page for people came, “Sign in to the network”');

  const silent = kept(await broken('never-answers'));
  await window.connectTo(silent.url);
  await window.server('starting');
  await expect.poll(() => silent.asked.length, PATIENT).toBe(1);
  await window.disconnect();
  await window.demoOver('http');
  await app.close();
});
