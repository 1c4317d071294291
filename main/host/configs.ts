// Servers that people have described to other clients: found, read, taken over as saved ones, written back. Nothing here
// starts anything. Values of secrets stay on this side: the window gets their names, and dots where they are written out.
import { chmod, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { z } from 'zod';
import type { REQUESTS, Request, Results, Settings, WrittenConfig } from '../../app/contract/host';
import { type ConfiguredServer, secretsOf, serverKey, withSecrets } from '../../app/contract/server';
import { meant } from '../../app/scenario/nearest';
import { ConfigError, type Exported, type ReadConfig, shown, withInputs, writeConfig } from '../store/configs/configs';
import { findConfigs, openConfig, readFound } from '../store/configs/find';
import { codeOf, plain, replaceFile } from '../store/disk';
import type { Secrets } from '../store/secrets';
import { titleOf } from './commands';
import { completed } from './server-secrets';

/** Where configurations are looked for, and what they are read with. */
export interface ConfigPlace {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Stands for the folder that a client would have opened, for a file that belongs to none. */
  readonly cwd: string;
}

/** This computer, as this person has it. */
export const thisPlace = (): ConfigPlace => ({
  home: homedir(),
  platform: process.platform,
  env: process.env,
  cwd: process.cwd(),
});

export interface ConfigsOptions {
  readonly place: ConfigPlace;
  readonly settings: () => Settings;
  readonly secrets: Secrets;
  /** Saves a description with its secrets. @returns its id */
  readonly save: (spec: ConfiguredServer['spec']) => Promise<string>;
}

type ConfigRequest = Extract<Request, `config.${string}`>;
type Given<R extends ConfigRequest> = z.output<(typeof REQUESTS)[R]>;
export type ConfigHandlers = { readonly [R in ConfigRequest]: (params: Given<R>) => Promise<Results[R]> };

export const configHandlers = (options: ConfigsOptions): ConfigHandlers => ({
  'config.find': async ({ folders }) => {
    const found = await findConfigs({ ...options.place, folders });
    return { files: await readFound(found, options.place), looked: found.map((place) => place.path) };
  },
  'config.read': async ({ path: file }) => shown(file, await openConfig(whole(file), options.place)),
  'config.import': (params) => taken(params, options),
  'config.write': (params) => written(params, options),
});

/** A path from a window belongs to no folder that somebody could have meant. */
function whole(file: string): string {
  if (path.isAbsolute(file)) return file;
  throw new ConfigError(`Expected the whole path of a file, got “${file}”.`);
}

/** Takes servers over: all of them, or none where one cannot be. */
async function taken({ path: file, names, inputs }: Given<'config.import'>, options: ConfigsOptions): Promise<Results['config.import']> {
  const config = await openConfig(whole(file), options.place);
  const specs = names.map((name) => filledIn(serverOf(config, name, file), inputs, file));
  const ids: string[] = [];
  for (const spec of specs) ids.push(await options.save({ ...spec, id: idBefore(spec, options.settings()) }));
  return { ids };
}

function serverOf({ servers, broken }: ReadConfig, name: string, file: string): ConfiguredServer {
  const server = servers.find((one) => one.name === name);
  if (server) return server;
  const [fault] = Object.hasOwn(broken, name) ? (broken[name] ?? []) : [];
  const known = servers.map((one) => one.name);
  throw new ConfigError(
    fault ?? `${file}: expected one of its servers (${known.join(', ') || 'it has none'}), got “${name}”${meant(name, known)}.`,
  );
}

function filledIn(server: ConfiguredServer, inputs: Readonly<Record<string, string>>, file: string): ConfiguredServer['spec'] {
  const { spec, missing } = withInputs(server, inputs);
  if (missing.length === 0) return spec;
  const asks = missing.map(({ id, description }) => `“${id}” (${description})`).join(', ');
  throw new ConfigError(`${file}: ${server.name}: expected a value for ${asks}, got none. Enter it, or leave this server out.`);
}

/** The id of a server that was taken over from the same place: it is the same one, as the file has it now. */
const idBefore = ({ importedFrom, title }: ConfiguredServer['spec'], { savedServers }: Settings): string | undefined =>
  savedServers.flatMap((saved) =>
    saved.kind !== 'demo' && saved.importedFrom === importedFrom && saved.title === title ? (saved.id ?? []) : [],
  )[0];

async function written(params: Given<'config.write'>, options: ConfigsOptions): Promise<WrittenConfig> {
  const { form, ids, path: given, secrets, preview } = params;
  const file = given === undefined ? undefined : whole(given);
  const servers = await exported(ids, options);
  const into = file === undefined ? undefined : await thereAlready(file);
  const how = { into, secrets, ...(file === undefined ? {} : { path: file }) };
  const { text, ...told } = writeConfig(form, secrets ? servers.map(withDots) : servers, how);
  if (file !== undefined && !preview) await replace(file, secrets ? writeConfig(form, servers, how).text : text);
  return { ...told, ...(into === undefined ? { text, line: undefined } : changed(into, text)) };
}

/** What a file holds; undefined where there is none. One that cannot be read is none to write over. */
async function thereAlready(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(`${file}: expected a configuration that can be read, but ${plain(error)}`);
  }
}

/** Saved servers with their secrets, each under a name of its own. */
async function exported(ids: readonly string[], { settings, secrets }: ConfigsOptions): Promise<readonly Exported[]> {
  const taken = new Set<string>();
  const servers: Exported[] = [];
  for (const id of ids) {
    const saved = settings().savedServers.find((spec) => serverKey(spec) === id);
    if (!saved || saved.kind === 'demo') throw new ConfigError('One of these servers is not saved any more. Open this list again.');
    const title = titleOf(saved);
    let name = title;
    for (let number = 2; taken.has(name); number++) name = `${title}-${number}`;
    taken.add(name);
    servers.push({ name, spec: await completed(secrets, saved) });
  }
  return servers;
}

const DOTS = '••••••';

/** A server whose values can be told from those that are not known, and from nothing else. */
const withDots = (server: Exported): Exported => ({
  ...server,
  spec: withSecrets(
    server.spec,
    Object.fromEntries(Object.entries(secretsOf(server.spec)).map(([name, value]) => [name, value === '' ? '' : DOTS])),
  ),
});

/**
 * What changes of a text, in whole lines: what a file has on its other lines may be somebody’s secret, and is not shown.
 * @returns `line`: the first of them, counted from 1
 */
export function changed(before: string, after: string): { readonly text: string; readonly line: number } {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && old[first] === now[first]) first++;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === now.at(-1 - last)) last++;
  return { text: now.slice(first, now.length - last).join('\n'), line: first + 1 };
}

/** Writes where the file really is, and leaves it to those who could read it before. */
async function replace(file: string, text: string): Promise<void> {
  try {
    const [real, mode] = await realpath(file).then(
      async (there) => [there, (await stat(there)).mode] as const,
      (error: unknown) => {
        if (codeOf(error) === 'ENOENT') return [file, undefined] as const;
        throw error;
      },
    );
    await replaceFile(real, text);
    if (mode !== undefined) await chmod(real, mode & 0o777);
  } catch (error) {
    throw new ConfigError(`${file} could not be written: ${plain(error)}`);
  }
}
