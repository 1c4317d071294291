// Several servers at once, each a real process: their calls, stops, probes and verdicts are their own, and what happens to
// one never touches the others.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectionNumber, Params, ServerStatus } from '../../app/contract/host';
import type { ServerSpec } from '../../app/contract/server';
import type { ProbeSpec } from '../../app/evidence/probe';
import { sessionName } from '../../app/layout/sessions';
import { startProbe } from '../../main/probes';
import { fixture } from '../fixtures/fixtures';
import { type TestHost, testHost } from './host.testing';

let host: TestHost;
beforeEach(async () => {
  host = await testHost(startProbe, { graceMs: 500 });
});
afterEach(() => host.end());

type Stdio = Extract<ServerSpec, { kind: 'stdio' }>;

const DEMO: ServerSpec = { kind: 'demo' };
/** The same tools, and probes of the same names, at other places. */
const OTHER_DEMO: ServerSpec = { kind: 'demo', over: 'http' };

/** A charge that heeds no cancel, and is made long after the calls of both servers were stopped. */
const CHARGE = { amount: 4200, commit_ms: 0, write_ms: 1500 };

const stdio = (name: Parameters<typeof fixture>[0], more: Partial<Stdio> = {}): Stdio => {
  const { command, args } = fixture(name);
  return { kind: 'stdio', command, args: [...args], env: {}, watch: [], ...more };
};

const statusOf = (connection: ConnectionNumber): ServerStatus | undefined =>
  host.servers.find((server) => server.connection === connection);

/** Connects beside the others. */
async function add(spec: ServerSpec, more: Omit<Params<'server.connect'>, 'spec'> = {}): Promise<ConnectionNumber> {
  const connected = await host.request('server.connect', { spec, ...more });
  if ('approval' in connected) throw new Error(`asks whether this may run: ${connected.approval}`);
  const { connection } = connected;
  await host.until('its tools and probes', () => {
    const status = statusOf(connection);
    return status?.state === 'connected' && status.tools.length > 0 && status.probes.every(({ state }) => state === 'watching');
  });
  return connection;
}

async function call(
  connection: ConnectionNumber,
  tool: string,
  args: Record<string, unknown> = {},
  probes: string[] = [],
): Promise<number> {
  const sent = await host.request('tool.call', { connection, tool, arguments: args, probes, settleMs: 2500 });
  await host.until('the call', () => host.calls.all.length > sent.call);
  return sent.call;
}

describe('two servers with the same tools and probes of the same names', () => {
  test('a breach on each is told of its own call, by its own probe, and proved although both were open', async () => {
    const [one, two] = [await add(DEMO), await add(OTHER_DEMO)];
    const calls = [await call(one, 'charge_card', CHARGE, ['ledger']), await call(two, 'charge_card', CHARGE, ['ledger'])];
    expect(calls.map((index) => host.callOf(index).session)).toEqual([1, 2]);
    const stopped = await host.request('call.stop-all', { how: { means: 'cancel' } });
    expect(stopped.stopped.map(({ call: index, outcome }) => [index, outcome])).toEqual(calls.map((index) => [index, 'sent']));
    for (const index of calls) {
      await host.until('the breach', () => host.verdicts.get(index)?.effect.observations.length === 1 && host.verdicts.get(index)?.settled);
      expect(host.verdicts.get(index)?.effect).toMatchObject({ state: 'after', certainty: 'proved', probes: ['ledger'] });
    }
    const seen = calls.map((index) => host.verdicts.get(index)?.effect.observations[0]?.seq ?? -1);
    expect(seen.map((seq) => host.trace.session(seq))).toEqual([1, 2]);
    expect([1, 2].map((session) => sessionName(host.calls, session))).toEqual(['Demo server', 'Demo server over HTTP']);
  });

  test('a line of one is nothing that the other has done', async () => {
    const [one, two] = [await add(DEMO), await add(OTHER_DEMO)];
    const quiet = await call(one, 'crawl_site', { pages: 400 }, ['ledger']);
    const charges = await call(two, 'charge_card', CHARGE, ['ledger']);
    await host.until('the charge', () => host.verdicts.get(charges)?.effect.observations.length === 1);
    await host.request('call.stop', { call: quiet, how: { means: 'cancel' } });
    await host.until('the end of its window', () => host.verdicts.get(quiet)?.settled);
    expect(host.verdicts.get(quiet)?.effect).toMatchObject({ state: 'not-seen', observations: [] });
    const read = await host.request('probe.read', { connection: two });
    expect(read.says).toContain('ledger: nothing new; still there');
    expect((await host.request('probe.read', { connection: one })).says).toContain('ledger: nothing new since the baseline');
  });
});

