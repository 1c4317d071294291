// The command line as a process of its own, laid out as in an installed package: the built scripts, and a manifest around.
import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildEntry } from '../build.testing';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Cli {
  /** A folder for the test's own files. */
  readonly folder: string;
  run(words: readonly string[], more?: { readonly env?: Record<string, string> }): Promise<Ended>;
  /** Runs, and sends a signal once stderr says something. */
  interrupt(words: readonly string[], said: string, signal: NodeJS.Signals): Promise<Ended>;
  end(): Promise<void>;
}

export const example = (name: string): string => path.join(root, 'docs/examples', `${name}.yaml`);

/** @returns the folder, and the script to run */
export async function install(): Promise<{ readonly folder: string; readonly script: string }> {
  // Below the checkout's node_modules: packages with binaries are found there, as beside an installed package.
  const folder = await mkdtemp(path.join(path.dirname(await buildEntry('main/cli/main.ts')), 'installed-'));
  const scripts = path.join(folder, 'dist/main');
  await mkdir(scripts, { recursive: true });
  await copyFile(await buildEntry('main/cli/main.ts'), path.join(scripts, 'cli.js'));
  await copyFile(await buildEntry('main/demo/server.ts'), path.join(scripts, 'demo.js'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'stopgap', version: '0.0.0-test', type: 'module' }));
  return { folder, script: path.join(scripts, 'cli.js') };
}

export async function installedCli(): Promise<Cli> {
  const { folder, script } = await install();

  const start = (words: readonly string[], env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [script, ...words], {
      cwd: folder,
      env: { ...process.env, COLUMNS: '100', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const seen = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      seen.err += text;
    });
    const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...seen })));
    return { child, seen, ended };
  };

  return {
    folder,
    run: (words, { env } = {}) => start(words, env).ended,
    interrupt(words, said, signal) {
      const { child, seen, ended } = start(words);
      let sent = false;
      child.stderr.on('data', () => {
        if (!sent && seen.err.includes(said)) sent = child.kill(signal);
      });
      return ended;
    },
    end: () => rm(folder, { recursive: true, force: true }),
  };
}
