// Watches the processes of the server under test. A process that appears is no effect, it is a sign of work: a command that
// a tool has started may outlive the call, and often its server too. What starts and ends between two readings is not seen,
// and what the server does within its own process shows at most as CPU time, which alone says nothing.
import { asNs, fromMs, type Ns, plus } from '../../app/base/time';
import { type Probe, type ProbeContext, placeOf, type ServerProcess, type SpecOf } from '../../app/evidence/probe';
import { readings } from './readings';

type ProcessSpec = SpecOf<'process'>;

const SYSTEMS: ReadonlySet<NodeJS.Platform> = new Set(['linux', 'darwin', 'win32']);
/** After how long it is said by itself that a process still runs; then after twice that, and so on. */
const FIRST_WORD = fromMs(1000);
/** How often it is said again that the processes still cannot be listed. */
const REPEAT = fromMs(5000);
/** Systems count CPU time in steps; less than one of them is nothing. */
const CPU_STEP_MS = 10;
/** How far a process's age may be wrong. */
const AGE_ERROR_MS = 20;
const COMMAND_CHARS = 80;

/**
 * Says whether processes can be listed on this system.
 * @returns undefined when they can, else why not and what to try
 */
export const checkProcess = (_spec: ProcessSpec): Promise<string | undefined> =>
  Promise.resolve(
    SYSTEMS.has(process.platform)
      ? undefined
      : `Expected Linux, macOS or Windows, got ${process.platform}: its processes cannot be listed. Use a command probe with ps.`,
  );

/**
 * Starts to watch the server's processes. Those that are there now are the server's own, and no call's.
 * @throws Error in plain words when there is no server, or its processes cannot be listed
 */
export async function startProcessProbe(spec: ProcessSpec, context: ProbeContext): Promise<Probe> {
  const refused = await checkProcess(spec);
  if (refused !== undefined) throw new Error(refused);
  const { server, clock } = context;
  if (!server) throw new Error('Expected a running server, got none: there are no processes to watch. Run the probe on a server.');
  const list = (): Promise<readonly ServerProcess[]> => server.processes();
  const begin = clock.now();
  const baseline = await list().catch((error: unknown) => {
    throw new Error(`Expected a list of the server’s processes, but ${plain(error)}. Connect the server again.`);
  });
  const [first] = baseline;
  if (!first) throw new Error('Expected the server’s processes, found none: it has ended. Connect the server, then add the probe.');
  const probe = new ProcessProbe({ spec, context, list, begin, baseline, first });
  probe.start();
  return probe;
}

/** A process of the server, since it was first seen. */
interface Known {
  readonly subject: string;
  /** It was there at the baseline. */
  readonly own: boolean;
  readonly seenAt: Ns;
  latest: ServerProcess;
  /** When it is said by itself that it still runs. */
  nextWord: Ns;
}

/** One reading that succeeded. */
interface Look {
  readonly begin: Ns;
  readonly end: Ns;
  /** Somebody asked for it. */
  readonly wanted: boolean;
}

interface Started {
  readonly spec: ProcessSpec;
  readonly context: ProbeContext;
  readonly list: () => Promise<readonly ServerProcess[]>;
  readonly begin: Ns;
  readonly baseline: readonly ServerProcess[];
  /** The server itself. */
  readonly first: ServerProcess;
}

