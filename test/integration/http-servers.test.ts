// Servers over HTTP that others wrote, and our own upon both versions of the SDK: connected, called, stopped by a cancel and by
// dropping the connection, through the host as the window has it. The truth set holds their verdicts against what was done.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerSpec } from '../../app/contract/server';
import type { Verdict } from '../../app/verdict/verdict';
import { DEMO_PROBES } from '../../main/demo/probes';
import { everythingOverHttp, type RunningServer, sdkExample } from '../real/servers';
import { blindProbe, type TestHost, testHost } from './host.testing';

let host: TestHost;
const running: RunningServer[] = [];

beforeAll(async () => {
  host = await testHost(blindProbe, { graceMs: 500 });
});
afterAll(async () => {
  await host.end();
  await Promise.all(running.map((server) => server.close()));
});

type Transport = Extract<ServerSpec, { kind: 'http' }>['transport'];

async function connected(server: Promise<RunningServer>, transport: Transport): Promise<void> {
  const started = await server;
  running.push(started);
  await connectAgain(started.url, transport);
}

async function connectAgain(url: string, transport: Transport): Promise<void> {
  await host.connectTo({ kind: 'http', url, transport, headers: {} });
  expect([host.status.state, host.status.why]).toEqual(['connected', undefined]);
  await host.until('the tools', () => host.status.tools.length > 0);
}

const verdict = (call: number) => host.verdicts.get(call);
async function settled(call: number): Promise<Verdict> {
  await host.until('the verdict', () => verdict(call)?.settled);
  const final = verdict(call);
  if (!final) throw new Error('a verdict that was there has gone');
  return final;
}
const found = (): readonly string[] => host.findings.map(({ finding }) => finding);
const exchanges = (call: number) => host.callOf(call).exchanges;
const progressed = (call: number) => host.until('progress', () => host.callOf(call).progress.length > 0);
const said = (call: number): string => (verdict(call)?.stop.because ?? []).map(({ says }) => says).join('; ');

const drop = (call: number) => host.request('call.stop', { call, how: { means: 'drop' } });

/** Works for a second and goes on with its progress whatever happens. */
const long = (): Promise<number> => host.call('trigger-long-running-operation', { duration: 1, steps: 10 }, { settleMs: 800 });

