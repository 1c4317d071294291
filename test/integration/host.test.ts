// What the window can ask of the host, apart from stopping calls.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Request } from '../../app/contract/host';
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
const server = (body: string): StartCommand => ({
  command: process.execPath,
  args: ['--input-type=module', '-e', `import { answer, refuse, send, serve, tool } from '${library}';\n${body}`],
});
const answered = (call: number): Promise<unknown> => host.until('the answer', () => host.callOf(call).replies.length > 0);
const sent = (method: string): readonly number[] =>
  Array.from({ length: host.trace.length }, (_, seq) => seq).filter(
    (seq) => host.trace.dir(seq) === 'c2s' && host.trace.name(seq) === method,
  );

describe('requests', () => {
  test('that nobody knows, or that are not what they should be, are refused in words', async () => {
    const ask = (request: string, params: unknown): Promise<unknown> => host.request(request as Request, params as never);
    await expect(ask('toString', {})).rejects.toThrow(/a request that the host knows/);
    await expect(ask('server.connect', { spec: { kind: 'stdio', command: '' } })).rejects.toThrow(
      /server\.connect is not what it should be.*spec\.command/,
    );
    await expect(ask('tool.call', { connection: 1, tool: 'x', arguments: {}, probes: [] })).rejects.toThrow(/No server is connected/);
    await expect(ask('call.stop', { call: 3, how: { means: 'cancel' } })).rejects.toThrow(/No server is connected/);
    await expect(ask('server.restart', { connection: 1 })).rejects.toThrow(/No server is connected/);
    await expect(ask('trace.open', { path: 'nowhere.stopgap.ndjson' })).rejects.toThrow(/could not be opened/);
  });

  test('an idle start leaves no file', async () => {
    expect(await host.request('trace.list', {})).toMatchObject({ bytes: 0, files: [] });
    expect(host.view).toMatchObject({ id: 0, path: '' });
    await host.request('server.connect', { spec: { kind: 'demo' } });
    expect((await host.request('trace.list', {})).files).toMatchObject([{ current: true, path: host.view.path }]);
  });
});

describe('views', () => {
  test('the window is sent everything again when it says hello again', async () => {
    await host.connect(fixture('answers-odd'));
    const call = await host.call('odd');
    await host.until('its verdict', () => host.verdicts.get(call)?.verdict === 'completed');
    const [frames, judged] = [host.trace.length, host.verdicts.size];
    const { view, servers } = await host.fresh();
    expect([view.id, servers[0]?.state, host.trace.length, host.verdicts.size]).toEqual([1, 'connected', 0, 0]);
    await host.until('all frames', () => host.trace.length >= frames);
    await host.until('all verdicts', () => host.verdicts.size >= judged && host.verdicts.get(call)?.verdict === 'completed');
  });

  test('a trace file is shown with its verdicts while the recording goes on, and the recording after it', async () => {
    await host.connect(fixture('floods'));
    const flood = await host.call('flood', { count: 30_000 });
    await answered(flood);
    await host.host.flush();
    const { path: file, id } = host.view;
    const length = host.trace.length;
    const shown = await host.request('trace.open', { path: file });
    expect(shown).toMatchObject({ source: 'file', path: file });
    await host.until('the file', () => host.view.id === shown.id && host.trace.length >= length);
    await host.until('its verdict', () => host.verdicts.get(flood)?.reply.state === 'in-time');
    expect(JSON.parse(await host.raw(host.callOf(flood).sent.seq))).toMatchObject({ method: 'tools/call' });
    const { call } = await host.request('tool.call', { connection: host.connection, tool: 'flood', arguments: { count: 1 }, probes: [] });
    const back = await host.request('trace.live', {});
    expect(back.id).toBe(id);
    await host.until('the call made meanwhile', () => host.view.id === id && host.calls.all[call]?.replies.length === 1);
  });

  test('words are found in all bodies, of the running recording and of a file', async () => {
    await host.connect(fixture('floods'));
    const flood = await host.call('flood', { count: 5000 });
    await answered(flood);
    const found = async (view: number, text: string): Promise<readonly number[]> => {
      const seqs: number[] = [];
      for (let from = 0; from < host.trace.length; ) {
        const answer = await host.request('frame.search', { view, text, from });
        seqs.push(...answer.seqs);
        from = answer.next;
      }
      return seqs;
    };
    const { id, path: file } = host.view;
    const sent = host.callOf(flood).sent.seq;
    expect(await found(id, '"count":5000')).toEqual([sent]);
    const progress = host.callOf(flood).progress;
    const [tick] = progress.slice(4321);
    if (tick === undefined) throw new Error('expected progress');
    // The raw text of one frame names it and no other.
    expect(await found(id, (await host.raw(tick)).slice(1).replaceAll(' ', ''))).toEqual([tick]);
    await host.host.flush();
    const shown = await host.request('trace.open', { path: file });
    await host.until('the file', () => host.view.id === shown.id && host.trace.length > tick);
    expect(await found(shown.id, '"count":5000')).toEqual([sent]);
    expect(await host.request('frame.search', { view: id + 99, text: 'x', from: 3 })).toEqual({ seqs: [], next: 3 });
  });

  test('a file that is none is refused, and what was shown stays', async () => {
    await host.connect(fixture('answers-odd'));
    const file = path.join(host.folder, 'x.txt');
    await writeFile(file, 'hello\n');
    await expect(host.request('trace.open', { path: file })).rejects.toThrow(/cannot be opened: expected the first line/);
    expect(host.view.source).toBe('live');
    await answered(await host.call('odd'));
  });
});

