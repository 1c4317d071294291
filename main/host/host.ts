// The session host: everything that the window can ask for, over any port that carries messages. Plain Node; the same
// host runs in Electron's utility process, under the command line, and in tests.
import path from 'node:path';
import type { z } from 'zod';
import {
  type ConnectionNumber,
  type EventName,
  type Events,
  REQUESTS,
  type Request,
  type Results,
  type Settings,
  type SettingsPatch,
  type ToHost,
  type ToWindow,
} from '../../app/contract/host';
import { type ServerSpec, serverKey } from '../../app/contract/server';
import type { ProbeSpec, StartProbe } from '../../app/evidence/probe';
import type { Trace } from '../../app/trace/trace';
import type { Judge } from '../../app/verdict/judge';
import type { Secrets } from '../store/secrets';
import type { SettingsStore } from '../store/settings';
import { listTraces } from '../store/traces';
import { approvalOf } from './approval';
import { argumentsOf } from './call-arguments';
import { Checks, writeCard } from './checks';
import { startClock } from './clock';
import { titleOf } from './commands';
import { type ConfigHandlers, type ConfigPlace, configHandlers, thisPlace } from './configs';
import { Connections } from './connections';
import { Lab } from './lab';
import { environmentFor, type LabHandlers, labHandlers } from './lab-handlers';
import { type Recording, startRecording } from './recording';
import { forgotten, saved } from './saved-servers';
import type { ServerOptions } from './server';
import { completed, forgetProbe, keepProbe, lacking, wholeProbe } from './server-secrets';
import { Views } from './views';
import { plain } from './why';

/** One window's end of the host. */
export interface Port {
  post(message: ToWindow): void;
  onMessage(listener: (message: ToHost) => void): void;
}

export interface HostOptions {
  /** Folder of the trace files. */
  readonly traces: string;
  readonly demo: ServerOptions['demo'];
  readonly version: string;
  readonly settings: SettingsStore;
  readonly secrets: Secrets;
  readonly browse: ServerOptions['browse'];
  readonly judge: (trace: Trace) => Judge;
  readonly startProbe: StartProbe;
  /** Says why a place cannot be watched; undefined when it can. */
  readonly checkProbe: (spec: ProbeSpec) => Promise<string | undefined>;
  readonly limits?: ServerOptions['limits'];
  /** Where configurations of other clients are looked for; on this computer, as this person has it, when absent. */
  readonly configPlace?: ConfigPlace;
  /** See {@link Connections}. */
  readonly sessionsPerTrace?: number;
}

export interface Host {
  /** Answers this port from now on, and no other. @returns lets go of it: nothing more is sent there */
  attach(port: Port): () => void;
  /** Connects to the servers of the last time, or to the demo when there were none. */
  connectLast(): void;
  /** Shows a trace file, as `trace.open` does; what goes wrong is said by a notice. */
  open(path: string): void;
  /** Ends the servers and closes the trace file. */
  close(): Promise<void>;
  /** Resolves when everything recorded so far is in the kernel's hands. */
  flush(): Promise<void>;
}

/** What is answered elsewhere, or not yet. */
type Elsewhere = keyof ConfigHandlers | keyof LabHandlers;
type Handlers = ConfigHandlers &
  LabHandlers & {
    readonly [R in Exclude<Request, Elsewhere>]: (params: z.output<(typeof REQUESTS)[R]>) => Results[R] | Promise<Results[R]>;
  };

const RECENT = 20;
const HISTORY = 10;

export function createHost(options: HostOptions): Host {
  return new SessionHost(options);
}

class SessionHost implements Host {
  readonly #options: HostOptions;
  readonly #servers: Connections;
  readonly #views: Views;
  readonly #lab: Lab;
  readonly #checks: Checks;
  readonly #handlers: Handlers;
  #port: Port | undefined;
  #saved: Promise<void> = Promise.resolve();
  readonly #troubles: Events['notice'][] = [];

