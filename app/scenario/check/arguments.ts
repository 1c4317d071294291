// Arguments by which a tool can be called that nobody has described: only what its own schema gives (a default, a constant, a
// choice, an example). What has to be invented is not: a path or an address that somebody made up may be somebody's.

type Schema = Readonly<Record<string, unknown>>;

/** Arguments, or the names of those that nothing is known of. */
export type Example =
  | { readonly known: true; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly known: false; readonly missing: readonly string[] };

/** What the schema of a tool's arguments gives for each argument that it requires; what is optional is left out. */
export function exampleOf(schema: Schema): Example {
  const whole = firstOf(schema['examples']) ?? schema['default'];
  if (isObject(whole)) return { known: true, arguments: whole };
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].filter((name) => typeof name === 'string') : [];
  const given = required.map((name) => [name, givenBy(properties[name])] as const);
  const missing = given.filter(([, value]) => value === undefined).map(([name]) => name);
  return missing.length > 0 ? { known: false, missing } : { known: true, arguments: Object.fromEntries(given) };
}

function givenBy(schema: unknown): unknown {
  if (!isObject(schema)) return undefined;
  return schema['default'] ?? firstOf(schema['examples']) ?? schema['const'] ?? firstOf(schema['enum']);
}

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