describe('what happens to one', () => {
  test('a crash leaves the other as it is: its call goes on, and is answered', async () => {
    const [dies, demo] = [await add(stdio('dies-in-call')), await add(DEMO)];
    const lost = await call(dies, 'work');
    const kept = await call(demo, 'export_report');
    await host.until('the crash', () => statusOf(dies)?.state === 'ended');
    expect(statusOf(dies)?.why).toContain('code 7');
    await host.until('the verdicts', () => host.verdicts.get(lost)?.verdict === 'lost');
    expect(host.callOf(kept).replies).toEqual([]);
    expect(statusOf(demo)).toMatchObject({ state: 'connected', session: 2 });
    await host.request('call.stop', { call: kept, how: { means: 'cancel' } });
    await host.until('the stop', () => host.verdicts.get(kept)?.stop.state === 'sent');
    // Sessions are numbered over all servers; a connection keeps its number.
    expect(await host.request('server.restart', { connection: dies })).toEqual({ session: 3 });
    await host.until('the restart', () => statusOf(dies)?.state === 'connected');
    expect(await host.request('call.stop', { call: lost, how: { means: 'cancel' } })).toMatchObject({ outcome: 'nothing' });
  });

  test('disconnecting one takes it off the list, with its process and not the other’s', async () => {
    const [one, two] = [await add(stdio('answers-odd')), await add(stdio('floods'))];
    const [pid, other] = [statusOf(one)?.pid ?? 0, statusOf(two)?.pid ?? 0];
    await host.request('server.disconnect', { connection: one });
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    expect(process.kill(other, 0)).toBe(true);
    expect(host.servers.map(({ connection }) => connection)).toEqual([two]);
    await expect(call(one, 'odd')).rejects.toThrow(/was disconnected/);
    expect(host.callOf(await call(two, 'flood')).session).toBe(2);
  });

  test('one is connected in the place of another, and one that is connected already is started again', async () => {
    const [one, two] = [await add(stdio('answers-odd')), await add(stdio('floods'))];
    const three = await add(DEMO, { instead: one });
    expect(host.servers.map(({ connection }) => connection)).toEqual([two, three]);
    const pid = statusOf(two)?.pid;
    expect(await add(stdio('floods'))).toBe(two);
    expect(statusOf(two)).toMatchObject({ session: 4, state: 'connected' });
    expect(statusOf(two)?.pid).not.toBe(pid);
    expect(host.servers).toHaveLength(2);
  });
});

test('a trace that is full gives way to another one once nothing is connected in it, and says so until then', async () => {
  await host.end();
  host = await testHost(startProbe, { graceMs: 500 }, { sessionsPerTrace: 2 });
  const [one, two] = [await add(stdio('answers-odd')), await add(stdio('floods'))];
  const full = host.view.path;
  await expect(add(DEMO)).rejects.toThrow(/all that a trace can hold. Disconnect the other servers/);
  expect(host.servers.map(({ state }) => state)).toEqual(['connected', 'connected']);
  await host.request('server.disconnect', { connection: one });
  await expect(host.request('server.restart', { connection: two })).resolves.toEqual({ session: 1 });
  await host.until('the other recording', () => host.view.path !== full && statusOf(two)?.state === 'connected');
  expect(host.callOf(await call(two, 'flood')).session).toBe(1);
});

