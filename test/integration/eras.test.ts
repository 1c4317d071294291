// One scenario file on two revisions of the protocol, over stdio and over HTTP, against servers that speak both: only
// `protocol:` changes, and the picture with it.
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Report, report as schema } from '../../app/report/schema';
import { MODERN } from '../../app/wire/era';
import { type RunningServer, sdkV1Http, sdkV2Http, serverBothEras, serverEverything } from '../real/servers';
import { type Cli, installedCli } from './cli.testing';

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

const LEGACY = '2025-11-25';
/** Works for so long, in steps between which it may be stopped, and then writes. */
const WORK = [...Array.from({ length: 40 }, () => ({ wait: 40 })), { write: 'late' }];

interface Place {
  readonly place: string;
  readonly where: readonly string[];
  readonly starts: string;
}

async function newPlace(): Promise<Place> {
  const folder = await mkdtemp(path.join(cli.folder, 'server-'));
  const [place = '', log = '', gates = ''] = ['place', 'log', 'gates'].map((name) => path.join(folder, name));
  await mkdir(place);
  return { place, where: [place, log, gates], starts: path.join(folder, 'starts') };
}

interface Run {
  readonly server: object;
  readonly protocol: string;
  readonly tool: string;
  readonly place?: string;
  readonly how?: unknown;
}

interface Told {
  readonly call: Report['calls'][number];
  readonly report: Report;
  /** Frames of the trace, as the file keeps them. */
  readonly frames: readonly Record<string, unknown>[];
}

async function run({ server, protocol, tool, place, how = 'cancel' }: Run): Promise<Told> {
  const file = path.join(await mkdtemp(path.join(cli.folder, 'run-')), 'run.yaml');
  const probes = place === undefined ? {} : { place: { folder: place } };
  const steps = [
    { call: 'work', tool, arguments: { as: 'work', steps: WORK }, normally: '5s' },
    { stop: 'work', when: '300ms', how },
    { settle: 'work' },
  ];
  await writeFile(file, JSON.stringify({ version: 1, server: { ...server, protocol }, settle: '2s', probes, steps }));
  const trace = file.replace(/yaml$/, 'jsonl');
  const { out, err } = await cli.run(['run', file, '--json', '--quiet', '--trace', trace]);
  expect(err).toBe('');
  const report = schema.parse(JSON.parse(out));
  const [call] = report.calls;
  if (!call) throw new Error('expected one call in the report');
  const frames = (await readFile(trace, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { call, report, frames };
}

async function overHttp(start: (where: readonly string[]) => Promise<RunningServer>, what: Omit<Run, 'server' | 'place'>, watched = true) {
  const { place, where } = await newPlace();
  const server = await start(where);
  try {
    return await run({ ...what, server: { url: server.url }, ...(watched ? { place } : {}) });
  } finally {
    await server.close();
  }
}

async function overStdio(what: Omit<Run, 'server' | 'place'>, watched = true) {
  const { place, where, starts } = await newPlace();
  const told = await run({ ...what, server: { ...serverBothEras(where, starts) }, ...(watched ? { place } : {}) });
  const pids = (await readFile(starts, 'utf8')).trim().split('\n');
  return { ...told, pids };
}

const picture = ({ call }: Told): readonly string[] => [call.verdict, call.stop.state, call.reply.state, call.effect.state];
const texts = ({ frames }: Told): string => JSON.stringify(frames);

describe.concurrent('over HTTP', () => {
  test('the same stop: in one revision a POST that does nothing here, in the other the closed stream that stops it', async () => {
    expect(picture(await overHttp(sdkV2Http, { protocol: LEGACY, tool: 'write_abort' }))).toEqual([
      'write-after-cancel',
      'sent',
      'late-result',
      'after',
    ]);
    const modern = await overHttp(sdkV2Http, { protocol: MODERN, tool: 'write_abort' });
    expect(picture(modern)).toEqual(['stopped', 'stream-closed', 'none', 'not-seen']);
    expect(texts(modern)).not.toContain('notifications/cancelled');
  });

  test('a tool that ignores its signal is seen to write after the stream was closed', async () => {
    const told = await overHttp(sdkV2Http, { protocol: MODERN, tool: 'write_ignore' });
    expect(picture(told)).toEqual(['write-after-cancel', 'stream-closed', 'none', 'after']);
  });

  test('without a probe nobody can tell', async () => {
    const told = await overHttp(sdkV2Http, { protocol: MODERN, tool: 'write_ignore' }, false);
    expect(picture(told)).toEqual(['unknown-write', 'stream-closed', 'none', 'not-probed']);
  });

  test('the notification is the wrong means', async () => {
    const told = await overHttp(sdkV2Http, { protocol: MODERN, tool: 'write_abort', how: { notify: true } });
    expect([told.call.verdict, told.call.stop.flags]).toEqual(['invalid-cancel', ['wrong-means']]);
    expect(texts(told)).toContain('notifications/cancelled');
  });

  test('found out by itself, and a server of before is spoken to as before', async () => {
    expect(picture(await overHttp(sdkV2Http, { protocol: 'auto', tool: 'write_abort' }))).toEqual([
      'stopped',
      'stream-closed',
      'none',
      'not-seen',
    ]);
    const before = await overHttp((where) => sdkV1Http(where, 'sessions'), { protocol: 'auto', tool: 'write_abort' });
    expect(picture(before)).toEqual(['stopped', 'sent', 'none', 'not-seen']);
  });
});

describe.concurrent('over stdio', () => {
  test.each([LEGACY, MODERN, 'auto'])('%s: the notification stops it, and the server was started once', async (protocol) => {
    const told = await overStdio({ protocol, tool: 'write_abort' });
    expect(picture(told)).toEqual(['stopped', 'sent', 'none', 'not-seen']);
    expect(told.call.stop.flags).toEqual([]);
    expect(told.pids).toHaveLength(1);
    expect(texts(told).includes('server/discover')).toBe(protocol !== LEGACY);
  });

  test.each([LEGACY, MODERN])('%s: a tool that ignores it is seen to write', async (protocol) => {
    expect(picture(await overStdio({ protocol, tool: 'write_ignore' }))).toEqual(['write-after-cancel', 'sent', 'none', 'after']);
  });

  test('a server of before is spoken to as before where nobody insists, and says so where somebody does', async () => {
    const { command, args } = serverEverything();
    const all = (protocol: string) => [
      'call',
      `${command} ${args.join(' ')}`,
      'echo',
      '--args',
      '{"message":"hi"}',
      '--protocol',
      protocol,
      '--json',
      '--quiet',
    ];
    const auto = await cli.run(all('auto'));
    expect([auto.code, schema.parse(JSON.parse(auto.out)).calls[0]?.verdict]).toEqual([0, 'completed']);
    const pinned = await cli.run(all(MODERN));
    expect(pinned.code).not.toBe(0);
    expect(pinned.err).toContain(`Expected the server to speak ${MODERN}`);
  });
});
