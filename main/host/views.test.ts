// A long trace file is shown while it is being read: what reaches the window, in which order, and what is said meanwhile.
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ns } from '../../app/base/time';
import type { Events } from '../../app/contract/host';
import { Trace } from '../../app/trace/trace';
import { judge } from '../../app/verdict/judge';
import type { Verdict } from '../../app/verdict/verdict';
import { encodeFrame, encodeHeader } from '../../app/wire/tracefile';
import { BEGAN, BY, tempFolder } from '../store/store.testing';
import { Views } from './views';

const CALLS = 10_000;
const SOON = { timeout: 25_000, interval: 5 };

const line = (seq: number, message: object): string =>
  encodeFrame({
    seq,
    t: (seq * 1000) as Ns,
    wall: BEGAN,
    session: 1,
    dir: seq % 2 === 0 ? 'c2s' : 's2c',
    kind: 'message',
    raw: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });

/** Calls, each answered at once: two frames for each, far more than one piece of a file. */
function longTrace(): string {
  const file = path.join(tempFolder(), 'long.stopgap.ndjson');
  const lines = Array.from({ length: CALLS }, (_, id) => [
    line(id * 2, { id, method: 'tools/call', params: { name: 'search', arguments: { n: id } } }),
    line(id * 2 + 1, { id, result: { content: [{ type: 'text', text: `found ${id}` }] } }),
  ]);
  writeFileSync(file, `${encodeHeader(BEGAN, BY)}\n${lines.flat().join('\n')}\n`);
  return file;
}

let views: Views;
let trace: Trace;
let told: Events['reading'][];
/** Frames that were there when each reading was told. */
let framesAt: number[];
let verdicts: Map<number, Verdict>;
let judgedAt: number | undefined;

beforeEach(() => {
  trace = new Trace();
  told = [];
  framesAt = [];
  verdicts = new Map();
  judgedAt = undefined;
  views = new Views({
    judge,
    onView: () => undefined,
    batch: ({ batch }) => trace.append(batch),
    verdicts: (event) => {
      judgedAt ??= trace.length;
      for (const verdict of event.verdicts) verdicts.set(verdict.call, verdict);
    },
    reading: (event) => {
      told.push(event);
      framesAt.push(trace.length);
    },
  });
  views.hello();
});
afterEach(async () => {
  await views.live();
});

describe('a long trace file', () => {
  it('is shown from its first frames on, and judged when all of it is there', async () => {
    const view = await views.open(longTrace());
    expect(view).toMatchObject({ source: 'file', repaired: undefined });
    await expect.poll(() => verdicts.size, SOON).toBe(CALLS);
    expect(trace.length).toBe(2 * CALLS);
    expect(judgedAt).toBe(2 * CALLS);
    const first = told[0];
    expect(first && first.frames < 2 * CALLS && first.bytes < first.size && !first.done).toBe(true);
    // Never more is said to be there than is.
    expect(told.map(({ frames }) => frames)).toEqual(framesAt);
    expect(told.filter(({ done }) => done)).toEqual([told.at(-1)]);
    expect(told.at(-1)).toMatchObject({ view: view.id, frames: 2 * CALLS, done: true, repaired: undefined });
  });

  it('keeps what stands before a broken line, and says which it is', async () => {
    const file = longTrace();
    appendFileSync(file, `{"seq":\n${line(2 * CALLS + 1, { id: 1, result: {} })}\n`);
    await views.open(file);
    await expect.poll(() => told.at(-1)?.done, SOON).toBe(true);
    expect(told.at(-1)?.repaired).toMatch(new RegExp(`^Line ${2 * CALLS + 2} of .* is broken: .* What stands before it is shown\\.$`));
    await expect.poll(() => verdicts.size, SOON).toBe(CALLS);
  });

  it('is told of once more to somebody who comes later', async () => {
    await views.open(longTrace());
    await expect.poll(() => told.at(-1)?.done, SOON).toBe(true);
    views.hush();
    trace = new Trace();
    told.length = 0;
    views.hello();
    await expect.poll(() => told.at(-1), SOON).toMatchObject({ done: true, frames: 2 * CALLS });
    expect(trace.length).toBe(2 * CALLS);
  });

  it('is left in the middle when another view is wanted', async () => {
    await views.open(longTrace());
    await views.live();
    const { length } = told;
    await new Promise((resolve) => setImmediate(resolve));
    expect(told.slice(length)).toEqual([]);
    const view = await views.open(longTrace());
    trace = new Trace();
    await expect.poll(() => told.at(-1), SOON).toMatchObject({ view: view.id, done: true, frames: 2 * CALLS });
  });
});