describe('what is remembered', () => {
  test('servers and arguments, newest first, each once; never the values of the environment', async () => {
    const echo = server(
      "serve({ name: 'env', tools: [tool('env', 'Says it.')], onCall: ({ id }) => answer(id, process.env.TOKEN ?? 'nothing') });",
    );
    await host.connect(echo, { env: { TOKEN: 'hunter2' } });
    for (const n of [1, 2, 1]) await answered(await host.call('env', { n }));
    expect(JSON.parse(await host.raw(host.callOf(host.calls.all.length - 1).replies[0]?.seq ?? 0)).result.content[0].text).toBe('hunter2');
    const { settings } = await host.fresh();
    expect(settings.history[host.status.key]).toEqual({ env: [{ n: 1 }, { n: 2 }] });
    expect(settings.recentServers).toMatchObject([{ env: { TOKEN: '' } }]);
    expect(JSON.stringify([settings, host.status])).not.toContain('hunter2');

    // Sent back empty, as the window knows it, it is what it was.
    const [recent] = settings.recentServers;
    if (recent) await host.request('server.connect', { spec: recent });
    await host.until('the connection', () => host.status.session === 2 && host.status.state === 'connected');
    const call = await host.call('env');
    await answered(call);
    expect(JSON.parse(await host.raw(host.callOf(call).replies[0]?.seq ?? 0)).result.content[0].text).toBe('hunter2');
    await host.host.flush();
    const started = (await readFile(host.view.path, 'utf8')).split('\n').filter((line) => line.includes('"event":"started"'));
    expect(started.join()).not.toContain('hunter2');
    expect(await readFile(path.join(host.folder, 'settings.json'), 'utf8')).not.toContain('hunter2');
  });

  test('probes and arrangements of a server, across connections', async () => {
    await host.connect(fixture('answers-odd'));
    const probe = { kind: 'folder', name: 'here', path: host.folder, shared: false } as const;
    expect(await host.request('probe.set', { connection: host.connection, probe })).toMatchObject({ state: 'watching', builtIn: false });
    await host.request('tool.setup', {
      connection: host.connection,
      tool: 'odd',
      setup: { probes: ['here'], settleMs: 20, normallyMs: 5 },
    });
    await host.connect(fixture('answers-odd'));
    await host.until('the probe', () => host.status.probes[0]?.state === 'watching');
    expect(host.status.setups['odd']).toEqual({ probes: ['here'], settleMs: 20, normallyMs: 5 });
    const call = await host.call('odd', {}, { probes: ['here'] });
    expect(host.callOf(call).arrangement).toMatchObject({ probes: ['here'], settle: 20e6, normally: 5e6 });
    await host.request('probe.remove', { connection: host.connection, name: 'here' });
    expect(host.status.probes).toEqual([]);
    await expect(host.call('odd', {}, { probes: ['here'] })).rejects.toThrow(/no probe called “here”/);
  });

  test('a probe that cannot watch says why, and holds up nothing', async () => {
    await host.connect(fixture('answers-odd'));
    const probe = { kind: 'folder', name: 'nowhere', path: '/no/such/folder/anywhere' } as const;
    expect(await host.request('probe.set', { connection: host.connection, probe })).toMatchObject({
      state: 'failed',
      why: expect.stringContaining('/no/such/folder'),
    });
    await answered(await host.call('odd', {}, { probes: ['nowhere'] }));
  });
});

