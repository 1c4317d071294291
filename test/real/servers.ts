// Servers that we did not write, installed from the registry by the package.json beside this file: what the product
// says about them is worth more than what it says about fixtures of our own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startHttp } from '../http.testing';

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
/** The one on the SDK's second version that speaks both eras. @param starts a file in which every start of it is a line */
export const serverBothEras = (where: readonly string[], starts: string): StartCommand => ownServer('sdk-v2-both.mjs', [...where, starts]);
export const serverTmcp = (where: readonly string[]): StartCommand => ownServer('tmcp.mjs', where);

const ownServer = (script: string, where: readonly string[]): StartCommand => ({
  command: process.execPath,
  args: [path.join(path.dirname(modules), script), ...where],
});

/** A server over HTTP, which runs. */
export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The reference server of many tools, over either transport. */
export const everythingOverHttp = (transport: 'streamableHttp' | 'sse'): Promise<RunningServer> => {
  const { args } = nodeServer('@modelcontextprotocol/server-everything/dist/index.js', [transport]);
  return startElsewhere(args, transport === 'sse' ? '/sse' : '/mcp');
};

export type SdkExample =
  | 'simpleStreamableHttp'
  | 'simpleStatelessStreamableHttp'
  | 'jsonResponseStreamableHttp'
  | 'sseAndStreamableHttpCompatibleServer'
  | 'simpleSseServer'
  | 'simpleTaskInteractive'
  | 'standaloneSseWithGetStreamableHttp'
  | 'ssePollingExample';

/** An example of the SDK's own. @param at the path of its endpoint */
export const sdkExample = (name: SdkExample, at = '/mcp'): Promise<RunningServer> =>
  startElsewhere([path.resolve(modules, '../../../node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server', `${name}.js`)], at);

/** Starts a server that has a port of its own choice, on another one. */
async function startElsewhere([script = '', ...args]: readonly string[], at: string): Promise<RunningServer> {
  const preload = pathToFileURL(path.join(path.dirname(modules), 'any-port.mjs')).href;
  const child = fork(script, args, { execArgv: ['--import', preload], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const exited = once(child, 'exit');
  const [{ port }] = (await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => Promise.reject(new Error(`${script} ended with code ${code} before it listened`))),
  ])) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${port}${at}`,
    async close() {
      child.disconnect();
      await exited;
    },
  };
}

/** Servers of ours upon the SDK's two versions, over HTTP. @param where see test/truth/servers/effects.mjs */
export const sdkV1Http = (
  where: readonly string[],
  mode: 'sessions' | 'json' | 'stateless' | 'resumable' | 'sse',
): Promise<RunningServer> => startHttp(process.execPath, [path.resolve(modules, '../../truth/servers/sdk-v1-http.mjs'), ...where, mode]);
/** The one on the SDK's first version over stdio. */
export const serverSdkV1 = (where: readonly string[]): StartCommand => ({
  command: process.execPath,
  args: [path.resolve(modules, '../../truth/servers/sdk-v1.mjs'), ...where],
});
export const sdkV2Http = (where: readonly string[]): Promise<RunningServer> => {
  const { command, args } = ownServer('sdk-v2-http.mjs', where);
  return startHttp(command, args);
};

/** Asks, tells news and wants headers, in the revision without a handshake; over either wire. */
export const serverNews = (): StartCommand => ownServer('sdk-v2-news.mjs', []);
export const newsOverHttp = (): Promise<RunningServer> => {
  const { command, args } = ownServer('sdk-v2-news.mjs', ['http']);
  return startHttp(command, args);
};

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
