// `<server>` on the command line: `demo` (`demo:http` and its kin over another wire), an address, a quoted command line, or `name@config.json`, the form in which desktop clients
// keep their servers.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import parseArgv from 'string-argv';
import { z } from 'zod';
import { demoWord, type ServerSpec } from '../../app/contract/server';
import { meant } from '../../app/scenario/nearest';
import { DEMO_WIRES } from '../../app/wire/frame';
import { plain } from '../host/why';
import { type CliError, wrongInput } from './exit';

export interface ServerWordOptions {
  /** Added to the server's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Sent with every request to a server at an address. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws CliError saying what was expected and what was seen */
export function serverOf(given: string, options: ServerWordOptions): ServerSpec {
  const { env, cwd } = options;
  const demo = demoOf(given);
  if (demo) {
    onlyForAddress(options);
    if (cwd !== undefined || Object.keys(env).length > 0) throw demoHasNone();
    return demo;
  }
  if (/^https?:\/\//i.test(given)) return atAddress(given, options);
  onlyForAddress(options);
  const [, name, file] = /^([^\s@/\\]+)@(.+\.json)$/i.exec(given) ?? [];
  const folder = cwd === undefined ? undefined : path.resolve(cwd);
  if (name !== undefined && file !== undefined) return fromConfig(name, file, env, folder);
  const [command, ...args] = parseArgv(given);
  if (command === undefined)
    throw wrongInput('<server>: expected demo, an address, a quoted command line or name@config.json, got an empty word');
  return { kind: 'stdio', command, args, cwd: folder, env, watch: [] };
}

/** `demo`, or `demo:WIRE`. */
function demoOf(given: string): ServerSpec | undefined {
  if (given === 'demo') return { kind: 'demo' };
  const over = DEMO_WIRES.find((wire) => given === demoWord(wire));
  if (over !== undefined) return { kind: 'demo', over };
  if (!given.startsWith('demo:')) return undefined;
  throw wrongInput(`<server>: expected demo, or over another wire one of ${DEMO_WIRES.map(demoWord).join(', ')}, got ${given}`);
}

function atAddress(url: string, { env, cwd, headers }: ServerWordOptions): ServerSpec {
  if (!URL.canParse(url)) throw wrongInput(`<server>: expected an address such as http://127.0.0.1:3000/mcp, got “${url}”`);
  if (cwd !== undefined || Object.keys(env).length > 0) throw addressHasNone();
  return { kind: 'http', url, transport: 'auto', headers: { ...headers } };
}

function onlyForAddress({ headers }: Pick<ServerWordOptions, 'headers'>): void {
  if (Object.keys(headers).length > 0) throw noHeaders();
}

/** What is said where headers are given to a server that is not spoken to over HTTP. */
export const noHeaders = (): CliError =>
  wrongInput('--header: expected it with an address (http://…), got a server that is spoken to over its pipes');

/** What is said where an address is to be given what only a process has. */
export const addressHasNone = (): CliError => wrongInput('--env and --cwd: expected them with a command line, got an address');

/** What is said where the demo is to be given what only a command line has. */
export const demoHasNone = (): CliError => wrongInput('--env and --cwd: expected them with a server of yours, got the demo');

const entry = z.object({
  command: z.string().optional(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
  url: z.string().optional(),
});
const servers = z.record(z.string(), z.unknown());
const config = z.object({ mcpServers: servers.optional(), servers: servers.optional() });

function fromConfig(name: string, file: string, env: Readonly<Record<string, string>>, cwd: string | undefined): ServerSpec {
  const known = readConfig(file);
  const found = Object.hasOwn(known, name) ? entry.safeParse(known[name]) : undefined;
  if (!found)
    throw wrongInput(
      `${file}: expected one of its servers (${Object.keys(known).join(', ')}), got “${name}”${meant(name, Object.keys(known))}`,
    );
  if (!found.success) {
    const [issue] = found.error.issues;
    throw wrongInput(`${file}: ${name}.${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { command, args, env: own, cwd: folder, url } = found.data;
  if (command === undefined)
    throw wrongInput(
      url === undefined
        ? `${file}: ${name}: expected the key command, got neither command nor url`
        : `${file}: ${name}: expected a server with command, got a url: give the address itself in its place`,
    );
  return { kind: 'stdio', command, args, cwd: cwd ?? folder, env: { ...own, ...env }, watch: [], title: name };
}

function readConfig(file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw wrongInput(`${file}: expected a JSON file that can be read, got ${plain(error)}`);
  }
  const read = config.safeParse(value);
  const known = read.success ? (read.data.mcpServers ?? read.data.servers) : undefined;
  if (!known) throw wrongInput(`${file}: expected the key mcpServers or servers, with servers by name`);
  return known;
}
