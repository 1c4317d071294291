// The command line against servers over HTTP: the same stop, and three servers that take it in three ways.
import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Report, report as schema } from '../../app/report/schema';
import { everythingOverHttp, type RunningServer, sdkExample, sdkV1Http, sdkV2Http } from '../real/servers';
import { type Cli, installedCli } from './cli.testing';

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

/** Works for so long, in steps between which it may be stopped, and then writes. */
const WORK = [...Array.from({ length: 40 }, () => ({ wait: 40 })), { write: 'late' }];

interface Told {
  readonly code: number | null;
  readonly call: Report['calls'][number];
}

async function calls(server: string, tool: string, args: object, words: readonly string[]): Promise<Told> {
  const all = ['call', server, tool, '--args', JSON.stringify(args), '--stop-after', '300ms', '--json', '--quiet', ...words];
  const { code, out, err } = await cli.run(all);
  expect(err).toBe('');
  const [call] = schema.parse(JSON.parse(out)).calls;
  if (!call) throw new Error('expected one call in the report');
  return { code, call };
}

/** A call that works and writes, on a server of its own, with its place watched. */
async function stopped(start: (where: readonly string[]) => Promise<RunningServer>, words: readonly string[] = []): Promise<Told> {
  const folder = await mkdtemp(path.join(cli.folder, 'server-'));
  const [place = '', log = '', gates = ''] = ['place', 'log', 'gates'].map((name) => path.join(folder, name));
  await mkdir(place);
  const server = await start([place, log, gates]);
  try {
    const watched = ['--probe', `folder:${place}`, '--normally', '1700ms', '--settle', '500ms', ...words];
    return await calls(server.url, 'write_abort', { as: 'call', steps: WORK }, watched);
  } finally {
    await server.close();
  }
}

describe.concurrent('one Stop, and what it is worth', () => {
  test('with sessions: the cancel stops it', async () => {
    const { code, call } = await stopped((where) => sdkV1Http(where, 'sessions'));
    expect([code, call.verdict, call.stop.state, call.reply.state]).toEqual([0, 'stopped', 'sent', 'none']);
  });

  test('without sessions: the cancel is taken, the call writes and answers late', async () => {
    const { code, call } = await stopped((where) => sdkV1Http(where, 'stateless'));
    expect([code, call.verdict, call.stop.state, call.reply.state]).toEqual([1, 'write-after-cancel', 'sent', 'late-result']);
  });

  test('second version: the cancel does nothing', async () => {
    const { code, call } = await stopped(sdkV2Http);
    expect([code, call.verdict, call.reply.state]).toEqual([1, 'write-after-cancel', 'late-result']);
  });

  test('second version: dropping the connection stops it, which nobody was told to do', async () => {
    const { code, call } = await stopped(sdkV2Http, ['--how', 'drop']);
    expect([code, call.verdict, call.severity, call.stop.state, call.effect.state]).toEqual([
      0,
      'never-told',
      'warn',
      'not-sent',
      'not-seen',
    ]);
  });

  test('with sessions: dropping the connection stops nothing', async () => {
    const { code, call } = await stopped((where) => sdkV1Http(where, 'sessions'), ['--how', 'drop']);
    expect([code, call.verdict, call.severity, call.effect.state]).toEqual([1, 'never-told', 'breach', 'after']);
  });

  test.each(['streamableHttp', 'sse'] as const)('server-everything over %s goes on with its progress', async (transport) => {
    const server = await everythingOverHttp(transport);
    const { code, call } = await calls(server.url, 'trigger-long-running-operation', { duration: 1.5, steps: 15 }, ['--settle', '800ms']);
    await server.close();
    expect([code, call.verdict, call.stop.state, call.reply.state]).toEqual([0, 'still-working', 'sent', 'none']);
  });

  test.each([
    ['simpleStreamableHttp', 'none'],
    ['simpleStatelessStreamableHttp', 'late-result'],
    ['simpleSseServer', 'none'],
  ] as const)('the SDK’s example %s', async (name, reply) => {
    const server = await sdkExample(name);
    const { call } = await calls(server.url, 'start-notification-stream', { interval: 50, count: 16 }, ['--settle', '2s']);
    await server.close();
    expect([call.stop.state, call.reply.state]).toEqual(['sent', reply]);
  });

  test.each([
    ['demo:http', 0, 'stopped', 'none'],
    ['demo:http-json', 0, 'stopped', 'none'],
    ['demo:http-stateless', 1, 'write-after-cancel', 'late-result'],
    ['demo:sse', 0, 'stopped', 'none'],
  ] as const)('%s: create_ticket', async (server, exit, headline, reply) => {
    const { code, call } = await calls(server, 'create_ticket', { title: 'Printer on fire' }, ['--settle', '500ms']);
    expect([code, call.verdict, call.reply.state]).toEqual([exit, headline, reply]);
  });
});

test('the demo server says which of its words do not go together', async () => {
  expect(await cli.run(['demo-server', '--json'])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/Expected --http PORT with/),
  });
  expect(await cli.run(['demo-server', '--http', '0', '--sse', '--stateless'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/at most one/),
  });
  expect(await cli.run(['call', 'demo:smoke', 'x'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/demo:http-stateless, demo:sse, got demo:smoke/),
  });
});
