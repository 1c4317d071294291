// A server as a child process: started, spoken to over its pipes, and ended with everything that it started. Every byte
// in both directions is accounted for, because what the SDK's own transport drops (a log line between the messages, the
// exit code, the time of a write) is exactly what has to be known here. It knows lines, not messages.
import type { ChildProcessByStdio } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import spawn from 'cross-spawn';
import type { Clock, Ns } from '../../app/base/time';
import type { ServerProcess } from '../../app/evidence/probe';
import type { Noise } from '../../app/wire/frame';
import { type Family, family, MARK_VARIABLE } from './family';
import { type LineSplitter, lineSplitter } from './lines';
import type { Outlived } from './wire';

/** What comes from the process, in the order in which it came. */
export interface StdioListener {
  /** One line of stdout, exactly as it was, without its line feed. `size` in bytes. */
  line(t: Ns, text: string, size: number): void;
  /** Bytes on stdout that are not such a line. */
  broken(t: Ns, why: Noise, bytes: Buffer): void;
  /** A line of stderr, or what was left of one at the end. */
  stderr(t: Ns, bytes: Buffer): void;
  /** Nothing more can be taken for now: the pipe is not read until this is over, and the server has to wait. */
  busy(): boolean;
  /** The server closed its stdout and lives on: no message can come any more. */
  outputEnded(): void;
  /** The process has ended, and everything that it had written was handed on before. */
  exited(code: number | undefined, signal: string | undefined): void;
}

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** Added to the few variables that a server inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Longest line in bytes. */
  readonly lineLimit?: number;
  /** How long the processes are given after the end of stdin, and again after SIGTERM, in ms. */
  readonly graceMs?: number;
}

export interface Stdio {
  /** Undefined until the process has started. */
  readonly pid: number | undefined;
  /** Resolves once the process runs. @throws StartError in plain words when it cannot be started */
  start(listener: StdioListener): Promise<void>;
  /**
   * Writes a text, in one piece.
   * @param done called once, in the order of the writes: when the pipe has taken the text (within this call if nothing
   * was queued before it), or with the reason why it never will
   */
  write(text: string, done: (failed?: Error) => void): void;
  /**
   * Ends stdin, then SIGTERM, then SIGKILL to all processes of the server. Resolves when none is left.
   * @returns those that did not end by themselves; undefined when all did
   */
  close(): Promise<Outlived | undefined>;
  /** Closes the pipes and leaves the process to itself: nothing more is written, and nothing of what it writes is read. */
  hangUp(): void;
  /** SIGKILL to all of them. @param before called when they have been found and nothing was sent yet */
  kill(before: () => void): Promise<void>;
  /** The processes of the server, its own first; none before it has been started. @throws Error when the system does not tell */
  processes(): Promise<readonly ServerProcess[]>;
}

/** A process that could not be started. The message says what was expected, what was seen, what to try. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

const GRACE_MS = 2000;
const LOOK_MS = 50;
const BUSY_MS = 5;
/** So many turns of the event loop without a byte: what an ended process had written has been read. */
const QUIET_TURNS = 4;

/** A server over stdio; nothing runs before `start`. */
export const stdio = (options: StdioOptions): Stdio => new ChildStdio(options);

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

