// The tap: what stands between the wire and the SDK's client. Every message is stamped and recorded here before anybody
// may rewrite it, and only what the client needs is handed on to it: replies to its own requests, requests of the
// server, news of changed lists. Progress, logs and stray replies end here, so that a flood never queues behind the SDK.
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { type Clock, type Ns, ZERO } from '../../app/base/time';
import type { Root, Tool } from '../../app/contract/host';
import { MODERN } from '../../app/wire/era';
import type { Act, Dir, ExchangeNumber, Http, Life, Noise, RequestId, Seq, SessionNumber } from '../../app/wire/frame';
import { factsOf, idOf, keyOf, type MessageFacts } from '../../app/wire/jsonrpc';
import type { Recorder } from '../store/recorder';
import { elementsOf } from '../transports/batch';
import { clauseOf, HttpError } from '../transports/http-problem';
import { rawOf } from '../transports/lines';
import type { Dropped, Parcel, Wire, WireListener } from '../transports/wire';
import { Faults, type Passenger, Requests, type Told } from './faults';
import { DISCOVER, Modern, refusedBy } from './modern';
import { type NextRound, Rounds } from './rounds';

/** A message on its way out, and what is recorded with it. */
export interface Outgoing {
  readonly message: JSONRPCMessage;
  /** An act that stands directly before the message in the trace. */
  readonly act?: Act | undefined;
  /** Called when the message has been handed to the wire and recorded. */
  readonly sent?: ((seq: Seq, t: Ns) => void) | undefined;
  /** Called when it has been written and what carried it came to nothing: over HTTP a refusal comes later. */
  readonly refused?: (error: Error) => void;
  /** Called when a fault keeps or drops it, with the frame that says so; `sent` is called when it is written at last. */
  readonly kept?: ((seq: Seq, fate: 'keep' | 'drop') => void) | undefined;
  /** What a scenario calls the call that it is. */
  readonly name?: string | undefined;
}

/** What goes with a request of the client's. */
export interface Arranged extends Omit<Outgoing, 'message'> {
  /** Goes out in the same write, behind it. */
  readonly behind?: readonly Outgoing[] | undefined;
  /** Added to the request's `_meta`: a trace context. */
  readonly meta?: Readonly<Record<string, string>> | undefined;
  /** Declares the tasks extension, where the revision has it. */
  readonly tasks?: boolean | undefined;
}

/** A message while it is on its way. */
interface Leaving extends Outgoing {
  done(): void;
  failed(error: Error): void;
}

/** A round that waits for its moment. */
interface Waiting {
  readonly timer: NodeJS.Timeout;
  /** The answer that asked for it. */
  readonly asking: JSONRPCMessage;
}

/** A message that is about to leave. */
interface Packed {
  readonly leaving: Leaving;
  readonly text: string;
  readonly facts: MessageFacts;
}

interface Written {
  readonly raw: string;
  readonly facts: MessageFacts;
  readonly t: Ns;
  readonly exchange: ExchangeNumber | undefined;
  readonly sent: Outgoing['sent'];
}

interface Received {
  readonly t: Ns;
  readonly text: string;
  readonly size: number;
  readonly exchange: ExchangeNumber | undefined;
}

/** What the session has to know at once, not when the fold comes round to it. */
export interface TapListener {
  /** A step of the connection has been recorded. */
  stepped(): void;
  /** The first reply to a request of ours has been recorded. */
  replied(key: string): void;
  /** A request has been answered by a request for input, and goes on as another one. @param key of the request that was answered */
  goesOn(key: string, id: RequestId): void;
  /** News that were asked for: the server has said that they will come. @param id of the request */
  listens(id: RequestId): void;
  /** The server has ended what news were asked for by. @param says its words, where it gave any */
  listensNoMore(key: string, says: string | undefined): void;
  /** A reply to a request of ours that the SDK cannot read. */
  unreadable(text: string): void;
  /** Faults, or what they hold, have changed. */
  faulted(): void;
  /** A resource has changed, as `notifications/resources/updated` says. */
  resourceUpdated(uri: string): void;
  /** A notification tells how a task stands: `notifications/tasks/status` (2025-11-25), `notifications/tasks` (the extension). */
  taskTold(params: unknown): void;
  /** The beginning of what was on stdout and no message, and of a line of stderr. */
  noise(text: string): void;
  stderr(text: string): void;
  /** See {@link WireListener}. */
  lost(why: string, session: boolean): void;
  impaired(why: string): void;
  exited(code: number | undefined, signal: string | undefined): void;
}

