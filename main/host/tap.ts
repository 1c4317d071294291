// The tap: what stands between the pipe and the SDK's client. Every message is stamped and recorded here before anybody
// may rewrite it, and only what the client needs is handed on to it: replies to its own requests, requests of the
// server, news of changed lists. Progress, logs and stray replies end here, so that a flood never queues behind the SDK.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCErrorResponse, isJSONRPCRequest, isJSONRPCResultResponse, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Clock, Ns } from '../../app/base/time';
import type { Act, Life, Noise, RequestId, Seq, SessionNumber } from '../../app/wire/frame';
import { factsOf, type MessageFacts } from '../../app/wire/jsonrpc';
import type { Recorder } from '../store/recorder';
import { rawOf } from '../transports/lines';
import type { Stdio, StdioListener } from '../transports/stdio';

/** A message on its way out, and what is recorded with it. */
export interface Outgoing {
  readonly message: JSONRPCMessage;
  /** An act that stands directly before the message in the trace. */
  readonly act?: Act;
  /** Called when the message has been handed to the wire and recorded. */
  readonly sent?: (seq: Seq, t: Ns) => void;
}

/** What goes with a request of the client's. */
export interface Arranged extends Omit<Outgoing, 'message'> {
  /** Added to the request's `_meta`: a trace context. */
  readonly meta?: Readonly<Record<string, string>> | undefined;
}

/** What the session has to know at once, not when the fold comes round to it. */
export interface TapListener {
  /** The process runs; nothing has been written to it yet. */
  started(): void;
  /** The first reply to a request of ours has been recorded. */
  replied(key: string): void;
  /** A reply to a request of ours that the SDK cannot read. */
  unreadable(text: string): void;
  /** A resource has changed, as `notifications/resources/updated` says. */
  resourceUpdated(uri: string): void;
  /** The beginning of what was on stdout and no message, and of a line of stderr. */
  noise(text: string): void;
  stderr(text: string): void;
  outputEnded(): void;
  exited(code: number | undefined, signal: string | undefined): void;
}

export interface TapOptions {
  readonly session: SessionNumber;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly wire: Stdio;
  readonly listener: TapListener;
}

/** A message that never reached the wire. */
export class UndeliveredError extends Error {
  override readonly name = 'UndeliveredError';
}

export class Tap implements Transport, StdioListener {
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
  #arranged: ((id: RequestId) => Arranged) | undefined;
  /** Wall time of the chunk that is being taken apart. */
  #wallOf = -1 as Ns;
  #wallMs = Number.NaN;
  #wall = '';

  constructor(options: TapOptions) {
    this.#options = options;
    this.#recorder = options.recorder;
    this.#session = options.session;
  }

  /** Starts the process. @throws StartError */
  async start(): Promise<void> {
    await this.#options.wire.start(this);
    this.#options.listener.started();
  }

  setProtocolVersion(version: string): void {
    this.protocol = version;
  }

  /** What goes with the client's next request, which it sends within the same turn. */
  arrange(next: (id: RequestId) => Arranged): void {
    this.#arranged = next;
  }

  /** The client's way out. @throws UndeliveredError when the pipe is closed */
  async send(message: JSONRPCMessage): Promise<void> {
    const arranged = this.#arranged;
    this.#arranged = undefined;
    // Whether a call is cancelled is the person's business: what the client would send of its own accord stays here.
    if ('method' in message && message.method === 'notifications/cancelled') return;
    const { meta, ...more }: Arranged = ('id' in message && message.id !== undefined && arranged?.(message.id)) || {};
    await this.sendTogether([{ message: withMeta(message, meta), ...more }]);
  }

