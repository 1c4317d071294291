// A server over HTTP: Streamable HTTP (2025-03-26 to 2025-11-25) or the older HTTP+SSE transport (2024-11-05), on the
// SDK's transports, which keep the session id and resume streams. What they send passes the
// tapped fetch; whether a message has left, and what became of it, is read off the exchange that carried it and never off
// the SDK's word (docs/adr/0008).
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Agent } from 'undici';
import type { Clock } from '../../app/base/time';
import type { ServerProcess } from '../../app/evidence/probe';
import type { ExchangeNumber, HttpTransport, RequestId } from '../../app/wire/frame';
import { keyOf } from '../../app/wire/jsonrpc';
import { connections } from './http-exchange';
import type { Progress } from './http-failure';
import { carriedBy, checkHeaders, type HttpHeaders, maskedUrl } from './http-headers';
import { clauseOf, HttpError, type HttpProblem } from './http-problem';
import { type Cargo, type Exchange, HttpTap } from './http-tap';
import { type Dropped, type Parcel, UndeliveredError, type Wire, type WireListener } from './wire';

export interface HttpOptions {
  readonly url: string;
  /** `auto`: Streamable HTTP, and the older transport where the server refuses that. */
  readonly transport: HttpTransport | 'auto';
  /** Sent with every request. */
  readonly headers: HttpHeaders;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Puts something in front of the tapped fetch: tokens, where a server asks for them. */
  readonly through?: (fetch: FetchLike) => FetchLike;
  /** Longest body or event in bytes. */
  readonly limit?: number | undefined;
  /** How long the server may take to end the session when it is told to, in ms. */
  readonly graceMs?: number | undefined;
}

export interface HttpWire extends Wire {
  /** Lends the tapped fetch for the exchanges of an authorization, before the connection is closed and after. */
  exchanging<T>(task: (fetch: FetchLike) => Promise<T>): Promise<T>;
}

/** A server over HTTP; nothing is sent before `start`. */
export const http = (options: HttpOptions): HttpWire => new Http(options);

const GRACE_MS = 2000;
/** How long the body of a refusal is waited for, so that it can be quoted, in ms. */
const BODY_MS = 1000;
/** So often in a row a stream that broke off is asked for again. */
const RESUME_TRIES = 2;
const RESUMING = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: RESUME_TRIES,
};
/** Statuses of a POST of `initialize` on which the older transport is tried (2025-11-25, Transports, Backwards Compatibility). */
const OLDER: ReadonlySet<number> = new Set([400, 404, 405]);

type Engine =
  | { readonly name: 'http'; readonly transport: StreamableHTTPClientTransport }
  | { readonly name: 'sse'; readonly transport: SSEClientTransport };

