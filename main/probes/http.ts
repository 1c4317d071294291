// A sink that the server under test posts to in the place of the real address. It stands on the receiving side of the
// effect: a request took effect between the moment at which it had arrived whole and the moment at which it was answered,
// as with any service. A request that never arrived whole has had no effect, and a reading one (GET, HEAD, OPTIONS) is none;
// both are answered as far as they can be, and not recorded.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ns } from '../../app/base/time';
import { type Probe, type ProbeContext, placeOf, type SpecOf } from '../../app/evidence/probe';
import { doneBy } from './done';
import { checkPort, listen, type Received, receive } from './loopback';
import { readings } from './readings';
import { watchTurns } from './turns';

type HttpSpec = SpecOf<'http'>;

/** How much of a body is looked at. */
const BODY_BYTES = 1024 * 1024;
/** How much of it goes into the trace: enough to tell whose it is. */
const SAMPLE_CHARS = 2000;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The only headers that are recorded: others may hold secrets. */
const RECORDED = ['content-type', 'idempotency-key'] as const;
/** The longest that a timer can be set to. */
const LONGEST_MS = 2 ** 31 - 1;
/** Statuses that have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Says whether the sink's port can be had.
 * @returns undefined when it can, else why not and what to try
 */
export const checkHttp = (spec: HttpSpec): Promise<string | undefined> => checkPort(spec.port);

/** A request that has arrived whole and has not been answered. */
interface Pending {
  answer(): void;
  readonly over: Promise<void>;
}

/**
 * Starts the sink. Its variable `url` is the address to give to the server; whatever follows it is part of what is seen.
 * @throws Error in plain words when the port cannot be had
 */
export async function startHttpProbe(spec: HttpSpec, context: ProbeContext): Promise<Probe> {
  const { name: probe, kind, shared } = spec;
  const { clock, emit } = context;
  const whole = doneBy(spec);
  const turns = watchTurns(clock);
  const pending = new Set<Pending>();
  let since: Ns = clock.now();
  let seen = 0;

  const arrived = (request: IncomingMessage, response: ServerResponse, path: string, body: Received): void => {
    // Taken at once: the body has arrived in this turn.
    const lo = turns.drained();
    const subject = `${request.method} ${path}`;
    const one = answering(response, spec);
    pending.add(one);
    void one.over.then(() => {
      pending.delete(one);
      seen++;
      const undecided = response.writableFinished ? {} : { undecided: true };
      const says = `${subject} (${body.length} ${body.length === 1 ? 'byte' : 'bytes'})${response.writableFinished ? '' : ', dropped before it was answered'}`;
      const text = body.bytes.toString('utf8');
      const sample = [...recorded(request), shown(text)].join('\n');
      emit({ effect: 'seen', probe, lo, hi: clock.now(), says, subject, sample, ...undecided, ...whole(`${says}\n${text}`) });
    });
  };

  const loopback = await listen({
    port: spec.port,
    async onRequest(request, response, path) {
      const body = await receive(request, BODY_BYTES);
      if (!body) return;
      if (READING.has(request.method ?? '')) answering(response, spec);
      else arrived(request, response, path, body);
    },
    onStranger: (says) => emit({ effect: 'stranger', probe, says }),
    onFailure(error) {
      const hi = clock.now();
      emit({ effect: 'gap', probe, lo: turns.drained(), hi, why: `connections could not be taken: ${error.message}` });
      since = hi;
    },
  }).catch((error: unknown) => {
    turns.stop();
    throw error;
  });

  /** Says what came, or that nothing did. While an answer is still due, neither is known. */
  const read = readings(async () => {
    const lo = clock.now();
    const before = seen;
    await turns.drain();
    if (seen === before && pending.size === 0 && since <= lo) emit({ effect: 'clear', probe, since, lo, hi: clock.now() });
  });

  since = clock.now();
  emit({ effect: 'watching', probe, kind, place: placeOf({ ...spec, port: loopback.port }), shared });

  /** Nobody waits for a delay any more: what has arrived is answered, and so known. */
  const end = async (): Promise<void> => {
    await turns.drain();
    for (const one of pending) one.answer();
    await settled(pending);
    await read();
    await loopback.close();
    await settled(pending);
    turns.stop();
    emit({ effect: 'ended', probe });
  };
  let ending: Promise<void> | undefined;

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

const settled = (pending: ReadonlySet<Pending>): Promise<unknown> => Promise.all([...pending].map(({ over }) => over));

/** Answers a request as the settings say, after their delay or when told to. */
function answering(response: ServerResponse, { status, delayMs }: HttpSpec): Pending {
  const over = new Promise<void>((resolve) => {
    response.once('finish', resolve);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  const answer = (): void => {
    clearTimeout(timer);
    if (response.writableEnded || response.destroyed) return;
    if (BODILESS.has(status)) response.writeHead(status).end();
    else response.writeHead(status, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
  };
  const timer = setTimeout(answer, Math.min(delayMs, LONGEST_MS));
  return { answer, over };
}

function recorded({ headers }: IncomingMessage): readonly string[] {
  const lines = RECORDED.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]));
  return lines.length > 0 ? [...lines, ''] : [];
}

/** The beginning of a body; what is no text is not shown. */
const shown = (text: string): string =>
  text.includes('\0') ? '(no text)' : [...text.slice(0, SAMPLE_CHARS * 2)].slice(0, SAMPLE_CHARS).join('');
