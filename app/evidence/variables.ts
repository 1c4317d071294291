// What a probe offers to the server's configuration and to the arguments of calls (`${probes.hook.url}`), and what an
// argument offers to a probe (`order ${id}`): texts with holes, and how they are filled.

type Json = Readonly<Record<string, unknown>>;

/** By name: `probes.hook.url`. */
export type Variables = ReadonlyMap<string, string>;

const OF_PROBES = /\$\{(probes\.[^}]*)\}/g;
const ANY = /\$\{([^}]*)\}/g;
const ONLY = /^\$\{([^}]*)\}$/;

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

/** A text in which the variables' values are their names again: an address of a sink holds a token that is nobody's business. */
export const withNames = (text: string, variables: Variables): string =>
  [...variables].reduce((left, [name, value]) => (value === '' ? left : left.replaceAll(value, () => hole(name))), text);

/** The names of the variables that a value refers to. */
export function variablesIn(value: unknown): readonly string[] {
  const found = new Set<string>();
  mapped(value, (text) => {
    for (const [, name = ''] of text.matchAll(OF_PROBES)) found.add(name);
    return text;
  });
  return [...found];
}

const OF_ENVIRONMENT = /\$\{env\.([A-Za-z_]\w*)\}/g;

/** A variable of the environment in which a scenario is run, as its file has it. */
export const variableOf = (name: string): string => hole(`env.${name}`);

/** The variables of the environment that a value refers to (`${env.TOKEN}`): how a file has a secret without holding it. */
export function environmentIn(value: unknown): readonly string[] {
  const found = new Set<string>();
  mapped(value, (text) => {
    for (const [, name = ''] of text.matchAll(OF_ENVIRONMENT)) found.add(name);
    return text;
  });
  return [...found];
}

/** A value with the variables of the environment filled in. One that is not set stays as it is written. */
export const withEnvironment = <T>(value: T, environment: Readonly<Record<string, string | undefined>>): T =>
  mapped(value, (text) => text.replace(OF_ENVIRONMENT, (whole, name: string) => environment[name] ?? whole)) as T;

const RUN = /\$\{run\}/g;

/** A value in which `${run}` is the number of an attempt; a text that is nothing else becomes the number itself. */
export const withRun = <T>(value: T, run: number): T =>
  mapped(value, (text) => (text === hole('run') ? run : text.replace(RUN, String(run)))) as T;

/**
 * Why a server's configuration cannot be filled in: it refers to what no running probe offers.
 * @returns undefined when it can
 */
export function unfilled(value: unknown, variables: Variables): string | undefined {
  const missing = variablesIn(value).filter((name) => !variables.has(name));
  if (missing.length === 0) return undefined;
  const known = [...variables.keys()].map(hole).join(', ');
  const offered = known === '' ? 'no probe of this server that is running offers any' : `its probes offer ${known}`;
  return `Expected variables that a probe of this server offers, but found ${missing.map(hole).join(', ')}; ${offered}. Add a probe of that name that has an address (an HTTP sink, OpenTelemetry), or correct the name.`;
}

const hole = (name: string): string => `\${${name}}`;

/**
 * A text with the arguments of a call filled in, nested ones by dots: `order ${order.id}`.
 * @returns undefined when an argument that it refers to is not there, or is no text, number or truth value
 */
export function withArguments(template: string, args: Json): string | undefined {
  let whole = true;
  const text = template.replace(ANY, (hole, name: string) => {
    const value = valueAt(args, name);
    if (isPlain(value)) return String(value);
    whole = false;
    return hole;
  });
  return whole ? text : undefined;
}

/**
 * The arguments of one call made from those of another, as an undo is: by name, a template over `arguments`. One that is
 * nothing but `${arguments.amount}` becomes the value itself, whatever its type; one that refers to an argument that is not
 * there is left out.
 */
export function argumentsFrom(templates: Readonly<Record<string, string>>, args: Json): Readonly<Record<string, unknown>> {
  const scope = { arguments: args };
  const filled = Object.entries(templates).map(([name, template]) => {
    const [, only] = ONLY.exec(template) ?? [];
    return [name, only === undefined ? withArguments(template, scope) : valueAt(scope, only)] as const;
  });
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

const isPlain = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The value of that name, else the one at the end of the path of names. */
function valueAt(json: unknown, path: string): unknown {
  if (typeof json !== 'object' || json === null) return undefined;
  if (Object.hasOwn(json, path)) return (json as Json)[path];
  const dot = path.indexOf('.');
  const first = path.slice(0, dot);
  return dot < 0 || !Object.hasOwn(json, first) ? undefined : valueAt((json as Json)[first], path.slice(dot + 1));
}

function mapped(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, change)]));
}
