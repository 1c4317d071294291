// One scenario file on two revisions of the protocol, over stdio and over HTTP, against servers built with the official packages
// of both lines: only `protocol:` changes, and the picture with it. The server goes on when its stop is in the trace, the
// place has been looked at since, and the server has heard of it where it can: nothing here depends on how fast a machine is.
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Report, report as schema } from '../../app/report/schema';
import { MODERN } from '../../app/wire/era';
import type { Frame } from '../../app/wire/frame';
import { decodeLine } from '../../app/wire/tracefile';
import {
  type RunningServer,
  type StartCommand,
  sdkV1Http,
  sdkV2Http,
  serverBothEras,
  serverEverything,
  serverSdkV1,
} from '../real/servers';
import { until } from '../truth/until';
import { type Cli, installedCli } from './cli.testing';

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

const LEGACY = '2025-11-25';

/** Where a server of the set works, and what it is told. */
interface Place {
  readonly place: string;
  readonly log: string;
  readonly gates: string;
  readonly where: readonly string[];
  /** A file in which every start of the server is a line. */
  readonly starts: string;
}

async function newPlace(): Promise<Place> {
  const folder = await mkdtemp(path.join(cli.folder, 'server-'));
  const at = (name: string): string => path.join(folder, name);
  const [place, log, gates] = [at('place'), at('log'), at('gates')];
  await Promise.all([mkdir(place), mkdir(gates)]);
  return { place, log, gates, where: [place, log, gates], starts: at('starts') };
}

interface Scenario {
  readonly tool: string;
  readonly watched?: boolean;
  readonly how?: string;
  /** What the tool does when it is let go. */
  readonly last?: string;
}

/** The file. Nothing but its line `protocol:` is changed between two runs. */
const fileOf = (server: string, { place }: Place, { tool, watched = true, how = 'cancel', last = '{ write: late }' }: Scenario): string =>
  `version: 1
server:
  ${server}
  protocol: ${LEGACY}
settle: 3s
${watched ? `probes:\n  place: { folder: ${JSON.stringify(place)} }\n` : ''}steps:
  - call: work
    tool: ${tool}
    normally: 100ms
    arguments: { as: work, steps: [{ progress: 1 }, { gate: go }, ${last}] }
  - { stop: work, when: { on: first-progress }, how: ${how} }
  - settle: work
`;

interface Told {
  readonly code: number | null;
  readonly err: string;
  readonly report: Report | undefined;
  readonly frames: readonly Frame[];
}

interface Running {
  readonly file: string;
  readonly place: Place;
  readonly watched: boolean;
  /** The server has heard of the stop, as far as it ever will. */
  readonly heard: (frames: readonly Frame[]) => boolean;
}

const framesOf = (text: string): readonly Frame[] =>
  text
    .slice(0, text.lastIndexOf('\n'))
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => decodeLine(line));

function traceSoFar(trace: string): readonly Frame[] {
  try {
    return framesOf(readFileSync(trace, 'utf8'));
  } catch {
    return [];
  }
}

/** Runs the file on a revision, and lets the server go once the stop is known to everybody. */
async function run({ file, place, watched, heard }: Running, protocol: string): Promise<Told> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/protocol: .*/, `protocol: ${protocol}`));
  const trace = `${file}.${protocol}.ndjson`;
  const gate = path.join(place.gates, 'go');
  await rm(gate, { force: true });
  let over = false;
  const running = cli.run(['run', file, '--json', '--quiet', '--fail-on', 'never', '--trace', trace]).finally(() => {
    over = true;
  });
  await until('the stop', () => over || isPast(traceSoFar(trace), watched, heard));
  await writeFile(gate, '');
  const { code, out, err } = await running;
  return { code, err, report: out === '' ? undefined : schema.parse(JSON.parse(out)), frames: traceSoFar(trace) };
}

function isPast(frames: readonly Frame[], watched: boolean, heard: Running['heard']): boolean {
  const stop = frames.find((frame) => frame.kind === 'act' && frame.act.act === 'stop');
  if (!stop || !heard(frames)) return false;
  return !watched || frames.some((frame) => frame.kind === 'effect' && frame.effect.effect === 'clear' && frame.effect.lo > stop.t);
}

const hasPong = (frames: readonly Frame[]): boolean =>
  frames.some((frame) => frame.kind === 'message' && frame.dir === 's2c' && frame.raw.includes('stopgap-fence-'));

type Runs = readonly [file: Running, close: () => Promise<void>];

