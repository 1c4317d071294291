// A frame is one immutable fact: a message on the wire, a line of noise, a process that ended, a press of Stop, an
// observation by a probe. Everything that Stopgap says is derived from frames and points back at them. The kinds and
// their words are those of the vocabulary (docs/verdicts.md) and appear in trace files.
import { z } from 'zod';
import type { Ns } from '../base/time';

/** Number of a frame in its trace: dense, from 0. */
export type Seq = number;
/** Number of a session (one connection to one server) in its trace: dense, from 1. 0 is the trace itself. */
export type SessionNumber = number;

export const DIRS = ['-', 'c2s', 's2c'] as const;
export type Dir = (typeof DIRS)[number];
export const KINDS = ['message', 'noise', 'stderr', 'http', 'life', 'act', 'effect'] as const;
export type Kind = (typeof KINDS)[number];

const count = z.number().int().nonnegative();
const time = z.number().transform((n) => n as Ns);
/** A JSON-RPC request id. `5` and `"5"` are different ids; `0` and `""` are ids. */
export const requestId = z.union([z.string(), z.number()]);
export type RequestId = z.infer<typeof requestId>;

/** Why a run of bytes is not a message. */
export const NOISE = ['not-json', 'not-json-rpc', 'too-long', 'unfinished', 'not-utf-8'] as const;
export type Noise = (typeof NOISE)[number];

/** How a call was, or is to be, stopped. `cancel-id` names another id on purpose (conformance). */
export const means = z.discriminatedUnion('means', [
  z.object({ means: z.literal('cancel') }),
  z.object({ means: z.literal('abandon') }),
  z.object({ means: z.literal('timeout'), silent: z.boolean() }),
  /** Closes the connection (stdio) or the call's response stream (HTTP). In the legacy revisions that is no cancel; in 2026-07-28 over HTTP it is the cancel. */
  z.object({ means: z.literal('drop') }),
  z.object({ means: z.literal('kill') }),
  z.object({ means: z.literal('cancel-id'), id: requestId }),
  /** `notifications/cancelled` where closing the response stream is the cancel: the wrong means, on purpose. Elsewhere it is `cancel`. */
  z.object({ means: z.literal('notify') }),
  /** Of a task: asks no more for its state, and tells nobody. */
  z.object({ means: z.literal('stop-polling') }),
]);
export type Means = z.infer<typeof means>;

/** What we do on purpose to a message between client and server (docs/faults.md). */
export const FAULTS = ['delay', 'hold', 'drop', 'duplicate', 'reorder', 'cut'] as const;
export type Fault = (typeof FAULTS)[number];
/** What a message is to a fault. */
export const PASSING_KINDS = ['request', 'reply', 'cancel', 'notification'] as const;
export type PassingKind = (typeof PASSING_KINDS)[number];
/** What let a kept message pass: its time, a message that it waited for, a person, the rule's being taken away. */
export const RELEASED_BY = ['time', 'frame', 'hand', 'off'] as const;
export type ReleasedBy = (typeof RELEASED_BY)[number];

