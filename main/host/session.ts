// One connection to one server: the wire, the handshake by the SDK's client, the calls, and Stop. The client asks;
// what is written for a Stop, and when, is decided here, because an SDK's own ideas about cancelling (on a timeout, on an
// abort, twice) would be mistaken for the person's.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type JSONRPCMessage,
  ListRootsRequestSchema,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Clock, fromMs, type Ns, toMs } from '../../app/base/time';
import { unreachable } from '../../app/base/unreachable';
import type { Root, ServerState, Stopped, TaskAbilities, Tool } from '../../app/contract/host';
import type { ServerProcess } from '../../app/evidence/probe';
import type { FaultRule } from '../../app/scenario/faults';
import type { TaskWish } from '../../app/scenario/scenario';
import { AUTOMATIC, closingCancels, type Era, eraOf } from '../../app/wire/era';
import type { Act, HttpTransport, Life, Means, RequestId, Seq, SessionNumber, TransportName } from '../../app/wire/frame';
import { keyOf } from '../../app/wire/jsonrpc';
import type { Recorder } from '../store/recorder';
import { type HttpWire, http } from '../transports/http';
import { stdioWire } from '../transports/stdio-wire';
import { UndeliveredError, type Wire } from '../transports/wire';
import type { AuthLine, Authorization } from './auth';
import type { Faults } from './faults';
import { listTools } from './list-tools';
import { News } from './news';
import { responsesTo, sendable } from './rounds';
import { type Outgoing, Tap, type TapListener } from './tap';
import type { Later, TaskRun } from './task-run';
import { createdBy, taskAbilitiesOf, taskStateOf, wishOf } from './task-state';
import { type FoundTask, Tasks } from './tasks';
import {
  type Ending,
  endedWhy,
  handshakeWhy,
  OddAnswer,
  outlivedSays,
  plain,
  type Seen,
  seenNoise,
  seenStderr,
  Unanswered,
  unheardWhy,
  unreadableWhy,
} from './why';
import { httpHandshakeWhy, revisionWhy } from './why-http';

