// What every command needs before it can do its work, each step done only when it is due: packages from the lock file, an
// Electron, system libraries, a build. Imports nothing outside Node, for on a fresh clone there is nothing else.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { obtainElectron } from './electron-runtime.mjs';
import { npm, run, SetupError, say, seconds } from './processes.mjs';
import { fingerprint, isInstalled } from './staleness.mjs';
import { displayPrograms, ensureSystem } from './system-libraries.mjs';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const OLDEST_NODE = /** @type {const} */ ([20, 19]);

/**
 * @typedef {object} Build
 * @property {string} name for people
 * @property {string} config Vite's configuration
 * @property {string} stamp where the fingerprint of the last build is kept: in a folder that Vite empties, so that no other build leaves it
 * @property {readonly string[]} sources whatever changes the outcome
 */

const SHARED_SOURCES = ['app', 'main', 'vite.config.ts', 'tsconfig.base.json', 'package.json', 'package-lock.json'];

/** @satisfies {Record<string, Build>} */
const BUILDS = {
  app: { name: 'Stopgap', config: 'vite.config.ts', stamp: 'dist/main/.stamp', sources: [...SHARED_SOURCES, 'renderer', 'assets'] },
  bench: {
    name: 'the bench',
    config: 'test/bench/vite.config.ts',
    stamp: 'dist/bench/.stamp',
    sources: [...SHARED_SOURCES, 'renderer', 'test/bench'],
  },
};

/**
 * What is wrong with a version of Node, or nothing. Vite sets the limit.
 * @param {string} version such as `20.20.2`
 * @returns {string | undefined}
 */
export function nodeProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return undefined;
  return `Stopgap is built with Node ${OLDEST_NODE.join('.')} or newer; this is Node ${version}. Install a newer one from https://nodejs.org.`;
}

/** @throws {SetupError} when this Node is too old */
export function checkNode() {
  const problem = nodeProblem(process.versions.node);
  if (problem) throw new SetupError(problem);
}

/**
 * Installs a folder's packages from its lock file, unless just those are installed.
 * @param {string} [folder] relative to the project's
 */
export async function ensurePackages(folder = '.') {
  const at = path.join(ROOT, folder);
  if (isInstalled(at)) return;
  const since = performance.now();
  say(`installing the packages of ${folder === '.' ? 'package-lock.json' : `${folder}/package-lock.json`} (npm ci)…`);
  const { code } = await npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: at });
  if (code !== 0) throw new SetupError(`npm ci in ${at} failed with code ${code}; what npm says of it stands above.`);
  say(`packages installed (${seconds(since)})`);
}

/**
 * An Electron that can start: the runtime, and the libraries it needs of the system.
 * @param {{ display: boolean }} options `display`: whether Xvfb is going to stand in where there is none
 */
export async function ensureRunnableElectron({ display }) {
  const electron = await obtainElectron();
  await ensureSystem({ executable: electron.path, programs: display ? displayPrograms() : [] });
  return electron;
}

/**
 * Builds, unless the last build was made of the same sources.
 * @param {keyof typeof BUILDS} which
 */
export async function ensureBuild(which) {
  const { name, config, stamp, sources } = BUILDS[which];
  const stampFile = path.join(ROOT, stamp);
  const wanted = fingerprint(ROOT, sources);
  if (fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === wanted) return;
  const since = performance.now();
  say(`building ${name}…`);
  fs.rmSync(stampFile, { force: true });
  const args = [
    path.join(ROOT, 'node_modules/vite/bin/vite.js'),
    'build',
    '--app',
    '--config',
    config,
    '--configLoader',
    'runner',
    '--logLevel',
    'warn',
  ];
  const { code } = await run(process.execPath, args, { cwd: ROOT });
  if (code !== 0) throw new SetupError(`The build of ${name} failed with code ${code}; what Vite says of it stands above.`);
  fs.writeFileSync(stampFile, wanted);
  say(`built (${seconds(since)})`);
}
