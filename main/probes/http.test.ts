import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { SpecOf } from '../../app/evidence/probe';
import { startClock } from '../host/clock';
import { checkHttp, startHttpProbe } from './http';
import { type Heard, hearing } from './probe.testing';

vi.setConfig({ testTimeout: 30_000 });
/** However slow the machine. */
const SOON = { timeout: 25_000, interval: 5 };
/** Longer than any test: an answer that only comes when it must. */
const NEVER_MS = 3_600_000;

interface Scene extends Heard {
  readonly url: string;
  readonly probe: Awaited<ReturnType<typeof startHttpProbe>>;
  post(path: string, body?: string, more?: RequestInit): Promise<Response>;
}

async function scene(more: Partial<SpecOf<'http'>> = {}): Promise<Scene> {
  const heard = hearing(startClock());
  const spec = { kind: 'http', name: 'hook', shared: false, port: 0, status: 200, delayMs: 0, ...more } as const;
  const probe = await startHttpProbe(spec, heard.context);
  onTestFinished(() => probe.stop());
  const url = probe.variables?.['url'] ?? '';
  return { ...heard, probe, url, post: (path, body = '', init = {}) => fetch(`${url}${path}`, { method: 'POST', body, ...init }) };
}

/** A request whose end the test decides. */
function opened(url: string, length: number): ClientRequest {
  const sent = request(url, { method: 'POST', headers: { 'content-length': length } });
  sent.on('error', () => undefined);
  return sent;
}

it('offers an address on loopback with a token of 128 bits, and never records it', async () => {
  const { url, effects, post } = await scene();
  const [, place, token = ''] = /^http:\/\/(127\.0\.0\.1:\d+)\/([0-9a-f]{32})$/.exec(url) ?? [];
  await post('/orders', '{}');
  expect(effects[0]).toEqual({ effect: 'watching', probe: 'hook', kind: 'http', place, shared: false });
  expect(token).not.toBe('');
  expect(JSON.stringify(effects)).not.toContain(token);
});

it('dates a request between its arrival and its answer, and tells what may be told of it', async () => {
  const { all, clock, post } = await scene({ status: 202, delayMs: 30 });
  const before = clock.now();
  const answer = await post('/orders?key=secret', '{"order":7}', {
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k-7', authorization: 'Bearer secret', cookie: 'secret' },
  });
  const after = clock.now();
  expect([answer.status, await answer.text()]).toEqual([202, '{}']);
  const [seen] = all('seen');
  expect(seen).toEqual({
    effect: 'seen',
    probe: 'hook',
    lo: expect.any(Number),
    hi: expect.any(Number),
    says: 'POST /orders (11 bytes)',
    subject: 'POST /orders',
    sample: 'content-type: application/json\nidempotency-key: k-7\n\n{"order":7}',
  });
  // Less than 30 ms before the request was sent, less the turns of a busy loop: certainly before the answer's delay.
  expect(seen?.lo).toBeLessThan(after - 30e6);
  expect(seen?.hi).toBeGreaterThanOrEqual(before + 29e6);
  expect(seen?.hi).toBeLessThanOrEqual(clock.now());
});

it('never dates an arrival after a moment at which it was there, however busy the process is', async () => {
  const { all, clock, url } = await scene();
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const post = (path: string): boolean => socket.write(`POST ${pathname}${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`);
  await once(socket, 'connect');
  post('/first');
  await once(socket, 'data');
  // The system has the second one before this process looks elsewhere.
  post('/second');
  const busyUntil = clock.now() + 100e6;
  while (clock.now() < busyUntil);
  const looksUp = clock.now();
  await once(socket, 'data');
  socket.destroy();
  expect(all('seen').map(({ subject }) => subject)).toEqual(['POST /first', 'POST /second']);
  expect(all('seen')[1]?.lo).toBeLessThan(looksUp);
});

it('says that nothing came once everything that had arrived has been looked at', async () => {
  const { all, clock, probe } = await scene();
  const before = clock.now();
  await probe.read();
  const [clear] = all('clear');
  expect(clear?.since).toBeLessThanOrEqual(before);
  expect(clear?.lo).toBeGreaterThanOrEqual(before);
  expect(clear?.hi).toBeGreaterThanOrEqual(clear?.lo ?? Number.NaN);
});

it('does not say that nothing came while an answer is due', async () => {
  const { all, post, probe } = await scene({ delayMs: NEVER_MS });
  const answer = post('/slow');
  await vi.waitFor(async () => {
    const before = all('clear').length;
    await probe.read();
    expect(all('clear')).toHaveLength(before);
  }, SOON);
  expect(all('seen')).toEqual([]);
  // The end of the watch waits for no delay: what had arrived is answered and said.
  await probe.stop();
  expect((await answer).status).toBe(200);
  expect(all('seen')).toMatchObject([{ subject: 'POST /slow' }]);
});

