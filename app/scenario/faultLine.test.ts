// The promise of faults: what no rule names passes in order, unchanged, exactly once; what is held passes in order; what is
// doubled passes twice; what is swapped is swapped with what the rule names, and with nothing else.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asNs, fromMs, type Ns, ZERO } from '../base/time';
import { PASSING_KINDS } from '../wire/frame';
import { FaultLine, type Kept, names, OVERTAKE_MS, type Passing } from './faultLine';
import type { FaultRule } from './faults';

/** Puts messages through a line as the host does: what passes is told to the line, and lets pass what waited for it. */
class Wire {
  readonly line = new FaultLine<number>();
  /** What came out at the other end, in order. */
  readonly out: number[] = [];
  now = ZERO;
  readonly #facts = new Map<number, Passing>();

  constructor(rules: readonly FaultRule[]) {
    this.line.set(rules);
  }

  send(message: number, passing: Passing): void {
    this.#facts.set(message, passing);
    const fate = this.line.offer(message, passing, this.now);
    if (fate.fate === 'pass') this.#pass(message);
    if (fate.fate === 'duplicate') this.out.push(message);
    if (fate.fate === 'duplicate') this.#pass(message);
  }

  at(t: Ns): void {
    this.now = t;
    this.#all(this.line.due(t));
  }

  release = (): void => this.#all(this.line.release());
  off = (): void => this.#all(this.line.set([]));

  #all(kept: readonly Kept<number>[]): void {
    for (const { message } of kept) this.#pass(message);
  }

  #pass(message: number): void {
    this.out.push(message);
    const facts = this.#facts.get(message);
    if (facts) this.#all(this.line.passed(facts));
  }
}

const passing: fc.Arbitrary<Passing> = fc.record({
  dir: fc.constantFrom('c2s', 's2c'),
  what: fc.constantFrom(...PASSING_KINDS),
  method: fc.constantFrom('tools/call', 'ping', 'tools/list'),
  tool: fc.constantFrom(undefined, 'charge', 'search'),
  request: fc.constantFrom('n:1', 'n:2', 'n:3'),
  calls: fc.constantFrom(['#1', 'one'], ['#2'], []),
});

const named = {
  on: fc.constantFrom('all', 'requests', 'replies', 'cancels', 'notifications'),
  dir: fc.option(fc.constantFrom('c2s', 's2c'), { nil: undefined }),
  method: fc.option(fc.constantFrom('tools/call', 'ping'), { nil: undefined }),
  tool: fc.option(fc.constantFrom('charge'), { nil: undefined }),
  call: fc.option(fc.constantFrom('one', '#2'), { nil: undefined }),
  times: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
} as const;

const until = fc.oneof(
  fc.constant({ until: 'key' as const }),
  fc.record({ until: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ until: fc.constant('frame' as const), on: fc.constantFrom('cancels' as const, 'replies' as const) }),
);

const rule = fc.oneof(
  fc.record({ fault: fc.constant('delay' as const), ms: fc.integer({ min: 1, max: 50 }), ...named }),
  fc.record({ fault: fc.constant('hold' as const), until, ...named }),
  fc.record({ fault: fc.constantFrom('drop', 'duplicate', 'reorder', 'cut'), ...named }),
) as fc.Arbitrary<FaultRule>;

const traffic = fc.array(fc.record({ passing, gapMs: fc.integer({ min: 0, max: 20 }) }), { maxLength: 40 });

/** Sends it all, each after its gap, and lets go of what is kept at the end. */
function sentThrough(rules: readonly FaultRule[], messages: readonly { readonly passing: Passing; readonly gapMs: number }[]): Wire {
  const wire = new Wire(rules);
  for (const [index, { passing: of, gapMs }] of messages.entries()) {
    wire.at(asNs(wire.now + fromMs(gapMs)));
    wire.send(index, of);
  }
  wire.off();
  return wire;
}

