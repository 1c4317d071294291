// Whether what was installed or built still is what the sources ask for. Judged by contents, never by dates: a checkout,
// a copy or a restored cache leaves any dates.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {boolean} [link]
 * @typedef {Readonly<Record<string, LockedPackage>>} LockedPackages by their folder; the project itself is ''
 */

/**
 * Whether a folder's node_modules holds what its package-lock.json asks for. npm leaves a record of what it has installed
 * in node_modules, as its last act: an install that was cut short has none.
 * @param {string} folder
 * @returns {boolean}
 */
export function isInstalled(folder) {
  const installed = readPackages(path.join(folder, 'node_modules/.package-lock.json'));
  const locked = readPackages(path.join(folder, 'package-lock.json'));
  return installed !== undefined && locked !== undefined && matchesLock(installed, locked);
}

/** @param {string} file @returns {LockedPackages | undefined} */
function readPackages(file) {
  if (!fs.existsSync(file)) return undefined;
  return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
}

/**
 * @param {LockedPackages} installed
 * @param {LockedPackages} locked
 * @returns {boolean} whether every package is there in its version, none besides, none missing but optional ones (those of other platforms)
 */
export function matchesLock(installed, locked) {
  /** @param {LockedPackages} packages */
  const names = (packages) => Object.keys(packages).filter((name) => name !== '');
  /** @param {string} name */
  const same = (name) => installed[name]?.version === locked[name]?.version && installed[name]?.integrity === locked[name]?.integrity;
  return (
    names(installed).every((name) => name in locked && same(name)) &&
    names(locked).every((name) => name in installed || locked[name]?.optional || locked[name]?.devOptional)
  );
}

const NOT_BUILT = /\.(test|testing)\.tsx?$|\.tsbuildinfo$/;

/**
 * One hash over the names and contents of all files below some paths, tests aside.
 * @param {string} root
 * @param {readonly string[]} sources files and folders, relative to the root; what is not there counts as absent
 * @returns {string} hexadecimal
 */
export function fingerprint(root, sources) {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((source) => filesBelow(root, source)).sort()) {
    hash.update(`${file}\0`).update(
      createHash('sha256')
        .update(fs.readFileSync(path.join(root, file)))
        .digest(),
    );
  }
  return hash.digest('hex');
}

/** @param {string} root @param {string} at @returns {string[]} relative to the root, with `/` */
function filesBelow(root, at) {
  const stat = fs.statSync(path.join(root, at), { throwIfNoEntry: false });
  if (!stat) return [];
  if (stat.isFile()) return NOT_BUILT.test(at) ? [] : [at];
  return fs.readdirSync(path.join(root, at)).flatMap((name) => (name === 'node_modules' ? [] : filesBelow(root, `${at}/${name}`)));
}
