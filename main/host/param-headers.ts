// Arguments that go out as headers too: a tool's schema says which (`x-mcp-header`), so that what stands between may route by
// them without reading the body (2026-07-28, Streamable HTTP: Custom Headers). A server compares the two and refuses a
// request in which they differ, so nothing is left out and nothing is rounded.
type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An argument that is to be repeated in a header: where it stands, and the end of the header's name. */
interface Declared {
  readonly path: readonly string[];
  readonly name: string;
}

const EXTENSION = 'x-mcp-header';
const PREFIX = 'mcp-param-';
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** `number` is not among them, for its text is not one. */
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** The headers of a tool's arguments. @param schema its `inputSchema`: only what stands below `properties` alone counts */
export function paramHeaders(schema: unknown, args: unknown): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { path, name } of declaredIn(schema, [])) {
    const text = textOf(path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), args));
    if (text !== undefined) found[`${PREFIX}${name.toLowerCase()}`] = headerText(text);
  }
  return found;
}

function declaredIn(schema: unknown, path: readonly string[]): readonly Declared[] {
  if (!isObject(schema)) return [];
  const name = schema[EXTENSION];
  const own = path.length > 0 && typeof name === 'string' && TOKEN.test(name) && TYPES.has(schema['type']) ? [{ path, name }] : [];
  const { properties } = schema;
  const below = isObject(properties) ? Object.entries(properties).flatMap(([key, child]) => declaredIn(child, [...path, key])) : [];
  return [...own, ...below];
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** A text as a header can hold it: plain where it is printable ASCII without blanks at its ends, else in Base64 (2026-07-28). */
export const headerText = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