  /**
   * Writes messages in one piece, each as a line. They are recorded when the pipe has taken them: within this call when
   * nothing was queued before them. The act of the first one is dated before the write: on a busy machine the server may
   * have read a message, and done what it asks, before anybody here can look at the clock again.
   * @throws UndeliveredError when they never reach the wire; then none of them is recorded
   */
  sendTogether(messages: readonly Outgoing[]): Promise<void> {
    const lines = messages.map(({ message }) => JSON.stringify(message));
    const facts = messages.map(({ message }) => factsOf(message));
    for (const [index, fact] of facts.entries()) if (fact?.shape === 'request' && !isFence(messages[index])) this.#waiting.add(fact.key);
    const begun = this.#options.clock.now();
    return new Promise((resolve, reject) => {
      this.#options.wire.write(`${lines.join('\n')}\n`, (failed) => {
        if (failed) {
          for (const fact of facts) if (fact) this.#waiting.delete(fact.key);
          reject(new UndeliveredError(`it could not be written: ${failed.message}`));
          return;
        }
        const t = this.#options.clock.now();
        const [first] = messages;
        if (first?.act) this.act(first.act, this.#notBeforeTheLast(begun));
        for (const [index, outgoing] of messages.entries()) {
          if (outgoing.act && index > 0) this.act(outgoing.act, t);
          this.#recordSent(outgoing, lines[index] ?? '', facts[index], t);
        }
        resolve();
      });
    });
  }

  /** Times of a trace ascend: where a write was queued, frames have been appended meanwhile. */
  #notBeforeTheLast(t: Ns): Ns {
    const { trace } = this.#recorder;
    return trace.length === 0 ? t : (Math.max(t, trace.t(trace.length - 1)) as Ns);
  }

  #recordSent({ sent }: Outgoing, raw: string, facts: MessageFacts | undefined, t: Ns): void {
    if (!facts) throw new TypeError(`expected a JSON-RPC message to send, got ${raw}`);
    const seq = this.#recorder.message({
      session: this.#session,
      dir: 'c2s',
      t,
      wall: this.#wallAt(t),
      raw,
      size: Buffer.byteLength(raw),
      facts,
    });
    sent?.(seq, t);
  }

  /** The client lets go; what still comes from the process is recorded all the same. */
  async close(): Promise<void> {
    const { onclose } = this;
    delete this.onmessage;
    delete this.onclose;
    onclose?.();
  }

  act(act: Act, t = this.#options.clock.now()): Seq {
    return this.#recorder.frame({ session: this.#session, dir: '-', t, body: { kind: 'act', act } });
  }

  life(life: Life): Seq {
    return this.#recorder.frame({ session: this.#session, dir: '-', t: this.#options.clock.now(), body: { kind: 'life', life } });
  }

  line(t: Ns, text: string, size: number): void {
    const message = parsed(text);
    const facts = message === undefined ? undefined : factsOf(message);
    if (!facts) {
      this.#noise(t, message === undefined ? 'not-json' : 'not-json-rpc', Buffer.from(text));
      return;
    }
    this.#recorder.message({ session: this.#session, dir: 's2c', t, wall: this.#wallAt(t), raw: text, size, facts });
    switch (facts.shape) {
      case 'request':
        if (isJSONRPCRequest(message)) this.onmessage?.(message);
        break;
      case 'notification':
        this.#notification(facts.method, message as JSONRPCMessage);
        break;
      case 'result':
      case 'error':
        if (this.#waiting.delete(facts.key)) this.#reply(message, facts.key, text);
        break;
      case 'invalid':
      case 'none':
        break;
    }
  }

  #notification(method: string, message: JSONRPCMessage): void {
    if (method.endsWith('/list_changed')) this.onmessage?.(message);
    if (method !== 'notifications/resources/updated') return;
    const { params } = message as { readonly params?: { readonly uri?: unknown } | null };
    if (typeof params?.uri === 'string') this.#options.listener.resourceUpdated(params.uri);
  }

  #reply(message: unknown, key: string, text: string): void {
    this.#options.listener.replied(key);
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.onmessage?.(message);
    else this.#options.listener.unreadable(text);
  }

  broken(t: Ns, why: Noise, bytes: Buffer): void {
    this.#noise(t, why, bytes);
  }

  #noise(t: Ns, why: Noise, bytes: Buffer): void {
    this.#recorder.frame({ session: this.#session, dir: 's2c', t, body: { kind: 'noise', why, raw: rawOf(bytes) } });
    this.#options.listener.noise(bytes.toString('utf8', 0, QUOTE_BYTES));
  }

  stderr(t: Ns, bytes: Buffer): void {
    this.#recorder.frame({ session: this.#session, dir: 's2c', t, body: { kind: 'stderr', raw: rawOf(bytes) } });
    this.#options.listener.stderr(bytes.toString('utf8', 0, QUOTE_BYTES));
  }

  busy(): boolean {
    return this.#recorder.backlog > BACKLOG_BYTES;
  }

  outputEnded(): void {
    this.#options.listener.outputEnded();
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

/** Of a line that people are told about, as much as a sentence can hold. */
const QUOTE_BYTES = 400;

/** A request with more in its `_meta`, which is what the revisions have for news beside the matter (2025-11-25, Basic: `_meta`). */
function withMeta(message: JSONRPCMessage, meta: Arranged['meta']): JSONRPCMessage {
  if (meta === undefined || !('method' in message)) return message;
  return { ...message, params: { ...message.params, _meta: { ...message.params?.['_meta'], ...meta } } } as JSONRPCMessage;
}

const isFence = (outgoing: Outgoing | undefined): boolean => outgoing?.act?.act === 'fence';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
