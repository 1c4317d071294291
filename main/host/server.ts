// The server that the person is connected to, across restarts: its session, its probes, the files whose change restarts
// it, and the one picture of all that. One thing after the other: a new connection waits until nothing of the old one is
// left.
import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { fromMs, type Ns } from '../../app/base/time';
import type { FaultStatus } from '../../app/contract/faults';
import {
  type ConnectionNumber,
  type Events,
  type ListedTask,
  NO_SERVER,
  type ProbeStatus,
  type Results,
  type ServerStatus,
  type Settings,
  type Stopped,
  type ToolSetup,
} from '../../app/contract/host';
import { type ServerSpec, serverKey, withoutSecrets } from '../../app/contract/server';
import { masked } from '../../app/evidence/dsn';
import { BEFORE_SERVER, type ProbeContext, type ProbeSpec, type StartProbe, type TraceContexts } from '../../app/evidence/probe';
import { unfilled, type Variables, variablesOf, withArguments, withNames, withVariables } from '../../app/evidence/variables';
import { probeKey } from '../../app/evidence/world';
import type { FaultRule } from '../../app/scenario/faults';
import type { Trace } from '../../app/trace/trace';
import type { Due } from '../../app/verdict/judge';
import type { Effect, Means, RequestId, Seq, SessionNumber } from '../../app/wire/frame';
import { idOf } from '../../app/wire/jsonrpc';
import { createTraceContexts } from '../probes/traces';
import type { Secrets } from '../store/secrets';
import { serverAccess } from './access';
import type { Authorization } from './auth';
import { builtInProbes, builtInSetups, type DemoPlace, targetText, titleOf } from './commands';
import { foundBy } from './found';
import { type ProbeSet, probeSet, within } from './probe-set';
import { reach } from './reach';
import type { Recording } from './recording';
import { wholeProbe } from './server-secrets';
import type { Asked, Session, Target } from './session';
import type { FoundTask } from './tasks';
import { plain } from './why';

export interface ServerOptions {
  readonly connection: ConnectionNumber;
  /** The recording in which the next session goes, and its number there. @throws Error in plain words when there is none */
  readonly nextSession: () => Promise<{ readonly recording: Recording; readonly number: SessionNumber }>;
  readonly startProbe: StartProbe;
  /** How it is called, where that is not told by its description. */
  readonly title?: string;
  readonly demo: DemoPlace;
  readonly version: string;
  /** Passwords of probes, and what authorizations granted. */
  readonly secrets: Secrets;
  /** Opens a page in the system's browser. @throws Error in plain words when that did not work */
  readonly browse: (address: string) => Promise<void>;
  readonly settings: () => Settings;
  readonly onChange: () => void;
  readonly onNotice: (notice: Events['notice']) => void;
  /** See {@link Session}. */
  readonly limits?: { readonly handshakeMs?: number; readonly graceMs?: number; readonly lineLimit?: number };
}

/** A call as the window asks for it; what is left open comes from the tool's arrangement, then from the settings. */
export interface CallRequest {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly probes: readonly string[];
  readonly settleMs?: number | undefined;
  readonly normallyMs?: number | undefined;
  readonly stopAfterMs?: number | undefined;
  readonly stopReason?: string | undefined;
  /** The cancel goes out in the same write as the call. */
  readonly stopAtOnce?: boolean | undefined;
  readonly fence?: boolean | undefined;
  /** See `tool.call` in app/contract/host. */
  readonly task?: boolean | { readonly ttlMs?: number | undefined } | undefined;
  /** Index of the stopped call that this one repeats. */
  readonly retryOf?: number | undefined;
  /** Index of the call whose effect this one is meant to take back. */
  readonly undoOf?: number | undefined;
  /** What a scenario calls it: faults may be about it by that name. */
  readonly name?: string | undefined;
}

