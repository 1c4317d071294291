// The scenario file: what to start, what to watch, what to call and when to stop it, and what should come of it. Written by
// people, so every error says which field, what was expected and what was seen. What the grammar knows and this version
// cannot do is refused by name, never ignored.
import { z } from 'zod';
import { type ProbeKind, type ProbeSpec, probeSpec } from '../evidence/probe';
import {
  CERTAINTIES,
  type Certainty,
  EFFECTS,
  type EffectState,
  FINDINGS,
  type FindingName,
  HEADLINES,
  type Headline,
  REPLIES,
  type ReplyState,
  STOPS,
  type StopState,
} from '../verdict/verdict';
import { type Means, type RequestId, requestId } from '../wire/frame';
import { OTHER_MEANS } from './means';
import { byKey, duration, inWords, type Problem, refused, ScenarioError, show, someOf, strict, word } from './schema';

/** Revisions of the protocol that this version's client speaks. */
export const PROTOCOLS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

export type ScenarioServer =
  | { readonly kind: 'demo'; readonly protocol: string | undefined }
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
      readonly protocol: string | undefined;
    };

/** When a stop is pressed. */
export type When =
  | { readonly on: 'time'; readonly afterMs: number }
  /** At the n-th progress notification of the call. */
  | { readonly on: 'progress'; readonly count: number }
  | { readonly on: 'effect' }
  | { readonly on: 'reply' };

export type Step =
  | {
      readonly step: 'call';
      readonly name: string;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly probes: readonly string[] | undefined;
      readonly normallyMs: number | undefined;
      readonly settleMs: number | undefined;
    }
  | {
      readonly step: 'stop';
      readonly call: string;
      readonly when: When;
      readonly how: Means;
      readonly reason: string | undefined;
      readonly fence: boolean | undefined;
    }
  | { readonly step: 'settle'; readonly call: string }
  | { readonly step: 'retry'; readonly of: string; readonly as: string; readonly arguments: Readonly<Record<string, unknown>> | undefined }
  | { readonly step: 'wait'; readonly ms: number };

export type Expectation =
  | {
      readonly about: 'call';
      readonly call: string;
      readonly verdict: readonly Headline[] | undefined;
      readonly certainty: readonly Certainty[] | undefined;
      readonly stop: readonly StopState[] | undefined;
      readonly reply: readonly ReplyState[] | undefined;
      readonly effect: readonly EffectState[] | undefined;
    }
  | { readonly about: 'finding'; readonly finding: FindingName; readonly absent: boolean };

export interface Scenario {
  readonly name: string | undefined;
  readonly server: ScenarioServer;
  /** Default for every call, in ms. */
  readonly settleMs: number;
  readonly probes: readonly ProbeSpec[];
  readonly steps: readonly Step[];
  readonly expect: readonly Expectation[];
}

/** The word for every call, where one call is meant. */
export const ALL = 'all';
const SETTLE_MS = 3000;

const name = z
  .string()
  .min(1)
  .max(40)
  .refine((text) => text !== ALL, { error: `expected a name other than “${ALL}”, which stands for every call, got “${ALL}”` });
const text = z.string().min(1);
const args = z.record(z.string(), z.unknown());

const protocol = z.unknown().transform((value, context): string => {
  if (typeof value === 'string' && (PROTOCOLS as readonly string[]).includes(value)) return value;
  context.addIssue({
    code: 'custom',
    message: `expected one of the revisions that this version speaks, ${PROTOCOLS.join(', ')}, got ${show(value)}`,
  });
  return z.NEVER;
});

/** A field that is there in the grammar and that this version refuses, whatever its value. */
const never = (got: string, expected: string) =>
  z.unknown().superRefine((_, context) => context.addIssue({ code: 'custom', message: refused(got, expected) }));

/** Turns a path of the file into an absolute one. */
export type Resolve = (path: string) => string;

const serverOf = (resolve: Resolve): z.ZodType<ScenarioServer> =>
  byKey('a server', {
    command: strict({
      command: text.transform((command) => (/^\.{1,2}[\\/]/.test(command) ? resolve(command) : command)),
      args: z.array(word).default([]),
      env: z.record(z.string(), word).default({}),
      cwd: text.default('.').transform(resolve),
      protocol: protocol.optional(),
    }).transform((server) => ({ kind: 'stdio' as const, ...server, protocol: server.protocol })),
    url: z.object({ url: never('a url', 'a server on stdio (command) or the demo') }).transform((): ScenarioServer => z.NEVER),
    demo: strict({ demo: z.literal(true), protocol: protocol.optional() }).transform((server) => ({
      kind: 'demo' as const,
      protocol: server.protocol,
    })),
  });

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

