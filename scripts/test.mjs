// `npm test [-- STEP…]`: the set-up, then every check there is, cheapest first. The first step that fails ends the run.
// The last line is always `N passed, N failed`, summed over the test runs; a step that fails without a failed test of its
// own (lint, types, a file that does not load, a run without tests) counts as one failure.
import fs from 'node:fs';
import path from 'node:path';
import { endStragglers, forwardSignals, run, SetupError, say, script, seconds } from './processes.mjs';
import { checkNode, ensureBuild, ensurePackages, ensureRunnableElectron, ROOT } from './setup.mjs';
import { withDisplay } from './system-libraries.mjs';
import { tally } from './tally.mjs';
import { forgetTruth, readTruth, truthLines } from './truth-results.mjs';

/** @typedef {import('./tally.mjs').Tally} Tally */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} title
 * @property {boolean} builds whether it needs the built app, Electron and the servers by others
 * @property {() => Promise<Tally>} check
 */

/** @type {readonly Step[]} */
const STEPS = [
  { name: 'lint', title: 'lint and format (Biome)', builds: false, check: () => tool('@biomejs/biome/bin/biome', ['check', '.']) },
  { name: 'types', title: 'types (TypeScript)', builds: false, check: () => tool('typescript/bin/tsc', ['-b']) },
  { name: 'unit', title: 'unit tests', builds: false, check: () => vitest('unit') },
  { name: 'integration', title: 'integration tests (real servers, no window)', builds: true, check: () => vitest('real') },
  { name: 'truth', title: 'truth set (verdicts against what really happened)', builds: true, check: truth },
  { name: 'e2e', title: 'end-to-end tests (the real window)', builds: true, check: () => vitest('e2e') },
];

/** @param {string} program below node_modules @param {readonly string[]} args @returns {Promise<Tally>} */
async function tool(program, args) {
  const { code } = await run(process.execPath, [path.join(ROOT, 'node_modules', program), ...args], { cwd: ROOT });
  return { passed: 0, failed: code === 0 ? 0 : 1 };
}

/** @returns {Promise<Tally>} */
async function truth() {
  forgetTruth();
  const result = await vitest('truth');
  for (const line of truthLines(readTruth()?.results ?? [])) say(line);
  return result;
}

/** @param {'unit' | 'real' | 'truth' | 'e2e'} project @returns {Promise<Tally>} */
async function vitest(project) {
  const report = path.join(ROOT, 'dist/test', `${project}.json`);
  fs.rmSync(report, { force: true });
  const program = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
  const options = ['--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const plain = { command: process.execPath, args: [program, 'run', ...options] };
  const { command, args } = project === 'e2e' ? withDisplay(plain.command, plain.args) : plain;
  const { code } = await run(command, args, { cwd: ROOT });
  return tally(code, fs.existsSync(report) ? JSON.parse(fs.readFileSync(report, 'utf8')) : undefined);
}

/** @param {readonly string[]} names @returns {readonly Step[]} */
function chosen(names) {
  const unknown = names.find((name) => !STEPS.some((step) => step.name === name));
  if (unknown !== undefined) throw new SetupError(`There is no step ${unknown}; there are ${STEPS.map((step) => step.name).join(', ')}.`);
  return names.length === 0 ? STEPS : STEPS.filter((step) => names.includes(step.name));
}

/** @param {readonly Step[]} steps */
async function setUp(steps) {
  checkNode();
  await ensurePackages();
  if (!steps.some((step) => step.builds)) return;
  if (fs.existsSync(path.join(ROOT, 'test/real'))) await ensurePackages('test/real');
  await ensureRunnableElectron({ display: steps.some((step) => step.name === 'e2e') });
  await ensureBuild('app');
}

/** @param {Step} step @returns {Promise<Tally>} */
async function perform(step) {
  const since = performance.now();
  say(`${step.title}…`);
  const result = await step.check();
  for (const line of endStragglers()) say(`left running by this step, and ended now: ${line}`);
  say(result.failed === 0 ? `${step.title}: done (${seconds(since)})` : `${step.title}: FAILED (${seconds(since)})`);
  return result;
}

/** @param {readonly Step[]} steps @param {Tally} total counted into as the steps end */
async function performAll(steps, total) {
  for (const step of steps) {
    const { passed, failed } = await perform(step);
    total.passed += passed;
    total.failed += failed;
    if (failed > 0) throw new SetupError(`npm test ends here: the step "${step.name}" failed. Alone: npm test -- ${step.name}`);
  }
}

await script(async () => {
  forwardSignals();
  const total = { passed: 0, failed: 0 };
  try {
    const steps = chosen(process.argv.slice(2));
    await setUp(steps);
    await performAll(steps, total);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    total.failed = Math.max(total.failed, 1);
  }
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
  return total.failed === 0 ? 0 : 1;
});
