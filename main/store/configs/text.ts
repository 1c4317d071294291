// The text of a configuration, as values whose place in the file is still known: what is said of a field names its line.
import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';

export type FieldPath = readonly (string | number)[];

/** A configuration that cannot be used: one line, which file, line and field, what was expected and what was seen. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface ConfigText {
  readonly path: string;
  readonly text: string;
  readonly root: Readonly<Record<string, unknown>>;
  /** Where a field stands, `file:line: field`; its line is that of what would hold it where the field is missing. */
  at(field: FieldPath): string;
}

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** A path as a person reads it: `mcpServers.files.args[0]`. */
const fieldText = (field: FieldPath): string =>
  field
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

const place = (path: string, line: number, field: FieldPath): string =>
  field.length === 0 ? `${path}:${line}` : `${path}:${line}: ${fieldText(field)}`;

/** What jsonc-parser's codes mean to a person. */
const JSON_FAULTS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word that is none of JSON’s',
  InvalidNumberFormat: 'a broken number',
  PropertyNameExpected: 'something else where a key in quotes belongs',
  ValueExpected: 'something else where a value belongs',
  ColonExpected: 'no colon behind a key',
  CommaExpected: 'no comma between two entries',
  CloseBraceExpected: 'no } at the end of an object',
  CloseBracketExpected: 'no ] at the end of a list',
  EndOfFileExpected: 'more text behind the end',
  InvalidCommentToken: 'a broken comment',
  UnexpectedEndOfComment: 'a comment that does not end',
  UnexpectedEndOfString: 'a text whose quote is not closed',
  UnexpectedEndOfNumber: 'a broken number',
  InvalidUnicode: 'a broken \\u escape',
  InvalidEscapeCharacter: 'a backslash before a letter that needs none (write \\\\ for one backslash)',
  InvalidCharacter: 'a control character in a text',
};

/** Comments and commas at the end of a list are read in every file: some clients take them, and no harm comes of it. */
export function jsonText(path: string, text: string): ConfigText {
  const errors: ParseError[] = [];
  const source = text.replace(/^\uFEFF/, ' ');
  const tree = parseTree(source, errors, { allowTrailingComma: true });
  const [broken] = errors;
  if (broken) {
    const fault = JSON_FAULTS[printParseErrorCode(broken.error)] ?? 'something else';
    throw new ConfigError(`${place(path, lineAt(source, broken.offset), holder(tree, broken.offset))}: expected JSON, got ${fault}`);
  }
  const root: unknown = tree && getNodeValue(tree);
  if (!isTable(root)) throw new ConfigError(`${path}:1: expected a JSON object with servers in it, got something else`);
  const line = (field: FieldPath): number => {
    const node = tree && nearestNode(tree, field);
    return node ? lineAt(source, node.offset) : 1;
  };
  return { path, text, root, at: (field) => place(path, line(field), field) };
}

/** The fields around a place in a text, as far as it could be understood. */
function holder(tree: Node | undefined, offset: number): FieldPath {
  const path: (string | number)[] = [];
  for (let node = tree; node; ) {
    const children: readonly Node[] = node.children ?? [];
    const last = children.findLastIndex((child) => child.offset < offset && offset <= child.offset + child.length);
    const child = children[last];
    if (!child) break;
    if (node.type === 'array') path.push(last);
    if (child.type === 'property' && typeof child.children?.[0]?.value === 'string') path.push(child.children[0].value);
    node = child.type === 'property' ? child.children?.[1] : child;
  }
  return path;
}

/** The key of a field, or of the nearest thing around it that is there. */
function nearestNode(tree: Node, field: FieldPath): Node | undefined {
  for (let length = field.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, field.slice(0, length));
    if (node) return node.parent?.type === 'property' ? node.parent : node;
  }
  return tree;
}

export function tomlText(path: string, text: string): ConfigText {
  const source = text.replace(/^\uFEFF/, '');
  const line = (field: FieldPath): number => {
    const lines = tomlLines(source);
    for (let length = field.length; length > 0; length--) {
      const found = lines.find(({ field: known }) => JSON.stringify(known) === JSON.stringify(field.slice(0, length)));
      if (found) return found.line;
    }
    return 1;
  };
  return { path, text, root: tomlRoot(path, source), at: (field) => place(path, line(field), field) };
}

function tomlRoot(path: string, source: string): Readonly<Record<string, unknown>> {
  try {
    return parseToml(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    const inside = tomlLines(source).findLast(({ line }) => line <= error.line)?.field ?? [];
    throw new ConfigError(`${place(path, error.line, inside)}: expected TOML, but ${first}`);
  }
}

const HEADER = /^\s*\[\[?.*\]\s*(?:#.*)?$/;
const KEY = /^\s*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)\s*=/;

interface TomlLine {
  readonly field: readonly string[];
  readonly line: number;
  /** A header; else a key. */
  readonly table: boolean;
}

/** The lines on which tables and keys begin. The parser tells no places, so they are looked for in the text. */
export function tomlLines(source: string): readonly TomlLine[] {
  let table: readonly string[] = [];
  return source.split('\n').flatMap((text, index): TomlLine[] => {
    const line = index + 1;
    const header = HEADER.test(text) ? namesIn(text) : undefined;
    if (header) {
      table = header;
      return [{ field: header, line, table: true }];
    }
    const [, key] = KEY.exec(text) ?? [];
    const names = key === undefined ? undefined : namesIn(`${key} = 0`);
    return names ? [{ field: [...table, ...names], line, table: false }] : [];
  });
}

/** The names in one line of TOML, outermost first; undefined where the line is no TOML by itself. */
function namesIn(line: string): readonly string[] | undefined {
  try {
    const names: string[] = [];
    for (let value: unknown = parseToml(line); ; ) {
      if (Array.isArray(value)) value = value[0];
      const [entry] = isTable(value) ? Object.entries(value) : [];
      if (!entry) return names;
      names.push(entry[0]);
      value = entry[1];
    }
  } catch {
    return undefined;
  }
}
