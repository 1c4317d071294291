// Six clients keep their servers in JSON, alike but for names. What they have in common is here; what each has of its own
// is in its file.
import path from 'node:path';
import { parseEnv } from 'node:util';
import { CONFIG_TITLES, type ConfigForm, type ConfigInput, type ConfiguredServer } from '../../../app/contract/server';
import { Entry, type Outcome } from './entry';
import { type Context, type Exported, type Form, projectOf, type Where, type WriteOptions, type Written } from './form';
import type { Holes, Sources } from './holes';
import { withField } from './json-edit';
import { Notes, outgoing, withReferences } from './outgoing';
import { ConfigError, type ConfigText, type FieldPath, isTable, jsonText } from './text';

type Transport = 'auto' | 'http' | 'sse';
type Stdio = Extract<ConfiguredServer['spec'], { kind: 'stdio' }>;
type Http = Extract<ConfiguredServer['spec'], { kind: 'http' }>;

/** A place in the file that holds servers by name. */
export interface Shelf {
  readonly path: FieldPath;
  /** The project that these are for, where the file says so. */
  readonly project?: string;
}

export interface JsonFormOptions {
  readonly form: ConfigForm;
  named(path: string): boolean;
  places(where: Where): readonly string[];
  /** Where servers are; the first is where new ones are written. */
  shelves(root: Readonly<Record<string, unknown>>): readonly [Shelf, ...Shelf[]];
  readonly holes: Holes;
  /** How a value is referred to: by which name, in which words; undefined in a form that cannot. */
  readonly reference: ((input: ConfigInput, server: Exported) => { readonly id: string; readonly text: string }) | undefined;
  /** What the words for a transport mean; `url` alone is the transport of an entry that has no word. */
  readonly transports: Readonly<Record<string, Transport>> & { readonly url: Transport };
  /** The fields of a server on stdio and of one over HTTP; undefined where the form has none such. */
  stdio(fields: Fields): Record<string, unknown>;
  readonly http: ((fields: Fields, transport: Transport) => Record<string, unknown>) | undefined;
  /** Whether a working directory can be said. */
  readonly cwd: boolean;
  /** Fields that mean something to the client and nothing to us, and what a person should know of that. */
  readonly ignored: Readonly<Record<string, string>>;
  /** Makes today's entry of one in an older fashion. */
  modern?(entry: unknown): unknown;
  /** Whether the file has a list of values that are asked for beside the servers. */
  readonly inputs?: boolean;
}

/** The fields of an entry to be written, as texts of the form; empty ones are undefined. */
export interface Fields {
  readonly command?: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly disabled?: true | undefined;
}

/** Every word that clients have for a transport. */
const TRANSPORT_WORDS: Readonly<Record<string, Transport>> = {
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  sse: 'sse',
};

export function jsonForm(options: JsonFormOptions): Form {
  return {
    form: options.form,
    named: options.named,
    places: options.places,
    read: (config, context) => options.shelves(config.root).flatMap((shelf) => readShelf(options, config, shelf, context)),
    write: (servers, how) => new Writing(options, how.secrets).write(servers, how),
  };
}

function readShelf(options: JsonFormOptions, config: ConfigText, shelf: Shelf, context: Context): readonly Outcome[] {
  const entries = valueAt(config.root, shelf.path);
  if (entries === undefined || entries === null) return [];
  if (!isTable(entries)) return [{ name: String(shelf.path.at(-1)), broken: [`${config.at(shelf.path)}: expected servers by name`] }];
  const project = shelf.project ?? projectOf(config.path, context.home);
  const sources: Sources = {
    home: context.home,
    workspace: project ?? context.cwd,
    env: context.env,
    inputs: options.inputs ? inputsOf(valueAt(config.root, [...shelf.path.slice(0, -1), 'inputs'])) : [],
    file: (file) => context.file?.(path.resolve(project ?? context.cwd, file)),
  };
  return Object.entries(entries).map(([name, value]) => {
    const entry = new Entry(config, [...shelf.path, name], options.modern?.(value) ?? value, options.holes, sources);
    return readEntry(options, config, entry, { project, sources });
  });
}

interface Around {
  readonly project: string | undefined;
  readonly sources: Sources;
}

