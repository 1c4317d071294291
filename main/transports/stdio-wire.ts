// The pipes of a process as a wire: a message is a line, messages that belong together are one write.
import type { ServerProcess } from '../../app/evidence/probe';
import type { RequestId } from '../../app/wire/frame';
import { type Stdio, type StdioOptions, stdio } from './stdio';
import { type Dropped, type Outlived, type Parcel, UndeliveredError, type Wire, type WireListener } from './wire';

export interface StdioWireOptions extends StdioOptions {
  /** A piece of a command line as it may be recorded: without what is secret in it. */
  readonly conceal: (text: string) => string;
}

/** A server over stdio; nothing runs before `start`. */
export const stdioWire = (options: StdioWireOptions): Wire => new StdioWire(options);

class StdioWire implements Wire {
  readonly transport = 'stdio';
  readonly fellBack = undefined;
  readonly stateful = undefined;
  readonly ordered = true;
  readonly awaiting = undefined;
  readonly #options: StdioWireOptions;
  readonly #stdio: Stdio;
  #listener: WireListener | undefined;

  constructor(options: StdioWireOptions) {
    this.#options = options;
    this.#stdio = stdio(options);
  }

  get pid(): number | undefined {
    return this.#stdio.pid;
  }

  async start(listener: WireListener): Promise<void> {
    const { command, args, cwd, conceal } = this.#options;
    this.#listener = listener;
    await this.#stdio.start({
      line: (t, text, size) => void listener.text(t, text, size),
      broken: (t, why, bytes) => listener.broken(t, why, bytes),
      stderr: (t, bytes) => listener.stderr(t, bytes),
      busy: () => listener.busy(),
      outputEnded: () => listener.lost(OUTPUT_ENDED, false),
      exited: (code, signal) => listener.exited(code, signal),
    });
    const where = cwd === undefined ? {} : { cwd };
    listener.step({ event: 'started', pid: this.pid ?? 0, command: conceal(command), args: args.map(conceal), ...where });
  }

  setProtocolVersion(): void {
    // A pipe is the same in every revision.
  }

  send(parcels: readonly Parcel[]): void {
    this.#stdio.write(`${parcels.map(({ text }) => text).join('\n')}\n`, (failed) => {
      const t = this.#options.clock.now();
      for (const parcel of parcels) {
        if (failed) parcel.failed(new UndeliveredError(`it could not be written: ${failed.message}`));
        else {
          parcel.written(t);
          parcel.done();
        }
      }
    });
  }

  drop(_id: RequestId, before: () => void): Dropped {
    before();
    this.#stdio.hangUp();
    this.#listener?.lost(
      'The connection was dropped, as asked: its pipes are closed. The process is left to itself until Disconnect ends it.',
      false,
    );
    return 'connection';
  }

  cut(): void {
    this.#stdio.hangUp();
    this.#listener?.lost(
      'A fault of ours cut the connection: its pipes are closed. The process is left to itself until Disconnect ends it.',
      false,
    );
  }

  close(): Promise<Outlived | undefined> {
    return this.#stdio.close();
  }

  kill(before: () => void): Promise<void> {
    return this.#stdio.kill(before);
  }

  processes(): Promise<readonly ServerProcess[]> {
    return this.#stdio.processes();
  }
}

const OUTPUT_ENDED = 'The server closed its standard output and lives on: nothing that it says can be heard any more. Disconnect ends it.';