interface Current {
  spec: ServerSpec;
  readonly target: Target;
  /** Ends what had to be started for the target. */
  readonly release: () => Promise<void>;
  readonly recording: Recording;
  readonly session: Session;
  readonly probes: ProbeSet;
  readonly traces: TraceContexts;
  readonly watcher: FSWatcher | undefined;
  probesBegun: boolean;
}

/** How long a watched file has to be quiet before the server is restarted, in ms. */
const WATCH_QUIET_MS = 300;
/** How long a probe may take for the reading before a call, in ms: a slow one holds up nothing. */
const BEFORE_CALL_MS = 2000;
/** How long a person who has asked for a reading waits for its outcome, in ms. */
const VERIFY_MS = 5000;
/** How long a probe that asks the server may take for its last reading before the server is ended all the same, in ms. */
const LAST_WORD_MS = 1000;
const ELSEWHERE = /[\\/](?:node_modules|\.git)(?:[\\/]|$)/;

export class Server {
  readonly #options: ServerOptions;
  #current: Current | undefined;
  /** The person has disconnected it. */
  #left = false;
  /** Of a server at an address: stays through its restarts, as what it was granted does. */
  #authorization: Authorization | undefined;
  /** Stay through its restarts. */
  #faults: readonly FaultRule[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #restart: NodeJS.Timeout | undefined;
  /** Its sessions in the running recording. */
  #sessions: readonly SessionNumber[] = [];
  /** Probes that are being read for a verdict. */
  readonly #reading = new Set<string>();

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  get status(): ServerStatus {
    const current = this.#current;
    if (!current) return { ...NO_SERVER, connection: this.#options.connection };
    const { spec, target, session, probes } = current;
    return {
      ...NO_SERVER,
      connection: this.#options.connection,
      state: session.state,
      session: session.number,
      sessions: this.#sessions,
      spec: withoutSecrets(spec),
      key: serverKey(spec),
      title: titleOf(spec),
      command: targetText(target),
      transport: session.transport,
      fellBack: session.fellBack,
      stateful: session.stateful,
      sessionLost: session.sessionLost,
      auth: this.#authorization?.status,
      pid: session.pid,
      protocol: session.protocol,
      tasks: session.tasks,
      offered: session.offered,
      server: session.server,
      instructions: session.instructions,
      why: session.why,
      tools: session.tools,
      faults: this.faults,
      probes: probes.statuses,
      setups: this.#setups(spec),
    };
  }

  /** What is done to its messages on purpose, and what is held. */
  get faults(): FaultStatus {
    const { held = [], heldCount = 0 } = this.#current?.session.faults ?? {};
    return { rules: this.#faults, held, heldCount };
  }

  /** Other faults from now on, through its restarts. */
  setFaults(rules: readonly FaultRule[]): FaultStatus {
    this.#faults = rules;
    this.#current?.session.faults.set(rules);
    this.#options.onChange();
    return this.faults;
  }

  /** Lets messages pass that are held: all of them, or these. @returns how many */
  releaseFaults(items?: readonly number[]): number {
    return this.#current?.session.faults.release(items) ?? 0;
  }

  /** Nothing can be asked of it any more; its probes may still watch. */
  get over(): boolean {
    return this.#current?.session.over ?? true;
  }

  /** Whether this is its newest session. */
  isIn(recording: Recording | undefined, session: SessionNumber): boolean {
    return this.#current?.recording === recording && this.#current?.session.number === session;
  }

  /** Takes over the id and the title of a description. What else is in it counts at the next connection. */
  named(as: ServerSpec): void {
    const current = this.#current;
    if (!current || current.spec.kind === 'demo' || as.kind === 'demo') return;
    current.spec = { ...current.spec, id: as.id, title: as.title };
  }

  /** Has the probes of a server that is over look a last time and stop. */
  settle(): Promise<void> {
    return this.#end('disconnect');
  }

  /** Starts a server in the place of the one before. Resolves when its process is being started; `status` says the rest. */
  connect(spec: ServerSpec): Promise<SessionNumber> {
    this.#left = false;
    return this.#inTurn(async () => {
      await this.#end('disconnect');
      return this.#begin(spec);
    });
  }

