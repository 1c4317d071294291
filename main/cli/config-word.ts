// `name@file` on the command line: a server that is described to another client already. Who names it so has agreed to it;
// what is started is said all the same, since the command stands in the file and not on the command line.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { type ConfigInput, type ConfiguredServer, type ServerSpec, withSecrets } from '../../app/contract/server';
import { meant } from '../../app/scenario/nearest';
import { ConfigError, type ReadConfig, readConfig, withInputs } from '../store/configs/configs';
import { textOf } from '../store/configs/find';
import { askedIn } from '../store/configs/holes';
import { plain } from '../store/disk';
import { type CliError, wrongInput } from './exit';
import { addressHasNone, noHeaders, type ServerWordOptions } from './server-options';

export interface ConfigWord {
  readonly name: string;
  readonly file: string;
}

/** Takes a word apart; one with spaces in it is a command line, unless there is such a file. */
export function configWord(given: string): ConfigWord | undefined {
  const [, name, file] = /^(.+)@([^@]+\.(?:jsonc?|toml))$/is.exec(given) ?? [];
  if (name === undefined || file === undefined) return undefined;
  return /\s|[/\\]/.test(name) && !existsSync(file) ? undefined : { name, file };
}

/** @throws CliError naming file and line; the servers that there are; the values that are lacking and how to give them */
export function serverFromConfig({ name, file }: ConfigWord, options: ServerWordOptions): ServerSpec {
  const config = openConfig(file);
  const server = config.servers.find((one) => one.name === name);
  if (!server) throw notThere(name, file, config);
  const asking = withOptions(server, options);
  const { spec, missing } = filledIn(asking, options.inputs, file);
  if (missing.length > 0) throw lacking(server, missing, file);
  for (const problem of server.problems) options.said.warn(problem);
  // As it stands in the file: values that were given for it may be secrets.
  if (asking.spec.kind === 'stdio') options.said.progress(`${file}: ${name}: ${[asking.spec.command, ...asking.spec.args].join(' ')}`);
  return { ...spec, importedFrom: undefined };
}

function openConfig(file: string): ReadConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw wrongInput(`${file}: expected a configuration that can be read, but ${plain(error)}`);
  }
  return inWords(() => readConfig(file, text, { home: homedir(), cwd: process.cwd(), env: process.env, file: textOf }));
}

function inWords<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof ConfigError ? wrongInput(error.message) : error;
  }
}

function notThere(name: string, file: string, { servers, broken }: ReadConfig): CliError {
  const faults = Object.hasOwn(broken, name) ? broken[name] : undefined;
  if (faults) return wrongInput(faults.length > 1 ? `${faults[0]} (and ${faults.length - 1} more)` : String(faults[0]));
  const known = servers.map((server) => server.name);
  return wrongInput(`${file}: expected one of its servers (${known.join(', ') || 'it has none'}), got “${name}”${meant(name, known)}`);
}

/** What the command line says goes before what the file says. */
function withOptions(server: ConfiguredServer, { env, cwd, headers }: ServerWordOptions): ConfiguredServer {
  const { spec } = server;
  switch (spec.kind) {
    case 'stdio': {
      if (Object.keys(headers).length > 0) throw noHeaders();
      const folder = cwd === undefined ? spec.cwd : path.resolve(cwd);
      return { ...server, spec: { ...withSecrets(spec, { ...spec.env, ...env }), cwd: folder } };
    }
    case 'http':
      if (cwd !== undefined || Object.keys(env).length > 0) throw addressHasNone();
      return { ...server, spec: withSecrets(spec, { ...spec.headers, ...headers }) };
  }
}

function filledIn(server: ConfiguredServer, given: Readonly<Record<string, string>>, file: string): ReturnType<typeof withInputs> {
  const known = server.inputs.map(({ id }) => id);
  const stray = Object.keys(given).find((id) => !known.includes(id));
  if (stray !== undefined)
    throw wrongInput(
      known.length === 0
        ? `--input: ${file}: ${server.name} asks for no value, got “${stray}”`
        : `--input: ${file}: ${server.name} asks for ${known.join(', ')}, got “${stray}”${meant(stray, known)}`,
    );
  return inWords(() => withInputs(server, given));
}

function lacking({ name, spec }: ConfiguredServer, missing: readonly ConfigInput[], file: string): CliError {
  const asks = missing.map(({ id, description }) => `“${id}” (${description})`).join(', ');
  const ways = missing.map(({ id }) => `--input ${id}=VALUE${otherWay(spec, id)}`).join(', ');
  return wrongInput(`${file}: ${name}: expected a value for ${asks}, got none: give it with ${ways}`);
}

/** A whole variable or header can be given instead of the value that it is made of. */
function otherWay(spec: ConfiguredServer['spec'], id: string): string {
  const of = (values: Readonly<Record<string, string>>): string | undefined =>
    Object.keys(values).find((key) => askedIn(values[key] ?? '').includes(id));
  const key = of(spec.kind === 'stdio' ? spec.env : spec.headers);
  if (key === undefined) return '';
  return spec.kind === 'stdio' ? ` or --env ${key}=VALUE` : ` or --header '${key}: VALUE'`;
}