class Http implements HttpWire {
  readonly ordered = false;
  readonly pid = undefined;
  transport: HttpTransport | undefined;
  fellBack: { readonly from: HttpTransport; readonly why: string } | undefined;
  stateful: boolean | undefined;
  readonly #options: HttpOptions;
  readonly #url: URL;
  #listener: WireListener | undefined;
  #tap: HttpTap | undefined;
  #engine: Engine | undefined;
  #agent: Agent | undefined;
  /** Requests without an answer, by typed key. */
  readonly #waiting = new Map<string, Cargo>();
  /** Failed tries in a row to resume a stream, by the event behind which it is resumed; '' for the server's own stream. */
  readonly #tries = new Map<string, number>();
  /** Requests whose streams were closed on purpose. */
  readonly #dropped = new Set<string>();
  /** The server had a stream of its own. */
  #hadStream = false;
  #lost = false;
  /** Resolves when the SDK has seen the response to `initialize`. */
  #initialized: Promise<void> = Promise.resolve();
  #closing: Promise<undefined> | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
  }

  async start(listener: WireListener): Promise<void> {
    const { clock, userAgent, limit, transport } = this.#options;
    this.#listener = listener;
    checkHeaders(this.#options.headers);
    this.#tap = new HttpTap({
      clock,
      listener,
      dispatcher: () => this.#connections(),
      userAgent,
      limit,
      over: (exchange) => this.#over(exchange),
      answered: (keys) => this.#answered(keys),
      answersOnPost: () => this.#engine?.name === 'http',
      mayResume: (brings) => !this.#dropped.has(keyOf(brings)),
    });
    await this.#use(transport === 'sse' ? 'sse' : 'http');
  }

  #connections(): Agent {
    this.#agent ??= connections();
    return this.#agent;
  }

  /** Makes the SDK's transport and starts it; the older one opens its stream then. @throws HttpError */
  async #use(name: HttpTransport): Promise<void> {
    const { headers, through = (fetch: FetchLike) => fetch } = this.#options;
    this.#listener?.step({ event: 'connecting', url: maskedUrl(this.#options.url), transport: name });
    const options = {
      ...(this.#tap ? { fetch: through(this.#tap.fetch) } : {}),
      requestInit: { headers: { ...headers } },
    };
    const engine: Engine =
      name === 'http'
        ? { name, transport: new StreamableHTTPClientTransport(this.#url, { ...options, reconnectionOptions: RESUMING }) }
        : { name, transport: new SSEClientTransport(this.#url, options) };
    this.#engine = engine;
    try {
      await engine.transport.start();
      this.transport = name;
    } catch (error) {
      // What the older transport would do now is to connect again and again.
      await engine.transport.close();
      throw await this.#startError(error);
    }
  }

  /** Why the stream of the older transport did not come about. */
  async #startError(error: unknown): Promise<Error> {
    const exchange = this.#tap?.lastStream;
    if (exchange) await Promise.race([exchange.over, rest(BODY_MS)]);
    if (exchange?.status === 401) return unauthorized(exchange);
    if (!exchange) return error instanceof Error ? error : new Error(String(error));
    if (!exchange.streams) return new HttpError(exchange.problem);
    if (typeof exchange.end === 'string' || exchange.end === undefined) return new HttpError(noEndpoint(error));
    return new HttpError({ problem: 'failed', ...exchange.end });
  }

  setProtocolVersion(version: string): void {
    this.#engine?.transport.setProtocolVersion(version);
  }

  send(parcels: readonly Parcel[]): void {
    for (const parcel of parcels) {
      const cargo: Cargo = { parcel, id: carriedBy(parcel.message).id, exchange: undefined, settled: false };
      if (cargo.id !== undefined) this.#waiting.set(keyOf(cargo.id), cargo);
      void this.#send(cargo);
    }
  }

  async #send(cargo: Cargo): Promise<void> {
    const [engine, tap] = [this.#engine, this.#tap];
    if (!engine || !tap || this.#closing) return this.#fail(cargo, new UndeliveredError('the connection is closed'));
    const { message, resumptionToken } = cargo.parcel;
    const send = (): Promise<void> =>
      engine.name === 'http' && resumptionToken !== undefined
        ? engine.transport.send(message, { resumptionToken })
        : engine.transport.send(message);
    try {
      // The answer may be here before the SDK has looked at its head, where the session id is.
      if (!isInitialize(cargo)) await this.#initialized;
      const sent = tap.carrying.run(cargo, send);
      if (isInitialize(cargo)) this.#initialized = sent.catch(() => undefined);
      await sent;
    } catch (error) {
      return this.#refused(cargo, engine, error);
    }
    if (isInitialize(cargo)) this.stateful = engine.name === 'sse' || engine.transport.sessionId !== undefined;
    if (!cargo.exchange) this.#fail(cargo, new HttpError({ problem: 'not-carried' }));
    else if (cargo.id === undefined) this.#done(cargo);
  }

  /** The SDK's transport says that it came to nothing; why, the exchange says. */
  async #refused(cargo: Cargo, engine: Engine, error: unknown): Promise<void> {
    const { exchange } = cargo;
    if (!exchange) return this.#fail(cargo, new UndeliveredError(plain(error)));
    await Promise.race([exchange.over, rest(BODY_MS)]);
    if (cargo.settled) return;
    if (exchange.status === 401) return this.#fail(cargo, unauthorized(exchange));
    const { problem } = exchange;
    const refused = problem.problem === 'status' && OLDER.has(problem.answer.status);
    if (refused && engine.name === 'http' && this.#options.transport === 'auto' && isInitialize(cargo))
      await this.#fallBack(cargo, problem);
    else this.#fail(cargo, new HttpError(problem));
  }

  async #fallBack(cargo: Cargo, first: HttpProblem): Promise<void> {
    const why = clauseOf(first);
    await this.#engine?.transport.close();
    this.transport = undefined;
    this.fellBack = { from: 'http', why };
    this.#listener?.step({ event: 'fell-back', from: 'http', to: 'sse', why });
    try {
      await this.#use('sse');
    } catch (error) {
      const second = error instanceof HttpError ? error.problem : undefined;
      const isNews = second !== undefined && second.problem !== 'unauthorized';
      return this.#fail(cargo, isNews ? new HttpError({ problem: 'both', first, second }) : asError(error));
    }
    cargo.exchange = undefined;
    await this.#send(cargo);
  }

  #answered(keys: readonly string[]): void {
    for (const key of keys) {
      const cargo = this.#waiting.get(key);
      if (cargo) this.#done(cargo);
    }
  }

  #done(cargo: Cargo): void {
    if (this.#settle(cargo)) cargo.parcel.done();
  }

  #fail(cargo: Cargo, error: Error): void {
    if (this.#settle(cargo)) cargo.parcel.failed(error);
  }

  /** @returns false when that had been done before */
  #settle(cargo: Cargo): boolean {
    if (cargo.settled) return false;
    cargo.settled = true;
    if (cargo.id !== undefined) this.#waiting.delete(keyOf(cargo.id));
    return true;
  }

  #over(exchange: Exchange): void {
    if (this.#closing) return;
    if (exchange.purpose === 'stream') this.#streamOver(exchange);
    else if (exchange.purpose === 'message') this.#messageOver(exchange);
  }

  #messageOver(exchange: Exchange): void {
    const engine = this.#engine;
    if (engine?.name !== 'http') return;
    const { cargo } = exchange;
    if (exchange.status === 404 && engine.transport.sessionId !== undefined && cargo && !isInitialize(cargo)) this.#sessionLost();
    // A refusal comes back through the SDK, which may authorize itself and send the message once more.
    if (cargo?.id === undefined || !exchange.ok || exchange.replied) return;
    if (exchange.streams && exchange.lastEventId !== undefined && !isCut(exchange)) return;
    this.#fail(cargo, new HttpError(exchange.problem));
  }

  #sessionLost(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#listener?.lost('The server answered 404: it has ended or forgotten this session, and everything in it.', true);
  }

  #streamOver(exchange: Exchange): void {
    if (this.#engine?.name === 'sse') this.#onlyStreamOver(exchange);
    else if (exchange.ok) {
      this.#hadStream ||= exchange.brings === undefined;
      this.#tries.delete(exchange.resumes ?? '');
    } else if (!isCut(exchange)) this.#notResumed(exchange);
  }

  /** In the older transport the stream is the session, and every answer comes on it. */
  #onlyStreamOver(exchange: Exchange): void {
    if (this.transport !== 'sse' || isCut(exchange)) return;
    void this.#engine?.transport.close();
    this.#loseAll(exchange.problem);
    this.#listener?.lost(`The event stream, which is the session in this transport, is over: ${clauseOf(exchange.problem)}.`, true);
  }

  /** A stream could not be opened, for the first time or once more. The SDK's transport tries so often, and then no more. */
  #notResumed(exchange: Exchange): void {
    const { brings, resumes = '', status } = exchange;
    const isFirst = exchange.resumes === undefined && !this.#hadStream;
    const tries = (this.#tries.get(resumes) ?? 0) + 1;
    this.#tries.set(resumes, tries);
    if (status === 404 && !isFirst) this.#sessionLost();
    else if (status === 405 || tries >= RESUME_TRIES || isFirst) this.#givenUp(brings, exchange);
  }

  #givenUp(brings: RequestId | undefined, exchange: Exchange): void {
    const why = clauseOf(exchange.problem);
    const cargo = brings === undefined ? undefined : this.#waiting.get(keyOf(brings));
    if (cargo) {
      const clause = `the stream that was to bring the answer broke off and could not be resumed: ${why}`;
      this.#fail(cargo, new HttpError({ problem: 'no-reply', why: clause, torn: false }));
    } else if (exchange.status !== 405)
      this.#listener?.impaired(
        `The server's own stream could not be opened: ${why}. What the server would send of its own accord cannot come.`,
      );
  }

  #loseAll(problem: HttpProblem): void {
    for (const cargo of [...this.#waiting.values()]) this.#fail(cargo, new HttpError(problem));
  }

  drop(id: RequestId, before: () => void): Dropped {
    before();
    const key = keyOf(id);
    const cargo = this.#waiting.get(key);
    const engine = this.#engine;
    if (engine?.name === 'sse') {
      const stream = this.#tap?.lastStream;
      if (stream) this.#tap?.cut(stream, 'drop');
      void engine.transport.close();
      this.#loseAll({ problem: 'closed', by: 'drop' });
      this.#listener?.lost('The connection was dropped, as asked. In this transport it is the session, with every call in it.', true);
      return 'connection';
    }
    this.#dropped.add(key);
    const open = this.#tap?.open.filter(({ brings }) => brings !== undefined && keyOf(brings) === key) ?? [];
    for (const exchange of open) this.#tap?.cut(exchange, 'drop');
    if (cargo) this.#fail(cargo, new HttpError({ problem: 'closed', by: 'drop' }));
    return open.length > 0 ? 'stream' : 'nothing';
  }

  cut(number: ExchangeNumber | undefined): void {
    const exchange = this.#tap?.open.find((one) => one.number === number);
    if (exchange) this.#tap?.cut(exchange, 'fault');
  }

  get awaiting(): string | undefined {
    const exchange = this.#tap?.open.at(-1);
    return exchange?.running && awaitingWhat(exchange, exchange.running.progress);
  }

  close(): Promise<undefined> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<undefined> {
    const engine = this.#engine;
    const { graceMs = GRACE_MS } = this.#options;
    // 405 says that the server does not let clients end sessions; a refusal of any other kind is in the trace.
    if (engine?.name === 'http' && !this.#lost)
      await Promise.race([engine.transport.terminateSession().catch(() => undefined), rest(graceMs)]);
    for (const exchange of this.#tap?.open ?? []) this.#tap?.cut(exchange, 'close');
    await engine?.transport.close();
    this.#loseAll({ problem: 'closed', by: 'close' });
    await this.#disconnect();
    return undefined;
  }

  async #disconnect(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.destroy();
  }

  async exchanging<T>(task: (fetch: FetchLike) => Promise<T>): Promise<T> {
    if (!this.#tap) throw new Error('expected the connection to have been begun');
    try {
      return await task(this.#tap.fetch);
    } finally {
      if (this.#closing) await this.#disconnect();
    }
  }

  async kill(before: () => void): Promise<void> {
    before();
  }

  async processes(): Promise<readonly ServerProcess[]> {
    return [];
  }
}

function awaitingWhat({ purpose, status }: Exchange, progress: Progress): string {
  switch (progress) {
    case 'begun':
      return 'a connection is being made';
    case 'connected':
      return 'the connection is there, and the request is being written';
    case 'written':
      return 'the connection is there and the request was written, but not one byte has come back';
    case 'answered':
      return purpose === 'stream'
        ? 'the event stream is open, but what is needed has not come on it'
        : `the response has begun (${status}), but the answer has not come in it`;
  }
}

const isCut = ({ end }: Exchange): boolean => end === 'drop' || end === 'close';

const isInitialize = ({ parcel: { message } }: Cargo): boolean => 'method' in message && message.method === 'initialize';

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const plain = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const noEndpoint = (error: unknown): HttpProblem => ({
  problem: 'no-reply',
  why: /origin/i.test(plain(error))
    ? 'the stream named an address on another host to post messages to, which is refused'
    : 'the event stream ended before it had said where to post messages',
  torn: false,
});

const unauthorized = ({ answer }: Exchange): HttpError => new HttpError({ problem: 'unauthorized', answer });