  /** @throws Error when no server was connected yet, or the person has disconnected it */
  restart(): Promise<SessionNumber> {
    return this.#inTurn(async () => {
      const { spec } = this.#toRestart();
      await this.#end('restart');
      return this.#begin(spec);
    });
  }

  /**
   * Starts the server again, and shakes no hands with it: only what {@link say} says is said. For conformance.
   * @throws Error when no server was connected yet, or the person has disconnected it
   */
  restartBare(): Promise<SessionNumber> {
    return this.#inTurn(async () => {
      const { spec } = this.#toRestart();
      await this.#end('restart');
      return this.#begin(spec, true);
    });
  }

  /**
   * Sends messages as they are, in one write where the wire is ordered. For conformance.
   * @throws Error in plain words when they were not written
   */
  say(messages: Parameters<Session['say']>[0]): Promise<void> {
    return this.#currentOrThrow().session.say(messages);
  }

  /** Ends the server with everything that it started; resolves when nothing of it is left. */
  async disconnect(asked: Asked): Promise<void> {
    this.#left = true;
    await this.#authorization?.giveUp();
    await this.#inTurn(() => this.#end(asked));
  }

  /**
   * Authorizes in the browser, and connects again where the server would not have us without. Resolves when that is over; how
   * it went is in `status`.
   * @throws Error when the server can ask for no authorization
   */
  async authorize(): Promise<void> {
    const granted = await this.#authorizationOrThrow().authorize();
    if (granted && this.over) await this.restart();
  }

  /** Stops waiting for the browser; `forget` also forgets what was granted. */
  async unauthorize(forget: boolean): Promise<void> {
    const authorization = this.#authorizationOrThrow();
    await (forget ? authorization.forget() : authorization.giveUp());
  }

  #authorizationOrThrow(): Authorization {
    if (this.#authorization) return this.#authorization;
    throw new Error(
      'Expected a server at an address, connected without an Authorization header: only such a one can be authorized in the browser.',
    );
  }

  async rootsChanged(): Promise<void> {
    await this.#current?.session.rootsChanged();
  }

  /**
   * Calls a tool.
   * @returns the frame of its request and the index of the call
   * @throws Error in plain words when it cannot be sent
   */
  async call(request: CallRequest): Promise<{ readonly seq: Seq; readonly call: number }> {
    const { recording, session, probes, spec, traces } = this.#connected();
    const unknown = request.probes.find((name) => !probes.statuses.some((status) => status.spec.name === name));
    if (unknown !== undefined) throw new Error(`There is no probe called “${unknown}” here. Add it, or call without it.`);
    await probes.ready(request.probes);
    // What is there before the call is not the call's (docs/adr/0002, "Seen before the call opened").
    await probes.read(request.probes, BEFORE_CALL_MS);
    const setup = this.#setups(spec)[request.tool];
    const args = withVariables(request.arguments, variables(probes));
    const settings = this.#options.settings();
    const seq = await session.call({
      tool: request.tool,
      arguments: args,
      probes: request.probes,
      settle: fromMs(request.settleMs ?? setup?.settleMs ?? settings.settleMs),
      normally: optionalNs(request.normallyMs ?? setup?.normallyMs),
      fence: request.fence ?? settings.fence,
      task: request.task,
      stopAfterMs: request.stopAfterMs,
      stopReason: request.stopReason,
      name: request.name,
      stopAtOnce: request.stopAtOnce,
      retryOf: this.#idOf(request.retryOf),
      undoOf: this.#idOf(request.undoOf),
      owns: ownsOf(probes, request.probes, args),
      traceparent: isTraced(probes, request.probes) ? (id) => traces.forCall(id) : undefined,
      onStopped: () => void probes.read(request.probes),
    });
    recording.advance();
    const call = recording.judge.calls.ofFrame(seq);
    if (!call) throw new Error(`expected frame ${seq} to be the request of a call`);
    return { seq, call: call.index };
  }

  /** The request id of a call; undefined for a call of another session, whose ids mean nothing in this one. */
  #idOf(call: number | undefined): RequestId | undefined {
    const { recording, session } = this.#connected();
    const found = call === undefined ? undefined : recording.judge.calls.all[call];
    return found?.session === session.number ? idOf(found.key) : undefined;
  }

  /** @throws Error when the call is none of the running session */
  async stop(call: number, how: Means, reason: string | undefined): Promise<Stopped> {
    const { recording, session } = this.#currentOrThrow();
    const stopped = recording.judge.calls.all[call];
    if (!stopped) throw new Error(`There is no call ${call}.`);
    if (stopped.session !== session.number)
      return { call, outcome: 'nothing', says: 'The session of this call is over. Nothing was sent.' };
    return { call, ...(await session.stop(stopped.sent.seq, how, reason)) };
  }

  /** Stops every call that has no reply yet. */
  async stopAll(how: Means, reason: string | undefined): Promise<readonly Stopped[]> {
    if (!this.#current) return [];
    const { recording, session } = this.#current;
    const inFlight = session.inFlight.flatMap((seq) => recording.judge.calls.ofFrame(seq)?.index ?? []);
    return Promise.all(inFlight.map((call) => this.stop(call, how, reason)));
  }

  /** @throws Error in plain words when the server refuses, or knows no tasks */
  async tasks(): Promise<Results['tasks.list']> {
    const { session } = this.#connected();
    const { tasks, says } = await session.listTasks();
    return { tasks: tasks.map((task) => this.#listed(task)), says };
  }

  /** @throws Error when the server knows no tasks */
  async cancelTask(id: string): Promise<Results['tasks.cancel']> {
    const { session } = this.#connected();
    const { task, ...rest } = await session.cancelTask(id);
    return { ...rest, task: task && this.#listed(task) };
  }

  #listed({ request, ...task }: FoundTask): ListedTask {
    const { recording } = this.#currentOrThrow();
    return { ...task, call: request === undefined ? undefined : recording.judge.calls.ofFrame(request)?.index };
  }

  setProbe(spec: ProbeSpec): Promise<ProbeStatus> {
    const { probes } = this.#currentOrThrow();
    if (probes.statuses.some((status) => status.builtIn && status.spec.name === spec.name))
      throw new Error(`The probe “${spec.name}” came with the server. Choose another name.`);
    return probes.set(spec, false);
  }

  removeProbe(name: string): Promise<void> {
    return this.#currentOrThrow().probes.remove(name);
  }

  /**
   * Reads every probe once more; those of one call when given.
   * @returns what was found, a sentence for each
   */
  async readProbes(call: number | undefined): Promise<string> {
    const current = this.#current;
    if (!current) return 'No server is connected, so no probe watches.';
    const { recording, probes, session } = current;
    const of = call === undefined ? undefined : (recording.judge.calls.all[call]?.arrangement?.probes ?? []);
    const asked = probes.statuses.filter(({ spec }) => of === undefined || of.includes(spec.name)).map(({ spec }) => spec.name);
    if (asked.length === 0) return call === undefined ? 'There is no probe yet.' : 'No probe that is running watched this call.';
    const from = recording.recorder.trace.length;
    const reading = await probes.read(asked, VERIFY_MS);
    recording.advance();
    const said = effectsSince(recording.recorder.trace, from, session.number);
    const found = probes.statuses
      .filter(({ spec }) => asked.includes(spec.name))
      .map((status) => {
        const { name } = status.spec;
        const effects = said.filter(({ probe }) => probe === name);
        return foundBy({ status, effects, read: !reading.includes(name), watch: recording.judge.world.of(session.number, name) });
      });
    return found.join('\n');
  }

  /** Reads what a verdict waits for; what is being read for one already is asked for again by the next judgement. */
  readDue(due: readonly Due[]): void {
    if (!this.#current) return;
    const { probes, session } = this.#current;
    for (const { probe } of due.filter((one) => one.session === session.number)) {
      const key = probeKey(session.number, probe);
      if (this.#reading.has(key)) continue;
      this.#reading.add(key);
      void probes.read([probe]).finally(() => this.#reading.delete(key));
    }
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(task);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** @param bare nobody shakes hands with it */
  async #begin(spec: ServerSpec, bare = false): Promise<SessionNumber> {
    const { nextSession, startProbe, demo, version, secrets, settings, limits, onChange } = this.#options;
    const { recording, number } = await nextSession();
    this.#sessions = [...(this.#current?.recording === recording ? this.#sessions : []), number];
    const { target, close: release } = await reach(spec, demo);
    const { recorder, clock } = recording;
    const traces = createTraceContexts(clock);
    // With the SDK behind it: nothing else needs that, and a window should not wait for it.
    const { Session: Connection } = await import('./session');
    this.#authorization = await this.#authorizationOf(spec);
    let session: Session | undefined;
    const context = ({ name }: ProbeSpec): ProbeContext => ({
      clock,
      emit: (effect) => recorder.frame({ session: number, dir: '-', t: clock.now(), body: { kind: 'effect', effect } }),
      server: serverAccess(name, () => session),
      traces,
    });
    const starting: StartProbe = async (probe, context) => startProbe(await wholeProbe(secrets, serverKey(spec), probe), context);
    const probes = probeSet({ startProbe: starting, context, onChange });
    await Promise.all(this.#ownProbes(spec, true).map((probe) => probes.set(probe, false)));
    const offered = variables(probes);
    session = new Connection({
      ...limits,
      number,
      target: withVariables(target, offered),
      title: this.#options.title ?? titleOf(spec),
      protocol: spec.protocol,
      authorization: this.#authorization,
      conceal: (text) => masked(withNames(text, offered)),
      recorder,
      clock,
      version,
      roots: () => settings().roots,
      faults: this.#faults,
      fence: () => settings().fence,
      onChange: () => this.#changed(),
    });
    const watcher = this.#watch(spec, target);
    this.#current = { spec, target, release, recording, session, probes, traces, watcher, probesBegun: false };
    onChange();
    const why = unfilled(target, offered);
    if (why !== undefined) session.refuse(why);
    else if (bare) await session.openBare();
    else void session.open();
    return number;
  }

  /** Who gives an Authorization header, or a login in the address, has authorized already. */
  async #authorizationOf(spec: ServerSpec): Promise<Authorization | undefined> {
    if (spec.kind !== 'http' || new URL(spec.url).username !== '') return undefined;
    if (Object.keys(spec.headers).some((name) => name.toLowerCase() === 'authorization')) return undefined;
    const { secrets, browse, onChange } = this.#options;
    const key = serverKey(spec);
    if (this.#authorization?.isFor(key, spec.url)) return this.#authorization;
    await this.#authorization?.giveUp();
    const [auth, { grantsOf }] = await Promise.all([import('./auth'), import('./auth-grants')]);
    return new auth.Authorization({ key, url: spec.url, grants: grantsOf(secrets, key, spec.url), browse, onChange });
  }

  /** The session's picture has changed; once it is connected its probes are started. */
  #changed(): void {
    const current = this.#current;
    if (current?.session.state === 'connected' && !current.probesBegun) {
      current.probesBegun = true;
      for (const spec of builtInProbes(current.spec, this.#options.demo)) void current.probes.set(spec, true);
      for (const spec of this.#ownProbes(current.spec, false)) void current.probes.set(spec, false);
    }
    this.#options.onChange();
  }

  /** The person's probes of a server: those that are there before it is, because it is told their address, or the others. */
  #ownProbes(spec: ServerSpec, early: boolean): readonly ProbeSpec[] {
    const own = this.#options.settings().probes[serverKey(spec)] ?? [];
    return own.filter(({ kind }) => BEFORE_SERVER.has(kind) === early);
  }

  /** Ends the session; its probes watch until the last of its processes has gone. */
  async #end(asked: Asked): Promise<void> {
    clearTimeout(this.#restart);
    const current = this.#current;
    if (!current) return;
    await current.watcher?.close();
    // Those that ask the server itself look a last time while it can still answer.
    const asking = current.probes.stop(({ kind }) => kind === 'read');
    await within(asking, LAST_WORD_MS);
    await current.session.close(asked);
    await current.release();
    await asking;
    await current.probes.stop();
    current.recording.advance();
  }

  #watch(spec: ServerSpec, target: Target): FSWatcher | undefined {
    if (spec.kind !== 'stdio' || spec.watch.length === 0 || target.kind !== 'stdio') return undefined;
    const { cwd = process.cwd() } = target.command;
    const { onNotice } = this.#options;
    const watcher = watch([...spec.watch], { cwd, ignoreInitial: true, ignored: (file) => ELSEWHERE.test(file) });
    watcher.on('all', (_event, file) => {
      clearTimeout(this.#restart);
      this.#restart = setTimeout(() => {
        onNotice({ level: 'info', text: `${path.basename(file)} has changed: the server is being restarted.` });
        this.restart().catch((error: unknown) => onNotice({ level: 'error', text: `The server could not be restarted: ${plain(error)}` }));
      }, WATCH_QUIET_MS);
    });
    watcher.on('error', (error) => onNotice({ level: 'warn', text: `The server's files cannot be watched for changes: ${plain(error)}` }));
    return watcher;
  }

  #setups(spec: ServerSpec): Readonly<Record<string, ToolSetup>> {
    return { ...builtInSetups(spec), ...this.#options.settings().tools[serverKey(spec)] };
  }

  /** A sweep or a report card that still runs must not bring back a server that the person has sent away. */
  #toRestart(): Current {
    if (this.#left) throw new Error('The server was disconnected. Connect it again.');
    if (!this.#current) throw new Error('There is no server to restart. Connect one first.');
    return this.#current;
  }

  #currentOrThrow(): Current {
    if (!this.#current) throw new Error('No server is connected. Connect one first.');
    return this.#current;
  }

  #connected(): Current {
    const current = this.#currentOrThrow();
    if (current.session.state !== 'connected')
      throw new Error(`The server is not connected: ${current.session.why ?? current.session.state}`);
    return current;
  }
}

/** What the running probes offer. */
const variables = (probes: ProbeSet): Variables =>
  variablesOf(probes.statuses.map(({ spec, variables: offers = {} }) => ({ name: spec.name, offers })));

/** Whether a probe among these can tell whose work it is by the trace context that goes out with a call. */
const isTraced = (probes: ProbeSet, names: readonly string[]): boolean =>
  probes.statuses.some(({ spec }) => spec.kind === 'otel' && names.includes(spec.name));

/** What the probes of a session have said from a frame on. */
function effectsSince(trace: Trace, from: Seq, session: SessionNumber): readonly Effect[] {
  const effects: Effect[] = [];
  for (let seq = from; seq < trace.length; seq++) {
    const extra = trace.extra(seq);
    if (extra?.about === 'effect' && trace.session(seq) === session) effects.push(extra.effect);
  }
  return effects;
}

/** By probe: the text that only this call's own effects carry, where its settings say so. A text of nothing marks nothing. */
function ownsOf(probes: ProbeSet, names: readonly string[], args: CallRequest['arguments']): Readonly<Record<string, string>> {
  const watching = probes.statuses.filter(({ spec }) => spec.owns !== undefined && names.includes(spec.name));
  return Object.fromEntries(
    watching.flatMap(({ spec }) => {
      const text = withArguments(spec.owns ?? '', args);
      return text === undefined || text.trim() === '' ? [] : [[spec.name, text]];
    }),
  );
}

const optionalNs = (ms: number | undefined): Ns | undefined => (ms === undefined ? undefined : fromMs(ms));
