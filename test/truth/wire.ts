// The two ways in which a case speaks to its server: as the window does, through the whole host; and by hand, upon the tap
// and the pipe, for messages that no client of the SDK sends (ids of its own choice, a cancel in the same write as its call).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Clock, fromMs } from '../../app/base/time';
import { type ConnectionNumber, NO_SERVER, type ServerStatus } from '../../app/contract/host';
import type { ServerSpec } from '../../app/contract/server';
import type { Probe, ProbeSpec, StartProbe } from '../../app/evidence/probe';
import type { FaultRule } from '../../app/scenario/faults';
import type { Trace } from '../../app/trace/trace';
import { type Judge, judge } from '../../app/verdict/judge';
import { closingCancels } from '../../app/wire/era';
import type { Act, DemoWire, Effect, Means, RequestId } from '../../app/wire/frame';
import { idOf, keyOf } from '../../app/wire/jsonrpc';
import { connectClient, type HostClient } from '../../main/host/client';
import { startClock } from '../../main/host/clock';
import { demoState } from '../../main/host/commands';
import { createHost, type Host } from '../../main/host/host';
import { type Recording, startRecording } from '../../main/host/recording';
import { type Outgoing, Tap } from '../../main/host/tap';
import { checkProbe, startProbe } from '../../main/probes';
import { memorySecrets } from '../../main/store/secrets';
import { loadSettings } from '../../main/store/settings';
import { stdioWire } from '../../main/transports/stdio-wire';
import type { Wire as Transport } from '../../main/transports/wire';
import { buildEntry } from '../build.testing';
import type { StartCommand } from '../real/servers';
import { until } from './until';

/** A call as a case asks for it. */
export interface WireCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly probes: readonly string[];
  readonly settleMs: number;
  readonly normallyMs: number | undefined;
  readonly fence: boolean;
  /** Index of the stopped call that this one repeats. */
  readonly retryOf: number | undefined;
  /** An id of the case's own choice; by hand only. */
  readonly id: RequestId | undefined;
  /** Cancelled in the same write; by hand only. */
  readonly cancelledAtOnce: boolean;
  /** Run as a task; through the host only. */
  readonly task: boolean;
}

export interface Wire {
  readonly clock: Clock;
  readonly trace: Trace;
  readonly judge: Judge;
  setProbe(spec: ProbeSpec): Promise<void>;
  /** @returns the call's index */
  call(call: WireCall): Promise<number>;
  stop(call: number, how: Means): Promise<void>;
  readProbes(): Promise<void>;
  /** Disturbs messages on purpose from now on; through the host only. */
  setFaults(rules: readonly FaultRule[]): Promise<void>;
  /** Ends the session; resolves when nothing of the server is left. Verdicts are final then. */
  close(): Promise<void>;
}

const IDLE_PINGS = 3;
const GRACE_MS = 300;

/** Through the host. */
export class HostWire implements Wire {
  readonly #host: Host;
  readonly #client: HostClient;
  readonly #folder: string;
  readonly #script: string;
  #clock: Clock | undefined;
  #judge: Judge | undefined;
  #trace: Trace | undefined;
  #connection: ConnectionNumber = NO_SERVER.connection;

