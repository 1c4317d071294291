// A probe while it is being typed: every field a text, as fields are. What comes out is checked by the same schema that
// the host uses, and what is wrong is said in the words of the form.
import { parseArgsStringToArgv } from 'string-argv';
import { unreachable } from '../../../app/base/unreachable';
import { type ProbeKind, type ProbeSpec, probeSpec } from '../../../app/evidence/probe';
import { quote } from '../../commandLine';

export const DATABASES = { postgres: 'PostgreSQL', mysql: 'MySQL, MariaDB', sqlite: 'SQLite' } as const;
export type Database = keyof typeof DATABASES;

/** Every field of every kind: going from one kind to another and back loses nothing. */
export interface ProbeDraft {
  readonly kind: ProbeKind;
  readonly name: string;
  readonly shared: boolean;
  readonly done: string;
  readonly owns: string;
  readonly path: string;
  readonly match: string;
  readonly port: string;
  readonly status: string;
  readonly delayMs: string;
  readonly database: Database;
  /** `user@host:port/name` and parameters, or the path of an SQLite file. */
  readonly address: string;
  readonly password: string;
  readonly query: string;
  readonly everyMs: string;
  readonly readBy: 'tool' | 'resource';
  readonly tool: string;
  readonly arguments: string;
  readonly resource: string;
  readonly command: string;
  readonly cwd: string;
}

export const emptyDraft = (kind: ProbeKind, name: string): ProbeDraft => ({
  kind,
  name,
  shared: false,
  done: '',
  owns: '',
  path: '',
  match: '',
  port: '',
  status: '',
  delayMs: '',
  database: 'postgres',
  address: '',
  password: '',
  query: '',
  everyMs: '',
  readBy: 'tool',
  tool: '',
  arguments: '',
  resource: '',
  command: '',
  cwd: '',
});

/** How often a polled kind reads when nothing is said, in ms: what its schema fills in. */
export const EVERY_MS: Readonly<Partial<Record<ProbeKind, number>>> = { sql: 50, read: 250, command: 250, process: 100 };

const numberText = (value: number, unless: number): string => (value === unless ? '' : String(value));

/** A probe that exists, to be changed. */
export function draftOfSpec(spec: ProbeSpec): ProbeDraft {
  const draft: ProbeDraft = {
    ...emptyDraft(spec.kind, spec.name),
    shared: spec.shared,
    done: spec.done ?? '',
    owns: spec.owns ?? '',
    ...('everyMs' in spec ? { everyMs: numberText(spec.everyMs, EVERY_MS[spec.kind] ?? 0) } : {}),
  };
  switch (spec.kind) {
    case 'folder':
      return { ...draft, path: spec.path, match: spec.match ?? '' };
    case 'http':
      return {
        ...draft,
        port: numberText(spec.port, 0),
        status: numberText(spec.status, 200),
        delayMs: numberText(spec.delayMs, 0),
      };
    case 'sql':
      return { ...draft, ...partsOfDsn(spec.dsn), query: spec.query };
    case 'read':
      return 'tool' in spec.read
        ? {
            ...draft,
            tool: spec.read.tool,
            arguments: Object.keys(spec.read.arguments).length > 0 ? JSON.stringify(spec.read.arguments) : '',
          }
        : { ...draft, readBy: 'resource', resource: spec.read.resource };
    case 'command':
      return { ...draft, command: spec.command.map((word) => quote(word, 'posix')).join(' '), cwd: spec.cwd ?? '' };
    case 'process':
      return draft;
    case 'otel':
      return { ...draft, port: numberText(spec.port, 0) };
    default:
      return unreachable(spec);
  }
}

/** A database's address taken apart, so that its password can stand in a field that masks it. */
export function partsOfDsn(dsn: string): Pick<ProbeDraft, 'database' | 'address' | 'password'> {
  const [, scheme = '', rest = dsn] = /^([a-z0-9+]+):(?:\/\/)?(.*)$/is.exec(dsn.trim()) ?? [];
  const database = databaseOf(scheme);
  if (database === undefined) return { database: 'sqlite', address: dsn, password: '' };
  if (database === 'sqlite') return { database, address: rest, password: '' };
  // The last @: people forget to encode the one in their password.
  const at = rest.lastIndexOf('@');
  const login = at < 0 ? '' : rest.slice(0, at);
  const colon = login.indexOf(':');
  if (colon < 0) return { database, address: rest, password: '' };
  return { database, address: `${login.slice(0, colon)}${rest.slice(at)}`, password: decoded(login.slice(colon + 1)) };
}

