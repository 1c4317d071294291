// How the same Stop differs over HTTP is what this demo is for, so it is tested on the real process and below any client:
// which exchange was answered how, what came on which stream, and what is on the disk.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as base, beforeAll, describe, expect } from 'vitest';
import { buildEntry } from '../../test/build.testing';
import { type HttpServer, startHttp } from '../../test/http.testing';

let program: string;

beforeAll(async () => {
  program = await buildEntry('main/demo/server.ts');
}, 60_000);

interface Desk {
  readonly start: (...words: string[]) => Promise<HttpServer>;
  readonly ledger: () => readonly string[];
  readonly inRoom: (room: string) => readonly string[];
}

const test = base.extend<{ desk: Desk }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
  desk: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-demo-test-'));
    const servers: HttpServer[] = [];
    try {
      await use({
        start: async (...words) => {
          const server = await startHttp(process.execPath, [program, '--state', folder, '--http', '0', '--end-with-stdin', ...words]);
          servers.push(server);
          return server;
        },
        ledger: () => readFileSync(path.join(folder, 'ledger.jsonl'), 'utf8').split('\n').slice(0, -1),
        inRoom: (room) => readdirSync(path.join(folder, room)),
      });
    } finally {
      for (const server of servers) await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** A charge that commits at once and writes when there was time to cancel it. */
const CHARGE = { amount: 1, commit_ms: 0, write_ms: 700 };

describe.concurrent('the demo over HTTP', { timeout: 60_000 }, () => {
  test('with sessions: the cancel is accepted and heeded, the stream stays open, silent', async ({ desk: { start, inRoom } }) => {
    const server = await start();
    await server.open();
    expect(server.session).toMatch(/^[0-9a-f-]{36}$/);
    const call = server.call(1, 'book_seat');
    await server.until(() => inRoom('seats').includes('1A.held'), 'the hold');
    expect((await server.cancel(1)).status).toBe(202);
    await server.until(() => inRoom('seats').length === 0, 'the seat to be given back');
    await server.ping();
    expect([call.status, call.type, call.ended, call.messages]).toEqual([200, 'text/event-stream', false, []]);
  });

  test('with sessions: dropping the connection stops nothing', async ({ desk: { start, inRoom } }) => {
    const server = await start();
    await server.open();
    const call = server.call(1, 'book_seat');
    await server.until(() => inRoom('seats').includes('1A.held'), 'the hold');
    call.drop();
    await server.until(() => inRoom('seats').includes('1A.booked'), 'the booking');
  });

  test('with sessions: what is written beneath the SDK comes on the stream of its call', async ({ desk: { start } }) => {
    const server = await start();
    await server.open();
    const call = server.call(1, 'export_report', { pages: 4 }, 'token');
    await server.until(() => call.messages.length === 1, 'a page');
    await server.cancel(1);
    await server.until(() => call.messages.length === 4, 'the other pages');
    const late = server.call(2, 'huge_search', { rows: 1 });
    await server.until(() => late.status !== undefined, 'its head');
    await server.cancel(2);
    await server.until(() => late.ended, 'its end');
    expect(late.messages.map(({ id }) => id)).toEqual([2]);
  });

  test('with sessions: a session is unknown after its DELETE, and elsewhere', async ({ desk: { start } }) => {
    const server = await start();
    await server.open();
    expect((await server.send('DELETE')).status).toBe(200);
    const gone = await server.send('POST', { id: 1, method: 'ping' });
    expect([gone.status, gone.messages[0]?.error]).toEqual([404, { code: -32001, message: 'Session not found' }]);
  });

  test('without sessions: the cancel is accepted, and the call charges and answers all the same', async ({ desk: { start, ledger } }) => {
    const server = await start('--stateless');
    await server.open();
    expect(server.session).toBeUndefined();
    const call = server.call(1, 'charge_card', CHARGE);
    await server.until(() => call.status !== undefined, 'its head');
    expect([(await server.cancel(1)).status, ledger()]).toEqual([202, []]);
    await server.until(() => call.ended, 'the answer');
    expect([call.messages.map(({ id }) => id), ledger().length]).toEqual([[1], 1]);
    expect((await server.send('GET')).status).toBe(405);
  });

  test('without sessions: neither means stops a seat from being booked, and one key charges once', async ({
    desk: { start, inRoom, ledger },
  }) => {
    const server = await start('--stateless');
    await server.open();
    const call = server.call(1, 'book_seat');
    const charges = [2, 3].map((id) => server.call(id, 'charge_card', { ...CHARGE, idempotency_key: 'k' }));
    await server.until(() => inRoom('seats').includes('1A.held'), 'the hold');
    await server.cancel(1);
    call.drop();
    await server.until(() => inRoom('seats').includes('1A.booked'), 'the booking');
    await server.until(() => charges.every((charge) => charge.ended), 'the charges');
    expect(ledger()).toHaveLength(1);
  });

  test('in JSON mode: a call that was cancelled never gets a head, and a dropped connection stops nothing', async ({
    desk: { start, inRoom },
  }) => {
    const server = await start('--json');
    await server.open();
    const answered = server.call(1, 'search_orders', {});
    await server.until(() => answered.ended, 'an answer');
    expect([answered.type, answered.messages.length]).toEqual(['application/json', 1]);
    const call = server.call(2, 'book_seat');
    await server.until(() => inRoom('seats').includes('1A.held'), 'the hold');
    expect((await server.cancel(2)).status).toBe(202);
    await server.until(() => inRoom('seats').length === 0, 'the seat to be given back');
    await server.ping();
    expect(call.status).toBeUndefined();
    const dropped = server.call(3, 'book_seat');
    await server.until(() => inRoom('seats').includes('1A.held'), 'the second hold');
    dropped.drop();
    await server.until(() => inRoom('seats').includes('1A.booked'), 'the booking');
  });

  test('over HTTP+SSE: everything comes on the one stream', async ({ desk: { start, inRoom } }) => {
    const server = await start('--sse');
    const stream = await server.send('GET');
    await server.until(() => stream.events.length === 1, 'the endpoint');
    expect([server.url.endsWith('/sse'), stream.events[0]]).toEqual([true, expect.stringMatching(/^\/messages\?sessionId=/)]);
    server.moveTo(stream.events[0] ?? '');
    server.call(1, 'book_seat');
    await server.until(() => inRoom('seats').includes('1A.held'), 'the hold');
    expect((await server.cancel(1)).status).toBe(202);
    await server.until(() => inRoom('seats').length === 0, 'the seat to be given back');
    await server.send('POST', { id: 2, method: 'ping' });
    await server.until(() => stream.messages.length === 1, 'the pong');
    expect(stream.messages.map(({ id }) => id)).toEqual([2]);
    server.call(3, 'book_seat');
    await server.until(() => inRoom('seats').includes('1A.held'), 'the second hold');
    stream.drop();
    await server.until(() => inRoom('seats').length === 0, 'that seat to be given back');
  });

  test('answers nobody who came under another name, and nothing but its endpoint', async ({ desk: { start } }) => {
    const server = await start();
    const status = (headers: Record<string, string>, at = '/mcp') =>
      new Promise((resolve) => request(new URL(at, server.url), { headers }, (response) => resolve(response.statusCode)).end());
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    expect(await status({ origin: 'http://localhost:5173' }, '/')).toBe(404);
  });

  test('says what is wrong with its options', async () => {
    const fails = (...words: string[]) => startHttp(process.execPath, [program, ...words]).then(() => '', String);
    expect(await fails('--http', '70000')).toMatch(/Expected --http with a port from 0 to 65535, got 70000/);
    expect(await fails('--json')).toMatch(/Expected --http PORT with --stateless/);
    expect(await fails('--http', '0', '--json', '--sse')).toMatch(/Expected at most one of/);
  });

  test('says that a port is taken', async ({ desk: { start } }) => {
    const { port } = new URL((await start()).url);
    expect(await startHttp(process.execPath, [program, '--http', port]).then(() => '', String)).toMatch(`port ${port} is in use`);
  });
});