function readEntry(options: JsonFormOptions, config: ConfigText, entry: Entry, { project, sources }: Around): Outcome {
  const [command, word] = [entry.text('command'), entry.text('type') ?? entry.text('transport')];
  const address = entry.text('url') === undefined ? 'serverUrl' : 'url';
  const url = entry.text(address);
  const disabled = entry.flag('disabled') === true || entry.flag('enabled') === false;
  entry.ignores(options.ignored);
  const transport = transportOf(options, entry, word);
  if (url !== undefined && (command === undefined || transport !== undefined)) {
    if (word === 'stdio') entry.fault(['type'], 'expected a server with a command, got one with a url');
    if (!/^(?:https?:\/\/|\$\{)/i.test(url)) entry.fault([address], 'expected an http:// or https:// address');
    const headers = entry.values('headers');
    const spec: Http = { kind: 'http', url, transport: transport ?? options.transports.url, headers, title: entry.name };
    return entry.outcome({ ...spec, importedFrom: config.path }, disabled);
  }
  if (command === undefined) {
    if (entry.faults.length === 0) entry.nothingToReach(['command', options.form === 'windsurf' ? 'serverUrl' : 'url']);
    return entry.outcome(undefined, disabled);
  }
  const base = project ?? sources.workspace;
  const folder = entry.text('cwd');
  const cwd = folder === undefined ? project : path.resolve(base, folder);
  const env = { ...envFile(entry, sources), ...entry.values('env') };
  const spec: Stdio = { kind: 'stdio', command, args: entry.texts('args'), cwd, env, watch: [], title: entry.name };
  return entry.outcome({ ...spec, importedFrom: config.path }, disabled);
}

/** The transport that an entry's word stands for; undefined where it has none, or is about a command. */
function transportOf(options: JsonFormOptions, entry: Entry, word: string | undefined): Transport | undefined {
  if (word === undefined || word === 'stdio') return undefined;
  const transport = options.transports[word] ?? TRANSPORT_WORDS[word];
  if (transport === undefined) entry.fault(['type'], 'expected stdio, http or sse, got a transport that is not spoken here');
  return transport;
}

/** Variables of a file that an entry names. */
function envFile(entry: Entry, sources: Sources): Record<string, string> {
  const file = entry.text('envFile');
  if (file === undefined) return {};
  const text = sources.file(file);
  if (text === undefined) entry.note(['envFile'], `expected a file that can be read, got ${file}: its variables are not set`);
  return text === undefined ? {} : (parseEnv(text) as Record<string, string>);
}

/** The values that a file says are asked for (VS Code's `inputs`). */
function inputsOf(value: unknown): readonly ConfigInput[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isTable).flatMap((input: Readonly<Record<string, unknown>>): ConfigInput[] => {
    const { id, type, description, password, options, command } = input;
    if (typeof id !== 'string') return [];
    const says = [
      ...(typeof description === 'string' ? [description] : []),
      ...(Array.isArray(options) ? [`one of ${options.map((option) => (isTable(option) ? option['value'] : option)).join(', ')}`] : []),
      ...(type === 'command' ? [`what the editor’s command ${String(command)} answers`] : []),
    ];
    const preset = input['default'];
    return [{ id, description: says.join(': '), password: password === true, default: typeof preset === 'string' ? preset : undefined }];
  });
}

function valueAt(root: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((value, part) => (isTable(value) && typeof part === 'string' ? value[part] : undefined), root);
}

/** Fields of an entry that are ours to change; what else it has stays. */
const OWN = ['type', 'transport', 'source', 'command', 'args', 'env', 'cwd', 'url', 'serverUrl', 'headers', 'disabled', 'enabled'];

class Writing {
  readonly #options: JsonFormOptions;
  readonly #secrets: boolean;
  readonly #notes = new Notes();
  readonly #asks = new Map<string, ConfigInput>();

  constructor(options: JsonFormOptions, secrets: boolean) {
    this.#options = options;
    this.#secrets = secrets;
  }

