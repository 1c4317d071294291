// Calls that run as tasks, through the host: what is sent for one and how often, every state that a task can be in, and every
// way of stopping it; in the experimental form of 2025-11-25 and in the later extension. Against the SDK's own example, the
// reference server and our demo; for what none of them does, and for the extension, which no official server speaks yet,
// against a server of ours (test/fixtures/tasks.mjs).
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MODERN } from '../../app/wire/era';
import { startProbe } from '../../main/probes';
import { fixture } from '../fixtures/fixtures';
import { startHttp } from '../http.testing';
import { sdkExample, serverEverything } from '../real/servers';
import { type TestHost, testHost } from './host.testing';

let host: TestHost;
let folder: string;
const atEnd: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  host = await testHost(startProbe, { graceMs: 500 });
  folder = await mkdtemp(path.join(tmpdir(), 'stopgap-tasks-'));
  await Promise.all([mkdir(path.join(folder, 'place')), mkdir(path.join(folder, 'gates'))]);
});
afterEach(async () => {
  await host.end();
  for (const end of atEnd.splice(0)) await end();
  await rm(folder, { recursive: true, force: true });
});

/** Asks again and again: what is read has to be asked for itself. */
const eventually = (what: string, reading: () => Promise<boolean>): Promise<void> =>
  expect.poll(reading, { message: what, timeout: 60_000 }).toBe(true);

type Form = 'experimental' | 'extension' | 'extension over HTTP';
const FORMS: readonly Form[] = ['experimental', 'extension', 'extension over HTTP'];

const where = (): readonly string[] => ['place', 'log', 'gates'].map((name) => path.join(folder, name));
const open = (gate: string): Promise<void> => writeFile(path.join(folder, 'gates', gate), '');

/** Connects to the server of ours. */
async function connect(form: Form): Promise<void> {
  const { command, args } = fixture('tasks', ...where(), ...(form === 'extension over HTTP' ? ['http'] : []));
  const protocol = form === 'experimental' ? {} : { protocol: MODERN };
  if (form === 'extension over HTTP') {
    const server = await startHttp(command, args);
    atEnd.push(() => server.close());
    await host.connectTo({ kind: 'http', url: server.url, transport: 'http', headers: {}, ...protocol });
  } else await host.connectTo({ kind: 'stdio', command, args: [...args], env: {}, watch: [], ...protocol });
  await tools();
}

const tools = (): Promise<unknown> => host.until('the tools', () => host.status.tools.length > 0);
const seqs = (): readonly number[] => Array.from({ length: host.trace.length }, (_, seq) => seq);
/** Methods of what was asked about one task, in order, without repetitions of the same next to each other. */
const asked = (): readonly string[] =>
  seqs()
    .filter((seq) => host.trace.dir(seq) === 'c2s')
    .map((seq) => host.trace.name(seq))
    .filter((name) => name.startsWith('tasks/') && name !== 'tasks/list')
    .filter((name, n, all) => name !== all[n - 1]);
const count = (method: string): number => seqs().filter((seq) => host.trace.dir(seq) === 'c2s' && host.trace.name(seq) === method).length;
/** Everything that was sent by a method, as it was on the wire. */
const sent = async (method: string) =>
  (await host.raws((seq) => host.trace.dir(seq) === 'c2s' && host.trace.name(seq) === method)).map((raw) => JSON.parse(raw));
/** Every text that came from the server. */
const came = (): Promise<readonly string[]> => host.raws((seq) => host.trace.dir(seq) === 's2c' && host.trace.kind(seq) === 'message');

/** Calls a tool that does what its arguments say. */
const ask = (args: object = {}, more: object = {}): Promise<number> =>
  host.call('run', { as: 'work', ...args }, { task: true, settleMs: 1000, ...more });
/** The same, and a task has been made of it. */
async function run(args: object = {}, more: object = {}): Promise<number> {
  const call = await ask(args, more);
  await host.until('the task', () => host.callOf(call).task);
  return call;
}
const statuses = (call: number): readonly string[] =>
  (host.callOf(call).task?.states ?? []).map(({ status }) => status).filter((status, n, all) => status !== all[n - 1]);
const is = (call: number, status: string): Promise<unknown> =>
  host.until(`the task to be ${status}`, () => statuses(call).at(-1) === status);
const was = (call: number, status: string): Promise<unknown> =>
  host.until(`the task to have been ${status}`, () => statuses(call).includes(status));
const listed = () => host.request('tasks.list', { connection: host.connection });
const stop = async (call: number, means: 'cancel' | 'notify' | 'abandon' | 'stop-polling') =>
  (await host.request('call.stop', { call, how: { means } })).outcome;
/** Nothing more is asked after any task. */
const still = (): Promise<unknown> => eventually('the end of the polls', async () => (await listed()).tasks.every(({ polled }) => !polled));

