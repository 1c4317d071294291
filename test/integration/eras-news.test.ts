// What revision 2026-07-28 has beside calls, against a server on the official package: requests of several rounds, news that
// are asked for, arguments that go out as headers, errors of its own. Over stdio and over HTTP.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServerSpec } from '../../app/contract/server';
import { MODERN } from '../../app/wire/era';
import { startProbe } from '../../main/probes';
import { newsOverHttp, serverNews } from '../real/servers';
import { type TestHost, testHost } from './host.testing';

let host: TestHost;
let close: () => Promise<void>;
beforeEach(async () => {
  host = await testHost(startProbe, { graceMs: 500 });
  close = async () => undefined;
});
afterEach(async () => {
  await host.end();
  await close();
});

async function overStdio(): Promise<ServerSpec> {
  const { command, args } = serverNews();
  return { kind: 'stdio', command, args: [...args], env: {}, watch: [], protocol: MODERN };
}

async function overHttp(): Promise<ServerSpec> {
  const server = await newsOverHttp();
  close = () => server.close();
  return { kind: 'http', url: server.url, transport: 'http', headers: {}, protocol: MODERN };
}

const listens = () => host.calls.all.filter(({ purpose }) => purpose === 'listen');
const acknowledged = (): number =>
  Array.from({ length: host.trace.length }, (_, seq) => host.trace.name(seq)).filter((name) => name.endsWith('/acknowledged')).length;

async function answered(tool: string, args: Record<string, unknown> = {}, probes: string[] = []) {
  const call = await host.call(tool, args, { probes });
  await host.until('the verdict', () => ['completed', 'failed'].includes(host.verdicts.get(call)?.verdict ?? ''));
  const { replies, rounds } = host.callOf(call);
  return { verdict: host.verdicts.get(call), rounds, call, text: await host.raw(replies[0]?.seq ?? -1) };
}

describe.each([
  ['over stdio', overStdio],
  ['over HTTP', overHttp],
])('%s', (_, spec) => {
  beforeEach(async () => {
    await host.request('server.roots', { roots: [{ uri: 'file:///shop', name: 'shop' }] });
    await host.connectTo(await spec());
    await host.until('the tools', () => host.status.tools.length > 0);
    await host.until('the subscription', () => acknowledged() === 1);
  });

  test('a server that asks for the folders is told them, in a further round of the same call', async () => {
    const { verdict, rounds, text } = await answered('where');
    expect([verdict?.verdict, rounds.length]).toEqual(['completed', 1]);
    expect(text).toContain('file:///shop');
    const round = JSON.parse(await host.raw(rounds[0]?.sent?.seq ?? -1));
    expect(round.params).toMatchObject({ name: 'where', requestState: 'mine', inputResponses: { folders: { roots: [{ name: 'shop' }] } } });
    expect(verdict?.reply.because[0]?.says).toContain('the server asked for input (roots/list)');
    expect(host.calls.all.filter(({ tool }) => tool === 'where')).toHaveLength(1);
  });

  test('a server that would ask a person refuses, and what it lacks is said', async () => {
    const { verdict } = await answered('person');
    expect(verdict?.sentence).toMatch(/error -32021 \(it needs something that this client has not declared \(elicitation\)\)/);
  });

  test('a server that asks on and on is asked no more once the call has been stopped', async () => {
    const call = await host.call('again');
    await host.until('a second round', () => host.callOf(call).rounds.length > 0);
    await host.cancel(call);
    await host.until('the stop', () => host.callOf(call).stops.length > 0);
    const rounds = host.callOf(call).rounds.length;
    // Whatever was on its way then is through when this has been answered.
    await answered('where');
    expect(host.callOf(call).rounds.length).toBe(rounds);
  });

  test('an argument that its schema wants in a header goes out in one, and the server agrees', async () => {
    expect((await answered('routed', { region: 'Zürich' })).verdict?.verdict).toBe('completed');
    const headers = [...host.trace.extras.values()].flatMap((extra) =>
      extra.about === 'http' && extra.http.http === 'request' ? [extra.http.headers['mcp-param-region']] : [],
    );
    const sent = headers.filter((value) => value !== undefined);
    expect(sent).toEqual(host.status.transport === 'http' ? ['=?base64?WsO8cmljaA==?='] : []);
  });

  test('news of the tools are asked for, and come', async () => {
    await answered('grow');
    await host.until('the new tool', () => host.status.tools.some(({ name }) => name.startsWith('grown_')));
  });

  test('a probe that reads a resource is told when it changes; the request before is ended when the new one holds', async () => {
    const probe = { kind: 'read' as const, name: 'note', shared: false, read: { resource: 'note://it' }, everyMs: 60_000 };
    expect(await host.request('probe.set', { connection: host.connection, probe })).toMatchObject({ state: 'watching' });
    await host.until('the new subscription', () => acknowledged() === 2);
    await host.until('the end of the one before', () => {
      const [first] = listens();
      return first !== undefined && (first.cancels.length > 0 || first.exchanges.some(({ end }) => end?.http.http === 'cut'));
    });
    const { call } = await answered('edit', {}, ['note']);
    await host.until('what was seen', () => (host.verdicts.get(call)?.effect.observations.length ?? 0) > 0);
    expect(host.findings).toEqual([]);
    expect(host.status.why).toBeUndefined();
  });
});

/** Answers what belongs to a connection, and leaves the subscription open until it is told to end it. */
async function endingServer() {
  let listening: ServerResponse | undefined;
  const results: Readonly<Record<string, object>> = {
    'server/discover': { supportedVersions: [MODERN], capabilities: { tools: { listChanged: true } }, resultType: 'complete' },
    'tools/list': { tools: [{ name: 'charge', inputSchema: { type: 'object' } }], resultType: 'complete' },
  };
  const says = (response: ServerResponse, message: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (more) => {
      text += more;
    });
    request.on('end', () => {
      const { id, method } = JSON.parse(text);
      const result = results[method];
      if (result) response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      if (method !== 'subscriptions/listen') return;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      says(response, { method: 'notifications/subscriptions/acknowledged', params: { notifications: { toolsListChanged: true }, _meta } });
      listening = response;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => new Promise((resolve) => server.close(() => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    url,
    end: (how: 'with its result' | 'without one') => {
      if (listening && how === 'with its result') says(listening, { id: 'stopgap-listen-1', result: { resultType: 'complete' } });
      listening?.end();
    },
  };
}

test.each(['with its result', 'without one'] as const)(
  'a subscription that the server ends %s is said to be over, and the session lives on',
  async (how) => {
    const server = await endingServer();
    await host.connectTo({ kind: 'http', url: server.url, transport: 'http', headers: {}, protocol: MODERN });
    await host.until('the subscription', () => acknowledged() === 1);
    server.end(how);
    await host.until('what is said', () => host.status.why?.includes('subscriptions/listen'));
    expect(host.status.state).toBe('connected');
    expect(host.findings).toEqual([]);
  },
);
