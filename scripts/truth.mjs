// `npm run truth -- [--repeat N] [--load] [--only TEXT]`: plays the truth set N times, with all cores kept busy when asked to,
// and prints what came of it. Exit code 1 after a lie or a verdict that contradicts what is known.
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { endStragglers, forwardSignals, run, SetupError, say, script, seconds } from './processes.mjs';
import { checkNode, ensurePackages, ROOT } from './setup.mjs';
import { forgetTruth, readTruth, truthLines } from './truth-results.mjs';

const USAGE = 'npm run truth -- [--repeat N] [--load] [--only TEXT]';

/** @returns {{ repeat: number, load: boolean, only: string }} */
function readOptions() {
  const { repeat, load, only } = parsed();
  const times = Number(repeat);
  if (!Number.isInteger(times) || times < 1) throw new SetupError(`Expected a number after --repeat, got ${repeat}. ${USAGE}`);
  return { repeat: times, load, only };
}

function parsed() {
  try {
    return parseArgs({
      options: {
        repeat: { type: 'string', default: '1' },
        load: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
      },
    }).values;
  } catch (error) {
    throw new SetupError(`${error instanceof Error ? error.message : error} ${USAGE}`);
  }
}

/** Spins until its parent is gone; a kill may come at any time. */
const BURN = `const parent = process.ppid;
const spin = () => {
  const until = performance.now() + 100;
  while (performance.now() < until);
  if (process.ppid === parent) setImmediate(spin);
};
spin();`;

/** Keeps every core busy, twice over, so that whatever runs has to wait its turn. @returns {() => void} ends that */
function burn() {
  const burners = [...os.cpus(), ...os.cpus()].map(() => spawn(process.execPath, ['-e', BURN], { stdio: 'ignore' }));
  return () => {
    for (const burner of burners) burner.kill('SIGKILL');
  };
}

/** @param {string} only @returns {Promise<readonly import('./truth-results.mjs').Result[]>} */
async function round(only) {
  forgetTruth();
  const vitest = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const quiet = ['--reporter=dot', '--silent'];
  const { code, stderr } = await run(process.execPath, [vitest, 'run', '--project', 'truth', ...quiet], {
    cwd: ROOT,
    env: { STOPGAP_TRUTH_ONLY: only },
    stdout: 'ignore',
    captureStderr: true,
  });
  const results = readTruth()?.results ?? [];
  const known = results.filter(({ kind }) => kind === 'lie' || kind === 'disagreement').length;
  if (results.length === 0 || (code !== 0 && known === 0)) throw new SetupError(`The truth set could not be played:\n${stderr}`);
  return results;
}

await script(async () => {
  forwardSignals();
  const { repeat, load, only } = readOptions();
  checkNode();
  await ensurePackages();
  await ensurePackages('test/real');
  const cool = load ? burn() : () => undefined;
  /** @type {import('./truth-results.mjs').Result[]} */
  const all = [];
  try {
    for (let n = 1; n <= repeat; n++) {
      const since = performance.now();
      const results = await round(only);
      all.push(...results);
      const lines = truthLines(results);
      for (const line of lines.slice(0, -1)) say(line);
      say(`round ${n} of ${repeat} (${seconds(since)}): ${lines.at(-1)}`);
    }
  } finally {
    cool();
    endStragglers();
  }
  for (const line of truthLines(all)) process.stdout.write(`${line}\n`);
  return all.some(({ kind }) => kind === 'lie' || kind === 'disagreement') ? 1 : 0;
});