export interface TapOptions {
  readonly session: SessionNumber;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly wire: Wire;
  /** A revision to ask for, in the place of the SDK's newest. */
  readonly protocol?: string | undefined;
  /** How the person calls the server: recorded where its session begins. */
  readonly title?: string | undefined;
  /** What a server is told that asks for the person's folders before it goes on. */
  readonly roots?: (() => readonly Root[]) | undefined;
  readonly listener: TapListener;
}

export class Tap implements Transport, WireListener {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** The revision of the protocol that was agreed upon; '' before. */
  protocol = '';
  readonly #options: TapOptions;
  readonly #recorder: Recorder;
  readonly #session: SessionNumber;
  /** Keys of our requests that have no reply yet; the fences' pings are not among them. */
  readonly #waiting = new Set<string>();
  readonly #modern: Modern | undefined;
  readonly #rounds: Rounds;
  /** Rounds that wait for their moment, by the key of their request. */
  readonly #paced = new Map<string, Waiting>();
  readonly #requests = new Requests();
  readonly faults: Faults;
  #arranged: ((id: RequestId) => Arranged) | undefined;
  /** Wall time of the chunk that is being taken apart. */
  #wallOf = -1 as Ns;
  #wallMs = Number.NaN;
  #wall = '';

  constructor(options: TapOptions) {
    this.#options = options;
    this.#recorder = options.recorder;
    this.#session = options.session;
    this.#modern = Modern.of(options.protocol);
    this.#rounds = new Rounds(options.roots ?? (() => []));
    this.faults = new Faults({
      clock: options.clock,
      record: (act, dir, t) => this.#act(act, t, dir),
      cut: (exchange) => options.wire.cut(exchange),
      onChange: () => options.listener.faulted(),
    });
  }

  /** Makes the connection. @throws Error in plain words */
  start(): Promise<void> {
    return this.#options.wire.start(this);
  }

  setProtocolVersion(version: string): void {
    this.protocol = this.#modern?.agreed ? MODERN : version;
    this.#options.wire.setProtocolVersion(this.protocol);
  }

  /** The revisions that the server offers, where it was asked. */
  get offered(): readonly string[] | undefined {
    return this.#modern?.offered;
  }

  /** The request by which the connection is begun. */
  get greeting(): string {
    return this.#greeting;
  }
  #greeting = 'initialize';

  /** The tools that the server has. */
  know(tools: readonly Tool[]): void {
    this.#modern?.know(tools);
  }

  /** A request of our own as this session's revision wants it. */
  asSpoken(request: JSONRPCRequest): JSONRPCRequest {
    return this.#modern?.agreed ? this.#modern.withMeta(request) : request;
  }

  /** What goes with the client's next request, which it sends within the same turn. */
  arrange(next: (id: RequestId) => Arranged): void {
    this.#arranged = next;
  }

