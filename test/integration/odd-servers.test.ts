// Servers that misbehave, each in its own way: every one has to give its own clear picture, and everything that was
// received before stays readable.
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTrace } from '../../main/store/replay';
import { fixture } from '../fixtures/fixtures';
import { alive } from './alive.testing';
import { blindProbe, type TestHost, testHost } from './host.testing';

let host: TestHost;
beforeEach(async () => {
  host = await testHost(blindProbe, { graceMs: 300, handshakeMs: 1500, lineLimit: 100_000 });
});
afterEach(() => host.end());

const noise = (): readonly number[] =>
  Array.from({ length: host.trace.length }, (_, seq) => seq).filter((seq) => host.trace.kind(seq) === 'noise');
const noiseOf = async (call: number): Promise<readonly (readonly [string, string])[]> => {
  const seqs = noise().filter((seq) => seq > host.callOf(call).sent.seq);
  const raws = await host.raws((seq) => seqs.includes(seq));
  return seqs.map((seq, index) => [host.trace.name(seq), raws[index] ?? ''] as const);
};
const answered = (call: number): Promise<unknown> => host.until('the answer', () => host.callOf(call).replies.length > 0);

describe('a server that prints logs on stdout', () => {
  beforeEach(async () => {
    // It prints a line about every message: without pings these are about the calls only.
    await host.request('settings.set', { patch: { fence: false } });
    await host.connect(fixture('prints-logs'));
  });

  test('is understood between them, and every line is kept as it was', async () => {
    expect(host.status).toMatchObject({ state: 'connected', server: { name: 'prints-logs' } });
    await host.until('the tools', () => host.status.tools.length === 1);
    const call = await host.call('talk', { mode: 'lines' });
    await answered(call);
    expect(await noiseOf(call)).toEqual([
      ['not-json', '[info] received tools/call'],
      ['not-json', '[info] one'],
      ['not-json', ''],
      ['not-json', '[info] two\r'],
    ]);
    expect(host.findings.map(({ finding }) => finding)).toContain('noise-on-stdout');
  });

  test('lines in pieces are put together, an answer too', async () => {
    const half = await host.call('talk', { mode: 'half-line' });
    await answered(half);
    const split = await host.call('talk', { mode: 'split-answer' });
    await answered(split);
    expect((await noiseOf(half)).map(([, raw]) => raw)).toContain('[info] half a line and the other half');
    expect(JSON.parse(await host.raw(host.callOf(split).replies[0]?.seq ?? -1)).result.content[0].text).toBe('split – answer');
  });

  test('an answer buried in a line is no answer, and can be found there', async () => {
    const call = await host.call('talk', { mode: 'buried' });
    await host.until('the line', () => noise().some((seq) => seq > host.callOf(call).sent.seq && host.trace.size(seq) > 60));
    expect((await noiseOf(call)).at(-1)?.[1]).toMatch(/^\[info\] no end of line \{"jsonrpc":"2.0"/);
    expect(host.callOf(call).replies).toEqual([]);
  });

  test('a line over the limit comes in pieces, none of it lost; what follows is understood', async () => {
    const call = await host.call('talk', { mode: 'long-line', length: 1_000_000 });
    await answered(call);
    const pieces = (await noiseOf(call)).filter(([why]) => why === 'too-long');
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.map(([, raw]) => raw).join('')).toBe('x'.repeat(1_000_000));
  });

  test('bytes that are not UTF-8 are kept as bytes, also where they spoil an answer', async () => {
    const call = await host.call('talk', { mode: 'invalid-utf8' });
    await answered(call);
    expect(await noiseOf(call)).toContainEqual(['not-utf-8', `base64:${Buffer.from([0xff, 0xfe, 0x41, 0xc3, 0x28]).toString('base64')}`]);
    const spoilt = await host.call('talk', { mode: 'invalid-answer' });
    await host.until('the line', () => noise().some((seq) => seq > host.callOf(spoilt).sent.seq && host.trace.name(seq) === 'not-utf-8'));
    expect(host.callOf(spoilt).replies).toEqual([]);
  });
});