function databaseOf(scheme: string): Database | undefined {
  const name = scheme.toLowerCase();
  if (name === 'postgres' || name === 'postgresql') return 'postgres';
  if (name === 'mysql' || name === 'mariadb') return 'mysql';
  return name === 'sqlite' || name === 'file' ? 'sqlite' : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function dsnOf({ database, address, password }: Pick<ProbeDraft, 'database' | 'address' | 'password'>): string {
  const where = address.trim();
  if (database === 'sqlite') return where === '' ? '' : `sqlite:${where}`;
  if (where === '') return '';
  const at = where.lastIndexOf('@');
  if (password === '' || at < 0) return `${database}://${where}`;
  return `${database}://${where.slice(0, at)}:${encodeURIComponent(password)}${where.slice(at)}`;
}

export type Read = { readonly spec: ProbeSpec } | { readonly why: string };

/** The probe that a draft describes, or the first thing that it lacks. */
export function specOf(draft: ProbeDraft): Read {
  if (draft.kind === 'sql' && draft.password !== '' && draft.database !== 'sqlite' && !draft.address.includes('@'))
    return { why: 'Give the user who has this password before the host: user@host/database.' };
  const settings = settingsOf(draft);
  if ('why' in settings) return settings;
  if (draft.name.trim() === '') return { why: 'Give it a name; that is what verdicts and reports call it.' };
  const wrong = patternTrouble(draft.done);
  if (wrong !== undefined) return { why: wrong };
  const read = probeSpec.safeParse({
    kind: draft.kind,
    name: draft.name.trim(),
    shared: draft.shared,
    ...optional('done', draft.done),
    ...optional('owns', draft.owns),
    ...settings.values,
  });
  if (read.success) return { spec: read.data };
  const [issue] = read.error.issues;
  return { why: `${FIELDS[String(issue?.path[0])] ?? 'One of the fields'}: ${issue?.message ?? 'not what it should be'}.` };
}

type Values = { readonly values: Readonly<Record<string, unknown>> } | { readonly why: string };

function settingsOf(draft: ProbeDraft): Values {
  switch (draft.kind) {
    case 'folder':
      return needs(draft.path, 'Choose the folder to watch.', { path: draft.path.trim(), ...optional('match', draft.match) });
    case 'http':
      return { values: { ...number('port', draft.port), ...number('status', draft.status), ...number('delayMs', draft.delayMs) } };
    case 'sql':
      return draft.address.trim() === ''
        ? { why: draft.database === 'sqlite' ? 'Give the path of the database’s file.' : 'Give the database: user@host/database.' }
        : needs(draft.query, 'Give the query whose rows would change.', { dsn: dsnOf(draft), query: draft.query.trim(), ...every(draft) });
    case 'read':
      return readSettings(draft);
    case 'command':
      return needs(draft.command, 'Give the command whose output would change.', {
        command: parseArgsStringToArgv(draft.command.trim()),
        ...optional('cwd', draft.cwd),
        ...every(draft),
      });
    case 'process':
      return { values: every(draft) };
    case 'otel':
      return { values: number('port', draft.port) };
    default:
      return unreachable(draft.kind);
  }
}

function readSettings(draft: ProbeDraft): Values {
  if (draft.readBy === 'resource')
    return needs(draft.resource, 'Choose the resource to read.', { read: { resource: draft.resource.trim() }, ...every(draft) });
  const args = readObject(draft.arguments);
  if (args === undefined) return { why: 'Its arguments are a JSON object: { "name": value }.' };
  return needs(draft.tool, 'Choose the tool to ask.', { read: { tool: draft.tool, arguments: args }, ...every(draft) });
}

const needs = (text: string, why: string, values: Readonly<Record<string, unknown>>): Values => (text.trim() === '' ? { why } : { values });

const every = ({ everyMs }: ProbeDraft): Readonly<Record<string, unknown>> => number('everyMs', everyMs);

const optional = (name: string, text: string): Readonly<Record<string, string>> => (text.trim() === '' ? {} : { [name]: text.trim() });

/** An empty field is left to the schema's own default; what is no number is left to its refusal. */
const number = (name: string, text: string): Readonly<Record<string, number>> => (text.trim() === '' ? {} : { [name]: Number(text) });

export function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function patternTrouble(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return `The pattern for a whole effect is not a regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const FIELDS: Readonly<Record<string, string>> = {
  name: 'Name',
  path: 'Folder',
  match: 'Files that match',
  port: 'Port',
  status: 'Answer',
  delayMs: 'Answer after',
  dsn: 'Database',
  query: 'Query',
  everyMs: 'Read every',
  read: 'What to read',
  command: 'Command',
  cwd: 'Working directory',
};

/** A name that no other probe has: what was meant, else with a number. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const base =
    wanted
      .replace(/[^\w.-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 36) || 'probe';
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (!taken.includes(name)) return name;
  }
}

/** What a probe would be called, from where it looks. */
export function proposedName(draft: ProbeDraft): string {
  switch (draft.kind) {
    case 'folder':
      return lastPart(draft.path);
    case 'sql':
      return /\b(?:from|into|update)\s+["`[]?([\w.]+)/i.exec(draft.query)?.[1] ?? (draft.query.trim() === '' ? '' : 'rows');
    case 'read':
      return draft.readBy === 'tool' ? draft.tool : lastPart(draft.resource);
    case 'command':
      return lastPart(draft.command.trim().split(/\s+/)[0] ?? '');
    case 'http':
      return 'hook';
    case 'process':
      return 'processes';
    case 'otel':
      return 'spans';
    default:
      return unreachable(draft.kind);
  }
}

export const lastPart = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