describe('servers that were saved', () => {
  const spec = stdio('answers-odd', { env: { TOKEN: 'hunter2' }, title: 'Orders' });
  const probe: ProbeSpec = { kind: 'command', name: 'clock', command: [process.execPath, '--version'], shared: false, everyMs: 1000 };

  test('keep what was known of them, under a name that can be changed; a copy has it too, and is another server', async () => {
    const connection = await add(spec);
    await host.request('probe.set', { connection, probe });
    const { id } = await host.request('server.save', { spec: { ...spec, env: { TOKEN: '' } } });
    await host.until('its id', () => statusOf(connection)?.key === id);
    const { settings } = await host.fresh();
    expect(settings.savedServers).toMatchObject([{ id, title: 'Orders', env: { TOKEN: '' } }]);
    expect(settings.recentServers).toMatchObject([{ id }]);
    expect(settings.probes[id]).toEqual([probe]);
    const [saved] = settings.savedServers;
    if (saved?.kind !== 'stdio') throw new Error('expected a command line');

    await host.request('server.save', { spec: { ...saved, title: 'Orders, staging' } });
    await host.until('its title', () => statusOf(connection)?.title === 'Orders, staging');
    const { id: _, ...unsaved } = saved;
    const copy = await host.request('server.save', { spec: { ...unsaved, title: 'Orders, copied' }, like: id });
    expect(copy.id).not.toBe(id);
    const copied = (await host.fresh()).settings.savedServers.find((server) => server.kind !== 'demo' && server.id === copy.id);
    if (!copied) throw new Error('expected the copy to be saved');
    const second = await add(copied);
    expect(statusOf(second)).toMatchObject({ key: copy.id, title: 'Orders, copied', probes: [{ spec: probe }] });
    expect(host.servers).toHaveLength(2);

    await host.request('server.forget', { id: copy.id });
    const left = (await host.fresh()).settings;
    expect([left.savedServers.length, left.probes[copy.id], left.probes[id]]).toEqual([1, undefined, [probe]]);
    expect(statusOf(second)?.state).toBe('connected');
  });
});

describe('a command that came from a file', () => {
  const imported = stdio('answers-odd', { env: { TOKEN: 'hunter2' }, importedFrom: '/somewhere/mcp.json' });

  test('runs only after a yes that showed it whole, and asks again when it has changed', async () => {
    const asked = await host.request('server.connect', { spec: imported });
    if (!('approval' in asked)) throw new Error('expected to be asked');
    expect(asked.approval).toContain('answers-odd.mjs');
    expect(asked.approval).toContain('with values for TOKEN');
    expect(asked.approval).not.toContain('hunter2');
    expect([host.servers, host.trace.length]).toEqual([[], 0]);
    const connection = await add(imported, { approved: true });
    await host.request('server.disconnect', { connection });
    await add(imported);
    for (const change of [{ cwd: host.folder }, { env: { TOKEN: '', NODE_OPTIONS: '' } }, { args: ['other.mjs'] }])
      expect(await host.request('server.connect', { spec: { ...imported, ...change } })).toHaveProperty('approval');
    expect(host.servers).toHaveLength(1);
  });

  test('is not started by a start of Stopgap when its yes is gone, the others of the last time are', async () => {
    await add(stdio('floods'));
    await add(stdio('answers-odd', { importedFrom: '/somewhere/mcp.json' }), { approved: true });
    await host.request('settings.set', { patch: { approvedCommands: [] } });
    await host.host.close();
    host = await testHost(startProbe, { graceMs: 500 }, { folder: host.folder });
    host.host.connectLast();
    await host.until('the notice', () => host.notices.some((text) => text.includes('was not started: its command came from')));
    await host.until('the other', () => host.servers.some(({ state }) => state === 'connected'));
    expect(host.servers.map(({ command }) => command.includes('floods'))).toEqual([true]);
  });
});
