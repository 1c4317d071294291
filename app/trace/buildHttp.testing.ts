// Builds traces of sessions over HTTP for tests, exchange by exchange, as a transport that looks at the connection records them:
// the request, its message once that is written, the head of the response, what comes with it, its end.

import { eraOf } from '../wire/era';
import type { Body, Dir, ExchangeNumber, Http, HttpTransport, RequestId } from '../wire/frame';
import { keyOf } from '../wire/jsonrpc';
import { Build, type CallOptions, type Tool } from './build.testing';

type Request = Partial<Extract<Http, { http: 'request' }>>;
type Failure = Omit<Partial<Extract<Http, { http: 'failed' }>>, 'http' | 'exchange'>;

/** How a server begins its responses. */
const HEADS = {
  sse: { 'content-type': 'text/event-stream' },
  json: { 'content-type': 'application/json' },
  html: { 'content-type': 'text/html' },
  none: {},
} as const;
export type Head = keyof typeof HEADS;

interface Opening {
  readonly transport?: HttpTransport;
  readonly stateful?: boolean;
  readonly protocol?: string;
  /** How long an idle ping takes, in ms. */
  readonly idle?: number;
  readonly head?: Head;
}

export class HttpBuild extends Build {
  #number = 0;
  #on: ExchangeNumber | undefined;
  #head: Head = 'sse';
  readonly #posts = new Map<string, ExchangeNumber>();
  /** Number of the exchange that was begun last. */
  get newest(): ExchangeNumber {
    return this.#number;
  }

  override frame(dir: Dir, body: Body): this {
    const exchange = this.#on;
    return super.frame(dir, body.kind === 'message' && exchange !== undefined ? { ...body, exchange } : body);
  }

  /** Messages from here on come and go with this exchange. */
  on(exchange: ExchangeNumber | undefined): this {
    this.#on = exchange;
    return this;
  }

  http = (dir: Dir, http: Http): this => this.frame(dir, { kind: 'http', http });

  /** Begins an exchange. */
  request(request: Request = {}): this {
    const exchange = ++this.#number;
    return this.http('c2s', {
      http: 'request',
      exchange,
      method: 'POST',
      url: 'http://127.0.0.1:3000/mcp',
      purpose: 'message',
      headers: {},
      bytes: 120,
      ...request,
    });
  }

  respond = (exchange: ExchangeNumber, status = 200, head: Head = this.#head): this =>
    this.http('s2c', { http: 'response', exchange, status, headers: HEADS[head] });
  /** The head of a response that is an event stream, in any case where there is a body to come. */
  stream = (exchange: ExchangeNumber): this => this.respond(exchange, 200, 'sse').http('s2c', { http: 'opened', exchange });
  event = (exchange: ExchangeNumber, id: string, retry?: number): this =>
    this.http('s2c', { http: 'event', exchange, id, ...(retry === undefined ? {} : { retry }) });
  end = (exchange: ExchangeNumber, bytes = 0): this => this.http('s2c', { http: 'ended', exchange, bytes, events: 0 });
  cut = (exchange: ExchangeNumber, by: 'drop' | 'close' = 'drop'): this =>
    this.http('-', { http: 'cut', exchange, bytes: 0, events: 0, by });
  fail = (exchange: ExchangeNumber, failure: Failure = {}): this =>
    this.http('-', { http: 'failed', exchange, phase: 'body', why: 'the connection was reset', bytes: 0, events: 0, ...failure });

  /** A message that asks for nothing: posted and accepted. */
  notify = (method: string, took = 1): this =>
    this.request().on(this.#number).c2s({ method }).on(undefined).#later(took).respond(this.#number, 202, 'none').end(this.#number);

  /** A POST of a request with its answer, begun and over after `took` ms. */
  exchange(id: RequestId, message: object, result: object, took = 1): this {
    this.request({ id })
      .on(this.#number)
      .c2s({ id, ...message });
    return this.#later(took).begun(this.#number).s2c({ id, result }).on(undefined).end(this.#number, 100);
  }

  /** The head of a response in the server's manner. */
  begun = (exchange: ExchangeNumber): this => (this.#head === 'sse' ? this.stream(exchange) : this.respond(exchange));

  #later(ms: number): this {
    return this.at(this.now + ms);
  }

  /** A session over HTTP as it usually begins. */
  openedHttp(
    tools: readonly Tool[] = [],
    { transport = 'http', stateful = true, protocol = '2025-11-25', idle = 2, head = 'sse' }: Opening = {},
  ): this {
    this.#head = head;
    this.life({ event: 'connecting', url: 'http://127.0.0.1:3000/mcp', transport });
    if (transport === 'sse') this.request({ method: 'GET', purpose: 'stream' }).stream(this.#number);
    const { modern } = eraOf(protocol);
    if (modern) this.exchange(0, { method: 'server/discover', params: {} }, { supportedVersions: [protocol] });
    else this.exchange(0, { method: 'initialize', params: {} }, { protocolVersion: protocol });
    this.life({ event: 'opened', transport, protocol, server: { name: 'test', version: '1' }, ...(modern ? {} : { stateful }) });
    if (!modern) this.notify('notifications/initialized');
    this.exchange('list', { method: 'tools/list' }, { tools: tools.map((tool) => ({ inputSchema: {}, ...tool })) });
    return modern ? this : this.act({ act: 'idle', ping: 'idle' }).exchange('idle', { method: 'ping' }, {}, idle);
  }

  /** A call by a POST of its own, written and not answered yet. */
  post(id: RequestId, tool: string, options: CallOptions = {}): this {
    this.request({ id, bytes: 240 });
    this.#posts.set(keyOf(id), this.#number);
    return this.on(this.#number)
      .call(id, tool, { fence: false, ...options })
      .on(undefined);
  }

  /** Number of the POST of a call. */
  postOf(id: RequestId): ExchangeNumber {
    const number = this.#posts.get(keyOf(id));
    if (number === undefined) throw new Error(`expected a call ${id} by POST`);
    return number;
  }

  /** Stop over HTTP: the act, and the cancel as a POST of its own. */
  postCancel(id: RequestId, reason = 'user pressed stop'): this {
    this.act({ act: 'stop', id, how: { means: 'cancel' }, reason, wrote: true, late: false });
    return this.request({ cancels: id, bytes: 110 }).on(this.#number).cancelled(id, reason).on(undefined);
  }

  /** The same, and accepted `took` ms later. */
  accepted = (id: RequestId, took = 1, status = 202): this =>
    this.postCancel(id).#later(took).respond(this.#number, status, 'none').end(this.#number);

  /** The person drops the connection of a call. */
  drop = (id: RequestId): this => this.stopAct(id, { means: 'drop' }, false).cut(this.postOf(id));

  /** Stop where closing the stream is the cancel: the act, and the cut. */
  close = (id: RequestId): this => this.stopAct(id, { means: 'cancel' }, true).cut(this.postOf(id));

  /** What a call's own response brings. */
  onCall(id: RequestId, says: (build: this) => unknown): this {
    this.on(this.postOf(id));
    says(this);
    return this.on(undefined);
  }
}
