import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import psList from 'ps-list';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Clock, fromMs, type Ns, plus } from '../../app/base/time';
import type { Probe, ServerAccess, ServerProcess } from '../../app/evidence/probe';
import { startClock } from '../host/clock';
import { type Heard, hearing } from './probe.testing';
import { checkProcess, startProcessProbe } from './process';

vi.setConfig({ testTimeout: 30_000 });
const SOON = { timeout: 25_000, interval: 10 };
/** Nobody looks but on request. */
const NEVER_MS = 3_600_000;

const access = (processes: () => Promise<readonly ServerProcess[]>): ServerAccess => ({
  open: true,
  request: () => Promise.reject(new Error('not asked')),
  onResourceUpdated: () => () => undefined,
  processes,
});

const spec = (everyMs: number) => ({ kind: 'process', name: 'tree', shared: false, everyMs }) as const;

const SERVER: ServerProcess = { pid: 7, parent: 1, command: 'node server.js', cpuMs: 100 };
const CHILD: ServerProcess = { pid: 77, parent: 7, command: 'sh -c deploy', cpuMs: 0 };

/** A server whose processes the test decides, on a clock that the test sets; a reading takes 2 ms. */
interface Scene extends Heard {
  readonly probe: Probe;
  now: Ns;
  processes: readonly ServerProcess[] | Error;
}

async function scene(everyMs = NEVER_MS): Promise<Scene> {
  const state = { now: fromMs(1000), processes: [SERVER] as readonly ServerProcess[] | Error };
  const clock: Clock = { now: () => state.now, wallMs: () => Date.now() };
  const server = access(async () => {
    state.now = plus(state.now, fromMs(2));
    if (state.processes instanceof Error) throw state.processes;
    return state.processes;
  });
  const heard = hearing(clock, { server });
  const probe = await startProcessProbe(spec(everyMs), heard.context);
  onTestFinished(() => probe.stop());
  return Object.assign(state, heard, { probe });
}

describe('what a process probe sees', () => {
  it('takes the processes that are there for the server’s own', async () => {
    const { effects, probe } = await scene();
    await probe.read();
    expect(effects).toEqual([
      { effect: 'watching', probe: 'tree', kind: 'process', place: 'the server’s processes', shared: false },
      { effect: 'clear', probe: 'tree', since: fromMs(1000), lo: fromMs(1002), hi: fromMs(1004) },
    ]);
  });

  it('dates a new process between two readings, and says later that it still runs', async () => {
    const watch = await scene();
    watch.now = fromMs(2000);
    await watch.probe.read();
    watch.processes = [SERVER, CHILD];
    watch.now = fromMs(3000);
    await watch.probe.read();
    watch.now = fromMs(4000);
    await watch.probe.read();
    watch.processes = [SERVER];
    await watch.probe.read();
    const work = { effect: 'work', probe: 'tree', sign: 'process', subject: 'pid 77' } as const;
    expect(watch.effects.slice(1)).toEqual([
      { effect: 'clear', probe: 'tree', since: fromMs(1000), lo: fromMs(2000), hi: fromMs(2002) },
      { ...work, lo: fromMs(2000), hi: fromMs(3002), says: 'sh -c deploy (pid 77) started' },
      { ...work, lo: fromMs(4000), hi: fromMs(4002), says: 'sh -c deploy (pid 77) still runs' },
      { effect: 'clear', probe: 'tree', since: fromMs(1000), lo: fromMs(4000), hi: fromMs(4002) },
      { effect: 'clear', probe: 'tree', since: fromMs(1000), lo: fromMs(4002), hi: fromMs(4004) },
    ]);
  });

  it.each([
    ['within the readings', 500, 2480, 2522],
    ['never before the reading that did not find it', 5000, 1002, 3002],
    ['never after the one that did', 0, 2980, 3002],
  ])('narrows the start by the age, %s', async (_, ageMs, lo, hi) => {
    const watch = await scene();
    await watch.probe.read();
    watch.processes = [SERVER, { ...CHILD, ageMs }];
    watch.now = fromMs(3000);
    await watch.probe.read();
    expect(watch.all('work')).toMatchObject([{ lo: fromMs(lo), hi: fromMs(hi) }]);
  });

  it('tells a process from an earlier one of the same number', async () => {
    const watch = await scene();
    const told = async (...processes: readonly ServerProcess[]) => {
      watch.processes = [SERVER, ...processes];
      await watch.probe.read();
      return watch.all('work').at(-1);
    };
    expect((await told({ ...CHILD, cpuMs: 50 }))?.subject).toBe('pid 77');
    expect((await told({ ...CHILD, cpuMs: 20 }))?.subject).toBe('pid 77 (the 2. of this number)');
    await told();
    expect((await told(CHILD))?.subject).toBe('pid 77 (the 3. of this number)');
    expect((await told({ ...CHILD, command: 'deploy' }))?.says).toBe('deploy (pid 77) still runs');
  });

  it('tells the CPU time of the server itself since it last told it, when asked', async () => {
    const watch = await scene();
    watch.processes = [{ ...SERVER, cpuMs: 105 }];
    watch.now = fromMs(2000);
    await watch.probe.read();
    watch.processes = [{ ...SERVER, cpuMs: 240 }];
    watch.now = fromMs(3000);
    await watch.probe.read();
    await watch.probe.read();
    expect(watch.all('work')).toEqual([
      {
        effect: 'work',
        probe: 'tree',
        sign: 'cpu',
        lo: fromMs(1000),
        hi: fromMs(3002),
        says: 'the server (pid 7) spent 140 ms of CPU time',
        subject: 'CPU of pid 7',
      },
    ]);
  });

  it('reports a list that could not be had as a gap, and never as clear', async () => {
    const watch = await scene();
    watch.processes = new Error('ps was not found');
    watch.now = fromMs(2000);
    await watch.probe.read();
    watch.now = fromMs(3000);
    await watch.probe.read();
    watch.processes = [SERVER, CHILD];
    watch.now = fromMs(4000);
    await watch.probe.read();
    await watch.probe.read();
    const gap = { effect: 'gap', probe: 'tree', why: 'the processes could not be listed: ps was not found' } as const;
    expect(watch.effects.slice(1)).toMatchObject([
      { ...gap, lo: fromMs(1000), hi: fromMs(2002) },
      { ...gap, lo: fromMs(2002), hi: fromMs(3002) },
      { ...gap, lo: fromMs(3002), hi: fromMs(4002) },
      { effect: 'work', lo: fromMs(1000), hi: fromMs(4002) },
      { effect: 'work', says: 'sh -c deploy (pid 77) still runs' },
      { effect: 'clear', since: fromMs(4002), lo: fromMs(4002) },
    ]);
  });

  it('looks by itself, and says now and then that a process still runs', async () => {
    const watch = await scene(10);
    watch.processes = [SERVER, CHILD];
    await vi.waitFor(() => expect(watch.all('work').at(-1)?.says).toBe('sh -c deploy (pid 77) started'), SOON);
    watch.now = plus(watch.now, fromMs(1100));
    await vi.waitFor(() => expect(watch.all('work').at(-1)?.says).toBe('sh -c deploy (pid 77) still runs'), SOON);
    expect(watch.all('work')).toHaveLength(2);
    expect(watch.all('clear')).toEqual([]);
  });

  it('reads a last time when it ends', async () => {
    const watch = await scene();
    watch.processes = [SERVER, CHILD];
    await Promise.all([watch.probe.stop(), watch.probe.stop()]);
    await watch.probe.read();
    expect(watch.effects.map(({ effect }) => effect)).toEqual(['watching', 'work', 'ended']);
  });
});

