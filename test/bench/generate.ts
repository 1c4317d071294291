// Traces as long as wanted, for benches: many calls side by side, most of them finished, some stopped, some of those with
// an answer or an effect that came too late. The same numbers make the same trace. Written as a recording writes it.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { asNs, fromMs, type Ns } from '../../app/base/time';
import type { Body, Dir, Frame } from '../../app/wire/frame';
import { encodeFrame, encodeHeader } from '../../app/wire/tracefile';

export interface Wanted {
  readonly frames: number;
  readonly calls: number;
  /** Calls in flight at once. */
  readonly lanes: number;
  /** Frames a second, on the trace's own clock. */
  readonly rate: number;
}

/** A million frames in ten thousand calls on forty lanes, at five thousand frames a second; smaller ones in proportion. */
export const wanted = (frames: number): Wanted => ({ frames, calls: Math.max(1, Math.round(frames / 100)), lanes: 40, rate: 5000 });

const TOOLS = ['search_orders', 'charge_card', 'send_email', 'crawl_site', 'create_ticket', 'book_seat', 'deploy', 'export_report'];
/** What becomes of a call, by its number in every fifty. */
type Fate = 'finished' | 'quiet' | 'late' | 'written';
const fateOf = (call: number): Fate => {
  const n = (call * 17) % 50;
  return n === 0 ? 'written' : n < 3 ? 'late' : n < 6 ? 'quiet' : 'finished';
};
const BEGAN = 1.7e12;

/** The frames of a trace, in order. */
export function* generate({ frames, calls, lanes, rate }: Wanted): Generator<Frame> {
  const step = 1e9 / rate;
  let seq = 0;
  const next = (dir: Dir, body: Body): Frame => {
    // Not evenly: a busy wire delivers in bunches.
    const t: Ns = asNs(Math.round(seq * step + (((seq * 2654435761) % 1000) / 1000) * step * 0.9));
    return { seq: seq++, t, wall: new Date(BEGAN + t / 1e6).toISOString(), session: 1, dir, ...body };
  };
  const message = (dir: Dir, value: object): Frame => next(dir, { kind: 'message', raw: JSON.stringify({ jsonrpc: '2.0', ...value }) });
  yield next('-', { kind: 'life', life: { event: 'started', pid: 4711, command: 'server', args: [] } });
  yield message('c2s', { id: 0, method: 'initialize', params: {} });
  yield message('s2c', { id: 0, result: { protocolVersion: '2025-11-25' } });
  yield next('-', {
    kind: 'life',
    life: { event: 'opened', transport: 'stdio', protocol: '2025-11-25', server: { name: 'bench', version: '1' } },
  });
  yield next('-', { kind: 'effect', effect: { effect: 'watching', probe: 'ledger', kind: 'folder', place: '/ledger', shared: false } });
  const open: Generator<Frame>[] = [];
  let begun = 0;
  const progress = Math.floor(frames / calls) - 4;
  while (seq < frames) {
    while (open.length < lanes && begun < calls) open.push(call(++begun, progress, message, next));
    if (open.length === 0) {
      yield next('-', { kind: 'stderr', raw: { text: 'idle' } });
      continue;
    }
    for (let lane = 0; lane < open.length && seq < frames; lane++) {
      const frame = open[lane]?.next();
      if (!frame) continue;
      if (!frame.done) yield frame.value;
      else if (begun < calls) open[lane] = call(++begun, progress, message, next);
      else open.splice(lane--, 1);
    }
  }
}

type Message = (dir: Dir, value: object) => Frame;

function* call(id: number, progress: number, message: Message, next: (dir: Dir, body: Body) => Frame): Generator<Frame> {
  const tool = TOOLS[id % TOOLS.length] ?? 'search_orders';
  const fate = fateOf(id);
  const probes = fate === 'written' ? ['ledger'] : [];
  yield next('-', { kind: 'act', act: { act: 'call', id, tool, probes, settle: fromMs(500), fence: false } });
  yield message('c2s', { id, method: 'tools/call', params: { name: tool, arguments: { n: id }, _meta: { progressToken: id } } });
  const ticks = fate === 'finished' ? progress : Math.floor(progress * 0.6);
  for (let n = 1; n <= ticks; n++)
    yield message('s2c', { method: 'notifications/progress', params: { progressToken: id, progress: n, total: progress } });
  if (fate === 'finished') {
    yield message('s2c', { id, result: { content: [{ type: 'text', text: 'done' }] } });
    return;
  }
  yield next('-', {
    kind: 'act',
    act: { act: 'stop', id, how: { means: 'cancel' }, reason: 'user pressed stop', wrote: true, late: false },
  });
  const cancel = message('c2s', { method: 'notifications/cancelled', params: { requestId: id, reason: 'user pressed stop' } });
  yield cancel;
  if (fate === 'late') {
    for (let n = 0; n < 6; n++) yield next('-', { kind: 'stderr', raw: { text: `call ${id} is still at work` } });
    yield message('s2c', { id, result: { content: [{ type: 'text', text: 'done' }] } });
  } else if (fate === 'written') {
    const lo = asNs(cancel.t + 1);
    const hi = asNs(cancel.t + 2e6);
    const seen = { effect: 'seen', probe: 'ledger', lo, hi, says: '1 line appended', subject: 'ledger.jsonl', call: id } as const;
    yield next('-', { kind: 'effect', effect: seen });
  }
}

/** Writes a trace file. */
export async function writeTrace(file: string, what: Wanted): Promise<void> {
  const stream = createWriteStream(file, { mode: 0o600 });
  let lines = [encodeHeader(new Date(BEGAN).toISOString(), 'stopgap bench')];
  const flush = async (): Promise<void> => {
    if (!stream.write(`${lines.join('\n')}\n`)) await once(stream, 'drain');
    lines = [];
  };
  for (const frame of generate(what)) {
    lines.push(encodeFrame(frame));
    if (lines.length === 4096) await flush();
  }
  await flush();
  stream.end();
  await once(stream, 'close');
}
