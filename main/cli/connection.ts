// A server with a recording of its own: the same sessions, probes and judge that the window's host has, without a window.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ServerStatus, settings as settingsSchema } from '../../app/contract/host';
import { type ServerSpec, serverKey } from '../../app/contract/server';
import type { ProbeSpec } from '../../app/evidence/probe';
import { ScenarioError } from '../../app/scenario/schema';
import { judge } from '../../app/verdict/judge';
import { startClock } from '../host/clock';
import { type Recording, startRecording } from '../host/recording';
import { Server } from '../host/server';
import { plain } from '../host/why';
import { startProbe } from '../probes';
import { interrupted, notReached, wrongInput } from './exit';
import { demoScript, version } from './place';

export interface ConnectionOptions {
  readonly spec: ServerSpec;
  readonly probes: readonly ProbeSpec[];
  readonly fence: boolean;
  /** A revision to insist on. */
  readonly protocol: string | undefined;
  /** The trace file; when absent the recording is thrown away at the end. */
  readonly trace: string | undefined;
  readonly signal: AbortSignal;
  /** Says what goes wrong beside the matter: a full disk. */
  readonly warn: (line: string) => void;
}

export interface Connection {
  readonly server: Server;
  readonly recording: Recording;
  readonly status: ServerStatus;
  /**
   * Resolves with the first reading that is not undefined; looked at whenever anything has changed.
   * @param patienceMs undefined: for as long as it takes
   * @returns undefined when patience has run out
   * @throws CliError when interrupted
   */
  until<T>(reading: () => T | undefined, patienceMs?: number): Promise<T | undefined>;
  /** Resolves when the server has said what it has: its tools, and how fast it answers a ping. */
  ready(): Promise<void>;
  /**
   * A probe that cannot watch would let a run say less than it was asked to find out.
   * @throws ScenarioError naming the probes that cannot
   */
  probesWatch(): void;
  /** Starts the server again. */
  restart(): Promise<void>;
  /** Ends the server and everything that it started, and closes the trace file. */
  close(): Promise<void>;
}

/** How long a connected server may take to list its tools and to answer idle pings before the first call is made anyway. */
const LOOK_AROUND_MS = 3000;
const IDLE_PINGS = 3;

/**
 * Starts a server, and its probes.
 * @throws CliError when it cannot be reached, or speaks another revision
 * @throws ScenarioError when a probe that it has to be told of cannot watch
 */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stopgap-'));
  const connection = new LiveConnection(options, folder);
  try {
    await connection.open();
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class LiveConnection implements Connection {
  readonly server: Server;
  readonly recording: Recording;
  readonly #options: ConnectionOptions;
  readonly #folder: string;
  readonly #watchers = new Set<() => void>();
  #sessions = 0;
  #closed: Promise<void> | undefined;

  constructor(options: ConnectionOptions, folder: string) {
    const { spec, probes, fence, trace, warn } = options;
    this.#options = options;
    this.#folder = folder;
    const look = (): void => this.#look();
    this.recording = startRecording({
      ...(trace === undefined ? { folder } : { folder: path.dirname(trace), file: path.basename(trace) }),
      clock: startClock(),
      by: `stopgap ${version()}`,
      judge,
      onAdvance: look,
      onDue: (names) => this.server.readDue(names),
    });
    this.recording.recorder.onTrouble(({ says }) => warn(says));
    const settings = { ...settingsSchema.parse({ fence }), probes: { [serverKey(spec)]: [...probes] } };
    this.server = new Server({
      nextSession: () => ({ recording: this.recording, number: ++this.#sessions }),
      startProbe,
      demo: { script: demoScript, state: path.join(folder, 'demo') },
      version: version(),
      settings: () => settings,
      onChange: look,
      onNotice: ({ text }) => warn(text),
    });
  }

  get status(): ServerStatus {
    return this.server.status;
  }

  async open(): Promise<void> {
    await this.server.connect(this.#options.spec);
    await this.#reached();
  }

  async restart(): Promise<void> {
    await this.server.restart();
    await this.#reached();
  }

  async #reached(): Promise<void> {
    const state = await this.until(() => {
      const { state } = this.status;
      return state === 'starting' ? undefined : state;
    });
    if (state !== 'connected') this.probesWatch();
    if (state !== 'connected') throw notReached(this.status.why ?? 'The server ended before it could be asked anything.');
    const { protocol } = this.#options;
    if (protocol === undefined || protocol === this.status.protocol) return;
    throw notReached(
      `Expected the server to speak ${protocol}, but it agreed on ${this.status.protocol}: this version offers its newest revision and takes what the server answers.`,
    );
  }

  async ready(): Promise<void> {
    await this.until(() => this.#lookedAround() || undefined, LOOK_AROUND_MS);
  }

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
    const { tools, why, session, state } = this.status;
    if (state !== 'connected') return true;
    if (tools.length === 0 && why === undefined) return false;
    const { calls } = this.recording.judge;
    const pings = calls.sessions.get(session)?.idlePings ?? [];
    return !this.#options.fence || pings.filter((ping) => (calls.all[ping]?.replies.length ?? 0) > 0).length >= IDLE_PINGS;
  }

  until<T>(reading: () => T | undefined, patienceMs?: number): Promise<T | undefined> {
    const { signal } = this.#options;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const seen = signal.aborted ? undefined : reading();
        if (seen === undefined && !signal.aborted) return;
        end();
        if (signal.aborted) reject(interrupted());
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

  #look(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await this.server.disconnect('quit');
    await this.recording.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Makes room for a trace where somebody wants it; what was there is replaced.
 * @throws CliError when nothing can be written there
 */
export async function freshTrace(file: string): Promise<string> {
  const absolute = path.resolve(file);
  try {
    await mkdir(path.dirname(absolute), { recursive: true });
    await writeFile(absolute, '');
    await rm(absolute);
    return absolute;
  } catch (error) {
    throw wrongInput(`--trace: expected a file that can be written, got ${file}: ${plain(error)}`);
  }
}