  constructor(options: HostOptions) {
    this.#options = options;
    const { judge, startProbe, demo, version, secrets, browse, limits, sessionsPerTrace } = options;
    this.#troubles = options.settings.notices.map((text) => ({ level: 'warn', text }));
    this.#views = new Views({
      judge,
      onView: (view) => this.#push('view', view),
      batch: (event) => this.#push('batch', event),
      verdicts: (event) => this.#push('verdicts', event),
      reading: (event) => this.#push('reading', event),
    });
    secrets.onTrouble((text) => this.#trouble({ level: 'warn', text }));
    this.#servers = new Connections({
      begin: () => this.#begin(),
      sessionsPerTrace,
      startProbe,
      demo,
      version,
      secrets,
      browse,
      settings: () => this.#settings,
      onServers: (servers) => {
        this.#lab.look();
        this.#push('servers', servers);
        this.#checks.look();
      },
      onNotice: (notice) => this.#push('notice', notice),
      ...(limits ? { limits } : {}),
    });
    this.#lab = new Lab({
      servers: this.#servers,
      demo,
      settings: () => this.#settings,
      environment: (scenario) => environmentFor(scenario, this.#settings, secrets),
      approve: (approval) => this.#approve(approval),
      onStatus: (status) => this.#push('lab', status),
    });
    this.#checks = new Checks({
      servers: this.#servers,
      settings: () => this.#settings,
      onStatus: (status) => this.#push('check', status),
    });
    this.#handlers = this.#handlersOf();
  }

  attach(port: Port): () => void {
    this.#views.hush();
    this.#port = port;
    port.onMessage((message) => {
      if (this.#port === port) void this.#answer(port, message);
    });
    return () => {
      if (this.#port !== port) return;
      this.#port = undefined;
      this.#views.hush();
    };
  }

  connectLast(): void {
    this.#connectLast().catch((error: unknown) => this.#trouble({ level: 'error', text: plain(error) }));
  }

  async #connectLast(): Promise<void> {
    const { lastServer = { kind: 'demo' }, lastServers = [lastServer] } = this.#settings;
    // One after the other: their order is the one in which they are listed.
    for (const spec of lastServers)
      await this.#connectAgain(spec).catch((error: unknown) =>
        this.#trouble({ level: 'error', text: `${titleOf(spec)}: ${plain(error)}` }),
      );
  }

  async #connectAgain(last: ServerSpec): Promise<void> {
    const spec = await completed(this.#options.secrets, last);
    const why = this.#whyAsk(spec);
    if (why === undefined) await this.#servers.connect(spec, undefined);
    else this.#trouble({ level: 'info', text: `${titleOf(spec)} was not started: ${why}` });
  }

  /** Why a server is not connected again without anybody having asked for it. */
  #whyAsk(spec: ServerSpec): string | undefined {
    const names = lacking(spec);
    if (names.length > 0) return `it needs values for ${names.join(', ')}, which are not kept. Connect it again to enter them.`;
    return this.#unapproved(spec) === undefined
      ? undefined
      : `its command came from ${spec.kind === 'stdio' ? spec.importedFrom : 'a file'}, and nobody has said yes to it yet. Connect it to see the whole command.`;
  }

  /** The command that has to be shown and agreed to before it may run; undefined when it may. */
  #unapproved(spec: ServerSpec): string | undefined {
    const approval = approvalOf(spec);
    return approval === undefined || this.#settings.approvedCommands.includes(approval) ? undefined : approval;
  }

  open(file: string): void {
    this.#views.open(file).catch((error: unknown) => this.#trouble({ level: 'error', text: plain(error) }));
  }

  async close(): Promise<void> {
    await this.#lab.end();
    await this.#checks.end();
    await this.#servers.end('quit');
    await this.#servers.recording?.close();
    await this.#saved;
  }

  async flush(): Promise<void> {
    await this.#servers.recording?.recorder.flush();
  }

  get #settings(): Settings {
    return this.#options.settings.current;
  }

  #push<E extends EventName>(event: E, payload: Events[E]): void {
    this.#port?.post({ event, payload } as ToWindow);
  }

  /** Says something to the window, or to the one that will come. */
  #trouble(notice: Events['notice']): void {
    if (this.#port) this.#push('notice', notice);
    else this.#troubles.push(notice);
  }

  async #answer(port: Port, { id, request, params }: ToHost): Promise<void> {
    try {
      const result = await this.#handle(request, params);
      port.post({ id, ok: true, result });
    } catch (error) {
      port.post({ id, ok: false, error: plain(error) });
    }
  }

  #handle(request: Request, params: unknown): unknown {
    const schema = Object.hasOwn(REQUESTS, request) ? REQUESTS[request] : undefined;
    if (!schema) throw new Error(`Expected a request that the host knows, got ${JSON.stringify(request)}.`);
    const read = schema.safeParse(params);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw new Error(
        `The request ${request} is not what it should be: ${issue?.message ?? 'invalid'} at ${issue?.path.join('.') || 'its parameters'}.`,
      );
    }
    if (!(request in this.#handlers)) throw new Error(`The request ${request} cannot be answered yet.`);
    return (this.#handlers[request as keyof Handlers] as (params: unknown) => unknown)(read.data);
  }

  #handlersOf(): Handlers {
    const { secrets, configPlace = thisPlace() } = this.#options;
    return {
      ...configHandlers({
        place: configPlace,
        settings: () => this.#settings,
        secrets,
        save: (spec) => this.#save(spec, undefined),
      }),
      ...labHandlers({
        lab: this.#lab,
        servers: this.#servers,
        settings: () => this.#settings,
        patch: (patch) => this.#patch(patch),
      }),
      hello: () => this.#hello(),
      'server.connect': (params) => this.#connect(params),
      'server.disconnect': async ({ connection }) => {
        await this.#servers.disconnect(connection);
        await this.#rememberLast();
        return {};
      },
      'server.save': async ({ spec, like }) => ({ id: await this.#save(spec, like) }),
      'server.forget': async ({ id }) => {
        await this.#patch(await forgotten(id, this.#settings, this.#options.secrets));
        return {};
      },
      'server.restart': async ({ connection }) => ({ session: await this.#servers.of(connection).restart() }),
      'server.authorize': async ({ connection }) => {
        await this.#servers.of(connection).authorize();
        return {};
      },
      'server.unauthorize': async ({ connection, forget }) => {
        await this.#servers.of(connection).unauthorize(forget);
        return {};
      },
      'server.roots': async ({ roots }) => {
        await this.#patch({ roots });
        await this.#servers.rootsChanged();
        return {};
      },
      'tool.call': async ({ connection, ...params }) => {
        const server = this.#servers.of(connection);
        const sent = await server.call(params);
        this.#remember(server.status.key, params.tool, params.arguments);
        return sent;
      },
      'call.arguments': async ({ call }) => {
        const { recording } = this.#servers;
        if (!recording) throw new Error('Nothing has been recorded yet, so there is no call.');
        return argumentsOf(recording, call);
      },
      'call.stop': async ({ call, how, reason }) => {
        const server = this.#servers.ofCall(call);
        return server
          ? server.stop(call, how, reason)
          : { call, outcome: 'nothing', says: 'The session of this call is over. Nothing was sent.' };
      },
      'call.stop-all': async ({ how, reason }) => ({ stopped: await this.#servers.stopAll(how, reason) }),
      'tasks.list': ({ connection }) => this.#servers.of(connection).tasks(),
      'tasks.cancel': ({ connection, task }) => this.#servers.of(connection).cancelTask(task),
      'probe.set': async ({ connection, probe }) => {
        const server = this.#servers.of(connection);
        const { key } = server.status;
        const kept = await keepProbe(this.#options.secrets, key, probe);
        const status = await server.setProbe(kept);
        await this.#keepProbes(key, (probes) => [...probes.filter(({ name }) => name !== kept.name), kept]);
        return status;
      },
      'probe.remove': async ({ connection, name }) => {
        const server = this.#servers.of(connection);
        await server.removeProbe(name);
        await forgetProbe(this.#options.secrets, server.status.key, name);
        await this.#keepProbes(server.status.key, (probes) => probes.filter((probe) => probe.name !== name));
        return {};
      },
      'probe.check': async ({ connection, probe }) => ({ why: await this.#whyNot(connection, probe) }),
      'probe.read': async ({ connection, call }) => ({ says: await this.#servers.of(connection).readProbes(call) }),
      'faults.set': ({ connection, rules }) => this.#servers.of(connection).setFaults(rules),
      'faults.list': ({ connection }) => this.#servers.of(connection).faults,
      'faults.release': ({ connection, items }) => ({ released: this.#servers.of(connection).releaseFaults(items) }),
      'tool.setup': async ({ connection, tool, setup }) => {
        const { tools } = this.#settings;
        const { key } = this.#servers.of(connection).status;
        await this.#patch({ tools: { ...tools, [key]: { ...tools[key], [tool]: setup } } });
        this.#servers.changed();
        return {};
      },
      'trace.list': () => listTraces(this.#options.traces, this.#servers.recording?.recorder.path),
      'trace.open': ({ path: file }) => this.#views.open(path.resolve(this.#options.traces, file)),
      'trace.live': () => this.#views.live(),
      'frame.bodies': async ({ view, seqs }) => ({ bodies: await this.#views.bodies(view, seqs) }),
      'frame.search': ({ view, text, from }) => this.#views.search(view, text, from),
      'settings.set': async ({ patch }) => {
        await this.#patch(patch);
        return this.#settings;
      },
      'check.start': (params) => {
        this.#lab.free();
        return this.#checks.start(params);
      },
      'sweep.run': (params) => {
        this.#checks.free();
        return this.#lab.sweep(params);
      },
      'check.stop': ({ run }) => {
        this.#checks.stop(run);
        return {};
      },
      'check.write': async ({ path: file, text }) => {
        await writeCard(file, text);
        return {};
      },
    };
  }

  #hello(): Results['hello'] {
    this.#views.hello();
    setImmediate(() => {
      for (const notice of this.#troubles.splice(0)) this.#push('notice', notice);
      if (this.#lab.status) this.#push('lab', this.#lab.status);
    });
    return {
      settings: this.#settings,
      view: this.#views.view,
      servers: this.#servers.statuses,
      version: this.#options.version,
      check: this.#checks.status,
    };
  }

  async #connect({ spec: given, instead, approved }: z.output<(typeof REQUESTS)['server.connect']>): Promise<Results['server.connect']> {
    const approval = this.#unapproved(given);
    if (approval !== undefined && !approved) return { approval };
    if (approval !== undefined) await this.#approve(approval);
    const spec = await completed(this.#options.secrets, given);
    const connected = await this.#servers.connect(spec, instead);
    const others = this.#settings.recentServers.filter((recent) => serverKey(recent) !== serverKey(spec));
    await this.#patch({ lastServer: spec, recentServers: [spec, ...others].slice(0, RECENT) });
    await this.#rememberLast();
    return connected;
  }

  async #approve(approval: string): Promise<void> {
    const { approvedCommands } = this.#settings;
    if (!approvedCommands.includes(approval)) await this.#patch({ approvedCommands: [...approvedCommands, approval] });
  }

  /** Once nothing is connected any more, what was connected last is the last. */
  async #rememberLast(): Promise<void> {
    const { specs } = this.#servers;
    if (specs.length > 0) await this.#patch({ lastServers: [...specs] });
  }

  async #save(given: ServerSpec, like: string | undefined): Promise<string> {
    if (given.kind === 'demo') throw new Error('The demo server is always there: it needs no saving.');
    const { secrets } = this.#options;
    const { spec, patch } = await saved(given, like, { settings: this.#settings, secrets });
    await this.#patch(patch);
    this.#servers.named(like === undefined && given.id === undefined ? serverKey(given) : spec.id, spec);
    return spec.id;
  }

  async #whyNot(connection: ConnectionNumber | undefined, probe: ProbeSpec): Promise<string | undefined> {
    const { secrets, checkProbe } = this.#options;
    if (connection === undefined) return checkProbe(probe);
    try {
      return await checkProbe(await wholeProbe(secrets, this.#servers.of(connection).status.key, probe));
    } catch (error) {
      return plain(error);
    }
  }

  async #patch(patch: SettingsPatch): Promise<void> {
    // Saves happen in the order in which they are asked for, so the newest is the last.
    this.#saved = this.#options.settings.patch(patch).then(
      () => undefined,
      (error: unknown) => this.#trouble({ level: 'warn', text: plain(error) }),
    );
    await this.#saved;
    this.#push('settings', this.#settings);
  }

  async #keepProbes(key: string, change: (probes: readonly ProbeSpec[]) => ProbeSpec[]): Promise<void> {
    const { probes } = this.#settings;
    await this.#patch({ probes: { ...probes, [key]: change(probes[key] ?? []) } });
  }

  /** Arguments used before: newest first, each once. */
  #remember(key: string, tool: string, args: Record<string, unknown>): void {
    const { history } = this.#settings;
    const text = JSON.stringify(args);
    const others = (history[key]?.[tool] ?? []).filter((other) => JSON.stringify(other) !== text);
    void this.#patch({ history: { ...history, [key]: { ...history[key], [tool]: [args, ...others].slice(0, HISTORY) } } });
  }

  #begin(): Recording {
    const { traces, version, judge } = this.#options;
    const recording = startRecording({
      folder: traces,
      clock: startClock(),
      by: `stopgap ${version}`,
      judge,
      onAdvance: (changed) => {
        this.#views.advanced(changed);
        this.#lab.look();
        this.#checks.look();
      },
      onDue: (probes) => this.#servers.readDue(probes),
    });
    recording.recorder.onTrouble(({ level, says }) => this.#trouble({ level, text: says }));
    this.#views.began(recording);
    return recording;
  }
}
