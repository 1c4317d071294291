// What a server says of itself, cut into items that can be compared: the elements of a list, the fields of an object, the
// lines of a text.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Item } from '../changes';

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
  uri: z.string().optional(),
});
const result = z.looseObject({
  content: z.array(block).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
});
const resource = z.looseObject({
  contents: z.array(z.looseObject({ uri: z.string(), text: z.string().optional(), blob: z.string().optional() })),
});

/**
 * The items of a tool's result (`CallToolResult`).
 * @throws Error when the tool failed, or the answer is no result
 */
export function itemsOfResult(answer: unknown, tool: string): readonly Item[] {
  const read = result.safeParse(answer);
  if (!read.success) throw new Error(`Expected a result of the tool ${tool}, got something else.`);
  const { content, structuredContent, isError } = read.data;
  const text = content.flatMap((one) => one.text ?? []).join('\n');
  if (isError) throw new Error(`The tool ${tool} failed: ${text === '' ? 'it says no more' : text}`);
  if (structuredContent !== undefined) return ofValue(structuredContent);
  return content.flatMap((one) => (one.text === undefined ? [opaque(one)] : ofText(one.text)));
}

/**
 * The items of a resource's contents (`ReadResourceResult`).
 * @throws Error when the answer is none
 */
export function itemsOfResource(answer: unknown, uri: string): readonly Item[] {
  const read = resource.safeParse(answer);
  if (!read.success) throw new Error(`Expected the contents of ${uri}, got something else.`);
  return read.data.contents.flatMap((one) => (one.text === undefined ? [opaque(one)] : ofText(one.text)));
}

/** JSON is compared by its parts, anything else line by line. */
function ofText(text: string): readonly Item[] {
  const value = parsed(text);
  if (typeof value === 'object' && value !== null) return ofValue(value);
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  // One line is a value that changes; of several it cannot be known which became which.
  return lines.map((line) => (lines.length === 1 ? { ...lineOf(line), key: 'the answer', name: 'the answer' } : lineOf(line)));
}

const lineOf = (line: string): Item => ({ id: `line ${line}`, text: line, noun: 'line' });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ofValue(value: unknown): readonly Item[] {
  if (Array.isArray(value)) return value.map((one) => element(one, ''));
  if (typeof value !== 'object' || value === null) return [field('the answer', value, false)];
  const fields = Object.entries(value);
  // Beside a list the rest (a total, a cursor) says nothing new.
  const lists = fields.some(([, one]) => Array.isArray(one));
  return fields.flatMap(([name, one]) => (Array.isArray(one) ? one.map((part) => element(part, name)) : [field(name, one, lists)]));
}

function element(value: unknown, list: string): Item {
  const name = nameIn(value);
  return {
    id: `${list}[] ${canonical(value)}`,
    text: shown(value),
    noun: 'item',
    ...(name === undefined ? {} : { key: list === '' ? name : `${list} ${name}` }),
  };
}

const field = (name: string, value: unknown, quiet: boolean): Item => ({
  id: `${name}: ${canonical(value)}`,
  text: shown(value),
  noun: 'field',
  key: name,
  name,
  quiet,
});

/** What an element calls itself, so that it can be known again when something in it has changed. */
function nameIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const found = ['id', 'uri', 'key', 'path', 'name']
    .map((name) => fields[name])
    .find((one) => typeof one === 'string' || typeof one === 'number');
  return found === undefined ? undefined : String(found);
}

/** An image, a sound, a link, a file: known by its content. */
function opaque(value: Readonly<Record<string, unknown>>): Item {
  const digest = createHash('sha256').update(canonical(value)).digest('hex').slice(0, 16);
  const named = [value['type'], value['mimeType'], value['uri']].filter((one) => typeof one === 'string').join(' ');
  return { id: `opaque ${digest}`, text: `${named === '' ? 'content' : named} (sha256 ${digest})`, noun: 'content' };
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'));

/** JSON in which the order of an object's fields does not matter. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, one: unknown) =>
      typeof one === 'object' && one !== null && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
        : one,
    ) ?? 'undefined'
  );
}
