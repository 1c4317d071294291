// A host as the window has it, over a port in the same process, with a window's own copy of the trace: what a test looks
// at has come the whole way from the server's pipe through the batches.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ConnectionNumber, NO_SERVER, type Results, type ServerStatus, type View } from '../../app/contract/host';
import type { ServerSpec } from '../../app/contract/server';
import { placeOf, type StartProbe } from '../../app/evidence/probe';
import { type Call, type Calls, calls } from '../../app/trace/calls';
import { Trace } from '../../app/trace/trace';
import { judge } from '../../app/verdict/judge';
import type { Finding, Verdict } from '../../app/verdict/verdict';
import { connectClient, type HostClient } from '../../main/host/client';
import { createHost, type Host, type HostOptions } from '../../main/host/host';
import { checkProbe } from '../../main/probes';
import { memorySecrets, type Secrets } from '../../main/store/secrets';
import { loadSettings } from '../../main/store/settings';
import { buildEntry } from '../build.testing';
import type { StartCommand } from '../real/servers';

/** How long to wait for something that must come: far longer than it takes. */
const PATIENCE_MS = 60_000;

export interface TestHost extends HostClient {
  readonly host: Host;
  readonly folder: string;
  /** The window's copy. */
  readonly trace: Trace;
  readonly calls: Calls;
  readonly view: View;
  /** Every connection. */
  readonly servers: readonly ServerStatus[];
  /** The newest connection, and the picture of it. */
  readonly connection: ConnectionNumber;
  readonly status: ServerStatus;
  readonly verdicts: ReadonlyMap<number, Verdict>;
  readonly findings: readonly Finding[];
  readonly notices: readonly string[];
  /** Begins anew as a page that is loaded again does. */
  fresh(): Promise<Results['hello']>;
  /** Resolves when the reading holds; looked at whenever something came from the host. */
  until<T>(what: string, reading: () => T): Promise<T>;
  connect(
    command: StartCommand,
    more?: { readonly cwd?: string; readonly env?: Record<string, string>; readonly watch?: string[] },
  ): Promise<void>;
  /** Connects to any server, in the place of the newest connection. */
  connectTo(spec: ServerSpec): Promise<void>;
  /** Calls a tool. @returns the call's index */
  call(tool: string, args?: Record<string, unknown>, more?: CallMore): Promise<number>;
  cancel(call: number, reason?: string): Promise<string>;
  callOf(index: number): Call;
  /** The raw text of a frame. */
  raw(seq: number): Promise<string>;
  /** The raw texts of all frames that satisfy a test. */
  raws(test: (seq: number) => boolean): Promise<readonly string[]>;
  end(): Promise<void>;
}

interface CallMore {
  readonly probes?: string[];
  readonly settleMs?: number;
  readonly normallyMs?: number;
  readonly stopAfterMs?: number;
  readonly fence?: boolean;
  readonly task?: boolean | { readonly ttlMs?: number };
}

/** What only some tests want otherwise. */
interface HostMore {
  /** That of a host that has ended: what it remembers is found again. It is removed at the end, as a fresh one is. */
  readonly folder?: string;
  readonly sessionsPerTrace?: number;
  /** A home with configurations of other clients in it. */
  readonly configPlace?: HostOptions['configPlace'];
  readonly secrets?: Secrets;
  readonly browse?: HostOptions['browse'];
}