describe('the server', () => {
  test('is told of roots and of changes to them; what is not implemented is refused by the client', async () => {
    await host.request('server.roots', { roots: [{ uri: 'file:///a', name: 'A' }] });
    const asks =
      "serve({ name: 'asks', tools: [tool('ask', 'Asks.')], onMessage: (m) => { if (m.method === 'notifications/initialized' || m.method === 'notifications/roots/list_changed') send({ id: 'r', method: 'roots/list' }); if (m.method === 'notifications/initialized') send({ id: 's', method: 'sampling/createMessage', params: {} }); }, onCall: ({ id }) => answer(id, '') });";
    await host.connect(server(asks));
    const replies = async (): Promise<readonly unknown[]> => {
      const seqs = host.calls.all.filter(({ sender }) => sender === 'server').flatMap((call) => call.replies.map(({ seq }) => seq));
      return (await host.raws((seq) => seqs.includes(seq))).map((raw) => JSON.parse(raw));
    };
    await host.until(
      'both answers',
      () => host.calls.all.filter(({ sender, replies: got }) => sender === 'server' && got.length > 0).length === 2,
    );
    expect(await replies()).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 'r', result: { roots: [{ uri: 'file:///a', name: 'A' }] } },
        { jsonrpc: '2.0', id: 's', error: { code: -32601, message: 'Method not found' } },
      ]),
    );
    await host.request('server.roots', { roots: [] });
    await host.until(
      'the third',
      () => host.calls.all.filter(({ sender, replies: got }) => sender === 'server' && got.length > 0).length === 3,
    );
    expect(await replies()).toContainEqual({ jsonrpc: '2.0', id: 'r', result: { roots: [] } });
  });

  test('is asked for all pages of its tools, and again when they change', async () => {
    const paged =
      "let n = 1; import { createInterface } from 'node:readline'; createInterface({ input: process.stdin }).on('line', (line) => { const { id, method, params } = JSON.parse(line); if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'paged', version: '1' } } }); else if (method === 'ping') send({ id, result: {} }); else if (method === 'tools/list') { const page = Number(params?.cursor ?? 0); send({ id, result: { tools: [tool('t' + n + page, '')], ...(page < 2 && { nextCursor: String(page + 1) }) } }); } else if (method === 'tools/call') { n++; send({ method: 'notifications/tools/list_changed' }); answer(id, ''); } });";
    await host.connect(server(paged));
    await host.until('three pages', () => host.status.tools.map(({ name }) => name).join() === 't10,t11,t12');
    await host.call('t10');
    await host.until('three new pages', () => host.status.tools.map(({ name }) => name).join() === 't20,t21,t22');
  });

  test('is pinged three times while nothing is in flight, not at all when fences are off', async () => {
    await host.connect(fixture('answers-odd'));
    await host.until(
      'the pings',
      () => host.calls.all.filter(({ purpose, replies }) => purpose === 'idle' && replies.length > 0).length === 3,
    );
    await host.request('settings.set', { patch: { fence: false } });
    await host.connect(fixture('answers-odd'));
    await host.until('the tools', () => host.status.session === 2 && host.status.tools.length > 0);
    await answered(await host.call('odd'));
    expect(sent('ping').filter((seq) => host.trace.session(seq) === 2)).toEqual([]);
  });

  test('is restarted when one of its watched files changes, and one is told', async () => {
    const watched = path.join(host.folder, 'server.txt');
    await writeFile(watched, '1');
    await host.connect(fixture('answers-odd'), { cwd: host.folder, watch: ['server.txt'] });
    const touch = setInterval(() => void writeFile(watched, String(Math.random())), 1000);
    await host
      .until('the restart', () => host.status.session >= 2 && host.status.state === 'connected')
      .finally(() => clearInterval(touch));
    expect(host.notices).toContain('server.txt has changed: the server is being restarted.');
    expect(host.calls.sessions.get(1)?.ends[0]?.life).toMatchObject({ event: 'exited', asked: 'restart' });
  });

  test('its command is recorded without the passwords in it', async () => {
    const { command, args } = fixture('answers-odd');
    await host.connect({ command, args: [...args, 'postgres://me:hunter2@db/x'] });
    await host.until('the start', () => host.calls.sessions.get(1)?.started);
    expect(host.calls.sessions.get(1)?.started?.life.args.at(-1)).toBe('postgres://me:***@db/x');
    expect(host.status.command).not.toContain('hunter2');
    await host.host.flush();
    for (const name of await readdir(path.join(host.folder, 'traces')))
      expect(await readFile(path.join(host.folder, 'traces', name), 'utf8')).not.toContain('hunter2');
  });
});
