// The sweep, from the command line against the real demo server: the interval that it reports contains the commit point that
// the tool was given.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepReport } from '../../app/report/sweep';
import { fixture } from '../fixtures/fixtures';
import { type Cli, type Ended, installedCli } from './cli.testing';

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

const sweepOf = (out: string) => sweepReport.parse(JSON.parse(out));

describe('stopgap sweep', () => {
  it.each([
    { commit: 120, write: 240 },
    { commit: 300, write: 320 },
    { commit: 450, write: 600 },
  ])('finds the point of no return at $commit ms', async ({ commit, write }) => {
    const args = JSON.stringify({ amount: 1, commit_ms: commit, write_ms: write });
    const words = ['sweep', 'demo', 'charge_card', '--args', args, '--find-boundary', '--runs', '8', '--to', `${write + 200}ms`];
    const { out, code } = await cli.run([...words, '--normally', `${write}ms`, '--settle', '300ms', '--json', '--quiet']);
    const { boundary, attempts, sentence } = sweepOf(out);
    expect({ code, varies: boundary.varies, attempts: attempts.length }).toEqual({ code: 0, varies: false, attempts: 8 });
    expect(boundary.preventedUpToMs).toBeLessThan(commit);
    expect(boundary.landsFromMs).toBeGreaterThan(commit);
    expect(sentence).toMatch(/^Up to \d+ ms Stop prevents the write; from \d+ ms it does not; between, nothing is known\./);
  });

  it('finds it under load as well', async () => {
    const load = Array.from({ length: 2 * availableParallelism() }, () =>
      spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
    );
    try {
      const given = JSON.stringify({ amount: 1, commit_ms: 600, write_ms: 1200 });
      const words = ['sweep', 'demo', 'charge_card', '--args', given, '--find-boundary', '--runs', '8', '--to', '1400ms'];
      const { out } = await cli.run([...words, '--normally', '1200ms', '--settle', '600ms', '--json', '--quiet']);
      const { boundary } = sweepOf(out);
      // Where the machine was too busy an outcome may be unknown, and the interval wide; a wrong one never is.
      expect(boundary.known).toBeGreaterThan(1);
      expect(boundary.preventedUpToMs ?? 0).toBeLessThan(600);
      expect(boundary.landsFromMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(600);
    } finally {
      for (const child of load) child.kill('SIGKILL');
    }
  });

  it('says that it varies where the demo commits by chance', async () => {
    const given = JSON.stringify({ amount: 1, commit_ms: 0, jitter_ms: 1000, write_ms: 1000 });
    const moments = ['--from', '250ms', '--to', '750ms', '--runs', '20'];
    const { out, code } = await cli.run([
      'sweep',
      'demo',
      'charge_card',
      '--args',
      given,
      ...moments,
      '--normally',
      '1000ms',
      '--settle',
      '300ms',
      '--json',
      '--quiet',
    ]);
    const { boundary, sentence } = sweepOf(out);
    // That twenty such calls come out in an order that only a commit point explains happens less than once in a hundred times.
    expect({ code, varies: boundary.varies, says: sentence.includes('it varies') }).toEqual({ code: 1, varies: true, says: true });
  });

  const { command, args } = fixture('commits-by-chance');
  const server = [command, ...args].map((word) => JSON.stringify(word)).join(' ');

  /** Sweeps a tool that writes into a file of its own, which a probe watches. */
  async function swept(tool: string, words: readonly string[], interruptAt?: string): Promise<Ended & { readonly file: string }> {
    const file = path.join(cli.folder, `${tool}-${files++}`);
    await writeFile(file, '');
    const given = ['sweep', server, tool, '--args', JSON.stringify({ file }), '--probe', `folder:${file}`, '--settle', '200ms', ...words];
    const ended = await (interruptAt === undefined ? cli.run(given) : cli.interrupt(given, interruptAt, 'SIGINT'));
    return { ...ended, file };
  }
  let files = 0;

  it('says that it varies where the same moment helps one time and not the next', async () => {
    const { out, code } = await swept('write', [
      '--yes',
      '--from',
      '100ms',
      '--to',
      '200ms',
      '--runs',
      '6',
      '--normally',
      '300ms',
      '--json',
    ]);
    const { boundary, attempts, sentence } = sweepOf(out);
    // An outcome may be unknown where the machine was too busy; a wrong one never is.
    const right = (outcome: string, index: number): boolean => [index % 2 === 0 ? 'landed' : 'prevented', 'unknown'].includes(outcome);
    expect(attempts.filter(({ outcome }, index) => !right(outcome, index))).toEqual([]);
    expect(boundary.varies).toBe(true);
    expect(sentence).toContain('it varies');
    expect(code).toBe(1);
  });

  it('counts in progress, finds out how long the call takes, and resets by a tool before every attempt', async () => {
    const { out, code, file } = await swept('steps', [
      ...['--yes', '--by', 'progress', '--from', '1', '--to', '4', '--runs', '4', '--json'],
      ...['--reset-tool', 'reset', '--reset-args', JSON.stringify({ file: path.join(cli.folder, `steps-${files}`) })],
    ]);
    const { boundary, attempts } = sweepOf(out);
    expect(attempts.map(({ cancelAtProgress, outcome }) => [cancelAtProgress, outcome])).toEqual([
      [1, 'prevented'],
      [2, 'prevented'],
      [3, 'landed'],
      [4, 'landed'],
    ]);
    expect(boundary).toMatchObject({ preventedUpToProgress: 2, landsFromProgress: 3, varies: false, preventedUpToMs: null });
    expect(code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('written\n');
  });

  it('keeps what it has when it is interrupted', async () => {
    const words = ['--yes', '--from', '100ms', '--to', '200ms', '--runs', '50', '--normally', '300ms', '--json'];
    const { out, code } = await swept('write', words, '2 of 50');
    const { attempts, interrupted } = sweepOf(out);
    expect({ code, interrupted }).toEqual({ code: 130, interrupted: true });
    expect(attempts.length).toBeGreaterThanOrEqual(2);
  });

  it('draws a strip for people', async () => {
    const { out } = await swept('write', ['--yes', '--from', '100ms', '--to', '200ms', '--runs', '2', '--normally', '300ms', '--quiet']);
    const [first = '', second = ''] = out.split('\n');
    expect(first).toMatch(/^ +\d+ ms ◆ ━+▼ *◆ +write-after-cancel$/);
    expect(second).toMatch(/^ +\d+ ms · ━+▼ +stopped$/);
  });

  it('writes for real, so it asks first, and refuses where nobody can be asked', async () => {
    const { code, err, file } = await swept('write', []);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^stopgap: --yes: .*This calls write up to 20 times, for real/) });
    expect(await readFile(file, 'utf8')).toBe('');
  });

  it('refuses a tool whose writes nobody sees', async () => {
    const { code, err } = await cli.run([
      'sweep',
      server,
      'write',
      '--yes',
      '--args',
      JSON.stringify({ file: path.join(cli.folder, 'unseen') }),
    ]);
    expect(code).toBe(2);
    expect(err).toContain('Expected a probe to see what write writes when nobody stops it, but none saw anything.');
  });

  it.each([
    [['--to', '2x'], '--to: expected a duration'],
    [['--by', 'progress'], '--to: expected the last count of progress'],
    [['--from', '2s', '--to', '1s'], '--to: expected a moment after --from (2s), got 1s'],
    [['--random', '--find-boundary'], '--random: expected it without --find-boundary'],
    [['--reset-args', '{}'], '--reset-args: expected --reset-tool with it'],
    [['--runs', '0'], 'Expected a whole number from 1'],
  ])('says what is wrong with %j', async (words, says) => {
    const { code, err } = await cli.run(['sweep', 'demo', 'charge_card', ...words]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
  });
});
