// Codex: `[mcp_servers.NAME]` in `config.toml`. It refers to the environment by names of variables: `env_vars`,
// `bearer_token_env_var`, `env_http_headers`.
import path from 'node:path';
import { parse, stringify } from 'smol-toml';
import type { ConfigInput } from '../../../app/contract/server';
import { Entry, type Outcome } from './entry';
import { type Context, type Exported, type Form, pathsOf, projectOf, tail, type Where, type WriteOptions, type Written } from './form';
import { asked, type Hole, noHoles, type Sources, variableOf } from './holes';
import { Notes, outgoing, variableName, withReferences } from './outgoing';
import { ConfigError, type ConfigText, isTable, tomlLines, tomlText } from './text';

const SHELF = 'mcp_servers';

export const codex: Form = {
  form: 'codex',
  named: (file) => tail(file, 1) === 'config.toml',
  places: ({ home, platform, env, folders }: Where) => {
    const { join } = pathsOf(platform);
    return [
      join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
      ...folders.map((folder) => join(folder, '.codex', 'config.toml')),
    ];
  },
  read(config, context) {
    const entries = config.root[SHELF];
    if (entries === undefined) return [];
    if (!isTable(entries)) return [{ name: SHELF, broken: [`${config.at([SHELF])}: expected servers by name`] }];
    return Object.entries(entries).map(([name, value]) => readEntry(config, name, value, context));
  },
  write,
};

const IGNORED = {
  experimental_environment: 'Codex may run this server elsewhere; here it runs on this machine',
  bearer_token: 'Codex takes no token in this file: name a variable in bearer_token_env_var',
};

