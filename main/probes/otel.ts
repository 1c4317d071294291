// A receiver for the spans of an instrumented server (OTLP over HTTP). A span says what the server did for a call, from the
// inside: its start is a sign of work, and a span that is a write is an observation with its own interval.
//
// A span arrives when it has ended, and when its exporter next sends, which may be seconds later. So that nothing came means
// nothing: this probe never says that it saw nothing new.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import type { Ns } from '../../app/base/time';
import { type Probe, type ProbeContext, placeOf, type SpecOf } from '../../app/evidence/probe';
import { doneBy } from './done';
import { wallOffset } from './folder/narrow';
import { checkPort, listen, type Received, receive } from './loopback';
import { decodeSpans, JSON_TYPE, type Span } from './otel/decode';
import { timesOf } from './otel/times';
import { isUndecided, writeOf } from './otel/writes';
import { watchTurns } from './turns';

type OtelSpec = SpecOf<'otel'>;

/** A payload that is longer is not read. */
const PAYLOAD_BYTES = 16 * 1024 * 1024;
/** The signals that an exporter sends to one endpoint; only the first is looked at, so that the others do no harm. */
const TRACES = '/v1/traces';
const UNREAD: ReadonlySet<string> = new Set(['/v1/metrics', '/v1/logs']);

/**
 * Says whether the receiver's port can be had.
 * @returns undefined when it can, else why not and what to try
 */
export const checkOtel = (spec: OtelSpec): Promise<string | undefined> => checkPort(spec.port);

/**
 * Starts the receiver. Its variable `url` is what `OTEL_EXPORTER_OTLP_ENDPOINT` takes. Spans of traces that no call went out
 * with are answered and left alone.
 * @throws Error in plain words when the port cannot be had, or nobody tells which trace is whose
 */
export async function startOtelProbe(spec: OtelSpec, context: ProbeContext): Promise<Probe> {
  const { name: probe, kind, shared } = spec;
  const { clock, emit, traces } = context;
  if (!traces)
    throw new Error('Expected calls that carry a trace context, got none: spans cannot be told apart. Run the probe on a server.');
  const whole = doneBy(spec);
  const turns = watchTurns(clock);
  const known = new Set<string>();
  /** Payloads that have arrived and are being read. */
  const reading = new Set<Promise<void>>();
  /** What was sent before this has been read. */
  let readUpTo: Ns = clock.now();

  const gap = (why: string): void => {
    const hi = clock.now();
    emit({ effect: 'gap', probe, lo: readUpTo, hi, why });
    readUpTo = hi;
  };

  const take = (span: Span, at: Ns): void => {
    const call = traces.callOf(span.traceId);
    const key = `${span.traceId} ${span.spanId}`;
    // An exporter that did not hear our answer sends again.
    if (!call || known.has(key)) return;
    known.add(key);
    const { start, whole: all, sameClock } = timesOf(span, { call, at, wall: wallOffset(clock), host: hostname() });
    const doubt = sameClock ? '' : ' (its clock is not this machine’s)';
    const says = `span “${span.name}” started${doubt}`;
    emit({ effect: 'work', probe, sign: 'span', lo: start.lo, hi: start.hi, says, subject: `span ${span.spanId}`, call: call.id });
    const write = writeOf(span);
    if (!write) return;
    const undecided = isUndecided(span);
    emit({
      effect: 'seen',
      probe,
      lo: all.lo,
      hi: all.hi,
      says: `${write.what}${undecided ? ', which failed' : ''} (span “${span.name}”)${doubt}`,
      subject: write.what,
      ...(write.sample === undefined ? {} : { sample: write.sample }),
      ...(undecided ? { undecided } : {}),
      ...whole(`${write.what}\n${write.sample ?? ''}`),
      call: call.id,
    });
  };

  const payload = async (request: IncomingMessage, response: ServerResponse, body: Received, at: Ns): Promise<void> => {
    const { 'content-type': type = '', 'content-encoding': packing = '' } = request.headers;
    const media = type.split(';')[0]?.trim().toLowerCase() ?? '';
    try {
      if (body.length > PAYLOAD_BYTES) throw new Error(`expected at most ${PAYLOAD_BYTES} bytes, got ${body.length}`);
      for (const span of await decodeSpans(body.bytes, media, packing)) take(span, at);
      readUpTo = at;
      succeed(response, media);
    } catch (error) {
      gap(`spans came that cannot be read: ${error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error)}`);
      response.writeHead(400, { 'content-length': 0 }).end();
    }
  };

  const loopback = await listen({
    port: spec.port,
    async onRequest(request, response, path) {
      const body = await receive(request, PAYLOAD_BYTES);
      const at = clock.now();
      if (!body) return;
      if (UNREAD.has(path)) return succeed(response, request.headers['content-type'] ?? '');
      if (path !== TRACES || request.method !== 'POST') return void response.writeHead(404, { 'content-length': 0 }).end();
      const one = payload(request, response, body, at).finally(() => reading.delete(one));
      reading.add(one);
    },
    onStranger: (says) => emit({ effect: 'stranger', probe, says }),
    onFailure: (error) => gap(`connections could not be taken: ${error.message}`),
  }).catch((error: unknown) => {
    turns.stop();
    throw error;
  });

  /** Takes what has arrived. */
  const read = async (): Promise<void> => {
    await turns.drain();
    await Promise.all(reading);
  };
  const end = async (): Promise<void> => {
    await read();
    turns.stop();
    await loopback.close();
    emit({ effect: 'ended', probe });
  };
  let ending: Promise<void> | undefined;

  readUpTo = clock.now();
  emit({ effect: 'watching', probe, kind, place: placeOf({ ...spec, port: loopback.port }), shared });

  return {
    spec,
    variables: { url: loopback.url },
    read: () => ending ?? read(),
    stop() {
      ending ??= end();
      return ending;
    },
  };
}

/** OTLP 1.x, "Full success": an empty message, in the encoding of the request. */
function succeed(response: ServerResponse, type: string): void {
  const body = type.startsWith(JSON_TYPE) ? '{}' : '';
  response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
}
