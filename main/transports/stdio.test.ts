import { expect, test } from 'vitest';
import { startClock } from '../host/clock';
import { StartError, type Stdio, type StdioListener, stdio } from './stdio';

/** A process of our own and everything that came from it; `exited` resolves with how it ended. */
async function run(script: string, more: { graceMs?: number; busy?: () => boolean } = {}) {
  const got: string[] = [];
  let ended: (how: readonly [number | undefined, string | undefined]) => void = () => undefined;
  const exited = new Promise<readonly [number | undefined, string | undefined]>((resolve) => {
    ended = resolve;
  });
  const listener: StdioListener = {
    line: (_t, text) => got.push(`out ${text}`),
    broken: (_t, why, bytes) => got.push(`${why} ${bytes}`),
    stderr: (_t, bytes) => got.push(`err ${bytes}`),
    busy: more.busy ?? (() => false),
    outputEnded: () => got.push('output ended'),
    exited: (code, signal) => ended([code, signal]),
  };
  const wire: Stdio = stdio({ command: process.execPath, args: ['-e', script], clock: startClock(), graceMs: more.graceMs ?? 200 });
  await wire.start(listener);
  return { wire, got, exited };
}

test('everything that a process wrote before its end comes before its end, unfinished lines too', async () => {
  const script = "process.stdout.write('x'.repeat(300_000) + '\\nrest'); process.stderr.write('why\\nnot'); process.exitCode = 7;";
  const { wire, got, exited } = await run(script);
  expect(await exited).toEqual([7, undefined]);
  expect(got.map((line) => (line.length > 100 ? `${line.slice(0, 5)} × ${line.length - 4}` : line)).sort()).toEqual(
    [`out x × 300000`, 'unfinished rest', 'err why', 'err not'].sort(),
  );
  await wire.close();
});

test('a process that ends when its stdin does is not killed', async () => {
  const { wire, exited } = await run("process.stdin.resume().on('end', () => process.exit(3));", { graceMs: 30_000 });
  await wire.close();
  expect(await exited).toEqual([3, undefined]);
});

test.skipIf(process.platform === 'win32').each([
  ['SIGTERM', "setInterval(() => {}, 1000); console.log('up');"],
  ['SIGKILL', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up');"],
])('one that does not is ended by %s', async (signal, script) => {
  const { wire, got, exited } = await run(script);
  while (!got.includes('out up')) await new Promise((resolve) => setTimeout(resolve, 5));
  await wire.close();
  expect(await exited).toEqual([undefined, signal]);
});

test('what is written arrives in order, and each write is answered once', async () => {
  const { wire, got, exited } = await run("process.stdin.pipe(process.stdout); process.stdin.on('end', () => {});");
  const done: string[] = [];
  const large = 'y'.repeat(2_000_000);
  const all = ['a', large, 'b'].map(
    (text, index) =>
      new Promise<void>((resolve) =>
        wire.write(`${text}\n`, (failed) => resolve(void done.push(`${index} ${failed?.message ?? 'taken'}`))),
      ),
  );
  // The first was taken at once; the second does not fit into the pipe, and the third waits behind it.
  expect(done).toEqual(['0 taken']);
  await Promise.all(all);
  expect(done).toEqual(['0 taken', '1 taken', '2 taken']);
  await wire.close();
  await exited;
  expect(got.map((line) => line.length)).toEqual([5, large.length + 4, 5]);
});

test('after the end a write is refused', async () => {
  const { wire, exited } = await run('');
  await exited;
  await wire.close();
  const failed = await new Promise<Error | undefined>((resolve) => wire.write('x\n', resolve));
  expect(failed?.message).toMatch(/closed/);
});

test('while the listener is busy nothing is read, and nothing is lost', async () => {
  let busy = true;
  const { wire, got, exited } = await run("for (let n = 0; n < 50_000; n++) console.log('line ' + n);", { busy: () => busy });
  while (got.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const [seen] = [got.length];
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(got.length).toBe(seen);
  busy = false;
  await exited;
  expect(got).toEqual(Array.from({ length: 50_000 }, (_, n) => `out line ${n}`));
  await wire.close();
});

test('a folder that is not there is said', async () => {
  const wire = stdio({ command: process.execPath, args: [], cwd: '/no/such/folder', clock: startClock() });
  await expect(wire.start({} as StdioListener)).rejects.toThrow(StartError);
  await expect(
    stdio({ command: process.execPath, args: [], cwd: '/no/such/folder', clock: startClock() }).start({} as StdioListener),
  ).rejects.toThrow(/in the folder \/no\/such\/folder, but the program or the folder does not exist/);
});