const probesOf = (resolve: Resolve): z.ZodType<readonly ProbeSpec[]> => {
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

const when: z.ZodType<When> = z.unknown().transform((value, context): When => {
  const read = typeof value === 'string' ? duration.safeParse(value) : trigger.safeParse(value, { error: inWords });
  if (read.success) return typeof read.data === 'number' ? { on: 'time', afterMs: read.data } : read.data;
  for (const issue of read.error.issues) context.addIssue({ code: 'custom', message: issue.message, path: issue.path });
  return z.NEVER;
});

const trigger: z.ZodType<When> = byKey('a moment (300ms, say), or one', {
  progress: strict({ progress: z.number().int().min(1) }).transform(({ progress }): When => ({ on: 'progress', count: progress })),
  on: strict({ on: z.enum(['first-progress', 'effect', 'reply']) }).transform(
    ({ on }): When => (on === 'first-progress' ? { on: 'progress', count: 1 } : { on }),
  ),
});

const MEANS = ['cancel', 'abandon', 'timeout', 'kill', ...OTHER_MEANS] as const;
const HERE = 'one of cancel, abandon, timeout, { timeout: silent }, kill, { cancel-id: … }';

const how: z.ZodType<Means> = z.unknown().transform((value, context): Means => {
  const read =
    typeof value === 'string' ? plainMeans.safeParse(value, { error: inWords }) : otherMeans.safeParse(value, { error: inWords });
  if (read.success) return read.data;
  for (const issue of read.error.issues) context.addIssue({ code: 'custom', message: issue.message, path: issue.path });
  return z.NEVER;
});

const plainMeans = z.enum(MEANS).transform((means, context): Means => {
  switch (means) {
    case 'timeout':
      return { means, silent: false };
    case 'cancel':
    case 'abandon':
    case 'kill':
      return { means };
    case 'drop':
    case 'stop-polling': {
      const why = means === 'drop' ? 'this version speaks stdio only' : 'this version speaks stdio only, and runs no tasks';
      context.addIssue({ code: 'custom', message: refused(`“${means}”`, HERE, why) });
      return z.NEVER;
    }
  }
});

const otherMeans: z.ZodType<Means> = byKey('a means (cancel, say), or one', {
  timeout: strict({ timeout: z.literal('silent') }).transform((): Means => ({ means: 'timeout', silent: true })),
  notify: z.object({ notify: never('notify', HERE) }).transform((): Means => z.NEVER),
  'cancel-id': strict({ 'cancel-id': requestId }).transform(
    (given): Means => ({ means: 'cancel-id', id: given['cancel-id'] as RequestId }),
  ),
});

const task = z.boolean().refine((on) => !on, { error: refused('true', 'false', 'this version speaks stdio only, and runs no tasks') });

const step: z.ZodType<Step> = byKey<string, Readonly<Record<string, z.ZodType<Step>>>>('a step', {
  call: strict({
    call: name,
    tool: text,
    arguments: args.default({}),
    probes: z.array(z.string()).optional(),
    normally: duration.optional(),
    settle: duration.optional(),
    task: task.optional(),
  }).transform(({ call, tool, arguments: given, probes, normally, settle }) => ({
    step: 'call',
    name: call,
    tool,
    arguments: given,
    probes,
    normallyMs: normally,
    settleMs: settle,
  })),
  stop: strict({
    stop: name,
    when: when.optional(),
    how: how.optional(),
    reason: text.optional(),
    fence: z.boolean().optional(),
  }).transform((given) => ({
    step: 'stop',
    call: given.stop,
    when: given.when ?? { on: 'time', afterMs: 0 },
    how: given.how ?? { means: 'cancel' },
    reason: given.reason,
    fence: given.fence,
  })),
  settle: strict({ settle: text }).transform(({ settle }) => ({ step: 'settle', call: settle })),
  retry: strict({
    retry: z
      .unknown()
      .transform(
        (
          value,
          context,
        ): { readonly of: string; readonly as?: string | undefined; readonly arguments?: Record<string, unknown> | undefined } => {
          const read =
            typeof value === 'string' ? name.safeParse(value, { error: inWords }) : longRetry.safeParse(value, { error: inWords });
          if (read.success) return typeof read.data === 'string' ? { of: read.data } : read.data;
          for (const issue of read.error.issues) context.addIssue({ code: 'custom', message: issue.message, path: issue.path });
          return z.NEVER;
        },
      ),
  }).transform(({ retry }) => ({ step: 'retry', of: retry.of, as: retry.as ?? `${retry.of}-retry`, arguments: retry.arguments })),
  wait: strict({ wait: duration }).transform(({ wait }) => ({ step: 'wait', ms: wait })),
});

const longRetry = strict({ of: name, as: name.optional(), arguments: args.optional() });

const expectation: z.ZodType<Expectation> = byKey<string, Readonly<Record<string, z.ZodType<Expectation>>>>('an expectation', {
  call: strict({
    call: name,
    verdict: someOf(HEADLINES).optional(),
    certainty: someOf(CERTAINTIES).optional(),
    stop: someOf(STOPS).optional(),
    reply: someOf(REPLIES).optional(),
    effect: someOf(EFFECTS).optional(),
  }).transform(({ call, verdict, certainty, stop, reply, effect }) => ({ about: 'call', call, verdict, certainty, stop, reply, effect })),
  finding: strict({ finding: z.enum(FINDINGS), absent: z.boolean().default(false) }).transform((given) => ({ about: 'finding', ...given })),
});

/**
 * Reads a scenario from the plain data of its file.
 * @param resolve makes the file's relative paths absolute
 * @throws ScenarioError with every problem found
 */
export function readScenario(data: unknown, resolve: Resolve): Scenario {
  const file = strict({
    version: z.literal(1),
    name: text.optional(),
    server: serverOf(resolve),
    settle: duration.default(SETTLE_MS),
    probes: probesOf(resolve).default([]),
    steps: z.array(step).min(1),
    expect: z.array(expectation).default([]),
  });
  const read = file.safeParse(data, { error: inWords });
  if (!read.success) throw new ScenarioError(read.error.issues.map(({ path, message }): Problem => ({ path, says: message })));
  const { version: _, settle, ...scenario } = read.data;
  return { ...scenario, name: scenario.name, settleMs: settle };
}
