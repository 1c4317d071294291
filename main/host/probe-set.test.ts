import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { asNs } from '../../app/base/time';
import type { ProbeContext, ProbeSpec } from '../../app/evidence/probe';
import type { Effect } from '../../app/wire/frame';
import { type ProbeSet, probeSet } from './probe-set';

const clock = { now: () => asNs(0), wallMs: () => 0 };
const ZERO = asNs(0);
const spec = (name: string): ProbeSpec => ({ kind: 'process', name, shared: false, everyMs: 100 });
const gap = (why: string, probe = 'tree'): Effect => ({ effect: 'gap', probe, lo: ZERO, hi: ZERO, why });
const clear = (probe = 'tree'): Effect => ({ effect: 'clear', probe, since: ZERO, lo: ZERO, hi: ZERO });

/** What the running probes were asked, and what each of them says when it is read. */
let asked: string[];
let answers: Map<string, (context: ProbeContext) => Promise<void>>;
let contexts: Map<string, ProbeContext>;
let emitted: Effect[];
let set: ProbeSet;

beforeEach(() => {
  vi.useFakeTimers();
  [asked, emitted] = [[], []];
  [answers, contexts] = [new Map(), new Map()];
  set = probeSet({
    startProbe: async (one, context) => {
      contexts.set(one.name, context);
      if (one.name === 'broken') throw new Error('there is no such place');
      return {
        spec: one,
        read: async () => {
          asked.push(`read ${one.name}`);
          await answers.get(one.name)?.(context);
        },
        stop: async () => {
          asked.push(`stop ${one.name}`);
          context.emit({ effect: 'ended', probe: one.name });
        },
        ...(one.name === 'hook' ? { variables: { url: 'http://x' } } : {}),
      };
    },
    context: () => ({ clock, emit: (effect) => emitted.push(effect) - 1 }),
    onChange: () => undefined,
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const status = (name = 'tree') => set.statuses.find((one) => one.spec.name === name);
const say = (effect: Effect): void => void contexts.get('tree')?.emit(effect);

describe('what is known of a probe', () => {
  test('it watches, or failed and says why; what it offers is kept', async () => {
    expect(await set.set(spec('tree'), true)).toMatchObject({ state: 'watching', builtIn: true });
    expect(await set.set(spec('broken'), false)).toMatchObject({ state: 'failed', why: 'there is no such place' });
    expect(await set.set(spec('hook'), false)).toMatchObject({ state: 'watching', variables: { url: 'http://x' } });
  });

  test('one gap is said, two in a row are a failure, a reading ends it', async () => {
    await set.set(spec('tree'), false);
    say(gap('slow'));
    expect(status()).toMatchObject({ state: 'watching', why: 'slow' });
    say(gap('slower'));
    expect(status()).toMatchObject({ state: 'failing', why: 'slower' });
    say(clear());
    expect(status()).toMatchObject({ state: 'watching', why: undefined });
    say(gap('again'));
    expect(status()).toMatchObject({ state: 'watching', why: 'again' });
    expect(emitted.map(({ effect }) => effect)).toEqual(['gap', 'gap', 'clear', 'gap']);
  });

  test('after a gap the place is read again by itself, less and less often, until it can be read', async () => {
    await set.set(spec('tree'), false);
    answers.set('tree', async ({ emit }) => void emit(gap('still')));
    say(gap('lost'));
    await vi.advanceTimersByTimeAsync(1000);
    expect([asked, status()?.state]).toEqual([['read tree'], 'failing']);
    await vi.advanceTimersByTimeAsync(1999);
    expect(asked.length).toBe(1);
    answers.set('tree', async ({ emit }) => void emit(clear()));
    await vi.advanceTimersByTimeAsync(1);
    expect([asked.length, status()?.state]).toEqual([2, 'watching']);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked.length).toBe(2);
  });

  test('not any more once it has been stopped', async () => {
    await set.set(spec('tree'), false);
    say(gap('lost'));
    await set.stop();
    say(gap('over'));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toEqual(['stop tree']);
  });
});

describe('a reading', () => {
  test('is of those that are named, and waits for all of them', async () => {
    for (const name of ['tree', 'hook', 'broken']) await set.set(spec(name), false);
    expect(await set.read(['tree', 'broken', 'unknown'])).toEqual([]);
    expect(await set.read()).toEqual([]);
    expect(asked).toEqual(['read tree', 'read tree', 'read hook']);
  });

  test('of a slow probe is not waited for longer than patience lasts, and the slow one is named', async () => {
    for (const name of ['tree', 'hook']) await set.set(spec(name), false);
    let done: () => void = () => undefined;
    answers.set('tree', () => new Promise((resolve) => (done = resolve)));
    const reading = set.read(undefined, 2000);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await reading).toEqual(['tree']);
    done();
  });
});

test('some can be stopped before the others', async () => {
  for (const name of ['tree', 'hook']) await set.set(spec(name), false);
  await set.stop(({ name }) => name === 'hook');
  expect(set.statuses.map((one) => one.spec.name)).toEqual(['tree']);
  await set.stop();
  expect(asked).toEqual(['stop hook', 'stop tree']);
});
