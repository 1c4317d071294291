// `<server>` on the command line: `demo` (`demo:http` and its kin over another wire), an address, `name@file` (a server of
// another client's configuration), or a quoted command line.
import path from 'node:path';
import parseArgv from 'string-argv';
import { demoWord, type ServerSpec } from '../../app/contract/server';
import { DEMO_WIRES } from '../../app/wire/frame';
import { configWord, serverFromConfig } from './config-word';
import { wrongInput } from './exit';
import { addressHasNone, asksForNothing, demoHasNone, noHeaders, type ServerWordOptions } from './server-options';

/** @throws CliError saying what was expected and what was seen */
export function serverOf(given: string, options: ServerWordOptions): ServerSpec {
  const { env, cwd } = options;
  const word = configWord(given);
  if (word) return serverFromConfig(word, options);
  if (Object.keys(options.inputs).length > 0) throw asksForNothing();
  const demo = demoOf(given);
  if (demo) {
    onlyForAddress(options);
    if (cwd !== undefined || Object.keys(env).length > 0) throw demoHasNone();
    return demo;
  }
  if (/^https?:\/\//i.test(given)) return atAddress(given, options);
  onlyForAddress(options);
  const folder = cwd === undefined ? undefined : path.resolve(cwd);
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