async function overHttp(start: (where: readonly string[]) => Promise<RunningServer>, scenario: Scenario): Promise<Runs> {
  const place = await newPlace();
  const server = await start(place.where);
  const file = path.join(path.dirname(place.place), 'run.yaml');
  await writeFile(file, fileOf(`url: ${server.url}`, place, scenario));
  // The server writes down that a cancel, or the closed stream of a call, has come to it.
  const heard = (): boolean => readFileSync(place.log, 'utf8').includes('"entry":"cancel"');
  return [{ file, place, watched: scenario.watched ?? true, heard }, () => server.close()];
}

async function overStdio(command: (place: Place) => StartCommand, scenario: Scenario): Promise<Runs> {
  const place = await newPlace();
  const { command: program, args } = command(place);
  const file = path.join(path.dirname(place.place), 'run.yaml');
  await writeFile(file, fileOf(`command: ${JSON.stringify(program)}\n  args: ${JSON.stringify(args)}`, place, scenario));
  return [{ file, place, watched: scenario.watched ?? true, heard: hasPong }, async () => undefined];
}

async function on(protocols: readonly string[], runs: Promise<Runs>): Promise<readonly Told[]> {
  const [file, close] = await runs;
  const told: Told[] = [];
  try {
    for (const protocol of protocols) {
      await writeFile(file.place.log, '');
      told.push(await run(file, protocol));
    }
  } finally {
    await close();
  }
  return told;
}

/** What the same file shows on the two revisions. */
async function both(runs: Promise<Runs>): Promise<{ readonly legacy: Told; readonly modern: Told }> {
  const [legacy, modern] = await on([LEGACY, MODERN], runs);
  if (!legacy || !modern) throw new Error('expected two runs');
  return { legacy, modern };
}

const picture = ({ report, err }: Told): readonly string[] => {
  const [call] = report?.calls ?? [];
  return call ? [call.verdict, call.stop.state, call.reply.state, call.effect.state] : [err];
};
/** Whether an answer is late or has crossed its cancel depends on how fast the machine is; what follows from it does not. */
const LATE = expect.stringMatching(/^(?:late-result|crossed)$/);
const found = ({ report }: Told): readonly string[] => (report?.findings ?? []).map(({ finding }) => finding);
const sent = ({ frames }: Told): readonly string[] =>
  frames.flatMap((frame) => (frame.kind === 'message' && frame.dir === 'c2s' ? [String(JSON.parse(frame.raw).method)] : []));

const http2 = (scenario: Scenario): Promise<Runs> => overHttp(sdkV2Http, scenario);
const stdio2 = (scenario: Scenario): Promise<Runs> => overStdio(({ where, starts }) => serverBothEras(where, starts), scenario);
const http1 = (scenario: Scenario): Promise<Runs> => overHttp((where) => sdkV1Http(where, 'sessions'), scenario);
const stdio1 = (scenario: Scenario): Promise<Runs> => overStdio(({ where }) => serverSdkV1(where), scenario);

describe.concurrent('the second line of the official packages, over HTTP', () => {
  test('a tool that heeds its signal: the cancel that is posted does nothing, the closed stream stops it', async () => {
    const { legacy, modern } = await both(http2({ tool: 'write_abort' }));
    expect(picture(legacy)).toEqual(['write-after-cancel', 'sent', LATE, 'after']);
    expect(picture(modern)).toEqual(['stopped', 'stream-closed', 'none', 'not-seen']);
    expect(sent(legacy)).toContain('notifications/cancelled');
    expect(sent(modern).filter((method) => method !== 'subscriptions/listen')).toEqual(['server/discover', 'tools/list', 'tools/call']);
  });

  test('a tool that ignores it is seen to write after its stream was closed', async () => {
    const { legacy, modern } = await both(http2({ tool: 'write_ignore' }));
    expect(picture(legacy)).toEqual(['write-after-cancel', 'sent', LATE, 'after']);
    expect(picture(modern)).toEqual(['write-after-cancel', 'stream-closed', 'none', 'after']);
  });

  test('without a probe a late answer tells what was done; a closed stream tells nothing', async () => {
    const { legacy, modern } = await both(http2({ tool: 'write_ignore', watched: false }));
    expect(picture(legacy)).toEqual(['late-result-write', 'sent', LATE, 'claimed']);
    expect(picture(modern)).toEqual(['unknown-write', 'stream-closed', 'none', 'not-probed']);
  });

  test('the notification, where it is the wrong means', async () => {
    const { legacy, modern } = await both(http2({ tool: 'write_abort', how: '{ notify: true }' }));
    expect(picture(legacy)[0]).toBe('write-after-cancel');
    expect(picture(modern)[0]).toBe('invalid-cancel');
    expect([legacy, modern].map(({ report }) => report?.calls[0]?.stop.flags)).toEqual([[], ['wrong-means']]);
  });
});

