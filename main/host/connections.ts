// The servers that are connected at the same time, each with a number of its own. They share one recording and nothing
// else: what happens to one never touches the others.
import type { ConnectionNumber, Events, ServerStatus } from '../../app/contract/host';
import { type ServerSpec, serverKey } from '../../app/contract/server';
import type { Due } from '../../app/verdict/judge';
import type { Means, SessionNumber } from '../../app/wire/frame';
import type { Recording } from './recording';
import { Server, type ServerOptions } from './server';
import type { Asked } from './session';

export interface ConnectionsOptions extends Omit<ServerOptions, 'connection' | 'nextSession' | 'onChange'> {
  /** Begins a recording; the one before it is closed. */
  readonly begin: () => Recording;
  readonly onServers: (servers: Events['servers']) => void;
  /** At most {@link SESSIONS_PER_TRACE}. */
  readonly sessionsPerTrace?: number | undefined;
}

/** Where a session went. */
export interface Connected {
  readonly connection: ConnectionNumber;
  readonly session: SessionNumber;
}

/** A session's number fits one byte of a trace's columns. */
export const SESSIONS_PER_TRACE = 255;

export class Connections {
  readonly #options: ConnectionsOptions;
  /** In the order in which they were made. */
  readonly #servers = new Map<ConnectionNumber, Server>();
  /** The laboratory's own: in the same recording, and on no list. */
  readonly #guests = new Set<Server>();
  #numbers = 0;
  #recording: Recording | undefined;
  #sessions = 0;
  #tellDue = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** The running recording; undefined before the first server. */
  get recording(): Recording | undefined {
    return this.#recording;
  }

  /** How each server that is connected was described, without its secrets. */
  get specs(): readonly ServerSpec[] {
    return this.statuses.flatMap(({ spec }) => spec ?? []);
  }

  get statuses(): readonly ServerStatus[] {
    return [...this.#servers.values()].map((server) => server.status);
  }

  /** @throws Error when there is no such connection */
  of(connection: ConnectionNumber): Server {
    const server = this.#servers.get(connection);
    if (server) return server;
    throw new Error(
      this.#servers.size === 0
        ? 'No server is connected. Connect one first.'
        : 'This server was disconnected, and another one may be connected. Connect it again.',
    );
  }

  /**
   * Connects a server beside the others, or in the place of one. Of servers with the same key there is one: it is started
   * again, as it is described now.
   */
  async connect(spec: ServerSpec, instead: ConnectionNumber | undefined): Promise<Connected> {
    const key = serverKey(spec);
    const [known] = [...this.#servers].find(([, server]) => server.status.key === key) ?? [];
    if (instead !== undefined && instead !== known && this.#servers.has(instead)) await this.disconnect(instead);
    const connection = known ?? ++this.#numbers;
    const server = this.#servers.get(connection) ?? this.#made(connection);
    try {
      return { connection, session: await server.connect(spec) };
    } catch (error) {
      if (known === undefined) this.#servers.delete(connection);
      throw error;
    } finally {
      this.changed();
    }
  }

  /** A server that is connected has been saved: it is known by its id and its title from now on. */
  named(key: string, spec: ServerSpec): void {
    for (const server of this.#servers.values()) if (server.status.key === key) server.named(spec);
    this.changed();
  }

  /** Ends a server and takes it off the list; resolves when nothing of it is left. */
  async disconnect(connection: ConnectionNumber): Promise<void> {
    await this.of(connection).disconnect('disconnect');
    this.#servers.delete(connection);
    this.changed();
  }

  /** A server of the laboratory's own. Nobody has it in focus; its calls can be stopped like all others. */
  guest(own: Pick<ServerOptions, 'title' | 'demo' | 'settings' | 'onChange'>): Server {
    const server = new Server({ ...this.#options, ...own, connection: ++this.#numbers, nextSession: () => this.#nextSession() });
    this.#guests.add(server);
    return server;
  }

  /** Ends a guest; resolves when nothing of it is left. */
  async leave(server: Server): Promise<void> {
    await server.disconnect('disconnect');
    this.#guests.delete(server);
  }

  /** The guests as well. */
  get #all(): readonly Server[] {
    return [...this.#servers.values(), ...this.#guests];
  }

  /** Ends every server. */
  async end(asked: Asked): Promise<void> {
    await Promise.all(this.#all.map((server) => server.disconnect(asked)));
  }

  /** Tells all servers that the list of roots has changed. */
  async rootsChanged(): Promise<void> {
    await Promise.all(this.#all.map((server) => server.rootsChanged()));
  }

  /**
   * The server that a call of the running recording was sent to.
   * @returns undefined when the session of the call is over and another has taken its place
   * @throws Error when there is no such call
   */
  ofCall(call: number): Server | undefined {
    const found = this.#recording?.judge.calls.all[call];
    if (!found) throw new Error(this.#recording ? `There is no call ${call}.` : 'No server is connected. Connect one first.');
    return this.#ofSession(found.session);
  }

  /** Stops every call that has no reply yet, on every server. */
  async stopAll(how: Means, reason: string | undefined): Promise<Awaited<ReturnType<Server['stopAll']>>> {
    return (await Promise.all(this.#all.map((server) => server.stopAll(how, reason)))).flat();
  }

  /** A status is complete in itself: however much changes in one turn, one picture of all is sent. */
  changed(): void {
    if (this.#tellDue) return;
    this.#tellDue = true;
    queueMicrotask(() => {
      this.#tellDue = false;
      this.#options.onServers(this.statuses);
    });
  }

  #ofSession(session: SessionNumber): Server | undefined {
    return this.#all.find((server) => server.isIn(this.#recording, session));
  }

  /** Reads what verdicts wait for. */
  readDue(due: readonly Due[]): void {
    for (const server of this.#all) server.readDue(due);
  }

  #made(connection: ConnectionNumber): Server {
    const server = new Server({
      ...this.#options,
      connection,
      nextSession: () => this.#nextSession(),
      onChange: () => this.changed(),
    });
    this.#servers.set(connection, server);
    return server;
  }

  /**
   * The recording begins with the first session, so that a start without one leaves no empty file.
   * @throws Error when the trace is full and servers are still connected, whose sessions cannot move to another one
   */
  async #nextSession(): Promise<{ readonly recording: Recording; readonly number: SessionNumber }> {
    const { begin, sessionsPerTrace = SESSIONS_PER_TRACE } = this.#options;
    if (this.#sessions === sessionsPerTrace) await this.#leaveRecording();
    this.#recording ??= begin();
    return { recording: this.#recording, number: ++this.#sessions };
  }

  /** Closes a full recording when no session is open in it. */
  async #leaveRecording(): Promise<void> {
    const servers = this.#all;
    if (servers.some((server) => !server.over))
      throw new Error(
        `This recording holds ${this.#sessions} sessions, which is all that a trace can hold. Disconnect the other servers, then connect again: a new recording begins.`,
      );
    await Promise.all(servers.map((server) => server.settle()));
    const full = this.#recording;
    this.#recording = undefined;
    this.#sessions = 0;
    await full?.close();
  }
}
