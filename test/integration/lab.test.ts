// The race laboratory as the window asks for it: scenarios run in the running recording, step by step, many times, stopped on
// the way; what was done as a scenario; a tool swept. Against the real demo server and servers of our own.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LabStatus, ScenarioStatus, SweepStatus } from '../../app/contract/lab';
import { startProbe } from '../../main/probes';
import { fixture } from '../fixtures/fixtures';
import { type TestHost, testHost } from './host.testing';

let host: TestHost;
let status: LabStatus | undefined;
/** Every picture that came, in order. */
let seen: LabStatus[];
beforeEach(async () => {
  host = await testHost(startProbe);
  status = undefined;
  seen = [];
  host.on('lab', (next) => {
    status = next;
    seen.push(next);
  });
});
afterEach(() => host.end());

const lesson = (id: string): Promise<string> => readFile(path.resolve(import.meta.dirname, `../../assets/lessons/${id}.yaml`), 'utf8');
const asScenario = (of: LabStatus | undefined): ScenarioStatus | undefined => (of?.kind === 'scenario' ? of : undefined);
const asSweep = (of: LabStatus | undefined): SweepStatus | undefined => (of?.kind === 'sweep' ? of : undefined);
/** Events of the laboratory wake nobody who waits for frames: it is asked again and again. */
const until = <T>(what: string, reading: () => T | undefined): Promise<T> =>
  expect
    .poll(reading, { timeout: 60_000, interval: 20, message: what })
    .toBeTruthy()
    .then(() => reading() as T);
const over = (): Promise<ScenarioStatus> => until('its end', () => (status?.state === 'over' ? asScenario(status) : undefined));
const swept = (): Promise<SweepStatus> => until('its end', () => (status?.state === 'over' ? asSweep(status) : undefined));

const SEARCH = `version: 1
name: a search
server: { demo: true }
steps:
  - call: orders
    tool: search_orders
  - settle: orders
  - wait: 10ms
expect:
  - { call: orders, verdict: completed }
`;

