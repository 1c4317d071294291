// A host for the window's tests: it speaks the contract over a real message channel, records a trace of its own, and
// sends what a test tells it to. No server, no process, no clock of its own.

import { asNs, fromMs, type Ns } from '../app/base/time';
import {
  type Events,
  NO_SERVER,
  type Params,
  type ProbeStatus,
  type Request,
  type Results,
  type ServerStatus,
  type Settings,
  settings,
  type ToHost,
  type Tool,
  type ToWindow,
  type View,
} from '../app/contract/host';
import type { ProbeSpec } from '../app/evidence/probe';
import { hasWords, textsOfFrame, wordsOf } from '../app/report/find';
import { factsOfFrame, Trace } from '../app/trace/trace';
import type { Finding, Verdict } from '../app/verdict/verdict';
import type { Act, Body, Dir, Effect, Frame, Life, RequestId } from '../app/wire/frame';

export const FAKE_TOOLS: readonly Tool[] = [
  {
    name: 'search_orders',
    title: 'Search orders',
    description: 'Looks orders up.',
    readOnly: true,
    taskSupport: 'forbidden',
    inputSchema: { type: 'object', properties: { text: { type: 'string', title: 'Text' } } },
  },
  {
    name: 'charge_card',
    title: 'Charge a card',
    description: 'Appends a line to the ledger.',
    readOnly: false,
    destructive: true,
    taskSupport: 'forbidden',
    inputSchema: {
      type: 'object',
      properties: {
        amount: { type: 'integer', title: 'Amount in cents', minimum: 1, default: 4200 },
        note: { type: 'string', title: 'Note' },
      },
      required: ['amount'],
      additionalProperties: false,
    },
  },
  { name: 'deploy', title: undefined, description: undefined, taskSupport: 'forbidden', inputSchema: { type: 'object' } },
];

const LEDGER: ProbeStatus = {
  spec: { kind: 'folder', name: 'ledger', path: '/state', match: 'ledger.jsonl', shared: false },
  state: 'watching',
  why: undefined,
  builtIn: true,
};

export const FAKE_STATUS: ServerStatus = {
  ...NO_SERVER,
  connection: 1,
  state: 'connected',
  session: 1,
  sessions: [1],
  spec: { kind: 'demo' },
  key: 'demo',
  title: 'Demo server',
  command: 'demo',
  transport: 'stdio',
  pid: 4711,
  protocol: '2025-11-25',
  server: { name: 'demo', version: '1' },
  tools: FAKE_TOOLS,
  probes: [LEDGER],
  setups: { charge_card: { probes: ['ledger'], normallyMs: 400 } },
};

/** What a call repeats, or takes back. */
export interface About {
  readonly retryOf?: RequestId;
  readonly undoOf?: RequestId;
}

type Answer<R extends Request> = (params: Params<R>) => Results[R];

/** A verdict with nothing remarkable in it; a test says what differs. */
export function fakeVerdict(call: number, change: Partial<Verdict> = {}): Verdict {
  return {
    call,
    verdict: 'completed',
    severity: 'ok',
    certainty: 'proved',
    sentence: 'It was answered.',
    because: [],
    also: [],
    faults: [],
    stop: { state: 'none', certainty: 'proved', because: [], flags: [], how: undefined, reason: undefined, at: undefined },
    reply: { state: 'in-time', certainty: 'proved', because: [], at: undefined, lateBy: undefined, code: undefined, duplicate: false },
    effect: {
      state: 'not-seen',
      certainty: 'inferred',
      because: [],
      observations: [],
      worst: undefined,
      readFirst: 'unknown',
      probes: ['ledger'],
    },
    fence: { state: 'off', at: undefined, seq: undefined, idle: undefined, tie: fromMs(10), blocked: false, taken: undefined },
    settled: true,
    afterStop: { progress: 0, logs: 0, requests: 0, work: 0 },
    held: [],
    callerSaw: 'The result, as it came.',
    ifRetried: undefined,
    normally: undefined,
    history: [],
    ...change,
  };
}