describe('what a process probe needs', () => {
  it('is a server', async () => {
    await expect(startProcessProbe(spec(100), hearing(startClock()).context)).rejects.toThrow('Expected a running server, got none');
  });

  it('is a server that lives, and a list', async () => {
    const started = (processes: () => Promise<readonly ServerProcess[]>) =>
      startProcessProbe(spec(100), hearing(startClock(), { server: access(processes) }).context);
    await expect(started(async () => [])).rejects.toThrow('Expected the server’s processes, found none: it has ended.');
    await expect(started(() => Promise.reject(new Error('ps was not found')))).rejects.toThrow(
      'Expected a list of the server’s processes, but ps was not found. Connect the server again.',
    );
  });

  it('is there on the systems that the product runs on', async () => {
    expect(await checkProcess(spec(100))).toBe(undefined);
  });
});

/** A process that starts another for each line that it reads, and says its number. They end with it. */
const SERVER_SOURCE = `
const { spawn } = require('node:child_process');
process.stdin.on('data', () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  console.log(child.pid);
});`;

async function family(root: ChildProcess): Promise<readonly ServerProcess[]> {
  const all = await psList();
  const found = new Set([root.pid]);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, ppid } of all) if (found.has(ppid)) found.add(pid);
  }
  return all
    .filter(({ pid }) => found.has(pid))
    .map(({ pid, ppid, name }) => ({ pid, parent: ppid, command: name, cpuMs: 0 }))
    .sort((a, b) => Number(b.pid === root.pid) - Number(a.pid === root.pid));
}

it('sees a real child start, live and end', async () => {
  const server = spawn(process.execPath, ['-e', SERVER_SOURCE], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  await once(server, 'spawn');
  const { all, clock, context } = hearing(startClock(), { server: access(() => family(server)) });
  const probe = await startProcessProbe(spec(50), context);
  onTestFinished(() => probe.stop());
  const before = clock.now();
  server.stdin.write('go\n');
  const [said] = await once(server.stdout, 'data');
  const after = clock.now();
  const pid = Number(String(said));
  await probe.read();
  const subject = `pid ${pid}`;
  const ofChild = () => all('work').filter((work) => work.subject === subject);
  expect(ofChild()[0]?.says).toMatch(new RegExp(`\\(pid ${pid}\\) started$`));
  expect(ofChild()[0]?.lo).toBeLessThanOrEqual(after);
  expect(ofChild()[0]?.hi).toBeGreaterThanOrEqual(before);
  await probe.read();
  expect(ofChild().at(-1)?.says).toMatch(/still runs$/);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => {
    const told = ofChild().length;
    await probe.read();
    expect(ofChild()).toHaveLength(told);
  }, SOON);
});