export async function testHost(startProbe: StartProbe, limits?: HostOptions['limits'], more: HostMore = {}): Promise<TestHost> {
  const { folder = await mkdtemp(path.join(tmpdir(), 'stopgap-host-')), sessionsPerTrace, configPlace } = more;
  const host = createHost({
    traces: path.join(folder, 'traces'),
    demo: { script: await buildEntry('main/demo/server.ts'), state: path.join(folder, 'demo-state') },
    version: '0.0.0-test',
    settings: await loadSettings(path.join(folder, 'settings.json')),
    secrets: more.secrets ?? memorySecrets(),
    browse: more.browse ?? (async () => undefined),
    judge,
    startProbe,
    checkProbe,
    ...(limits ? { limits } : {}),
    ...(sessionsPerTrace === undefined ? {} : { sessionsPerTrace }),
    ...(configPlace ? { configPlace } : {}),
  });
  const client = connectClient(host);
  const watchers = new Set<() => void>();
  const look = (): void => {
    for (const watcher of watchers) watcher();
  };

  let trace = new Trace();
  let fold = calls(trace);
  const verdicts = new Map<number, Verdict>();
  let findings: readonly Finding[] = [];
  const notices: string[] = [];
  const reload = (): void => {
    trace = new Trace();
    fold = calls(trace);
    verdicts.clear();
    findings = [];
  };
  client.on('view', (next) => {
    view = next;
    reload();
    look();
  });
  client.on('batch', ({ view: of, batch }) => {
    if (of !== view.id) throw new Error(`a batch of view ${of} while ${view.id} is shown`);
    trace.append(batch);
    fold.take();
    look();
  });
  client.on('verdicts', (event) => {
    for (const verdict of event.verdicts) verdicts.set(verdict.call, verdict);
    findings = event.findings ?? findings;
    look();
  });
  let gone: ServerStatus = NO_SERVER;
  client.on('servers', (next) => {
    // What was connected last ended in its picture, for a test that looks at how it ended.
    gone = servers.at(-1) ?? gone;
    servers = next;
    look();
  });
  client.on('notice', ({ text }) => {
    notices.push(text);
    look();
  });
  const hello = await client.request('hello', {});
  let { view, servers } = hello;
  const newest = (): ServerStatus => servers.at(-1) ?? gone;

  const until: TestHost['until'] = (what, reading) =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        watchers.delete(check);
        reject(new Error(`Waited ${PATIENCE_MS} ms for ${what}. State: ${newest().state} ${newest().why ?? ''}`));
      }, PATIENCE_MS);
      const check = (): void => {
        const value = reading();
        if (!value) return;
        clearTimeout(late);
        watchers.delete(check);
        resolve(value);
      };
      watchers.add(check);
      check();
    });
  const connectTo = async (spec: ServerSpec): Promise<void> => {
    const instead = servers.at(-1)?.connection;
    const connected = await client.request('server.connect', { spec, ...(instead === undefined ? {} : { instead }) });
    if ('approval' in connected) throw new Error(`asks whether this may run: ${connected.approval}`);
    const { session } = connected;
    await until('the connection', () => newest().session === session && newest().state !== 'starting' && newest().state !== 'none');
  };
  const bodies = async (seqs: readonly number[]): Promise<readonly string[]> => {
    const answer = await client.request('frame.bodies', { view: view.id, seqs: [...seqs] });
    return answer.bodies.map(({ raw }) => (raw === undefined ? '' : 'text' in raw ? raw.text : `base64:${raw.base64}`));
  };

  return {
    ...client,
    host,
    folder,
    get trace() {
      return trace;
    },
    get calls() {
      return fold;
    },
    get view() {
      return view;
    },
    get servers() {
      return servers;
    },
    get connection() {
      return newest().connection;
    },
    get status() {
      return newest();
    },
    verdicts,
    get findings() {
      return findings;
    },
    notices,
    fresh: () => {
      reload();
      return client.request('hello', {});
    },
    until,
    connect: ({ command, args }, { cwd, env = {}, watch = [] } = {}) =>
      connectTo({ kind: 'stdio', command, args: [...args], env, watch, ...(cwd === undefined ? {} : { cwd }) }),
    connectTo,
    async call(tool, args = {}, { probes = [], ...more } = {}) {
      const { call } = await client.request('tool.call', { connection: newest().connection, tool, arguments: args, probes, ...more });
      await until('the call', () => fold.all.length > call);
      return call;
    },
    cancel: async (call, reason) => {
      const stopped = await client.request('call.stop', { call, how: { means: 'cancel' }, ...(reason === undefined ? {} : { reason }) });
      return stopped.outcome;
    },
    callOf(index) {
      const call = fold.all[index];
      if (!call) throw new Error(`there is no call ${index}`);
      return call;
    },
    raw: async (seq) => (await bodies([seq]))[0] ?? '',
    raws: (test) =>
      bodies(
        Array.from({ length: trace.length }, (_, seq) => seq)
          .filter(test)
          .slice(0, 500),
      ),
    async end() {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A probe that watches nothing: for tests that are about something else. */
export const blindProbe: StartProbe = async (spec, { emit }) => {
  emit({ effect: 'watching', probe: spec.name, kind: spec.kind, place: placeOf(spec), shared: spec.shared });
  return {
    spec,
    read: async () => undefined,
    stop: async () => {
      emit({ effect: 'ended', probe: spec.name });
    },
  };
};