it('leaves undecided what was dropped before it was answered', async () => {
  const { all, probe, url } = await scene({ delayMs: NEVER_MS });
  const sent = opened(`${url}/orders`, 5);
  sent.end('hello');
  await vi.waitFor(async () => {
    const before = all('clear').length;
    await probe.read();
    expect(all('clear')).toHaveLength(before);
  }, SOON);
  sent.destroy();
  await vi.waitFor(() => expect(all('seen')).toHaveLength(1), SOON);
  expect(all('seen')).toMatchObject([
    { says: 'POST /orders (5 bytes), dropped before it was answered', subject: 'POST /orders', undecided: true },
  ]);
});

it('takes no request for an effect that never arrived whole', async () => {
  const { effects, post, probe, url } = await scene();
  const sent = opened(`${url}/half`, 10);
  sent.write('hello');
  await once(sent, 'socket');
  await post('/other');
  sent.destroy();
  await new Promise((resolve) => sent.once('close', resolve));
  await post('/last');
  await probe.stop();
  expect(effects.map((effect) => (effect.effect === 'seen' ? effect.subject : effect.effect))).toEqual([
    'watching',
    'POST /other',
    'POST /last',
    'clear',
    'ended',
  ]);
});

it('answers what only reads, and does not record it', async () => {
  const { effects, url } = await scene();
  for (const method of ['GET', 'HEAD', 'OPTIONS']) expect((await fetch(`${url}/orders`, { method })).status).toBe(200);
  expect((await fetch(`${url}/orders/7`, { method: 'DELETE' })).status).toBe(200);
  expect(effects.map((effect) => (effect.effect === 'seen' ? effect.subject : effect.effect))).toEqual(['watching', 'DELETE /orders/7']);
});

it('answers strangers with 404, says so, and no more than a hundred times', async () => {
  const { all, url } = await scene();
  const { origin } = new URL(url);
  expect((await fetch(`${origin}/orders`, { method: 'POST', body: 'x' })).status).toBe(404);
  expect((await fetch(`${url}x/orders`, { method: 'POST', body: 'x' })).status).toBe(404);
  for (let n = 0; n < 120; n++) await fetch(`${origin}/?n=${n}`);
  expect(all('seen')).toEqual([]);
  const strangers = all('stranger').map(({ says }) => says);
  expect(strangers).toHaveLength(100);
  expect(strangers[0]).toBe('POST /orders came without the token and was answered with 404');
  expect(strangers.at(-1)).toBe('GET / came without the token and was answered with 404; further ones are not listed');
});

it('counts the whole of a long body, and shows its beginning', async () => {
  const { all, post } = await scene();
  await post('/blob', `begin ${'x'.repeat(3 * 1024 * 1024)}`);
  const [seen] = all('seen');
  expect(seen?.says).toBe('POST /blob (3145734 bytes)');
  expect(seen?.sample?.startsWith('content-type: text/plain;charset=UTF-8\n\nbegin xxx')).toBe(true);
  expect(seen?.sample?.length).toBeLessThan(2100);
});

it('knows a whole effect by its pattern', async () => {
  const { all, post } = await scene({ done: '"state":"paid"' });
  await post('/orders', '{"state":"open"}');
  await post('/orders', '{"state":"paid"}');
  expect(all('seen').map(({ done }) => done)).toEqual([undefined, true]);
});

it('refuses a pattern that is none', async () => {
  await expect(scene({ done: '(' })).rejects.toThrow(/^Expected a regular expression as “done” of the probe hook, got \( /);
});

it('says which port is taken, and what to try', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const port = (other.address() as { port: number }).port;
  const why = `Expected port ${port} on 127.0.0.1 to be free, but another program listens there. Choose another port, or 0 for a free one.`;
  await expect(scene({ port })).rejects.toThrow(why);
  const spec = { kind: 'http', name: 'hook', shared: false, port, status: 200, delayMs: 0 } as const;
  expect(await checkHttp(spec)).toBe(why);
  expect(await checkHttp({ ...spec, port: 0 })).toBe(undefined);
});

it('ends once, and listens no more', async () => {
  const { effects, probe, url } = await scene();
  const kept = connect(Number(new URL(url).port), '127.0.0.1');
  await once(kept, 'connect');
  await Promise.all([probe.stop(), probe.stop()]);
  await probe.read();
  expect(effects.map(({ effect }) => effect)).toEqual(['watching', 'clear', 'ended']);
  await expect(fetch(url)).rejects.toThrow();
});
