// How a server is described: what the person chose, what is saved, what crosses between the window and the host. Values
// of environment variables and headers are secrets: in settings and on the way to the window they are empty texts, and an
// empty text that comes back means what it was before (main/store/secrets keeps the values).
import { z } from 'zod';
import { unreachable } from '../base/unreachable';
import { DEMO_WIRES, type DemoWire } from '../wire/frame';

const watch = z.array(z.string()).default([]);
/** Names a saved server; its probes, arrangements and secrets are kept under it. Absent for one that was never saved. */
const id = z.string().min(1).optional();
/** How the person calls this server. */
const title = z.string().optional();
/** The file that it was imported from: such a command runs only after a yes that showed it whole. */
const importedFrom = z.string().optional();
/** A revision of the protocol to insist on. */
const protocol = z.string().optional();

/** The demo as the command line takes it. */
export const demoWord = (over: DemoWire | undefined): string => (over === undefined ? 'demo' : `demo:${over}`);

/** How the demo is called, over whichever wire. */
export function demoTitle(over: DemoWire | undefined): string {
  switch (over) {
    case undefined:
      return 'Demo server';
    case 'http':
      return 'Demo server over HTTP';
    case 'http-json':
      return 'Demo server over HTTP, in JSON mode';
    case 'http-stateless':
      return 'Demo server over HTTP, without sessions';
    case 'sse':
      return 'Demo server over HTTP+SSE';
    default:
      return unreachable(over);
  }
}

/** A server to talk to: the demo, a command line, an address. */
export const serverSpec = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('demo'),
    /** The same tools over another wire than stdio, to show how the same Stop differs. */
    over: z.enum(DEMO_WIRES).optional(),
    protocol,
  }),
  z.object({
    kind: z.literal('stdio'),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    cwd: z.string().optional(),
    env: z.record(z.string(), z.string()).default({}),
    /** Files or folders of the server: when one changes, the server is restarted. */
    watch,
    title,
    id,
    importedFrom,
    protocol,
  }),
  z.object({
    kind: z.literal('http'),
    url: z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' }),
    /** `auto`: Streamable HTTP, and the older HTTP+SSE transport where the server refuses that. */
    transport: z.enum(['auto', 'http', 'sse']).default('auto'),
    headers: z.record(z.string(), z.string()).default({}),
    title,
    id,
    importedFrom,
    protocol,
  }),
]);
export type ServerSpec = z.infer<typeof serverSpec>;

/** What a server is remembered by: the demo, its id where it is saved, else its command line or address. */
export function serverKey(spec: ServerSpec): string {
  switch (spec.kind) {
    case 'demo':
      return demoWord(spec.over);
    case 'stdio':
      return spec.id ?? [spec.command, ...spec.args].join(' ');
    case 'http':
      return spec.id ?? spec.url;
  }
}

/** The secrets of a description: values of its environment or of its headers, by name. */
export function secretsOf(spec: ServerSpec): Readonly<Record<string, string>> {
  switch (spec.kind) {
    case 'demo':
      return {};
    case 'stdio':
      return spec.env;
    case 'http':
      return spec.headers;
  }
}

/** A description with these secrets in the place of its own. */
export function withSecrets<S extends ServerSpec>(spec: S, secrets: Readonly<Record<string, string>>): S {
  switch (spec.kind) {
    case 'demo':
      return spec;
    case 'stdio':
      return { ...spec, env: { ...secrets } };
    case 'http':
      return { ...spec, headers: { ...secrets } };
  }
}

/** A description without the values of its secrets, which are nobody's business but the server's own. */
export const withoutSecrets = <S extends ServerSpec>(spec: S): S =>
  withSecrets(spec, Object.fromEntries(Object.keys(secretsOf(spec)).map((name) => [name, ''])));

/** The configuration files of other clients that are read and written (docs/servers.md). */
export const CONFIG_FORMS = ['claude-desktop', 'claude-code', 'vscode', 'cursor', 'windsurf', 'zed', 'codex'] as const;
export type ConfigForm = (typeof CONFIG_FORMS)[number];

/** The clients that these are of, as people call them. */
export const CONFIG_TITLES: Readonly<Record<ConfigForm, string>> = {
  'claude-desktop': 'Claude Desktop',
  'claude-code': 'Claude Code',
  vscode: 'VS Code',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  zed: 'Zed',
  codex: 'Codex',
};

/** A value that a configuration asks the person for (`${input:ID}`). */
export interface ConfigInput {
  readonly id: string;
  readonly description: string;
  readonly password: boolean;
  /** What it is where nothing is given; of a password, a window knows that there is one by an empty text. */
  readonly default: string | undefined;
}

/** A server as another client's configuration describes it, without the values of its secrets. */
export interface ConfiguredServer {
  readonly name: string;
  readonly spec: Extract<ServerSpec, { kind: 'stdio' | 'http' }>;
  readonly inputs: readonly ConfigInput[];
  readonly disabled: boolean;
  /** What could not be understood or is missing: file, line, field. */
  readonly problems: readonly string[];
}

export interface ConfigFile {
  readonly form: ConfigForm;
  readonly path: string;
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly string[];
}

/** Where an authorization stands. `needed`: the server asks for one, and nobody has begun. */
export interface AuthStatus {
  readonly state: 'needed' | 'waiting' | 'granted' | 'failed';
  /** What is being done, or what went wrong: expected, seen, what to try. */
  readonly says: string;
  /** The page that the browser was sent to, while it is being waited for. */
  readonly address: string | undefined;
}
