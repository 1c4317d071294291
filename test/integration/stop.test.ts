// Stop: what leaves for it, exactly, and what does not; against our own demo and against servers that others wrote.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEMO_PROBES } from '../../main/demo/probes';
import { startProbe } from '../../main/probes';
import { fixture } from '../fixtures/fixtures';
import { type StartCommand, serverEverything, serverFilesystem } from '../real/servers';
import { type TestHost, testHost } from './host.testing';

let host: TestHost;
beforeEach(async () => {
  host = await testHost(startProbe, { graceMs: 1000 });
});
afterEach(() => host.end());

const seqs = (): readonly number[] => Array.from({ length: host.trace.length }, (_, seq) => seq);
const sent = (method: string): readonly number[] =>
  seqs().filter((seq) => host.trace.dir(seq) === 'c2s' && host.trace.name(seq) === method);
const cancels = (): Promise<readonly string[]> => host.raws((seq) => sent('notifications/cancelled').includes(seq));
const answered = (call: number): Promise<unknown> => host.until('the answer', () => host.callOf(call).replies.length > 0);
const tools = (): Promise<unknown> => host.until('the tools', () => host.status.tools.length > 0);
const settled = (call: number): Promise<unknown> => host.until('the end of the window', () => host.verdicts.get(call)?.settled);

/** A server in a few lines, upon the fixtures' little MCP. */
function server(body: string): StartCommand {
  const library = pathToFileURL(path.join(import.meta.dirname, '../fixtures/mcp.mjs')).href;
  return { command: process.execPath, args: ['--input-type=module', '-e', `import { answer, serve, tool } from '${library}';\n${body}`] };
}
const SILENT = "serve({ name: 'silent', tools: [tool('wait', 'Never answers.')], onCall: () => {} });";

