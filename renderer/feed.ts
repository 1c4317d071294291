// The window's end of the host's port: requests with numbers, events, and the local copy of the trace that batches build.
// The columns, the fold and the world live here and nowhere else in the window; everybody else reads them and is told,
// at most once per animation frame, that a new version exists. A batch that does not continue what is here is never
// papered over: everything is asked for again.

import { asNs, type Ns, ZERO } from '../app/base/time';
import type { EventName, Events, FrameBody, Params, Request, Results, ToHost, ToWindow, View } from '../app/contract/host';
import { type World, world } from '../app/evidence/world';
import { type Calls, calls } from '../app/trace/calls';
import { Trace } from '../app/trace/trace';
import type { Finding, Verdict } from '../app/verdict/verdict';
import type { Seq } from '../app/wire/frame';
import { type FrameTimes, frameTimes } from './frameTimes';
import { sharing } from './share';

/** Whether somebody answers at the other end. `gone`: the host's process ended, or its port closed. */
export type Link = { readonly state: 'waiting' } | { readonly state: 'ready' } | { readonly state: 'gone'; readonly why: string };

/** What the feed tells on; batches are its own business. */
export type FeedEvents = Omit<Events, 'batch'> & { readonly link: Link; readonly hello: Results['hello'] };
type Listener<E extends keyof FeedEvents> = (payload: FeedEvents[E]) => void;

/** Between two pictures of a file that is being read, in ms. */
const READING_MS = 200;

/** What the feed needs of the page; a test gives its own. */
export interface FeedEnvironment {
  /** Calls back before the next paint. */
  readonly frame: (callback: () => void) => void;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

const page: FeedEnvironment = { frame: (callback) => void requestAnimationFrame(callback), clock: () => performance.now() };

/** The host refused a request, in its own words. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The host went away before it answered. */
export class HostGone extends Error {
  override readonly name = 'HostGone';
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Feed {
  /** The local copy; replaced whenever another view begins. */
  trace: Trace = new Trace();
  calls: Calls = calls(this.trace);
  world: World = world();
  verdicts: Map<number, Verdict> = new Map();
  findings: readonly Finding[] = [];
  view: View | undefined;
  /** Grows with everything that changes above. */
  version = 0;
  link: Link = { state: 'waiting' };
  /** Frames that arrived out of step and had to be asked for again. */
  dropped = 0;
  /** Whether the recording goes on: then `now` runs. Set by whoever knows the session's state. */
  running = false;
  readonly frames: FrameTimes = frameTimes();

  readonly #environment: FeedEnvironment;
  #port: MessagePort | undefined;
  #nextId = 1;
  readonly #waiting = new Map<number, Waiting>();
  readonly #subscribers = new Set<() => void>();
  readonly #listeners = new Map<keyof FeedEvents, Set<(payload: never) => void>>();
  #scheduled = false;
  #share = sharing();
  /** Everything has been asked for: what still comes of before is ignored until the answer. */
  #greeting = true;
  /** A file is being read: pictures of it are made a few times a second, and the rest of the time is left to the reading. */
  #reading = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  /** Host time of the newest batch, and the largest host-minus-page difference seen: the one with the least delay in it. */
  #last: Ns = ZERO;
  #offset = Number.NEGATIVE_INFINITY;

  constructor(environment: FeedEnvironment = page) {
    this.#environment = environment;
  }

  /** Talks to another host from now on; whatever the old one still owed is refused, and everything is read again. */
  attach(port: MessagePort): void {
    this.#drop('The session host was replaced before it answered. Try again.');
    this.#port = port;
    port.onmessage = (event: MessageEvent<ToWindow>) => {
      if (this.#port === port) this.#receive(event.data);
    };
    port.addEventListener('close', () => {
      if (this.#port === port) this.lost('The session host closed its connection to this window.');
    });
    port.start();
    this.#setLink({ state: 'waiting' });
    this.#hello();
  }

  /** The host is gone; what was received stays readable. */
  lost(why: string): void {
    this.#drop(why);
    this.#reading = false;
    this.#changed();
    this.#setLink({ state: 'gone', why });
  }

  /**
   * Asks the host.
   * @throws Refused with the host's own words, or HostGone
   */
  request<R extends Request>(request: R, params: Params<R>): Promise<Results[R]> {
    const port = this.#port;
    if (!port) return Promise.reject(new HostGone('The session host is not running. Restart it and try again.'));
    const id = this.#nextId++;
    const message: ToHost = { id, request, params };
    return new Promise<Results[R]>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      port.postMessage(message);
    });
  }

  /** The raw text of frames of the present view. */
  async bodies(seqs: readonly Seq[]): Promise<readonly FrameBody[]> {
    if (!this.view || seqs.length === 0) return [];
    return (await this.request('frame.bodies', { view: this.view.id, seqs: [...seqs] })).bodies;
  }

  /** Told at most once per animation frame that `version` has grown. @returns unsubscribe */
  subscribe = (subscriber: () => void): (() => void) => {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  };

  /** @returns unsubscribe */
  on<E extends keyof FeedEvents>(event: E, listener: Listener<E>): () => void {
    const set = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, set);
    set.add(listener as (payload: never) => void);
    return () => set.delete(listener as (payload: never) => void);
  }

