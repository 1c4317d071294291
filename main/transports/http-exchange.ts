// One HTTP request and its response, as they are on the connection. Node's own fetch says neither when a request has been
// written nor when bytes came; here each of these moments is a call.
import { Agent, type Dispatcher, util } from 'undici';
import { failureOf, type HttpFailure, type Progress } from './http-failure';
import type { HttpHeaders } from './http-headers';

/** What happens to an exchange, in this order; `ended` or `failed` is the last call, unless it was given up. */
export interface ExchangeListener {
  /** The whole request has been handed to the system. */
  written(): void;
  head(status: number, headers: HttpHeaders): void;
  /** @returns false when nothing more can be taken until `resume` */
  chunk(bytes: Buffer): boolean;
  ended(): void;
  failed(failure: HttpFailure): void;
}

export interface ExchangeRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: HttpHeaders;
  readonly body: string | undefined;
}

export interface RunningExchange {
  readonly progress: Progress;
  /** Closes it: nothing more is called. */
  giveUp(): void;
  resume(): void;
}

/**
 * Connections for one server. Nothing times out but the making of a connection: how long a server takes is what is being
 * looked at. No request waits for another one: each has a connection of its own for as long as it runs.
 */
export const connections = (): Agent => new Agent({ headersTimeout: 0, bodyTimeout: 0, connections: null, pipelining: 1 });

/** Begins an exchange. */
export function exchange(
  dispatcher: Dispatcher,
  { url, method, headers, body }: ExchangeRequest,
  listener: ExchangeListener,
): RunningExchange {
  const handler = new Handler(listener, body === undefined);
  const started = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: method as Dispatcher.HttpMethod,
    headers: { ...headers },
  };
  dispatcher.dispatch({ ...started, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 }, handler);
  return handler;
}

/** The side that undici speaks to. It is the older of its two forms, because the newer one does not say when a body was sent. */
class Handler implements RunningExchange {
  progress: Progress = 'begun';
  readonly #listener: ExchangeListener;
  readonly #bodyless: boolean;
  #over = false;
  #abort: ((error?: Error) => void) | undefined;
  #resume: () => void = () => undefined;

  constructor(listener: ExchangeListener, bodyless: boolean) {
    this.#listener = listener;
    this.#bodyless = bodyless;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    if (this.#over) abort(new Error('given up'));
    else this.progress = 'connected';
    if (this.#bodyless) this.#written();
  }

  onBodySent(): void {
    if (!this.#over) this.#written();
  }

  #written(): void {
    if (this.progress !== 'connected') return;
    this.progress = 'written';
    this.#listener.written();
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    this.#resume = resume;
    if (this.#over || status < 200) return true;
    // Who answers has read enough of the request, however much of it is still on its way.
    this.#written();
    this.progress = 'answered';
    this.#listener.head(status, plainHeaders(raw));
    return true;
  }

  onData(bytes: Buffer): boolean {
    return this.#over || this.#listener.chunk(bytes);
  }

  onComplete(): void {
    if (this.#over) return;
    this.#over = true;
    this.#listener.ended();
  }

  onError(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#listener.failed(failureOf(error, this.progress));
  }

  giveUp(): void {
    this.#over = true;
    this.#abort?.(new Error('given up'));
  }

  resume(): void {
    this.#resume();
  }
}

function plainHeaders(raw: Buffer[]): HttpHeaders {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(util.parseHeaders(raw))) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}
