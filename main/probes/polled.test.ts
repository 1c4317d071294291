import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fromMs } from '../../app/base/time';
import type { Probe, SpecOf } from '../../app/evidence/probe';
import type { Item } from './changes';
import { type Reading, type Source, startPolled } from './polled';
import { type Heard, hearing } from './probe.testing';

const row = (text: string): Item => ({ id: text, text, noun: 'row' });
const rows = (...texts: readonly string[]): Reading => ({ items: texts.map(row) });

/** A place whose readings are answered by the test, unless it says what they find. */
interface Fake extends Source {
  finds: Reading | Error | undefined;
  /** Readings that wait for an answer. */
  readonly waiting: { answer(reading: Reading): void; fail(why: string): void; readonly signal: AbortSignal }[];
  hint(): void;
  closed: boolean;
}

function fake(finds: Reading | undefined = rows('a')): Fake {
  let hinted = (): void => undefined;
  const place: Fake = {
    finds,
    waiting: [],
    closed: false,
    hint: () => hinted(),
    onHint(listener) {
      hinted = listener;
      return () => {
        hinted = () => undefined;
      };
    },
    read: (signal) =>
      new Promise((resolve, reject) => {
        const { finds: found } = place;
        if (found instanceof Error) reject(found);
        else if (found) resolve(found);
        else place.waiting.push({ answer: resolve, fail: (why) => reject(new Error(why)), signal });
      }),
    close: async () => {
      place.closed = true;
    },
  };
  return place;
}

const SPEC: SpecOf<'command'> = { kind: 'command', name: 'out', shared: false, command: ['list'], everyMs: 100 };

interface Scene extends Heard {
  readonly place: Fake;
  readonly probe: Probe;
}

async function scene(place = fake(), spec: Partial<typeof SPEC> = {}): Promise<Scene> {
  const heard = hearing({ now: () => fromMs(performance.now()), wallMs: () => Date.now() });
  const probe = await startPolled({ ...SPEC, ...spec }, heard.context, place);
  return { ...heard, place, probe };
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const ms = (n: number) => fromMs(n);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a place that is read again and again', () => {
  it('is watched from its baseline, and clear when nothing is new', async () => {
    const { effects, probe } = await scene();
    await pass(250);
    await probe.read();
    expect(effects).toEqual([
      { effect: 'watching', probe: 'out', kind: 'command', place: 'list', shared: false },
      { effect: 'clear', probe: 'out', since: ms(0), lo: ms(250), hi: ms(250) },
    ]);
  });

  it('dates a difference from the beginning of the last reading without it to the end of the first with it', async () => {
    const { all, place } = await scene();
    place.finds = undefined;
    await pass(100);
    await pass(30);
    place.waiting.shift()?.answer(rows('a'));
    await pass(70);
    await pass(20);
    place.waiting.shift()?.answer(rows('a', 'b'));
    await pass(0);
    expect(all('seen')).toEqual([
      { effect: 'seen', probe: 'out', lo: ms(100), hi: ms(220), says: '1 row more: b', subject: 'row', sample: 'b' },
    ]);
  });

  it('knows what is complete, and what is taken back', async () => {
    const { all, place, probe } = await scene(fake(), { done: 'paid|row more: c' });
    place.finds = rows('a', 'b', 'c', 'paid');
    await probe.read();
    place.finds = rows('a', 'c', 'paid');
    await probe.read();
    expect(all('seen').map(({ says, done }) => [says, done])).toEqual([
      ['1 row more: b', undefined],
      ['1 row more: c', true],
      ['1 row more: paid', true],
    ]);
    expect(all('reverted')).toEqual([{ effect: 'reverted', probe: 'out', lo: ms(0), hi: ms(0), says: '1 row gone again: b', of: [1] }]);
  });

  it('says what is held open, unless it was before, and that it is let go', async () => {
    const held = (...ids: readonly string[]): Reading => ({
      ...rows('a'),
      held: ids.map((id) => ({ id, says: `${id} is open`, subject: id })),
    });
    const { all, place, probe } = await scene(fake(held('old')));
    await pass(50);
    place.finds = held('old', 'new');
    await probe.read();
    await probe.read();
    await pass(5);
    place.finds = held();
    await probe.read();
    expect(all('held')).toEqual([{ effect: 'held', probe: 'out', lo: ms(0), hi: ms(50), says: 'new is open', subject: 'new' }]);
    expect(all('freed')).toEqual([{ effect: 'freed', probe: 'out', lo: ms(50), hi: ms(55), of: [1] }]);
  });

  it('is read one reading at a time, and one that began after the question serves all who asked', async () => {
    const { all, place, probe } = await scene();
    place.finds = undefined;
    const answered: string[] = [];
    const ask = (name: string) => void probe.read().then(() => answered.push(name));
    ask('first');
    await pass(10);
    ask('second');
    ask('third');
    await pass(500);
    expect(place.waiting).toHaveLength(1);
    place.waiting.shift()?.answer(rows('a'));
    await pass(0);
    expect([answered, place.waiting.length]).toEqual([['first'], 1]);
    place.waiting.shift()?.answer(rows('a'));
    await pass(0);
    expect(answered).toEqual(['first', 'second', 'third']);
    expect(all('clear').map(({ lo, hi }) => [lo, hi])).toEqual([
      [ms(0), ms(510)],
      [ms(510), ms(510)],
    ]);
  });

  it('is read at once when it says that it has changed', async () => {
    const { all, place } = await scene();
    place.finds = rows('a', 'b');
    place.hint();
    await pass(0);
    expect(all('seen')).toHaveLength(1);
  });
});

