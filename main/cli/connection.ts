// A server with a recording of its own: the same sessions, probes and judge that the window's host has, without a window.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { settings as settingsSchema } from '../../app/contract/host';
import { type ServerSpec, serverKey } from '../../app/contract/server';
import type { ProbeSpec } from '../../app/evidence/probe';
import { judge } from '../../app/verdict/judge';
import { startClock } from '../host/clock';
import { Live, NotReached } from '../host/live';
import { startRecording } from '../host/recording';
import { Server } from '../host/server';
import { plain } from '../host/why';
import { startProbe } from '../probes';
import { memorySecrets } from '../store/secrets';
import { wrongInput } from './exit';
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

/** A running server with a recording of its own. */
export interface Connection {
  readonly live: Live;
  /** Ends the server and everything that it started, and closes the trace file. */
  close(): Promise<void>;
}

/**
 * Starts a server, and its probes.
 * @throws NotReached when it cannot be reached, or speaks another revision
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
  readonly live: Live;
  readonly #options: ConnectionOptions;
  readonly #folder: string;
  #sessions = 0;
  #closed: Promise<void> | undefined;

  constructor(options: ConnectionOptions, folder: string) {
    const { spec, probes, fence, protocol, trace, signal, warn } = options;
    this.#options = options;
    this.#folder = folder;
    const look = (): void => this.live.look();
    const recording = startRecording({
      ...(trace === undefined ? { folder } : { folder: path.dirname(trace), file: path.basename(trace) }),
      clock: startClock(),
      by: `stopgap ${version()}`,
      judge,
      onAdvance: look,
      onDue: (names) => server.readDue(names),
    });
    recording.recorder.onTrouble(({ says }) => warn(says));
    const settings = { ...settingsSchema.parse({ fence }), probes: { [serverKey(spec)]: [...probes] } };
    const server = new Server({
      connection: 1,
      nextSession: async () => ({ recording, number: ++this.#sessions }),
      startProbe,
      demo: { script: demoScript, state: path.join(folder, 'demo') },
      version: version(),
      secrets: memorySecrets(),
      browse: async (address) => warn(`this server asks for an authorization. Open this address, and answer there:\n${address}`),
      settings: () => settings,
      onChange: look,
      onNotice: ({ text }) => warn(text),
    });
    this.live = new Live({ server, recording, fence, protocol, signal });
  }

  async open(): Promise<void> {
    const { server } = this.live;
    const { spec, protocol } = this.#options;
    await server.connect(protocol === undefined ? spec : { ...spec, protocol });
    try {
      await this.live.reached();
    } catch (error) {
      // Where nobody looks, nobody can go to a browser.
      if (!(error instanceof NotReached) || server.status.auth === undefined || !process.stderr.isTTY) throw error;
      await this.#authorize();
    }
  }

  /** Waits for the person in the browser, whose address is printed. @throws NotReached @throws Interrupted */
  async #authorize(): Promise<void> {
    const { server } = this.live;
    const { signal } = this.#options;
    const giveUp = (): void => void server.unauthorize(false);
    signal.addEventListener('abort', giveUp);
    try {
      await server.authorize();
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    if (!signal.aborted && server.status.auth?.state !== 'granted') throw new NotReached(server.status.auth?.says);
    await this.live.reached();
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await this.live.server.disconnect('quit');
    await this.live.recording.close();
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
