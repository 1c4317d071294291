// Changes one field of a text in JSON with comments. What the library does when it adds an entry, it does between the last
// entry and the comment behind it, and lays out the neighbour anew; so entries are added here, on lines of their own.
import {
  applyEdits,
  createScanner,
  type FormattingOptions,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser';
import type { FieldPath } from './text';

/** @param value undefined takes the field away */
export function withField(text: string, field: FieldPath, value: unknown): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const there = tree && findNodeAtLocation(tree, [...field]);
  if (value === undefined || there || !tree) return modified(text, field, value);
  for (let depth = field.length - 1; depth >= 0; depth--) {
    const holder = depth === 0 ? tree : findNodeAtLocation(tree, field.slice(0, depth));
    if (!holder) continue;
    if (!holder.children?.length) break;
    const inner = field
      .slice(depth + 1)
      .reduceRight<unknown>((held, key) => (typeof key === 'number' ? [held] : Object.fromEntries([[key, held]])), value);
    return withEntry(text, holder, { key: field[depth], value: inner, depth });
  }
  return modified(text, field, value);
}

function modified(text: string, field: FieldPath, value: unknown): string {
  const { eol, unit } = layoutOf(text);
  const formattingOptions: FormattingOptions = {
    eol,
    insertSpaces: !unit.startsWith('\t'),
    tabSize: unit.startsWith('\t') ? 4 : unit.length,
  };
  return applyEdits(text, modify(text, field as JSONPath, value, { formattingOptions }));
}

interface NewEntry {
  readonly key: string | number | undefined;
  readonly value: unknown;
  /** How deep its holder lies: 0 is the outermost. */
  readonly depth: number;
}

/** Behind the last entry, its comma and its comments. */
function withEntry(text: string, holder: Node, { key, value, depth }: NewEntry): string {
  const { eol, unit } = layoutOf(text);
  const last = holder.children?.at(-1);
  const end = last ? last.offset + last.length : holder.offset + 1;
  const close = holder.offset + holder.length - 1;
  const { comma, to } = trailing(text, end, close);
  const margin = eol + unit.repeat(depth + 1);
  const body = JSON.stringify(value, undefined, unit).replaceAll('\n', margin);
  const entry = holder.type === 'object' ? `${JSON.stringify(String(key))}: ${body}` : body;
  const gap = text.slice(to, close).includes('\n') ? '' : eol + unit.repeat(depth);
  return `${text.slice(0, end)}${comma ? '' : ','}${text.slice(end, to)}${margin}${entry}${comma ? ',' : ''}${gap}${text.slice(to)}`;
}

/** Whether there is a comma between two places, and where the last thing there ends that is more than space. */
function trailing(text: string, from: number, close: number): { readonly comma: boolean; readonly to: number } {
  const scanner = createScanner(text);
  scanner.setPosition(from);
  let [comma, to] = [false, from];
  for (scanner.scan(); scanner.getTokenOffset() < close; scanner.scan()) {
    const after = scanner.getTokenOffset() + scanner.getTokenLength();
    const token = text.slice(scanner.getTokenOffset(), after);
    comma ||= token === ',';
    if (token.trim() !== '') to = after;
  }
  return { comma, to };
}

/** How a file is laid out, so that what is added looks like the rest. */
function layoutOf(text: string): { readonly eol: string; readonly unit: string } {
  const [, unit = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit: unit.startsWith('\t') ? '\t' : unit };
}
