// The tapped fetch: the SDK's transports make their requests through it, and everything that is recorded or handed on comes
// from the bytes that pass here. The SDK's own reading of a response is no second source. It is given a digest of it: the
// ids and waiting times that a resumption needs, and that a reply has come, so that it stops asking for it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Dispatcher } from 'undici';
import type { Clock, Ns } from '../../app/base/time';
import type { ExchangeNumber, Http, RequestId } from '../../app/wire/frame';
import { keyOf } from '../../app/wire/jsonrpc';
import { type EventReader, eventReader, type StreamEvent } from './event-stream';
import { exchange, type RunningExchange } from './http-exchange';
import type { HttpFailure } from './http-failure';
import { carriedBy, type HttpHeaders, maskedUrl, requestHeaders, responseHeaders } from './http-headers';
import { type Answer, excerptOf, HttpError, type HttpProblem } from './http-problem';
import { LINE_LIMIT } from './lines';
import type { Parcel, WireListener } from './wire';

/** A message while the SDK's transport sends it. */
export interface Cargo {
  readonly parcel: Parcel;
  /** The request that it is. */
  readonly id: RequestId | undefined;
  /** The last exchange that has carried it. */
  exchange: Exchange | undefined;
  /** Something has been done with it already. */
  settled: boolean;
}

export interface HttpTapOptions {
  readonly clock: Clock;
  readonly listener: WireListener;
  readonly dispatcher: () => Dispatcher;
  readonly userAgent: string;
  /** Longest body or event in bytes. */
  readonly limit?: number | undefined;
  /** An exchange is over, in whatever way. */
  readonly over: (exchange: Exchange) => void;
  /** These requests have been answered, by typed key. */
  readonly answered: (keys: readonly string[]) => void;
  /** The answer to a request comes with the response to its POST; in the older transport it comes on the one stream. */
  readonly answersOnPost: () => boolean;
  /** Whether a stream that was to bring the answer to this request may still be resumed. */
  readonly mayResume: (brings: RequestId) => boolean;
}

const BUSY_MS = 5;
/** Of a body that is no message so much is kept: a proxy's page must not fill the trace. */
const PAGE = 16 * 1024;

/** One HTTP request with its response. */
export class Exchange {
  readonly number: ExchangeNumber;
  readonly purpose: Extract<Http, { http: 'request' }>['purpose'];
  readonly method: string;
  readonly cargo: Cargo | undefined;
  /** The event behind which it resumes a stream. */
  readonly resumes: string | undefined;
  /** The request whose answer it is to bring: its own, or that of the stream that it resumes. */
  brings: RequestId | undefined;
  status: number | undefined;
  headers: HttpHeaders = {};
  /** The response is an event stream. */
  streams = false;
  bytes = 0;
  events = 0;
  lastEventId: string | undefined;
  /** The answer that it was to bring has come. */
  replied = false;
  /** It broke off in the middle of an event. */
  torn = false;
  /** The beginning of a body that is no message. */
  text: string | undefined;
  end: 'ended' | 'drop' | 'close' | HttpFailure | undefined;
  readonly over: Promise<void>;
  tellOver: () => void = () => undefined;
  running: RunningExchange | undefined;

  constructor(number: ExchangeNumber, purpose: Exchange['purpose'], method: string, cargo: Cargo | undefined, resumes: string | undefined) {
    this.number = number;
    this.purpose = purpose;
    this.method = method;
    this.cargo = cargo;
    this.resumes = resumes;
    this.over = new Promise((resolve) => {
      this.tellOver = resolve;
    });
  }

  get ok(): boolean {
    return this.status !== undefined && this.status >= 200 && this.status < 300;
  }

  /** The response is compressed, which nobody has asked for: its bytes cannot be read. */
  get compressed(): string | undefined {
    const encoding = this.headers['content-encoding'];
    return encoding === undefined || encoding.toLowerCase() === 'identity' ? undefined : encoding;
  }

