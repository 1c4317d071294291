// The JSON report, version 1: public, read by other people's CI. A member is never renamed or given another meaning; what
// is not known is `null`, because JSON has no other word for it. Times are milliseconds on the trace's monotonic clock.
import { z } from 'zod';
import { SAID_BY } from '../trace/tasks';
import { CERTAINTIES, EFFECTS, FINDINGS, FLAGS, HEADLINES, REPLIES, SEVERITIES, STOPS } from '../verdict/verdict';
import { TRANSPORTS } from '../wire/frame';

export const REPORT_FORMAT = 'stopgap-report';
export const REPORT_VERSION = 1;

const ms = z.number();
const seq = z.number().int().nonnegative();
const count = z.number().int().nonnegative();
const certainty = z.enum(CERTAINTIES);
const severity = z.enum(SEVERITIES);

/** Frames by number, and what each shows. */
const because = z.array(z.strictObject({ seq, says: z.string() }));

const stop = z.strictObject({
  state: z.enum(STOPS),
  certainty,
  /** `cancel`, `abandon`, `timeout`, `timeout:silent`, `kill`, `cancel-id:99`; null when nobody stopped the call. */
  how: z.string().nullable(),
  /** c, the moment of the stop. */
  atMs: ms.nullable(),
  reason: z.string().nullable(),
  flags: z.array(z.enum(FLAGS)),
  because,
});

const reply = z.strictObject({
  state: z.enum(REPLIES),
  certainty,
  duplicate: z.boolean(),
  atMs: ms.nullable(),
  lateByMs: ms.nullable(),
  /** JSON-RPC error code of an error reply. */
  code: z.number().nullable(),
  because,
});

const effect = z.strictObject({
  state: z.enum(EFFECTS),
  certainty,
  /** The observation that decides the lane: absent at `fromMs`, present at `toMs`. */
  probe: z.string().nullable(),
  fromMs: ms.nullable(),
  toMs: ms.nullable(),
  /** How long after the stop at least; for `after` only. */
  afterByMs: ms.nullable(),
  readFirst: z.enum(['yes', 'unknown']),
  /** The probes that watched the call for effects: the places that the lane speaks of. */
  watchedBy: z.array(z.string()),
  observations: z.array(
    z.strictObject({
      probe: z.string(),
      fromMs: ms,
      toMs: ms,
      state: z.enum(['after', 'straddles', 'before', 'observed']),
      reverted: z.boolean(),
      says: z.string(),
      seq,
    }),
  ),
  because,
});

/** The HTTP exchanges of a call; numbers are those of the session. */
const http = z.strictObject({
  /** The POST that carried the request; the last one, where it was sent again after a login. */
  exchange: count,
  /** Its status; null while there is none. */
  status: count.nullable(),
  /** How long its response has been an open event stream; null where it is none. */
  streamOpenForMs: ms.nullable(),
  /** How its response came to its end; null while it has not. */
  end: z.enum(['ended', 'cut', 'failed']).nullable(),
  /** GETs on which the response was taken up again. */
  resumedOn: z.array(count),
  /** The POST that carried the cancel, or was to, and its status. */
  cancelExchange: count.nullable(),
  cancelStatus: count.nullable(),
  /** All of this in words, with why a response broke off. */
  says: z.string(),
});

/** What said that a task is in a state. */
const saidBy = z.enum(SAID_BY);

/** The task that a call became. */
const task = z.strictObject({
  id: z.string(),
  createdAtMs: ms,
  /** For how long the server keeps it; null where it does not say, or does not forget it. */
  ttlMs: ms.nullable(),
  /** How long it asks to be left alone between two polls. */
  pollIntervalMs: ms.nullable(),
  /** Its states, each from the first time that it was said; `says` is what the server says beside it. */
  states: z.array(z.strictObject({ status: z.string(), by: saidBy, atMs: ms, seq, says: z.string().nullable() })),
  /** How often it was asked for, and cancelled. */
  polls: count,
  cancels: count,
  /** All of this in words. */
  says: z.string(),
});

const call = z.strictObject({
  name: z.string(),
  /** The JSON-RPC id with its type. */
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  tool: z.string().nullable(),
  sentAtMs: ms,
  stop,
  reply,
  effect,
  verdict: z.enum(HEADLINES),
  severity,
  certainty,
  settled: z.boolean(),
  sentence: z.string(),
  because,
  /** Faults of ours that were on, and what they did to the call; empty where none was. */
  faults: z.array(z.strictObject({ atMs: ms, seq, says: z.string() })),
  callerSaw: z.string(),
  /** Name of the call that this one repeats. */
  retryOf: z.string().nullable(),
  history: z.array(z.strictObject({ atMs: ms, verdict: z.enum(HEADLINES) })),
  afterStop: z.strictObject({ progress: count, logs: count, requests: count }),
  /** null where the call did not go over HTTP. */
  http: http.nullable(),
  /** null where the call did not become a task. */
  task: task.nullable(),
});

/** A whole report. */
export const report = z.strictObject({
  format: z.literal(REPORT_FORMAT),
  version: z.literal(REPORT_VERSION),
  /** null when no server was reached. */
  server: z.strictObject({ name: z.string(), version: z.string(), protocol: z.string(), transport: z.enum(TRANSPORTS) }).nullable(),
  calls: z.array(call),
  probes: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.string(),
      watchedFromMs: ms,
      watchedToMs: ms,
      gaps: z.array(z.strictObject({ fromMs: ms, toMs: ms, why: z.string() })),
    }),
  ),
  findings: z.array(
    z.strictObject({
      finding: z.enum(FINDINGS),
      severity,
      seq,
      sentence: z.string(),
      /** For what lasts: how long it has; null for everything else. */
      lastsMs: ms.nullable(),
    }),
  ),
  /** Tasks that are at work as far as anybody knows, and that nobody asks for any more. */
  orphanTasks: z.array(z.strictObject({ id: z.string(), status: z.string(), by: saidBy, atMs: ms, seq })),
  expectations: z.array(z.strictObject({ index: count, ok: z.boolean(), expected: z.string(), saw: z.string() })),
});

export type Report = z.infer<typeof report>;
export type ReportedCall = Report['calls'][number];
export type ReportedExpectation = Report['expectations'][number];