  write(servers: readonly Exported[], { into, path }: WriteOptions): Written {
    const config = jsonText(path, into === undefined || into.trim() === '' ? '{}\n' : into);
    const [{ path: shelf }] = this.#options.shelves(config.root);
    const inputs = [...shelf.slice(0, -1), 'inputs'];
    const [entries, asks] = [valueAt(config.root, shelf) ?? {}, valueAt(config.root, inputs) ?? []];
    if (!isTable(entries)) throw new ConfigError(`${config.at(shelf)}: expected servers by name`);
    if (!Array.isArray(asks)) throw new ConfigError(`${config.at(inputs)}: expected a list of values that are asked for`);
    let text = config.text;
    for (const server of servers) {
      const fields = this.#entry(server);
      if (fields) text = withServer(text, [...shelf, server.name], entries[server.name], fields);
    }
    for (const input of this.#newInputs(asks)) text = withField(text, [...inputs, asks.push(input) - 1], input);
    return this.#notes.done(text);
  }

  /** Values to be asked for that are not on the list yet. */
  #newInputs(there: readonly unknown[]): readonly Record<string, unknown>[] {
    const known = there.map((input) => (isTable(input) ? input['id'] : undefined));
    return [...this.#asks.values()]
      .filter(({ id }) => !known.includes(id))
      .map(({ id, description, password, default: preset }) => ({
        type: 'promptString',
        id,
        description,
        password,
        ...(preset === undefined ? {} : { default: preset }),
      }));
  }

  /** The entry of a server; undefined where this form has no place for one. */
  #entry(server: Exported): Record<string, unknown> | undefined {
    const { spec, name } = server;
    const { form, http, stdio, cwd } = this.#options;
    const title = CONFIG_TITLES[form];
    const disabled = server.disabled || undefined;
    switch (spec.kind) {
      case 'http': {
        if (!http) {
          this.#notes.lost.push(`${name} is left out: ${title} reads no server with an address from this file.`);
          return undefined;
        }
        const fields = { url: this.#text(server, spec.url), headers: this.#values(server, 'headers', spec.headers), disabled };
        const entry = pruned(http(fields, spec.transport));
        this.#sayTransport(server, spec.transport, entry);
        return entry;
      }
      case 'stdio': {
        if (spec.cwd !== undefined && !cwd) this.#notes.lost.push(`${name}: ${title} knows no working directory; it was ${spec.cwd}.`);
        const args = spec.args.map((arg) => this.#text(server, arg));
        const env = this.#values(server, 'env', spec.env);
        const folder = spec.cwd === undefined || !cwd ? undefined : this.#text(server, spec.cwd);
        return pruned(stdio({ command: this.#text(server, spec.command), args, env, cwd: folder, disabled }));
      }
    }
  }

  /** Says when the entry will not mean the same transport. */
  #sayTransport({ name }: Exported, wanted: Transport, entry: Readonly<Record<string, unknown>>): void {
    const { transports, form } = this.#options;
    const word = typeof entry['type'] === 'string' ? entry['type'] : 'url';
    const held = transports[word] ?? TRANSPORT_WORDS[word];
    if (held !== wanted && wanted === 'sse' && held === 'http')
      this.#notes.lost.push(`${name} speaks the older HTTP+SSE transport, which ${CONFIG_TITLES[form]} does not.`);
  }

  #values(server: Exported, of: 'env' | 'headers', values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#value(server, of, name, value)]));
  }

  #value(server: Exported, of: 'env' | 'headers', name: string, value: string): string {
    const out = outgoing(server, of, name, value, this.#secrets);
    switch (out.kind) {
      case 'value':
        return out.text;
      case 'mixed':
        return this.#text(server, out.text);
      case 'reference':
        if (!out.known) this.#notes.lacking.add(out.input.id);
        return out.prefix + this.#reference(server, out.input);
    }
  }

  #text(server: Exported, text: string): string {
    return withReferences(server, text, (input) => this.#reference(server, input));
  }

  #reference(server: Exported, input: ConfigInput): string {
    const { reference, inputs } = this.#options;
    if (!reference) return this.#notes.placeholder(input);
    const { id, text } = reference(input, server);
    this.#notes.refersTo.add(id);
    if (inputs) this.#asks.set(id, { ...input, id });
    return text;
  }
}

/** A new entry as a whole; of one that is there already, the fields that are ours. */
function withServer(text: string, at: FieldPath, there: unknown, fields: Record<string, unknown>): string {
  if (!isTable(there)) return withField(text, at, fields);
  return OWN.filter((key) => key in there || key in fields).reduce((changed, key) => withField(changed, [...at, key], fields[key]), text);
}

/** Without what is not there and what is empty. */
const pruned = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined && !(Array.isArray(value) && value.length === 0) && !(isTable(value) && Object.keys(value).length === 0),
    ),
  );
