// The port that every transport stands behind: bytes from a pipe or from HTTP become texts with the time of their arrival,
// messages go out and it is told when each of them has left. The tap is the one listener; the SDK comes behind it.
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Ns } from '../../app/base/time';
import type { ServerProcess } from '../../app/evidence/probe';
import type { ExchangeNumber, Http, HttpTransport, Life, Noise, RequestId, TransportName } from '../../app/wire/frame';

/** One message on its way out. */
export interface Parcel {
  readonly message: JSONRPCMessage;
  /** The message as it goes out, to the byte. */
  readonly text: string;
  /** Over HTTP: headers of this message alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Event after which the SDK wants a stream resumed: with it, its transport may send something else than the message. */
  readonly resumptionToken?: string | undefined;
  /** The whole text has been handed to the system. `exchange`: over HTTP, what carries it; more than once after a new login. */
  written(t: Ns, exchange?: ExchangeNumber): void;
  /** Nothing can become of it any more but what has become of it. */
  done(): void;
  /**
   * It was not written (when `written` has not been called), or what carried it came to nothing: refused, cut off, over
   * without the answer. Called instead of `done`.
   */
  failed(error: Error): void;
}

/** What comes from a server, in the order in which it came. */
export interface WireListener {
  /**
   * One text that should be a message, exactly as it was: a line of stdout, the body of a response, the data of an event.
   * `size` in bytes.
   * @returns typed keys of the requests that it answers
   */
  text(t: Ns, text: string, size: number, exchange?: ExchangeNumber): readonly string[];
  /** Bytes in such a place that cannot be a message. Valid until the call returns. */
  broken(t: Ns, why: Noise, bytes: Buffer, exchange?: ExchangeNumber): void;
  /** A line of stderr, or what was left of one at the end. */
  stderr(t: Ns, bytes: Buffer): void;
  /** Something happened below the messages. */
  http(t: Ns, http: Http): void;
  /** A step of the connection itself: it is about to be made, it fell back to another transport. */
  step(life: Extract<Life, { event: 'started' | 'connecting' | 'fell-back' }>): void;
  /** Nothing more can be taken for now: nothing is read until this is over, and the server has to wait. */
  busy(): boolean;
  /** No message can come any more, or none can be sent, and nobody wanted that. `session`: the server has forgotten the session. */
  lost(why: string, session: boolean): void;
  /** Something works no more and the session lives on: in plain words. */
  impaired(why: string): void;
  /** The process has ended, and everything that it had written was handed on before. */
  exited(code: number | undefined, signal: string | undefined): void;
}

/** Processes that lived on when the server's stdin had been closed, and had to be ended by a signal. */
export interface Outlived {
  /** How long they had been given, in ms. */
  readonly afterMs: number;
  /** The server's own process was among them. */
  readonly server: boolean;
  readonly processes: readonly { readonly pid: number; readonly command: string; readonly signal: 'SIGTERM' | 'SIGKILL' }[];
}

/** What closing was, when somebody dropped a call's connection. */
export type Dropped =
  /** The response stream of the call alone. */
  | 'stream'
  /** The connection, with every call that is on it. */
  | 'connection'
  /** There was nothing left to close. */
  | 'nothing';

export interface Wire {
  /** How messages travel; undefined before that is decided. */
  readonly transport: TransportName | undefined;
  /** Which transport was refused first, and why. */
  readonly fellBack: { readonly from: HttpTransport; readonly why: string } | undefined;
  /** Over HTTP: whether the server keeps a session for us. Settled once `initialize` has been answered. */
  readonly stateful: boolean | undefined;
  /** Messages arrive in the order in which they were sent: a ping behind a cancel says when that has been read. */
  readonly ordered: boolean;
  /** Undefined until a process of ours runs, and over HTTP, where there is none. */
  readonly pid: number | undefined;
  /** Resolves once messages can be sent. @throws Error in plain words when that cannot come about */
  start(listener: WireListener): Promise<void>;
  /** The revision that was agreed upon. */
  setProtocolVersion(version: string): void;
  /** Sends messages: in one piece where the wire is ordered, else side by side. */
  send(parcels: readonly Parcel[]): void;
  /** Closes the connection of a call, or its response stream. @param before called when that is about to happen */
  drop(id: RequestId, before: () => void): Dropped;
  /** Breaks the connection off because a fault is to: over HTTP this exchange, if it is still open. What is lost by it is told. */
  cut(exchange: ExchangeNumber | undefined): void;
  /** How far things have come, for a person who waits: in plain words, undefined when there is nothing to say. */
  readonly awaiting: string | undefined;
  /**
   * Ends the connection, and over stdio the server's processes. Resolves when none is left.
   * @returns those that did not end by themselves; undefined when all did
   */
  close(): Promise<Outlived | undefined>;
  /** SIGKILL to all processes. @param before called when they have been found and nothing was sent yet */
  kill(before: () => void): Promise<void>;
  /** The processes of the server, its own first; none over HTTP. @throws Error when the system does not tell */
  processes(): Promise<readonly ServerProcess[]>;
}

/** A message that never reached the wire. */
export class UndeliveredError extends Error {
  override readonly name = 'UndeliveredError';
}
