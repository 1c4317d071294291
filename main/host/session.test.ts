// A session over HTTP, and what dropping means over stdio: what is recorded of a Stop, and how the session's picture changes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fromMs } from '../../app/base/time';
import type { Act, Life, Means } from '../../app/wire/frame';
import { fixture } from '../../test/fixtures/fixtures';
import { type Asked, type Handle, serve, sound } from '../../test/fixtures/http/mcp';
import { createRecorder, type Recorder } from '../store/recorder';
import { startClock } from './clock';
import { Session, type SessionOptions, type Target } from './session';

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

interface Running {
  readonly session: Session;
  readonly recorder: Recorder;
  /** Resolves when the reading holds; looked at whenever the session's picture has changed, and with every turn of the clock. */
  until(reading: () => unknown): Promise<void>;
}

async function open(target: Target, more: Partial<SessionOptions> = {}): Promise<Running> {
  const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-session-'));
  const clock = startClock();
  const recorder = createRecorder({ folder, clock, began: new Date().toISOString(), by: 'test' });
  const session = new Session({
    number: 1,
    target,
    recorder,
    clock,
    version: 'test',
    roots: () => [],
    fence: () => true,
    conceal: (text) => text,
    onChange: () => undefined,
    graceMs: 500,
    ...more,
  });
  closing.push(async () => {
    await session.close('quit');
    await recorder.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await session.open();
  const until = async (reading: () => unknown): Promise<void> => {
    while (!reading()) await new Promise((resolve) => setImmediate(resolve));
  };
  return { session, recorder, until };
}

async function at(handle: Handle, more: Partial<SessionOptions> = {}): Promise<Running & { readonly asked: readonly Asked[] }> {
  const server = await serve(handle);
  closing.push(server.close);
  const running = await open({ kind: 'http', address: { url: server.url, transport: 'auto', headers: {} } }, more);
  return { ...running, asked: server.asked };
}

const call = ({ session }: Running): Promise<number> =>
  session.call({
    tool: 'work',
    arguments: {},
    probes: [],
    settle: fromMs(100),
    normally: undefined,
    fence: true,
    stopAfterMs: undefined,
    onStopped: () => undefined,
  });
const stop = ({ session }: Running, request: number, how: Means): Promise<{ outcome: string; says: string }> =>
  session.stop(request, how, undefined);

const acts = ({ recorder: { trace } }: Running): readonly Act[] =>
  [...trace.extras.values()].flatMap((extra) => (extra.about === 'act' ? [extra.act] : []));
const lives = ({ recorder: { trace } }: Running): readonly Life[] =>
  [...trace.extras.values()].flatMap((extra) => (extra.about === 'life' ? [extra.life] : []));

const but =
  (method: string, answer: (asked: Asked) => unknown): Handle =>
  (asked) =>
    asked.message?.method === method ? answer(asked) : sound(asked);
const never = (): void => undefined;

describe('over HTTP', () => {
  test('is opened with its transport and its session, and measures round trips, not fences', async () => {
    const running = await at(but('tools/call', never));
    expect(running.session).toMatchObject({ state: 'connected', transport: 'http', stateful: true, pid: undefined, sessionLost: false });
    expect(lives(running).map((life) => life.event)).toEqual(['connecting', 'opened']);
    expect(lives(running)[1]).toMatchObject({ transport: 'http', stateful: true, protocol: '2025-11-25' });
    await running.until(() => acts(running).filter((act) => act.act === 'idle').length === 3);
    const request = await call(running);
    expect(acts(running).at(-1)).toMatchObject({ act: 'call', fence: false });
    expect(await stop(running, request, { means: 'cancel' })).toMatchObject({ outcome: 'sent' });
    expect(acts(running).some((act) => act.act === 'fence')).toBe(false);
    expect(await stop(running, request, { means: 'cancel' })).toMatchObject({ outcome: 'nothing' });
    await running.session.close('quit');
    expect(running.asked.filter(({ message }) => message?.method === 'notifications/cancelled')).toHaveLength(1);
  });

  test('a cancel that is refused was sent first, and then known to be undelivered', async () => {
    const running = await at((asked) =>
      asked.message?.method === 'notifications/cancelled' ? asked.status(503, {}, 'busy') : but('tools/call', never)(asked),
    );
    const request = await call(running);
    expect(await stop(running, request, { means: 'cancel' })).toMatchObject({ outcome: 'sent' });
    await running.until(() => acts(running).at(-1)?.act === 'undelivered');
    expect(acts(running).slice(-2)).toMatchObject([
      { act: 'stop', wrote: true },
      { act: 'undelivered', why: 'it was answered with 503 Service Unavailable: “busy”' },
    ]);
  });

  test('dropping closes the stream of the call, and the session goes on; there is nothing to kill', async () => {
    const running = await at(but('tools/call', never));
    const request = await call(running);
    expect(await stop(running, request, { means: 'kill' })).toMatchObject({
      outcome: 'nothing',
      says: expect.stringContaining('no process of ours'),
    });
    expect(await stop(running, request, { means: 'drop' })).toMatchObject({ outcome: 'told-nobody' });
    expect(acts(running).at(-1)).toMatchObject({ act: 'stop', how: { means: 'drop' }, wrote: false });
    expect(running.session.state).toBe('connected');
  });

  test('a session that the server has forgotten is over, and nothing is begun anew', async () => {
    const running = await at(but('tools/call', (asked) => asked.status(404)));
    await call(running);
    await running.until(() => running.session.state === 'ended');
    expect(running.session).toMatchObject({ sessionLost: true, why: expect.stringContaining('404') });
    expect(running.asked.filter(({ message }) => message?.method === 'initialize')).toHaveLength(1);
    expect(lives(running).at(-1)).toMatchObject({ event: 'lost' });
  });

  test('a revision that is insisted on is asked for, and another one is not taken', async () => {
    const running = await at(sound, { protocol: '2025-03-26' });
    expect(running.session).toMatchObject({
      state: 'failed',
      why: expect.stringContaining('the revision 2025-03-26, but it answered with 2025-11-25'),
    });
    expect(running.asked[0]?.message?.params).toMatchObject({ protocolVersion: '2025-03-26' });
  });

  test('a list of tools that cannot be had is not waited for', async () => {
    const running = await at(but('tools/list', (asked) => asked.status(500)));
    await running.until(() => running.session.why !== undefined);
    expect(running.session).toMatchObject({ state: 'connected', why: expect.stringContaining('500 Internal Server Error') });
  });

  test('a stream of its own that a server cannot open is told, and the session lives on', async () => {
    const running = await at((asked) => (asked.method === 'GET' ? asked.status(500) : sound(asked)));
    await running.until(() => running.session.why !== undefined);
    expect(running.session).toMatchObject({
      state: 'connected',
      why: expect.stringContaining("The server's own stream could not be opened"),
    });
  });
});

test('over stdio, dropping closes the pipes: the session is over, and the process is ended later', async () => {
  const { command, args } = fixture('never-answers-calls');
  const running = await open({ kind: 'stdio', command: { command, args, env: {} } });
  expect(running.session.state).toBe('connected');
  const request = await call(running);
  expect(await stop(running, request, { means: 'drop' })).toMatchObject({ outcome: 'told-nobody' });
  expect(running.session).toMatchObject({ state: 'ended', why: expect.stringContaining('dropped, as asked') });
  await running.session.close('disconnect');
  expect(lives(running).map((life) => life.event)).toEqual(expect.arrayContaining(['lost', 'exited', 'closed']));
});
