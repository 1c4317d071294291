// Clients let a configuration refer to what is not in it: `${API_KEY}`, `${env:API_KEY}`, `${input:api-key}`,
// `${workspaceFolder}`. Each has its own words. What is known is filled in; what is not becomes a value that the person is
// asked for, written `${input:ID}` whatever the client's own word was.
import path from 'node:path';
import type { ConfigInput } from '../../../app/contract/server';

/** A text for a hole. `secret`: what it comes from, where that is none of anybody's business. `says`: what to say of it. */
interface Fill {
  readonly fill: string;
  readonly secret?: string;
  readonly says?: string;
}

/**
 * What a hole stands for: a text; a value to ask for; or nothing that this client fills in, and then it stays as it is.
 */
export type Hole = Fill | { readonly ask: ConfigInput } | { readonly says: string };

/** What holes are filled from. */
export interface Sources {
  readonly home: string;
  /** What a client would have opened: the folder that the file configures, or where the person is. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The values that the file itself says are asked for. */
  readonly inputs: readonly ConfigInput[];
  /** The text of a file that the configuration names; undefined where it cannot be read. */
  file(path: string): string | undefined;
}

export type Holes = (name: string, sources: Sources) => Hole;

const HOLE = /\$\{([^}]*)\}/g;
const ASKED = /\$\{input:([^}]*)\}/g;
/** Addresses that probes offer when they run (app/evidence/variables): not the client's, and not to be touched here. */
const OURS = /^probes\./;

export interface Filled {
  readonly text: string;
  readonly inputs: readonly ConfigInput[];
  /** What is to be said of holes: of those that stay, and of what some were filled with. */
  readonly says: readonly string[];
  /** Names of the secrets that are in the text, or will be. */
  readonly secrets: readonly string[];
}

/** A text with its holes filled in. */
export function filled(text: string, holes: Holes, sources: Sources): Filled {
  const inputs: ConfigInput[] = [];
  const says: string[] = [];
  const secrets: string[] = [];
  const done = text.replace(HOLE, (whole, name: string) => {
    if (OURS.test(name)) return whole;
    const hole = holes(name, sources);
    if ('fill' in hole) {
      if (hole.says !== undefined) says.push(`${whole} ${hole.says}`);
      if (hole.secret !== undefined) secrets.push(hole.secret);
      return hole.fill;
    }
    if ('says' in hole) {
      says.push(`${whole} ${hole.says}`);
      return whole;
    }
    inputs.push(hole.ask);
    if (hole.ask.password) secrets.push(hole.ask.id);
    return asked(hole.ask.id);
  });
  return { text: done, inputs, says, secrets };
}

export const asked = (id: string): string => `\${input:${id}}`;

/** The ids of the values that a text asks for. */
export const askedIn = (text: string): readonly string[] => [...text.matchAll(ASKED)].map(([, id = '']) => id);

/** A text with the values that it asks for; those that are not given stay as they are. */
export const withAsked = (text: string, value: (id: string) => string | undefined): string =>
  text.replace(ASKED, (whole, id: string) => value(id) ?? whole);

/** A client that fills nothing in. */
export const noHoles: Holes = () => ({ says: 'is passed on as it is written: nothing fills it in in this file' });

/** `${NAME}` and `${NAME:-what it is otherwise}`, as Claude Code has them. */
export const shellHoles: Holes = (name, sources) => {
  const [, variable, otherwise] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(name) ?? [];
  if (variable === undefined) return { says: `is passed on as it is written: expected \${NAME} or \${NAME:-default}` };
  return otherwise === undefined || sources.env[variable] ? variableOf(variable, sources) : { fill: otherwise };
};

/** `${env:NAME}` and the folders, as VS Code and those that descend from it have them. */
export const editorHoles: Holes = (name, sources) => {
  const [, variable] = /^env:(.+)$/.exec(name) ?? [];
  if (variable !== undefined) return variableOf(variable, sources);
  switch (name) {
    case 'userHome':
      return { fill: sources.home };
    case 'workspaceFolder':
      return { fill: sources.workspace };
    case 'workspaceFolderBasename':
      return { fill: path.basename(sources.workspace) };
    case 'pathSeparator':
    case '/':
      return { fill: path.sep };
    default:
      return { says: 'is passed on as it is written: only the editor itself knows what it stands for' };
  }
};

/** `${input:ID}` of VS Code beside what an editor has. */
export const askingHoles: Holes = (name, sources) => {
  const [, id] = /^input:(.+)$/.exec(name) ?? [];
  if (id === undefined) return editorHoles(name, sources);
  const known = sources.inputs.find((input) => input.id === id);
  return { ask: known ?? { id, description: 'not described in the file', password: true, default: undefined } };
};

/** `${env:NAME}` and `${file:PATH}`, as Windsurf has them. */
export const windsurfHoles: Holes = (name, sources) => {
  const [, kind, of = ''] = /^(env|file):(.+)$/.exec(name) ?? [];
  if (kind === 'env') return variableOf(of, sources);
  if (kind === undefined) return { says: `is passed on as it is written: expected \${env:NAME} or \${file:PATH}` };
  const text = sources.file(of);
  return text === undefined
    ? { ask: { id: of, description: `text of the file ${of}, which cannot be read`, password: true, default: undefined } }
    : { fill: text.trim(), secret: of, says: 'is the text of that file, which this server gets' };
};

const SECRET = /key|token|secret|passw|credential|auth/i;

/** A variable of the environment. One that is not set has to be asked for: an empty or unfilled text would only fail later. */
export function variableOf(name: string, { env }: Pick<Sources, 'env'>): Hole {
  const value = env[name];
  if (value !== undefined) return SECRET.test(name) ? { fill: value, secret: name } : { fill: value };
  return { ask: { id: name, description: `environment variable ${name}, which is not set`, password: true, default: undefined } };
}
