// The built app, started as a person starts it and driven through Playwright. A run has a data folder of its own, keeps
// what the page and the processes complain of, and at its end looks whether anything was left running.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Settings, settings } from '../../app/contract/host';
import type { Frame } from '../../app/wire/frame';
import { MARK_VARIABLE } from '../../main/transports/family';
import { electronArgs, ensureElectron } from '../../scripts/electron-runtime.mjs';
import { lives, readFrames, traceFiles } from './trace';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** How long to wait for what must come. Far longer than it takes: only a failing test waits so long. */
export const PATIENCE_MS = 30_000;
export const PATIENT = { timeout: PATIENCE_MS, interval: 50 } as const;

/** In the environment of every process of one run. */
const MARK = 'STOPGAP_TEST_RUN';

export interface LaunchOptions {
  /** A data folder to go on with; a new one when absent. */
  readonly userData?: string;
  /** What is remembered from an earlier start, for a new data folder. The guided race is put away unless said otherwise. */
  readonly settings?: Partial<Settings>;
  /** Further arguments for the app. */
  readonly args?: readonly string[];
  /** What to run instead of Electron with the usual switches, and where the built app lies. */
  readonly program?: Program;
  readonly env?: Readonly<Record<string, string>>;
}

/** An executable that takes Electron's arguments, its switches, and the folder of the built app. */
export interface Program {
  readonly path: string;
  readonly switches: readonly string[];
  readonly root: string;
}

export interface App {
  readonly electron: ElectronApplication;
  readonly page: Page;
  readonly userData: string;
  /** Errors in the page's console, and uncaught ones. */
  readonly errors: readonly string[];
  /** What the app and its processes have printed. */
  printed(): string;
  /** Process id of the session host. */
  hostPid(): Promise<number>;
  /** The newest trace file. */
  traceFile(): string;
  /** Every frame of the newest trace file. */
  frames(): readonly Frame[];
  /** What is remembered now. */
  settings(): Settings;
  /** Ends the app as a person does. Fails on errors in the page, and on processes left behind. */
  close(): Promise<void>;
  /** kill -9 of the app's main process. Resolves when no process of the run is left. */
  kill(): Promise<void>;
}

const running = new Set<App>();
const folders = new Set<string>();

/** A folder for this run's files, removed by `cleanUp`. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), `stopgap-${name}-`));
  folders.add(folder);
  return folder;
}

/** For `afterEach`: ends what a failed test has left running, removes the folders. */
export async function cleanUp(): Promise<void> {
  for (const app of running) await app.kill();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  folders.clear();
}

/** Starts the app and waits until its page is there. */
export async function launch(options: LaunchOptions = {}): Promise<App> {
  const userData = options.userData ?? newUserData(options.settings ?? { welcomeDismissed: true });
  const mark = randomUUID();
  const program = options.program ?? { path: ensureElectron().path, switches: electronArgs({ test: true }), root: ROOT };
  const electron = await _electron.launch({
    executablePath: program.path,
    chromiumSandbox: !program.switches.includes('--no-sandbox'), // else Playwright switches it off by itself
    args: [...program.switches, program.root, ...(options.args ?? [])],
    env: { ...environment(), STOPGAP_USER_DATA: userData, [MARK]: mark, ...options.env },
    timeout: 2 * PATIENCE_MS,
  });
  const printed: string[] = [];
  for (const stream of [electron.process().stdout, electron.process().stderr]) stream?.on('data', (chunk) => printed.push(String(chunk)));
  const page = await electron.firstWindow({ timeout: PATIENCE_MS });
  page.setDefaultTimeout(PATIENCE_MS);
  const errors = complaints(page);
  const traces = path.join(userData, 'traces');
  const traceFile = (): string => {
    const file = traceFiles(traces).at(-1);
    if (file === undefined) throw new Error(`Expected a trace file in ${traces}, found none. Printed: ${printed.join('')}`);
    return file;
  };
  const frames = () => readFrames(traceFile());

  const app: App = {
    electron,
    page,
    userData,
    errors,
    printed: () => printed.join(''),
    traceFile,
    frames,
    hostPid: () => hostPid(electron),
    settings: () => settings.parse(JSON.parse(readFileSync(path.join(userData, 'settings.json'), 'utf8'))),
    async close() {
      // A window that is closed before its first server is connected has recorded nothing.
      const recorded = traceFiles(traces).length === 0 ? [] : frames();
      const servers = lives(recorded).flatMap((life) => (life.event === 'started' ? [life.pid] : []));
      const marks = [`${MARK}=${mark}`, ...servers.flatMap(serverMark)];
      await electron.close();
      running.delete(app);
      expect(errors, 'errors in the page').toEqual([]);
      await expect
        .poll(() => [...bearing(marks), ...servers.filter(isAlive)], { ...PATIENT, message: 'processes left behind' })
        .toEqual([]);
    },
    async kill() {
      running.delete(app);
      const gone = new Promise((resolve) => electron.process().once('close', resolve));
      electron.process().kill('SIGKILL');
      await gone;
      await expect.poll(() => bearing([`${MARK}=${mark}`]), { ...PATIENT, message: 'processes left behind by a kill' }).toEqual([]);
    },
  };
  running.add(app);
  return app;
}

function newUserData(known: Partial<Settings>): string {
  const folder = temporaryFolder('data');
  writeFileSync(path.join(folder, 'settings.json'), JSON.stringify(settings.parse(known)));
  return folder;
}

/** Without what would make Electron or its children behave otherwise than for a person. */
function environment(): Record<string, string> {
  const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, VITEST: ___, NODE_ENV: ____, ...rest } = process.env;
  return Object.fromEntries(Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function complaints(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
  return errors;
}

async function hostPid(electron: ElectronApplication): Promise<number> {
  const found = await electron.evaluate(({ app }) =>
    app
      .getAppMetrics()
      .filter(({ name }) => name === 'stopgap host')
      .map(({ pid }) => pid),
  );
  const [pid] = found;
  if (pid === undefined || found.length > 1) throw new Error(`Expected one host process, found ${found.length}.`);
  return pid;
}

/** What a server's processes inherit from it, so that its children are found when it is gone. Linux only, as all of /proc. */
const serverMark = (pid: number): readonly string[] => environmentOf(pid).filter((entry) => entry.startsWith(`${MARK_VARIABLE}=`));

/** The processes that bear one of these entries in their environment and are not merely waiting to be collected. */
function bearing(marks: readonly string[]): readonly string[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => environmentOf(pid).some((entry) => marks.includes(entry)))
    .map((pid) => `${pid} ${readProc(pid, 'cmdline').join(' ')}`);
}

const environmentOf = (pid: number | string): readonly string[] => readProc(pid, 'environ');

/** Empty for another user's process, and for one that is gone or only waits to be collected. */
function readProc(pid: number | string, file: 'environ' | 'cmdline'): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  if (process.platform === 'linux') return readProc(pid, 'cmdline').some((word) => word !== '');
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
