// The fold of what happens below JSON-RPC: every HTTP exchange from its request to the end of its response, and which of
// them carry what of a call. Over HTTP a cancel is a request of its own, an answer may come by another response than the
// one that its request got, and a stream may stay open for ever: none of that can be read off the messages.
import type { Ns } from '../base/time';
import type { ExchangeNumber, Http, SessionNumber } from '../wire/frame';
import { keyOf } from '../wire/jsonrpc';
import type { Call, Session, Stamp } from './calls';

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

/** The exchanges of one session, by number and in the order in which they appear. */
export class Exchanges {
  readonly all: Exchange[] = [];
  /** GETs, which open or resume event streams. */
  readonly streams: Exchange[] = [];
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
        if (http.purpose === 'stream') this.streams.push(exchange);
        break;
      case 'response':
        exchange.response = { ...stamp, http };
        break;
      case 'opened':
        exchange.opened = stamp;
        break;
      case 'event':
        exchange.events.push({ ...stamp, http });
        break;
      case 'ended':
      case 'cut':
      case 'failed':
        exchange.end = { ...stamp, http };
        break;
    }
    return exchange;
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
      this.all.push(exchange);
    }
    return exchange;
  }
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

const NONE: readonly Exchange[] = [];

/**
 * The exchanges by which the answer to a call of the client may come, in order: the POST of its request (several, after a
 * login), then the streams on which that was resumed; over the older HTTP+SSE transport the session's one stream. Empty
 * where the call did not go over HTTP.
 */
export function carriersOf(call: Call, session: Session): readonly Exchange[] {
  if (call.exchanges.length === 0) return NONE;
  const { streams } = session.exchanges;
  if (session.transport === 'sse') {
    const stream = streams.findLast((one) => one.request !== undefined && one.request.t <= call.sent.t);
    return stream ? [...call.exchanges, stream] : call.exchanges;
  }
  const found = [...call.exchanges];
  for (const stream of streams) if (continues(stream, found, call, session)) found.push(stream);
  return found;
}

/** Whether a stream takes up what a call's response has left. */
function continues(stream: Exchange, before: readonly Exchange[], call: Call, session: Session): boolean {
  const { request } = stream;
  if (call.replies.some((reply) => reply.exchange === stream.number)) return true;
  const resumes = request?.http.resumes;
  if (!request || resumes === undefined) return false;
  const { id } = request.http;
  if (id !== undefined) return keyOf(id) === call.key;
  const gave = (exchange: Exchange): boolean => exchange.events.some(({ http }) => http.id === resumes);
  if (before.some(gave)) return true;
  if (session.exchanges.all.some(gave)) return false;
  // An id that came with a message: it may be the one of any response that had ended by then.
  const last = before.at(-1)?.end;
  const open = call.replies.every((reply) => reply.t > request.t);
  return last !== undefined && last.t <= request.t && open;
}

/** How the way by which an answer would have come was closed. */
export interface Closing extends Stamp {
  /** `refused`: another status than 2xx; `ended`: in order; `failed`: torn; `dropped` by the person; `closed` with the session. */
  readonly how: 'refused' | 'ended' | 'failed' | 'dropped' | 'closed';
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
  const refused = post && closed(post);
  if (refused && refused.how !== 'ended') return refused;
  const closing = closed(last);
  if (!closing || (session.transport === 'sse' && last === post)) return undefined;
  const goesOn = closing.how === 'ended' || (closing.how === 'failed' && last.response !== undefined);
  return goesOn && session.transport !== 'sse' && carriers.some(isResumable) ? undefined : closing;
}

function closed(exchange: Exchange): Closing | undefined {
  const { response, end } = exchange;
  if (response && !isTaken(response.http.status)) return { seq: response.seq, t: response.t, how: 'refused', exchange };
  return end && { seq: end.seq, t: end.t, how: howEnded(end.http), exchange };
}

function howEnded(http: Extract<Http, { http: 'ended' | 'cut' | 'failed' }>): Closing['how'] {
  if (http.http !== 'cut') return http.http;
  return http.by === 'drop' ? 'dropped' : 'closed';
}
