// The shared libraries that Electron expects of a Linux system, and Xvfb where tests need a display of their own. What is
// missing is found by asking the loader about the very binary that will run. Installed only on Debian and its kin as
// root (a container, a CI machine); anybody else gets the exact command to run.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { run, SetupError, say } from './processes.mjs';

/** @typedef {'apt' | 'dnf' | 'pacman' | 'zypper'} Manager */

/** What provides Electron's libraries, and what provides a display, in each family's names. */
const PACKAGES = {
  apt: {
    libraries: 'libnss3 libatk1.0-0 libatk-bridge2.0-0 libcups2 libdrm2 libgtk-3-0 libgbm1 libasound2 libxss1'.split(' '),
    display: ['xvfb', 'xauth'],
  },
  dnf: {
    libraries: 'nss atk at-spi2-atk cups-libs libdrm gtk3 mesa-libgbm alsa-lib libXScrnSaver'.split(' '),
    display: ['xorg-x11-server-Xvfb', 'xorg-x11-xauth'],
  },
  pacman: {
    libraries: 'nss at-spi2-core libcups libdrm gtk3 mesa alsa-lib libxss'.split(' '),
    display: ['xorg-server-xvfb', 'xorg-xauth'],
  },
  zypper: {
    libraries: 'mozilla-nss libatk-1_0-0 libatk-bridge-2_0-0 libcups2 libdrm2 libgtk-3-0 libgbm1 libasound2 libXss1'.split(' '),
    display: ['xvfb-run', 'xauth'],
  },
};

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

/**
 * Makes sure that Electron finds its libraries, and that there is an Xvfb where one is needed.
 * @param {{ executable: string, display: boolean }} options `display`: whether `withDisplay` is going to be used
 * @throws {SetupError} when something is missing that could not be installed, with the command to run
 */
export async function ensureLibraries({ executable, display }) {
  if (process.platform !== 'linux') return;
  const missing = findMissing({ executable, display });
  if (missing.length === 0) return;
  const manager = managerOf(readOsRelease());
  const root = process.getuid?.() === 0;
  const forbidden = Boolean(process.env['STOPGAP_NO_SYSTEM_PACKAGES']);
  if (manager !== 'apt' || !root || forbidden) {
    const note = forbidden ? ' (STOPGAP_NO_SYSTEM_PACKAGES is set, so nothing was installed)' : '';
    const command = manager && [...(root ? [] : ['sudo']), ...installCommand(manager, missing)].join(' ');
    throw new SetupError(
      `The system lacks ${missing.join(', ')}${note}. ${command ? `Run: ${command}` : 'Install the packages that provide them.'}`,
    );
  }
  await aptInstall(missing);
  const still = findMissing({ executable, display });
  if (still.length > 0) throw new SetupError(`The packages were installed, but the system still lacks ${still.join(', ')}.`);
}

/** @param {readonly string[]} missing */
async function aptInstall(missing) {
  say(`the system lacks ${missing.join(', ')}; updating apt's lists…`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env }); // When this fails, older lists may still do; the next command tells.
  const [program = '', ...args] = installCommand('apt', missing);
  const command = [program, ...args].join(' ');
  say(`installing: ${command}`);
  const { code } = await run(program, ['-qq', ...args], { env, stdout: 'ignore' });
  if (code !== 0) throw new SetupError(`${command} failed with code ${code}. Run it by hand to see why, or install what is missing.`);
}

/** @param {{ executable: string, display: boolean }} options @returns {string[]} sonames and program names */
function findMissing({ executable, display }) {
  const ldd = spawnSync('ldd', [executable], { encoding: 'utf8' });
  const missing = missingLibraries(ldd.stdout ?? '');
  if (display && !hasDisplay()) missing.push(...['xvfb-run', 'xauth'].filter((program) => !onPath(program)));
  return missing;
}

/**
 * The libraries that the loader could not find.
 * @param {string} ldd what `ldd` printed
 * @returns {string[]} sonames
 */
export function missingLibraries(ldd) {
  return [...ldd.matchAll(/^\s*(\S+) => not found/gm)].map((match) => String(match[1]));
}

/** @param {string} program */
const onPath = (program) => (process.env['PATH'] ?? '').split(':').some((folder) => folder !== '' && fs.existsSync(`${folder}/${program}`));

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

/** @param {Manager} manager @param {readonly string[]} missing @returns {string[]} the command, word by word */
function installCommand(manager, missing) {
  const { libraries, display } = PACKAGES[manager];
  const packages = [
    ...(missing.some((name) => name.includes('.so')) ? libraries : []),
    ...(missing.some((name) => !name.includes('.so')) ? display : []),
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
