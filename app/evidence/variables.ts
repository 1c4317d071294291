// What a probe offers to the server's configuration and to the arguments of calls (`${probes.hook.url}`), and what an
// argument offers to a probe (`order ${id}`): texts with holes, and how they are filled.

type Json = Readonly<Record<string, unknown>>;

/** By name: `probes.hook.url`. */
export type Variables = ReadonlyMap<string, string>;

const OF_PROBES = /\$\{(probes\.[^}]*)\}/g;
const ANY = /\$\{([^}]*)\}/g;

/** The variables of running probes, from what each of them offers. */
export function variablesOf(probes: readonly { readonly name: string; readonly offers: Readonly<Record<string, string>> }[]): Variables {
  return new Map(
    probes.flatMap(({ name, offers }) => Object.entries(offers).map(([key, text]) => [`probes.${name}.${key}`, text] as const)),
  );
}

/** A value with the variables of probes filled in, in every text of it. What no probe offers stays as it is written. */
export function withVariables<T>(value: T, variables: Variables): T {
  return mapped(value, (text) => text.replace(OF_PROBES, (hole, name: string) => variables.get(name) ?? hole)) as T;
}

/** The names of the variables that a value refers to. */
export function variablesIn(value: unknown): readonly string[] {
  const found = new Set<string>();
  mapped(value, (text) => {
    for (const [, name = ''] of text.matchAll(OF_PROBES)) found.add(name);
    return text;
  });
  return [...found];
}

/**
 * A text with the arguments of a call filled in.
 * @returns undefined when an argument that it refers to is not there, or is no text, number or truth value
 */
export function withArguments(template: string, args: Json): string | undefined {
  let whole = true;
  const text = template.replace(ANY, (hole, name: string) => {
    const value = args[name];
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
    whole = false;
    return hole;
  });
  return whole ? text : undefined;
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, change)]));
}
