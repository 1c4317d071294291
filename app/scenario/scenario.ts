// The scenario file: what to start, what to watch, what to call and when to stop it, and what should come of it. Written by
// people, so every error says which field, what was expected and what was seen.
import { z } from 'zod';
import type { ProbeSpec } from '../evidence/probe';
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
import { PROTOCOLS } from '../wire/era';
import { DEMO_WIRES, type DemoWire, HTTP_TRANSPORTS, type HttpTransport, type Means } from '../wire/frame';
import { faultList } from './faultFile';
import type { FaultRule } from './faults';
import { probesOf } from './probes';
import {
  args,
  byKey,
  duration,
  inWords,
  type Problem,
  type Resolve,
  ScenarioError,
  shortOr,
  show,
  someOf,
  strict,
  text,
  word,
} from './schema';
import { how, type When, when } from './stops';

export type ScenarioServer =
  | { readonly kind: 'demo'; readonly over: DemoWire | undefined; readonly protocol: string | undefined }
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
      readonly protocol: string | undefined;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly transport: 'auto' | HttpTransport;
      readonly headers: Readonly<Record<string, string>>;
      readonly protocol: string | undefined;
    };

/** That a call be run as a task, and for how long the server is asked to keep it. */
export interface TaskWish {
  readonly ttlMs: number | undefined;
}

export type Step =
  | {
      readonly step: 'call';
      readonly name: string;
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly probes: readonly string[] | undefined;
      readonly normallyMs: number | undefined;
      readonly settleMs: number | undefined;
      readonly task: TaskWish | undefined;
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
  | { readonly step: 'wait'; readonly ms: number }
  /** Other faults from here on; none: they are off. */
  | { readonly step: 'faults'; readonly rules: readonly FaultRule[] }
  /** Lets pass what faults hold. */
  | { readonly step: 'release' };

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
  /** What it shows, in a paragraph. */
  readonly about: string | undefined;
  readonly server: ScenarioServer;
  /** Default for every call, in ms. */
  readonly settleMs: number;
  readonly probes: readonly ProbeSpec[];
  /** On from the end of the handshake. */
  readonly faults: readonly FaultRule[];
  readonly steps: readonly Step[];
  readonly expect: readonly Expectation[];
}

/** The word for every call, where one call is meant. */
export const ALL = 'all';
/** Of every call that has none of its own, in ms. */
export const SETTLE_MS = 3000;

const name = z
  .string()
  .min(1)
  .max(40)
  .refine((text) => text !== ALL, { error: `expected a name other than “${ALL}”, which stands for every call, got “${ALL}”` });

const protocol = z.unknown().transform((value, context): string => {
  if (typeof value === 'string' && (PROTOCOLS as readonly string[]).includes(value)) return value;
  context.addIssue({
    code: 'custom',
    message: `expected one of the revisions that this version speaks, ${PROTOCOLS.join(', ')}, got ${show(value)}`,
  });
  return z.NEVER;
});

const serverOf = (resolve: Resolve): z.ZodType<ScenarioServer> =>
  byKey('a server', {
    command: strict({
      command: text.transform((command) => (/^\.{1,2}[\\/]/.test(command) ? resolve(command) : command)),
      args: z.array(word).default([]),
      env: z.record(z.string(), word).default({}),
      cwd: text.default('.').transform(resolve),
      protocol: protocol.optional(),
    }).transform((server) => ({ kind: 'stdio' as const, ...server, protocol: server.protocol })),
    url: strict({
      url: z.url({ protocol: /^https?$/, error: 'expected an http:// or https:// address' }),
      transport: z.enum(['auto', ...HTTP_TRANSPORTS]).default('auto'),
      headers: z.record(z.string(), word).default({}),
      protocol: protocol.optional(),
    }).transform((server) => ({ kind: 'http' as const, ...server, protocol: server.protocol })),
    demo: strict({ demo: z.literal([true, ...DEMO_WIRES]), protocol: protocol.optional() }).transform((server) => ({
      kind: 'demo' as const,
      over: server.demo === true ? undefined : server.demo,
      protocol: server.protocol,
    })),
  });

const task: z.ZodType<TaskWish | undefined> = shortOr(
  z.boolean().transform((on) => (on ? { ttlMs: undefined } : undefined)),
  strict({ ttl: duration.optional() }).transform(({ ttl }) => ({ ttlMs: ttl })),
  (value) => typeof value !== 'object',
);

const longRetry = strict({ of: name, as: name.optional(), arguments: args.optional() });

const step: z.ZodType<Step> = byKey<string, Readonly<Record<string, z.ZodType<Step>>>>('a step', {
  call: strict({
    call: name,
    tool: text,
    arguments: args.default({}),
    probes: z.array(z.string()).optional(),
    normally: duration.optional(),
    settle: duration.optional(),
    task: task.optional(),
  }).transform(({ call, tool, arguments: given, probes, normally, settle, task: wish }) => ({
    step: 'call',
    name: call,
    tool,
    arguments: given,
    probes,
    normallyMs: normally,
    settleMs: settle,
    task: wish,
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
    retry: shortOr(
      name.transform((of) => ({ of, as: undefined, arguments: undefined })),
      longRetry,
    ),
  }).transform(({ retry }) => ({ step: 'retry', of: retry.of, as: retry.as ?? `${retry.of}-retry`, arguments: retry.arguments })),
  wait: strict({ wait: duration }).transform(({ wait }) => ({ step: 'wait', ms: wait })),
  faults: strict({ faults: faultList }).transform(({ faults }) => ({ step: 'faults', rules: faults })),
  release: strict({ release: z.literal(ALL) }).transform(() => ({ step: 'release' })),
});

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
    about: text.optional(),
    server: serverOf(resolve),
    settle: duration.default(SETTLE_MS),
    probes: probesOf(resolve).default([]),
    faults: faultList.default([]),
    steps: z.array(step).min(1),
    expect: z.array(expectation).default([]),
  });
  const read = file.safeParse(data, { error: inWords });
  if (!read.success) throw new ScenarioError(read.error.issues.map(({ path, message }): Problem => ({ path, says: message })));
  const { version: _, settle, ...scenario } = read.data;
  return { ...scenario, name: scenario.name, about: scenario.about, settleMs: settle };
}
