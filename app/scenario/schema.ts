// The pieces that the scenario's grammar is made of, on top of zod: objects that name the nearest known key when one is
// unknown, alternatives told apart by a key, and words for what was expected and what was seen.
import { z } from 'zod';
import { DURATION, durationMs } from './duration';
import { meant } from './nearest';

export type Path = readonly PropertyKey[];

/** Something that is not as the grammar wants it: where, and `expected …, got …`. */
export interface Problem {
  readonly path: Path;
  readonly says: string;
}

/** A scenario that cannot be run as it stands. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map(({ path, says }) => `${pathText(path)}: ${says}`).join('\n'));
    this.problems = problems;
  }
}

/** A path as a person reads it: `steps[0].tool`. */
export function pathText(path: Path): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text.replace(/^\./, '') || 'the file';
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const LONGEST = 60;

/** A value as an error quotes it: short. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'nothing (null)';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (isObject(value)) return `the keys ${Object.keys(value).join(', ') || '(none)'}`;
  const text = typeof value === 'string' ? `“${value}”` : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys with values',
  record: 'keys with values',
};

/** zod's issues in our words. */
export function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  const got = show(issue.input);
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${NOUNS[issue.expected] ?? issue.expected}, got ${got}`;
    case 'invalid_value':
      return `expected ${oneOf(issue.values.map(String))}, got ${got}${meant(String(issue.input), issue.values.map(String))}`;
    case 'too_small':
      return `expected ${issue.origin === 'string' ? 'a text that is not empty' : issue.origin === 'array' ? `at least ${issue.minimum} of them` : `${issue.minimum} or more`}, got ${got}`;
    case 'too_big':
      return `expected ${issue.origin === 'string' ? `at most ${issue.maximum} letters` : `${issue.maximum} or less`}, got ${got}`;
    default:
      return undefined;
  }
}

export const oneOf = (known: readonly string[]): string => (known.length === 1 ? String(known[0]) : `one of ${known.join(', ')}`);

/** An object that has no other keys than these. */
export function strict<S extends z.ZodRawShape>(shape: S): z.ZodType<z.output<z.ZodObject<S>>> {
  const known = Object.keys(shape);
  return z
    .unknown()
    .superRefine((value, context) => {
      if (!isObject(value)) context.addIssue({ code: 'custom', message: `expected the keys ${known.join(', ')}, got ${show(value)}` });
      else for (const key of Object.keys(value)) if (!known.includes(key)) context.addIssue(unknownKey(key, known));
    })
    .pipe(z.object(shape)) as unknown as z.ZodType<z.output<z.ZodObject<S>>>;
}

const unknownKey = (key: string, known: readonly string[]) => ({
  code: 'custom' as const,
  path: [key],
  message: `expected ${known.length === 1 ? 'the key' : 'one of the keys'} ${known.join(', ')}, got “${key}”${meant(key, known)}`,
});

type Output<T> = T extends z.ZodType<infer O> ? O : never;

/**
 * One of several kinds of object, told apart by which of these keys it has: by the first, where it has several (a call has
 * its own `settle`).
 * @param what how errors call it: `a step`
 */
export function byKey<K extends string, T extends Readonly<Record<K, z.ZodType>>>(what: string, kinds: T): z.ZodType<Output<T[keyof T]>> {
  const known = Object.keys(kinds) as (keyof T & string)[];
  return z.unknown().transform((value, context): Output<T[keyof T]> => {
    const fail = (message: string, path: PropertyKey[] = []): never => {
      context.addIssue({ code: 'custom', message, path });
      return z.NEVER;
    };
    if (!isObject(value)) return fail(`expected ${what} with ${oneOf(known)}, got ${show(value)}`);
    const key = known.find((candidate) => Object.hasOwn(value, candidate));
    if (key === undefined) {
      const keys = Object.keys(value);
      const near = keys.map((k) => meant(k, known)).find((hint) => hint !== '') ?? '';
      return fail(`expected ${what} with ${oneOf(known)}, got ${show(value)}${near}`);
    }
    const kind = kinds[key] as z.ZodType;
    const read = kind.safeParse(value, { error: inWords });
    if (read.success) return read.data as Output<T[keyof T]>;
    passOn(read.error, context);
    return z.NEVER;
  });
}

/** Hands the problems of a part on to the whole. */
function passOn(error: z.ZodError, context: z.RefinementCtx): void {
  for (const { message, path } of error.issues) context.addIssue({ code: 'custom', message, path });
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** A text (or what else `isShort` says) for the short form, an object for the long one. */
export const shortOr = <S, L>(short: z.ZodType<S>, long: z.ZodType<L>, isShort = isText): z.ZodType<S | L> =>
  z.unknown().transform((value, context): S | L => {
    const read = (isShort(value) ? short : long).safeParse(value, { error: inWords });
    if (read.success) return read.data;
    passOn(read.error, context);
    return z.NEVER;
  });

/** A length of time, in ms. */
export const duration = z.unknown().transform((value, context): number => {
  const ms = typeof value === 'string' ? durationMs(value) : undefined;
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: `expected ${DURATION}, got ${show(value)}` });
  return z.NEVER;
});

/** A word of a command line or an environment: YAML reads some of them as numbers or truth values. */
export const word = z.unknown().transform((value, context): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  context.addIssue({ code: 'custom', message: `expected a text, got ${show(value)}` });
  return z.NEVER;
});

/** One of these words, or several of them in a list. @returns always a list */
export const someOf = <const T extends readonly [string, ...string[]]>(known: T): z.ZodType<readonly T[number][]> => {
  const one = z.enum(known);
  return z.unknown().transform((value, context): readonly T[number][] => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.length === 0) context.addIssue({ code: 'custom', message: `expected ${oneOf(known)}, got an empty list` });
    return values.flatMap((item, index) => {
      const read = one.safeParse(item, { error: inWords });
      if (read.success) return [read.data as T[number]];
      const message = read.error.issues[0]?.message ?? '';
      context.addIssue({ code: 'custom', message, path: Array.isArray(value) ? [index] : [] });
      return [];
    });
  });
};

/** A text that says something. */
export const text = z.string().min(1);
/** Arguments of a call: whatever the tool takes. */
export const args = z.record(z.string(), z.unknown());

/** Turns a path of the file into an absolute one. */
export type Resolve = (path: string) => string;
