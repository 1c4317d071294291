// The processes of a server: found, described, and told from others.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { family, MARK_VARIABLE, processesOfCim, processesOfPs } from './family';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that leads a group of its own and starts another, which sleeps in a session of its own. */
async function server(mark: string): Promise<{ readonly pid: number; readonly child: number }> {
  const script =
    "const c = require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', 'a sleeper'], { detached: true, stdio: 'ignore' }); const until = Date.now() + 300; while (Date.now() < until); console.log(c.pid); setInterval(() => {}, 1000);";
  const child = spawn(process.execPath, ['-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, [MARK_VARIABLE]: mark },
  });
  children.push(child);
  const [line] = (await once(child.stdout as NonNullable<typeof child.stdout>, 'data')) as [Buffer];
  return { pid: child.pid ?? 0, child: Number(line.toString()) };
}

test.skipIf(process.platform === 'win32')('processes are described, the server’s own first, and ended with their children', async () => {
  const mark = `test-${process.pid}`;
  const { pid, child } = await server(mark);
  const members = family(pid, mark);
  const found = await members.processes();
  expect(found.map((one) => [one.pid, one.parent])).toEqual([
    [pid, process.pid],
    [child, pid],
  ]);
  const [own, other] = found;
  expect(other?.command).toMatch(/a sleeper$/);
  // It has been busy for 300 ms of its own time or of the machine's, and has lived for at least that long.
  expect(own?.cpuMs).toBeGreaterThan(0);
  expect(other?.cpuMs).toBeLessThan(60_000);
  if (own?.ageMs !== undefined) {
    expect(own.ageMs).toBeGreaterThanOrEqual(280);
    expect(own.ageMs).toBeLessThan(600_000);
  }
  expect([...(await members.signal('SIGKILL'))].sort()).toEqual([pid, child].sort());
  while ((await members.alive()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await members.processes()).toEqual([]);
});

describe('what other systems say of processes', () => {
  test('ps, with a time in any of its forms', () => {
    const text = '  77     1   0:01.53 node server.mjs --port 1\n 4711   77  01:02:03 /bin/sleep 60\n    5  77 2-00:00:01 x\nnonsense\n';
    expect(processesOfPs(text)).toEqual([
      { pid: 77, parent: 1, command: 'node server.mjs --port 1', cpuMs: 1530 },
      { pid: 4711, parent: 77, command: '/bin/sleep 60', cpuMs: 3_723_000 },
      { pid: 5, parent: 77, command: 'x', cpuMs: 172_801_000 },
    ]);
  });

  test('PowerShell, also of a process whose command line is another person’s business', () => {
    const json =
      '[{"ProcessId":4,"ParentProcessId":0,"Name":"System","CommandLine":null,"KernelModeTime":20000,"UserModeTime":0},{"ProcessId":9,"ParentProcessId":4,"Name":"node.exe","CommandLine":"node x","KernelModeTime":150000,"UserModeTime":50000}]';
    expect(processesOfCim(json)).toEqual([
      { pid: 4, parent: 0, command: 'System', cpuMs: 2 },
      { pid: 9, parent: 4, command: 'node x', cpuMs: 20 },
    ]);
  });
});