  private constructor(folder: string, script: string, settings: Awaited<ReturnType<typeof loadSettings>>) {
    this.#script = script;
    const starting: StartProbe = (spec, context) => {
      this.#clock = context.clock;
      return startProbe(spec, context);
    };
    this.#folder = folder;
    this.#host = createHost({
      traces: path.join(folder, 'traces'),
      demo: this.#demo,
      version: '0.0.0-truth',
      settings,
      secrets: memorySecrets(),
      browse: async () => undefined,
      judge: (trace) => {
        this.#trace = trace;
        this.#judge = judge(trace);
        return this.#judge;
      },
      startProbe: starting,
      checkProbe,
      limits: { graceMs: GRACE_MS },
    });
    this.#client = connectClient(this.#host);
  }

  static async open(server: ServerSpec): Promise<HostWire> {
    const folder = await mkdtemp(path.join(tmpdir(), 'stopgap-truth-host-'));
    const wire = new HostWire(folder, await buildEntry('main/demo/server.ts'), await loadSettings(path.join(folder, 'settings.json')));
    await wire.#connect(server);
    return wire;
  }

  async #connect(spec: ServerSpec): Promise<void> {
    const connected = await this.#client.request('server.connect', { spec });
    if ('approval' in connected) throw new Error('a server that nobody has imported asks for no approval');
    const { session, connection } = connected;
    this.#connection = connection;
    const of = (servers: readonly ServerStatus[]): ServerStatus => servers.find((server) => server.connection === connection) ?? NO_SERVER;
    let state = of((await this.#client.request('hello', {})).servers);
    this.#client.on('servers', (servers) => {
      state = of(servers);
    });
    await until('a connection with its tools', () => {
      if (state.state === 'failed' || state.state === 'ended') throw new Error(`The server did not connect: ${state.why}`);
      return state.state === 'connected' && state.tools.length > 0;
    });
    // Where a stop closes a stream, there are none.
    if (!closingCancels(state.protocol, state.transport))
      await until('idle pings', () => {
        const pings = this.#judge?.calls.sessions.get(session)?.idlePings ?? [];
        return pings.length === IDLE_PINGS && pings.every((ping) => (this.judge.calls.all[ping]?.replies.length ?? 0) > 0);
      });
    await until('the probes', () => state.probes.every((probe) => probe.state === 'watching'));
  }

  /** Where the demo works over a wire; undefined for stdio. */
  demoState(over: DemoWire | undefined): string {
    return demoState(over, this.#demo);
  }

  get #demo(): { readonly script: string; readonly state: string } {
    return { script: this.#script, state: path.join(this.#folder, 'demo') };
  }

  get clock(): Clock {
    if (!this.#clock) throw new Error('no probe has been started yet');
    return this.#clock;
  }

  get judge(): Judge {
    if (!this.#judge) throw new Error('no server is connected yet');
    return this.#judge;
  }

  get trace(): Trace {
    if (!this.#trace) throw new Error('no server is connected yet');
    return this.#trace;
  }

  async setProbe(probe: ProbeSpec): Promise<void> {
    const { state, why } = await this.#client.request('probe.set', { connection: this.#connection, probe });
    if (state !== 'watching') throw new Error(`The probe ${probe.name} does not watch: ${why}`);
  }

  async call({ normallyMs, retryOf, id, cancelledAtOnce, ...call }: WireCall): Promise<number> {
    if (id !== undefined || cancelledAtOnce) throw new Error('the host sends no such call: speak by hand');
    const sent = await this.#client.request('tool.call', {
      connection: this.#connection,
      ...call,
      probes: [...call.probes],
      ...(normallyMs === undefined ? {} : { normallyMs }),
      ...(retryOf === undefined ? {} : { retryOf }),
    });
    return sent.call;
  }

  async stop(call: number, how: Means): Promise<void> {
    await this.#client.request('call.stop', { call, how });
  }

  async readProbes(): Promise<void> {
    await this.#client.request('probe.read', { connection: this.#connection });
  }

  async setFaults(rules: readonly FaultRule[]): Promise<void> {
    await this.#client.request('faults.set', { connection: this.#connection, rules: [...rules] });
  }

  async close(): Promise<void> {
    await this.#host.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const SESSION = 1;

/** By hand. What is recorded is what the host would have recorded. */
export class RawWire implements Wire {
  readonly clock = startClock();
  readonly #folder: string;
  readonly #recording: Recording;
  readonly #pipe: Transport;
  readonly #tap: Tap;
  readonly #probes = new Map<string, Probe>();
  #ids = 1000;
  #fences = 0;
  exited = false;

  private constructor(folder: string, { command, args }: StartCommand) {
    this.#folder = folder;
    this.#recording = startRecording({
      folder,
      clock: this.clock,
      by: 'stopgap truth',
      judge,
      onAdvance: () => undefined,
      onDue: (due) => void this.#read(due.map(({ probe }) => probe)),
    });
    const { recorder } = this.#recording;
    this.#pipe = stdioWire({ command, args, clock: this.clock, graceMs: GRACE_MS, conceal: (text) => text });
    this.#tap = new Tap({
      session: SESSION,
      recorder,
      clock: this.clock,
      wire: this.#pipe,
      listener: {
        stepped: () => undefined,
        faulted: () => undefined,
        replied: () => undefined,
        unreadable: () => undefined,
        goesOn: () => undefined,
        listens: () => undefined,
        listensNoMore: () => undefined,
        noise: () => undefined,
        stderr: () => undefined,
        resourceUpdated: () => undefined,
        taskTold: () => undefined,
        lost: () => undefined,
        impaired: () => undefined,
        exited: (code, signal) => {
          this.exited = true;
          const how = { ...(code === undefined ? {} : { code }), ...(signal === undefined ? {} : { signal }) };
          this.#tap.life({ event: 'exited', ...how, asked: this.#closing ? 'quit' : 'nobody' });
        },
      },
    });
  }
  #closing = false;

  /** Starts a server; the handshake is the case's own business, or {@link handshake}. */
  static async open(command: StartCommand): Promise<RawWire> {
    const wire = new RawWire(await mkdtemp(path.join(tmpdir(), 'stopgap-truth-raw-')), command);
    await wire.#tap.start();
    return wire;
  }

  static readonly INITIALIZE = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'stopgap-truth', version: '0' },
  } as const;

  async handshake(): Promise<void> {
    await this.#ask('init', 'initialize', RawWire.INITIALIZE);
    this.#tap.life({ event: 'opened', transport: 'stdio', protocol: '2025-11-25', server: { name: 'truth', version: '1' } });
    await this.send([{ message: { jsonrpc: '2.0', method: 'notifications/initialized' } }]);
    await this.#ask('tools', 'tools/list', {});
    for (let n = 0; n < IDLE_PINGS; n++) await this.#ask(`idle-${n}`, 'ping', {}, { act: 'idle', ping: `idle-${n}` });
  }

  async #ask(id: RequestId, method: string, params: Record<string, unknown>, act?: Act): Promise<void> {
    await this.send([{ message: { jsonrpc: '2.0', id, method, params }, ...(act ? { act } : {}) }]);
    await until(`an answer to ${method}`, () => (this.find(id)?.replies.length ?? 0) > 0);
  }

  /** The newest call with an id. */
  find(id: RequestId) {
    this.#recording.advance();
    return this.judge.calls.find(SESSION, 'client', keyOf(id));
  }

  get trace(): Trace {
    return this.#recording.recorder.trace;
  }

  get judge(): Judge {
    return this.#recording.judge;
  }

  async send(messages: readonly Outgoing[]): Promise<void> {
    await this.#tap.sendTogether(messages);
  }

  act(act: Act): void {
    this.#tap.act(act);
  }

  async setProbe(spec: ProbeSpec): Promise<void> {
    const emit = (effect: Effect): number =>
      this.#recording.recorder.frame({ session: SESSION, dir: '-', t: this.clock.now(), body: { kind: 'effect', effect } });
    this.#probes.set(spec.name, await startProbe(spec, { clock: this.clock, emit }));
  }

  async call({
    tool,
    arguments: args,
    probes,
    settleMs,
    normallyMs,
    fence,
    retryOf,
    id = ++this.#ids,
    cancelledAtOnce,
  }: WireCall): Promise<number> {
    // As the host does: what is absent now, and there later, came about in the time of this call.
    await this.#read(probes);
    const retried = retryOf === undefined ? undefined : this.judge.calls.all[retryOf];
    const act: Act = {
      act: 'call',
      id,
      tool,
      probes: [...probes],
      settle: fromMs(settleMs),
      ...(normallyMs === undefined ? {} : { normally: fromMs(normallyMs) }),
      fence,
      ...(retried ? { retryOf: idOf(retried.key) } : {}),
    };
    let seq = -1;
    const message = {
      jsonrpc: '2.0' as const,
      id,
      method: 'tools/call',
      params: { name: tool, arguments: args, _meta: { progressToken: id } },
    };
    const call: Outgoing = { message, act, sent: (at) => (seq = at) };
    await this.send(cancelledAtOnce ? [call, ...this.#cancel(id, fence)] : [call]);
    this.#recording.advance();
    const made = this.judge.calls.ofFrame(seq);
    if (!made) throw new Error(`frame ${seq} is no call`);
    if (cancelledAtOnce) void this.#read(probes);
    return made.index;
  }

  #cancel(id: RequestId, fence: boolean): readonly Outgoing[] {
    const cancel: Outgoing = {
      message: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } },
      act: { act: 'stop', id, how: { means: 'cancel' }, wrote: true, late: false },
    };
    if (!fence) return [cancel];
    const ping = `fence-${++this.#fences}`;
    return [cancel, { message: { jsonrpc: '2.0', id: ping, method: 'ping' }, act: { act: 'fence', id, ping } }];
  }

  async stop(call: number, how: Means): Promise<void> {
    const stopped = this.judge.calls.all[call];
    if (!stopped || how.means !== 'cancel') throw new Error(`call ${call} cannot be stopped by hand that way`);
    const id = idOf(stopped.key);
    await this.send(this.#cancel(id, stopped.arrangement?.fence ?? true));
    void this.#read(stopped.arrangement?.probes ?? []);
  }

  async #read(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#probes.get(name)?.read()));
  }

  async readProbes(): Promise<void> {
    await this.#read([...this.#probes.keys()]);
  }

  setFaults(): Promise<void> {
    return Promise.reject(new Error('by hand nothing is disturbed but by the hand itself'));
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#pipe.close();
    await Promise.all([...this.#probes.values()].map((probe) => probe.stop()));
    this.#tap.life({ event: 'closed' });
    await this.#recording.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
