// Every fault on a pipe and over HTTP, with answers in event streams and in JSON: what the server really read, in which
// order and how often, written down by the server itself; and what is said of it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FaultRule, PRESETS } from '../../app/scenario/faults';
import { toldAt } from '../../app/trace/faults';
import { MODERN } from '../../app/wire/era';
import { type Asked, done, type HttpFixture, serve, sound } from '../fixtures/http/mcp';
import { blindProbe, type TestHost, testHost } from './host.testing';

const PATIENCE_MS = 30_000;
const LOOK_MS = 10;

/** Reads, and says so: nothing that it does is worse than late. */
const TOOLS = ['echo', 'steps', 'silent'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
}));

/** A server under test: how to connect to it, and what it has read. */
interface Server {
  connect(host: TestHost): Promise<void>;
  /** Calls by their text, cancels and pings, in the order in which they were read. */
  read(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface Posted {
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: string } };
}

function word({ method, params }: Posted): readonly string[] {
  if (method === 'tools/call') return [params?.arguments?.text ?? params?.name ?? ''];
  return method === 'notifications/cancelled' ? ['cancel'] : [];
}

async function overStdio(): Promise<Server> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stopgap-faults-'));
  const file = path.join(folder, 'read');
  await writeFile(file, '');
  const library = pathToFileURL(path.join(import.meta.dirname, '../fixtures/mcp.mjs')).href;
  const body = `
    import fs from 'node:fs';
    import { answer, report, serve } from '${library}';
    serve({
      name: 'fixture',
      tools: ${JSON.stringify(TOOLS)},
      onMessage: (message) => fs.appendFileSync(${JSON.stringify(file)}, JSON.stringify(message) + '\\n'),
      onCall: (call) => {
        if (call.name === 'silent') return;
        if (call.name === 'steps') for (const n of [1, 2, 3]) report(call, n, 3);
        answer(call.id, 'done');
      },
    });`;
  return {
    connect: (host) => host.connect({ command: process.execPath, args: ['--input-type=module', '-e', body] }),
    async read() {
      const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.flatMap((line) => word(JSON.parse(line) as Posted));
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function answering(how: 'stream' | 'json'): (asked: Asked) => unknown {
  return (asked) => {
    const { message } = asked;
    if (message?.method === 'tools/list') return asked.result({ tools: TOOLS });
    if (message?.method !== 'tools/call') return sound(asked);
    const { name } = message.params ?? {};
    if (how === 'json') return name === 'silent' ? undefined : asked.result(done('done'));
    const send = asked.stream();
    if (name === 'silent') return undefined;
    if (name === 'steps') for (const n of [1, 2, 3]) send(asked.progress(n));
    send(asked.answer(done('done')));
    return asked.response.end();
  };
}

async function overHttp(how: 'stream' | 'json'): Promise<Server> {
  const fixture: HttpFixture = await serve(answering(how));
  return {
    connect: (host) => host.connectTo({ kind: 'http', url: fixture.url, transport: 'http', headers: {} }),
    read: async () => fixture.asked.flatMap(({ message }) => (message ? word(message as Posted) : [])),
    close: () => fixture.close(),
  };
}

const WIRES: readonly { readonly wire: string; readonly start: () => Promise<Server> }[] = [
  { wire: 'stdio', start: overStdio },
  { wire: 'HTTP, event streams', start: () => overHttp('stream') },
  { wire: 'HTTP, JSON', start: () => overHttp('json') },
];

describe.each(WIRES)('over $wire', ({ wire, start }) => {
  let host: TestHost;
  let server: Server;
  beforeEach(async () => {
    host = await testHost(blindProbe, { graceMs: 500 });
    server = await start();
    await server.connect(host);
    await host.until('the tools', () => host.status.tools.length > 0);
    // The measuring of an idle server is over: what is counted below is the test's own.
    if (wire === 'stdio')
      await host.until(
        'the pings',
        () => host.calls.all.filter(({ purpose, replies }) => purpose === 'idle' && replies.length > 0).length === 3,
      );
  });
  afterEach(async () => {
    await host.end();
    await server.close();
  });

  const set = (...rules: readonly FaultRule[]) => host.request('faults.set', { connection: host.connection, rules: [...rules] });
  const release = () => host.request('faults.release', { connection: host.connection });
  const echo = (text: string, tool = 'echo') => host.call(tool, { text }, { settleMs: 300 });
  const held = (count: number) => host.until(`${count} held`, () => host.status.faults.heldCount === count);
  const is = (call: number, ...verdicts: readonly string[]) =>
    host.until(`the verdict ${verdicts.join(' or ')} (it is ${host.verdicts.get(call)?.verdict})`, () =>
      verdicts.includes(host.verdicts.get(call)?.verdict ?? ''),
    );
  const verdict = (call: number) => {
    const found = host.verdicts.get(call);
    if (!found) throw new Error(`no verdict on ${call}`);
    return found;
  };
  /** Waits until the server has read so much. */
  async function read(count: number): Promise<readonly string[]> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const words = await server.read();
      if (words.length >= count || performance.now() > deadline) return words;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
  const ordered = wire === 'stdio';
  /** Which of two POSTs is read first is the server's to say: over HTTP what was read is compared, and what was written in the trace. */
  const inOrder = (words: readonly string[]): readonly string[] => (ordered ? words : [...words].sort());
  const findings = (): readonly string[] => host.findings.map(({ finding }) => finding);

  test('what no rule names passes in order, unchanged, exactly once', async () => {
    await set({ fault: 'drop', on: 'notifications' }, { fault: 'hold', on: 'requests', tool: 'silent', until: { until: 'key' } });
    const kept = await echo('kept', 'silent');
    const calls: number[] = [];
    for (const text of ['a', 'b', 'c', 'd']) {
      const call = await echo(text);
      calls.push(call);
      // Requests over HTTP that are not waited for are read in any order, faults or not.
      if (!ordered) await is(call, 'completed');
    }
    for (const call of calls) await is(call, 'completed');
    expect(await read(4)).toEqual(['a', 'b', 'c', 'd']);
    for (const call of calls) {
      expect(verdict(call).sentence).toContain('touched nothing of this call');
      expect(JSON.parse(await host.raw(host.callOf(call).sent.seq))).toMatchObject({ method: 'tools/call', params: { name: 'echo' } });
    }
    expect(verdict(kept).sentence).toContain('holds the call back');
  });

  test('delay: it is written so much later, and the others overtake it', async () => {
    await set({ fault: 'delay', on: 'requests', tool: 'echo', ms: 300 });
    const slow = await echo('slow');
    const quick = await echo('quick', 'steps');
    await is(quick, 'completed');
    await is(slow, 'completed');
    expect(await read(2)).toEqual(['quick', 'slow']);
    const { sent, written } = host.callOf(slow);
    expect((written?.t ?? 0) - sent.t).toBeGreaterThanOrEqual(300e6);
    // How long the server took does not count our delay.
    expect(verdict(slow).sentence).toMatch(
      /^Answered after .* A fault of ours \(delay requests \(echo\) by 300 ms\) delayed the call by 3\d\d ms|0\.\d+ s/,
    );
  });

  test('hold until a key: nothing is written, then one by itself, then the rest in order, exactly once', async () => {
    await set({ fault: 'hold', on: 'requests', tool: 'echo', until: { until: 'key' } });
    const calls = [await echo('a'), await echo('b'), await echo('c')];
    await held(3);
    expect(await server.read()).toEqual([]);
    expect(host.status.faults.held.map(({ what, tool }) => [what, tool])).toEqual(Array(3).fill(['request', 'echo']));
    const list = await host.request('faults.list', { connection: host.connection });
    expect([list.rules.length, list.heldCount]).toEqual([1, 3]);
    // One by itself, then the rest in their order.
    const [, second] = list.held;
    expect(await host.request('faults.release', { connection: host.connection, items: [second?.item ?? 0] })).toEqual({ released: 1 });
    expect(await read(1)).toEqual(['b']);
    expect(await release()).toEqual({ released: 2 });
    for (const call of calls) await is(call, 'completed');
    const [first, third] = [calls[0], calls[2]].map((call) => host.callOf(call ?? -1).written?.seq ?? 0);
    expect(first).toBeLessThan(third ?? 0);
    expect(inOrder(await read(3))).toEqual(inOrder(['b', 'a', 'c']));
    await held(0);
  });

  test('hold until a time, and turning faults off lets go of the rest', async () => {
    await set(
      { fault: 'hold', on: 'replies', tool: 'echo', until: { until: 'time', ms: 200 } },
      { fault: 'hold', on: 'replies', tool: 'steps', until: { until: 'key' } },
    );
    const timed = await echo('timed');
    const kept = await echo('kept', 'steps');
    await is(timed, 'completed');
    const [fault] = host.callOf(timed).faults;
    expect(fault?.released?.by).toBe('time');
    expect((fault?.released?.t ?? 0) - (fault?.t ?? 0)).toBeGreaterThanOrEqual(200e6);
    await is(kept, 'waiting');
    expect(verdict(kept).sentence).toContain('the server has answered, and the client has not been told');
    await set();
    await is(kept, 'completed');
    expect(host.callOf(kept).faults[0]?.released?.by).toBe('off');
  });

  test('the perfect crossing: the reply is there, held until the cancel is out, and crossed', async () => {
    await set(...PRESETS['perfect-crossing'].rules);
    const call = await echo('a');
    await held(1);
    expect(await host.cancel(call)).toBe('sent');
    await is(call, 'crossed');
    const { reply, stop, sentence } = verdict(call);
    expect([stop.state, reply.state]).toEqual(['sent', 'crossed']);
    expect(sentence).toContain('A fault of ours (the perfect crossing) held the reply back');
    const [answer] = host.callOf(call).replies;
    if (!answer || stop.at === undefined) throw new Error('expected a reply and a stop');
    expect(answer.t).toBeLessThan(stop.at);
    expect(toldAt(host.callOf(call), answer)).toBeGreaterThanOrEqual(stop.at);
    expect(await read(2)).toEqual(['a', 'cancel']);
    expect(findings()).toEqual([]);
  });

  test('drop: a lost cancel reaches nobody, and what follows is not touched', async () => {
    await set(...PRESETS['lost-cancel'].rules);
    const call = await echo('silent', 'silent');
    expect(await host.cancel(call)).toBe('undelivered');
    await is(call, 'never-told');
    expect(verdict(call).stop.because[0]?.says).toContain('a fault of ours dropped it (lost cancel)');
    const after = await echo('after');
    await is(after, 'completed');
    expect(await read(2)).toEqual(['silent', 'after']);
  });

  test('drop: a lost reply leaves the client waiting, and is not laid to the server', async () => {
    await set({ fault: 'drop', on: 'replies', method: 'tools/call', times: 1 });
    const call = await echo('a');
    await is(call, 'lost');
    expect(verdict(call).sentence).toMatch(
      /^The server had answered after .* and the client was never told\. A fault of ours .* dropped the reply\./,
    );
    const after = await echo('b');
    await is(after, 'completed');
  });

  test('drop: a lost request never reaches the server, and its cancel does', async () => {
    await set({ fault: 'drop', on: 'requests', tool: 'echo' });
    const call = await echo('a');
    expect(await host.cancel(call)).toBe('sent');
    await is(call, 'lost');
    expect(verdict(call).sentence).toContain('The call never reached the server.');
    expect(await read(1)).toEqual(['cancel']);
    expect(await host.request('call.arguments', { call })).toMatchObject({ tool: 'echo', arguments: { text: 'a' } });
  });

  test('duplicate: exactly twice, and neither the second answer nor the second cancel is the server’s or the person’s', async () => {
    await set({ fault: 'duplicate', on: 'requests', tool: 'echo', times: 1 }, { fault: 'duplicate', on: 'cancels' });
    const twice = await echo('twice');
    await host.until('both answers', () => host.callOf(twice).replies.length === 2);
    const once = await echo('once');
    await is(once, 'completed');
    const silent = await echo('silent', 'silent');
    await host.cancel(silent);
    expect(inOrder(await read(6))).toEqual(inOrder(['twice', 'twice', 'once', 'silent', 'cancel', 'cancel']));
    await is(silent, 'unknown-read');
    expect(verdict(silent).stop.flags).toEqual([]);
    expect(verdict(twice).verdict).toBe('completed');
    expect(findings()).not.toContain('duplicate-reply');
  });

  test('reorder: pairs of what the rule names are swapped, and nothing else', async () => {
    await set({ fault: 'reorder', on: 'requests', tool: 'echo' });
    const calls = [await echo('a'), await echo('x', 'steps'), await echo('b')];
    for (const call of calls) await is(call, 'completed');
    expect(inOrder(await read(3))).toEqual(inOrder(['x', 'b', 'a']));
    const [a, , b] = calls.map((call) => host.callOf(call).written?.seq ?? 0);
    expect(b).toBeLessThan(a ?? 0);
    await set({ fault: 'reorder', on: 'replies', tool: 'echo' });
    const [first, second] = [await echo('c'), await echo('d')];
    await is(first, 'completed');
    await is(second, 'completed');
    const told = (call: number): number => {
      const of = host.callOf(call);
      return of.replies[0] ? toldAt(of, of.replies[0]) : 0;
    };
    expect(told(second)).toBeLessThanOrEqual(told(first));
    expect(host.callOf(first).faults.map(({ fault }) => fault)).toEqual(['reorder']);
    expect(host.callOf(second).faults).toEqual([]);
  });

  test('cut at a reply: it does not get through, and the connection is what broke', async () => {
    await set({ fault: 'cut', on: 'replies', tool: 'echo', times: 1 });
    const call = await echo('a');
    await is(call, 'lost');
    expect(
      verdict(call)
        .reply.because.map(({ says }) => says)
        .join(' '),
    ).toContain('a fault of ours');
    if (wire === 'stdio') {
      expect(host.status.why).toContain('A fault of ours cut the connection');
      return;
    }
    expect(host.callOf(call).exchanges.at(-1)?.end?.http).toMatchObject({ http: 'cut', by: 'fault' });
    const after = await echo('b');
    await is(after, 'completed');
  });

  test('cut at a request: it was written, and nothing comes back', async () => {
    await set({ fault: 'cut', on: 'requests', tool: 'silent' });
    const call = await echo('a', 'silent');
    await is(call, 'lost');
    expect(host.callOf(call).written).toBeDefined();
    // What a connection carried when it was closed need not have been read; a pipe is read to its end.
    if (ordered) expect(await read(1)).toEqual(['a']);
    expect(verdict(call).sentence).toContain('cut the connection at the call');
  });

  test('faults stay on when the server is started again, and the handshake passes untouched', async () => {
    await set({ fault: 'drop', on: 'replies' });
    const before = host.status.session;
    await host.request('server.restart', { connection: host.connection });
    await host.until('the next session', () => host.status.session !== before && host.status.state === 'connected');
    expect(host.status.faults.rules).toEqual([{ fault: 'drop', on: 'replies' }]);
    const call = await echo('a');
    await is(call, 'lost');
    await set();
    const after = await echo('b');
    await is(after, 'completed');
  });

  test('a cancel before the call is read: the server reads them in that order, and what it does then is no breach', async () => {
    await set(...PRESETS['early-cancel'].rules);
    const call = await echo('a');
    await held(1);
    expect(await host.cancel(call)).toBe('sent');
    expect(inOrder(await read(2))).toEqual(inOrder(['cancel', 'a']));
    expect(host.callOf(call).cancels[0]?.seq).toBeLessThan(host.callOf(call).written?.seq ?? 0);
    await host.until('the answer', () => host.callOf(call).replies.length > 0);
    await host.until('the finding', () => findings().includes('cancel-overtook-call'));
    expect(verdict(call).sentence).toContain('The call was written after its cancel');
    expect(verdict(call).severity).not.toBe('breach');
  });

  test('a held cancel goes out with its fence behind it, and only then is the stop known', async () => {
    await set({ fault: 'hold', on: 'cancels', until: { until: 'key' } });
    const call = await echo('a', 'silent');
    expect(await host.cancel(call)).toBe('held');
    await held(1);
    expect(verdict(call).stop.state).toBe('none');
    await release();
    await host.until('the stop', () => verdict(call).stop.state === 'sent');
    expect(inOrder(await read(2))).toEqual(inOrder(['a', 'cancel']));
    if (wire === 'stdio') await host.until('the pong', () => verdict(call).fence.state === 'answered');
    await is(call, 'unknown-read');
    expect(verdict(call).sentence).toContain('held the cancel back');
  });
});

describe('where closing the stream is the cancel', () => {
  let host: TestHost;
  let fixture: HttpFixture;
  /** How many responses the client has closed before their end. */
  let closed: number;
  beforeEach(async () => {
    closed = 0;
    host = await testHost(blindProbe, { graceMs: 500 });
    fixture = await serve((asked) => {
      const { message } = asked;
      if (message?.method === 'server/discover')
        return asked.result({ supportedVersions: [MODERN], capabilities: { tools: {} }, resultType: 'complete' });
      if (message?.method === 'tools/list') return asked.result({ tools: TOOLS, resultType: 'complete' });
      if (message?.method !== 'tools/call') return asked.status(202);
      const send = asked.stream();
      if (message.params?.name === 'silent') {
        asked.response.once('close', () => closed++);
        return undefined;
      }
      send(asked.answer({ ...done('done'), resultType: 'complete' }));
      return asked.response.end();
    });
    await host.connectTo({ kind: 'http', url: fixture.url, transport: 'http', headers: {}, protocol: MODERN });
    await host.until('the tools', () => host.status.tools.length > 0);
  });
  afterEach(async () => {
    await host.end();
    await fixture.close();
  });

  const set = (...rules: readonly FaultRule[]) => host.request('faults.set', { connection: host.connection, rules: [...rules] });
  const call = (tool: string) => host.call(tool, {}, { settleMs: 300 });
  const stream = (of: number) => host.until('its stream', () => host.callOf(of).exchanges[0]?.opened);

  test('a held cancel is a stream that stays open until it is let go', async () => {
    await set({ fault: 'hold', on: 'cancels', until: { until: 'key' } });
    const silent = await call('silent');
    await stream(silent);
    expect(await host.cancel(silent)).toBe('held');
    expect(host.callOf(silent).exchanges[0]?.end).toBeUndefined();
    await host.request('faults.release', { connection: host.connection });
    await host.until('the stop', () => host.verdicts.get(silent)?.stop.state === 'stream-closed');
    expect(host.verdicts.get(silent)?.sentence).toContain('held the cancel back');
    await host.until('the server to see it', () => closed === 1);
  });

  test('a lost cancel is a stream that nobody closes', async () => {
    await set(...PRESETS['lost-cancel'].rules);
    const silent = await call('silent');
    await stream(silent);
    expect(await host.cancel(silent)).toBe('undelivered');
    await host.until('the verdict', () => host.verdicts.get(silent)?.verdict === 'never-told');
    expect([closed, host.callOf(silent).exchanges[0]?.end]).toEqual([0, undefined]);
  });

  test('a crossing on demand: the stream has ended with the answer, and nothing was left to be told', async () => {
    await set(...PRESETS['perfect-crossing'].rules);
    const echo = await call('echo');
    await host.until('the held answer', () => host.status.faults.held.length === 1);
    await host.until('the end of its stream', () => host.callOf(echo).exchanges[0]?.end);
    await host.cancel(echo);
    await host.until('the verdict', () => host.verdicts.get(echo)?.verdict === 'crossed');
    expect(host.verdicts.get(echo)?.reply.state).toBe('crossed');
  });
});

describe('over HTTP+SSE, where closing the stream is the end of the session', () => {
  let host: TestHost;
  beforeEach(async () => {
    host = await testHost(blindProbe, { graceMs: 500 });
    await host.connectTo({ kind: 'demo', over: 'sse' });
    await host.until('the tools', () => host.status.tools.length > 0);
  });
  afterEach(() => host.end());

  const set = (...rules: readonly FaultRule[]) => host.request('faults.set', { connection: host.connection, rules: [...rules] });
  const search = () => host.call('search_orders', { query: 'ada' }, { settleMs: 300 });

  test('the perfect crossing', async () => {
    await set(...PRESETS['perfect-crossing'].rules);
    const call = await search();
    await host.until('the held answer', () => host.status.faults.held.length === 1);
    expect(await host.cancel(call)).toBe('sent');
    await host.until('the verdict', () => host.verdicts.get(call)?.verdict === 'crossed');
  });

  test('a cut takes the session, and says whose doing it was', async () => {
    await set({ fault: 'cut', on: 'replies', method: 'tools/call' });
    const call = await search();
    await host.until('the verdict', () => host.verdicts.get(call)?.verdict === 'lost');
    await host.until('the end of the session', () => host.status.state === 'ended');
    expect(host.status.why).toContain('a fault of ours cut it');
  });
});