describe('a scenario', () => {
  test('runs in the recording, on a server of its own, and its calls are the ones that its expectations lead to', async () => {
    await host.connectTo({ kind: 'demo' });
    const before = host.status.session;
    await host.request('scenario.run', { text: await lesson('wrote-then-answered') });
    const { steps, calls, expectations, tally, surprises } = await over();
    expect({ steps, surprises, held: tally.held }).toEqual({ steps: ['done', 'done', 'done'], surprises: [], held: 1 });
    expect(calls).toMatchObject([{ name: 'mail', verdict: 'write-before-cancel' }]);
    const [expectation] = expectations;
    expect(expectation).toMatchObject({ ok: true, call: calls[0]?.call });
    expect(host.callOf(expectation?.call ?? -1)).toMatchObject({ tool: 'send_email' });
    expect(host.callOf(expectation?.call ?? -1).session).not.toBe(before);
    // The server that was connected is untouched, and the other one is on no list.
    expect(host.servers).toMatchObject([{ session: before, state: 'connected' }]);
  });

  test('says live where it is: armed until its moment, then done', async () => {
    await host.request('scenario.run', { text: await lesson('wrote-then-answered') });
    await over();
    const stop = seen.flatMap((one) => asScenario(one)?.steps[1] ?? []).filter((state, at, all) => state !== all[at - 1]);
    expect(stop).toEqual(['waiting', 'running', 'armed', 'done']);
  });

  test('waits before every step until it is told to go on, and runs on when nobody wants to step any more', async () => {
    await host.request('scenario.run', { text: SEARCH, step: true });
    const paused = (step: number) =>
      until(`a pause before ${step}`, () =>
        status?.state === 'paused' && asScenario(status)?.steps.indexOf('waiting') === step ? status : undefined,
      );
    const { run } = await paused(0);
    expect(asScenario(status)?.calls).toEqual([]);
    await host.request('scenario.step', { run, to: 'next' });
    await paused(1);
    expect(asScenario(status)?.calls).toMatchObject([{ name: 'orders' }]);
    await host.request('scenario.step', { run, to: 'end' });
    expect(await over()).toMatchObject({ steps: ['done', 'done', 'done'], tally: { held: 1 } });
  });

  test('is repeated, and counted', async () => {
    await host.request('scenario.run', { text: SEARCH, repeat: 3 });
    expect((await over()).tally).toMatchObject({ runs: 3, held: 3, calls: [{ name: 'orders', verdicts: { completed: 3 } }] });
    expect(new Set(host.calls.all.filter(({ tool }) => tool === 'search_orders').map(({ session }) => session)).size).toBe(3);
  });

  test('is stopped on demand, leaves nothing running, and another can run', async () => {
    await host.request('scenario.run', { text: SEARCH.replace('wait: 10ms', 'wait: 10m'), repeat: 2 });
    const { run } = await until('the wait', () => (asScenario(status)?.steps[2] === 'running' ? status : undefined));
    await expect(host.request('scenario.run', { text: SEARCH })).rejects.toThrow(/running in the laboratory already/);
    await host.request('lab.stop', { run });
    expect(await over()).toMatchObject({ why: expect.stringMatching(/^Stopped\./), tally: { runs: 0 } });
    await until('an exit', () => [...host.calls.sessions.values()].every(({ ends }) => ends.length > 0) || undefined);
    await host.request('scenario.run', { text: SEARCH });
    await until('the next', () => (status?.run !== run && status?.state === 'over' ? status : undefined));
    expect(asScenario(status)?.tally.held).toBe(1);
  });

  test('that is none is refused with its line, and so is one that asks for what is not there', async () => {
    await expect(host.request('scenario.run', { text: SEARCH.replace('tool:', 'tol:') })).rejects.toThrow(
      'Line 6: steps[0].tol: expected one of the keys',
    );
    await expect(host.request('scenario.run', { text: SEARCH.replace('settle: orders', 'settle: order') })).rejects.toThrow(
      'Line 7: steps[1].settle: ',
    );
    await host.request('scenario.run', { text: SEARCH.replace('search_orders', 'search_order') });
    expect((await over()).why).toMatch(/^Line 6: steps\[0\]\.tool: expected one of the server's tools/);
  });

  test('starts no command that nobody has agreed to, and remembers the yes for exactly that', async () => {
    const { command, args } = fixture('answers-odd');
    const text = `version: 1\nserver: { command: ${JSON.stringify(command)}, args: ${JSON.stringify(args)}, env: { TOKEN: "\${env.LAB_TEST_TOKEN}" } }\nsteps: [{ wait: 1ms }]\n`;
    process.env['LAB_TEST_TOKEN'] = 'hunter2';
    try {
      const asked = await host.request('scenario.run', { text });
      if (!('approval' in asked)) throw new Error('expected to be asked');
      expect(asked.approval).toContain(args.at(-1));
      expect(asked.approval).toContain('with LAB_TEST_TOKEN from the environment');
      expect(asked.approval).not.toContain('hunter2');
      expect(status).toBeUndefined();
      await host.request('scenario.run', { text, approved: true });
      await over();
      expect(await host.request('scenario.run', { text })).toMatchObject({ run: 2 });
      await until('the second', () => (status?.run === 2 && status.state === 'over' ? status : undefined));
      const other = `${text}probes: { jobs: { command: [echo, 1] } }\n`;
      expect(await host.request('scenario.run', { text: other })).toEqual({
        approval: expect.stringMatching(/echo 1 \(probe jobs\)\n {2}in the folder \//),
      });
    } finally {
      delete process.env['LAB_TEST_TOKEN'];
    }
    await expect(host.request('scenario.run', { text, approved: true })).rejects.toThrow(
      'Line 2: server.env.TOKEN: expected the environment variable LAB_TEST_TOKEN to be set',
    );
  });
});

describe('what was done', () => {
  test('becomes a scenario that does it again, to the same end', async () => {
    await host.connectTo({ kind: 'demo' });
    const call = await host.call(
      'charge_card',
      { amount: 4200, commit_ms: 0, write_ms: 1200 },
      { probes: ['ledger'], normallyMs: 1200, settleMs: 1500, stopAfterMs: 300 },
    );
    await host.until('a verdict', () => host.verdicts.get(call)?.settled && host.verdicts.get(call)?.verdict === 'write-after-cancel');
    const { text } = await host.request('scenario.record', { calls: [call] });
    expect(text).toContain('verdict: write-after-cancel');
    const file = path.join(host.folder, 'again.yaml');
    await host.request('scenario.write', { path: file, text });
    expect(await host.request('scenario.read', { path: file })).toEqual({ path: file, text });
    expect((await host.fresh()).settings.recentScenarios).toEqual([file]);
    await host.request('scenario.run', { text, path: file });
    expect(await over()).toMatchObject({ tally: { held: 1 }, surprises: [] });
  });

  test('on a server with secrets holds none of them, and runs with those that are kept', async () => {
    const { command, args } = fixture('answers-odd');
    await host.connect({ command, args }, { env: { TOKEN: 'hunter2' } });
    const call = await host.call('odd', {}, { settleMs: 100 });
    await host.until('an answer', () => host.callOf(call).replies.length > 0);
    const { text } = await host.request('scenario.record', { calls: [call] });
    expect(text).toContain(`TOKEN: "\${env.TOKEN}"`);
    expect(text).not.toContain('hunter2');
    expect(await host.request('scenario.run', { text })).toHaveProperty('approval');
    await host.request('scenario.run', { text, approved: true });
    expect((await over()).why).toBeUndefined();
  });

  test('is written to scenario files only', async () => {
    await expect(host.request('scenario.write', { path: path.join(host.folder, 'x.sh'), text: '' })).rejects.toThrow(/ends in \.yaml/);
    await expect(host.request('scenario.write', { path: 'x.yaml', text: '' })).rejects.toThrow(/whole path/);
    await expect(host.request('sweep.write', { path: path.join(host.folder, 'x.yaml'), text: '' })).rejects.toThrow(/ends in \.json/);
  });
});

describe('a sweep', () => {
  beforeEach(async () => {
    await host.connectTo({ kind: 'demo' });
    await host.until('its tools', () => host.status.tools.length > 0);
  });
  const request = (more: object = {}) => ({
    connection: host.connection,
    tool: 'charge_card',
    arguments: { amount: 1, commit_ms: 300, write_ms: 500 },
    probes: ['ledger'],
    axis: 'time' as const,
    strategy: { how: 'boundary' as const, from: 0, to: 700, runs: 6 },
    how: { means: 'cancel' as const },
    settleMs: 300,
    normallyMs: 500,
    agreed: true,
    ...more,
  });

  test('runs on the server in focus and finds an interval with the commit point in it', async () => {
    await host.request('sweep.run', request());
    const { attempts, tieMs, planned, why } = await swept();
    expect({ attempts: attempts.length, planned, why }).toEqual({ attempts: 6, planned: 6, why: undefined });
    const known = (outcome: string) => attempts.filter((one) => one.outcome === outcome).map(({ cancelAt }) => cancelAt);
    expect(Math.max(...known('prevented')) - tieMs).toBeLessThan(300);
    expect(Math.min(...known('landed')) + tieMs).toBeGreaterThan(300);
    expect(attempts.every(({ call }) => host.callOf(call).session === host.status.session)).toBe(true);
  });

  test('keeps what it has when it is stopped', async () => {
    await host.request('sweep.run', request({ strategy: { how: 'grid', from: 0, to: 100, runs: 50 } }));
    const { run } = await until('two attempts', () => ((asSweep(status)?.attempts.length ?? 0) >= 2 ? status : undefined));
    await host.request('lab.stop', { run });
    const { attempts, why } = await swept();
    expect(attempts.length).toBeGreaterThanOrEqual(2);
    expect(attempts.length).toBeLessThan(50);
    expect(why).toMatch(/^Stopped\./);
  });

  test('ends with its server, which is not brought back', async () => {
    await host.request('sweep.run', request({ strategy: { how: 'grid', from: 0, to: 100, runs: 50 } }));
    await until('an attempt', () => ((asSweep(status)?.attempts.length ?? 0) >= 1 ? status : undefined));
    await host.request('server.disconnect', { connection: host.connection });
    const { attempts, why } = await swept();
    expect(attempts.length).toBeLessThan(50);
    expect(why).toMatch(/disconnected|not connected|session is over/);
    expect(host.calls.sessions.size).toBe(1);
  });

  test('resets by a command before every attempt', async () => {
    await mkdir(path.join(host.folder, 'resets'));
    const script = path.join(host.folder, 'reset.mjs');
    await writeFile(script, `import { writeFileSync } from 'node:fs';\nwriteFileSync(process.argv[2], '');\n`);
    const line = `${JSON.stringify(process.execPath)} ${JSON.stringify(script)} ${JSON.stringify(path.join(host.folder, 'resets', `\${run}`))}`;
    await host.request('sweep.run', request({ strategy: { how: 'grid', from: 0, to: 50, runs: 2 }, reset: { by: 'command', line } }));
    expect((await swept()).attempts.length).toBe(2);
    await Promise.all(['1', '2'].map((name) => readFile(path.join(host.folder, 'resets', name))));
  });

  test('writes for real, so it wants a yes; and a probe, without which nothing is known', async () => {
    await expect(host.request('sweep.run', request({ agreed: false }))).rejects.toThrow(/Expected a yes first/);
    await expect(host.request('sweep.run', request({ probes: [] }))).rejects.toThrow(/Expected a probe/);
    await expect(host.request('sweep.run', request({ tool: 'charge' }))).rejects.toThrow(/one of the server's tools/);
    expect(host.calls.all.filter(({ method }) => method === 'tools/call')).toEqual([]);
  });
});