/** A process to start; what the person gave, made complete. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** A server at an address. */
export interface Address {
  readonly url: string;
  /** `auto`: Streamable HTTP, and the older transport where the server refuses that. */
  readonly transport: HttpTransport | 'auto';
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Target = { readonly kind: 'stdio'; readonly command: Command } | { readonly kind: 'http'; readonly address: Address };

export interface SessionOptions {
  readonly number: SessionNumber;
  readonly target: Target;
  /** A revision of the protocol to insist on. */
  readonly protocol?: string | undefined;
  /** Where tokens come from, for a server at an address that was given none. */
  readonly authorization?: Authorization | undefined;
  /** A piece of a command line, or of what is said of it, as it may be recorded: without what is secret in it. */
  readonly conceal: (text: string) => string;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** How the person calls the server. */
  readonly title?: string | undefined;
  /** What Stopgap calls itself in the handshake. */
  readonly version: string;
  readonly roots: () => readonly Root[];
  /** What is done to its messages on purpose, from the end of the handshake on. */
  readonly faults?: readonly FaultRule[];
  /** Whether idle servers may be pinged. */
  readonly fence: () => boolean;
  /** Called whenever something of {@link Session}'s picture has changed. */
  readonly onChange: () => void;
  /** How long the server may take to answer `initialize`, in ms. */
  readonly handshakeMs?: number;
  readonly graceMs?: number;
  readonly lineLimit?: number;
}

/** What is arranged for a call. */
export interface CallOptions {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly probes: readonly string[];
  readonly settle: Ns;
  readonly normally: Ns | undefined;
  readonly fence: boolean;
  /** See `tool.call` in app/contract/host. */
  readonly task?: boolean | { readonly ttlMs?: number | undefined } | undefined;
  readonly stopAfterMs: number | undefined;
  readonly stopReason?: string | undefined;
  /** The cancel goes out in the same write as the call: it is there before any handler can have begun. */
  readonly stopAtOnce?: boolean | undefined;
  /** The stopped call that this one repeats. */
  readonly retryOf?: RequestId | undefined;
  /** The call whose effect this one is meant to take back. */
  readonly undoOf?: RequestId | undefined;
  /** What a scenario calls it: faults may be about it by that name. */
  readonly name?: string | undefined;
  /** By probe: a text that only this call's own effects carry. */
  readonly owns?: Readonly<Record<string, string>>;
  /** Makes the trace context that goes out with the call (W3C Trace Context). */
  readonly traceparent?: ((id: RequestId) => string) | undefined;
  /** Called when the call has been stopped, by the timer too: what watches it looks again. */
  readonly onStopped: () => void;
}

/** Who wants the server to end. */
export type Asked = Exclude<Extract<Life, { event: 'exited' }>['asked'], 'nobody' | 'kill'>;

interface LiveCall {
  /** Of its last round. */
  id: RequestId;
  /** `seq` of its request frame. */
  readonly request: Seq;
  readonly fence: boolean;
  readonly onStopped: () => void;
  /** Nothing more is owed: it was answered, or the task that was made of it has ended. */
  over: boolean;
  /** The ways in which it was stopped. */
  readonly stopped: Set<string>;
  timer: NodeJS.Timeout | undefined;
  readonly settleMs: number;
  /** Set when it was asked to be run as a task: its answer is then not the end of it. */
  readonly form: TaskAbilities['form'] | undefined;
  task: TaskRun | undefined;
  /** A Stop for the task, which waits for its id. */
  deferred: Pressed | undefined;
  /** Whoever called has given up: a task that is made of it is not asked after. */
  unattended: boolean;
}

interface Pressed {
  readonly how: Means;
  readonly reason: string | undefined;
}

export const HANDSHAKE_MS = 20_000;
/** Longer than any session: no timer of the SDK's client may ever decide anything (the longest that a timer can be set to). */
const NO_TIMEOUT = { timeout: 2 ** 31 - 1 };
const IDLE_PINGS = 3;
/** How long a process may take to end after it has closed its stdin, before that alone is what is told. */
const LAST_WORDS_MS = 1000;
/** What the SDK's clients write on a timeout; a server that knows them knows this text. */
const TIMEOUT_REASON = 'McpError: MCP error -32001: Request timed out';

export class Session {
  readonly number: SessionNumber;
  state: ServerState = 'starting';
  protocol: string | undefined;
  /** The revisions that the server offers, where it was asked. */
  offered: readonly string[] | undefined;
  server: { readonly name: string; readonly version: string } | undefined;
  instructions: string | undefined;
  why: string | undefined;
  tools: readonly Tool[] = [];
  /** The server has forgotten the session: connecting again makes a new one. */
  sessionLost = false;
  readonly #options: SessionOptions;
  readonly #wire: Wire;
  readonly #http: HttpWire | undefined;
  readonly #tap: Tap;
  readonly #client: Client;
  readonly #calls = new Map<Seq, LiveCall>();
  readonly #byKey = new Map<string, LiveCall>();
  readonly #tasks: Tasks;
  readonly #began = performance.now();
  #seen: Seen = { noise: undefined, stderr: undefined };
  #asked: Asked | 'nobody' | 'kill' = 'nobody';
  #ending: Ending | undefined;
  #fences = 0;
  /** What works no more in a session that lives on. */
  #impaired: string | undefined;
  #closing: Promise<void> | undefined;
  #refuse: (error: Error) => void = () => undefined;
  #tellEnded: () => void = () => undefined;
  readonly #hasEnded = new Promise<void>((resolve) => {
    this.#tellEnded = resolve;
  });
  #news: News | undefined;
  #listing: Promise<void> | undefined;
  #listAgain = false;
  /** Requests of probes that have no answer yet. */
  readonly #asking = new Set<Promise<unknown>>();
  readonly #resources = new Map<string, Set<() => void>>();
  /** Resources that have changed in this turn of the event loop. */
  readonly #updated = new Set<string>();

  constructor(options: SessionOptions) {
    const { clock, recorder, number, version, protocol, title } = options;
    this.#options = options;
    this.number = number;
    const { wire, overHttp } = wireOf(options, (step, ok, says) => this.#tap.life({ event: 'auth', step, ok, says }));
    this.#wire = wire;
    this.#http = overHttp;
    this.#tap = new Tap({ session: number, recorder, clock, wire, protocol, title, roots: options.roots, listener: this.#listener });
    this.#tap.faults.set(options.faults ?? []);
    this.#client = new Client({ name: 'stopgap', title: 'Stopgap', version }, { capabilities: { roots: { listChanged: true } } });
    this.#client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: options.roots().map(sendable) }));
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#refreshTools());
    this.#tasks = new Tasks({
      ask: (method, params) => this.#askOfTasks(method, params),
      later,
      answer: (asks) => responsesTo(asks, options.roots),
    });
  }

  get pid(): number | undefined {
    return this.#wire.pid;
  }

  /** How messages travel; undefined before that is decided. */
  get transport(): TransportName | undefined {
    return this.#wire.transport;
  }

  /** What the server says of its tasks. */
  get tasks(): TaskAbilities | undefined {
    return this.protocol === undefined ? undefined : taskAbilitiesOf(this.#client.getServerCapabilities(), this.#era.modern);
  }

  get fellBack(): Wire['fellBack'] {
    return this.#wire.fellBack;
  }

  /** Over HTTP: whether the server keeps a session for us. */
  get stateful(): boolean | undefined {
    return this.#wire.stateful;
  }

  /** What is done to its messages on purpose. */
  get faults(): Faults {
    return this.#tap.faults;
  }

  /** Nothing can be asked of the server any more. */
  get over(): boolean {
    return this.state === 'failed' || this.state === 'ended';
  }

  /** Connects and shakes hands. Never rejects: how it went is `state` and `why`. */
  async open(): Promise<void> {
    const { handshakeMs = HANDSHAKE_MS } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const refused = new Promise<never>((_, reject) => {
      this.#refuse = reject;
      timer = setTimeout(() => reject(new Unanswered(handshakeMs, this.#wire.awaiting)), handshakeMs);
    });
    try {
      await Promise.race([this.#client.connect(this.#tap, NO_TIMEOUT), refused]);
      this.#opened();
    } catch (error) {
      // A pipe that takes nothing mostly belongs to a process that has just ended: how it ended says more.
      if (error instanceof UndeliveredError && this.#http === undefined)
        await Promise.race([this.#hasEnded, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
      this.#failed(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Connects and shakes no hands: what is said, {@link say} says. For conformance; its state stays that of a session that is
   * being begun.
   */
  async openBare(): Promise<void> {
    await this.#tap.start().catch((error: unknown) => this.#failed(error));
  }

  /**
   * Sends messages as they are, in one write where the wire is ordered, whatever the revision thinks of them. For conformance.
   * @throws Error when one was never written
   */
  async say(messages: readonly JSONRPCMessage[]): Promise<void> {
    await this.#tap.sendTogether(
      messages.map((message) => ({ message: 'id' in message && 'method' in message ? this.#tap.asSpoken(message) : message })),
    );
  }

  /** Gives up a server before it was started. @param why expected, seen, what to try */
  refuse(why: string): void {
    this.why = why;
    this.#tap.life({ event: 'failed', why });
    this.#set('failed');
  }

  readonly #listener: TapListener = {
    stepped: () => this.#options.onChange(),
    replied: (key) => {
      const call = this.#byKey.get(key);
      if (!call) return;
      this.#byKey.delete(key);
      // Of one that was to run as a task, it is looked at what the reply says: see #returned.
      if (call.form === undefined) ended(call);
    },
    goesOn: (key, id) => {
      const call = this.#byKey.get(key);
      if (!call) return;
      this.#byKey.delete(key);
      call.id = id;
      this.#byKey.set(keyOf(id), call);
    },
    listens: (id) => this.#news?.acknowledged(id),
    listensNoMore: (key, says) => this.#news?.ended(key, says),
    unreadable: (text) => {
      this.#refuse(new OddAnswer(text));
      if (this.state !== 'connected') return;
      this.why = unreadableWhy(text);
      this.#options.onChange();
    },
    faulted: () => this.#options.onChange(),
    resourceUpdated: (uri) => this.#resourceUpdated(uri),
    taskTold: (params) => this.#tasks.told(params),
    noise: (text) => {
      this.#seen = seenNoise(this.#seen, text);
    },
    stderr: (text) => {
      this.#seen = seenStderr(this.#seen, text);
    },
    lost: (why, session) => this.#hasLost(why, session),
    impaired: (why) => this.#hasLess(why),
    exited: (code, signal) => this.#exited(code, signal),
  };

  /** Something works no more, and the session lives on. */
  #hasLess(why: string): void {
    this.#impaired = why;
    if (this.state !== 'connected') return;
    this.why = why;
    this.#options.onChange();
  }

  #opened(): void {
    if (this.state !== 'starting') return;
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    const { protocol: wanted } = this.#options;
    const { protocol } = this.#tap;
    if (wanted !== undefined && wanted !== AUTOMATIC && protocol !== wanted) {
      this.#failed(new Error(revisionWhy(wanted, protocol)));
      return;
    }
    this.protocol = protocol;
    this.offered = this.#tap.offered;
    this.server = { name, version };
    this.instructions = this.#client.getInstructions();
    const { transport = 'stdio', stateful, offered } = this;
    this.#tap.life({
      event: 'opened',
      transport,
      protocol,
      server: this.server,
      ...(stateful === undefined ? {} : { stateful }),
      ...(offered ? { offered: [...offered] } : {}),
    });
    this.#tap.faults.begin();
    this.#set('connected');
    void this.#lookAround();
  }

  /** Asks for news where they do not come by themselves. */
  #listen(): void {
    if (!this.#era.modern || this.state !== 'connected') return;
    const tools = this.#client.getServerCapabilities()?.tools?.listChanged === true;
    const onEnd = (why: string): void => {
      if (this.state === 'connected') this.#hasLess(unheardWhy(why));
    };
    this.#news = new News({ tap: this.#tap, wire: this.#wire, tools, onEnd });
  }

  /** What is asked of every new server: its tools, and how long it takes to answer when it has nothing else to do. */
  async #lookAround(): Promise<void> {
    await this.#refreshTools();
    this.#listen();
    for (let n = 0; n < IDLE_PINGS && (await this.#mayPing()); n++) {
      this.#tap.arrange((id) => ({ act: { act: 'idle', ping: id } }));
      // An error answers the question as well; a server that is gone answers nothing any more.
      await this.#client.request({ method: this.#era.cheapRead }, ResultSchema, NO_TIMEOUT).catch(() => undefined);
    }
  }

  /** Waits for what probes have asked: a server that does one thing after the other would not be idle. */
  async #mayPing(): Promise<boolean> {
    // Where a stop closes a stream, nothing is compared with the time that an answer takes: nothing comes any more.
    if (this.#closingCancels) return false;
    if (this.#options.fence()) await Promise.allSettled([...this.#asking]);
    return this.#options.fence() && this.#byKey.size === 0 && this.state === 'connected';
  }

  /** Asks for the tools, all pages. News that come meanwhile are answered by one more round, however many they are. */
  async #refreshTools(): Promise<void> {
    this.#listAgain = true;
    this.#listing ??= this.#listUntilStill().finally(() => {
      this.#listing = undefined;
    });
    await this.#listing;
  }

  async #listUntilStill(): Promise<void> {
    while (this.#listAgain && this.state === 'connected' && this.#client.getServerCapabilities()?.tools) {
      this.#listAgain = false;
      try {
        this.tools = await listTools(this.#client, NO_TIMEOUT, this.tasks);
        this.#tap.know(this.tools);
        this.why = this.#impaired;
      } catch (error) {
        if (this.state !== 'connected') return;
        this.why = `Expected a list of tools, but it did not come: ${plain(error)}. What the server sent is in the wire log.`;
      }
      this.#options.onChange();
    }
  }

  #failed(error: unknown): void {
    if (this.state !== 'starting') return;
    const { conceal } = this.#options;
    this.why = conceal(this.#handshakeWhy(error));
    this.#tap.life({ event: 'failed', why: this.why });
    this.#set('failed');
    void this.#end('disconnect');
  }

  #handshakeWhy(error: unknown): string {
    const { target } = this.#options;
    const asked = this.#tap.greeting;
    if (target.kind === 'http') return httpHandshakeWhy({ error, url: target.address.url, seen: this.#seen, asked });
    const why = handshakeWhy({ error, command: target.command.command, seen: this.#seen, ending: this.#ending, asked });
    // Nobody else tells the person that the question itself may have been too much.
    return this.#ending && this.#options.protocol === AUTOMATIC ? `${why} ${ASKED_FIRST}` : why;
  }

  #hasLost(why: string, session: boolean): void {
    if (this.state !== 'connected' && this.state !== 'starting') return;
    this.sessionLost = session;
    this.#tap.life({ event: 'lost', why });
    if (this.state === 'starting') this.#refuse(new Error(why));
    else this.#over(why);
    void this.#tap.close();
  }

  #exited(code: number | undefined, signal: string | undefined): void {
    this.#ending = { code, signal, afterMs: performance.now() - this.#began };
    this.#tellEnded();
    const how = { ...(code === undefined ? {} : { code }), ...(signal === undefined ? {} : { signal }) };
    this.#tap.life({ event: 'exited', ...how, asked: this.#asked });
    if (this.state === 'connected') this.#over(endedWhy(this.#asked, this.#ending, this.#seen));
    void this.#tap.close();
  }

  #over(why: string | undefined): void {
    for (const call of this.#calls.values()) clearTimeout(call.timer);
    this.#tasks.stopPolling();
    this.#byKey.clear();
    this.why = why;
    this.#set('ended');
  }

  #set(state: ServerState): void {
    this.state = state;
    this.#options.onChange();
  }

  /** Ends the server with everything that it started. Resolves when none of it is left; nothing new begins here then. */
  async close(asked: Asked): Promise<void> {
    const before = this.state;
    if (!this.over) this.#set('closing');
    await this.#end(asked);
    if (before !== 'failed') this.#over(this.why);
  }

  #end(asked: Asked): Promise<void> {
    this.#closing ??= this.#ended(asked);
    return this.#closing;
  }

  async #ended(asked: Asked): Promise<void> {
    if (this.#asked === 'nobody') this.#asked = asked;
    const ran = this.pid !== undefined || this.protocol !== undefined;
    const outlived = await this.#wire.close();
    await this.#tap.close();
    if (outlived) {
      const processes = outlived.processes.map((one) => ({ ...one, command: this.#options.conceal(one.command) }));
      const says = outlivedSays({ ...outlived, processes });
      this.#tap.life({ event: 'outlived', processes: processes.map(({ pid, command }) => ({ pid, command })), says });
    }
    if (ran) this.#tap.life({ event: 'closed' });
  }

  /**
   * Asks the server something on behalf of a probe, which the trace says.
   * @throws Error when it was refused, or the session is over
   */
  ask(probe: string, method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (this.state !== 'connected') return Promise.reject(new Error('the session is over'));
    if (this.#era.modern && SUBSCRIBING.has(method)) return this.#subscribe(method, String(params['uri']));
    this.#tap.arrange((id) => ({ act: { act: 'probe', id, probe } }));
    const asked = this.#client.request({ method, params: { ...params } }, ResultSchema, NO_TIMEOUT).then((result) => {
      if (result['resultType'] === 'input_required') throw new Error('the server asks for input first, which is not given from here');
      return result;
    });
    this.#asking.add(asked);
    const over = (): void => void this.#asking.delete(asked);
    asked.then(over, over);
    return asked;
  }

  /** What a probe asks for in the words of the revisions before, where news are asked for by a request that stays open. */
  async #subscribe(method: string, uri: string): Promise<void> {
    if (this.#client.getServerCapabilities()?.resources?.subscribe !== true) throw new Error('the server tells no changes of resources');
    if (method === 'resources/subscribe') await this.#news?.follow(uri);
    else await this.#news?.leave(uri);
  }

  /** Calls back when a resource is said to have changed, at most once in a turn of the event loop. @returns stops it */
  onResourceUpdated(uri: string, listener: () => void): () => void {
    const listeners = this.#resources.get(uri) ?? new Set();
    this.#resources.set(uri, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  #resourceUpdated(uri: string): void {
    if (!this.#resources.get(uri)?.size) return;
    if (this.#updated.size === 0)
      setImmediate(() => {
        const updated = [...this.#updated];
        this.#updated.clear();
        for (const one of updated) for (const listener of this.#resources.get(one) ?? []) listener();
      });
    this.#updated.add(uri);
  }

  get #era(): Era {
    return eraOf(this.protocol);
  }

  /** Closing the response stream of a call is its cancel. */
  get #closingCancels(): boolean {
    return closingCancels(this.protocol, this.transport);
  }

  /** The server's processes, its own first, as they may be recorded. @throws Error when the system does not tell */
  async processes(): Promise<readonly ServerProcess[]> {
    return (await this.#wire.processes()).map((one) => ({ ...one, command: this.#options.conceal(one.command) }));
  }

  /** Tells the server that the list of roots has changed. */
  async rootsChanged(): Promise<void> {
    if (this.state === 'connected' && !this.#era.modern) await this.#client.sendRootsListChanged();
  }

  /**
   * Calls a tool. Resolves when the request has been handed to the wire, with its `seq`.
   * @throws Error in plain words when it never was
   */
  async call(options: CallOptions): Promise<Seq> {
    if (this.state !== 'connected') throw new Error('There is no connected server to call. Connect one first.');
    const { tool } = options;
    const found = this.tools.find(({ name }) => name === tool);
    const wish = wishOf(options.task, tool, found, this.tasks);
    const form = wish && this.tasks?.form;
    // Only where messages arrive in their order a ping behind a cancel proves anything (VERDICTS, "Fence").
    const arranged = { ...options, fence: options.fence && this.#wire.ordered };
    return new Promise((resolve, reject) => {
      let live: LiveCall | undefined;
      this.#tap.arrange((id) => {
        const begun = (seq: Seq): void => {
          if (!live) {
            live = this.#begin(seq, id, arranged, form);
            if (options.stopAtOnce) this.#stoppedAtOnce(live, options.stopReason);
          }
          resolve(seq);
        };
        return {
          act: arrangementOf(id, arranged, wish),
          meta: options.traceparent && { traceparent: options.traceparent(id) },
          tasks: wish !== undefined,
          name: options.name,
          sent: begun,
          // To the client it is under way: it may be stopped from now on.
          kept: begun,
          behind:
            options.stopAtOnce && !this.#closingCancels
              ? this.#cancelOf({ id, fence: arranged.fence }, AT_ONCE, id, options.stopReason)
              : undefined,
        };
      });
      const params = { name: tool, arguments: { ...options.arguments }, ...(form === 'experimental' ? { task: askedFor(wish) } : {}) };
      // The progress token comes with the listener. What the call answers is read off the trace, like everything else.
      this.#client.request({ method: 'tools/call', params }, ResultSchema, { ...NO_TIMEOUT, onprogress: () => undefined }).then(
        (result) => live && this.#returned(live, result),
        (error: unknown) => {
          reject(new Error(`The call did not leave: ${plain(error)}`));
          if (live && error instanceof McpError) ended(live);
        },
      );
    });
  }

  /** Its cancel goes out behind it; where closing the stream is the cancel, there has to be one first. */
  #stoppedAtOnce(call: LiveCall, reason: string | undefined): void {
    if (this.#closingCancels) void this.#stop(call, AT_ONCE, reason);
    else if (remember(call, AT_ONCE, false)) call.onStopped();
  }

  #begin(seq: Seq, id: RequestId, options: CallOptions, form: LiveCall['form']): LiveCall {
    const { fence, onStopped, stopAfterMs, stopReason, settle } = options;
    const call: LiveCall = {
      id,
      request: seq,
      fence,
      onStopped,
      form,
      over: false,
      stopped: new Set(),
      timer: undefined,
      settleMs: toMs(settle),
      task: undefined,
      deferred: undefined,
      unattended: false,
    };
    this.#calls.set(seq, call);
    this.#byKey.set(keyOf(id), call);
    if (stopAfterMs !== undefined) call.timer = setTimeout(() => void this.#stop(call, { means: 'cancel' }, stopReason), stopAfterMs);
    return call;
  }

  /** The answer to a call: its end, or the task that the server has made of it. */
  #returned(call: LiveCall, result: unknown): void {
    const created = call.form && createdBy(result, call.form);
    if (call.form === undefined || created === undefined) {
      ended(call);
      return;
    }
    const { form, request, settleMs: windowMs, deferred } = call;
    const run = this.#tasks.begin(created, { form, request, windowMs, onOver: () => ended(call) });
    call.task = run;
    if (run.over) ended(call);
    if (call.unattended) run.stopPolling();
    call.deferred = undefined;
    if (!deferred || run.over) return;
    void this.#cancelTask(call, run, deferred);
    call.onStopped();
  }

  /** Asks about tasks. @param sent called when the question has been written */
  #askOfTasks(method: string, params: Readonly<Record<string, unknown>>, sent?: () => void): Promise<unknown> {
    if (this.state !== 'connected') return Promise.reject(new Error('the session is over'));
    this.#tap.arrange(() => ({ tasks: true, sent }));
    return this.#client.request({ method, params: { ...params } }, ResultSchema, NO_TIMEOUT);
  }

  /**
   * The server's tasks, or those that were made here where it tells of no others.
   * @throws Error in plain words when the server refuses, or knows no tasks
   */
  async listTasks(): Promise<Awaited<ReturnType<Tasks['list']>>> {
    return this.#tasks.list(this.#taskAbilities());
  }

  /** Cancels a task: as the Stop of the call that made it, where that is not over and has not been stopped so before. */
  async cancelTask(task: string): Promise<{
    readonly outcome: Stopped['outcome'] | 'refused';
    readonly says: string;
    readonly task: FoundTask | undefined;
  }> {
    this.#taskAbilities();
    const request = this.#tasks.requestOf(task);
    const call = request === undefined ? undefined : this.#calls.get(request);
    if (call && !call.over && !call.stopped.has(CANCEL))
      return { ...(await this.#stop(call, { means: 'cancel' }, undefined)), task: undefined };
    try {
      const state = taskStateOf(await this.#askOfTasks('tasks/cancel', { taskId: task }));
      if (state) this.#tasks.told(state);
      return { outcome: 'sent', says: ACKNOWLEDGED, task: state && this.#tasks.found(state) };
    } catch (error) {
      if (error instanceof McpError)
        return { outcome: 'refused', says: `The server refused tasks/cancel: ${plain(error)}.`, task: undefined };
      return { outcome: 'undelivered', says: `tasks/cancel never reached the server: ${plain(error)}.`, task: undefined };
    }
  }

  #taskAbilities(): TaskAbilities {
    if (this.tasks) return this.tasks;
    throw new Error('Expected a server with tasks, but this one does not say that it has any.');
  }

  /** The request frames of the calls that have no reply yet, or whose task has not ended. */
  get inFlight(): readonly Seq[] {
    return [...this.#calls].filter(([, call]) => !call.over).map(([seq]) => seq);
  }

  /**
   * Stops a call.
   * @param request `seq` of its request frame
   * @throws Error when it is no call of this session
   */
  async stop(request: Seq, how: Means, reason: string | undefined): Promise<Omit<Stopped, 'call'>> {
    const call = this.#calls.get(request);
    if (!call) throw new Error('Expected a tool call that was sent from here; this request is none.');
    if (this.over) return { outcome: 'nothing', says: 'The session was over already. Nothing was sent.' };
    if (how.means === 'kill' && this.#http) return { outcome: 'nothing', says: NO_PROCESS };
    if (how.means === 'stop-polling' && call.form === undefined) return { outcome: 'nothing', says: NO_TASK };
    return this.#stop(call, how, reason);
  }

  #stop(call: LiveCall, how: Means, reason: string | undefined): Promise<Omit<Stopped, 'call'>> {
    clearTimeout(call.timer);
    // Between two rounds no request is open that anything could name: what can be done is to send no further one.
    const between = this.#tap.endRounds(keyOf(call.id)) && how.means !== 'kill';
    if (between) {
      this.#byKey.delete(keyOf(call.id));
      call.over = true;
    }
    if (call.over) {
      this.#tap.act(stopAct(call.id, how, reason, { wrote: false, late: true }));
      const asked = 'The server had asked for input, and no request was open: no further round is sent';
      const ended = between ? asked : call.task ? 'The task had already ended' : 'The reply had already arrived';
      return Promise.resolve({ outcome: 'too-late', says: `${ended}. Nothing was sent.` });
    }
    if (!remember(call, how, this.#closingCancels))
      return Promise.resolve({ outcome: 'nothing', says: 'It had been stopped that way before. Nothing was sent again.' });
    const stopped = this.#perform(call, how, reason);
    // The cancel is on its way; only now may anything else be looked at. A kill has to find its processes first.
    if (how.means === 'kill') void stopped.then(call.onStopped);
    else call.onStopped();
    return stopped;
  }

  #perform(call: LiveCall, how: Means, reason: string | undefined): Promise<Omit<Stopped, 'call'>> {
    switch (how.means) {
      case 'cancel':
        return this.#tell(call, { how, reason });
      case 'notify':
        return this.#cancel(call, how, call.id, reason);
      case 'cancel-id':
        return this.#cancel(call, how, how.id, reason);
      case 'timeout':
        return how.silent ? this.#abandon(call, how, reason) : this.#tell(call, { how, reason: TIMEOUT_REASON });
      case 'abandon':
      case 'stop-polling':
        return this.#abandon(call, how, reason);
      case 'kill':
        return this.#kill(call, how, reason);
      case 'drop':
        return this.#closingCancels && !call.task ? this.#closeStream(call, how, reason) : this.#drop(call, how, reason);
      default:
        return unreachable(how);
    }
  }

  /** The cancel, by the means that the revision has for this call. */
  #tell(call: LiveCall, pressed: Pressed): Promise<Omit<Stopped, 'call'>> {
    const { how, reason } = pressed;
    if (call.task) return this.#cancelTask(call, call.task, pressed);
    // 2025-11-25: a request that asks for a task MUST NOT be cancelled by the notification, and the id comes with its answer.
    if (call.form === 'experimental') return this.#defer(call, pressed);
    // In the extension it is a request like others until the server says otherwise; a task that comes all the same is cancelled.
    if (call.form === 'extension') call.deferred = pressed;
    return this.#closingCancels ? this.#closeStream(call, how, reason) : this.#cancel(call, how, call.id, reason);
  }

  async #defer(call: LiveCall, pressed: Pressed): Promise<Omit<Stopped, 'call'>> {
    this.#tap.act(stopAct(call.id, pressed.how, pressed.reason, { wrote: false, late: false }));
    call.deferred = pressed;
    return { outcome: 'deferred', says: NO_ID_YET };
  }

  /** `tasks/cancel`; its answer only acknowledges it. No fence goes with it: the answer shows that it has been read. */
  #cancelTask(call: LiveCall, run: TaskRun, { how, reason }: Pressed): Promise<Omit<Stopped, 'call'>> {
    this.#tap.act(stopAct(call.id, how, reason, { wrote: true, late: false }));
    return new Promise((resolve) => {
      const written = (): void => {
        run.cancelled();
        resolve({ outcome: 'sent', says: this.tasks?.cancel ? CANCELLED_TASK : `${CANCELLED_TASK} ${NOT_DECLARED}` });
      };
      const undelivered = (error: unknown): void => {
        const why = plain(error);
        if (this.state === 'connected') this.#tap.act({ act: 'undelivered', id: call.id, why });
        resolve({ outcome: 'undelivered', says: `tasks/cancel never reached the server: ${why}.` });
      };
      this.#askOfTasks('tasks/cancel', { taskId: run.id }, written).then(
        (answer) => {
          const state = taskStateOf(answer);
          if (state) run.told(state);
          else run.look();
        },
        (error: unknown) => (error instanceof McpError ? run.look() : undelivered(error)),
      );
    });
  }

  /** In one write: the cancel that names `id`, and behind it the ping (or what stands in its place) that shows when the server has read past it. */
  async #cancel(call: LiveCall, how: Means, id: RequestId, reason: string | undefined): Promise<Omit<Stopped, 'call'>> {
    const [{ act, ...cancel }, ...fence] = this.#cancelOf(call, how, id, reason);
    this.#tap.act(act);
    try {
      const fate = await this.#tap.sendTogether([cancel, ...fence]);
      return fate === 'written' ? { outcome: 'sent', says: 'The cancel was written to the server.' } : FAULTED[fate];
    } catch (error) {
      const why = plain(error);
      this.#tap.act({ act: 'undelivered', id: call.id, why });
      return { outcome: 'undelivered', says: `The cancel never reached the server: ${why}.` };
    }
  }

  /** The cancel with the act that it carries out, and the fence where one is wanted. */
  #cancelOf(
    call: Pick<LiveCall, 'id' | 'fence'>,
    how: Means,
    id: RequestId,
    reason: string | undefined,
  ): readonly [Outgoing & { readonly act: Act }, ...Outgoing[]] {
    const params = { requestId: id, ...(reason === undefined ? {} : { reason }) };
    const cancel = {
      message: { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params },
      act: stopAct(call.id, how, reason, { wrote: true, late: false }),
      refused: (error: Error): void => void this.#tap.act({ act: 'undelivered', id: call.id, why: error.message }),
    };
    if (!call.fence) return [cancel];
    const ping = `stopgap-fence-${++this.#fences}`;
    const message = this.#tap.asSpoken({ jsonrpc: '2.0', id: ping, method: this.#era.cheapRead });
    return [cancel, { message, act: { act: 'fence', id: call.id, ping } }];
  }

  /** Closes the call's response stream, or the connection where all calls share it. No server is told anything by that. */
  async #drop(call: LiveCall, how: Means, reason: string | undefined): Promise<Omit<Stopped, 'call'>> {
    const dropped = this.#wire.drop(call.id, () => this.#tap.act(stopAct(call.id, how, reason, { wrote: false, late: false })));
    giveUp(call);
    return { outcome: 'told-nobody', says: DROPPED[dropped] };
  }

  /** Closes the call's response stream, which is the cancel where the revision says so; nothing is sent. */
  async #closeStream(call: LiveCall, how: Means, reason: string | undefined): Promise<Omit<Stopped, 'call'>> {
    const why = 'no response stream of this call was open any more';
    const dropped = this.#tap.closing(
      call.id,
      () => void this.#tap.act(stopAct(call.id, how, reason, { wrote: true, late: false })),
      () => void this.#tap.act({ act: 'undelivered', id: call.id, why }),
    );
    if (dropped === 'keep' || dropped === 'drop') return FAULTED[dropped];
    if (dropped !== 'nothing')
      return { outcome: 'sent', says: 'The response stream of this call was closed, which is the cancel in this revision.' };
    return { outcome: 'undelivered', says: `The cancel never reached the server: ${why}.` };
  }

  async #abandon(call: LiveCall, how: Means, reason: string | undefined): Promise<Omit<Stopped, 'call'>> {
    this.#tap.act(stopAct(call.id, how, reason, { wrote: false, late: false }));
    giveUp(call);
    const asked = call.form === undefined ? '' : 'The task is asked after no more. ';
    return { outcome: 'told-nobody', says: `${asked}Nobody was told: the server knows nothing of it.` };
  }

  async #kill(call: LiveCall, how: Means, reason: string | undefined): Promise<Omit<Stopped, 'call'>> {
    await this.#wire.kill(() => {
      this.#asked = 'kill';
      this.#tap.act(stopAct(call.id, how, reason, { wrote: false, late: false }));
    });
    return { outcome: 'killed', says: 'The server and every process that it had started were killed.' };
  }
}