export const act = z.discriminatedUnion('act', [
  /** A call is about to be sent: what watches it and how long it is given. Stands just before its request. */
  z.object({
    act: z.literal('call'),
    id: requestId,
    tool: z.string(),
    probes: z.array(z.string()),
    settle: time,
    normally: time.optional(),
    fence: z.boolean(),
    retryOf: requestId.optional(),
    /** The call whose effect this one is meant to take back. */
    undoOf: requestId.optional(),
    /** By probe: a text that only this call's own effects carry (filled from its arguments). */
    owns: z.record(z.string(), z.string()).optional(),
    /** It is asked to be run as a task; `ttl`: for how long the server is asked to keep it. Whether it does, its reply says. */
    task: z.object({ ttl: time.optional() }).optional(),
  }),
  /** Stop was pressed. `wrote` says whether anything was handed to the wire for it; `late` that the reply was there already. */
  z.object({ act: z.literal('stop'), id: requestId, how: means, reason: z.string().optional(), wrote: z.boolean(), late: z.boolean() }),
  /** A cancel that was asked for never reached the wire. */
  z.object({ act: z.literal('undelivered'), id: requestId, why: z.string() }),
  /** A ping that fences the cancel of a call; it stands right after the cancel, in the same write. */
  z.object({ act: z.literal('fence'), id: requestId, ping: requestId }),
  /** A probe is about to ask the server something; `id` is that request's. */
  z.object({ act: z.literal('probe'), id: requestId, probe: z.string() }),
  /** A call goes on with one more round: the request `id` brings what the reply to the request `of` had asked for (2026-07-28). */
  z.object({ act: z.literal('round'), id: requestId, of: requestId }),
  /** News are asked for: the request stays open until either side ends it (2026-07-28, `subscriptions/listen`). */
  z.object({ act: z.literal('listen'), id: requestId }),
  /** A ping while nothing is in flight: how long an answer takes when the server has nothing else to do. */
  z.object({ act: z.literal('idle'), ping: requestId }),
  /** The faults that are on from here on, in words; none: they are off. */
  z.object({ act: z.literal('faults'), rules: z.array(z.string()) }),
  /**
   * A fault of ours names a message; the frame's direction is the message's. Towards the client it stands directly before the
   * message, which is in the trace as the server sent it, whatever becomes of it. Towards the server a message stands in the
   * trace where it was written: later, when it is kept; never, when it is dropped; a second time, when it is duplicated.
   */
  z.object({
    act: z.literal('fault'),
    fault: z.enum(FAULTS),
    /** The rule, as a person knows it. */
    rule: z.string(),
    /** Number of the message among those that faults have named in this session: dense, from 1. */
    item: count,
    what: z.enum(PASSING_KINDS),
    method: z.string(),
    /** The request that it is, answers or cancels. */
    id: requestId.optional(),
    tool: z.string().optional(),
    /** Of a message to the server that is kept or dropped, its text: it may be nowhere else in the trace. */
    raw: z.string().optional(),
  }),
  /** What a fault has kept passes now; over the wire to the server its message follows. */
  z.object({ act: z.literal('released'), item: count, by: z.enum(RELEASED_BY), id: requestId.optional() }),
]);
export type Act = z.infer<typeof act>;

/** How messages travel. `http` is Streamable HTTP (since 2025-03-26), `sse` the HTTP+SSE transport of 2024-11-05. */
export const TRANSPORTS = ['stdio', 'http', 'sse'] as const;
export type TransportName = (typeof TRANSPORTS)[number];
export const HTTP_TRANSPORTS = ['http', 'sse'] as const;
export type HttpTransport = (typeof HTTP_TRANSPORTS)[number];

/** The wires that the demo server speaks beside stdio. */
export const DEMO_WIRES = ['http', 'http-json', 'http-stateless', 'sse'] as const;
export type DemoWire = (typeof DEMO_WIRES)[number];

/** The steps of an authorization, in their order (2025-11-25, Authorization). */
export const AUTH_STEPS = ['challenge', 'discovery', 'registration', 'browser', 'redirect', 'token', 'refresh', 'step-up'] as const;
export type AuthStep = (typeof AUTH_STEPS)[number];