  /** Undefined where the body cannot be read, too. */
  get mediaType(): string | undefined {
    if (this.compressed !== undefined) return undefined;
    return this.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  }

  get answer(): Answer {
    const headers = responseHeaders(this.headers);
    const excerpt = excerptOf(this.text ?? '');
    const type = headers['content-type'];
    return {
      method: this.method,
      status: this.status ?? 0,
      contentType: this.compressed === undefined ? type : `${type ?? 'bytes'}, compressed (${this.compressed})`,
      location: headers['location'],
      challenge: headers['www-authenticate'],
      retryAfter: headers['retry-after'],
      server: headers['server'],
      ...excerpt,
    };
  }

  /** Why the message that it carried came to nothing. */
  get problem(): HttpProblem {
    const { end } = this;
    if (end === 'drop' || end === 'close') return { problem: 'closed', by: end };
    if (this.status !== undefined && !this.ok) return { problem: 'status', answer: this.answer };
    if (typeof end === 'object' && this.status === undefined) return { problem: 'failed', ...end };
    const { answer } = this;
    if (!this.streams && this.bytes > 0 && (answer.page || this.mediaType !== 'application/json')) return { problem: 'content', answer };
    if (this.torn) return { problem: 'no-reply', why: 'the stream was cut off in the middle of an event, before the answer', torn: true };
    if (typeof end === 'object') return { problem: 'no-reply', why: `${end.why}, before the answer`, torn: false };
    const said = answer.says === undefined ? '' : `: it says “${answer.says}”`;
    return { problem: 'no-reply', why: `the response ended, and the answer was not in it${said}`, torn: false };
  }
}

export class HttpTap {
  readonly carrying = new AsyncLocalStorage<Cargo>();
  readonly #options: HttpTapOptions;
  readonly #open = new Map<Exchange, Reading>();
  #exchanges = 0;
  readonly #signals = new WeakMap<AbortSignal, Set<Exchange>>();
  /** By the last event of a stream: the request whose answer it was to bring. */
  readonly #streams = new Map<string, RequestId | undefined>();

  constructor(options: HttpTapOptions) {
    this.#options = options;
  }