/** Requests of the revisions before, in whose place there is the subscription now. */
const SUBSCRIBING: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);
const AT_ONCE: Means = { means: 'cancel' };

const DROPPED = {
  stream: 'The connection of this call was dropped. A disconnect is no cancel: nobody was told to stop.',
  connection: 'The connection was dropped, and with it every call. A disconnect is no cancel: nobody was told to stop.',
  nothing: 'No connection of this call was open any more. Nobody was told to stop.',
} as const;

/** A cancel that a fault of ours does not let through. */
const FAULTED = {
  keep: { outcome: 'held', says: 'A fault of ours keeps the cancel: the server has not been told yet.' },
  drop: { outcome: 'undelivered', says: 'A fault of ours dropped the cancel: the server is never told.' },
} as const;

const ASKED_FIRST = 'It was asked for its revisions first (server/discover), which some servers do not survive: connect without “auto”.';

const NO_TASK = 'This call is not run as a task, so nothing is asked after it. Cancel it, or give up waiting for it (abandon).';
const NO_ID_YET =
  'The server has not said yet which task this is, and a request for a task must not be cancelled in another way. tasks/cancel goes out as soon as the id is there; until then nobody has been told.';
const ACKNOWLEDGED = 'The server acknowledged tasks/cancel. What that is worth, its status and the probes show.';
const CANCELLED_TASK = 'tasks/cancel was written to the server. Its answer only acknowledges it.';
const NOT_DECLARED = 'The server does not say that it knows tasks/cancel (no tasks.cancel among its capabilities).';
const NO_PROCESS = 'There is no process of ours to kill: this server runs elsewhere. Cancel the call, or drop its connection.';