describe('a server that dies in mid-call', () => {
  test('with a code: all that it said is there, and the call is lost', async () => {
    await host.connect(fixture('dies-in-call'));
    const call = await host.call('work');
    await host.until('the end', () => host.status.state === 'ended');
    await host.until('the verdict', () => host.verdicts.get(call)?.reply.state === 'lost');
    expect(host.callOf(call).progress.length).toBe(3);
    expect(host.calls.sessions.get(1)?.ends[0]?.life).toEqual({ event: 'exited', code: 7, asked: 'nobody' });
    expect(await host.raws((seq) => host.trace.kind(seq) === 'stderr')).toEqual([
      'work: step 1 of 10',
      'work: step 2 of 10',
      'work: step 3 of 10',
      'work: fatal: out of paper',
    ]);
    expect(host.status.why).toMatch(/exit code 7 by itself.*“work: fatal: out of paper”/);
  });

  test('of a signal', async () => {
    await host.connect(fixture('dies-in-call'));
    await host.call('work', { signal: 'SIGKILL', step_ms: 1 });
    await host.until('the end', () => host.calls.sessions.get(1)?.ends.length);
    expect(host.calls.sessions.get(1)?.ends[0]?.life).toEqual({ event: 'exited', signal: 'SIGKILL', asked: 'nobody' });
  });

  test('Stop after that sends nothing', async () => {
    await host.connect(fixture('dies-in-call'));
    const call = await host.call('work', { step_ms: 1 });
    await host.until('the end', () => host.status.state === 'ended');
    expect(await host.cancel(call)).toBe('nothing');
    expect(host.callOf(call).cancels).toEqual([]);
  });

  test('it can be connected again, in the same trace, as another session', async () => {
    await host.connect(fixture('dies-in-call'));
    await host.call('work', { step_ms: 1 });
    await host.until('the end', () => host.status.state === 'ended');
    await host.request('server.restart', { connection: host.connection });
    await host.until('the connection', () => host.status.state === 'connected');
    expect(host.status.session).toBe(2);
    expect([...host.calls.sessions.keys()]).toEqual([1, 2]);
  });
});