class ProcessProbe implements Probe {
  readonly spec: ProcessSpec;
  readonly #context: ProbeContext;
  readonly #list: () => Promise<readonly ServerProcess[]>;
  readonly #known = new Map<number, Known>();
  /** How many processes have had a number. */
  readonly #births = new Map<number, number>();
  readonly #look = readings(() => this.#reading());
  /** When the last reading that succeeded began. */
  #lastBegin: Ns;
  /** From here on nothing was missed. */
  #since: Ns;
  /** The processes cannot be listed, said up to `until`. */
  #blind: { readonly why: string; readonly until: Ns } | undefined;
  /** The server's CPU time when it was last told, and when that was. */
  #cpu: { readonly pid: number; readonly ms: number; readonly at: Ns };
  #wanted = false;
  #timer: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor({ spec, context, list, begin, baseline, first }: Started) {
    this.spec = spec;
    this.#context = context;
    this.#list = list;
    this.#lastBegin = begin;
    this.#since = begin;
    this.#cpu = { pid: first.pid, ms: first.cpuMs, at: begin };
    for (const one of baseline) this.#meet(one, begin, true);
  }

  start(): void {
    const { name: probe, kind, shared } = this.spec;
    this.#context.emit({ effect: 'watching', probe, kind, place: placeOf(this.spec), shared });
    this.#rest();
  }

  read(): Promise<void> {
    if (this.#ending) return this.#ending;
    this.#wanted = true;
    return this.#look();
  }

  stop(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#wanted = true;
    await this.#look();
    clearTimeout(this.#timer);
    this.#context.emit({ effect: 'ended', probe: this.spec.name });
  }

  #rest(): void {
    clearTimeout(this.#timer);
    if (this.#ending) return;
    this.#timer = setTimeout(() => void this.#look(), this.spec.everyMs);
    this.#timer.unref();
  }

  async #reading(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = false;
    const begin = this.#context.clock.now();
    try {
      const found = await this.#list();
      this.#tell(found, { begin, end: this.#context.clock.now(), wanted });
    } catch (error) {
      this.#blinded(`the processes could not be listed: ${plain(error)}`, wanted);
    }
    this.#rest();
  }

  #tell(found: readonly ServerProcess[], look: Look): void {
    this.#sighted(look.end);
    const fresh = this.#compare(found, look);
    if (look.wanted) this.#tellCpu(found, look);
    const { name: probe } = this.spec;
    if (look.wanted && fresh === 0 && this.#since <= look.begin)
      this.#context.emit({ effect: 'clear', probe, since: this.#since, lo: look.begin, hi: look.end });
    this.#lastBegin = look.begin;
  }

  /** Says who is new, and now and then who is still there. @returns how many are new */
  #compare(found: readonly ServerProcess[], look: Look): number {
    const pids = new Set(found.map(({ pid }) => pid));
    for (const pid of [...this.#known.keys()]) if (!pids.has(pid)) this.#known.delete(pid);
    let fresh = 0;
    for (const one of found) {
      const known = this.#known.get(one.pid);
      if (!known || !isSame(known.latest, one)) {
        fresh++;
        this.#work(this.#meet(one, look.end, false), this.#startOf(one, look), 'started');
        continue;
      }
      known.latest = one;
      if (known.own || (!look.wanted && look.end < known.nextWord)) continue;
      known.nextWord = asNs(Math.max(known.nextWord, plus(look.end, asNs(look.end - known.seenAt))));
      this.#work(known, { lo: look.begin, hi: look.end }, 'still runs');
    }
    return fresh;
  }

  #meet(one: ServerProcess, at: Ns, own: boolean): Known {
    const births = (this.#births.get(one.pid) ?? 0) + 1;
    this.#births.set(one.pid, births);
    const subject = births === 1 ? `pid ${one.pid}` : `pid ${one.pid} (the ${births}. of this number)`;
    const known: Known = { subject, own, seenAt: at, latest: one, nextWord: plus(at, FIRST_WORD) };
    this.#known.set(one.pid, known);
    return known;
  }

  #work(known: Known, { lo, hi }: { readonly lo: Ns; readonly hi: Ns }, does: string): void {
    const { command, pid } = known.latest;
    const line = command.length > COMMAND_CHARS ? `${command.slice(0, COMMAND_CHARS)}…` : command;
    const says = `${line} (pid ${pid}) ${does}`;
    this.#context.emit({ effect: 'work', probe: this.spec.name, sign: 'process', lo, hi, says, subject: known.subject });
  }

  /** When a process started: between two readings, and where the system knows its age, about then. */
  #startOf({ ageMs }: ServerProcess, { begin, end }: Look): { readonly lo: Ns; readonly hi: Ns } {
    const polled = { lo: this.#lastBegin, hi: end };
    if (ageMs === undefined) return polled;
    const lo = asNs(Math.max(polled.lo, begin - fromMs(ageMs + AGE_ERROR_MS)));
    const hi = asNs(Math.min(polled.hi, end - fromMs(ageMs - AGE_ERROR_MS)));
    return lo > hi ? polled : { lo, hi };
  }

  #tellCpu(found: readonly ServerProcess[], { begin, end }: Look): void {
    const { pid, ms, at } = this.#cpu;
    const server = found.find((one) => one.pid === pid);
    if (!server) return;
    const spent = server.cpuMs - ms;
    if (spent < CPU_STEP_MS) return;
    this.#cpu = { pid, ms: server.cpuMs, at: begin };
    const says = `the server (pid ${pid}) spent ${Math.round(spent)} ms of CPU time`;
    this.#context.emit({ effect: 'work', probe: this.spec.name, sign: 'cpu', lo: at, hi: end, says, subject: `CPU of pid ${pid}` });
  }

  /** Says when it began that nothing could be listed, and now and then that it still cannot. */
  #blinded(why: string, wanted: boolean): void {
    const now = this.#context.clock.now();
    const from = this.#blind?.until ?? this.#lastBegin;
    if (this.#blind && !wanted && now - from < REPEAT) return;
    this.#blind = { why, until: now };
    this.#gap(from, now, why);
  }

  #sighted(now: Ns): void {
    if (!this.#blind) return;
    this.#gap(this.#blind.until, now, this.#blind.why);
    this.#blind = undefined;
  }

  #gap(lo: Ns, hi: Ns, why: string): void {
    this.#context.emit({ effect: 'gap', probe: this.spec.name, lo, hi, why });
    this.#since = hi;
  }
}

/** Whether a number still names the same process: CPU time and age only grow. */
const isSame = (before: ServerProcess, now: ServerProcess): boolean =>
  now.cpuMs >= before.cpuMs && (before.ageMs === undefined || now.ageMs === undefined || now.ageMs >= before.ageMs - AGE_ERROR_MS);

const plain = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
