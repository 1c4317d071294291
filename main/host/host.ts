// The session host: everything that the window can ask for, over any port that carries messages. Plain Node; the same
// host runs in Electron's utility process, under the command line, and in tests.
import path from 'node:path';
import type { z } from 'zod';
import {
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
import type { SessionNumber } from '../../app/wire/frame';
import type { SettingsStore } from '../store/settings';
import { listTraces } from '../store/traces';
import { argumentsOf } from './call-arguments';
import { startClock } from './clock';
import { type Recording, startRecording } from './recording';
import { Server, type ServerOptions } from './server';
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
  readonly judge: (trace: Trace) => Judge;
  readonly startProbe: StartProbe;
  /** Says why a place cannot be watched; undefined when it can. */
  readonly checkProbe: (spec: ProbeSpec) => Promise<string | undefined>;
  readonly limits?: ServerOptions['limits'];
}

export interface Host {
  /** Answers this port from now on, and no other. @returns lets go of it: nothing more is sent there */
  attach(port: Port): () => void;
  /** Connects to the server of the last time, or to the demo when there was none. */
  connectLast(): void;
  /** Shows a trace file, as `trace.open` does; what goes wrong is said by a notice. */
  open(path: string): void;
  /** Ends the server and closes the trace file. */
  close(): Promise<void>;
  /** Resolves when everything recorded so far is in the kernel's hands. */
  flush(): Promise<void>;
}

type Handlers = { readonly [R in Request]: (params: z.output<(typeof REQUESTS)[R]>) => Results[R] | Promise<Results[R]> };

/** A session's number fits one byte of a trace's columns. */
const SESSIONS_PER_TRACE = 255;
const RECENT = 20;
const HISTORY = 10;

export function createHost(options: HostOptions): Host {
  return new SessionHost(options);
}

class SessionHost implements Host {
  readonly #options: HostOptions;
  readonly #server: Server;
  readonly #views: Views;
  readonly #handlers: Handlers = this.#handlersOf();
  #port: Port | undefined;
  #recording: Recording | undefined;
  #sessions = 0;
  #statusDue = false;
  #saved: Promise<void> = Promise.resolve();
  /** Values of environment variables are not remembered between starts; within one they are, by server. */
  readonly #environments = new Map<string, Readonly<Record<string, string>>>();
  readonly #troubles: Events['notice'][] = [];

