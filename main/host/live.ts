// A running server as whoever carries out a plan needs it: asked for changes instead of being polled, until what is waited
// for has come, patience has run out, or somebody wants it to end. The command line has one, the window's host another.
import type { ServerStatus } from '../../app/contract/host';
import { ScenarioError } from '../../app/scenario/schema';
import { AUTOMATIC, closingCancels } from '../../app/wire/era';
import type { Recording } from './recording';
import type { Server } from './server';

/** Somebody wants it to end. What was recorded so far is still worth a report. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor() {
    super('interrupted');
  }
}

/** A server that cannot be reached, or not any more. The message says what was expected and what was seen. */
export class NotReached extends Error {
  override readonly name = 'NotReached';
}

export interface LiveOptions {
  readonly server: Server;
  readonly recording: Recording;
  /** Whether idle servers are pinged: then there are answers to wait for. */
  readonly fence: boolean;
  /** A revision to insist on. */
  readonly protocol: string | undefined;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}

/** How long a connected server may take to list its tools and to answer idle pings before the first call is made anyway. */
const LOOK_AROUND_MS = 3000;
const IDLE_PINGS = 3;

export class Live {
  readonly server: Server;
  readonly recording: Recording;
  readonly #options: LiveOptions;
  readonly #watchers = new Set<() => void>();

  constructor(options: LiveOptions) {
    this.#options = options;
    this.server = options.server;
    this.recording = options.recording;
  }

  get status(): ServerStatus {
    return this.server.status;
  }

  /** To be called whenever anything has changed: the server's picture, the trace. */
  look(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** Starts the server again. @throws NotReached */
  async restart(): Promise<void> {
    await this.server.restart();
    await this.reached();
  }

  /**
   * Resolves when the server that is being started is connected.
   * @throws NotReached when it cannot be reached, or speaks another revision
   * @throws ScenarioError when a probe that it has to be told of cannot watch
   * @throws Interrupted
   */
  async reached(): Promise<void> {
    const state = await this.until(() => {
      const { state } = this.status;
      return state === 'starting' ? undefined : state;
    });
    if (state !== 'connected') this.probesWatch();
    if (state !== 'connected') throw new NotReached(this.status.why ?? 'The server ended before it could be asked anything.');
    const { protocol } = this.#options;
    if (protocol === undefined || protocol === AUTOMATIC || protocol === this.status.protocol) return;
    throw new NotReached(`Expected the server to speak ${protocol}, but it agreed on ${this.status.protocol}.`);
  }

  /** Resolves when the server has said what it has: its tools, and how fast it answers a ping. */
  async ready(): Promise<void> {
    await this.until(() => this.#lookedAround() || undefined, LOOK_AROUND_MS);
  }

  /**
   * A probe that cannot watch would let a run say less than it was asked to find out.
   * @throws ScenarioError naming the probes that cannot
   */
  probesWatch(): void {
    const failed = this.status.probes.filter(({ state }) => state === 'failed');
    if (failed.length === 0) return;
    throw new ScenarioError(
      failed.map(({ spec, why = 'no reason was given' }) => ({
        path: ['probes', spec.name],
        says: `expected a place that can be watched: ${why}`,
      })),
    );
  }

  /** The tools are listed, or it has been said why not; and as many idle pings as will be sent have been answered. */
  #lookedAround(): boolean {
    const { tools, why, session, state, protocol, transport } = this.status;
    if (state !== 'connected') return true;
    if (tools.length === 0 && why === undefined) return false;
    const { calls } = this.recording.judge;
    const pings = calls.sessions.get(session)?.idlePings ?? [];
    return (
      !this.#options.fence ||
      closingCancels(protocol, transport) ||
      pings.filter((ping) => (calls.all[ping]?.replies.length ?? 0) > 0).length >= IDLE_PINGS
    );
  }

  /**
   * Resolves with the first reading that is not undefined; looked at whenever anything has changed.
   * @param patienceMs undefined: for as long as it takes
   * @returns undefined when patience has run out
   * @throws Interrupted
   */
  until<T>(reading: () => T | undefined, patienceMs?: number): Promise<T | undefined> {
    const { signal } = this.#options;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const seen = signal.aborted ? undefined : reading();
        if (seen === undefined && !signal.aborted) return;
        end();
        if (signal.aborted) reject(new Interrupted());
        else resolve(seen);
      };
      const timer =
        patienceMs === undefined
          ? undefined
          : setTimeout(() => {
              end();
              resolve(undefined);
            }, patienceMs);
      const end = (): void => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        signal.removeEventListener('abort', look);
      };
      this.#watchers.add(look);
      signal.addEventListener('abort', look);
      look();
    });
  }
}