describe('what is no server', () => {
  test('never answers: said after the time allowed, and until then one can see that it is being started', async () => {
    const connecting = host.connect(fixture('never-answers'));
    await host.until('the start', () => host.status.state === 'starting' && host.status.pid !== undefined);
    await connecting;
    expect(host.status.state).toBe('failed');
    expect(host.status.why).toMatch(/^Expected an answer to initialize within 1\.5 s, but none came\./);
  });

  test('never answers, and the person does not wait for it', async () => {
    await host.end();
    host = await testHost(blindProbe, { graceMs: 300 });
    void host.request('server.connect', { spec: { kind: 'stdio', ...start('never-answers') } });
    await host.until('the start', () => host.status.state === 'starting' && host.status.pid !== undefined);
    await host.request('server.disconnect', { connection: host.connection });
    expect(host.status).toMatchObject({ state: 'ended', why: undefined });
  });

  test('speaks something else: the first line is quoted, and all of it is kept', async () => {
    await host.connect(fixture('not-mcp'));
    expect(host.status.why).toMatch(/“HTTP\/1\.1 400 Bad Request”/);
    expect((await host.raws((seq) => host.trace.kind(seq) === 'noise')).slice(0, 4)).toEqual([
      'HTTP/1.1 400 Bad Request\r',
      'Content-Type: text/plain\r',
      '\r',
      'This port speaks HTTP.',
    ]);
  });

  test('ends at once: its code and its own explanation are told', async () => {
    await host.connect(fixture('not-mcp-exits'));
    expect(host.status.state).toBe('failed');
    expect(host.status.why).toMatch(/exit code 2 .* after its start.*“not-mcp-exits: error: no FILE given”/);
    await host.until('the end', () => host.calls.sessions.get(1)?.ends.length);
    expect(await host.raws((seq) => host.trace.kind(seq) === 'stderr')).toEqual([
      'usage: not-mcp-exits [-v] FILE...',
      'not-mcp-exits: error: no FILE given',
    ]);
  });

  test.each([
    ['there is no such program', 'no-such-program-anywhere', /no such program on the PATH/],
    ['it may not be executed', import.meta.filename, /may not be executed/],
  ])('%s', async (_, command, why) => {
    await host.connect({ command, args: [] });
    expect(host.status.state).toBe('failed');
    expect(host.status.why).toMatch(why);
    await host.until('the frame', () => Array.from({ length: host.trace.length }, (_, seq) => host.trace.name(seq)).includes('failed'));
  });

  test.each([
    ['an error', '{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"no licence"}}', /answered with an error: .*no licence/],
    [
      'a result that lacks everything',
      '{"jsonrpc":"2.0","id":0,"result":{}}',
      /lacked or spoilt protocolVersion, capabilities, serverInfo/,
    ],
    ['what is not JSON-RPC 2.0', '{"id":0,"result":{}}', /as JSON-RPC 2\.0, but got “\{"id":0/],
    [
      'a revision that nobody knows',
      '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}',
      /1999-01-01/,
    ],
  ])('answers initialize with %s', async (_, answer, why) => {
    const script = `process.stdin.once('data', () => console.log(${JSON.stringify(answer)})); process.stdin.resume();`;
    await host.connect({ command: process.execPath, args: ['-e', script] });
    expect(host.status.state).toBe('failed');
    expect(host.status.why).toMatch(why);
  });
});

describe('a server that leaves processes behind', () => {
  const left = async (): Promise<readonly number[]> => {
    await host.until(
      'both',
      () => Array.from({ length: host.trace.length }, (_, seq) => seq).filter((seq) => host.trace.kind(seq) === 'stderr').length >= 2,
    );
    const lines = await host.raws((seq) => host.trace.kind(seq) === 'stderr');
    return lines.map((line) => Number(line.split(' ')[1]));
  };

  test.each([[[]], [['--hold-pipes']]])('nobody lives after disconnecting (%s)', async (args) => {
    await host.connect(fixture('leaves-children', ...args));
    const pids = await left();
    const { pid = 0 } = host.status;
    expect([...pids, pid].map(alive)).toEqual([true, true, true]);
    await host.request('server.disconnect', { connection: host.connection });
    expect([...pids, pid].map(alive)).toEqual([false, false, false]);
    await host.until('the end', () => host.calls.sessions.get(1)?.ends.length === 2);
    expect(host.calls.sessions.get(1)?.ends.map(({ life }) => life)).toEqual([
      { event: 'exited', code: 0, asked: 'disconnect' },
      { event: 'closed' },
    ]);
  });

  test('nor when the server itself had ended before', async () => {
    await host.connect(fixture('leaves-children', '--hold-pipes'));
    const pids = await left();
    process.kill(host.status.pid ?? 0, 'SIGKILL');
    await host.until('the end', () => host.status.state === 'ended');
    expect(pids.map(alive)).toEqual([true, true]);
    await host.request('server.disconnect', { connection: host.connection });
    expect(pids.map(alive)).toEqual([false, false]);
  });

  test('a kill ends them all', async () => {
    await host.connect(fixture('leaves-children'));
    const pids = await left();
    const call = await host.call('pids');
    await answered(call);
    const blocked = await host.call('pids');
    const stopped = await host.request('call.stop', { call: blocked, how: { means: 'kill' } });
    if (stopped.outcome === 'too-late') return; // its answer was quicker, which is right as well
    expect(stopped.outcome).toBe('killed');
    expect(pids.map(alive)).toEqual([false, false]);
  });
});

test('a flood is captured whole: dense seqs, every number, in the file too', async () => {
  await host.connect(fixture('floods'));
  const count = 200_000;
  const call = await host.call('flood', { count });
  await answered(call);
  const { progress } = host.callOf(call);
  expect(progress.length).toBe(count);
  expect(progress.every((seq, index) => index === 0 || seq > (progress[index - 1] ?? 0))).toBe(true);
  expect(host.trace.num(progress[count - 1] ?? 0)).toBe(1_000_000);
  expect(JSON.parse(await host.raw(progress[123_455] ?? 0)).params.progress).toBe(123_456);
  await host.host.flush();
  const { path } = host.view;
  const opened = await openTrace(path);
  expect(opened.trace.length).toBeGreaterThanOrEqual(host.trace.length);
  expect(opened.repaired).toBeUndefined();
  await opened.close();
  expect((await readFile(path, 'utf8')).split('\n').filter((line) => line.includes('"method":"notifications/progress"')).length).toBe(
    count,
  );
});

function start(name: Parameters<typeof fixture>[0]): { command: string; args: string[] } {
  const { command, args } = fixture(name);
  return { command, args: [...args] };
}