describe('a place that cannot be read', () => {
  it('is a gap until it can be read again, and nothing in it is lost', async () => {
    const { effects, place, probe } = await scene();
    await pass(10);
    place.finds = new Error('the connection was lost');
    await probe.read();
    await pass(1000);
    place.finds = rows('a', 'b');
    await probe.read();
    await probe.read();
    const why = 'the connection was lost';
    expect(effects.slice(1)).toEqual([
      { effect: 'gap', probe: 'out', lo: ms(10), hi: ms(10), why },
      { effect: 'gap', probe: 'out', lo: ms(10), hi: ms(1010), why },
      { effect: 'seen', probe: 'out', lo: ms(0), hi: ms(1010), says: '1 row more: b', subject: 'row', sample: 'b' },
      { effect: 'clear', probe: 'out', since: ms(1010), lo: ms(1010), hi: ms(1010) },
    ]);
  });

  it('says so again now and then, and whenever it is asked', async () => {
    const { all, place, probe } = await scene();
    place.finds = new Error('gone');
    await pass(12_000);
    const said = all('gap').length;
    expect([all('clear').length, said]).toEqual([0, 3]);
    await probe.read();
    expect(all('gap')).toHaveLength(said + 1);
    for (const [n, gap] of all('gap').entries()) expect(gap.lo).toBe(n === 0 ? ms(100) : all('gap')[n - 1]?.hi);
  });

  it('is given up when it takes too long', async () => {
    const { all, place, probe } = await scene();
    place.finds = undefined;
    const answered = vi.fn();
    void probe.read().then(answered);
    await pass(1999);
    expect([answered.mock.calls.length, place.waiting[0]?.signal.aborted]).toEqual([0, false]);
    await pass(1);
    expect([answered.mock.calls.length, place.waiting[0]?.signal.aborted]).toEqual([1, true]);
    place.waiting.shift()?.fail('given up');
    expect(all('gap')).toEqual([{ effect: 'gap', probe: 'out', lo: ms(0), hi: ms(2000), why: 'no answer within 2 s' }]);
  });

  it('is believed when it answers late, in an interval that says how late', async () => {
    const { all, place, probe } = await scene();
    place.finds = undefined;
    void probe.read();
    await pass(3000);
    await probe.read();
    place.waiting.shift()?.answer(rows('a', 'b'));
    await pass(0);
    expect(all('gap').map(({ lo, hi }) => [lo, hi])).toEqual([
      [ms(0), ms(2000)],
      [ms(2000), ms(3000)],
    ]);
    expect(all('seen').map(({ lo, hi }) => [lo, hi])).toEqual([[ms(0), ms(3000)]]);
    expect(all('clear')).toEqual([]);
  });

  it('cannot be watched from the start', async () => {
    const place = fake();
    place.finds = new Error('Expected a table, but there is none.');
    await expect(scene(place)).rejects.toThrow('Expected a table, but there is none.');
    expect(place.closed).toBe(true);
  });

  it('cannot be watched when it changes by itself, unless it is shared', async () => {
    const restless = (): Fake => {
      let n = 0;
      return { ...fake(), read: async () => rows(String(n++)) };
    };
    await expect(scene(restless())).rejects.toThrow(/two readings right after one another differ: 1 row more: 1\. Leave out/);
    expect((await scene(restless(), { shared: true })).effects).toHaveLength(1);
  });

  it('is told from a pattern that is none', async () => {
    await expect(scene(fake(), { done: '(' })).rejects.toThrow('Expected a regular expression');
  });
});

describe('the end', () => {
  it('is a last reading, and nothing after it', async () => {
    const { effects, place, probe } = await scene();
    place.finds = rows('b');
    await Promise.all([probe.stop(), probe.stop()]);
    await probe.read();
    place.hint();
    await pass(1000);
    expect(effects.slice(1).map((effect) => ('says' in effect ? effect.says : effect.effect))).toEqual([
      '1 row more: b',
      '1 row fewer: a',
      'ended',
    ]);
    expect(place.closed).toBe(true);
  });

  it('does not wait for a place that no longer answers', async () => {
    const { effects, place, probe } = await scene();
    place.finds = undefined;
    await pass(1000);
    const stopped = probe.stop();
    await pass(2000);
    await stopped;
    place.waiting.shift()?.answer(rows('a', 'b'));
    await pass(0);
    expect(effects.at(-1)).toEqual({ effect: 'ended', probe: 'out' });
    expect(effects.at(-2)).toMatchObject({ effect: 'gap' });
  });
});