describe('for any rules and any traffic', () => {
  test('what no rule names passes in order, unchanged, exactly once', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), traffic, (rules, messages) => {
        const { out } = sentThrough(rules, messages);
        const unnamed = messages.flatMap(({ passing: of }, index) => (rules.some((one) => names(one, of)) ? [] : [index]));
        expect(out.filter((message) => unnamed.includes(message))).toEqual(unnamed);
      }),
      { numRuns: 500 },
    );
  });

  test('nothing that no rule drops or cuts is lost, and only what is doubled comes twice', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), traffic, (rules, messages) => {
        const { out } = sentThrough(rules, messages);
        for (const [index, { passing: of }] of messages.entries()) {
          const by = rules.filter((one) => names(one, of)).map(({ fault }) => fault);
          const times = out.filter((message) => message === index).length;
          if (!by.includes('drop') && !by.includes('cut')) expect(times).toBeGreaterThanOrEqual(1);
          if (!by.includes('duplicate')) expect(times).toBeLessThanOrEqual(1);
          expect(times).toBeLessThanOrEqual(2);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('what one rule holds for a person passes in the order in which it came', () => {
    fc.assert(
      fc.property(traffic, (messages) => {
        const rules: readonly FaultRule[] = [{ fault: 'hold', on: 'replies', until: { until: 'key' } }];
        const { out } = sentThrough(rules, messages);
        const held = messages.flatMap(({ passing: of }, index) => (of.what === 'reply' ? [index] : []));
        expect(out.filter((message) => held.includes(message))).toEqual(held);
      }),
    );
  });

  test('what one rule delays passes in the order in which it came', () => {
    fc.assert(
      fc.property(traffic, (messages) => {
        const { out } = sentThrough([{ fault: 'delay', on: 'all', ms: 30 }], messages);
        expect(out).toEqual(messages.map((_, index) => index));
      }),
    );
  });

  test('duplicate passes what it names exactly twice, one behind the other', () => {
    fc.assert(
      fc.property(traffic, (messages) => {
        const { out } = sentThrough([{ fault: 'duplicate', on: 'requests' }], messages);
        expect(out).toEqual(messages.flatMap(({ passing: of }, index) => (of.what === 'request' ? [index, index] : [index])));
      }),
    );
  });

  test('reorder swaps pairs of what it names in one direction, and nothing else', () => {
    fc.assert(
      fc.property(traffic, (messages) => {
        const still = messages.map(({ passing: of }) => ({ passing: of, gapMs: 0 }));
        const { out } = sentThrough([{ fault: 'reorder', on: 'replies' }], still);
        for (const dir of ['c2s', 's2c']) {
          const replies = still.flatMap(({ passing: of }, index) => (of.what === 'reply' && of.dir === dir ? [index] : []));
          const swapped = replies.flatMap((first, index) => {
            const second = replies[index + 1];
            if (index % 2 === 1) return [];
            return second === undefined ? [first] : [second, first];
          });
          expect(out.filter((message) => replies.includes(message))).toEqual(swapped);
        }
      }),
    );
  });
});

const reply = (request: string): Passing => ({ dir: 's2c', what: 'reply', method: 'tools/call', request });
const cancel = (request: string): Passing => ({ dir: 'c2s', what: 'cancel', method: 'tools/call', request });

describe('one fault', () => {
  test('held until the cancel is out, a reply waits for the cancel of its own call', () => {
    const wire = new Wire([{ fault: 'hold', on: 'replies', until: { until: 'frame', on: 'cancels' } }]);
    wire.send(1, reply('n:1'));
    wire.send(2, reply('n:2'));
    wire.send(3, cancel('n:2'));
    expect(wire.out).toEqual([3, 2]);
    expect(wire.line.kept.map(({ message }) => message)).toEqual([1]);
  });

  test('alone, a message that is to be overtaken waits so long and no longer', () => {
    const wire = new Wire([{ fault: 'reorder', on: 'replies' }]);
    wire.send(1, reply('n:1'));
    wire.at(fromMs(OVERTAKE_MS - 1));
    expect(wire.out).toEqual([]);
    expect(wire.line.nextAt).toBe(fromMs(OVERTAKE_MS));
    wire.at(fromMs(OVERTAKE_MS));
    expect(wire.out).toEqual([1]);
  });

  test('once means once, for a pair too', () => {
    const wire = new Wire([{ fault: 'reorder', on: 'replies', times: 1 }]);
    for (const [message, request] of ['n:1', 'n:2', 'n:3', 'n:4'].entries()) wire.send(message, reply(request));
    expect(wire.out).toEqual([1, 0, 2, 3]);
  });

  test('the first rule that names a message decides', () => {
    const wire = new Wire([
      { fault: 'drop', on: 'replies', times: 1 },
      { fault: 'hold', on: 'all', until: { until: 'key' } },
    ]);
    wire.send(1, reply('n:1'));
    wire.send(2, reply('n:2'));
    wire.release();
    expect(wire.out).toEqual([2]);
  });

  test('another set of rules lets go of what the old ones held, and a rule that stays holds on', () => {
    const stays: FaultRule = { fault: 'hold', on: 'cancels', until: { until: 'key' } };
    const wire = new Wire([{ fault: 'hold', on: 'replies', until: { until: 'key' } }, stays]);
    wire.send(1, reply('n:1'));
    wire.send(2, cancel('n:1'));
    expect(wire.line.set([{ ...stays }]).map(({ message }) => message)).toEqual([1]);
    expect(wire.line.kept.map(({ message }) => message)).toEqual([2]);
  });
});