  /**
   * The client's way out. Rejects when the message never left, and over HTTP also when what carried it came to nothing, so
   * that a client does not wait for an answer that cannot come.
   */
  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const arranged = this.#arranged;
    this.#arranged = undefined;
    // Whether a call is cancelled is the person's business: what the client would send of its own accord stays here.
    if ('method' in message && message.method === 'notifications/cancelled') return;
    const more = arranged && 'id' in message && message.id !== undefined ? arranged(message.id) : NOTHING_MORE;
    const spoken = withMeta(message, more.meta);
    const outgoing = this.#modern ? this.#modern.outgoing(spoken, more.tasks) : this.#insisting(spoken);
    if (!outgoing) return;
    if (this.#modern && isJSONRPCRequest(outgoing) && outgoing.id === DISCOVER) return this.#discover(outgoing, this.#modern);
    if (this.#modern?.agreed && isJSONRPCRequest(outgoing)) this.#rounds.sent(outgoing);
    const behind = (more.behind ?? []).map((one): Leaving => ({ ...one, done: () => undefined, failed: (error) => one.refused?.(error) }));
    await new Promise<void>((done, failed) => {
      this.#send([{ ...more, message: outgoing, done, failed }, ...behind], options?.resumptionToken);
    });
  }

  /** Sends the next round of a request, at its moment. @param key of the request whose answer asked for it */
  #goOn(key: string, { request, of, after }: NextRound, asking: JSONRPCMessage): void {
    // Said before it is sent, and of the moment of the answer: the call is not over for a moment.
    this.act({ act: 'round', id: request.id, of }, this.#notBeforeTheLast(ZERO));
    this.#options.listener.goesOn(key, request.id);
    const send = (): void => {
      this.#paced.delete(keyOf(request.id));
      const failed = (error: Error): void => this.onmessage?.(this.#rounds.given(keyOf(request.id), failureOf(request.id, error)));
      this.#send([{ message: request, done: () => undefined, failed }]);
    };
    if (after === 0) send();
    else this.#paced.set(keyOf(request.id), { timer: setTimeout(send, after), asking });
  }

  /** Sends no further round of a call. @param key of its last request @returns false when it is not one that was about to be sent */
  endRounds(key: string): boolean {
    // Its answer may be on its way, and ask for one more.
    this.#rounds.last(key);
    const waiting = this.#paced.get(key);
    if (!waiting) return false;
    clearTimeout(waiting.timer);
    this.#paced.delete(key);
    this.onmessage?.(this.#rounds.given(key, waiting.asking));
    return true;
  }

  /** Asks what the server offers. Where that comes to nothing and nobody insists, the handshake of before follows. */
  async #discover(message: JSONRPCRequest, modern: Modern): Promise<void> {
    this.#greeting = message.method;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#answered = resolve;
      this.#send([
        {
          message,
          done: () => undefined,
          failed: (error) => {
            if (!mayBeOfBefore(error)) reject(error);
            else if (modern.automatic) resolve(undefined);
            // Where nothing is, or nothing takes messages, it is the path that is wrong, and that has a sentence of its own.
            else reject(NOWHERE.has(error.problem.answer.status) ? error : refusedBy(clauseOf(error.problem)));
          },
        },
      ]);
    });
    const timer = modern.automatic ? setTimeout(() => this.#answered(undefined), DISCOVER_MS) : undefined;
    const found = modern.discovered(await answer.finally(() => clearTimeout(timer)));
    switch (found.next) {
      case 'give':
        this.onmessage?.(found.message);
        break;
      case 'initialize':
        this.#greeting = 'initialize';
        await new Promise<void>((done, failed) => void this.#send([{ message: found.message, done, failed }]));
        break;
      case 'refuse':
        throw found.error;
    }
  }

  /** Takes the answer to `server/discover`; what comes later than it is waited for is only recorded. */
  #answered: (answer: unknown) => void = () => undefined;

  /** `initialize` with the revision that is insisted on. */
  #insisting(message: JSONRPCMessage): JSONRPCMessage {
    const { protocol } = this.#options;
    if (protocol === undefined || !('method' in message) || message.method !== 'initialize') return message;
    return { ...message, params: { ...message.params, protocolVersion: protocol } };
  }

  /**
   * Sends messages, over stdio in one write. They are recorded when they have been written: over stdio within this call when
   * nothing was queued before them. The act of the first one is dated before the write: on a busy machine the server may have
   * read a message, and done what it asks, before anybody here can look at the clock again.
   * @returns resolves when they have been written, or a fault keeps or has dropped them
   * @throws Error when one never was; then it is not recorded. What comes to nothing later is told to its `refused`
   */
  sendTogether(messages: readonly Outgoing[]): Promise<'written' | 'keep' | 'drop'> {
    return new Promise((resolve, reject) => {
      let unwritten = messages.length;
      this.#send(
        messages.map((outgoing) => {
          let isWritten = false;
          return {
            ...outgoing,
            sent: (seq, t) => {
              outgoing.sent?.(seq, t);
              isWritten = true;
              if (--unwritten === 0) resolve('written');
            },
            kept: (_, fate) => resolve(fate),
            done: () => undefined,
            failed: (error) => (isWritten ? outgoing.refused?.(error) : reject(error)),
          };
        }),
      );
    });
  }

  /** What belongs together is one message to the faults: what they do to a cancel they do to the ping behind it. */
  #send(messages: readonly Leaving[], resumptionToken?: string): void {
    const packed = messages.map((leaving) => this.#packed(leaving));
    const [first] = packed;
    if (!first) return;
    let { act } = first.leaving;
    const send = (these: readonly Packed[], passed: Passed, failed: (() => void) | undefined): void => {
      const begun = this.#options.clock.now();
      let unwritten = these.length;
      const written: Passed = (exchange) => {
        if (--unwritten === 0) passed(exchange);
      };
      const parcels = these.map((one, index) => this.#parcel(one, index === 0 ? begun : undefined, { resumptionToken, written, failed }));
      this.#options.wire.send(parcels);
    };
    const told = this.#toldOf(first.facts, 'client', first.leaving.name);
    if (told.what === 'reply' && told.id !== undefined) this.#requests.answered('server', told.id);
    this.faults.outgoing({
      told,
      raw: first.text,
      before: () => {
        if (act) this.act(act);
        act = undefined;
      },
      kept: (seq, fate) => {
        for (const { leaving } of packed) leaving.kept?.(seq, fate);
        // To the client what is lost on its way has been sent.
        if (fate === 'drop') for (const { leaving } of packed) leaving.done();
      },
      pass: (copy, passed, failed) => {
        const those = copy
          ? [{ ...first, leaving: bare(first.leaving) }]
          : [{ ...first, leaving: { ...first.leaving, act } }, ...packed.slice(1)];
        send(those, passed, failed);
      },
    });
  }

  #packed(leaving: Leaving): Packed {
    const text = JSON.stringify(leaving.message);
    const facts = factsOf(leaving.message);
    if (!facts) throw new TypeError(`expected a JSON-RPC message to send, got ${text}`);
    if (facts.shape === 'request' && !isFence(leaving)) this.#waiting.add(facts.key);
    return { leaving, text, facts };
  }

  /** A message as faults know it. @param by who sends it */
  #toldOf(facts: MessageFacts, by: 'client' | 'server', name?: string): Told {
    const { shape, method, key, extra } = facts;
    const dir = by === 'client' ? 'c2s' : 's2c';
    const other = by === 'client' ? 'server' : 'client';
    const isCancel = method === 'notifications/cancelled';
    if (key !== '' && shape === 'request') {
      const tool = extra?.about === 'request' ? extra.tool : undefined;
      return { dir, what: 'request', ...this.#requests.sent(by, idOf(key), { method, tool, name }) };
    }
    if (key !== '' && isCancel) return { dir, what: 'cancel', ...this.#requests.of(by, idOf(key)) };
    if (shape === 'result' || shape === 'error') {
      return { dir, what: 'reply', ...(key === '' ? { method: '', id: undefined } : this.#requests.of(other, idOf(key))) };
    }
    return { dir, what: isCancel ? 'cancel' : 'notification', method, id: undefined };
  }

  /** @param begun when the write began, for the act of the first message */
  #parcel({ leaving, text, facts }: Packed, begun: Ns | undefined, way: Way): Parcel {
    let { act, sent } = leaving;
    let { written } = way;
    let isWritten = false;
    return {
      message: leaving.message,
      text,
      headers: this.#modern?.headers(leaving.message),
      resumptionToken: way.resumptionToken,
      written: (t, exchange) => {
        if (act) this.act(act, begun === undefined ? t : this.#notBeforeTheLast(begun));
        this.#recordSent({ raw: text, facts, t, exchange, sent });
        // Carried once more, after a new login or by another transport, it is the same message.
        act = undefined;
        sent = undefined;
        isWritten = true;
        written(exchange);
        written = () => undefined;
      },
      done: leaving.done,
      failed: (error) => {
        this.#waiting.delete(facts.key);
        leaving.failed(error);
        if (!isWritten) way.failed?.();
      },
    };
  }

  /**
   * Closes the response stream of a request, where that is its cancel: faults treat it as one.
   * @param begin called when it is about to happen, or about to be kept back
   * @param unheard called when there was nothing left to close
   */
  closing(id: RequestId, begin: () => void, unheard: () => void): Dropped | 'keep' | 'drop' {
    let outcome: Dropped | 'keep' | 'drop' = 'nothing';
    let isBegun = false;
    const before = (): void => {
      if (!isBegun) begin();
      isBegun = true;
    };
    this.faults.outgoing({
      told: { dir: 'c2s', what: 'cancel', ...this.#requests.of('client', id) },
      raw: undefined,
      before,
      kept: (_, fate) => {
        outcome = fate;
      },
      pass: (copy, passed) => {
        if (copy) return;
        outcome = this.#options.wire.drop(id, before);
        if (outcome === 'nothing') unheard();
        passed(undefined);
      },
    });
    return outcome;
  }

  /** Times of a trace ascend: where a write was queued, frames have been appended meanwhile. */
  #notBeforeTheLast(t: Ns): Ns {
    const { trace } = this.#recorder;
    return trace.length === 0 ? t : (Math.max(t, trace.t(trace.length - 1)) as Ns);
  }

  #recordSent({ raw, facts, t, exchange, sent }: Written): void {
    const seq = this.#recorder.message({
      session: this.#session,
      dir: 'c2s',
      t,
      wall: this.#wallAt(t),
      raw,
      size: Buffer.byteLength(raw),
      facts,
      exchange,
    });
    sent?.(seq, t);
  }

  /** The client lets go; what still comes from the process is recorded all the same. */
  async close(): Promise<void> {
    for (const { timer } of this.#paced.values()) clearTimeout(timer);
    this.#paced.clear();
    this.faults.end();
    const { onclose } = this;
    delete this.onmessage;
    delete this.onclose;
    onclose?.();
  }

  act(act: Act, t = this.#options.clock.now()): Seq {
    return this.#act(act, t, '-');
  }

  #act(act: Act, t: Ns, dir: Dir): Seq {
    return this.#recorder.frame({ session: this.#session, dir, t, body: { kind: 'act', act } });
  }

  life(life: Life): Seq {
    return this.#recorder.frame({ session: this.#session, dir: '-', t: this.#options.clock.now(), body: { kind: 'life', life } });
  }

  http(t: Ns, http: Http): void {
    const dir = http.http === 'request' ? 'c2s' : http.http === 'cut' || http.http === 'failed' ? '-' : 's2c';
    this.#recorder.frame({ session: this.#session, dir, t, body: { kind: 'http', http } });
  }

  step(life: Life): void {
    const { title } = this.#options;
    const begins = life.event === 'started' || life.event === 'connecting';
    this.life(begins && title !== undefined ? { ...life, title } : life);
    this.#options.listener.stepped();
  }

  text(t: Ns, text: string, size: number, exchange?: ExchangeNumber): readonly string[] {
    const message = parsed(text);
    // Batches exist over HTTP in one revision (2025-03-26); elsewhere an array is nothing that anybody sends.
    if (exchange !== undefined && Array.isArray(message) && message.length > 0)
      return elementsOf(text).flatMap((element) =>
        this.#received({ t, text: element, size: Buffer.byteLength(element), exchange }, parsed(element)),
      );
    return this.#received({ t, text, size, exchange }, message);
  }

  /** @returns the typed key of the request that it answers, in a list */
  #received(received: Received, message: unknown): readonly string[] {
    const { t, text, exchange } = received;
    const facts = message === undefined ? undefined : factsOf(message);
    if (!facts) {
      this.#noise(t, message === undefined ? 'not-json' : 'not-json-rpc', Buffer.from(text), exchange);
      return NONE;
    }
    if (!this.faults.on) {
      this.#recordReceived(received, facts);
      if (facts.shape === 'request') this.#toldOf(facts, 'server');
      this.#handOn(facts, message, text);
      return answersOf(facts);
    }
    const told = this.#toldOf(facts, 'server');
    const pass: Passenger['pass'] = (copy, passed) => {
      if (copy) this.onmessage?.(message as JSONRPCMessage);
      else this.#handOn(facts, message, text);
      passed(undefined);
    };
    const record = (): void => this.#recordReceived(received, facts);
    return this.faults.incoming({ told, pass }, t, exchange, record) ? answersOf(facts) : NONE;
  }

  #recordReceived({ t, text, size, exchange }: Received, facts: MessageFacts): void {
    this.#recorder.message({ session: this.#session, dir: 's2c', t, wall: this.#wallAt(t), raw: text, size, facts, exchange });
  }

  /** Gives the client what it needs. */
  #handOn(facts: MessageFacts, message: unknown, text: string): void {
    switch (facts.shape) {
      case 'request':
        if (isJSONRPCRequest(message)) this.onmessage?.(message);
        return;
      case 'notification':
        this.#notification(facts.method, message as JSONRPCMessage);
        return;
      case 'result':
      case 'error':
        if (facts.key !== '') this.#requests.answered('client', idOf(facts.key));
        if (this.#waiting.delete(facts.key)) this.#reply(message, facts.key, text);
        return;
      case 'invalid':
      case 'none':
        return;
    }
  }

  #notification(method: string, message: JSONRPCMessage): void {
    if (method.endsWith('/list_changed')) this.onmessage?.(message);
    const { params } = message as { readonly params?: { readonly uri?: unknown; readonly _meta?: unknown } | null };
    if (method === 'notifications/tasks/status' || method === 'notifications/tasks') this.#options.listener.taskTold(params);
    if (method === 'notifications/resources/updated' && typeof params?.uri === 'string') this.#options.listener.resourceUpdated(params.uri);
    const id = method === ACKNOWLEDGED ? subscriptionIn(params?._meta) : undefined;
    if (id !== undefined) this.#options.listener.listens(id);
  }

  #reply(message: unknown, key: string, text: string): void {
    const readable = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    const next = readable ? this.#rounds.after(key, message) : undefined;
    if (next && readable) {
      this.#goOn(key, next, message);
      return;
    }
    this.#options.listener.replied(key);
    if (key === DISCOVER_KEY) this.#answered(message);
    else if (key.startsWith(LISTEN_KEY))
      this.#options.listener.listensNoMore(key, isJSONRPCErrorResponse(message) ? message.error.message : undefined);
    else if (readable) this.onmessage?.(this.#rounds.given(key, message));
    else this.#options.listener.unreadable(text);
  }

  broken(t: Ns, why: Noise, bytes: Buffer, exchange?: ExchangeNumber): void {
    this.#noise(t, why, bytes, exchange);
  }

  #noise(t: Ns, why: Noise, bytes: Buffer, exchange: ExchangeNumber | undefined): void {
    const raw = rawOf(exchange === undefined ? bytes : bytes.subarray(0, PAGE_BYTES));
    const body = { kind: 'noise', why, raw, ...(exchange === undefined ? {} : { exchange }) } as const;
    this.#recorder.frame({ session: this.#session, dir: 's2c', t, body });
    this.#options.listener.noise(bytes.toString('utf8', 0, QUOTE_BYTES));
  }

  stderr(t: Ns, bytes: Buffer): void {
    this.#recorder.frame({ session: this.#session, dir: 's2c', t, body: { kind: 'stderr', raw: rawOf(bytes) } });
    this.#options.listener.stderr(bytes.toString('utf8', 0, QUOTE_BYTES));
  }

  busy(): boolean {
    return this.#recorder.backlog > BACKLOG_BYTES;
  }

  lost(why: string, session: boolean): void {
    this.#options.listener.lost(why, session);
  }

  impaired(why: string): void {
    this.#options.listener.impaired(why);
  }

  exited(code: number | undefined, signal: string | undefined): void {
    this.#options.listener.exited(code, signal);
  }

  /** All lines of one chunk share one time, all chunks of a millisecond one text of it. */
  #wallAt(t: Ns): string {
    if (t === this.#wallOf) return this.#wall;
    this.#wallOf = t;
    const ms = this.#options.clock.wallMs();
    if (ms !== this.#wallMs) this.#wall = new Date(ms).toISOString();
    this.#wallMs = ms;
    return this.#wall;
  }
}