function readEntry(config: ConfigText, name: string, value: unknown, context: Context): Outcome {
  const project = projectOf(config.path, context.home);
  const sources: Sources = { home: context.home, workspace: project ?? context.cwd, env: context.env, inputs: [], file: () => undefined };
  const entry = new Entry(config, [SHELF, name], value, noHoles, sources);
  const [command, url] = [entry.text('command'), entry.text('url')];
  const disabled = entry.flag('enabled') === false;
  entry.ignores(IGNORED);
  if (command !== undefined) {
    const folder = entry.text('cwd');
    const cwd = folder === undefined ? project : path.resolve(sources.workspace, folder);
    const env = { ...forwarded(entry, sources), ...entry.values('env') };
    const spec = { kind: 'stdio' as const, command, args: entry.texts('args'), cwd, env, watch: [], title: name };
    return entry.outcome({ ...spec, importedFrom: config.path }, disabled);
  }
  if (url === undefined) {
    if (entry.faults.length === 0) entry.nothingToReach(['command', 'url']);
    return entry.outcome(undefined, disabled);
  }
  if (!/^https?:\/\//i.test(url)) entry.fault(['url'], 'expected an http:// or https:// address');
  const spec = { kind: 'http' as const, url, transport: 'http' as const, headers: headersOf(entry, sources), title: name };
  return entry.outcome({ ...spec, importedFrom: config.path }, disabled);
}

/** `env_vars`: variables that go on to the server, by name or as `{ name, source }`. */
function forwarded(entry: Entry, sources: Sources): Record<string, string> {
  const listed = entry.raw('env_vars');
  if (listed === undefined) return {};
  if (!Array.isArray(listed)) {
    entry.fault(['env_vars'], 'expected a list of names of variables');
    return {};
  }
  const names = listed.flatMap((item: unknown, index) => {
    const name = isTable(item) ? item['name'] : item;
    if (typeof name === 'string') return [name];
    entry.fault(['env_vars', index], 'expected the name of a variable');
    return [];
  });
  return Object.fromEntries(names.map((name) => [name, taken(entry, variableOf(name, sources))]));
}

function headersOf(entry: Entry, sources: Sources): Record<string, string> {
  const token = entry.text('bearer_token_env_var');
  const named = Object.entries(entry.values('env_http_headers')).map(([header, name]) => [header, taken(entry, variableOf(name, sources))]);
  return {
    ...entry.values('http_headers'),
    ...Object.fromEntries(named),
    ...(token === undefined ? {} : { Authorization: `Bearer ${taken(entry, variableOf(token, sources))}` }),
  };
}

/** A variable's value, or the place where it will be filled in when the person has been asked. */
function taken(entry: Entry, hole: Hole): string {
  if ('fill' in hole) return hole.fill;
  if ('says' in hole) return '';
  entry.inputs.push(hole.ask);
  return asked(hole.ask.id);
}

function write(servers: readonly Exported[], { into = '', path: file, secrets }: WriteOptions): Written {
  const notes = new Notes();
  let text = into;
  for (const server of servers) text = withEntry(file, text, server.name, entryOf(server, secrets, notes));
  return notes.done(text);
}

type Toml = Record<string, unknown>;

function entryOf(server: Exported, secrets: boolean, notes: Notes): Toml {
  const placed = (text: string): string => withReferences(server, text, (input) => notes.placeholder(input));
  const { spec } = server;
  const enabled = server.disabled ? { enabled: false } : {};
  switch (spec.kind) {
    case 'stdio': {
      const { env, env_vars } = variables(server, spec.env, secrets, notes);
      return {
        command: placed(spec.command),
        ...(spec.args.length === 0 ? {} : { args: spec.args.map(placed) }),
        ...(spec.cwd === undefined ? {} : { cwd: placed(spec.cwd) }),
        ...(env_vars.length === 0 ? {} : { env_vars }),
        ...enabled,
        ...(Object.keys(env).length === 0 ? {} : { env }),
      };
    }
    case 'http':
      if (spec.transport === 'sse') notes.lost.push(`${server.name} speaks the older HTTP+SSE transport, which Codex does not.`);
      return { url: placed(spec.url), ...enabled, ...headers(server, spec.headers, secrets, notes) };
  }
}

interface Variables {
  readonly env: Record<string, string>;
  readonly env_vars: string[];
}

/** Codex forwards a variable under its own name only. */
function variables(server: Exported, env: Readonly<Record<string, string>>, secrets: boolean, notes: Notes): Variables {
  const written: Variables = { env: {}, env_vars: [] };
  for (const [name, value] of Object.entries(env)) {
    const out = outgoing(server, 'env', name, value, secrets);
    if (out.kind === 'value') define(written.env, name, out.text);
    else if (out.kind === 'reference' && out.prefix === '' && out.input.id === name)
      written.env_vars.push(refer(notes, out.input, out.known));
    else
      define(
        written.env,
        name,
        withReferences(server, value, (input) => notes.placeholder(input)),
      );
  }
  return written;
}

function headers(server: Exported, values: Readonly<Record<string, string>>, secrets: boolean, notes: Notes): Toml {
  const written: Toml = {};
  const [plain, named]: Record<string, string>[] = [{}, {}];
  for (const [name, value] of Object.entries(values)) {
    const out = outgoing(server, 'headers', name, value, secrets);
    if (out.kind === 'reference' && out.prefix !== '' && name === 'Authorization')
      written['bearer_token_env_var'] = refer(notes, out.input, out.known);
    else if (out.kind === 'reference' && out.prefix === '') define(named, name, refer(notes, out.input, out.known));
    else if (out.kind === 'value') define(plain, name, out.text);
    else
      define(
        plain,
        name,
        withReferences(server, value, (input) => notes.placeholder(input)),
      );
  }
  if (plain && Object.keys(plain).length > 0) written['http_headers'] = plain;
  if (named && Object.keys(named).length > 0) written['env_http_headers'] = named;
  return written;
}

function refer(notes: Notes, input: ConfigInput, known: boolean): string {
  const name = variableName(input.id);
  notes.refersTo.add(name);
  if (!known) notes.lacking.add(name);
  return name;
}

/** Sets a field whatever its name: `__proto__` is a name like any other. */
const define = (table: Record<string, string> | undefined, name: string, value: string): void => {
  if (table) Object.defineProperty(table, name, { value, enumerable: true, configurable: true, writable: true });
};

/**
 * A text with this server in it: the tables that it had are taken out, and new ones are put at the end. Nothing else may
 * have changed then; where something has (servers kept in an inline table), the file is better left alone.
 */
function withEntry(file: string, text: string, name: string, entry: Toml): string {
  const before = tomlText(file, text).root;
  const kept = withoutTables(text, name);
  const added = stringify({ [SHELF]: { [name]: { ...others(before, name), ...entry } } });
  const gap = kept.trim() === '' ? '' : '\n';
  const next = `${kept.replace(/\n*$/, kept.trim() === '' ? '' : '\n')}${gap}${added}`;
  if (JSON.stringify(rest(parsed(next), name)) !== JSON.stringify(rest(before, name)))
    throw new ConfigError(
      `${file}: expected a table [${SHELF}.NAME] for each server, got another way to keep ${name} among the rest. Change it by hand, or write into another file.`,
    );
  return next;
}

const OWN = [
  'command',
  'args',
  'env',
  'env_vars',
  'cwd',
  'url',
  'http_headers',
  'env_http_headers',
  'bearer_token',
  'bearer_token_env_var',
  'enabled',
];

/** Fields that a server has and that are not ours to change: its timeouts, its approvals. */
function others(root: Readonly<Record<string, unknown>>, name: string): Toml {
  const servers = root[SHELF];
  const there = isTable(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined;
  return isTable(there) ? Object.fromEntries(Object.entries(there).filter(([key]) => !OWN.includes(key))) : {};
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Everything but this server, in a form that can be compared: order of tables does not count. */
function rest(root: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  if (!root) return undefined;
  const servers = isTable(root[SHELF]) ? root[SHELF] : {};
  const others = Object.entries(servers).filter(([other]) => other !== name);
  return sorted({ ...root, [SHELF]: Object.fromEntries(others) });
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTable(value)) return value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? String(value) : value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)]);
};

function withoutTables(text: string, name: string): string {
  const lines = text.split('\n');
  const tables = tomlLines(text).filter(({ table }) => table);
  const gone = new Set<number>();
  tables.forEach(({ field, line }, index) => {
    if (field[0] !== SHELF || field[1] !== name) return;
    // Comments right above the next table belong to that one.
    let last = (tables[index + 1]?.line ?? lines.length + 1) - 1;
    while (last > line && /^\s*(?:#.*)?$/.test(lines[last - 1] ?? '')) last--;
    for (let at = line; at <= last; at++) gone.add(at);
  });
  return lines.filter((_, index) => !gone.has(index + 1)).join('\n');
}