describe.each(FORMS)('%s', (form) => {
  const fetches = form === 'experimental' ? ['tasks/result'] : [];

  test('created, working, completed: it is asked after until it ends, and its result is there', async () => {
    await connect(form);
    const call = await run({ steps: [{ gate: 'go' }] });
    await host.until('two polls', () => count('tasks/get') >= 2);
    await open('go');
    await is(call, 'completed');
    await eventually('its result', async () => (await came()).some((text) => text.includes('"done"')));
    expect(statuses(call)).toEqual(['working', 'completed']);
    expect(asked()).toEqual(['tasks/get', ...fetches]);
    const polls = count('tasks/get');
    expect((await listed()).tasks).toMatchObject([{ status: 'completed', call, polled: false }]);
    expect(count('tasks/get')).toBeLessThanOrEqual(polls + 1);
    expect(await stop(call, 'cancel')).toBe('too-late');
    expect(count('tasks/cancel')).toBe(0);
  });

  test('failed', async () => {
    await connect(form);
    const call = await run({ steps: [{ gate: 'go' }, { fail: 'out of paper' }] });
    await host.until('a poll', () => count('tasks/get') > 0);
    await open('go');
    await is(call, 'failed');
    await host.until('the question for its result', () => count('tasks/result') === fetches.length);
    expect(asked()).toEqual(['tasks/get', ...fetches]);
  });

  test('input_required is shown and not answered, and it goes on', async () => {
    await connect(form);
    const call = await run({ steps: [{ input: 'answer' }, { gate: 'go' }] });
    await was(call, 'input_required');
    await host.until('a poll', () => count('tasks/get') > 0);
    await open('answer');
    await is(call, 'working');
    await open('go');
    await is(call, 'completed');
    expect(asked()).toEqual(['tasks/get', ...fetches]);
  });

  test('Stop is tasks/cancel: cancelled, looked at to the end of the window, and its result asked for once', async () => {
    await connect(form);
    const call = await run({ steps: [{ gate: 'never' }] });
    await host.until('a poll', () => count('tasks/get') > 0);
    expect(await stop(call, 'cancel')).toBe('sent');
    await is(call, 'cancelled');
    const polls = count('tasks/get');
    await still();
    expect(count('tasks/get')).toBeGreaterThan(polls);
    expect(asked()).toEqual(['tasks/get', 'tasks/cancel', 'tasks/get', ...fetches]);
    expect(count('tasks/result')).toBe(fetches.length);
    expect(count('notifications/cancelled')).toBe(0);
    const [cancel] = await sent('tasks/cancel');
    expect(cancel.params.taskId).toBe(host.callOf(call).task?.id);
    // Once is enough; who asks by the list gets the server's own answer.
    expect(await stop(call, 'cancel')).toBe('too-late');
    const again = await host.request('tasks.cancel', { connection: host.connection, task: cancel.params.taskId });
    expect(again.outcome).toBe(form === 'experimental' ? 'refused' : 'sent');
    if (form === 'experimental') expect(again.says).toContain('-32602');
  });

  test('cancelled turns completed, and that is seen', async () => {
    await connect(form);
    const call = await run({ cancelled: 'flip', steps: [{ gate: 'go' }, { write: 'late' }] }, { settleMs: 5000 });
    await stop(call, 'cancel');
    await was(call, 'cancelled');
    await open('go');
    await is(call, 'completed');
    expect(statuses(call)).toEqual(['working', 'cancelled', 'completed']);
    await still();
    expect(asked().filter((method) => method === 'tasks/result')).toEqual(fetches);
  });

  test('the cancel is acknowledged, and the work goes on: it is asked after for as long as it does', async () => {
    await connect(form);
    const call = await run({ cancelled: 'ignore', steps: [{ gate: 'go' }] }, { settleMs: 100 });
    await stop(call, 'cancel');
    await host.until('polls beyond the window', () => host.verdicts.get(call)?.settled && count('tasks/get') > 6);
    await open('go');
    await is(call, 'completed');
    expect(statuses(call)).toEqual(['working', 'completed']);
  });

  test('a cancel that is refused stops nothing', async () => {
    await connect(form);
    const call = await run({ cancelled: 'refuse', steps: [{ gate: 'go' }] });
    expect(await stop(call, 'cancel')).toBe('sent');
    await open('go');
    await is(call, 'completed');
    expect((await came()).some((text) => text.includes('-32603'))).toBe(true);
  });

  test('the notification is the wrong means: it is sent, and nothing stops', async () => {
    await connect(form);
    const call = await run({ steps: [{ gate: 'go' }] });
    await was(call, 'working');
    expect(await stop(call, 'notify')).toBe('sent');
    await host.until('the notification', () => count('notifications/cancelled') === 1);
    await open('go');
    await is(call, 'completed');
    expect(count('tasks/cancel')).toBe(0);
  });

  test.each(['stop-polling', 'abandon'] as const)(
    '%s asks no more and tells nobody; the list shows the orphan, which can be cancelled',
    async (how) => {
      await connect(form);
      const call = await run({ steps: [{ gate: 'never' }] });
      await host.until('a poll', () => count('tasks/get') > 0);
      expect(await stop(call, how)).toBe('told-nobody');
      const { tasks, says } = await listed();
      expect(tasks).toMatchObject([{ status: 'working', call, polled: false }]);
      expect(says === undefined).toBe(form === 'experimental');
      await host.until('the question', () => count('tasks/list') === (form === 'experimental' ? 1 : 0));
      expect(asked()).toEqual(['tasks/get']);
      const cancelled = await host.request('tasks.cancel', { connection: host.connection, task: tasks[0]?.id ?? '' });
      expect(cancelled.outcome).toBe('sent');
      await eventually('its end', async () => (await listed()).tasks[0]?.status === 'cancelled');
    },
  );

  test('one that nobody here has made, and one that nobody knows', async () => {
    await connect(form);
    const nobody = host.request('tasks.cancel', { connection: host.connection, task: 'nobody' });
    expect(await nobody).toMatchObject({ outcome: 'refused', says: expect.stringContaining('-32602') });
  });

  test('a tool that requires a task is run as one without being asked to; a plain call is refused by the server', async () => {
    await connect(form);
    expect(Object.fromEntries(host.status.tools.map(({ name, taskSupport }) => [name, taskSupport]))).toEqual(
      form === 'experimental'
        ? { run: 'optional', only_task: 'required', never_task: 'forbidden' }
        : { run: 'optional', only_task: 'optional', never_task: 'optional' },
    );
    const call = await host.call('only_task', { as: 'only' }, form === 'experimental' ? {} : { task: true });
    await is(call, 'completed');
    const plain = await host.call('only_task', { as: 'plain' }, { task: false });
    await host.until('the refusal', () => host.callOf(plain).replies[0]?.code === (form === 'experimental' ? -32601 : -32021));
  });

  test('a call that the server answers at once is no task', async () => {
    await connect(form);
    const call = await ask({ plain: true });
    await host.until('the answer', () => host.verdicts.get(call)?.verdict === 'completed');
    expect(asked()).toEqual([]);
    expect(await stop(call, 'stop-polling')).toBe('too-late');
    const plain = await host.call('run', { as: 'plain', steps: [{ gate: 'never' }] });
    expect(await stop(plain, 'stop-polling')).toBe('nothing');
    if (form !== 'experimental') expect(JSON.stringify((await sent('tools/call'))[1])).not.toContain('io.modelcontextprotocol/tasks');
  });
});