export const life = z.discriminatedUnion('event', [
  /** `title`: how the person calls the server; of several in one trace each has rows of its own. */
  z.object({
    event: z.literal('started'),
    pid: count,
    command: z.string(),
    args: z.array(z.string()),
    cwd: z.string().optional(),
    title: z.string().optional(),
  }),
  /** A server over HTTP is about to be spoken to; `url` without what is secret in it. */
  z.object({ event: z.literal('connecting'), url: z.string(), transport: z.enum(HTTP_TRANSPORTS), title: z.string().optional() }),
  /** The first transport was refused, so the older one is tried. */
  z.object({ event: z.literal('fell-back'), from: z.enum(HTTP_TRANSPORTS), to: z.enum(HTTP_TRANSPORTS), why: z.string() }),
  /** One step of an authorization over OAuth, as a person would tell it. */
  z.object({ event: z.literal('auth'), step: z.enum(AUTH_STEPS), ok: z.boolean(), says: z.string() }),
  z.object({ event: z.literal('failed'), why: z.string() }),
  z.object({
    event: z.literal('opened'),
    transport: z.enum(TRANSPORTS),
    protocol: z.string(),
    server: z.object({ name: z.string(), version: z.string() }),
    /** Over HTTP: whether the server gave out a session id; without one each request stands alone. */
    stateful: z.boolean().optional(),
    /** The revisions that the server offers, where it was asked (`server/discover`). */
    offered: z.array(z.string()).optional(),
  }),
  /** `asked`: who wanted the process to end, when anybody did. */
  z.object({
    event: z.literal('exited'),
    code: z.number().int().optional(),
    signal: z.string().optional(),
    asked: z.enum(['nobody', 'disconnect', 'restart', 'kill', 'quit']),
  }),
  z.object({ event: z.literal('closed') }),
  /** Processes of the server that lived on when it had been told to end, and had to be ended by force. */
  z.object({ event: z.literal('outlived'), processes: z.array(z.object({ pid: count, command: z.string() })), says: z.string() }),
  z.object({ event: z.literal('lost'), why: z.string() }),
]);
export type Life = z.infer<typeof life>;

export const effect = z.discriminatedUnion('effect', [
  /** A probe has taken its baseline and watches from now on. */
  z.object({ effect: z.literal('watching'), probe: z.string(), kind: z.string(), place: z.string(), shared: z.boolean() }),
  /** Something is there that was not: absent at `lo`, present at `hi`. `undecided`: whether it took effect is not known. */
  z.object({
    effect: z.literal('seen'),
    probe: z.string(),
    lo: time,
    hi: time,
    says: z.string(),
    subject: z.string(),
    sample: z.string().optional(),
    undecided: z.boolean().optional(),
    done: z.boolean().optional(),
    /** The request id of the call that it belongs to, where the probe itself can tell (a trace context). */
    call: requestId.optional(),
  }),
  /** What was seen earlier is taken back: the place is as it was at the baseline. `of` lists the frames of what was seen. */
  z.object({ effect: z.literal('reverted'), probe: z.string(), lo: time, hi: time, says: z.string(), of: z.array(count) }),
  /** A reading that began at `lo` and ended at `hi` found nothing new, and nothing was missed since `since`. */
  z.object({ effect: z.literal('clear'), probe: z.string(), since: time, lo: time, hi: time }),
  /** The probe could not watch between `lo` and `hi`. */
  z.object({ effect: z.literal('gap'), probe: z.string(), lo: time, hi: time, why: z.string() }),
  /** The server holds something open at the place: a transaction, a lock. Not there at `lo`, there at `hi`. */
  z.object({ effect: z.literal('held'), probe: z.string(), lo: time, hi: time, says: z.string(), subject: z.string() }),
  /** What was held is held no more; `of` lists the frames that said so. */
  z.object({ effect: z.literal('freed'), probe: z.string(), lo: time, hi: time, of: z.array(count) }),
  /**
   * A sign of work, not of an effect: a process that was started and lives, a span that started. `from` is when the work
   * began (a process: when it was first seen), `lo` and `hi` bound the moment at which it was seen to go on.
   */
  z.object({
    effect: z.literal('work'),
    probe: z.string(),
    sign: z.enum(['process', 'span', 'cpu']),
    lo: time,
    hi: time,
    says: z.string(),
    subject: z.string(),
    call: requestId.optional(),
  }),
  /** Something reached a probe that could not have come from the server under test (no token): nobody's, and said so. */
  z.object({ effect: z.literal('stranger'), probe: z.string(), says: z.string() }),
  /** The probe has stopped watching. */
  z.object({ effect: z.literal('ended'), probe: z.string() }),
]);
export type Effect = z.infer<typeof effect>;