describe('a cancel', () => {
  test('is one notification with the call’s own id and the reason, and the fence right behind it in one write', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'stopgap-chunks-'));
    const chunks = path.join(folder, 'chunks');
    // What one read gives was in the pipe at once.
    await host.connect(
      server(
        `import fs from 'node:fs'; const read = fs.read; process.stdin.on('data', (chunk) => fs.appendFileSync(${JSON.stringify(chunks)}, JSON.stringify(String(chunk)) + '\\n'));\n${SILENT}`,
      ),
    );
    const call = await host.call('wait');
    expect(await host.cancel(call, 'changed my mind')).toBe('sent');
    await host.until(
      'the pong',
      () => host.callOf(call).fence !== undefined && host.callOf(host.callOf(call).fence ?? 0).replies.length > 0,
    );
    const id = JSON.parse(await host.raw(host.callOf(call).sent.seq)).id;
    expect(typeof id).toBe('number');
    expect(await cancels()).toEqual([
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'changed my mind' } }),
    ]);
    const fence = host.callOf(host.callOf(call).fence ?? 0);
    expect(fence.purpose).toBe('fence');
    const [cancel = -1] = sent('notifications/cancelled');
    expect([cancel - 1, cancel, cancel + 1, cancel + 2].map((seq) => host.trace.name(seq))).toEqual([
      'stop',
      'notifications/cancelled',
      'fence',
      'ping',
    ]);
    const read = (await readFile(chunks, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string);
    expect(
      read
        .at(-1)
        ?.split('\n')
        // A server that was slow to read finds more in its pipe before the two; they stand together all the same.
        .slice(-3)
        .map((line) => line && (JSON.parse(line) as { method: string }).method),
    ).toEqual(['notifications/cancelled', 'ping', '']);
    await rm(folder, { recursive: true });
  });

  test('has no reason when none was given, and no fence when there is to be none', async () => {
    await host.connect(server(SILENT));
    await tools();
    const call = await host.call('wait', {}, { fence: false });
    await host.cancel(call);
    await host.until('the cancel', () => host.callOf(call).cancels.length > 0);
    expect(JSON.parse((await cancels())[0] ?? '').params).toEqual({ requestId: JSON.parse(await host.raw(host.callOf(call).sent.seq)).id });
    expect(host.callOf(call).fence).toBeUndefined();
  });

  test('is sent exactly once, however often it is asked for', async () => {
    await host.connect(server(SILENT));
    const call = await host.call('wait');
    const outcomes = await Promise.all([host.cancel(call), host.cancel(call)]);
    outcomes.push(await host.cancel(call));
    const timeout = await host.request('call.stop', { call, how: { means: 'timeout', silent: false } });
    expect([...outcomes, timeout.outcome]).toEqual(['sent', 'nothing', 'nothing', 'nothing']);
    await host.until('the cancel', () => host.callOf(call).cancels.length > 0);
    expect((await cancels()).length).toBe(1);
  });

  test('is not sent when the reply is there; that Stop was pressed is recorded', async () => {
    await host.connect(fixture('answers-odd'));
    const call = await host.call('odd');
    await answered(call);
    expect(await host.cancel(call, 'too slow')).toBe('too-late');
    await host.until('the act', () => host.callOf(call).stops.length > 0);
    expect(host.callOf(call).stops[0]).toMatchObject({ late: true, wrote: false, reason: 'too slow' });
    expect(await cancels()).toEqual([]);
    await host.until('the verdict', () => host.verdicts.get(call)?.verdict === 'finished-first');
  });

  test('that cannot be written is undelivered, and never shown as sent', async () => {
    await host.connect(
      server(
        "import { closeSync } from 'node:fs'; process.stdin.once('close', () => { closeSync(0); console.error('deaf'); }); setInterval(() => {}, 1000); serve({ name: 'deaf', tools: [tool('wait', 'Closes its stdin.')], onCall: () => { process.exit = () => {}; process.stdin.destroy(); } });",
      ),
    );
    await tools();
    const call = await host.call('wait');
    await host.until('its deafness', () => seqs().some((seq) => host.trace.kind(seq) === 'stderr'));
    expect(await host.cancel(call)).toBe('undelivered');
    await host.until('the act', () => host.callOf(call).undelivered.length > 0);
    expect(await cancels()).toEqual([]);
    await host.until('the verdict', () => host.verdicts.get(call)?.stop.state === 'undelivered');
  });

  test('with another id on purpose goes out with that id, in its own type', async () => {
    await host.connect(server(SILENT));
    const call = await host.call('wait');
    const { outcome } = await host.request('call.stop', { call, how: { means: 'cancel-id', id: '5' } });
    expect(outcome).toBe('sent');
    await host.until('the cancel', () => host.callOf(call).misaddressed.length > 0);
    expect(JSON.parse((await cancels())[0] ?? '').params).toEqual({ requestId: '5' });
  });
});