/** @param life takes a step of an authorization */
function wireOf(options: SessionOptions, life: AuthLine['life']): { readonly wire: Wire; readonly overHttp: HttpWire | undefined } {
  const { target, clock, conceal, version, graceMs, lineLimit, authorization } = options;
  if (target.kind === 'http') {
    const userAgent = `stopgap/${version}`;
    const through = (fetch: FetchLike): FetchLike =>
      authorization?.through({ life, exchanging: (task) => overHttp.exchanging(task) }, fetch) ?? fetch;
    const overHttp = http({ ...target.address, clock, userAgent, through, limit: lineLimit, graceMs });
    return { wire: overHttp, overHttp };
  }
  const limits = { ...(graceMs === undefined ? {} : { graceMs }), ...(lineLimit === undefined ? {} : { lineLimit }) };
  return { wire: stdioWire({ ...target.command, ...limits, clock, conceal }), overHttp: undefined };
}

/** The way of stopping that tells the server, by whichever means the revision has for it. */
const CANCEL = 'cancel';

/** Notes how a call is stopped. @returns false when it had been stopped that way: a cancel is sent exactly once */
function remember(call: LiveCall, how: Means, closes: boolean): boolean {
  const asTask = call.task !== undefined || call.form === 'experimental';
  const tells =
    how.means === 'cancel' ||
    (how.means === 'notify' && !closes && !asTask) ||
    (how.means === 'drop' && closes && !asTask) ||
    (how.means === 'timeout' && !how.silent);
  const way = tells ? CANCEL : JSON.stringify(how);
  if (call.stopped.has(way)) return false;
  call.stopped.add(way);
  return true;
}

