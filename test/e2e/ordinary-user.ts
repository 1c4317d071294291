// The app as an ordinary user runs it: with Chromium's sandbox on. Root cannot use it, so where the tests run as root
// (containers, CI machines) Electron and the app are laid out where anybody may read them and started as `nobody`.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { electronArgs, ensureElectron } from '../../scripts/electron-runtime.mjs';
import { type LaunchOptions, type Program, ROOT, temporaryFolder } from './app';

const NOBODY = 65534;

/** How to launch the app as somebody who is not root. */
export function asOrdinaryUser(): Pick<LaunchOptions, 'program' | 'userData' | 'env'> {
  return process.getuid?.() === 0
    ? asNobody()
    : { program: { path: ensureElectron().path, switches: electronArgs({ test: true }), root: ROOT } };
}

function asNobody(): Pick<LaunchOptions, 'program' | 'userData' | 'env'> {
  const folder = temporaryFolder('nobody');
  chmodSync(folder, 0o755);
  const home = path.join(folder, 'home');
  const userData = path.join(home, 'data');
  for (const owned of [home, userData]) {
    mkdirSync(owned);
    chownSync(owned, NOBODY, NOBODY);
  }
  return { program: layOut(folder), userData, env: { HOME: home, ...displayOf(home) } };
}

/** Electron, the built app, and a script that starts the one with the other as nobody. */
function layOut(folder: string): Program {
  const runtime = path.join(folder, 'electron');
  const linked = spawnSync('cp', ['-al', ensureElectron().dist, runtime]);
  if (linked.status !== 0) cpSync(ensureElectron().dist, runtime, { recursive: true }); // another file system
  const root = path.join(folder, 'app');
  cpSync(path.join(ROOT, 'package.json'), path.join(root, 'package.json'));
  for (const part of ['main', 'preload', 'renderer'])
    cpSync(path.join(ROOT, 'dist', part), path.join(root, 'dist', part), { recursive: true });
  const script = path.join(folder, 'start');
  const start = `exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups`;
  writeFileSync(script, `#!/bin/sh\n${start} '${runtime}/electron' "$@"\n`, { mode: 0o755 });
  return { path: script, switches: electronArgs({ test: true }).filter((one) => one !== '--no-sandbox'), root };
}

/** The right to use the display is in a file that only root may read. */
function displayOf(home: string): Readonly<Record<string, string>> {
  const authority = process.env['XAUTHORITY'];
  if (authority === undefined) return {};
  const copy = path.join(home, 'Xauthority');
  copyFileSync(authority, copy);
  chownSync(copy, NOBODY, NOBODY);
  return { XAUTHORITY: copy };
}
