// Servers that we did not write, installed from the registry by the package.json beside this file: what the product
// says about them is worth more than what it says about fixtures of our own.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules');

/** What to run for a stdio server: an executable and its arguments, no shell. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** @throws Error when the servers are not installed, saying how they come to be. */
function nodeServer(script: string, args: readonly string[] = []): StartCommand {
  const file = path.join(modules, script);
  if (!existsSync(file)) throw new Error(`Expected a server by others in ${file}, found nothing: run "npm test", which installs them.`);
  return { command: process.execPath, args: [file, ...args] };
}

/**
 * The reference server of many tools. `trigger-long-running-operation { duration: s, steps: n }` goes on reporting
 * progress after a cancel and then never answers.
 */
export const serverEverything = (): StartCommand => nodeServer('@modelcontextprotocol/server-everything/dist/index.js', ['stdio']);

/**
 * Writes files in the folders that it is given. `edit_file` on a FIFO waits for as long as nobody writes into the
 * FIFO, which makes a race that needs no delays.
 */
export const serverFilesystem = (...folders: readonly string[]): StartCommand =>
  nodeServer('@modelcontextprotocol/server-filesystem/dist/index.js', folders);

/** `run_command { command }` runs a shell; a cancel does not reach the command. */
export const serverCommands = (): StartCommand => nodeServer('mcp-server-commands/build/index.js');

/** Servers of ours upon libraries by others; they perform what their arguments say. @param where see test/truth/servers/effects.mjs */
export const serverSdkV2 = (where: readonly string[]): StartCommand => ownServer('sdk-v2.mjs', where);
export const serverTmcp = (where: readonly string[]): StartCommand => ownServer('tmcp.mjs', where);

const ownServer = (script: string, where: readonly string[]): StartCommand => ({
  command: process.execPath,
  args: [path.join(path.dirname(modules), script), ...where],
});

const ALERTMANAGER = path.join(modules, 'mcp-alertmanager-linux-amd64/bin/mcp-alertmanager-linux-amd64');

/** A binary, for one platform only. It asks an Alertmanager over HTTP; `createSilence { alertName, duration }` writes there. */
export const alertmanager = {
  /** Why it is not here, or undefined. */
  missing: (): string | undefined =>
    existsSync(ALERTMANAGER)
      ? undefined
      : `mcp-alertmanager is a binary for Linux on x64, and this is ${process.platform} on ${process.arch}`,
  start: (url: string): StartCommand => ({ command: ALERTMANAGER, args: ['--url', url] }),
};
