// Database servers refuse to run as root, and tests often do (containers, CI machines). What is started here runs as an
// ordinary user in any case, in a folder that this user owns.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
/** However slow the machine. */
const PATIENCE_MS = 100_000;

/** A temporary folder that the ordinary user can enter, and one in it that is the user's own. */
export interface Place {
  readonly folder: string;
  readonly own: string;
  remove(): void;
}

export function ordinaryPlace(name: string): Place {
  const folder = mkdtempSync(path.join(tmpdir(), `stopgap-${name}-`));
  const own = path.join(folder, 'own');
  mkdirSync(own, { mode: 0o700 });
  if (isRoot) {
    chmodSync(folder, 0o755);
    chownSync(own, NOBODY, NOBODY);
  }
  return { folder, own, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Hands a file over to the ordinary user. */
export function giveAway(file: string): void {
  if (isRoot) chownSync(file, NOBODY, NOBODY);
}

export interface Started {
  /** Ends it, and resolves when it has gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Runs a program to its end. @throws Error with what it said when it fails */
export async function runOrdinary(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const child = spawn(program, args, { ...identity, env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  const said = saying(child);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${path.basename(program)} failed with ${code}: ${said()}`);
}

/** Starts a program that goes on. Resolves once it has said that it is ready. */
export async function startOrdinary(
  program: string,
  args: readonly string[],
  ready: RegExp,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Started> {
  const child = spawn(program, args, { ...identity, env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  const said = saying(child);
  const gone = once(child, 'close');
  await new Promise<void>((resolve, reject) => {
    const give = (why: string): void => reject(new Error(`${path.basename(program)} ${why}: ${said()}`));
    const late = setTimeout(() => give(`was not ready within ${PATIENCE_MS} ms`), PATIENCE_MS);
    const look = (): void => {
      if (!ready.test(said())) return;
      clearTimeout(late);
      resolve();
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('error', reject);
    child.once('close', (code) => give(`ended with ${code}`));
  });
  return {
    async end(signal) {
      child.kill(signal);
      await gone;
    },
  };
}

function saying(child: ChildProcess): () => string {
  let said = '';
  const hear = (chunk: Buffer): void => {
    said += chunk.toString();
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  return () => said;
}

/** A port on loopback that is free. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('expected a port');
  return address.port;
}
