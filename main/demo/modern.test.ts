// The demo in revision 2026-07-28, on the real process and below any client: what is asked is answered without a handshake, and
// over HTTP the closed stream is heeded as the notification is on a pipe.

import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request as begin, createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as base, beforeAll, describe, expect } from 'vitest';
import { buildEntry } from '../../test/build.testing';
import { type HttpServer, startHttp } from '../../test/http.testing';
import { startStdio } from '../../test/stdio.testing';
import { until } from '../../test/truth/until';
import { serveExchange } from './modern';
import { DemoTasks } from './tasks';

const MODERN = '2026-07-28';
const meta = (protocol = MODERN) => ({
  'io.modelcontextprotocol/protocolVersion': protocol,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

let program: string;
beforeAll(async () => {
  program = await buildEntry('main/demo/server.ts');
}, 60_000);

interface Desk {
  readonly folder: string;
  readonly http: () => Promise<HttpServer>;
  readonly seats: () => readonly string[];
}

const test = base.extend<{ desk: Desk }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
  desk: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-demo-test-'));
    const servers: HttpServer[] = [];
    try {
      await use({
        folder,
        http: async () => {
          const server = await startHttp(process.execPath, [program, '--state', folder, '--http', '0', '--end-with-stdin']);
          servers.push(server);
          return server;
        },
        seats: () => readdirSync(path.join(folder, 'seats')),
      });
    } finally {
      for (const server of servers) await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

interface Posted {
  readonly status: Promise<number | undefined>;
  /** The whole body; rejects when it was dropped. */
  readonly text: Promise<string>;
  drop(): void;
}

interface Said {
  readonly protocol?: string;
  /** What the header says, where that is something else. */
  readonly header?: string;
  /** More of what the client says of itself. */
  readonly more?: object;
}

/** What a client says that takes tasks. */
const TAKES_TASKS = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } };

function post(url: string, method: string, params: object, { protocol = MODERN, header = protocol, more = {} }: Said = {}): Posted {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const sent = begin(url, { method: 'POST', headers: { ...headers, 'mcp-protocol-version': header, 'mcp-method': method } });
  const response = new Promise<IncomingMessage>((resolve, reject) => sent.once('response', resolve).once('error', reject));
  const status = response.then(({ statusCode }) => statusCode);
  const text = response.then(async (message) => {
    let all = '';
    for await (const chunk of message.setEncoding('utf8')) all += chunk;
    return all;
  });
  for (const promise of [status, text]) promise.catch(() => undefined);
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...meta(protocol), ...more } } }));
  return { status, text, drop: () => void sent.destroy() };
}