function ended(call: LiveCall): void {
  call.over = true;
  clearTimeout(call.timer);
}

/** Whoever called listens no more. */
function giveUp(call: LiveCall): void {
  call.unattended = true;
  call.task?.stopPolling();
}

const askedFor = (wish: TaskWish | undefined) => (wish?.ttlMs === undefined ? {} : { ttl: wish.ttlMs });

/** A timer of the machine. */
const later: Later = (ms, then) => {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
};

const stopAct = (id: RequestId, how: Means, reason: string | undefined, { wrote, late }: { wrote: boolean; late: boolean }): Act => ({
  act: 'stop',
  id,
  how,
  ...(reason === undefined ? {} : { reason }),
  wrote,
  late,
});

const arrangementOf = (
  id: RequestId,
  { tool, probes, settle, normally, fence, retryOf, undoOf, owns = {} }: CallOptions,
  wish: TaskWish | undefined,
): Act => ({
  act: 'call',
  id,
  tool,
  probes: [...probes],
  settle,
  ...(normally === undefined ? {} : { normally }),
  fence,
  ...(retryOf === undefined ? {} : { retryOf }),
  ...(undoOf === undefined ? {} : { undoOf }),
  ...(Object.keys(owns).length === 0 ? {} : { owns }),
  ...(wish ? { task: wish.ttlMs === undefined ? {} : { ttl: fromMs(wish.ttlMs) } } : {}),
});