/** Number of an HTTP exchange (a request and its response) in its session: dense, from 1. */
export type ExchangeNumber = number;
const exchange = z.number().int().positive();
/** The headers that matter, by lower-case name; what is secret in them is masked. */
const headers = z.record(z.string(), z.string());

/** How far an exchange had come when it failed. `send`: connected, and the request not written whole. */
export const HTTP_PHASES = ['connect', 'tls', 'send', 'head', 'body'] as const;
export type HttpPhase = (typeof HTTP_PHASES)[number];

/** What an exchange is for. `stream`: a GET that opens or resumes an event stream. `end`: the DELETE of a session. */
export const HTTP_PURPOSES = ['message', 'stream', 'end', 'auth'] as const;

/** What happened below JSON-RPC: every HTTP exchange, from its request to the end of its response. */
export const http = z.discriminatedUnion('http', [
  /** About to be written. The message in its body is a frame of its own, which comes when it has been written. */
  z.object({
    http: z.literal('request'),
    exchange,
    method: z.string(),
    url: z.string(),
    purpose: z.enum(HTTP_PURPOSES),
    headers,
    /** Bytes of the body. */
    bytes: count,
    /** The request that it carries; of a `stream` that is resumed, the one whose answer it is to bring. */
    id: requestId.optional(),
    /** The request that the `notifications/cancelled` in it names. */
    cancels: requestId.optional(),
    /** Last-Event-ID: the stream is resumed behind this event. */
    resumes: z.string().optional(),
  }),
  /** The head of the response. */
  z.object({ http: z.literal('response'), exchange, status: count, headers }),
  /** The response is an event stream, which stays open until one of `ended`, `cut`, `failed`. */
  z.object({ http: z.literal('opened'), exchange }),
  /**
   * An event that carries no message: one that primes a resumption, one of another name, a time to wait (ms). Also the first
   * id of a stream whose ids come with messages: behind it the stream can be resumed.
   */
  z.object({ http: z.literal('event'), exchange, name: z.string().optional(), id: z.string().optional(), retry: count.optional() }),
  /** The response has come to its end. */
  z.object({ http: z.literal('ended'), exchange, bytes: count, events: count }),
  /** We closed it: `drop` because the person wanted it so, `close` with the session, `fault` because a fault was to. */
  z.object({ http: z.literal('cut'), exchange, bytes: count, events: count, by: z.enum(['drop', 'close', 'fault']) }),
  /** It came to no end: refused, timed out, reset, torn. `why` in plain words; `code` of the system or of the TLS library. */
  z.object({
    http: z.literal('failed'),
    exchange,
    phase: z.enum(HTTP_PHASES),
    why: z.string(),
    code: z.string().optional(),
    bytes: count,
    events: count,
  }),
]);
export type Http = z.infer<typeof http>;

/** Bytes as they were on the wire: text where they are UTF-8, else base64. */
export type Raw = { readonly text: string } | { readonly base64: string };

export type Body =
  | { readonly kind: 'message'; readonly raw: string; readonly exchange?: ExchangeNumber }
  | { readonly kind: 'noise'; readonly why: Noise; readonly raw: Raw; readonly exchange?: ExchangeNumber }
  | { readonly kind: 'stderr'; readonly raw: Raw }
  | { readonly kind: 'http'; readonly http: Http }
  | { readonly kind: 'life'; readonly life: Life }
  | { readonly kind: 'act'; readonly act: Act }
  | { readonly kind: 'effect'; readonly effect: Effect };

/** One frame, as the host makes it and as the trace file keeps it. */
export type Frame = {
  readonly seq: Seq;
  readonly t: Ns;
  /** ISO 8601 wall time, for people only. */
  readonly wall: string;
  readonly session: SessionNumber;
  readonly dir: Dir;
} & Body;