test.each(['extension', 'extension over HTTP'] as const)('%s: what a task asks for and is here is given: the roots, once', async (form) => {
  await connect(form);
  await host.request('server.roots', { roots: [{ uri: 'file:///work/shop' }] });
  const call = await run({ steps: [{ roots: true }, { gate: 'go' }] });
  await was(call, 'input_required');
  await host.until('work again', () => host.callOf(call).task?.states.at(-1)?.says?.includes('file:///work/shop'));
  await open('go');
  await is(call, 'completed');
  expect(await sent('tasks/update')).toMatchObject([
    { params: { inputResponses: { folders: { roots: [{ uri: 'file:///work/shop' }] } } } },
  ]);
});

describe('Stop before the task has an id', () => {
  test('experimental: nobody is told until it has, and tasks/cancel goes out then', async () => {
    await connect('experimental');
    const call = await ask({ hold: 'made', steps: [{ gate: 'never' }] });
    expect(await stop(call, 'cancel')).toBe('deferred');
    expect([count('notifications/cancelled'), count('tasks/cancel')]).toEqual([0, 0]);
    await host.until('the verdict', () => host.verdicts.get(call)?.stop.state === 'not-sent');
    await open('made');
    await is(call, 'cancelled');
    expect(count('tasks/cancel')).toBe(1);
    await host.until('the verdict', () => host.verdicts.get(call)?.stop.state === 'task-cancel');
  });

  test('extension: the request is cancelled as any other, and a task that comes all the same too', async () => {
    await connect('extension');
    const call = await ask({ hold: 'made', steps: [{ gate: 'never' }] });
    expect(await stop(call, 'cancel')).toBe('sent');
    await host.until('the notification', () => count('notifications/cancelled') === 1);
    expect(count('tasks/cancel')).toBe(0);
    await open('made');
    await is(call, 'cancelled');
    expect(count('tasks/cancel')).toBe(1);
  });

  test('extension over HTTP: its stream is closed, and no task is heard of', async () => {
    await connect('extension over HTTP');
    const call = await ask({ hold: 'made', steps: [{ gate: 'never' }] });
    expect(await stop(call, 'cancel')).toBe('sent');
    await host.until('the verdict', () => host.verdicts.get(call)?.stop.state === 'stream-closed');
    await open('made');
    expect([count('notifications/cancelled'), count('tasks/cancel')]).toEqual([0, 0]);
  });
});