describe.concurrent('the demo without a handshake', { timeout: 60_000 }, () => {
  test('over HTTP: discovered, listed, called', async ({ desk: { http } }) => {
    const { url } = await http();
    expect(await post(url, 'server/discover', {}).text).toContain(`"supportedVersions":["${MODERN}","2025-11-25"`);
    expect(await post(url, 'tools/list', {}).text).toMatch(/"name":"charge_card".*"resultType":"complete".*"ttlMs":0/);
    const called = await post(url, 'tools/call', { name: 'refund', arguments: {} }).text;
    expect(called).toContain('Found no such charge');
    expect(called).toContain('"resultType":"complete"');
  });

  test('over HTTP: the closed stream is heeded', async ({ desk: { http, seats } }) => {
    const { url } = await http();
    const call = post(url, 'tools/call', { name: 'book_seat', arguments: {} });
    await until('the hold', () => seats().includes('1A.held'));
    call.drop();
    await until('the seat to be given back', () => seats().length === 0);
  });

  test('over HTTP: a call whose stream is closed before anything serves it is not begun', async () => {
    const heard: unknown[] = [];
    let closed = 0;
    const server = createServer(async (request, response) => {
      await once(response, 'close');
      const params = { name: 'create_ticket', _meta: meta() };
      await serveExchange(
        request,
        response,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        new DemoTasks(),
        async (transport) => {
          transport.onmessage = (message) => heard.push(message);
          await transport.start();
          return () => closed++;
        },
      );
      server.close();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const call = post(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'tools/call', { name: 'create_ticket' });
    server.once('request', () => call.drop());
    await once(server, 'close');
    expect([heard, closed]).toEqual([[], 1]);
  });

  test('over HTTP: a revision that it does not speak, headers that say something else, methods that are gone', async ({
    desk: { http },
  }) => {
    const { url } = await http();
    const unknown = post(url, 'tools/list', {}, { protocol: '2030-01-01' });
    expect([await unknown.status, await unknown.text]).toEqual([400, expect.stringMatching(/-32022.*"supported":\["2026-07-28"/)]);
    const other = post(url, 'tools/list', {}, { header: '2025-11-25' });
    expect([await other.status, await other.text]).toEqual([400, expect.stringContaining('-32020')]);
    const gone = post(url, 'ping', {});
    expect([await gone.status, await gone.text]).toEqual([404, expect.stringContaining('-32601')]);
  });

  test('over HTTP: sessions of the revisions before are served beside it', async ({ desk: { http } }) => {
    const server = await http();
    await server.open();
    expect(server.session).toMatch(/^[0-9a-f-]{36}$/);
    await server.ping();
  });

  test('over HTTP: export_report becomes a task of a client that takes tasks, and of no other', async ({ desk: { http, folder } }) => {
    const { url } = await http();
    const call = { name: 'export_report', arguments: { pages: 2 } };
    const made = /"taskId":"(\w+)".*"resultType":"task"/.exec(await post(url, 'tools/call', call, { more: TAKES_TASKS }).text);
    const taskId = made?.[1] ?? '';
    expect(taskId).not.toBe('');
    await until('the report', () => readdirSync(path.join(folder, 'reports')).length === 1);
    expect(await post(url, 'tasks/get', { taskId }, { more: TAKES_TASKS }).text).toMatch(
      /"status":"completed".*"ttlMs":300000.*filed as reports/,
    );
    const plain = await post(url, 'tools/call', call).text;
    expect(plain).toContain('Report for 2026-01: 2 pages');
    expect(plain).toContain('"resultType":"complete"');
    const refused = async (method: string, more = {}, id = taskId) => {
      const posted = post(url, method, { taskId: id }, { more });
      return [await posted.status, /"code":(-\d+)/.exec(await posted.text)?.[1]];
    };
    expect([
      await refused('tasks/get'),
      await refused('tasks/result', TAKES_TASKS),
      await refused('tasks/get', TAKES_TASKS, 'nobody'),
    ]).toEqual([
      [400, '-32021'],
      [404, '-32601'],
      [200, '-32602'],
    ]);
  });

  test('on a pipe: a task that is cancelled, and cancelled again, is acknowledged; nobody is told its news', async ({
    desk: { folder },
  }) => {
    const demo = startStdio(process.execPath, [program, '--state', folder]);
    const _meta = { ...meta(), ...TAKES_TASKS, progressToken: 'token' };
    try {
      demo.send({ id: 1, method: 'tools/call', params: { name: 'export_report', arguments: {}, _meta } });
      const taskId = (await demo.answer(1)).result?.['taskId'];
      for (const id of [2, 3]) demo.send({ id, method: 'tasks/cancel', params: { taskId, _meta } });
      expect((await demo.answer(3)).result).toMatchObject({ resultType: 'complete' });
      demo.send({ id: 4, method: 'tasks/get', params: { taskId, _meta } });
      expect((await demo.answer(4)).result).toMatchObject({ status: 'cancelled', taskId });
      expect(demo.messages.filter(({ method }) => method !== undefined)).toEqual([]);
    } finally {
      await demo.close();
    }
  });

  test('on a pipe: the notification is heeded', async ({ desk: { folder, seats } }) => {
    const demo = startStdio(process.execPath, [program, '--state', folder]);
    try {
      demo.send({ id: 1, method: 'server/discover', params: { _meta: meta() } });
      expect((await demo.answer(1)).result).toMatchObject({ resultType: 'complete', capabilities: { tools: {} } });
      demo.send({ id: 2, method: 'tools/call', params: { name: 'book_seat', arguments: {}, _meta: meta() } });
      await until('the hold', () => seats().includes('1A.held'));
      demo.send({ method: 'notifications/cancelled', params: { requestId: 2 } });
      await until('the seat to be given back', () => seats().length === 0);
      demo.send({ id: 3, method: 'server/discover', params: { _meta: meta() } });
      await demo.answer(3);
      expect(demo.messages.map(({ id }) => id)).toEqual([1, 3]);
    } finally {
      await demo.close();
    }
  });
});
