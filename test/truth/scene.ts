// One case's stage: a folder that is watched, the server, its truth log and the gates that let it go on. A gate is a file;
// the server waits for it, so most races of the set are decided by the case and not by the machine's whims.
import { appendFileSync, existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromMs, type Ns } from '../../app/base/time';
import { type ProbeSpec, probeSpec } from '../../app/evidence/probe';
import { PRESETS, type PresetName } from '../../app/scenario/faults';
import type { Call } from '../../app/trace/calls';
import type { Judge } from '../../app/verdict/judge';
import type { Finding, Verdict } from '../../app/verdict/verdict';
import type { DemoWire, HttpTransport, Means, RequestId } from '../../app/wire/frame';
import { idOf } from '../../app/wire/jsonrpc';
import type { RunningServer, StartCommand } from '../real/servers';
import { type Entry, entriesOf, type Offset, sampleOffset, type Truth, truthOf } from './truth';
import { rest, until } from './until';
import { HostWire, RawWire, type Wire } from './wire';

export type Step = Readonly<Record<string, unknown>>;

/** A call of a case. */
export interface Handle {
  readonly index: number;
  /** Its name in the truth log. */
  readonly as: string;
  readonly retryOf: Handle | undefined;
}

export interface CallMore {
  readonly as?: string;
  readonly tool?: string;
  readonly probes?: readonly string[];
  readonly settleMs?: number;
  readonly normallyMs?: number;
  readonly fence?: boolean;
  readonly retryOf?: Handle;
  readonly id?: RequestId;
  readonly cancelledAtOnce?: boolean;
  /** Run as a task. */
  readonly task?: boolean;
}

/** A call of the truth server: what it does, what it does when its cancel is read, whether it ends then. */
export interface Program extends CallMore {
  readonly onCancel?: readonly Step[];
  readonly abort?: boolean;
}

/** What became of a case. */
export interface Outcome {
  readonly verdict: Verdict;
  readonly call: Call;
  readonly findings: readonly Finding[];
  readonly truth: Truth;
  /** Every call of the case, with its verdict. */
  readonly all: readonly { readonly handle: Handle; readonly verdict: Verdict }[];
}

/** The probe that every stage has. */
export const PLACE = 'place';
/** Short, for the set has many cases; long enough for readings on a slow machine. */
const SETTLE_MS = 150;

/** A revision of the protocol to insist on. */
const insisted = (protocol: string | undefined) => (protocol === undefined ? {} : { protocol });

const servers = path.join(path.dirname(fileURLToPath(import.meta.url)), 'servers');

export class Scene {
  readonly place: string;
  readonly log: string;
  readonly #root: string;
  readonly #offsets: Offset[] = [];
  readonly #handles: Handle[] = [];
  readonly #atEnd: (() => void)[] = [];
  #wire: Wire | undefined;
  /** Of a scene over HTTP. */
  #server: RunningServer | undefined;
  /** Of a wire that is closed. */
  #judge: Judge | undefined;
  #demo: string | undefined;

  private constructor(root: string) {
    this.#root = root;
    this.place = path.join(root, 'place');
    this.log = path.join(root, 'truth.ndjson');
  }

