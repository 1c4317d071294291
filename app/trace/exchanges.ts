// The fold of what happens below JSON-RPC: every HTTP exchange from its request to the end of its response, and which of
// them carry what of a call. Over HTTP a cancel is a request of its own, an answer may come by another response than the
// one that its request got, and a stream may stay open for ever: none of that can be read off the messages.
import type { Ns } from '../base/time';
import type { ExchangeNumber, Http, Life, SessionNumber } from '../wire/frame';
import { keyOf } from '../wire/jsonrpc';
import type { Call, Session, Stamp } from './calls';
import { answersOf } from './tasks';

/** One frame of an exchange. */
export type Step<H extends Http['http']> = Stamp & { readonly http: Extract<Http, { http: H }> };

/** An HTTP request and its response, as far as they have come. What came out of order is filled in where it belongs. */
export interface Exchange {
  readonly session: SessionNumber;
  readonly number: ExchangeNumber;
  readonly request: Step<'request'> | undefined;
  /** The head of the response. */
  readonly response: Step<'response'> | undefined;
  /** The response is an event stream. */
  readonly opened: Stamp | undefined;
  /** Events without a message, in order. */
  readonly events: readonly Step<'event'>[];
  readonly end: Step<'ended' | 'cut' | 'failed'> | undefined;
}

type Folding = { -readonly [K in keyof Exchange]: Exchange[K] extends readonly (infer Item)[] ? Item[] : Exchange[K] };

/** The exchanges of one session, by number. */
export class Exchanges {
  /** GETs, which open or resume event streams. */
  readonly streams: Exchange[] = [];
  /** The DELETE by which the client ends the session. */
  farewell: Exchange | undefined;
  /** Responses of 401, and what an authorization made of them: its beginnings, and its steps that failed. */
  readonly #refused: Stamp[] = [];
  readonly #challenges: Ns[] = [];
  readonly #failures: Ns[] = [];
  /** GETs that resume a stream, by the event that they name, and by the request where they name that. */
  readonly #resuming = new Map<string, Exchange[]>();
  readonly #resumingFor = new Map<string, Exchange[]>();
  /** Ids of events that came without a message. */
  readonly #events = new Set<string>();
  readonly #byNumber = new Map<ExchangeNumber, Folding>();
  readonly #session: SessionNumber;

  constructor(session: SessionNumber) {
    this.#session = session;
  }

  get(number: ExchangeNumber): Exchange | undefined {
    return this.#byNumber.get(number);
  }

  /** The exchange of a number, known already or not. */
  of(number: ExchangeNumber): Exchange {
    return this.#folding(number);
  }

  /** Takes one frame in. @returns the exchange that it belongs to */
  take(stamp: Stamp, http: Http): Exchange {
    const exchange = this.#folding(http.exchange);
    switch (http.http) {
      case 'request':
        exchange.request = { ...stamp, http };
        this.#requested(exchange, http);
        break;
      case 'response':
        exchange.response = { ...stamp, http };
        if (http.status === UNAUTHORIZED) this.#refused.push(stamp);
        break;
      case 'opened':
        exchange.opened = stamp;
        break;
      case 'event':
        exchange.events.push({ ...stamp, http });
        if (http.id !== undefined) this.#events.add(http.id);
        break;
      case 'ended':
      case 'cut':
      case 'failed':
        exchange.end = { ...stamp, http };
        break;
    }
    return exchange;
  }

  /** GETs that resume behind an event. */
  resumedBehind = (event: string): readonly Exchange[] => this.#resuming.get(event) ?? NONE;
  /** GETs that resume the response to a request, and say so. */
  resumedFor = (key: string): readonly Exchange[] => this.#resumingFor.get(key) ?? NONE;

