// The shared libraries that Electron expects of a Linux system, and a few programs: Xvfb where tests need a display of
// their own, 7-Zip for packaging. What is missing is found by asking the loader about the very binary that will run. It is
// installed only on Debian and its kin as root (a container, a CI machine); anybody else gets the exact command to run.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { run, SetupError, say } from './processes.mjs';

/** @typedef {'apt' | 'dnf' | 'pacman' | 'zypper'} Manager */

/** What provides Electron's libraries and the programs that some commands need, in each family's names. */
const PACKAGES = {
  apt: {
    libraries: 'libnss3 libatk1.0-0 libatk-bridge2.0-0 libcups2 libdrm2 libgtk-3-0 libgbm1 libasound2 libxss1'.split(' '),
    programs: { 'xvfb-run': 'xvfb', xauth: 'xauth', '7za': 'p7zip-full' },
  },
  dnf: {
    libraries: 'nss atk at-spi2-atk cups-libs libdrm gtk3 mesa-libgbm alsa-lib libXScrnSaver'.split(' '),
    programs: { 'xvfb-run': 'xorg-x11-server-Xvfb', xauth: 'xorg-x11-xauth', '7za': 'p7zip' },
  },
  pacman: {
    libraries: 'nss at-spi2-core libcups libdrm gtk3 mesa alsa-lib libxss'.split(' '),
    programs: { 'xvfb-run': 'xorg-server-xvfb', xauth: 'xorg-xauth', '7za': '7zip' },
  },
  zypper: {
    libraries: 'mozilla-nss libatk-1_0-0 libatk-bridge-2_0-0 libcups2 libdrm2 libgtk-3-0 libgbm1 libasound2 libXss1'.split(' '),
    programs: { 'xvfb-run': 'xvfb-run', xauth: 'xauth', '7za': 'p7zip-full' },
  },
};

/** @typedef {keyof typeof PACKAGES.apt.programs} Program */

/** @type {Record<Manager, readonly string[]>} */
const INSTALL = {
  apt: ['apt-get', 'install', '-y', '--no-install-recommends'],
  dnf: ['dnf', 'install', '-y'],
  pacman: ['pacman', '-S', '--needed', '--noconfirm'],
  zypper: ['zypper', 'install', '-y'],
};

export const hasDisplay = () => process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);

/**
 * A command as it has to be run to see a display: under Xvfb on a Linux without one.
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {{ command: string, args: readonly string[] }}
 */
export function withDisplay(command, args) {
  if (hasDisplay()) return { command, args };
  return { command: 'xvfb-run', args: ['-a', '-s', '-screen 0 1920x1200x24', command, ...args] };
}

/** What `withDisplay` needs here. @returns {readonly Program[]} */
export const displayPrograms = () => (hasDisplay() ? [] : ['xvfb-run', 'xauth']);

/**
 * @typedef {object} Needs
 * @property {string} [executable] an Electron, which has to find its libraries
 * @property {readonly Program[]} [programs]
 */

/**
 * Makes sure that the system has what is needed of it. Does nothing where it is not Linux.
 * @param {Needs} needs
 * @throws {SetupError} when something is missing that could not be installed, with the command to run
 */
export async function ensureSystem(needs) {
  if (process.platform !== 'linux') return;
  const missing = findMissing(needs);
  if (isNothing(missing)) return;
  const manager = managerOf(readOsRelease());
  const root = process.getuid?.() === 0;
  const forbidden = Boolean(process.env['STOPGAP_NO_SYSTEM_PACKAGES']);
  if (manager !== 'apt' || !root || forbidden) {
    const note = forbidden ? ' (STOPGAP_NO_SYSTEM_PACKAGES is set, so nothing was installed)' : '';
    const command = manager && [...(root ? [] : ['sudo']), ...installCommand(manager, missing)].join(' ');
    throw new SetupError(
      `The system lacks ${listed(missing)}${note}. ${command ? `Run: ${command}` : 'Install the packages that provide them.'}`,
    );
  }
  await aptInstall(missing);
  const still = findMissing(needs);
  if (!isNothing(still)) throw new SetupError(`The packages were installed, but the system still lacks ${listed(still)}.`);
}