describe.concurrent('the second line of the official packages, over stdio', () => {
  test('a tool that heeds its signal is stopped by the notification in both', async () => {
    const { legacy, modern } = await both(stdio2({ tool: 'write_abort' }));
    expect(picture(legacy)).toEqual(['stopped', 'sent', 'none', 'not-seen']);
    expect(picture(modern)).toEqual(['stopped', 'sent', 'none', 'not-seen']);
    expect(sent(legacy)).toContain('ping');
    expect(sent(legacy)).not.toContain('server/discover');
    expect(sent(modern)).toContain('server/discover');
    expect(sent(modern)).not.toContain('ping');
  });

  test('a tool that ignores it is seen to write in both', async () => {
    const { legacy, modern } = await both(stdio2({ tool: 'write_ignore' }));
    expect(picture(legacy)).toEqual(['write-after-cancel', 'sent', 'none', 'after']);
    expect(picture(modern)).toEqual(['write-after-cancel', 'sent', 'none', 'after']);
  });

  test('progress after the cancel: advised against in one revision, forbidden in the other', async () => {
    const { legacy, modern } = await both(stdio2({ tool: 'write_ignore', last: '{ wait: 1500 }, { tell: 2 }' }));
    expect(picture(legacy)[0]).toBe('still-working');
    expect(picture(modern)[0]).toBe('still-working');
    expect([found(legacy), found(modern)]).toEqual([[], ['cancel-ignored-by-revision']]);
  });
});

describe.concurrent('the first line of the official packages, which has no such revision', () => {
  test.each([
    ['over stdio', stdio1],
    ['over HTTP', http1],
  ])('%s: spoken to as before, and not called where somebody insists', async (_, runs) => {
    const { legacy, modern } = await both(runs({ tool: 'write_abort' }));
    expect(picture(legacy)).toEqual(['stopped', 'sent', 'none', 'not-seen']);
    expect(modern.code).toBe(3);
    expect(modern.err).toContain(`Expected the server to speak ${MODERN}`);
    // The server may speak of it; we have not asked for it.
    expect(modern.err.replace(/“.*?”/g, '')).not.toContain('initialize');
  });

  test.each([
    ['over stdio', stdio1],
    ['over HTTP', http1],
  ])('%s: found out by itself', async (_, runs) => {
    const [auto] = await on(['auto'], runs({ tool: 'write_ignore' }));
    expect(auto && picture(auto)).toEqual(['write-after-cancel', 'sent', 'none', 'after']);
    expect(auto && sent(auto).slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });
});

describe.concurrent('found out by itself', () => {
  test('over HTTP a server of both lines is spoken to in the newer one', async () => {
    const [auto] = await on(['auto'], http2({ tool: 'write_abort' }));
    expect(auto && picture(auto)).toEqual(['stopped', 'stream-closed', 'none', 'not-seen']);
  });

  test('over stdio it is asked in the process that is then used: it was started once', async () => {
    const runs = stdio2({ tool: 'write_abort' });
    const [auto] = await on(['auto'], runs);
    expect(auto && picture(auto)).toEqual(['stopped', 'sent', 'none', 'not-seen']);
    const [{ place }] = await runs;
    expect((await readFile(place.starts, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  test('a server that others made and that knows no such question', async () => {
    const { command, args } = serverEverything();
    const words = ['call', `${command} ${args.join(' ')}`, 'echo', '--args', '{"message":"hi"}', '--protocol', 'auto', '--json', '--quiet'];
    const { code, out } = await cli.run(words);
    expect([code, schema.parse(JSON.parse(out)).calls[0]?.verdict]).toEqual([0, 'completed']);
  });
});

describe.concurrent('the demo', () => {
  /** Stopped when the hold of a seat has been seen. @param over a wire that the demo speaks */
  async function seat(over: string, protocol: string): Promise<readonly (string | undefined)[]> {
    const file = path.join(await mkdtemp(path.join(cli.folder, 'demo-')), 'seat.yaml');
    const steps = [{ call: 'seat', tool: 'book_seat' }, { stop: 'seat', when: { on: 'effect' } }, { settle: 'seat' }];
    await writeFile(file, JSON.stringify({ version: 1, server: { demo: over, protocol }, settle: '3s', steps }));
    const { out } = await cli.run(['run', file, '--json', '--quiet', '--fail-on', 'never']);
    const { server, calls } = schema.parse(JSON.parse(out));
    return [server?.protocol, calls[0]?.verdict, calls[0]?.stop.state];
  }

  test('shows the same Stop three times: posted and heeded, posted to nobody, the closed stream', async () => {
    expect(await seat('http', LEGACY)).toEqual([LEGACY, 'rolled-back', 'sent']);
    expect((await seat('http-stateless', LEGACY))[1]).toBe('write-after-cancel');
    expect(await seat('http', MODERN)).toEqual([MODERN, 'rolled-back', 'stream-closed']);
  });
});
