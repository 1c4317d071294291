// Builds traces for tests as they would have been recorded: real JSON-RPC text, real frames, times in milliseconds.
import { asNs, fromMs, type Ns, ZERO } from '../base/time';
import type { Act, Body, Dir, Effect, Fault, Frame, Life, Means, ReleasedBy, RequestId } from '../wire/frame';
import { factsOfFrame, Trace } from './trace';

export interface CallOptions {
  readonly probes?: readonly string[];
  readonly settle?: number;
  readonly normally?: number;
  readonly fence?: boolean;
  readonly retryOf?: RequestId;
}

export interface Tool {
  readonly name: string;
  readonly annotations?: Readonly<Record<string, boolean>>;
}

export class Build {
  readonly frames: Frame[] = [];
  #t: Ns = ZERO;
  #session = 1;
  #pings = 0;

  /** Ms since the trace began. */
  get now(): number {
    return this.#t / 1e6;
  }

  /** Moves the clock to `ms` since the trace began. */
  at(ms: number): this {
    this.#t = fromMs(ms);
    return this;
  }

  session(number: number): this {
    this.#session = number;
    return this;
  }

  frame(dir: Dir, body: Body): this {
    const wall = new Date(1.7e12 + this.#t / 1e6).toISOString();
    this.frames.push({ seq: this.frames.length, t: this.#t, wall, session: this.#session, dir, ...body });
    return this;
  }

  c2s = (message: object): this => this.frame('c2s', { kind: 'message', raw: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  s2c = (message: object): this => this.frame('s2c', { kind: 'message', raw: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  act = (act: Act): this => this.frame('-', { kind: 'act', act });
  life = (life: Life): this => this.frame('-', { kind: 'life', life });
  effect = (effect: Effect): this => this.frame('-', { kind: 'effect', effect });

  /** A session as it usually begins: started, initialized, tools listed, one idle ping of `idle` ms. */
  opened(tools: readonly Tool[] = [], idle = 1, protocol = '2025-11-25'): this {
    const start = this.now;
    this.life({ event: 'started', pid: 4711, command: 'server', args: [] });
    this.c2s({ id: 0, method: 'initialize', params: {} });
    this.at(start + 1).s2c({ id: 0, result: { protocolVersion: protocol } });
    this.life({ event: 'opened', transport: 'stdio', protocol, server: { name: 'test', version: '1' } });
    this.c2s({ id: 'list', method: 'tools/list' });
    this.at(start + 2).s2c({ id: 'list', result: { tools: tools.map((tool) => ({ inputSchema: {}, ...tool })) } });
    const ping = `idle-${++this.#pings}`;
    this.act({ act: 'idle', ping }).c2s({ id: ping, method: 'ping' });
    return this.at(start + 2 + idle).s2c({ id: ping, result: {} });
  }

  call(id: RequestId, tool: string, { probes = [], settle = 3000, normally, fence = true, retryOf }: CallOptions = {}): this {
    this.act({
      act: 'call',
      id,
      tool,
      probes: [...probes],
      settle: fromMs(settle),
      normally: normally === undefined ? undefined : fromMs(normally),
      fence,
      retryOf,
    });
    return this.c2s({ id, method: 'tools/call', params: { name: tool, arguments: {}, _meta: { progressToken: id } } });
  }

  /** The server wants to know something before it goes on with a request. @param method undefined: only to be asked again */
  asks = (id: RequestId, method?: string): this =>
    this.s2c({
      id,
      result: { resultType: 'input_required', ...(method === undefined ? { requestState: 'x' } : { inputRequests: { it: { method } } }) },
    });

  /** The next round of a call, with what the answer to `of` had asked for. @param token that of the first round */
  round(id: RequestId, of: RequestId, tool: string, token: RequestId = of): this {
    this.act({ act: 'round', id, of });
    const _meta = { progressToken: token };
    return this.c2s({ id, method: 'tools/call', params: { name: tool, arguments: {}, inputResponses: {}, _meta } });
  }

  /** Stop as the inspector does it: the act, the cancel, and (unless `fence` is false) the ping in the same write. */
  stop(id: RequestId, { reason = 'user pressed stop', fence = true }: { reason?: string; fence?: boolean } = {}): this {
    this.act({ act: 'stop', id, how: { means: 'cancel' }, reason, wrote: true, late: false });
    this.cancelled(id, reason);
    if (!fence) return this;
    this.act({ act: 'fence', id, ping: `fence-${String(id)}` });
    return this.c2s({ id: `fence-${String(id)}`, method: 'ping' });
  }

  stopAct = (id: RequestId, how: Means, wrote: boolean, late = false): this => this.act({ act: 'stop', id, how, wrote, late });
  cancelled = (id: RequestId, reason = 'user pressed stop'): this =>
    this.c2s({ method: 'notifications/cancelled', params: { requestId: id, reason } });
  pong = (id: RequestId): this => this.s2c({ id: `fence-${String(id)}`, result: {} });
  result = (id: RequestId, text = 'done', isError = false): this =>
    this.s2c({ id, result: { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) } });
  error = (id: RequestId, code: number, message: string): this => this.s2c({ id, error: { code, message } });
  progress = (id: RequestId, progress = 1, total = 10): this =>
    this.s2c({ method: 'notifications/progress', params: { progressToken: id, progress, total } });
  log = (data = 'working'): this => this.s2c({ method: 'notifications/message', params: { level: 'info', data } });

  faults = (...rules: string[]): this => this.act({ act: 'faults', rules });
  /** A fault names a message: of a reply of `id` (from the server), of a cancel or of a request (to it). */
  fault(fault: Fault, what: 'request' | 'reply' | 'cancel', id: RequestId, item = 1, rule = `${fault} it`): this {
    const body = { act: 'fault', fault, rule, item, what, method: 'tools/call', id, tool: 'charge' } as const;
    return this.frame(what === 'reply' ? 's2c' : 'c2s', { kind: 'act', act: body });
  }
  released = (what: 'request' | 'reply' | 'cancel', id: RequestId, item = 1, by: ReleasedBy = 'frame'): this =>
    this.frame(what === 'reply' ? 's2c' : 'c2s', { kind: 'act', act: { act: 'released', item, by, id } });

  watching = (probe: string, shared = false, place = `/state/${probe}`): this =>
    this.effect({ effect: 'watching', probe, kind: 'folder', place, shared });
  seen(probe: string, lo: number, hi: number, extra: { undecided?: boolean; done?: boolean; says?: string } = {}): this {
    const { says = '1 line appended', ...flags } = extra;
    return this.at(hi).effect({ effect: 'seen', probe, lo: fromMs(lo), hi: fromMs(hi), says, subject: `${probe}.jsonl`, ...flags });
  }
  /** Takes back the first thing that the probe saw. */
  reverted(probe: string, lo: number, hi: number): this {
    const first = this.frames.find((f) => f.kind === 'effect' && f.effect.effect === 'seen' && f.effect.probe === probe);
    const of = first ? [first.seq] : [];
    return this.at(hi).effect({ effect: 'reverted', probe, lo: fromMs(lo), hi: fromMs(hi), says: 'taken back', of });
  }
  clear = (probe: string, since: number, lo: number): this =>
    this.at(lo + 1).effect({ effect: 'clear', probe, since: fromMs(since), lo: fromMs(lo), hi: fromMs(lo + 1) });
  gap = (probe: string, lo: number, hi: number): this =>
    this.at(hi).effect({ effect: 'gap', probe, lo: fromMs(lo), hi: fromMs(hi), why: 'the folder could not be read' });
  ended = (probe: string): this => this.effect({ effect: 'ended', probe });

  /** `seq` of the last frame. */
  get last(): number {
    return this.frames.length - 1;
  }

  trace(): Trace {
    return traceOf(this.frames);
  }
}

export function traceOf(frames: readonly Frame[]): Trace {
  const trace = new Trace();
  for (const frame of frames) append(trace, frame);
  return trace;
}

export const append = (trace: Trace, frame: Frame): void => {
  trace.push(factsOfFrame(frame, frame.kind === 'message' ? frame.raw.length : 0));
};

/** The end of a trace in ms, with room for every settle window. */
export const after = (frames: readonly Frame[], ms: number): Ns => asNs(Math.max(...frames.map((f) => f.t)) + ms * 1e6);