describe('other ways to stop', () => {
  test('giving up and timing out silently tell nobody; timing out as the SDK does says so in its words', async () => {
    await host.connect(server(SILENT));
    await tools();
    const [a, b, c] = [await host.call('wait'), await host.call('wait'), await host.call('wait')];
    const how = [{ means: 'abandon' }, { means: 'timeout', silent: true }, { means: 'timeout', silent: false }] as const;
    const outcomes = [];
    for (const [index, call] of [a, b, c].entries())
      outcomes.push((await host.request('call.stop', { call, how: how[index] ?? how[0] })).outcome);
    expect(outcomes).toEqual(['told-nobody', 'told-nobody', 'sent']);
    await host.until('the cancel', () => host.callOf(c).cancels.length > 0);
    expect((await cancels()).map((raw) => JSON.parse(raw).params.reason)).toEqual(['McpError: MCP error -32001: Request timed out']);
    expect(host.callOf(a).stops[0]).toMatchObject({ how: { means: 'abandon' }, wrote: false });
  });

  test('killing ends the process; the trace says who wanted it', async () => {
    await host.connect(server(SILENT));
    const call = await host.call('wait');
    expect((await host.request('call.stop', { call, how: { means: 'kill' } })).outcome).toBe('killed');
    await host.until('the end', () => host.calls.sessions.get(1)?.ends.length);
    expect(host.calls.sessions.get(1)?.ends[0]?.life).toEqual({ event: 'exited', signal: 'SIGKILL', asked: 'kill' });
    await host.until('the state', () => host.status.state === 'ended');
  });

  test('after a given time, by itself', async () => {
    await host.connect(server(SILENT));
    const call = await host.call('wait', {}, { stopAfterMs: 50 });
    await host.until('the cancel', () => host.callOf(call).cancels.length > 0);
    const {
      sent: request,
      cancels: [cancel],
    } = host.callOf(call);
    expect((cancel?.t ?? 0) - request.t).toBeGreaterThanOrEqual(49e6);
  });

  test('all at once', async () => {
    await host.connect(server(SILENT));
    const open = [await host.call('wait'), await host.call('wait'), await host.call('wait')];
    const { stopped } = await host.request('call.stop-all', { how: { means: 'cancel' }, reason: 'enough' });
    expect(stopped.map(({ call, outcome }) => [call, outcome])).toEqual(open.map((call) => [call, 'sent']));
    await host.until('the cancels', () => open.every((call) => host.callOf(call).cancels.length === 1));
  });
});

test('a call that the pipe does not take is not shown as sent, and is refused when the server ends', async () => {
  await host.connect(
    server("serve({ name: 'stuck', tools: [tool('wait', 'Reads no more.')], onCall: () => { console.error('stuck'); for (;;); } });"),
  );
  await tools();
  await host.call('wait');
  await host.until('its end of reading', () => seqs().some((seq) => host.trace.kind(seq) === 'stderr'));
  const before = host.calls.all.length;
  const large = host.request('tool.call', {
    connection: host.connection,
    tool: 'wait',
    arguments: { text: 'x'.repeat(4_000_000) },
    probes: [],
  });
  const refused = expect(large).rejects.toThrow(/did not leave/);
  await host.request('server.disconnect', { connection: host.connection });
  await refused;
  expect(host.calls.all.slice(before).filter(({ method }) => method === 'tools/call')).toEqual([]);
});

describe('the demo', () => {
  beforeEach(async () => {
    await host.request('server.connect', { spec: { kind: 'demo' } });
    await tools();
  });

  test('a card is charged although Stop was pressed: the write is proved to be after the cancel', async () => {
    // Its commit point is at once and its write late, so that a slow machine cannot turn them round.
    const call = await host.call('charge_card', { amount: 4200, commit_ms: 0, write_ms: 1500 }, { probes: ['ledger'], stopAfterMs: 400 });
    const verdict = await host.until('the verdict', () => {
      const now = host.verdicts.get(call);
      return now?.verdict === 'write-after-cancel' && now;
    });
    expect(verdict).toMatchObject({
      severity: 'breach',
      certainty: 'proved',
      stop: { state: 'sent' },
      reply: { state: 'none' },
      effect: { readFirst: 'yes' },
    });
  });

  test('a ticket stopped early is settling first, and stopped in the end', async () => {
    const call = await host.call('create_ticket', { title: 'x' }, { probes: ['tickets'], stopAfterMs: 200 });
    await host.until('the verdict', () => host.verdicts.get(call)?.verdict === 'stopped');
    const history = host.verdicts.get(call)?.history.map(({ verdict }) => verdict) ?? [];
    expect(history.indexOf('settling')).toBeGreaterThanOrEqual(0);
    expect(history.indexOf('settling')).toBeLessThan(history.indexOf('stopped'));
  });

  test('a late arrival is shown', async () => {
    const call = await host.call('huge_search', {}, { stopAfterMs: 200 });
    await answered(call);
    await host.until('the verdict', () => host.verdicts.get(call)?.reply.state === 'late-result');
  });

  test('its state is new at each connection, and its probes come with it', async () => {
    const stray = path.join(host.folder, 'demo-state', 'stray');
    await writeFile(stray, '');
    await host.request('server.connect', { spec: { kind: 'demo' } });
    await expect(readFile(stray)).rejects.toThrow(/ENOENT/);
    await host.until(
      'the probes',
      () =>
        host.status.session === 2 &&
        host.status.probes.length === Object.keys(DEMO_PROBES).length &&
        host.status.probes.every(({ state }) => state === 'watching'),
    );
    expect(host.status.probes.every(({ builtIn }) => builtIn)).toBe(true);
    expect(host.status.setups['charge_card']).toMatchObject({
      probes: ['ledger'],
      normallyMs: 400,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in when an undo is made
      undo: { tool: 'refund', arguments: { idempotency_key: '${arguments.idempotency_key}' } },
    });
  });
});

