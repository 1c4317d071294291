// What a probe is: something that watches one place in the world and says, on the trace's clock, what it saw and when it
// could not see. Implementations live in the host; this is the port and the list of kinds with their settings, so that
// the window, a scenario and the command line all speak of the same ones.
import { z } from 'zod';
import type { Clock, Ns } from '../base/time';
import { unreachable } from '../base/unreachable';
import type { Effect, RequestId } from '../wire/frame';
import { masked, maskedDsn } from './dsn';

const everyMs = z.number().int().min(10).max(3_600_000);
const port = z.number().int().min(0).max(65_535);

const common = {
  name: z.string().min(1).max(40),
  /** Others write there too: what is seen is then never more than inferred to be the call's. */
  shared: z.boolean().default(false),
  /** A regular expression: an observation whose text it matches is known to be the whole effect. */
  done: z.string().optional(),
  /**
   * A text that only the call's own effects carry, with arguments of the call in it: `order ${id}`. With it, several calls
   * at once can be told apart.
   */
  owns: z.string().optional(),
};

/** Settings of each kind of probe. */
export const probeSpec = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('folder'),
    ...common,
    /** Absolute path of a folder. */
    path: z.string().min(1),
    /** Glob of names below the folder, `**` included; everything when absent. */
    match: z.string().optional(),
  }),
  z.object({
    kind: z.literal('http'),
    ...common,
    /** Port on loopback; 0 takes a free one. */
    port: port.default(0),
    /** What the sink answers, and how long after the request has arrived whole. */
    status: z.number().int().min(200).max(599).default(200),
    delayMs: z.number().nonnegative().default(0),
  }),
  z.object({
    kind: z.literal('sql'),
    ...common,
    /** `postgres://…`, `mysql://…`, or `sqlite:` and a path. May hold a password: never recorded, never shown. */
    dsn: z.string().min(1),
    query: z.string().min(1),
    everyMs: everyMs.default(50),
  }),
  z.object({
    kind: z.literal('read'),
    ...common,
    /** A read-only tool of the same server, or a resource of it. */
    read: z.union([
      z.object({ tool: z.string().min(1), arguments: z.record(z.string(), z.unknown()).default({}) }),
      z.object({ resource: z.string().min(1) }),
    ]),
    everyMs: everyMs.default(250),
  }),
  z.object({
    kind: z.literal('command'),
    ...common,
    /** The program and its arguments; no shell. */
    command: z.array(z.string()).min(1),
    cwd: z.string().optional(),
    everyMs: everyMs.default(250),
  }),
  z.object({ kind: z.literal('process'), ...common, everyMs: everyMs.default(100) }),
  z.object({ kind: z.literal('otel'), ...common, port: port.default(0) }),
]);
export type ProbeSpec = z.infer<typeof probeSpec>;
export type ProbeKind = ProbeSpec['kind'];
export type SpecOf<K extends ProbeKind> = Extract<ProbeSpec, { kind: K }>;

/** How each kind is called where a person chooses one, what it watches, and where it fits. None of them proves an absence. */
export const PROBE_KINDS: Readonly<Record<ProbeKind, { readonly title: string; readonly watches: string; readonly fits: string }>> = {
  folder: {
    title: 'Folder',
    watches: 'files created, changed, appended to or removed in a folder',
    fits: 'tools that write files, logs, exports, a local queue',
  },
  http: {
    title: 'HTTP sink',
    watches: 'requests that the server under test sends to an address of ours',
    fits: 'tools that call a web hook or an API whose address you can set',
  },
  sql: {
    title: 'SQL query',
    watches: 'the rows that a query finds in PostgreSQL, MySQL or SQLite',
    fits: 'tools that write to a database',
  },
  read: {
    title: 'Read tool or resource',
    watches: 'what a read-only tool, or a resource, of the same server says',
    fits: 'servers that can list what they have done: tickets, orders, pages',
  },
  command: {
    title: 'Command',
    watches: 'the output of a command',
    fits: 'anything that a command can show: git, kubectl, sqlite3, a status script',
  },
  process: {
    title: 'Processes',
    watches: 'the server’s own process tree',
    fits: 'tools that start commands or deployments',
  },
  otel: {
    title: 'OpenTelemetry',
    watches: 'the spans that an instrumented server sends',
    fits: 'servers with OpenTelemetry tracing',
  },
};