/** So much may wait for a slow disk before the server has to wait, too: memory is not without end. */
const BACKLOG_BYTES = 256 * 1024 * 1024;

/** Of what is no message in an HTTP response so much is kept: it may be the page of a proxy, and as long as one likes. */
const PAGE_BYTES = 64 * 1024;

/** Of a line that people are told about, as much as a sentence can hold. */
const QUOTE_BYTES = 400;

/** A request with more in its `_meta`, which is what the revisions have for news beside the matter (2025-11-25, Basic: `_meta`). */
function withMeta(message: JSONRPCMessage, meta: Arranged['meta']): JSONRPCMessage {
  if (meta === undefined || !('method' in message)) return message;
  return { ...message, params: { ...message.params, _meta: { ...message.params?.['_meta'], ...meta } } } as JSONRPCMessage;
}

/** How long a server of before may take to say nothing at all to a request that it does not know. */
const DISCOVER_MS = 5000;

/** Statuses by which servers of before refuse a request without a session, or one that they do not know. */
const OF_BEFORE: ReadonlySet<number> = new Set([400, 404, 405, 406, 415, 422]);

const NOWHERE: ReadonlySet<number> = new Set([404, 405]);

const DISCOVER_KEY = keyOf(DISCOVER);

/** The ids of our `subscriptions/listen` begin so. The client's own ids are numbers. */
export const LISTEN = 'stopgap-listen-';
const LISTEN_KEY = keyOf(LISTEN);
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** The request that a notification of a subscription belongs to (2026-07-28, Subscriptions). */
function subscriptionIn(meta: unknown): RequestId | undefined {
  const id = typeof meta === 'object' && meta !== null ? (meta as Readonly<Record<string, unknown>>)[SUBSCRIPTION] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** What the client is given for a round that came to nothing: it waits for an answer. */
const failureOf = (id: RequestId, error: Error): JSONRPCErrorResponse => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32000, message: error.message },
});

const mayBeOfBefore = (error: unknown): error is HttpError & { readonly problem: Extract<HttpError['problem'], { problem: 'status' }> } =>
  error instanceof HttpError && error.problem.problem === 'status' && OF_BEFORE.has(error.problem.answer.status);

const isFence = ({ act }: Outgoing): boolean => act?.act === 'fence';

/** The typed key of the request that a message answers, in a list. */
const answersOf = ({ shape, key }: MessageFacts): readonly string[] =>
  (shape === 'result' || shape === 'error') && key !== '' ? [key] : NONE;

/** The same message a second time: nobody waits for it. */
const bare = ({ message }: Leaving): Leaving => ({ message, done: () => undefined, failed: () => undefined });

/** Called when messages have been written; over HTTP with what carries the last of them. */
type Passed = (exchange: ExchangeNumber | undefined) => void;

interface Way {
  readonly resumptionToken: string | undefined;
  readonly written: Passed;
  readonly failed: (() => void) | undefined;
}

const NONE: readonly string[] = [];
const NOTHING_MORE: Arranged = {};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
