// What the host does for probes, and with what they say: readings before a call, sinks that are there before the server,
// requests of their own, retries and undo, and what is left when the server has been told to end.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables and templates, filled in by the host
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeOf, type StartProbe } from '../../app/evidence/probe';
import type { Life } from '../../app/wire/frame';
import { startProbe } from '../../main/probes';
import { fixture } from '../fixtures/fixtures';
import type { StartCommand } from '../real/servers';
import { type TestHost, testHost } from './host.testing';

let host: TestHost;
beforeEach(async () => {
  host = await testHost(startProbe, { graceMs: 500 });
});
afterEach(() => host.end());

const library = pathToFileURL(path.join(import.meta.dirname, '../fixtures/mcp.mjs')).href;
const server = (body: string, ...args: readonly string[]): StartCommand => ({
  command: process.execPath,
  args: [
    '--input-type=module',
    '-e',
    `import { answer, refuse, send, serve, tool } from '${library}';\n${body}`,
    ...(args.length > 0 ? ['--', ...args] : []),
  ],
});
const answered = (call: number): Promise<unknown> => host.until('the answer', () => host.callOf(call).replies.length > 0);
const seqs = (): readonly number[] => Array.from({ length: host.trace.length }, (_, seq) => seq);
const lives = (): readonly Life[] =>
  seqs().flatMap((seq) => {
    const extra = host.trace.extra(seq);
    return extra?.about === 'life' ? [extra.life] : [];
  });
const watching = (name: string): Promise<unknown> =>
  host.until(`the probe ${name}`, () => host.status.probes.find(({ spec }) => spec.name === name)?.state === 'watching');

describe('before a call', () => {
  test('its probes are read, so that what was there before is not taken for its effect', async () => {
    const folder = path.join(host.folder, 'place');
    await mkdir(folder);
    await host.connect(fixture('answers-odd'));
    await host.request('probe.set', { connection: host.connection, probe: { kind: 'folder', name: 'place', path: folder } });
    await writeFile(path.join(folder, 'before.txt'), 'somebody else');
    const call = await host.call('odd', {}, { probes: ['place'] });
    await answered(call);
    const seen = seqs().find((seq) => host.trace.name(seq) === 'seen') ?? -1;
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(host.callOf(call).arrangement?.seq ?? 0);
    await host.until('the verdict', () => host.verdicts.get(call)?.verdict === 'completed');
    expect(host.verdicts.get(call)?.effect.observations).toEqual([]);
  });

  test('a probe that does not answer holds it up for a while, not for ever', async () => {
    await host.end();
    const stuck: StartProbe = async (spec, { emit }) => {
      emit({ effect: 'watching', probe: spec.name, kind: spec.kind, place: placeOf(spec), shared: false });
      return { spec, read: () => new Promise(() => undefined), stop: async () => undefined };
    };
    host = await testHost(stuck, { graceMs: 500 });
    await host.connect(fixture('answers-odd'));
    await host.request('probe.set', { connection: host.connection, probe: { kind: 'process', name: 'stuck' } });
    await answered(await host.call('odd', {}, { probes: ['stuck'] }));
    expect(await host.request('probe.read', { connection: host.connection })).toEqual({ says: 'stuck: no answer yet' });
  });

  test('what marks its own effects is filled from its arguments; what cannot be filled marks nothing', async () => {
    await host.connect(fixture('answers-odd'));
    for (const [name, owns] of [
      ['nested', 'order ${order.id}'],
      ['missing', '${order.number}'],
      ['empty', '${note}'],
    ] as const)
      await host.request('probe.set', {
        connection: host.connection,
        probe: { kind: 'folder', name, path: host.folder, match: 'nothing', owns },
      });
    const call = await host.call('odd', { order: { id: 7 }, note: '' }, { probes: ['nested', 'missing', 'empty'] });
    expect(host.callOf(call).arrangement?.owns).toEqual({ nested: 'order 7' });
  });

  test('a trace context goes out with it when there is a probe that knows what to do with it, and only then', async () => {
    await host.connect(fixture('answers-odd'));
    await host.request('probe.set', { connection: host.connection, probe: { kind: 'otel', name: 'spans' } });
    const [traced, plain] = [await host.call('odd', {}, { probes: ['spans'] }), await host.call('odd')];
    const metaOf = async (call: number): Promise<Record<string, unknown>> =>
      JSON.parse(await host.raw(host.callOf(call).sent.seq)).params._meta;
    expect(await metaOf(traced)).toEqual({
      progressToken: expect.any(Number),
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    });
    expect(Object.keys(await metaOf(plain))).toEqual(['progressToken']);
  });
});

