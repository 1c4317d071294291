import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SpecOf } from '../../app/evidence/probe';
import { startClock } from '../host/clock';
import { checkCommand, startCommandProbe } from './command';
import { hearing } from './probe.testing';

vi.setConfig({ testTimeout: 60_000 });
const NEVER_MS = 3_600_000;

function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a program of ours, with a file's path as its argument. */
const spec = (program: string, ...args: readonly string[]): SpecOf<'command'> => ({
  kind: 'command',
  name: 'out',
  shared: false,
  command: [process.execPath, '-e', program, ...args],
  everyMs: NEVER_MS,
});

async function scene(settings: SpecOf<'command'>) {
  const heard = hearing(startClock());
  const probe = await startCommandProbe(settings, heard.context);
  onTestFinished(() => probe.stop());
  const says = () => heard.effects.flatMap((effect) => ('says' in effect ? [effect.says] : []));
  return { ...heard, probe, says };
}

const CAT = 'process.stdout.write(require("fs").readFileSync(process.argv[1]))';
/** Like grep: prints the lines with an x in them, and fails where there is none. */
const GREP = `const found = require("fs").readFileSync(process.argv[1], "utf8").split("\\n").filter((line) => line.includes("x"));
for (const line of found) console.log(line); process.exitCode = found.length > 0 ? 0 : 1`;

describe('a command', () => {
  it('shows the lines that differ, when they came and when they went', async () => {
    const file = path.join(tempFolder(), 'log');
    writeFileSync(file, 'one\ntwo\n');
    const { all, clock, probe, says } = await scene(spec(CAT, file));
    await probe.read();
    const c = clock.now();
    await probe.read();
    const before = clock.now();
    appendFileSync(file, 'three\n');
    const after = clock.now();
    await probe.read();
    writeFileSync(file, 'one\ntwo\n');
    await probe.read();
    expect(says()).toEqual(['1 line more: three', '1 line gone again: three']);
    const [seen] = all('seen');
    expect(seen?.lo).toBeGreaterThanOrEqual(c);
    expect(seen?.lo).toBeLessThanOrEqual(before);
    expect(seen?.hi).toBeGreaterThanOrEqual(after);
    expect(all('clear')).toHaveLength(2);
  });

  it('of which one line is left alone is a value', async () => {
    const file = path.join(tempFolder(), 'count');
    writeFileSync(file, '3\n');
    const { probe, says } = await scene(spec(CAT, file));
    writeFileSync(file, '4\n');
    await probe.read();
    expect(says()).toEqual(['the output changed from 3 to 4']);
  });

  it('may fail from the start, silently and every time', async () => {
    const file = path.join(tempFolder(), 'log');
    writeFileSync(file, '');
    const { probe, says } = await scene(spec(GREP, file));
    writeFileSync(file, 'x\n');
    await probe.read();
    writeFileSync(file, '');
    await probe.read();
    expect(says()).toEqual(['1 line more: x', '1 line gone again: x']);
  });

  it('is seen by its exit code alone', async () => {
    const file = path.join(tempFolder(), 'made');
    const { probe, says } = await scene(spec('process.exitCode = require("fs").existsSync(process.argv[1]) ? 0 : 1', file));
    writeFileSync(file, '');
    await probe.read();
    expect(says()).toEqual(['the exit code changed from 1 to 0']);
  });

  it('that begins to fail is a gap', async () => {
    const file = path.join(tempFolder(), 'log');
    writeFileSync(file, '');
    const { all, probe } = await scene(spec(CAT, file));
    rmSync(file);
    await probe.read();
    expect(all('gap')).toMatchObject([{ why: expect.stringMatching(/ended with exit code 1\. It says: .*ENOENT/) }]);
    expect(all('clear')).toEqual([]);
  });

  it('that does not end is killed, with what it has started', async () => {
    const file = path.join(tempFolder(), 'slow');
    const { all, probe } = await scene({
      ...spec(
        `if (require("fs").existsSync(process.argv[1])) require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" })`,
        file,
      ),
      // The shortest limit there is: 2 s.
      everyMs: 200,
    });
    writeFileSync(file, '');
    await probe.read();
    expect(all('gap')[0]).toMatchObject({ why: 'no answer within 2 s' });
  });

  it('that cannot be run, fails, prints too much, or never the same is refused', async () => {
    const start = (settings: SpecOf<'command'>) => checkCommand(settings);
    expect(await start({ ...spec(''), command: ['stopgap-no-such-program'] })).toMatch(
      /^Expected a program called stopgap-no-such-program, but there is none\. Give its full path/,
    );
    expect(await start(spec('console.error("no cluster"); process.exitCode = 3'))).toMatch(/ended with exit code 3\. It says: no cluster$/);
    expect(await start(spec('process.stdout.write("x".repeat(3e6))'))).toMatch(/^Expected less than 1024 KiB of output/);
    expect(await start(spec('console.log("fine")'))).toBeUndefined();
    await expect(scene(spec('console.log(process.hrtime.bigint())'))).rejects.toThrow(/two readings right after one another differ/);
  });
});
