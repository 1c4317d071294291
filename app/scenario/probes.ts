// The probes of a scenario, in their short form: the key that names the kind says where to look.
import { z } from 'zod';
import { type ProbeKind, type ProbeSpec, probeSpec } from '../evidence/probe';
import { args, byKey, duration, inWords, type Resolve, show, strict, text, word } from './schema';

const common = { shared: z.boolean().optional(), done: text.optional(), owns: text.optional() };
const every = { every: duration.optional() };

/** `127.0.0.1:0`, `:4318`, or a port. */
const loopback = z.unknown().transform((value, context): number => {
  const [, host, port] = /^(?:(127\.0\.0\.1|localhost)?:)?(\d{1,5})$/.exec(String(value)) ?? [];
  if (port !== undefined && Number(port) <= 65_535) return Number(port);
  context.addIssue({ code: 'custom', message: `expected an address on loopback such as 127.0.0.1:0, got ${show(value)}${host ?? ''}` });
  return z.NEVER;
});

/** `sqlite:` and a relative path, like every path of the file, counts from the file. */
const dsnOf = (resolve: Resolve) => (dsn: string) =>
  dsn.replace(/^(sqlite:(?:\/\/)?)(\.{0,2}[^/:].*)$/, (_, scheme: string, file: string) => `${scheme}${resolve(file)}`);

interface Raw {
  readonly kind: ProbeKind;
  readonly [setting: string]: unknown;
}

const probeOf = (resolve: Resolve): z.ZodType<Raw> =>
  byKey<string, Readonly<Record<string, z.ZodType<Raw>>>>('a probe', {
    folder: strict({ folder: text, match: text.optional(), ...common }).transform(({ folder, ...rest }) => ({
      kind: 'folder',
      path: resolve(folder),
      ...rest,
    })),
    http: strict({
      http: loopback,
      status: z.number().int().min(200).max(599).optional(),
      delay: duration.optional(),
      ...common,
    }).transform(({ http, delay, ...rest }) => ({ kind: 'http', port: http, delayMs: delay, ...rest })),
    sql: strict({ sql: text.transform(dsnOf(resolve)), query: text, ...every, ...common }).transform(
      ({ sql, every: everyMs, ...rest }) => ({
        kind: 'sql',
        dsn: sql,
        everyMs,
        ...rest,
      }),
    ),
    read: strict({ read: text, arguments: args.optional(), ...every, ...common }).transform(
      ({ read, arguments: given, every: everyMs, ...rest }) => ({
        kind: 'read',
        read: read.includes('://') ? { resource: read } : { tool: read, arguments: given ?? {} },
        everyMs,
        ...rest,
      }),
    ),
    command: strict({ command: z.array(word).min(1), cwd: text.default('.').transform(resolve), ...every, ...common }).transform(
      ({ every: everyMs, ...rest }) => ({ kind: 'command', everyMs, ...rest }),
    ),
    process: strict({ process: z.literal(true), ...every, ...common }).transform(({ process: _, every: everyMs, ...rest }) => ({
      kind: 'process',
      everyMs,
      ...rest,
    })),
    otel: strict({ otel: loopback, ...common }).transform(({ otel, ...rest }) => ({ kind: 'otel', port: otel, ...rest })),
  });

/** Names of probes are part of variables: `${probes.hook.url}`. */
const probeName = z.string().regex(/^[A-Za-z][\w-]{0,39}$/, {
  error: (issue) => `expected a name of letters, digits, - and _ that begins with a letter, got ${show(issue.input)}`,
});

/** Probes by name. */
export const probesOf = (resolve: Resolve): z.ZodType<readonly ProbeSpec[]> => {
  const one = probeOf(resolve);
  return z.record(probeName, z.unknown()).transform((probes, context) =>
    Object.entries(probes).flatMap(([key, value]): ProbeSpec[] => {
      const raw = one.safeParse(value, { error: inWords });
      const read = raw.success ? probeSpec.safeParse(withoutGaps({ ...raw.data, name: key }), { error: inWords }) : undefined;
      if (read?.success) return [read.data];
      for (const issue of (raw.error ?? read?.error)?.issues ?? []) {
        const at = issue.path.map((part) => (part === 'everyMs' ? 'every' : part === 'delayMs' ? 'delay' : part));
        context.addIssue({ code: 'custom', message: issue.message, path: [key, ...at] });
      }
      return [];
    }),
  );
};

const withoutGaps = (value: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