describe('a sink', () => {
  const POSTS =
    "serve({ name: 'posts', tools: [tool('post', 'Posts.')], onCall: async ({ id }) => { const url = process.env.HOOK ?? process.argv.at(-1); await fetch(url + '/orders', { method: 'POST', body: 'order 7' }); answer(id, 'posted'); } });";

  test('is there before the server, which is told its address by its environment', async () => {
    await host.connect(server(POSTS), { env: { HOOK: '${probes.hook.url}' } });
    expect(host.status.state).toBe('failed');
    expect(host.status.why).toMatch(/^Expected variables that a probe of this server offers, but found \$\{probes\.hook\.url\}/);
    expect(lives().map(({ event }) => event)).toEqual(['failed']);

    const set = await host.request('probe.set', { connection: host.connection, probe: { kind: 'http', name: 'hook' } });
    expect(set).toMatchObject({ state: 'watching', variables: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//) } });
    await host.request('server.restart', { connection: host.connection });
    await host.until('the connection', () => host.status.session === 2 && host.status.state === 'connected');
    await watching('hook');
    const call = await host.call('post', {}, { probes: ['hook'] });
    await host.until('what it received', () => host.verdicts.get(call)?.effect.state === 'observed');
    expect(host.verdicts.get(call)?.effect.worst).toMatchObject({ probe: 'hook', says: 'POST /orders (7 bytes)', certainty: 'proved' });
  });

  test('or by its arguments; what is shown of the command names the variable, not the address', async () => {
    const { command, args } = server(POSTS, '${probes.hook.url}');
    await host.connect({ command, args });
    expect(host.status.state).toBe('failed');
    await host.request('probe.set', { connection: host.connection, probe: { kind: 'http', name: 'hook' } });
    await host.connect({ command, args });
    expect(host.status.state).toBe('connected');
    expect(host.status.command).toContain('${probes.hook.url}');
    expect(lives().find(({ event }) => event === 'started')).toMatchObject({ args: expect.arrayContaining(['${probes.hook.url}']) });
    const call = await host.call('post', {}, { probes: ['hook'] });
    await host.until('what it received', () => host.verdicts.get(call)?.effect.state === 'observed');
  });
});

describe('a probe that asks the server itself', () => {
  const NOTES =
    "let notes = ['one']; serve({ name: 'notes', tools: [tool('add', 'Adds.'), tool('list', 'Lists.')], onCall: ({ id, name, args }) => { if (name === 'add') notes.push(args.text); if (name !== 'add' || !args.silent) answer(id, name === 'add' ? 'added' : notes.join('\\n')); } });";
  const LIST = { kind: 'read', name: 'notes', read: { tool: 'list' }, everyMs: 50 } as const;

  test('has its requests marked as its own, and they are no calls of the person', async () => {
    await host.connect(server(NOTES));
    await host.request('probe.set', { connection: host.connection, probe: LIST });
    const call = await host.call('add', { text: 'two' }, { probes: ['notes'] });
    await host.until('what it added', () => host.verdicts.get(call)?.effect.worst?.says);
    expect(host.verdicts.get(call)?.effect.worst).toMatchObject({ probe: 'notes', says: '1 line more: two' });
    const own = host.calls.all.filter(({ tool }) => tool === 'list');
    expect(own.length).toBeGreaterThan(2);
    expect(own.map(({ purpose }) => purpose).filter((purpose) => purpose !== 'probe')).toEqual([]);
    expect(own.filter(({ index }) => host.verdicts.has(index))).toEqual([]);
    // Its mark stands directly before each of them.
    expect(own.map(({ sent }) => host.trace.name(sent.seq - 1)).filter((name) => name !== 'probe')).toEqual([]);
  });

  test('looks a last time before its server is told to end, and is not refused then', async () => {
    await host.connect(server(NOTES));
    await host.request('probe.set', { connection: host.connection, probe: LIST });
    await host.request('server.disconnect', { connection: host.connection });
    await host.until('the end', () => lives().some(({ event }) => event === 'closed'));
    const said = seqs().filter((seq) => host.trace.kind(seq) === 'effect');
    expect(said.map((seq) => host.trace.name(seq))).toEqual(['watching', 'clear', 'ended']);
    expect(host.findings).toEqual([]);
  });

  test('and gets no answer does not keep the server from being ended', async () => {
    const deaf =
      "let asked = 0; serve({ name: 'deaf', tools: [tool('list', 'Stops answering.')], onCall: ({ id }) => { if (++asked < 4) answer(id, 'one'); } });";
    await host.connect(server(deaf));
    await host.request('probe.set', { connection: host.connection, probe: LIST });
    await host.until('a request without an answer', () => host.calls.all.filter(({ tool }) => tool === 'list').length > 3);
    await host.request('server.disconnect', { connection: host.connection });
    expect(host.status.state).toBe('ended');
    const cancelled = seqs().filter((seq) => host.trace.name(seq) === 'notifications/cancelled');
    expect(cancelled).toEqual([]);
  });

  test('hears of a resource that changes, however often it is told', async () => {
    const flood =
      "let text = 'one'; serve({ name: 'changes', tools: [tool('change', 'Changes a resource.')], onMessage: ({ id, method }) => { if (method === 'resources/read') send({ id, result: { contents: [{ uri: 'x://a', text }] } }); if (method === 'resources/subscribe') send({ id, result: {} }); }, onCall: ({ id }) => { text = 'two'; for (let n = 0; n < 5000; n++) send({ method: 'notifications/resources/updated', params: { uri: n % 2 ? 'x://a' : 'x://b' } }); answer(id, 'changed'); } });";
    // The fixtures' little MCP knows no resources and refuses after the answer: a second reply, which nobody takes.
    await host.connect(server(flood));
    await host.request('probe.set', {
      connection: host.connection,
      probe: { kind: 'read', name: 'a', read: { resource: 'x://a' }, everyMs: 3_600_000 },
    });
    const call = await host.call('change', {}, { probes: ['a'] });
    await host.until('the change', () => host.verdicts.get(call)?.effect.worst?.probe === 'a');
    expect(host.calls.all.filter(({ method }) => method === 'resources/read').length).toBeLessThan(500);
  });
});

describe('a call of the demo that was stopped too late', () => {
  const CHARGE = { amount: 4200, commit_ms: 0, write_ms: 2000 };
  beforeEach(async () => {
    await host.request('server.connect', { spec: { kind: 'demo' } });
    await host.until('the tools', () => host.status.tools.length > 0);
    await watching('ledger');
  });

  async function stoppedCharge(args: Record<string, unknown>): Promise<number> {
    const call = await host.call('charge_card', args, { probes: ['ledger'], stopAfterMs: 300, settleMs: 1500 });
    await host.until('the verdict', () => host.verdicts.get(call)?.verdict === 'write-after-cancel');
    return call;
  }

  async function retried(call: number): Promise<number> {
    const { tool, arguments: args, probes, settleMs, normallyMs, fence } = await host.request('call.arguments', { call });
    expect([tool, probes, settleMs, normallyMs, fence]).toEqual(['charge_card', ['ledger'], 1500, 400, true]);
    const sent = await host.request('tool.call', {
      connection: host.connection,
      tool,
      arguments: { ...args },
      probes: [...probes],
      settleMs,
      fence,
      retryOf: call,
    });
    await host.until('the answer', () => host.calls.all[sent.call]?.replies.length === 1);
    return sent.call;
  }

  test('is retried with the same arguments, and charges twice', async () => {
    const call = await stoppedCharge(CHARGE);
    const retry = await retried(call);
    await host.until('the verdict', () => host.verdicts.get(retry)?.verdict === 'double-write');
    expect(host.verdicts.get(retry)).toMatchObject({ severity: 'breach', certainty: 'proved' });
  });

  test('with an idempotency key it charges once; the undo takes that back, and the same probe shows it', async () => {
    const call = await stoppedCharge({ ...CHARGE, idempotency_key: 'k-1' });
    const retry = await retried(call);
    await host.until('the verdict', () => host.verdicts.get(retry)?.verdict === 'completed');
    expect((await host.request('probe.read', { connection: host.connection, call })).says).toMatch(/^ledger: nothing new; still there: /);
    const undo = await host.request('tool.call', {
      connection: host.connection,
      tool: 'refund',
      arguments: { idempotency_key: 'k-1' },
      probes: ['ledger'],
      undoOf: call,
    });
    await host.until('the answer', () => host.calls.all[undo.call]?.replies.length === 1);
    await host.request('probe.read', { connection: host.connection, call });
    await host.until('the verdict', () => host.verdicts.get(call)?.verdict === 'rolled-back');
    const id = JSON.parse(await host.raw(host.callOf(call).sent.seq)).id;
    expect(host.callOf(undo.call).arrangement?.undoOf).toBe(id);
    expect((await host.request('probe.read', { connection: host.connection, call })).says).toBe(
      'ledger: nothing new; what had been seen was taken back',
    );
  });

  test('after a restart a retry names nothing that it repeats: ids mean nothing beyond their session', async () => {
    const call = await host.call('search_orders');
    await answered(call);
    await host.request('server.restart', { connection: host.connection });
    await host.until('the connection', () => host.status.session === 2 && host.status.state === 'connected');
    const { tool, arguments: args } = await host.request('call.arguments', { call });
    const sent = await host.request('tool.call', {
      connection: host.connection,
      tool,
      arguments: { ...args },
      probes: [],
      retryOf: call,
      undoOf: call,
    });
    await host.until('the call', () => host.calls.all.length > sent.call);
    expect(host.callOf(sent.call).arrangement).toMatchObject({ retryOf: undefined, undoOf: undefined });
    await expect(host.request('call.arguments', { call: 0 })).rejects.toThrow(/Expected a call of a tool, but 0 is none/);
  });
});

describe('what is said on demand', () => {
  test('whether a place can be watched, before it is', async () => {
    const probe = { kind: 'folder', name: 'here', path: host.folder } as const;
    expect(await host.request('probe.check', { probe })).toEqual({ why: undefined });
    const { why } = await host.request('probe.check', { probe: { ...probe, path: '/no/such/folder' } });
    expect(why).toContain('/no/such/folder');
    expect(host.status.probes).toEqual([]);
  });

  test('what a reading finds, for each probe', async () => {
    await expect(host.request('probe.read', { connection: 1 })).rejects.toThrow(/No server is connected/);
    await host.connect(fixture('answers-odd'));
    expect(await host.request('probe.read', { connection: host.connection })).toEqual({ says: 'There is no probe yet.' });
    const folder = path.join(host.folder, 'place');
    await mkdir(folder);
    await host.request('probe.set', { connection: host.connection, probe: { kind: 'folder', name: 'place', path: folder } });
    await host.request('probe.set', {
      connection: host.connection,
      probe: { kind: 'folder', name: 'nowhere', path: '/no/such/folder/anywhere' },
    });
    const { says } = await host.request('probe.read', { connection: host.connection });
    expect(says.split('\n')).toEqual(['place: nothing new since the baseline', expect.stringMatching(/^nowhere: it cannot watch \(/)]);
    const call = await host.call('odd', {}, { probes: ['place'] });
    expect((await host.request('probe.read', { connection: host.connection, call })).says).toBe('place: nothing new since the baseline');
    expect((await host.request('probe.read', { connection: host.connection, call: 0 })).says).toBe(
      'No probe that is running watched this call.',
    );
  });

  test('a place that is taken away is a failure that shows', async () => {
    const folder = path.join(host.folder, 'place');
    await mkdir(folder);
    await host.connect(fixture('answers-odd'));
    await host.request('probe.set', {
      connection: host.connection,
      probe: { kind: 'command', name: 'ls', command: ['ls', folder], everyMs: 50 },
    });
    await rm(folder, { recursive: true });
    const failing = await host.until('the failure', () => host.status.probes.find(({ state }) => state === 'failing'));
    expect(failing?.why).toContain(folder);
    await mkdir(folder);
    await watching('ls');
    expect(host.status.probes[0]?.why).toBeUndefined();
  });
});

test('a process that the server starts is recorded without the secrets that its command line has from the server’s own', async () => {
  const passesOn =
    "import { spawn } from 'node:child_process'; serve({ name: 'starts', tools: [tool('start', 'Starts a process.')], onCall: ({ id }) => { spawn(process.execPath, ['-e', 'setInterval(() => {}, 9000)', process.argv.at(-1)], { argv0: 'n', stdio: 'ignore' }); answer(id, ''); } });";
  await host.connect(server(passesOn, 'postgres://me:hunter2@db/x'));
  await host.request('probe.set', { connection: host.connection, probe: { kind: 'process', name: 'procs' } });
  await answered(await host.call('start', {}, { probes: ['procs'] }));
  const work = await host.until('the process', () =>
    seqs()
      .map((seq) => host.trace.extra(seq))
      .find((extra) => extra?.about === 'effect' && extra.effect.effect === 'work' && extra.effect.sign === 'process'),
  );
  expect(work).toMatchObject({ effect: { says: expect.stringContaining('postgres://me:***@db/x') } });
});

describe.skipIf(process.platform === 'win32')('a server that has been told to end', () => {
  const ended = (): Promise<unknown> => host.until('the end', () => lives().some(({ event }) => event === 'closed'));
  const outlived = (): Extract<Life, { event: 'outlived' }> | undefined =>
    lives().find((life): life is Extract<Life, { event: 'outlived' }> => life.event === 'outlived');

  test('and does, leaves nothing to be said', async () => {
    await host.connect(fixture('answers-odd'));
    await host.request('server.disconnect', { connection: host.connection });
    await ended();
    expect(lives().map(({ event }) => event)).toEqual(['started', 'opened', 'exited', 'closed']);
  });

  test('and does not, is named, with the signal that it took', async () => {
    const stays =
      "process.exit = () => {}; setInterval(() => {}, 1000); serve({ name: 'stays', tools: [tool('x', '')], onCall: ({ id }) => answer(id, '') });";
    await host.connect(server(stays, 'postgres://me:hunter2@db/x'));
    const { pid } = host.status;
    await host.request('server.disconnect', { connection: host.connection });
    await ended();
    expect(lives().map(({ event }) => event)).toEqual(['started', 'opened', 'exited', 'outlived', 'closed']);
    expect(outlived()?.processes.map((one) => one.pid)).toEqual([pid]);
    expect(outlived()?.says).toMatch(
      new RegExp(`^The server did not end 500 ms after its stdin had been closed: pid ${pid} .* had to be ended by SIGTERM\\.$`, 's'),
    );
    expect(JSON.stringify(outlived())).not.toContain('hunter2');
    await host.until('the finding', () => host.findings.some(({ finding }) => finding === 'process-outlived-close'));
  });

  test('and does, but leaves processes behind, has these named', async () => {
    await host.connect(fixture('leaves-children'));
    await host.until('both', () => seqs().filter((seq) => host.trace.kind(seq) === 'stderr').length >= 2);
    const { pid } = host.status;
    await host.request('server.restart', { connection: host.connection });
    await ended();
    expect(outlived()?.processes.map((one) => one.pid)).not.toContain(pid);
    expect(outlived()?.processes.length).toBe(2);
    expect(outlived()?.says).toMatch(
      /^The server had ended, but 500 ms after .* still there: pid .* and pid .* had to be ended by SIGKILL\.$/s,
    );
  });

  test('by a kill, was to leave nothing, and nothing is said', async () => {
    await host.connect(fixture('never-answers-calls'));
    await host.until('the tools', () => host.status.tools.length > 0);
    const call = await host.call(host.status.tools[0]?.name ?? '');
    await host.request('call.stop', { call, how: { means: 'kill' } });
    await host.request('server.disconnect', { connection: host.connection });
    await ended();
    expect(outlived()).toBeUndefined();
  });
});