export class FakeHost {
  readonly trace = new Trace();
  readonly asked: { readonly request: Request; readonly params: unknown }[] = [];
  readonly raws: string[] = [];
  /** Tool calls in order, by the index that they have where nothing else was requested. */
  readonly calls: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>>; readonly probes: readonly string[] }[] =
    [];
  status: ServerStatus = FAKE_STATUS;
  /** Servers that are connected beside it. */
  others: readonly ServerStatus[] = [];
  settings: Settings = settings.parse({ welcomeDismissed: true });
  view: View = { id: 1, source: 'live', path: '/traces/one.stopgap.ndjson', began: '2026-01-01T00:00:00.000Z', repaired: undefined };
  now: Ns = asNs(0);
  /** What a test wants answered differently. */
  readonly answers: { [R in Request]?: Answer<R> } = {};
  readonly #channel = new MessageChannel();
  #sent = 0;
  #names = 0;

  constructor() {
    this.#channel.port2.onmessage = ({ data }: MessageEvent<ToHost>) => this.#answer(data);
  }

  /** The window's end. */
  get port(): MessagePort {
    return this.#channel.port1;
  }

  close(): void {
    this.#channel.port1.close();
    this.#channel.port2.close();
  }

  push<E extends keyof Events>(event: E, payload: Events[E]): void {
    this.#channel.port2.postMessage({ event, payload } as ToWindow);
  }

  /** Records a frame at so many milliseconds. @returns its seq */
  frame(ms: number, dir: Dir, body: Body): number {
    const frame: Frame = { seq: this.trace.length, t: fromMs(ms), wall: '2026-01-01T00:00:00.000Z', session: 1, dir, ...body } as Frame;
    const raw = body.kind === 'message' ? body.raw : JSON.stringify(body);
    this.raws.push(raw);
    this.now = asNs(Math.max(this.now, fromMs(ms)));
    return this.trace.push(factsOfFrame(frame, raw.length));
  }

  message = (ms: number, dir: Dir, message: object): number =>
    this.frame(ms, dir, { kind: 'message', raw: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  act = (ms: number, act: Act): number => this.frame(ms, '-', { kind: 'act', act });
  life = (ms: number, life: Life): number => this.frame(ms, '-', { kind: 'life', life });
  effect = (ms: number, effect: Effect): number => this.frame(ms, '-', { kind: 'effect', effect });

  /** A tool call as the host sends it. */
  call(ms: number, id: number, tool: string, args: object = {}, probes: readonly string[] = [], about: About = {}): void {
    this.calls.push({ tool, arguments: { ...args }, probes });
    this.act(ms, { act: 'call', id, tool, probes: [...probes], settle: fromMs(3000), fence: true, ...about });
    this.message(ms, 'c2s', { id, method: 'tools/call', params: { name: tool, arguments: args } });
  }

  reply = (ms: number, id: number, text = 'done'): number => this.message(ms, 's2c', { id, result: { content: [{ type: 'text', text }] } });

  cancel(ms: number, id: number, reason = 'user pressed stop'): void {
    this.act(ms, { act: 'stop', id, how: { means: 'cancel' }, reason, wrote: true, late: false });
    this.message(ms, 'c2s', { method: 'notifications/cancelled', params: { requestId: id, reason } });
  }

  /** Sends what has been recorded since the last time. */
  flush(): void {
    const batch = this.trace.batch(this.#sent, this.trace.length, this.#names);
    this.#sent = this.trace.length;
    this.#names = this.trace.names.length;
    this.push('batch', { view: this.view.id, batch, now: this.now });
  }

  /** Loses a batch, as a broken port would. */
  lose(): void {
    this.#sent = this.trace.length;
    this.#names = this.trace.names.length;
  }

  judged(verdicts: readonly Verdict[], findings?: readonly Finding[]): void {
    this.push('verdicts', { view: this.view.id, verdicts, findings });
  }

  #answer({ id, request, params }: ToHost): void {
    this.asked.push({ request, params });
    try {
      this.#channel.port2.postMessage({ id, ok: true, result: this.#result(request, params) } satisfies ToWindow);
    } catch (error) {
      this.#channel.port2.postMessage({ id, ok: false, error: error instanceof Error ? error.message : String(error) } satisfies ToWindow);
    }
    if (request === 'hello') {
      this.#sent = 0;
      this.#names = 0;
      if (this.trace.length > 0) this.flush();
    }
  }

  #result(request: Request, params: unknown): unknown {
    const answer = this.answers[request] as ((params: unknown) => unknown) | undefined;
    if (answer) return answer(params);
    switch (request) {
      case 'hello':
        return {
          settings: this.settings,
          view: this.view,
          servers: [this.status, ...this.others],
          version: '0.0.0',
          check: undefined,
        } satisfies Results['hello'];
      case 'frame.bodies': {
        const { seqs } = params as Params<'frame.bodies'>;
        return { bodies: seqs.map((seq) => ({ seq, wall: '', raw: { text: this.raws[seq] ?? '' } })) } satisfies Results['frame.bodies'];
      }
      case 'frame.search': {
        const { text, from = 0 } = params as Params<'frame.search'>;
        const next = this.raws.length;
        const seqs = Array.from({ length: next - from }, (_, index) => from + index);
        const has = (seq: number): boolean =>
          hasWords(wordsOf(text), [this.raws[seq], ...textsOfFrame(this.trace, seq, undefined, undefined)]);
        return { seqs: seqs.filter(has), next } satisfies Results['frame.search'];
      }
      case 'server.connect':
        return { connection: this.status.connection, session: this.status.session } satisfies Results['server.connect'];
      case 'tool.call':
        return { seq: 0, call: 0 };
      case 'call.stop':
        return { call: (params as Params<'call.stop'>).call, outcome: 'sent', says: 'A cancel was sent.' };
      case 'call.arguments': {
        const call = this.calls[(params as Params<'call.arguments'>).call];
        if (!call) throw new Error('There is no such call.');
        return { settleMs: 3000, normallyMs: undefined, fence: true, task: undefined, ...call } satisfies Results['call.arguments'];
      }
      case 'probe.check':
        return { why: undefined } satisfies Results['probe.check'];
      case 'probe.set':
        return { spec: (params as { probe: ProbeSpec }).probe, state: 'watching', why: undefined, builtIn: false } satisfies ProbeStatus;
      case 'probe.read':
        return { says: 'ledger: nothing new since the baseline' } satisfies Results['probe.read'];
      case 'call.stop-all':
        return { stopped: [] };
      case 'trace.list':
        return { folder: '/traces', bytes: 0, files: [] };
      default:
        return {};
    }
  }
}

/** Resolves when a condition holds; rejects when it has not for a long time. */
export async function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`waited for ${what} in vain`);
}