  /** GETs that resume behind an event that is not known: one that came with a message. */
  get strays(): readonly Exchange[] {
    return [...this.#resuming].flatMap(([event, streams]) => (this.#events.has(event) ? [] : streams));
  }

  /** A step of an authorization. */
  authorized(t: Ns, { step, ok }: Extract<Life, { event: 'auth' }>): void {
    if (!ok) this.#failures.push(t);
    else if (step === 'challenge') this.#challenges.push(t);
  }

  /** Whether a request whose token was answered 401 waits for a new one: it is about to be sent again, and not lost. */
  isRenewing({ request, response }: Exchange): boolean {
    if (response?.http.status !== UNAUTHORIZED || request?.http.headers['authorization'] === undefined) return false;
    const behind = (t: Ns): boolean => t >= response.t;
    // The challenge is noted right behind the refusal: one that stands behind a later refusal is that one's.
    const next = Math.min(...this.#refused.map(({ t }) => t).filter((t) => t > response.t));
    const challenge = this.#challenges.find((t) => behind(t) && t < next);
    return challenge !== undefined && !this.#failures.some(behind);
  }

  #requested(exchange: Exchange, { purpose, resumes, id }: Extract<Http, { http: 'request' }>): void {
    if (purpose === 'end') this.farewell ??= exchange;
    if (purpose !== 'stream') return;
    this.streams.push(exchange);
    if (resumes !== undefined) append(this.#resuming, resumes, exchange);
    if (resumes !== undefined && id !== undefined) append(this.#resumingFor, keyOf(id), exchange);
  }

  #folding(number: ExchangeNumber): Folding {
    let exchange = this.#byNumber.get(number);
    if (!exchange) {
      exchange = {
        session: this.#session,
        number,
        request: undefined,
        response: undefined,
        opened: undefined,
        events: [],
        end: undefined,
      };
      this.#byNumber.set(number, exchange);
    }
    return exchange;
  }
}

const NONE: readonly Exchange[] = [];
const UNAUTHORIZED = 401;

function append(map: Map<string, Exchange[]>, key: string, exchange: Exchange): void {
  const list = map.get(key);
  if (list) list.push(exchange);
  else map.set(key, [exchange]);
}

/** What an exchange is there for. */
export type Cargo = 'call' | 'cancel' | 'message' | 'stream' | 'resumption' | 'end' | 'auth';

/** What an exchange carries, by its request. */
export function cargoOf({ request }: Exchange): Cargo | undefined {
  if (!request) return undefined;
  const { purpose, id, cancels, resumes } = request.http;
  if (purpose === 'stream') return resumes === undefined ? 'stream' : 'resumption';
  if (purpose !== 'message') return purpose;
  return cancels !== undefined ? 'cancel' : id !== undefined ? 'call' : 'message';
}

/** `POST #7` */
export const exchangeName = ({ request, number }: Exchange): string => `${request?.http.method ?? 'POST'} #${number}`;

/** The status of the response; undefined as long as its head has not come. */
export const statusOf = ({ response }: Exchange): number | undefined => response?.http.status;

/** Whether a status says that the request was taken. */
export const isTaken = (status: number): boolean => status >= 200 && status < 300;

/** When the response became an event stream, or began to come: from then on there is somebody at the other end. */
export const beganAt = ({ opened, response }: Exchange): Ns | undefined =>
  opened?.t ?? (response && isTaken(response.http.status) ? response.t : undefined);

/** An id has been given out behind which a client may take the stream up again: its end is none of the answer's. */
const isResumable = ({ events }: Exchange): boolean => events.some(({ http }) => http.id !== undefined);

/**
 * The exchanges by which the answer to a call of the client may come, in order: the POST of its request (several, after a
 * login), then the streams on which that was resumed; over the older HTTP+SSE transport the session's one stream. Empty
 * where the call did not go over HTTP.
 */
export function carriersOf(call: Call, session: Session): readonly Exchange[] {
  if (call.exchanges.length === 0) return NONE;
  const { exchanges } = session;
  if (session.transport === 'sse') {
    const stream = exchanges.streams.findLast((one) => one.request !== undefined && one.request.t <= call.sent.t);
    return stream ? [...call.exchanges, stream] : call.exchanges;
  }
  const found = new Set<Exchange>([...call.exchanges, ...exchanges.resumedFor(call.key)]);
  for (const { exchange } of answersOf(call)) {
    const stream = exchanges.get(exchange);
    if (stream) found.add(stream);
  }
  // A set goes on to what is added while it is walked: a resumed stream may be resumed in its turn.
  for (const exchange of found) for (const { http } of exchange.events) for (const next of resumedBehind(http.id, session)) found.add(next);
  if (answersOf(call).length === 0) for (const stream of exchanges.strays) if (mayResume(stream, [...found])) found.add(stream);
  return [...found].sort((a, b) => (a.request?.t ?? 0) - (b.request?.t ?? 0));
}

const resumedBehind = (event: string | undefined, { exchanges }: Session): readonly Exchange[] =>
  event === undefined ? NONE : exchanges.resumedBehind(event);

/** A stream that is resumed behind an event that came with a message may be any that had ended by then. */
function mayResume({ request }: Exchange, before: readonly Exchange[]): boolean {
  const last = before.at(-1)?.end;
  return request !== undefined && request.http.id === undefined && last !== undefined && last.t <= request.t;
}

/** How the way by which an answer would have come was closed. */
export interface Closing extends Stamp {
  /** `refused`: another status than 2xx; `ended`: in order; `failed`: torn; `dropped` by the person; `closed` with the session; `cut` by a fault of ours. */
  readonly how: 'refused' | 'ended' | 'failed' | 'dropped' | 'closed' | 'cut';
  readonly exchange: Exchange;
}

/**
 * When no answer to a call can come any more by any exchange.
 * @returns undefined while one may, by a response that is still open or that the client takes up again (2025-11-25: a stream
 *   that the server closes for polling); and where the call did not go over HTTP
 */
export function closingOf(call: Call, session: Session): Closing | undefined {
  const carriers = carriersOf(call, session);
  const last = carriers.at(-1);
  if (!last) return undefined;
  // Over HTTP+SSE the POST is only accepted; one that is not carries nothing to the stream.
  const post = session.transport === 'sse' ? call.exchanges.at(-1) : undefined;
  const refused = post && closed(post, session);
  if (refused && refused.how !== 'ended') return refused;
  const closing = closed(last, session);
  if (!closing || (session.transport === 'sse' && last === post)) return undefined;
  const goesOn = closing.how === 'ended' || ((closing.how === 'failed' || closing.how === 'cut') && last.response !== undefined);
  return goesOn && session.transport !== 'sse' && carriers.some(isResumable) ? undefined : closing;
}

function closed(exchange: Exchange, { exchanges }: Session): Closing | undefined {
  const { response, end } = exchange;
  if (exchanges.isRenewing(exchange)) return undefined;
  if (response && !isTaken(response.http.status)) return { seq: response.seq, t: response.t, how: 'refused', exchange };
  return end && { seq: end.seq, t: end.t, how: howEnded(end.http), exchange };
}

const HOW_CUT = { drop: 'dropped', close: 'closed', fault: 'cut' } as const;

function howEnded(http: Extract<Http, { http: 'ended' | 'cut' | 'failed' }>): Closing['how'] {
  if (http.http !== 'cut') return http.http;
  return HOW_CUT[http.by];
}