/** @param {Missing} missing */
const isNothing = ({ libraries, programs }) => libraries.length + programs.length === 0;

/** @param {Missing} missing */
const listed = ({ libraries, programs }) => [...libraries, ...programs].join(', ');

/** @param {Missing} missing */
async function aptInstall(missing) {
  say(`the system lacks ${listed(missing)}; updating apt's lists…`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env }); // When this fails, older lists may still do; the next command tells.
  const [program = '', ...args] = installCommand('apt', missing);
  const command = [program, ...args].join(' ');
  say(`installing: ${command}`);
  const { code } = await run(program, ['-qq', ...args], { env, stdout: 'ignore' });
  if (code !== 0) throw new SetupError(`${command} failed with code ${code}. Run it by hand to see why, or install what is missing.`);
}

/** @typedef {{ readonly libraries: readonly string[], readonly programs: readonly Program[] }} Missing `libraries` by their sonames */

/** @param {Needs} needs @returns {Missing} */
function findMissing({ executable, programs = [] }) {
  const ldd = executable ? spawnSync('ldd', [executable], { encoding: 'utf8' }).stdout : '';
  return { libraries: missingLibraries(ldd ?? ''), programs: programs.filter((program) => whereIs(program) === undefined) };
}

/**
 * The libraries that the loader could not find.
 * @param {string} ldd what `ldd` printed
 * @returns {string[]} sonames
 */
export function missingLibraries(ldd) {
  return [...ldd.matchAll(/^\s*(\S+) => not found/gm)].map((match) => String(match[1]));
}

/**
 * Where a program lies.
 * @param {Program} program
 * @returns {string | undefined} its absolute path; nothing when no folder of PATH holds it
 */
export function whereIs(program) {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  return folders.map((folder) => path.resolve(folder, program)).find((file) => fs.existsSync(file));
}

function readOsRelease() {
  try {
    return fs.readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

/**
 * The package manager of a Linux distribution.
 * @param {string} osRelease the text of /etc/os-release
 * @returns {Manager | undefined}
 */
export function managerOf(osRelease) {
  const ids = [...osRelease.matchAll(/^(?:ID|ID_LIKE)="?([^"\n]*)"?$/gm)].flatMap((match) => String(match[1]).split(' '));
  /** @param {readonly string[]} names */
  const is = (...names) => names.some((name) => ids.includes(name));
  if (is('debian', 'ubuntu')) return 'apt';
  if (is('fedora', 'rhel')) return 'dnf';
  if (is('arch')) return 'pacman';
  if (is('suse', 'opensuse')) return 'zypper';
  return undefined;
}

/** @param {Manager} manager @param {Missing} missing @returns {string[]} the command, word by word */
function installCommand(manager, missing) {
  const known = PACKAGES[manager];
  const packages = [
    ...(missing.libraries.length > 0 ? known.libraries : []),
    ...missing.programs.map((program) => known.programs[program]),
  ];
  return [...INSTALL[manager], ...(manager === 'apt' ? aptNames(packages) : packages)];
}

/** @param {readonly string[]} packages @returns {string[]} */
function aptNames(packages) {
  const names = packages.flatMap((name) => [name, `${name}t64`]);
  return renamed(
    packages,
    spawnSync('apt-cache', ['policy', ...names], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } }).stdout ?? '',
  );
}

/**
 * Newer Debian and Ubuntu have some of these libraries under a name that ends in `t64`.
 * @param {readonly string[]} packages by their older names
 * @param {string} policy what `apt-cache policy` printed about both names of each
 * @returns {string[]} the names to install
 */
export function renamed(packages, policy) {
  const available = new Set([...policy.matchAll(/^(\S+):\n {2}Installed: .*\n {2}Candidate: (?!\(none\))/gm)].map((match) => match[1]));
  return packages.map((name) => (available.has(`${name}t64`) ? `${name}t64` : name));
}