/** What a probe may ask of the server under test, where it has to. */
export interface ServerAccess {
  /** The session is open: requests can be sent. */
  readonly open: boolean;
  /**
   * Sends a request of the probe's own. It is marked as the probe's in the trace and belongs to no call.
   * @throws Error when it was refused, or the session is over
   */
  request(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Calls back at each `notifications/resources/updated` for an address. @returns stops it */
  onResourceUpdated(uri: string, listener: () => void): () => void;
  /** The server's processes, itself first, as far as they can be found. */
  processes(): Promise<readonly ServerProcess[]>;
}

export interface ServerProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** CPU time spent since its start, in ms. */
  readonly cpuMs: number;
  /** How long it has lived, in ms, where the system says so to 20 ms. */
  readonly ageMs?: number;
}

/** A call that a trace context went out with. */
export interface TracedCall {
  readonly id: RequestId;
  /** When the context was made: nothing that names it can be older. */
  readonly since: Ns;
  /** Wall time less trace time at that moment, in ms: somewhere between the two. */
  readonly wall: { readonly min: number; readonly max: number };
}

/**
 * Trace contexts of the calls of one session (W3C Trace Context, level 1): each call is a trace of its own, so that what an
 * instrumented server says of its work can be told to belong to it.
 */
export interface TraceContexts {
  /** A new trace for a call that is about to be sent. @returns its `traceparent`, for the call's `_meta` */
  forCall(id: RequestId): string;
  /** The call of a trace, by its id (32 hexadecimal digits, small letters); undefined when no call has it. */
  callOf(traceId: string): TracedCall | undefined;
}

/** What a probe is given: the clock, where its observations go, and the server. */
export interface ProbeContext {
  readonly clock: Clock;
  /** Takes an observation; it is stamped and appended to the trace at once. @returns its `seq` */
  readonly emit: (effect: Effect) => number;
  /** The server under test; undefined where a probe runs without one. */
  readonly server?: ServerAccess;
  /** Which trace is which call's. */
  readonly traces?: TraceContexts;
}

/** A running probe. */
export interface Probe {
  readonly spec: ProbeSpec;
  /** What it offers to the server's configuration: `url` of a sink, token included. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * Reads the place once more, and says what it saw: every new observation first, then `clear` when there was none.
   * Readings asked for while one is under way share the next one, which begins after the request.
   */
  read(): Promise<void>;
  /** Reads a last time, says `ended`, and stops watching. */
  stop(): Promise<void>;
}

/**
 * Starts a probe: resolves once its baseline has been taken and `watching` emitted.
 * @throws Error in plain words when the place cannot be watched at all
 */
export type StartProbe = (spec: ProbeSpec, context: ProbeContext) => Promise<Probe>;

/** Kinds that have to be there before the server is, because it is told their address. */
export const BEFORE_SERVER: ReadonlySet<ProbeKind> = new Set(['http', 'otel']);

/** The place that a probe watches, as a person reads it; passwords in addresses are masked. */
export function placeOf(spec: ProbeSpec): string {
  switch (spec.kind) {
    case 'folder':
      return spec.match === undefined ? spec.path : `${spec.path} · ${spec.match}`;
    case 'http':
      return spec.port === 0 ? '127.0.0.1, a free port' : `127.0.0.1:${spec.port}`;
    case 'sql':
      return `${maskedDsn(spec.dsn)} · ${spec.query}`;
    case 'read':
      return 'tool' in spec.read ? `tool ${spec.read.tool}` : spec.read.resource;
    case 'command':
      return masked(spec.command.join(' '));
    case 'process':
      return 'the server’s processes';
    case 'otel':
      return spec.port === 0 ? 'OTLP on 127.0.0.1, a free port' : `OTLP on 127.0.0.1:${spec.port}`;
    default:
      return unreachable(spec);
  }
}
