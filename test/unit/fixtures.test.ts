// The odd servers are what other tests trust: each must really do the one thing that it is for.
import { setTimeout as rest } from 'node:timers/promises';
import { test as base, describe, expect } from 'vitest';
import { type FixtureName, fixture } from '../fixtures/fixtures';
import { type Message, type StdioServer, startStdio } from '../stdio.testing';

type Start = (name: FixtureName, ...args: string[]) => StdioServer;

const test = base.extend<{ start: Start }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
  start: async ({}, use) => {
    const started: StdioServer[] = [];
    await use((name, ...args) => {
      const { command, args: all } = fixture(name, ...args);
      const server = startStdio(command, all);
      started.push(server);
      return server;
    });
    for (const server of started) await server.close();
  },
});

const textOf = (message: Message) => (message.result?.['content'] as { text: string }[] | undefined)?.[0]?.text;
const ofMethod = (server: StdioServer, method: string) => server.messages.filter((message) => message.method === method);
const lives = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.concurrent('fixtures', { timeout: 60_000 }, () => {
  test('prints-logs talks between its messages', async ({ start }) => {
    const server = start('prints-logs');
    await server.open();
    const modes = ['lines', 'half-line', 'split-answer', 'long-line', 'long-answer', 'invalid-utf8', 'invalid-answer'];
    for (const mode of modes) {
      server.call(mode, 'talk', { mode, length: 300_000 });
      await server.answer(mode);
    }
    server.call('buried', 'talk', { mode: 'buried' });
    await server.ping();
    expect(server.noise.filter((line) => !line.startsWith('[info] received'))).toEqual([
      'prints-logs 1.0.0 is starting',
      '[info] one',
      '',
      '[info] two',
      '[info] half a line and the other half',
      'x'.repeat(300_000),
      '\uFFFD\uFFFDA\uFFFD(',
      '[info] no end of line {"jsonrpc":"2.0","id":"buried","result":{"content":[{"type":"text","text":"buried"}]}}',
    ]);
    const text = async (id: string) => textOf(await server.answer(id));
    expect([await text('split-answer'), await text('invalid-answer')]).toEqual(['split – answer', '\uFFFD(']);
    expect(await text('long-answer')).toHaveLength(300_000);
  });

  test('dies-in-call dies of its code or its signal', async ({ start }) => {
    const [server, other] = [start('dies-in-call'), start('dies-in-call')];
    await server.open();
    server.call(1, 'work', {}, 'token');
    expect(await server.exited).toEqual({ code: 7, signal: null });
    await server.until(() => server.stderr.length === 4, 'its last words');
    expect(server.stderr.at(-1)).toBe('work: fatal: out of paper');
    expect(ofMethod(server, 'notifications/progress')).toHaveLength(3);
    await other.open();
    other.call(1, 'work', { signal: 'SIGKILL' });
    expect(await other.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('never-answers and never-answers-calls do not', async ({ start }) => {
    const [deaf, busy] = [start('never-answers'), start('never-answers-calls')];
    deaf.send({ id: 1, method: 'initialize', params: {} });
    await busy.open();
    busy.call(1, 'wait');
    busy.cancel(1);
    await busy.ping();
    await deaf.until(() => deaf.stderr.length === 1, 'its first line');
    expect([deaf.messages, busy.messages.filter((message) => message.id === 1)]).toEqual([[], []]);
  });

  test('not-mcp talks nonsense, not-mcp-exits ends with code 2', async ({ start }) => {
    const server = start('not-mcp');
    server.write('hello\n');
    await server.until(() => server.noise.length === 5, 'its nonsense');
    expect([server.noise[0], server.noise[4], server.messages]).toEqual(['HTTP/1.1 400 Bad Request', '400 cannot understand: hello', []]);
    const usage = start('not-mcp-exits');
    expect(await usage.exited).toEqual({ code: 2, signal: null });
  });

  test('answers-odd answers oddly', async ({ start }) => {
    const server = start('answers-odd');
    await server.open();
    for (const mode of ['normal', 'twice', 'string-id', 'unknown-id', 'null-id', 'progress-after-answer']) {
      const from = server.messages.length;
      server.call(from, 'odd', { mode }, from);
      await server.until(() => server.messages.length > from, mode);
    }
    await server.until(() => ofMethod(server, 'notifications/progress').length === 5, 'the progress');
    const seen = server.messages.filter((message) => message.method === undefined).slice(1);
    expect(seen.map((message) => [message.id, textOf(message) ?? message.error?.code])).toEqual([
      [1, 'normal'],
      [2, 'first'],
      [2, 'second'],
      ['4', 'string-id'],
      ['nobody', 'unknown-id'],
      [null, -32603],
      [7, 'progress-after-answer'],
    ]);
  });

  test('answers-odd reacts oddly to a cancel, and to nothing else', async ({ start }) => {
    const server = start('answers-odd');
    await server.open();
    const modes = ['result', 'error', 'error-0', 'error-32800', 'is-error', 'error-without-id', 'progress', 'log', 'request'];
    for (const mode of modes) server.call(mode, 'odd', { mode: `${mode}-on-cancel` }, mode);
    await server.ping();
    const from = server.messages.length;
    for (const mode of modes) server.cancel(mode);
    await server.until(() => server.messages.length === from + 7 + 5 + 5, 'everything');
    const seen = server.messages.slice(from).map(({ id, method, result, error }) => [method, id, result?.['isError'], error?.code]);
    expect(seen.slice(0, 9)).toEqual([
      [undefined, 'result', undefined, undefined],
      [undefined, 'error', undefined, -32603],
      [undefined, 'error-0', undefined, 0],
      [undefined, 'error-32800', undefined, -32800],
      [undefined, 'is-error', true, undefined],
      [undefined, undefined, undefined, -32601],
      ['notifications/progress', undefined, undefined, undefined],
      ['notifications/message', undefined, undefined, undefined],
      ['sampling/createMessage', 'nested-request', undefined, undefined],
    ]);
  });

  test('floods numbers what it sends, and stops when cancelled', async ({ start }) => {
    const server = start('floods');
    await server.open();
    server.call(1, 'flood', { count: 20_000 }, 'token');
    await server.answer(1);
    const numbers = ofMethod(server, 'notifications/progress').map((message) => message.params?.['progress']);
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, n) => n + 1));
    server.call(2, 'flood', { count: 1_000_000_000, kind: 'log', payload: 10 });
    await server.until(() => ofMethod(server, 'notifications/message').length > 0, 'the flood');
    server.cancel(2);
    await server.ping();
    const seen = server.messages.length;
    await rest(100);
    await server.ping();
    expect(server.messages.length - seen).toBe(1);
  });

  test('leaves-children leaves both, whatever happens to itself', async ({ start }) => {
    const server = start('leaves-children');
    await server.until(() => server.stderr.length === 2, 'the process ids');
    const pids = server.stderr.map((line) => Number(/^(?:child|grandchild) (\d+)$/.exec(line)?.[1]));
    server.child.kill('SIGTERM');
    await server.exited;
    for (const pid of pids) process.kill(pid, 'SIGTERM');
    await rest(200);
    expect(pids.map(lives)).toEqual([true, true]);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  });

  test('leaves-children can hold the pipes open', async ({ start }) => {
    const server = start('leaves-children', '--hold-pipes');
    await server.until(() => server.stderr.length === 2, 'the process ids');
    const ended: string[] = [];
    server.child.stdout?.once('end', () => ended.push('stdout'));
    server.child.kill('SIGKILL');
    await server.exited;
    await rest(200);
    expect(ended).toEqual([]);
    for (const line of server.stderr) process.kill(Number(line.split(' ')[1]), 'SIGKILL');
    await server.until(() => ended.length === 1, 'the end of stdout');
  });

  test('blocks reads nothing while it works', async ({ start }) => {
    const server = start('blocks');
    await server.open();
    server.call(1, 'block', { ms: 500 });
    server.cancel(1);
    await server.ping();
    expect(server.messages.slice(1).map((message) => message.id)).toEqual([1, 'ping-0']);
  });
});