test('a tasks/cancel that cannot be delivered is known to be none', async () => {
  await connect('extension over HTTP');
  const call = await run({ steps: [{ gate: 'never' }] });
  await host.until('a poll', () => count('tasks/get') > 0);
  for (const end of atEnd.splice(0)) await end();
  expect(await stop(call, 'cancel')).toBe('undelivered');
  await host.until('the verdict', () => host.verdicts.get(call)?.stop.state === 'undelivered');
});

describe('what cannot be run as a task is refused, and why', () => {
  test('a tool that may not, a server that has none, a ttl where none can be asked for', async () => {
    await connect('experimental');
    expect(host.status.tasks).toEqual({ form: 'experimental', calls: true, list: true, cancel: true });
    await expect(host.call('never_task', {}, { task: true })).rejects.toThrow('taskSupport is “forbidden”');
    const call = await run({}, { task: { ttlMs: 60_000 } });
    expect((await sent('tools/call')).at(-1).params.task).toEqual({ ttl: 60_000 });
    await is(call, 'completed');
    await connect('extension');
    expect(host.status.tasks).toEqual({ form: 'extension', calls: true, list: false, cancel: true });
    await expect(ask({}, { task: { ttlMs: 60_000 } })).rejects.toThrow('the server alone decides');
    await host.connect(fixture('answers-odd'));
    await tools();
    expect(host.status.tasks).toBeUndefined();
    await expect(host.call('odd', {}, { task: true })).rejects.toThrow('it has no tasks capability');
    await expect(listed()).rejects.toThrow('does not say that it has any');
  });
});

describe('servers that others wrote', () => {
  test('server-everything: simulate-research-query works, says how far it is, and completes', async () => {
    await host.connect(serverEverything());
    await tools();
    const call = await host.call('simulate-research-query', { topic: 'tea' });
    await is(call, 'completed');
    await host.until('its result', () => count('tasks/result') === 1);
    expect(statuses(call)).toEqual(['working', 'completed']);
    expect(host.callOf(call).task?.states.map(({ says }) => says)).toContain('Analyzing content...');
    expect(host.callOf(call).task?.states.some(({ by }) => by === 'notification')).toBe(true);
  });

  test('server-everything: cancelled, cancelled again, and its result after the cancel', async () => {
    await host.connect(serverEverything());
    await tools();
    const call = await host.call('simulate-research-query', { topic: 'tea' }, { settleMs: 1500 });
    await was(call, 'working');
    expect(await stop(call, 'cancel')).toBe('sent');
    await is(call, 'cancelled');
    const task = host.callOf(call).task?.id ?? '';
    await expect(host.request('tasks.cancel', { connection: host.connection, task })).resolves.toMatchObject({
      outcome: 'refused',
      says: expect.stringMatching(/-32602.*terminal status: cancelled/),
    });
    await host.until('the question for its result', () => count('tasks/result') === 1);
    // The SDK's store has none for a task that was cancelled.
    await eventually('the answer', async () => (await came()).some((text) => text.includes('has no result stored')));
  });

  test('the SDK’s example: it waits for input, which nobody here gives; it knows no tasks/cancel', async () => {
    const server = await sdkExample('simpleTaskInteractive');
    atEnd.push(() => server.close());
    await host.connectTo({ kind: 'http', url: server.url, transport: 'http', headers: {} });
    await tools();
    expect(host.status.tasks).toEqual({ form: 'experimental', calls: true, list: false, cancel: false });
    const call = await host.call('confirm_delete', { filename: 'a.txt' });
    await is(call, 'input_required');
    await host.until('two polls', () => count('tasks/get') >= 2);
    expect(asked()).toEqual(['tasks/get']);
    const { says } = await host.request('call.stop', { call, how: { means: 'cancel' } });
    expect(says).toContain('does not say that it knows tasks/cancel');
    await eventually('the refusal', async () => (await came()).some((text) => text.includes('-32601')));
    expect(statuses(call).at(-1)).toBe('input_required');
    expect((await listed()).says).toContain('lists no tasks');
  });
});

test('what the host forgets with the session: nothing is asked after any more', async () => {
  await connect('experimental');
  await run({ steps: [{ gate: 'never' }] });
  await host.until('a poll', () => count('tasks/get') > 0);
  await host.request('server.disconnect', { connection: host.connection });
  const polls = count('tasks/get');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(count('tasks/get')).toBe(polls);
});
