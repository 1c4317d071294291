// The probes of one server: started before the first call can be made, read again when a verdict asks for it, stopped
// with a last reading when the session is over. One that cannot watch its place says so and holds up nothing.
import type { ProbeStatus } from '../../app/contract/host';
import type { Probe, ProbeContext, ProbeSpec, StartProbe } from '../../app/evidence/probe';
import type { Effect } from '../../app/wire/frame';
import { plain } from './why';

export interface ProbeSet {
  readonly statuses: readonly ProbeStatus[];
  /** Starts a probe in the place of one of the same name. Resolves with what became of it. */
  set(spec: ProbeSpec, builtIn: boolean): Promise<ProbeStatus>;
  remove(name: string): Promise<void>;
  /**
   * Reads those of these names once more, all when there are none. Resolves when all have been read, or patience has run out.
   * @param patienceMs undefined: for as long as it takes
   * @returns the names of those that are still reading
   */
  read(names?: readonly string[], patienceMs?: number): Promise<readonly string[]>;
  /** Resolves when each of these has taken its baseline or failed. */
  ready(names: readonly string[]): Promise<void>;
  /** Stops all, or those that satisfy a test, each after a last reading. */
  stop(which?: (spec: ProbeSpec) => boolean): Promise<void>;
}

export interface ProbeSetOptions {
  readonly startProbe: StartProbe;
  readonly context: (spec: ProbeSpec) => ProbeContext;
  /** Called when the list or a state has changed. */
  readonly onChange: () => void;
}

/** After a gap the place is read again, so that nobody has to wonder whether it is still so: soon at first, then less often; in ms. */
const AGAIN_MS = 1000;
const AGAIN_MOST_MS = 60_000;

export function probeSet(options: ProbeSetOptions): ProbeSet {
  const entries = new Map<string, Entry>();

  const end = async (name: string): Promise<void> => {
    const entry = entries.get(name);
    entries.delete(name);
    await entry?.stop();
  };

  return {
    get statuses() {
      return [...entries.values()].map(({ status }) => status);
    },
    async set(spec, builtIn) {
      await end(spec.name);
      const entry = new Entry(spec, builtIn, options);
      entries.set(spec.name, entry);
      await entry.started;
      return entry.status;
    },
    async remove(name) {
      await end(name);
      options.onChange();
    },
    async read(names, patienceMs) {
      const reading = new Set([...entries.keys()].filter((name) => names === undefined || names.includes(name)));
      const all = Promise.all(
        [...reading].map((name) =>
          entries
            .get(name)
            ?.read()
            .then(() => reading.delete(name)),
        ),
      );
      await (patienceMs === undefined ? all : within(all, patienceMs));
      return [...reading];
    },
    async ready(names) {
      await Promise.all(names.map((name) => entries.get(name)?.started));
    },
    async stop(which = () => true) {
      await Promise.all([...entries].filter(([, { status }]) => which(status.spec)).map(([name]) => end(name)));
      options.onChange();
    },
  };
}

/** One probe, and what is known of how it does. */
class Entry {
  status: ProbeStatus;
  readonly started: Promise<Probe | undefined>;
  readonly #onChange: () => void;
  /** Gaps in a row. */
  #gaps = 0;
  #again: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(spec: ProbeSpec, builtIn: boolean, { startProbe, context: contextOf, onChange }: ProbeSetOptions) {
    this.#onChange = onChange;
    this.status = { spec, state: 'off', why: undefined, builtIn };
    const context = contextOf(spec);
    const emit: ProbeContext['emit'] = (effect) => {
      const seq = context.emit(effect);
      this.#heard(effect);
      return seq;
    };
    this.started = startProbe(spec, { ...context, emit }).then(
      (probe) => this.#watches(probe),
      (error: unknown) => {
        this.#say({ state: 'failed', why: plain(error) });
        return undefined;
      },
    );
  }

  async read(): Promise<void> {
    await (await this.started)?.read();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#again);
    await (await this.started)?.stop();
  }

  #watches(probe: Probe): Probe {
    const { variables } = probe;
    this.#say({ state: 'watching', ...(variables ? { variables } : {}) });
    return probe;
  }

  #say(change: Partial<ProbeStatus>): void {
    this.status = { ...this.status, ...change };
    this.#onChange();
  }

  /** A gap may be a single slow reading; several in a row, with nothing read in between, are a failure. */
  #heard(effect: Effect): void {
    switch (effect.effect) {
      case 'gap':
        this.#gaps++;
        if (this.status.state !== 'off') this.#say({ state: this.#gaps > 1 ? 'failing' : 'watching', why: effect.why });
        this.#lookAgain();
        break;
      case 'clear':
      case 'seen':
      case 'reverted':
      case 'held':
      case 'freed':
      case 'work':
        if (this.#gaps === 0) break;
        this.#gaps = 0;
        if (this.status.state !== 'off') this.#say({ state: 'watching', why: undefined });
        break;
      case 'watching':
      case 'stranger':
      case 'ended':
        break;
    }
  }

  #lookAgain(): void {
    if (this.#stopped || this.#again) return;
    this.#again = setTimeout(
      () => {
        this.#again = undefined;
        void this.read();
      },
      Math.min(AGAIN_MS * 2 ** (this.#gaps - 1), AGAIN_MOST_MS),
    );
    this.#again.unref();
  }
}

/** Resolves when a promise has, or when patience has run out. */
export async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, patience]).finally(() => clearTimeout(timer));
}