describe('@modelcontextprotocol/server-everything', () => {
  test('over Streamable HTTP: the cancel is taken, the work goes on, the stream is never ended', async () => {
    await connected(everythingOverHttp('streamableHttp'), 'auto');
    expect([host.status.transport, host.status.stateful, host.status.fellBack]).toEqual(['http', true, undefined]);
    const call = await long();
    await progressed(call);
    expect(await host.cancel(call)).toBe('sent');
    const { verdict: headline, reply, stop } = await settled(call);
    expect([headline, reply.state, stop.state]).toEqual(['still-working', 'none', 'sent']);
    expect(said(call)).toMatch(/POST #\d+ answered 202: something received it/);
    await host.until('the finding', () => found().includes('stream-never-ended'));
  });

  test('over Streamable HTTP: a dropped connection is no cancel', async () => {
    const call = await long();
    await progressed(call);
    expect(await drop(call)).toMatchObject({ outcome: 'told-nobody', says: expect.stringContaining('A disconnect is no cancel') });
    const { verdict: headline, stop } = await settled(call);
    expect([headline, stop.state]).toEqual(['never-told', 'not-sent']);
    expect(exchanges(call).at(-1)?.end?.http).toMatchObject({ http: 'cut', by: 'drop' });
    const next = await host.call('echo', { message: 'still there' });
    await host.until('an answer', () => verdict(next)?.verdict === 'completed');
  });

  test('over HTTP+SSE: the same, and there is no stream to be left open', async () => {
    await connected(everythingOverHttp('sse'), 'sse');
    expect([host.status.transport, host.status.protocol]).toEqual(['sse', expect.any(String)]);
    const call = await long();
    await progressed(call);
    expect(await host.cancel(call)).toBe('sent');
    const { verdict: headline, reply } = await settled(call);
    expect([headline, reply.state]).toEqual(['still-working', 'none']);
  });

  test('over HTTP+SSE: dropping the connection ends the session', async () => {
    const call = await long();
    await progressed(call);
    expect((await drop(call)).outcome).toBe('told-nobody');
    await host.until('the end', () => host.status.state === 'ended');
    expect((await settled(call)).stop.state).toBe('not-sent');
  });
});

describe('the SDK’s own examples', () => {
  const notifications = (count = 20): Promise<number> => host.call('start-notification-stream', { interval: 40, count }, { settleMs: 600 });
  const begun = (call: number) => host.until('a notification', () => host.callOf(call).exchanges.some(({ response }) => response));

  test('simpleStreamableHttp: with sessions, silent after the cancel', async () => {
    await connected(sdkExample('simpleStreamableHttp'), 'auto');
    const greeted = await host.call('greet', { name: 'Ada' });
    await host.until('the greeting', () => verdict(greeted)?.verdict === 'completed');
    const call = await notifications();
    await begun(call);
    expect(await host.cancel(call)).toBe('sent');
    const { reply, stop } = await settled(call);
    expect([host.status.stateful, reply.state, stop.state]).toEqual([true, 'none', 'sent']);
  });

  test('simpleStatelessStreamableHttp: without sessions, the cancel is taken and the call is answered late', async () => {
    await connected(sdkExample('simpleStatelessStreamableHttp'), 'auto');
    const call = await notifications();
    await begun(call);
    expect(await host.cancel(call)).toBe('sent');
    await host.until('the late result', () => verdict(call)?.reply.state === 'late-result');
    expect([host.status.stateful, verdict(call)?.verdict]).toEqual([false, 'late-result-write']);
    expect(said(call)).toMatch(/answered 202/);
  });

  test('jsonResponseStreamableHttp: the response of a stopped call never gets a head', async () => {
    await connected(sdkExample('jsonResponseStreamableHttp'), 'auto');
    const call = await host.call('multi-greet', { name: 'Ada' }, { settleMs: 300 });
    expect(await host.cancel(call)).toBe('sent');
    const { verdict: headline, reply } = await settled(call);
    expect([headline, reply.state, exchanges(call).map(({ response }) => response)]).toEqual([
      expect.stringMatching(/unknown-write|still-working/),
      'none',
      [undefined],
    ]);
    await host.until('the finding', () => found().includes('stream-never-ended'));
  });

  test('sseAndStreamableHttpCompatibleServer: either transport', async () => {
    await connected(sdkExample('sseAndStreamableHttpCompatibleServer'), 'auto');
    expect(host.status.transport).toBe('http');
    await connectAgain((running.at(-1)?.url ?? '').replace('/mcp', '/sse'), 'auto');
    expect([host.status.transport, host.status.fellBack?.from]).toEqual(['sse', 'http']);
  });

  test('simpleSseServer: the older transport alone, found by falling back, visibly', async () => {
    await connected(sdkExample('simpleSseServer'), 'auto');
    expect([host.status.transport, host.status.fellBack?.why]).toEqual(['sse', expect.stringMatching(/404|405/)]);
    const call = await notifications();
    await begun(call);
    expect(await host.cancel(call)).toBe('sent');
    expect((await settled(call)).reply.state).toBe('none');
  });

  test('standaloneSseWithGetStreamableHttp: the server’s own stream', async () => {
    const server = await sdkExample('standaloneSseWithGetStreamableHttp');
    running.push(server);
    await host.connectTo({ kind: 'http', url: server.url, transport: 'auto', headers: {} });
    await host.until('the stream', () =>
      host.calls.sessions.get(host.status.session)?.exchanges.streams.some(({ opened, end }) => opened && !end),
    );
    expect(host.status.state).toBe('connected');
  });

  test('ssePollingExample: the server closes the stream in between, and nothing is lost', async () => {
    await connected(sdkExample('ssePollingExample'), 'auto');
    const call = await host.call('long-task', {}, { settleMs: 500 });
    await host.until('the closed stream', () => exchanges(call)[0]?.end?.http.http === 'ended');
    expect(verdict(call)?.reply.state).toBe('waiting');
    await host.until('the answer', () => verdict(call)?.verdict === 'completed');
    expect(host.callOf(call).replies).toHaveLength(1);
    expect(host.callOf(call).replies[0]?.exchange).not.toBe(exchanges(call)[0]?.number);
  });
});

test('the demo over HTTP comes with its probes and arrangements, and ends with its connection', async () => {
  await host.connectTo({ kind: 'demo', over: 'http' });
  await host.until(
    'its probes',
    () => host.status.probes.length === Object.keys(DEMO_PROBES).length && host.status.probes.every(({ state }) => state === 'watching'),
  );
  const { command, title, setups, probes } = host.status;
  expect([title, setups['charge_card']?.probes, probes.every(({ builtIn }) => builtIn)]).toEqual([
    'Demo server over HTTP',
    ['ledger'],
    true,
  ]);
  const asked = (): Promise<number> => fetch(command).then(({ status }) => status);
  // A GET that accepts no event stream (2025-11-25, Transports, Listening for Messages).
  expect(await asked()).toBe(406);
  await host.request('server.disconnect', { connection: host.connection });
  await expect(asked()).rejects.toThrow();
});