  constructor(options: HostOptions) {
    this.#options = options;
    const { judge, startProbe, demo, version, limits } = options;
    this.#troubles = options.settings.notices.map((text) => ({ level: 'warn', text }));
    this.#views = new Views({
      judge,
      onView: (view) => this.#push('view', view),
      batch: (event) => this.#push('batch', event),
      verdicts: (event) => this.#push('verdicts', event),
      reading: (event) => this.#push('reading', event),
    });
    this.#server = new Server({
      nextSession: () => this.#nextSession(),
      startProbe,
      demo,
      version,
      settings: () => this.#settings,
      onChange: () => this.#statusChanged(),
      onNotice: (notice) => this.#push('notice', notice),
      ...(limits ? { limits } : {}),
    });
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
    const spec = this.#settings.lastServer ?? { kind: 'demo' };
    if (spec.kind === 'stdio' && Object.keys(spec.env).length > 0) {
      const names = Object.keys(spec.env).join(', ');
      this.#trouble({
        level: 'info',
        text: `${spec.title ?? spec.command} needs values for ${names}, which are not kept. Connect it again to enter them.`,
      });
      return;
    }
    this.#server.connect(spec).catch((error: unknown) => this.#trouble({ level: 'error', text: plain(error) }));
  }

  open(file: string): void {
    this.#views.open(file).catch((error: unknown) => this.#trouble({ level: 'error', text: plain(error) }));
  }

  async close(): Promise<void> {
    await this.#server.disconnect('quit');
    await this.#recording?.close();
    await this.#saved;
  }

  async flush(): Promise<void> {
    await this.#recording?.recorder.flush();
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

  /** A status is complete in itself: however much changes in one turn, one is sent. */
  #statusChanged(): void {
    if (this.#statusDue) return;
    this.#statusDue = true;
    queueMicrotask(() => {
      this.#statusDue = false;
      this.#push('status', this.#server.status);
    });
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
    return (this.#handlers[request] as (params: unknown) => unknown)(read.data);
  }

  #handlersOf(): Handlers {
    return {
      hello: () => this.#hello(),
      'server.connect': async ({ spec }) => ({ session: await this.#connect(spec) }),
      'server.disconnect': async () => {
        await this.#server.disconnect('disconnect');
        return {};
      },
      'server.restart': async () => ({ session: await this.#server.restart() }),
      'server.roots': async ({ roots }) => {
        await this.#patch({ roots });
        await this.#server.rootsChanged();
        return {};
      },
      'tool.call': async (params) => {
        const sent = await this.#server.call(params);
        this.#remember(params.tool, params.arguments);
        return sent;
      },
      'call.arguments': async ({ call }) => {
        if (!this.#recording) throw new Error('Nothing has been recorded yet, so there is no call.');
        return argumentsOf(this.#recording, call);
      },
      'call.stop': ({ call, how, reason }) => this.#server.stop(call, how, reason),
      'call.stop-all': async ({ how, reason }) => ({ stopped: await this.#server.stopAll(how, reason) }),
      'probe.set': async ({ probe }) => {
        const status = await this.#server.setProbe(probe);
        await this.#keepProbes((probes) => [...probes.filter(({ name }) => name !== probe.name), probe]);
        return status;
      },
      'probe.remove': async ({ name }) => {
        await this.#server.removeProbe(name);
        await this.#keepProbes((probes) => probes.filter((probe) => probe.name !== name));
        return {};
      },
      'probe.check': async ({ probe }) => ({ why: await this.#options.checkProbe(probe) }),
      'probe.read': async ({ call }) => ({ says: await this.#server.readProbes(call) }),
      'tool.setup': async ({ tool, setup }) => {
        const { tools } = this.#settings;
        const { key } = this.#server.status;
        await this.#patch({ tools: { ...tools, [key]: { ...tools[key], [tool]: setup } } });
        this.#statusChanged();
        return {};
      },
      'trace.list': () => listTraces(this.#options.traces, this.#recording?.recorder.path),
      'trace.open': ({ path: file }) => this.#views.open(path.resolve(this.#options.traces, file)),
      'trace.live': () => this.#views.live(),
      'frame.bodies': async ({ view, seqs }) => ({ bodies: await this.#views.bodies(view, seqs) }),
      'settings.set': async ({ patch }) => {
        await this.#patch(patch);
        return this.#settings;
      },
    };
  }

  #hello(): Results['hello'] {
    this.#views.hello();
    setImmediate(() => {
      for (const notice of this.#troubles.splice(0)) this.#push('notice', notice);
    });
    return { settings: this.#settings, view: this.#views.view, status: this.#server.status, version: this.#options.version };
  }

  async #connect(given: ServerSpec): Promise<SessionNumber> {
    const spec = this.#complete(given);
    const session = await this.#server.connect(spec);
    const others = this.#settings.recentServers.filter((recent) => serverKey(recent) !== serverKey(spec));
    await this.#patch({ lastServer: spec, recentServers: [spec, ...others].slice(0, RECENT) });
    return session;
  }

  /** The window is never told a value of the environment: what it sends back empty is what it was before. */
  #complete(spec: ServerSpec): ServerSpec {
    if (spec.kind !== 'stdio') return spec;
    const known = this.#environments.get(serverKey(spec)) ?? {};
    const env = Object.fromEntries(Object.entries(spec.env).map(([name, value]) => [name, value || (known[name] ?? '')]));
    this.#environments.set(serverKey(spec), env);
    return { ...spec, env };
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

  async #keepProbes(change: (probes: readonly ProbeSpec[]) => ProbeSpec[]): Promise<void> {
    const { probes } = this.#settings;
    const { key } = this.#server.status;
    await this.#patch({ probes: { ...probes, [key]: change(probes[key] ?? []) } });
  }

  /** Arguments used before: newest first, each once. */
  #remember(tool: string, args: Record<string, unknown>): void {
    const { history } = this.#settings;
    const { key } = this.#server.status;
    const text = JSON.stringify(args);
    const others = (history[key]?.[tool] ?? []).filter((other) => JSON.stringify(other) !== text);
    void this.#patch({ history: { ...history, [key]: { ...history[key], [tool]: [args, ...others].slice(0, HISTORY) } } });
  }

  /** The recording begins with the first session, so that a start without one leaves no empty file. */
  #nextSession(): { readonly recording: Recording; readonly number: SessionNumber } {
    if (!this.#recording || this.#sessions === SESSIONS_PER_TRACE) {
      void this.#recording?.close();
      this.#recording = this.#begin();
      this.#sessions = 0;
    }
    return { recording: this.#recording, number: ++this.#sessions };
  }

  #begin(): Recording {
    const { traces, version, judge } = this.#options;
    const recording = startRecording({
      folder: traces,
      clock: startClock(),
      by: `stopgap ${version}`,
      judge,
      onAdvance: (changed) => this.#views.advanced(changed),
      onDue: (probes) => this.#server.readDue(probes),
    });
    recording.recorder.onTrouble(({ level, says }) => this.#trouble({ level, text: says }));
    this.#views.began(recording);
    return recording;
  }
}