  get open(): readonly Exchange[] {
    return [...this.#open.keys()];
  }

  /** The event stream that was asked for last, open or not. */
  lastStream: Exchange | undefined;

  /** What the SDK's transports fetch with. */
  readonly fetch: FetchLike = (input, init = {}) => {
    const url = new URL(input);
    const method = (init.method ?? 'GET').toUpperCase();
    const body = init.body === undefined || init.body === null ? undefined : String(init.body);
    const store = this.carrying.getStore();
    const cargo = method === 'POST' && store?.parcel.text === body ? store : undefined;
    const headers = { ...sendable(url, init.headers, this.#options.userAgent), ...cargo?.parcel.headers };
    const resumes = headers['last-event-id'];
    if (init.signal?.aborted) return Promise.reject(new HttpError({ problem: 'closed', by: 'close' }));
    const brings = resumes === undefined ? undefined : this.#streams.get(resumes);
    // To the SDK 405 says that there is no such stream, and that nothing is wrong.
    if (brings !== undefined && !this.#options.mayResume(brings)) return Promise.resolve(new Response(null, { status: 405 }));
    const begun = new Exchange(++this.#exchanges, purposeOf(method, headers, cargo), method, cargo, resumes);
    if (cargo) cargo.exchange = begun;
    if (begun.purpose === 'stream') this.lastStream = begun;
    begun.brings = resumes === undefined && this.#options.answersOnPost() ? cargo?.id : brings;
    this.#record({
      http: 'request',
      exchange: begun.number,
      method,
      url: maskedUrl(url.href),
      purpose: begun.purpose,
      headers: requestHeaders(headers),
      bytes: body === undefined ? 0 : Buffer.byteLength(body),
      ...(cargo ? carriedBy(cargo.parcel.message) : brings === undefined ? {} : { id: brings }),
      ...(resumes === undefined ? {} : { resumes }),
    });
    return this.#run(begun, { url, method, headers, body }, init.signal ?? undefined);
  };

  #run(begun: Exchange, request: Parameters<typeof exchange>[1], signal: AbortSignal | undefined): Promise<Response> {
    return new Promise((resolve, reject) => {
      const reading = new Reading(begun, this.#options, (frame) => this.#record(frame), { resolve, reject });
      reading.closed = () => {
        if (signal) this.#ofSignal(signal).delete(begun);
        this.#open.delete(begun);
        if (begun.lastEventId !== undefined && !begun.replied) this.#streams.set(begun.lastEventId, begun.brings);
        begun.tellOver();
        this.#options.over(begun);
      };
      this.#open.set(begun, reading);
      begun.running = exchange(this.#options.dispatcher(), request, reading);
      if (signal) this.#ofSignal(signal).add(begun);
    });
  }

  /** The open exchanges that end with a signal of the SDK's. One signal ends many: it has one listener for all of them. */
  #ofSignal(signal: AbortSignal): Set<Exchange> {
    const known = this.#signals.get(signal);
    if (known) return known;
    const exchanges = new Set<Exchange>();
    this.#signals.set(signal, exchanges);
    signal.addEventListener(
      'abort',
      () => {
        for (const exchange of [...exchanges]) this.cut(exchange, 'close');
      },
      { once: true },
    );
    return exchanges;
  }

  /**
   * Closes an exchange. Of one that the person has dropped the SDK is told that its answer has come, so that it does not resume
   * it; one that a fault cuts has broken off, for all that anybody on this side knows.
   */
  cut(of: Exchange, by: 'drop' | 'close' | 'fault'): void {
    this.#open.get(of)?.cut(by);
  }

  #record(frame: Http): void {
    this.#options.listener.http(this.#options.clock.now(), frame);
  }
}

/** How the SDK's fetch comes to its end. */
interface Settle {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

/** Reads the response of one exchange. */
class Reading {
  closed: () => void = () => undefined;
  readonly #of: Exchange;
  readonly #options: HttpTapOptions;
  readonly #record: (frame: Http) => void;
  readonly #settle: Settle;
  #digest: ReadableStreamDefaultController<Uint8Array> | undefined;
  #events: EventReader | undefined;
  #held: Buffer[] = [];
  #heldSize = 0;

  constructor(of: Exchange, options: HttpTapOptions, record: (frame: Http) => void, settle: Settle) {
    this.#of = of;
    this.#options = options;
    this.#record = record;
    this.#settle = settle;
  }

  written(): void {
    const { cargo, number } = this.#of;
    cargo?.parcel.written(this.#options.clock.now(), number);
  }

  head(status: number, headers: HttpHeaders): void {
    const of = this.#of;
    of.status = status;
    of.headers = headers;
    this.#record({ http: 'response', exchange: of.number, status, headers: responseHeaders(headers) });
    of.streams = of.ok && of.purpose !== 'auth' && of.mediaType === 'text/event-stream';
    if (of.streams) {
      this.#events = eventReader(
        { event: (t, event) => this.#event(t, event), broken: (t, why, bytes) => this.#broken(t, why, bytes) },
        this.#options.limit,
      );
      this.#record({ http: 'opened', exchange: of.number });
    }
    this.#settle.resolve(this.#response(status, headers));
    // Should it break off before its first event, it is resumed where it was this time.
    if (of.streams && of.resumes !== undefined) this.#resumed(of.resumes);
  }

  #resumed(behind: string): void {
    this.#of.lastEventId = behind;
    this.#send({ id: behind, data: '' });
  }

  #response(status: number, headers: HttpHeaders): Response {
    const shown = new globalThis.Headers(Object.entries(headers).filter(([name]) => !HOP.has(name)));
    const known = Math.min(status, 599);
    if (BODYLESS.has(known)) return new Response(null, { status: known, headers: shown });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#digest = controller;
      },
      // Who does not want the rest is not asked for it any more; it is read and recorded all the same.
      cancel: () => {
        this.#digest = undefined;
      },
    });
    return new Response(body, { status: known, headers: shown });
  }

  chunk(bytes: Buffer): boolean {
    const { clock, listener } = this.#options;
    const t = clock.now();
    this.#of.bytes += bytes.length;
    if (this.#of.purpose === 'auth') this.#digest?.enqueue(Uint8Array.from(bytes));
    else if (this.#events) this.#events.push(bytes, t);
    else this.#hold(bytes);
    if (!listener.busy()) return true;
    void this.#pause();
    return false;
  }

  async #pause(): Promise<void> {
    while (this.#options.listener.busy()) await rest(BUSY_MS);
    this.#of.running?.resume();
  }

  #hold(bytes: Buffer): void {
    const limit = this.#of.mediaType === 'application/json' ? (this.#options.limit ?? LINE_LIMIT) : PAGE;
    const room = limit - this.#heldSize;
    if (room > 0) this.#held.push(Buffer.from(bytes.subarray(0, room)));
    this.#heldSize += Math.min(room, bytes.length);
  }

  ended(): void {
    this.#finish();
    if (this.#isOver) return;
    const { number, bytes, events } = this.#of;
    this.#record({ http: 'ended', exchange: number, bytes, events });
    this.#close('ended');
  }

  failed(failure: HttpFailure): void {
    this.#finish();
    if (this.#isOver) return;
    const { number, bytes, events } = this.#of;
    const { code, ...what } = failure;
    this.#record({ http: 'failed', exchange: number, ...what, ...(code === undefined ? {} : { code }), bytes, events });
    this.#close(failure);
  }

  cut(by: 'drop' | 'close' | 'fault'): void {
    this.#of.running?.giveUp();
    // What a message is cut at is being read, and the rest of it is not wanted.
    if (by !== 'fault') this.#finish();
    const { number, bytes, events, status } = this.#of;
    this.#record({ http: 'cut', exchange: number, bytes, events, by });
    if (by === 'drop') this.#send({ id: undefined, data: REPLY });
    this.#close(by === 'fault' ? { phase: status === undefined ? 'head' : 'body', why: 'a fault of ours cut it', code: undefined } : by);
  }

  /** What was held back is read, now that nothing more comes. */
  #finish(): void {
    const of = this.#of;
    const t = this.#options.clock.now();
    this.#events?.end(t);
    if (this.#heldSize === 0) return;
    const body = Buffer.concat(this.#held, this.#heldSize);
    this.#held = [];
    this.#heldSize = 0;
    if (of.mediaType !== 'application/json') {
      if (of.compressed === undefined) of.text = body.toString('utf8');
      // Where nothing is to be answered, a word such as “Accepted” stands in the place of nothing.
      if (!of.ok || of.brings !== undefined) this.#options.listener.broken(t, 'not-json', body, of.number);
    } else if (of.bytes > body.length) this.#options.listener.broken(t, 'too-long', body.subarray(0, PAGE), of.number);
    else this.#body(t, body);
  }

  #body(t: Ns, body: Buffer): void {
    const of = this.#of;
    const text = body.toString('utf8');
    const answered = this.#options.listener.text(t, text, body.length, of.number);
    if (this.#isOver) return;
    if (answered.length === 0) of.text = text.slice(0, PAGE);
    this.#answers(answered);
    if (of.ok && of.purpose === 'message') this.#digest?.enqueue(ENCODER.encode(REPLY));
  }

  #event(t: Ns, event: StreamEvent): void {
    const of = this.#of;
    // A fault has cut it in the middle of a chunk.
    if (this.#isOver) return;
    const { name, id, retry, data } = event;
    const isMessage = name === undefined && data !== undefined && data !== '';
    of.events++;
    // That a stream can be resumed is said once, even where ids come with messages only.
    if (!isMessage || (id !== undefined && of.lastEventId === undefined)) this.#recordEvent(t, event);
    if (id !== undefined) of.lastEventId = id;
    const before = of.replied;
    if (isMessage) this.#answers(this.#options.listener.text(t, data, Buffer.byteLength(data), of.number));
    if (this.#isOver) return;
    const brought = of.replied && !before;
    if (id !== undefined || retry !== undefined || name !== undefined || brought)
      this.#send({ name, id, retry, data: brought ? REPLY : name === undefined ? '' : (data ?? '') });
  }

  #recordEvent(t: Ns, { name, id, retry }: StreamEvent): void {
    this.#options.listener.http(t, {
      http: 'event',
      exchange: this.#of.number,
      ...(name === undefined ? {} : { name }),
      ...(id === undefined ? {} : { id }),
      ...(retry === undefined ? {} : { retry }),
    });
  }

  #answers(keys: readonly string[]): void {
    const of = this.#of;
    if (keys.length > 0) this.#options.answered(keys);
    if (of.brings !== undefined && keys.includes(keyOf(of.brings))) of.replied = true;
  }

  /** One event of the digest. */
  #send({ name, id, retry, data }: { name?: string | undefined; id: string | undefined; retry?: number | undefined; data: string }): void {
    const lines = [
      ...(name === undefined ? [] : [`event: ${name}`]),
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(retry === undefined ? [] : [`retry: ${retry}`]),
      ...data.split('\n').map((line) => `data: ${line}`),
    ];
    if (this.#of.streams) this.#digest?.enqueue(ENCODER.encode(`${lines.join('\n')}\n\n`));
  }

  /** It may be cut while what it brought is being handed on. */
  get #isOver(): boolean {
    return this.#of.end !== undefined;
  }

  #broken(t: Ns, why: 'too-long' | 'unfinished' | 'not-utf-8', bytes: Buffer): void {
    if (why === 'unfinished') this.#of.torn = true;
    this.#options.listener.broken(t, why, bytes, this.#of.number);
  }

  #close(end: NonNullable<Exchange['end']>): void {
    const of = this.#of;
    of.end = end;
    this.closed();
    if (of.status === undefined) this.#settle.reject(new HttpError(of.problem));
    else if (typeof end === 'object') this.#digest?.error(new HttpError(of.problem));
    else this.#digest?.close();
    this.#digest = undefined;
  }
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const ENCODER = new TextEncoder();
/** As much of an answer as the SDK needs to know that one has come. */
const REPLY = '{"jsonrpc":"2.0","id":0,"result":{}}';
/** Statuses whose response has no body (Fetch, 2.2.3). */
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);
/** Headers that speak of the bytes on the connection, not of the digest. */
const HOP: ReadonlySet<string> = new Set(['content-length', 'content-encoding', 'transfer-encoding', 'connection', 'keep-alive']);

function purposeOf(method: string, headers: HttpHeaders, cargo: Cargo | undefined): Exchange['purpose'] {
  if (cargo) return 'message';
  if (method === 'DELETE') return 'end';
  return method === 'GET' && headers['accept']?.includes('text/event-stream') ? 'stream' : 'auth';
}

/** The headers of a request. A login in the address is sent as such, as people expect of it, and taken out of the address. */
function sendable(url: URL, given: ConstructorParameters<typeof globalThis.Headers>[0] | undefined, userAgent: string): HttpHeaders {
  const headers: Record<string, string> = { 'user-agent': userAgent, 'accept-encoding': 'identity' };
  if (url.username !== '') {
    const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers['authorization'] = `Basic ${Buffer.from(login).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  for (const [name, value] of new globalThis.Headers(given)) headers[name] = value;
  return headers;
}