  verdict = (call: number): Verdict | undefined => this.verdicts.get(call);

  /** The running recording, rather than a file. */
  get live(): boolean {
    return this.view?.source !== 'file';
  }

  /** The trace's clock: the newest batch's, running on while the recording does. Never goes back within a view. */
  now = (): Ns => {
    if (!this.live || !this.running || this.#offset === Number.NEGATIVE_INFINITY) return this.#last;
    return asNs(Math.max(this.#last, this.#environment.clock() * 1e6 + this.#offset));
  };

  /** Has everybody look again although no frame came: something that depends on time alone has changed. */
  refresh(): void {
    this.#changed();
  }

  #hello(): void {
    this.#greeting = true;
    this.request('hello', {}).then(
      (hello) => {
        this.#greeting = false;
        this.#begin(hello.view);
        this.#setLink({ state: 'ready' });
        this.#tell('hello', hello);
      },
      (error: unknown) => {
        if (error instanceof Refused) this.lost(`The session host refused to begin: ${error.message}`);
      },
    );
  }

  #receive(message: ToWindow): void {
    if ('event' in message) this.#event(message.event, message.payload as never);
    else {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.ok) waiting?.resolve(message.result);
      else waiting?.reject(new Refused(message.error));
    }
  }

  #event<E extends EventName>(event: E, payload: Events[E]): void {
    if (event === 'view') {
      if (!this.#greeting) this.#begin(payload as Events['view']);
    } else if (event === 'batch') this.#batch(payload as Events['batch']);
    else if (event === 'verdicts') this.#judged(payload as Events['verdicts']);
    else if (event === 'reading') this.#read(payload as Events['reading']);
    else this.#tell(event as Exclude<EventName, 'batch'>, payload as never);
  }

  #read(payload: Events['reading']): void {
    if (this.#greeting || payload.view !== this.view?.id) return;
    this.#reading = !payload.done;
    if (payload.done) {
      this.trace.trim();
      this.calls.trim();
      this.#changed();
    }
    this.#tell('reading', payload);
  }

  #begin(view: View): void {
    this.view = view;
    this.#reading = false;
    this.trace = new Trace();
    this.calls = calls(this.trace);
    this.world = world();
    this.verdicts = new Map();
    this.#share = sharing();
    this.findings = [];
    this.#last = ZERO;
    this.#offset = Number.NEGATIVE_INFINITY;
    this.#changed();
    this.#tell('view', view);
  }

  #batch({ view, batch, now }: Events['batch']): void {
    if (this.#greeting || view !== this.view?.id) return;
    try {
      this.trace.append(batch);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.dropped += batch.t.length;
      this.#hello();
      return;
    }
    const from = this.calls.folded;
    this.calls.take();
    for (let seq = from; seq < this.trace.length; seq++) this.world.take(this.trace, seq);
    this.#last = asNs(Math.max(this.#last, now));
    this.#offset = Math.max(this.#offset, now - this.#environment.clock() * 1e6);
    this.#changed();
  }

  #judged(payload: Events['verdicts']): void {
    if (this.#greeting || payload.view !== this.view?.id) return;
    for (const verdict of payload.verdicts) this.verdicts.set(verdict.call, this.#share(verdict));
    if (payload.findings) this.findings = payload.findings;
    this.#changed();
    this.#tell('verdicts', payload);
  }

  #changed(): void {
    this.version++;
    if (this.#scheduled || (this.#reading && this.#environment.clock() - this.#toldAt < READING_MS)) return;
    this.#scheduled = true;
    this.#environment.frame(() => {
      this.#scheduled = false;
      const began = this.#environment.clock();
      this.#toldAt = began;
      for (const subscriber of this.#subscribers) subscriber();
      // React renders what the subscribers asked for in a microtask queued before this one.
      queueMicrotask(() => this.frames.add(this.#environment.clock() - began));
    });
  }

  #setLink(link: Link): void {
    this.link = link;
    this.#tell('link', link);
  }

  #tell<E extends keyof FeedEvents>(event: E, payload: FeedEvents[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) (listener as Listener<E>)(payload);
  }

  #drop(why: string): void {
    const port = this.#port;
    this.#port = undefined;
    if (port) {
      port.onmessage = null;
      port.close();
    }
    for (const { reject } of this.#waiting.values()) reject(new HostGone(why));
    this.#waiting.clear();
  }
}
