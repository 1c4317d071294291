// How the scripts start other programs: each in a process group of its own, so that a signal, a failure or the end of a
// step takes everything below it along and nothing is left running. All talk goes to stderr; stdout belongs to the
// program that was asked for (a bench's JSON, the command line's report).
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';

const WINDOWS = process.platform === 'win32';
const GRACE_MS = 3_000;
/** Marks what a run has started, also below programs that make groups of their own (Playwright does for Electron). */
const MARK = { name: 'STOPGAP_RUN', value: `${process.pid}-${Date.now()}` };

/** An error whose message is all that a person needs to see: what was expected, what was seen, what to try. */
export class SetupError extends Error {}

/** @param {string} line */
export const say = (line) => void process.stderr.write(`stopgap: ${line}\n`);

/** @param {number} since from `performance.now()` @returns {string} such as `12.3 s` */
export const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] added to this process's own
 * @property {'stderr' | 'inherit' | 'ignore'} [stdout] where the program's stdout goes; `stderr` unless said otherwise
 * @property {boolean} [captureStderr] returned instead of shown
 * @property {boolean} [stdin] whether the program may read this process's stdin
 * @property {boolean} [shell]
 * @property {boolean} [foreground] this is the program that the person asked for: it ends its own children, nobody else does
 */

/**
 * @typedef {object} Ended
 * @property {number} code the exit code; 128 + n when signal n ended the program, 127 when it could not be started
 * @property {string} stderr what was captured of it
 */

/** @type {Map<import('node:child_process').ChildProcess, { foreground: boolean }>} */
const running = new Map();
/** @type {NodeJS.Signals | undefined} */
let interruptedBy;

/**
 * Runs a program to its end. When it has ended, what is left of its process group is ended too.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<Ended>}
 */
export function run(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env, [MARK.name]: MARK.value },
    shell: options.shell ?? false,
    detached: !WINDOWS,
    stdio: [
      options.stdin ? 'inherit' : 'ignore',
      options.stdout === 'inherit' || options.stdout === 'ignore' ? options.stdout : process.stderr,
      options.captureStderr ? 'pipe' : 'inherit',
    ],
  });
  const foreground = options.foreground ?? false;
  running.set(child, { foreground });
  /** @type {Buffer[]} */
  const said = [];
  child.stderr?.on('data', (chunk) => said.push(chunk));
  return new Promise((resolve) => {
    /** @param {number} code */
    const end = (code) => {
      running.delete(child);
      if (!foreground) signalGroup(child, 'SIGKILL');
      if (interruptedBy && !foreground) leave(interruptedBy);
      resolve({ code, stderr: Buffer.concat(said).toString('utf8') });
    };
    child.on('error', (error) => {
      say(error.message);
      end(127);
    });
    /** @param {number | null} code @param {NodeJS.Signals | null} signal */
    const ended = (code, signal) => end(code ?? (signal ? codeOf(signal) : 1));
    // Unless something is captured, `exit` rather than `close`: a grandchild that holds a pipe must not keep a step open.
    if (child.stderr) child.on('close', ended);
    else child.on('exit', ended);
  });
}

/** @param {NodeJS.Signals} signal @returns {number} the exit code that shells give to its victims */
const codeOf = (signal) => 128 + os.constants.signals[signal];

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    if (WINDOWS) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is gone already, which is what was wanted.
  }
}

/**
 * Hands signals on to what is running. A program in the foreground answers with its own exit code; a step of the set-up or
 * of the tests has a moment to end, then everything is ended and this process leaves with 128 + the signal's number.
 */
export function forwardSignals() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      for (const child of running.keys()) signalGroup(child, signal);
      if ([...running.values()].some(({ foreground }) => foreground)) return;
      interruptedBy = signal;
      setTimeout(leave, running.size > 0 ? GRACE_MS : 0, signal);
    });
  }
}

/** @param {NodeJS.Signals} signal that this process was asked to end by */
function leave(signal) {
  for (const child of running.keys()) signalGroup(child, 'SIGKILL');
  endStragglers();
  process.exit(codeOf(signal));
}

/**
 * Ends processes that this run has started and that left their group, and returns what they were. Linux only: there the
 * mark in a process's environment can be read.
 * @returns {string[]} command lines
 */
export function endStragglers() {
  if (process.platform !== 'linux') return [];
  /** @type {string[]} */
  const ended = [];
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!fs.readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${MARK.name}=${MARK.value}`)) continue;
      const line = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      process.kill(Number(pid), 'SIGKILL');
      if (line !== '') ended.push(line); // Nothing there: it had ended and only waited to be collected.
    } catch {
      // Another user's process, or one that ended while it was looked at.
    }
  }
  return ended;
}

/**
 * Runs a script's main function: its number becomes the exit code, a SetupError one clear line.
 * @param {() => Promise<number>} main
 */
export async function script(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

/**
 * npm as a program: the one that started this script, if one did.
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export function npm(args, options) {
  const self = process.env['npm_execpath'];
  return self !== undefined && /npm-cli\.[cm]?js$/.test(self)
    ? run(process.execPath, [self, ...args], options)
    : run('npm', args, { ...options, shell: WINDOWS });
}