  static async set(): Promise<Scene> {
    const scene = new Scene(await realpath(await mkdtemp(path.join(tmpdir(), 'stopgap-truth-'))));
    await Promise.all([mkdir(scene.place), mkdir(scene.#gates)]);
    return scene;
  }

  get #gates(): string {
    return path.join(this.#root, 'gates');
  }

  /** What a server of the set is told on its command line. */
  get where(): readonly string[] {
    return [this.place, this.log, this.#gates];
  }

  get #open(): Wire {
    if (!this.#wire) throw new Error('the scene has no server yet');
    return this.#wire;
  }

  /** A command line that performs steps, for servers that run commands. */
  shell(as: string, steps: readonly Step[]): string {
    const words = [process.execPath, path.join(servers, 'effects.mjs'), ...this.where, JSON.stringify({ as, steps })];
    return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  }

  /** The truth server, through the host. */
  truthServer(options: readonly string[] = [], probe: Partial<ProbeSpec> = {}, protocol?: string): Promise<void> {
    return this.connect(this.#truthCommand(options), probe, protocol);
  }

  /** The truth server, by hand. @param shake whether the handshake is done */
  byHand(options: readonly string[] = [], shake = true): Promise<RawWire> {
    return this.speak(this.#truthCommand(options), shake);
  }

  /** Any server, by hand. */
  async speak(command: StartCommand, shake = true): Promise<RawWire> {
    const wire = await RawWire.open(command);
    this.#wire = wire;
    await this.#watch({});
    if (shake) await wire.handshake();
    return wire;
  }

  #truthCommand = (options: readonly string[]): StartCommand => ({
    command: process.execPath,
    args: [path.join(servers, 'truth-server.mjs'), ...this.where, ...options],
  });

  /** @param protocol a revision to insist on, or `auto` */
  async connect({ command, args }: StartCommand, probe: Partial<ProbeSpec> = {}, protocol?: string): Promise<void> {
    this.#wire = await HostWire.open({ kind: 'stdio', command, args: [...args], env: {}, watch: [], ...insisted(protocol) });
    await this.#watch(probe);
  }

  /** A server over HTTP, which ends with the scene. @param start given what the servers of the set are told */
  async overHttp(
    start: (where: readonly string[]) => Promise<RunningServer>,
    transport: HttpTransport = 'http',
    protocol?: string,
  ): Promise<void> {
    this.#server = await start(this.where);
    this.#wire = await HostWire.open({ kind: 'http', url: this.#server.url, transport, headers: {}, ...insisted(protocol) });
    await this.#watch({});
  }

  /** The demo; its own probes watch its state folder. */
  async demo(over?: DemoWire, protocol?: string): Promise<void> {
    const wire = await HostWire.open({ kind: 'demo', ...(over === undefined ? {} : { over }), ...insisted(protocol) });
    this.#wire = wire;
    this.#demo = wire.demoState(over);
    this.#offsets.push(sampleOffset(wire.clock));
  }

  get demoState(): string {
    return this.#demo ?? '';
  }

  async #watch(probe: Partial<ProbeSpec>): Promise<void> {
    await this.probe({ kind: 'folder', name: PLACE, path: this.place, ...probe });
    this.#offsets.push(sampleOffset(this.#open.clock));
  }

  /** Disturbs messages on purpose from now on. */
  faults(name: PresetName): Promise<void> {
    return this.#open.setFaults(PRESETS[name].rules);
  }

  async probe(spec: Partial<ProbeSpec>): Promise<void> {
    await this.#open.setProbe(probeSpec.parse(spec));
  }

  /** Calls a tool of the truth server. */
  call(steps: readonly Step[], { onCancel = [], abort = false, ...more }: Program = {}): Promise<Handle> {
    return this.use(more.tool ?? 'run', (as) => ({ as, steps, onCancel, abort }), more);
  }

  /** Calls any tool. @param args its arguments, given the call's name in the truth log */
  async use(tool: string, args: (as: string) => Readonly<Record<string, unknown>>, more: CallMore = {}): Promise<Handle> {
    const { as = `call-${this.#handles.length + 1}`, probes = [PLACE], settleMs = SETTLE_MS, fence = true, retryOf } = more;
    const index = await this.#open.call({
      tool,
      arguments: args(as),
      probes,
      settleMs,
      normallyMs: more.normallyMs,
      fence,
      retryOf: retryOf?.index,
      id: more.id,
      cancelledAtOnce: more.cancelledAtOnce ?? false,
      task: more.task ?? false,
    });
    const handle = { index, as, retryOf };
    this.#handles.push(handle);
    return handle;
  }

  /** Takes a call that was sent in another way for one of the case's own. */
  adopt(index: number, as: string): Handle {
    const handle = { index, as, retryOf: undefined };
    this.#handles.push(handle);
    return handle;
  }

  /** Stops a call. Resolves when that is in its verdict. */
  async stop(handle: Handle, how: Means = { means: 'cancel' }): Promise<void> {
    await this.#open.stop(handle.index, how);
    await this.sees('the stop', handle, ({ stop }) => stop.state !== 'none');
  }

  /** Lets the server go on. */
  open(gate: string): Promise<void> {
    return writeFile(path.join(this.#gates, gate), '');
  }

  openNow(gate: string): void {
    appendFileSync(path.join(this.#gates, gate), '');
  }

  isOpen = (gate: string): boolean => existsSync(path.join(this.#gates, gate));

  get #entries(): readonly Entry[] {
    return entriesOf(this.log);
  }

  /** Resolves when the server has come to a `say` step. */
  async reached(handle: Handle, name: string): Promise<void> {
    await until(`${handle.as} to reach ${name}`, () =>
      this.#entries.some((one) => one.entry === 'reached' && one.as === handle.as && one.name === name),
    );
  }

  /** Resolves when the server has read the call's cancel. */
  async readCancel(handle: Handle): Promise<void> {
    await until(`the server to read the cancel of ${handle.as}`, () =>
      this.#entries.some((one) => one.entry === 'cancel' && one.as === handle.as),
    );
  }

  verdict(handle: Handle): Verdict {
    const verdict = this.#open.judge.verdict(handle.index);
    if (!verdict) throw new Error(`${handle.as} has no verdict yet`);
    return verdict;
  }

  /** The request id of a call. */
  idOf(handle: Handle): RequestId {
    return idOf(this.#open.judge.calls.all[handle.index]?.key ?? '');
  }

  /** Resolves with the call when it satisfies a test. */
  async sees(what: string, handle: Handle, test: (verdict: Verdict, call: Call) => boolean): Promise<void> {
    await until(what, () => {
      const verdict = this.#open.judge.verdict(handle.index);
      const call = this.#open.judge.calls.all[handle.index];
      return verdict !== undefined && call !== undefined && test(verdict, call);
    });
  }

  stopped = (handle: Handle): Promise<void> => this.sees('the stop', handle, (verdict) => verdict.stop.at !== undefined);
  fenced = (handle: Handle): Promise<void> => this.sees('the pong', handle, (verdict) => verdict.fence.state === 'answered');
  replied = (handle: Handle): Promise<void> => this.sees('the reply', handle, (_, call) => call.replies.length > 0);
  settled = (handle: Handle): Promise<void> => this.sees('the end of the settle window', handle, (verdict) => verdict.settled);

  /** Resolves when the cancel has been read, and so long ago that what the server says now cannot have crossed it. */
  async pastTie(handle: Handle): Promise<void> {
    await this.fenced(handle);
    await this.sees('the end of the tie', handle, ({ fence }) => this.now > (fence.at ?? 0) + 2 * fence.tie);
  }

  /** Resolves when so much has been seen of a call, and all of what it has begun to write: a file may be there before its content. */
  async saw(handle: Handle, count = 1): Promise<void> {
    await this.sees(`${count} observations`, handle, (verdict) => verdict.effect.observations.length >= count);
    await until('the end of its writes', () => {
      const begun = this.#entries.flatMap((one) => (one.entry === 'write' && one.as === handle.as ? one.key : []));
      const ended = new Set(this.#entries.flatMap((one) => (one.entry === 'written' ? one.key : [])));
      return begun.every((key) => ended.has(key));
    });
    await this.read();
  }

  /** Resolves when the place has been looked at after the stop, and nothing was there: what comes now comes after the cancel. */
  async looked(handle: Handle, probe = PLACE): Promise<void> {
    await this.stopped(handle);
    const c = this.verdict(handle).stop.at ?? (0 as Ns);
    await this.#lookedSince(c, probe);
  }

  /** As {@link looked}, and the server has read the cancel before. */
  async lookedFenced(handle: Handle, probe = PLACE): Promise<void> {
    await this.fenced(handle);
    await this.#lookedSince(this.verdict(handle).fence.at ?? (0 as Ns), probe);
  }

  /** Resolves when the place has been looked at after the call was sent, and nothing was there: what comes now is the call's. */
  async lookedSent(handle: Handle, probe = PLACE): Promise<void> {
    await this.#lookedSince(this.#open.judge.calls.all[handle.index]?.sent.t ?? (0 as Ns), probe);
  }

  async #lookedSince(t: Ns, probe: string): Promise<void> {
    const clear = (): boolean =>
      this.#open.judge.world.watches.findLast((watch) => watch.probe === probe)?.clears.some((reading) => reading.lo >= t) ?? false;
    while (!clear()) {
      await this.read();
      await rest(20);
    }
  }

  read = (): Promise<void> => this.#open.readProbes();

  /** How far time has come. */
  get now(): Ns {
    return this.#open.clock.now();
  }

  /** A write by somebody who has nothing to do with the server. */
  elseWrites(file: string): void {
    this.writes('somebody else', file);
  }

  /** A write that the case does by itself: for the backend of a server, or in the place of somebody else. */
  writes(as: string, file: string): void {
    void this.notes(as, file, () => appendFileSync(path.join(this.place, file), `${as}\n`));
  }

  /** Does something that is a write, and notes it. */
  async notes(as: string, file: string, act: () => void | Promise<void>): Promise<void> {
    const key = `scene-${this.#entries.length}`;
    const stamp = (): string => process.hrtime.bigint().toString();
    this.note({ entry: 'write', key, as, file, from: stamp() });
    const acting = act();
    if (acting) await acting;
    this.note({ entry: 'written', key, to: stamp() });
  }

  /** Does something when the case is over. */
  atEnd(act: () => void): void {
    this.#atEnd.push(act);
  }

  note(entry: Entry): void {
    appendFileSync(this.log, `${JSON.stringify(entry)}\n`);
  }

  /**
   * Watches for servers that keep no log: looks at a reading again and again, and writes down between which two looks it
   * changed.
   * @returns stops it
   */
  witness(as: string, file: string, reading: () => string): () => void {
    let known = reading();
    let from = process.hrtime.bigint().toString();
    let count = 0;
    const look = (): void => {
      const begun = process.hrtime.bigint().toString();
      const now = reading();
      if (now !== known) {
        const key = `witness-${file}-${count++}`;
        this.note({ entry: 'write', key, as, file, from });
        this.note({ entry: 'written', key, to: process.hrtime.bigint().toString() });
        known = now;
      }
      from = begun;
    };
    const timer = setInterval(look, 2);
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      clearInterval(timer);
      look();
    };
    this.atEnd(end);
    return end;
  }

  /** Lets every stopped call's time pass, ends the server, and puts verdicts and truth side by side. */
  async end(judged: Handle): Promise<Outcome> {
    const { judge, clock } = this.#open;
    for (const handle of this.#handles) await this.#over(handle);
    await this.read();
    this.#offsets.push(sampleOffset(clock));
    this.#ended();
    await this.#close();
    const all = this.#handles.map((handle) => ({ handle, verdict: judge.verdict(handle.index) as Verdict }));
    return {
      verdict: judge.verdict(judged.index) as Verdict,
      call: judge.calls.all[judged.index] as Call,
      findings: judge.findings,
      truth: truthOf(this.#entries, this.#offsets),
      all,
    };
  }

  async #over(handle: Handle): Promise<void> {
    const { judge, clock } = this.#open;
    const { stop, normally, reply, effect } = this.verdict(handle);
    if (stop.at === undefined || reply.state === 'in-time') return;
    const call = judge.calls.all[handle.index];
    const settle = call?.arrangement?.settle ?? fromMs(SETTLE_MS);
    // Only a call of which nothing has been seen is watched to the end of the time that it would still have needed.
    const needed = effect.worst ? 0 : 1.5 * (normally?.takes ?? 0);
    const end = stop.at + Math.max(settle, needed);
    while (clock.now() <= end) await rest(10);
    await this.settled(handle);
  }

  #ended(): void {
    for (const act of this.#atEnd.splice(0)) act();
  }

  async #close(): Promise<void> {
    const wire = this.#wire;
    this.#judge = wire?.judge ?? this.#judge;
    this.#wire = undefined;
    await wire?.close();
    await this.#server?.close();
    this.#server = undefined;
  }

  /** What is known so far, in words: for a case that did not come to its end. */
  account(): string {
    const judge = this.#wire?.judge ?? this.#judge;
    const calls = this.#handles.map(({ as, index }) => {
      const verdict = judge?.verdict(index);
      const call = judge?.calls.all[index];
      return `${as}, arranged at ${call?.arrangement?.t}, sent at ${call?.sent.t}, stopped at ${verdict?.stop.at}: ${verdict?.verdict}: ${verdict?.sentence}`;
    });
    const seen =
      judge?.world.watches.flatMap((watch) => watch.seen.map(({ says, lo, hi }) => `${watch.probe} saw ${says} (${lo} to ${hi})`)) ?? [];
    return [...calls, ...seen, ...this.#entries.map((entry) => JSON.stringify(entry))].join('\n');
  }

  /** Leaves nothing behind. */
  async clear(): Promise<void> {
    this.#ended();
    await this.#close();
    await rm(this.#root, { recursive: true, force: true });
  }
}
