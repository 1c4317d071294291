// The revision without a handshake as the window has it: what stands on the wire, what a Stop is before anything has been
// answered, and what becomes of servers that do not know the question.
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AUTOMATIC, MODERN } from '../../app/wire/era';
import { startProbe } from '../../main/probes';
import { type TestHost, testHost } from './host.testing';

let host: TestHost;
beforeEach(async () => {
  host = await testHost(startProbe, { graceMs: 500 });
});
afterEach(() => host.end());

interface Posted {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly meta: unknown;
}

/** A server that answers what belongs to a connection and leaves every call without even a head. */
async function deafServer() {
  const posted: Posted[] = [];
  const closed: string[] = [];
  const results: Readonly<Record<string, object>> = {
    'server/discover': { supportedVersions: [MODERN, '2027-01-01'], capabilities: { tools: {} }, resultType: 'complete' },
    'tools/list': { tools: [{ name: 'charge', inputSchema: { type: 'object' } }], resultType: 'complete' },
  };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (more) => {
      text += more;
    });
    request.on('end', () => {
      const { id, method, params } = JSON.parse(text);
      posted.push({ method, headers: request.headers, meta: params?._meta });
      const result = results[method];
      if (result) response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      else response.once('close', () => closed.push(method));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { url, posted, closed, close: () => server.close() };
}

test('Stop closes the stream before its first byte, and nothing is sent', async () => {
  const server = await deafServer();
  await host.connectTo({ kind: 'http', url: server.url, transport: 'auto', headers: {}, protocol: MODERN });
  await host.until('the tools', () => host.status.tools.length > 0);
  expect([host.status.protocol, host.status.offered]).toEqual([MODERN, [MODERN, '2027-01-01']]);
  const call = await host.call('charge');
  expect(await host.cancel(call, 'never mind')).toBe('sent');
  await host.until('the server to see it', () => server.closed.length > 0);
  await host.until('the verdict', () => host.verdicts.get(call)?.stop.state === 'stream-closed');
  expect(host.verdicts.get(call)?.stop.reason).toBe('never mind');
  expect(await host.cancel(call)).toBe('nothing');
  expect(server.posted.map(({ method }) => method)).toEqual(['server/discover', 'tools/list', 'tools/call']);
  expect(server.posted[2]?.headers).toMatchObject({ 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'charge' });
  expect(server.posted.map(({ headers }) => headers['mcp-session-id'])).toEqual([undefined, undefined, undefined]);
  for (const { meta } of server.posted) expect(meta).toMatchObject({ 'io.modelcontextprotocol/protocolVersion': MODERN });
  server.close();
});

const LIBRARY = pathToFileURL(path.join(import.meta.dirname, '../fixtures/mcp.mjs')).href;
/** A server of before that does something else at a question that it does not know. */
const ofBefore = (atUnknown: string, atStart = '') => ({
  kind: 'stdio' as const,
  command: process.execPath,
  args: [
    '--input-type=module',
    '-e',
    `import { serve, tool } from '${LIBRARY}'; ${atStart} serve({ name: 'before', tools: [tool('wait', 'Waits.')], onCall: () => {}, onMessage: (message) => { if (message.method === 'server/discover') { ${atUnknown} } } });`,
  ],
  env: {},
  watch: [],
  protocol: AUTOMATIC,
});

test('a server that refuses the question is spoken to as before, in the same process', async () => {
  await host.connectTo(ofBefore(''));
  await host.until('the tools', () => host.status.tools.length > 0);
  expect([host.status.protocol, host.status.offered]).toEqual(['2025-11-25', undefined]);
});

test('a server that says nothing to the question is spoken to as before', async () => {
  await host.connectTo(ofBefore("delete message.id; message.method = 'unheard';"));
  await host.until('the tools', () => host.status.tools.length > 0);
  expect(host.status.protocol).toBe('2025-11-25');
});

test.each([AUTOMATIC, MODERN])('%s: a server that ends at the question is not started again', async (protocol) => {
  // Counted by the processes themselves: what the trace says of them is what is in question.
  const starts = path.join(host.folder, 'starts');
  const atStart = `import { appendFileSync } from 'node:fs'; appendFileSync('${starts}', process.pid + '\\n');`;
  await host.connectTo({ ...ofBefore('process.exit(3);', atStart), protocol });
  await host.until('the end', () => host.status.state === 'failed');
  expect(host.status.why?.includes('connect without “auto”')).toBe(protocol === AUTOMATIC);
  expect(host.status.why).not.toContain('initialize');
  expect((await readFile(starts, 'utf8')).trim().split('\n')).toHaveLength(1);
  const started = Array.from({ length: host.trace.length }, (_, seq) => host.trace.name(seq)).filter((name) => name === 'started');
  expect(started).toHaveLength(1);
});