class ChildStdio implements Stdio {
  readonly #options: StdioOptions;
  #child: Child | undefined;
  #family: Family | undefined;
  #closing: Promise<Outlived | undefined> | undefined;
  #exited = false;
  #hungUp = false;
  /** Writes whose text the pipe has not taken yet. */
  #queued = 0;
  /** Turns of the event loop since something came out of the ended process. */
  #quietTurns = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(listener: StdioListener): Promise<void> {
    const mark = randomBytes(12).toString('hex');
    const child = this.#spawn(mark);
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(startError(this.#options, error)));
    });
    if (child.pid !== undefined) this.#family = family(child.pid, mark);
    // Later errors of the process (a signal that could not be sent) and of its stdin reach those who caused them.
    child.on('error', () => undefined);
    child.stdin.on('error', () => undefined);
    this.#read(child, listener);
  }

  #spawn(mark: string): Child {
    const { command, args, cwd, env } = this.#options;
    try {
      return spawn(command, [...args], {
        env: { ...getDefaultEnvironment(), ...env, [MARK_VARIABLE]: mark },
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
        // A process group of its own, so that its members can be found and a Ctrl-C in our terminal is not the server's.
        detached: process.platform !== 'win32',
        ...(cwd === undefined ? {} : { cwd }),
      }) as Child;
    } catch (error) {
      throw startError(this.#options, error as NodeJS.ErrnoException);
    }
  }

  #read(child: Child, listener: StdioListener): void {
    const { clock, lineLimit } = this.#options;
    const out = lineSplitter(
      { line: (t, text, size) => listener.line(t, text, size), broken: (t, why, bytes) => listener.broken(t, why, bytes) },
      lineLimit,
    );
    const err = lineSplitter(
      { line: (t, text) => listener.stderr(t, Buffer.from(text)), broken: (t, _why, bytes) => listener.stderr(t, bytes) },
      lineLimit,
    );
    const follow = (stream: Readable, lines: LineSplitter): void => {
      stream.on('data', (chunk: Buffer) => {
        const t = clock.now();
        this.#quietTurns = 0;
        lines.push(chunk, t);
        if (listener.busy()) void this.#pause(stream, listener);
      });
      stream.once('end', () => lines.end(clock.now()));
      stream.on('error', () => lines.end(clock.now()));
    };
    follow(child.stdout, out);
    follow(child.stderr, err);
    child.stdout.once('end', () => {
      if (child.exitCode === null && child.signalCode === null && !this.#hungUp)
        setTimeout(() => this.#exited || listener.outputEnded(), LOOK_MS);
    });
    child.once('exit', (code, signal) => {
      void this.#drained(child).then(() => {
        this.#exited = true;
        // A process that lives on may hold the pipes open for ever: what has no line end by now will get none.
        out.end(clock.now());
        err.end(clock.now());
        listener.exited(code ?? undefined, signal ?? undefined);
      });
    });
  }

  async #pause(stream: Readable, listener: StdioListener): Promise<void> {
    stream.pause();
    while (listener.busy()) await rest(BUSY_MS);
    stream.resume();
  }

  /** What the process wrote lies in the pipes when it ends: read until they have ended, or nothing more comes out. */
  async #drained(child: Child): Promise<void> {
    this.#quietTurns = 0;
    const { stdout, stderr } = child;
    while (!((stdout.readableEnded || stdout.destroyed) && stderr.readableEnded) && this.#quietTurns < QUIET_TURNS) {
      if (!stdout.isPaused() && !stderr.isPaused()) this.#quietTurns++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  write(text: string, done: (failed?: Error) => void): void {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) {
      done(new Error("the server's stdin is closed"));
      return;
    }
    let told = false;
    this.#queued++;
    const tell = (failed?: Error | null): void => {
      if (told) return;
      told = true;
      this.#queued--;
      done(failed ?? undefined);
    };
    stdin.write(text, tell);
    // Nothing was queued, and nothing is now: the pipe has taken the whole text within this call.
    if (this.#queued === 1 && stdin.writableLength === 0 && !stdin.errored && !stdin.destroyed) tell();
  }

  hangUp(): void {
    this.#hungUp = true;
    this.#child?.stdin.destroy();
    this.#child?.stdout.destroy();
  }

  close(): Promise<Outlived | undefined> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<Outlived | undefined> {
    const { graceMs = GRACE_MS } = this.#options;
    const members = this.#family;
    if (!members) return undefined;
    this.#child?.stdin.end();
    if (await this.#gone(graceMs)) return undefined;
    const found = await members.processes().catch(() => []);
    const told = new Set(await members.signal('SIGTERM'));
    const killed = (await this.#gone(graceMs)) ? new Set<number>() : await this.#slay(members);
    const processes = found
      .filter(({ pid }) => told.has(pid))
      .map(({ pid, command }) => ({ pid, command, signal: killed.has(pid) ? ('SIGKILL' as const) : ('SIGTERM' as const) }));
    return processes.length === 0 ? undefined : { afterMs: graceMs, server: told.has(this.pid ?? 0), processes };
  }

  processes(): Promise<readonly ServerProcess[]> {
    return this.#family?.processes() ?? Promise.resolve([]);
  }

  async kill(before: () => void): Promise<void> {
    if (!this.#family) return before();
    await this.#family.signal('SIGKILL', before);
    await this.#slay(this.#family);
  }

  /** A process may start another one while it is being looked for: kill until nobody is left. @returns who was killed */
  async #slay(members: Family): Promise<ReadonlySet<number>> {
    const killed = new Set<number>();
    for (let found = await members.signal('SIGKILL'); found.length > 0; found = await members.signal('SIGKILL')) {
      for (const pid of found) killed.add(pid);
      await rest(LOOK_MS / 5);
    }
    await this.#gone(GRACE_MS);
    return killed;
  }

  /** Waits until no process of the server lives and its end has been told. @returns false when that takes longer than `ms` */
  async #gone(ms: number): Promise<boolean> {
    const deadline = performance.now() + ms;
    for (;;) {
      if (this.#exited && ((await this.#family?.alive())?.length ?? 0) === 0) return true;
      const left = deadline - performance.now();
      if (left <= 0) return false;
      await rest(Math.min(LOOK_MS, left));
    }
  }
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function startError({ command, cwd }: StdioOptions, error: NodeJS.ErrnoException): StartError {
  const where = cwd === undefined ? '' : ` in the folder ${cwd}`;
  const expected = `Expected to start “${command}”${where}`;
  switch (error.code) {
    case 'ENOENT':
      return new StartError(
        cwd === undefined
          ? `${expected}, but there is no such program on the PATH. Check the spelling, install it, or give its full path.`
          : `${expected}, but the program or the folder does not exist. Check both, or give the program's full path.`,
      );
    case 'EACCES':
      return new StartError(`${expected}, but it may not be executed. Check that it is a program and that its permissions allow it.`);
    default:
      return new StartError(`${expected}, but the system refused: ${error.message}. Check the command and its arguments.`);
  }
}
