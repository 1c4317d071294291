// Servers that people have described to other clients already: their configurations, read and written in each client's own
// form. Everything here is a function of texts; what is on the disk is in find.ts.
import {
  CONFIG_TITLES,
  type ConfigFile,
  type ConfigForm,
  type ConfigInput,
  type ConfiguredServer,
  serverSpec,
  withoutSecrets,
} from '../../../app/contract/server';
import { claudeCode } from './claude-code';
import { claudeDesktop } from './claude-desktop';
import { codex } from './codex';
import { cursor } from './cursor';
import type { Outcome } from './entry';
import type { Context, Exported, Form, WriteOptions, Written } from './form';
import { askedIn, withAsked } from './holes';
import { ConfigError, type ConfigText, isTable, jsonText, tomlText } from './text';
import { vscode } from './vscode';
import { windsurf } from './windsurf';
import { zed } from './zed';

export type { Context, Exported, Where, WriteOptions, Written } from './form';
export { ConfigError } from './text';

/** Every form; a new one is a file of its own, and its line here. */
export const FORMS: readonly Form[] = [claudeDesktop, claudeCode, vscode, cursor, windsurf, zed, codex];

/** A configuration as it was read. Its servers have the values of their secrets: see `shown` for what a window may have. */
export interface ReadConfig {
  readonly form: ConfigForm;
  readonly servers: readonly ConfiguredServer[];
  /** Entries that are no servers as they stand, by name, each with what is wrong. */
  readonly broken: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads a configuration. Nothing is run, and nothing is looked up but what `context` has.
 * @param path where the text comes from: for messages, and for the folders that it speaks of
 * @throws ConfigError in one line (file, line, field) when the text is broken, or is no configuration that is known
 */
export function readConfig(path: string, text: string, context: Context): ReadConfig {
  const config = isToml(path, text) ? tomlText(path, text) : jsonText(path, text);
  const form = formOf(config);
  const outcomes = named(form.read(config, context));
  const servers = outcomes.filter((outcome): outcome is ConfiguredServer => 'spec' in outcome);
  const broken = outcomes.flatMap((outcome) => ('spec' in outcome ? [] : [[outcome.name, outcome.broken] as const]));
  return { form: form.form, servers, broken: Object.fromEntries(broken) };
}

/**
 * Writes servers in a client's form, into a text that is there already or into a new one.
 * @throws ConfigError when what is there is broken, or cannot be added to
 */
export function writeConfig(form: ConfigForm, servers: readonly Exported[], options: Partial<WriteOptions> = {}): Written {
  const { into, path = CONFIG_TITLES[form], secrets = false } = options;
  return formNamed(form).write(servers, { into, path, secrets });
}

/** What a window may be told of a configuration: everything but the values of secrets. */
export const shown = (path: string, { form, servers, broken }: ReadConfig): ConfigFile => ({
  form,
  path,
  servers: servers.map((server) => ({ ...server, spec: withoutSecrets(server.spec), inputs: server.inputs.map(withoutValue) })),
  problems: Object.values(broken).flat(),
});

const withoutValue = (input: ConfigInput): ConfigInput =>
  input.password && input.default !== undefined ? { ...input, default: '' } : input;

export interface WithInputs {
  readonly spec: ConfiguredServer['spec'];
  /** Values that are still asked for. */
  readonly missing: readonly ConfigInput[];
}

/**
 * A server with the values that it asks for filled in: those given, else those that the file has as a default.
 * @param given by id
 * @throws ConfigError when an address is none with them
 */
export function withInputs({ name, spec, inputs }: ConfiguredServer, given: Readonly<Record<string, string>>): WithInputs {
  const value = (id: string): string | undefined =>
    Object.hasOwn(given, id) ? given[id] : inputs.find((input) => input.id === id)?.default;
  const fill = (text: string): string => withAsked(text, value);
  const filled = mapped(spec, fill);
  const open = new Set(textsOf(filled).flatMap(askedIn));
  const missing = inputs.filter(({ id }) => open.has(id));
  if (missing.length === 0 && !serverSpec.safeParse(filled).success)
    throw new ConfigError(`${name}: expected an http:// or https:// address once its values are filled in, got something else`);
  return { spec: filled, missing };
}

function mapped(spec: ConfiguredServer['spec'], fill: (text: string) => string): ConfiguredServer['spec'] {
  const values = (table: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(table).map(([name, text]) => [name, fill(text)]));
  switch (spec.kind) {
    case 'stdio': {
      const cwd = spec.cwd === undefined ? undefined : fill(spec.cwd);
      return { ...spec, command: fill(spec.command), args: spec.args.map(fill), cwd, env: values(spec.env) };
    }
    case 'http':
      return { ...spec, url: fill(spec.url), headers: values(spec.headers) };
  }
}

const textsOf = (spec: ConfiguredServer['spec']): readonly string[] =>
  spec.kind === 'stdio'
    ? [spec.command, ...spec.args, ...(spec.cwd === undefined ? [] : [spec.cwd]), ...Object.values(spec.env)]
    : [spec.url, ...Object.values(spec.headers)];

export function formNamed(form: ConfigForm): Form {
  const known = FORMS.find((one) => one.form === form);
  if (!known) throw new Error(`No form is called ${form}.`);
  return known;
}

const isToml = (path: string, text: string): boolean =>
  /\.toml$/i.test(path) || (!/\.jsonc?$/i.test(path) && !/^\uFEFF?(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*\{/.test(text));

const KEYS = 'mcpServers, servers, context_servers, or in TOML [mcp_servers.NAME]';

/** By what is in it; by its name where the same could be in several. */
function formOf({ path, root }: ConfigText): Form {
  if (root['mcp_servers'] !== undefined) return codex;
  if (root['context_servers'] !== undefined) return zed;
  if (root['servers'] !== undefined || (isTable(root['mcp']) && root['mcp']['servers'] !== undefined)) return vscode;
  const byName = FORMS.find((form) => form.named(path));
  if (root['mcpServers'] !== undefined) return byName && KIN.includes(byName) ? byName : byHabit(root['mcpServers']);
  if (byName) return byName;
  const keys = Object.keys(root);
  throw new ConfigError(
    `${path}:1: expected servers by name under ${KEYS}, got ${keys.length === 0 ? 'nothing' : `the keys ${keys.slice(0, 8).join(', ')}`}`,
  );
}

/** Those that all say `mcpServers`. */
const KIN: readonly Form[] = [claudeDesktop, claudeCode, cursor, windsurf];

/** Who writes servers so: only one says `serverUrl`, only one says its variables without `env:`. */
function byHabit(servers: unknown): Form {
  const text = JSON.stringify(servers);
  if (/"serverUrl":|\$\{file:/.test(text)) return windsurf;
  if (/\$\{(?:env:|userHome|workspaceFolder)/.test(text)) return cursor;
  if (/\$\{[A-Za-z_]\w*(?::-[^}]*)?\}|"type":"(?:http|sse|stdio)"/.test(text)) return claudeCode;
  return claudeDesktop;
}

/** A person's file may have a server of the same name for several projects: a later one is told apart by a number. */
function named(outcomes: readonly Outcome[]): readonly Outcome[] {
  const taken = new Set<string>();
  return outcomes.map((outcome) => {
    let name = outcome.name;
    for (let number = 2; taken.has(name); number++) name = `${outcome.name}-${number}`;
    taken.add(name);
    if (name === outcome.name) return outcome;
    return 'spec' in outcome ? { ...outcome, name, spec: { ...outcome.spec, title: name } } : { ...outcome, name };
  });
}
