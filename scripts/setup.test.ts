import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { choose, reasonOf } from './electron-runtime.mjs';
import { nodeProblem } from './setup.mjs';
import { fingerprint, matchesLock } from './staleness.mjs';
import { managerOf, missingLibraries, renamed } from './system-libraries.mjs';
import { tally } from './tally.mjs';

test('the oldest Node that works is named to one that does not', () => {
  expect(['20.19.0', '20.20.2', '22.1.0', '26.0.0'].map(nodeProblem)).toEqual([undefined, undefined, undefined, undefined]);
  expect(nodeProblem('20.18.3')).toContain('Node 20.19 or newer; this is Node 20.18.3');
  expect(nodeProblem('18.20.0')).toContain('this is Node 18.20.0');
});

const locked = {
  '': { version: '1' },
  'node_modules/a': { version: '1.0.0', integrity: 'x' },
  'node_modules/mac': { version: '2.0.0', optional: true },
};

test.each([
  ['the same, but for an optional package of another platform', { 'node_modules/a': { version: '1.0.0', integrity: 'x' } }, true],
  ['another version', { 'node_modules/a': { version: '1.0.1', integrity: 'x' } }, false],
  ['other contents under the same version', { 'node_modules/a': { version: '1.0.0', integrity: 'y' } }, false],
  ['one missing', {}, false],
  ['one too many', { 'node_modules/a': { version: '1.0.0', integrity: 'x' }, 'node_modules/b': { version: '1.0.0' } }, false],
])('what is installed against the lock: %s', (_, installed, expected) => {
  expect(matchesLock(installed, locked)).toBe(expected);
});

test('a build is stale when a source changes, appears or moves, and not when a test does', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stopgap-stale-'));
  const write = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  const now = () => fingerprint(folder, ['app', 'package.json', 'not-there']);
  write('app/a.ts', 'one');
  write('package.json', '{}');
  const first = now();
  write('app/a.test.ts', 'a test');
  write('app/node_modules/x.js', 'installed');
  write('elsewhere/b.ts', 'not a source');
  expect(now()).toBe(first);
  write('app/a.ts', 'two');
  const second = now();
  write('app/deep/b.ts', '');
  const third = now();
  fs.renameSync(path.join(folder, 'app/deep/b.ts'), path.join(folder, 'app/deep/c.ts'));
  expect(new Set([first, second, third, now()]).size).toBe(4);
  write('app/a.ts', 'one');
  fs.rmSync(path.join(folder, 'app/deep'), { recursive: true });
  expect(now()).toBe(first);
  fs.rmSync(folder, { recursive: true });
});

const HOUR = 3_600_000;
const nothing = { override: false, official: false, fallback: false, refusal: undefined, mirror: '', version: '45.0.0', now: 100 * HOUR };
const refusal = { at: 99 * HOUR, mirror: '', version: '45.0.0', why: 'refused' };

test.each([
  ['nothing there', nothing, 'download'],
  ['an override, whatever else there is', { ...nothing, override: true, official: true, fallback: true, refusal }, 'override'],
  ['the official one before the fallback', { ...nothing, official: true, fallback: true, refusal }, 'official'],
  ['the fallback, refused lately', { ...nothing, fallback: true, refusal }, 'npm-fallback'],
  ['the fallback, but never refused', { ...nothing, fallback: true }, 'download'],
  ['the fallback, refused long ago', { ...nothing, fallback: true, refusal: { ...refusal, at: 75 * HOUR } }, 'download'],
  ['the fallback, refused by another mirror', { ...nothing, fallback: true, refusal, mirror: 'https://mirror.example/' }, 'download'],
  ['the fallback, refused in another version', { ...nothing, fallback: true, refusal, version: '46.0.0' }, 'download'],
  ['refused, and no fallback', { ...nothing, refusal }, 'download'],
])('which Electron: %s', (_, situation, expected) => {
  expect(choose(situation)).toBe(expected);
});

test('of a failed download the innermost cause is told', () => {
  expect(reasonOf('TypeError: fetch failed\n    at node:internal/x:1:1\n')).toBe('no connection to its server');
  expect(reasonOf('TypeError: fetch failed\n  at x {\n  [cause]: Error: getaddrinfo ENOTFOUND h {\n')).toBe('getaddrinfo ENOTFOUND h');
  expect(reasonOf('HTTPError: Response code 403 (Forbidden)\n  at x')).toBe('HTTPError: Response code 403 (Forbidden)');
  expect(reasonOf('killed\n')).toBe('killed');
  expect(reasonOf('')).toBe('');
});

test('missing libraries are read from what ldd prints', () => {
  const ldd =
    '\tlinux-vdso.so.1 (0x00007ff)\n\tlibgtk-3.so.0 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n\tlibnss3.so => not found\n';
  expect(missingLibraries(ldd)).toEqual(['libgtk-3.so.0', 'libnss3.so']);
});

test('the package manager follows the distribution, or its parent', () => {
  expect(managerOf('NAME="Debian GNU/Linux"\nID=debian\n')).toBe('apt');
  expect(managerOf('ID=linuxmint\nID_LIKE="ubuntu debian"\n')).toBe('apt');
  expect(managerOf('ID="rocky"\nID_LIKE="rhel centos fedora"\n')).toBe('dnf');
  expect(managerOf('ID=manjaro\nID_LIKE=arch\n')).toBe('pacman');
  expect(managerOf('ID="opensuse-leap"\nID_LIKE="suse opensuse"\n')).toBe('zypper');
  expect(managerOf('ID=nixos\n')).toBe(undefined);
});

test('a library is asked for by its newer name where the older one is only virtual', () => {
  const policy =
    'libasound2:\n  Installed: (none)\n  Candidate: (none)\nlibasound2t64:\n  Installed: (none)\n  Candidate: 1.2.14-1\nlibnss3:\n  Installed: (none)\n  Candidate: 2:3.110\n';
  expect(renamed(['libasound2', 'libnss3'], policy)).toEqual(['libasound2t64', 'libnss3']);
});

test('a test run counts as failed unless tests have run and all went well', () => {
  expect(tally(0, { numPassedTests: 12, numFailedTests: 0 })).toEqual({ passed: 12, failed: 0 });
  expect(tally(1, { numPassedTests: 10, numFailedTests: 2 })).toEqual({ passed: 10, failed: 2 });
  expect(tally(1, { numPassedTests: 12, numFailedTests: 0 })).toEqual({ passed: 12, failed: 1 });
  expect(tally(0, { numPassedTests: 0, numFailedTests: 0 })).toEqual({ passed: 0, failed: 1 });
  expect(tally(137, undefined)).toEqual({ passed: 0, failed: 1 });
});