describe('servers by others', () => {
  test('server-everything: of twenty calls at once the seventh is stopped, and only the seventh', async () => {
    await host.connect(serverEverything());
    await tools();
    const open: number[] = [];
    for (let n = 0; n < 20; n++) open.push(await host.call('trigger-long-running-operation', { duration: 4, steps: 4 }));
    const seventh = open[6] ?? -1;
    await host.until('its first progress', () => host.callOf(seventh).progress.length > 0);
    expect(await host.cancel(seventh, 'only this one')).toBe('sent');
    await host.until('the others', () => open.every((call) => call === seventh || host.callOf(call).replies.length === 1));
    await settled(seventh);
    expect(host.callOf(seventh).replies).toEqual([]);
    expect((await cancels()).map((raw) => JSON.parse(raw).params)).toEqual([
      { requestId: JSON.parse(await host.raw(host.callOf(seventh).sent.seq)).id, reason: 'only this one' },
    ]);
    expect(open.filter((call) => host.callOf(call).cancels.length > 0)).toEqual([seventh]);
    // The server goes on with what was cancelled, and says so.
    const [cancel] = host.callOf(seventh).cancels;
    expect(host.callOf(seventh).progress.filter((seq) => seq > (cancel?.seq ?? 0)).length).toBeGreaterThan(0);
    expect(host.verdicts.get(seventh)?.afterStop.progress).toBeGreaterThan(0);
  });

  test.runIf(process.platform !== 'win32')('server-filesystem: a file written after the cancel is seen where it was written', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'stopgap-files-'));
    try {
      const target = path.join(folder, 'watched');
      await mkdir(target);
      // The tool reads a FIFO and then puts a file in its place: it waits for exactly as long as nobody writes into it.
      const fifo = path.join(target, 'pipe.txt');
      await promisify(execFile)('mkfifo', [fifo]);
      await host.connect(serverFilesystem(folder));
      await tools();
      await host.request('probe.set', { connection: host.connection, probe: { kind: 'folder', name: 'files', path: target } });
      const call = await host.call(
        'edit_file',
        { path: fifo, edits: [{ oldText: 'old', newText: 'new' }] },
        { probes: ['files'], settleMs: 3000 },
      );
      // Opening it for writing waits until the tool has opened it for reading: the call is under way.
      const pipe = await open(fifo, 'w');
      await host.cancel(call, 'stop it');
      await host.until('the pong', () => host.verdicts.get(call)?.fence.state === 'answered');
      // Not written yet, as the probe can tell: it looks once more, after the pong.
      await host.request('probe.read', { connection: host.connection, call });
      await pipe.writeFile('alpha\nold\nomega\n');
      await pipe.close();
      await host.until('the verdict', () => host.verdicts.get(call)?.verdict === 'write-after-cancel');
      expect(host.verdicts.get(call)).toMatchObject({
        certainty: 'proved',
        effect: { state: 'after', readFirst: 'yes', probes: ['files'] },
      });
      expect(await readFile(fifo, 'utf8')).toBe('alpha\nnew\nomega\n');
    } finally {
      await host.request('server.disconnect', { connection: host.connection });
      await rm(folder, { recursive: true });
    }
  });
});
