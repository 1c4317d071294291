// Faults at work, with a clock of their own: what passes when, what the trace is told, and that over a wire that takes its
// time one held message is written before the next is begun.
import { beforeEach, describe, expect, test } from 'vitest';
import { type Clock, fromMs, type Ns, plus, ZERO } from '../../app/base/time';
import type { FaultRule } from '../../app/scenario/faults';
import { Faults, type Outgoing, Requests, type Told } from './faults';

let now: Ns;
let timers: { readonly at: Ns; readonly then: () => void }[];
/** What was recorded, what passed, what was cut, in order. */
let log: string[];
/** Writes that have not been done yet; undefined where each is done at once. */
let writing: (() => void)[] | undefined;
let faults: Faults;

const clock: Clock = { now: () => now, wallMs: () => 0 };

function wait(ms: number): void {
  const until = plus(now, fromMs(ms));
  for (;;) {
    const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
    if (!next) break;
    timers = timers.filter((timer) => timer !== next);
    now = next.at;
    next.then();
  }
  now = until;
}

beforeEach(() => {
  now = ZERO;
  timers = [];
  log = [];
  writing = undefined;
  faults = new Faults({
    clock,
    record: (act, dir) => {
      const said =
        act.act === 'fault'
          ? `${act.fault} ${act.what} ${act.id}`
          : act.act === 'released'
            ? `let go ${act.id} by ${act.by}`
            : act.act === 'faults'
              ? act.rules.join()
              : act.act;
      return log.push(`${dir} ${said}`);
    },
    cut: (exchange) => void log.push(`cut ${exchange}`),
    onChange: () => undefined,
    later: (ms, then) => {
      const timer = { at: plus(now, fromMs(ms)), then };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  });
  faults.begin();
});

const set = (...rules: readonly FaultRule[]): void => {
  faults.set(rules);
  log = [];
};

function out(id: number, told: Partial<Told> = {}): void {
  const message: Outgoing = {
    told: { dir: 'c2s', what: 'request', method: 'tools/call', id, request: `client n:${id}`, ...told },
    raw: `{"id":${id}}`,
    before: () => void log.push(`before ${id}`),
    kept: (_, fate) => void log.push(`${fate} ${id}`),
    pass: (copy, passed) => {
      const done = (): void => {
        log.push(`written ${id}${copy ? ' again' : ''}`);
        passed(7);
      };
      if (writing) writing.push(done);
      else done();
    },
  };
  faults.outgoing(message);
}

const reply = (id: number): boolean =>
  faults.incoming(
    {
      told: { dir: 's2c', what: 'reply', method: 'tools/call', id, request: `client n:${id}` },
      pass: (copy, passed) => {
        log.push(`handed on ${id}${copy ? ' again' : ''}`);
        passed(undefined);
      },
    },
    now,
    9,
    () => void log.push(`recorded ${id}`),
  );

describe('towards the server', () => {
  test('a message that is kept is arranged for, said to be kept, and written when its time is over', () => {
    set({ fault: 'delay', on: 'requests', ms: 50 });
    out(1);
    expect(log).toEqual(['before 1', 'c2s delay request 1', 'keep 1']);
    expect(faults.held.map(({ id, fault }) => [id, fault])).toEqual([['#1', 'delay']]);
    wait(49);
    expect(log).toHaveLength(3);
    wait(1);
    expect(log.slice(3)).toEqual(['c2s let go 1 by time', 'written 1']);
    wait(30);
    expect(timers).toEqual([]);
  });

  test('a delay of 50 ms keeps the order of what comes 10 ms apart', () => {
    set({ fault: 'delay', on: 'requests', ms: 50 });
    for (const id of [1, 2, 3]) {
      out(id);
      wait(10);
    }
    wait(100);
    expect(log.filter((line) => line.startsWith('written'))).toEqual(['written 1', 'written 2', 'written 3']);
  });

  test('over a slow wire what is let go is begun only when the one before has been written', () => {
    set({ fault: 'hold', on: 'requests', until: { until: 'key' } });
    for (const id of [1, 2]) out(id);
    log = [];
    writing = [];
    expect(faults.release()).toBe(2);
    expect(log).toEqual(['c2s let go 1 by hand']);
    expect(writing).toHaveLength(1);
    writing.shift()?.();
    expect(log).toEqual(['c2s let go 1 by hand', 'written 1', 'c2s let go 2 by hand']);
    writing.shift()?.();
    expect(log.at(-1)).toBe('written 2');
  });

  test('what waits for a cancel is let go when that has been written, not when it is begun', () => {
    set({ fault: 'hold', on: 'replies', until: { until: 'frame', on: 'cancels' } });
    reply(1);
    log = [];
    writing = [];
    out(1, { what: 'cancel' });
    expect(log).toEqual([]);
    writing.shift()?.();
    expect(log).toEqual(['written 1', 's2c let go 1 by frame', 'handed on 1']);
  });

  test('dropped it is never written, doubled it is written twice, cut it is written and then the exchange is closed', () => {
    set({ fault: 'drop', on: 'cancels' }, { fault: 'duplicate', on: 'notifications' }, { fault: 'cut', on: 'requests' });
    out(1, { what: 'cancel' });
    out(2, { what: 'notification' });
    out(3);
    expect(log).toEqual([
      'before 1',
      'c2s drop cancel 1',
      'drop 1',
      'written 2',
      'c2s duplicate notification 2',
      'written 2 again',
      'written 3',
      'c2s cut request 3',
      'cut 7',
    ]);
  });
});

describe('towards the client', () => {
  test('a message is recorded when it comes, whatever becomes of it, and what is done to it stands before', () => {
    set({ fault: 'hold', on: 'replies', until: { until: 'key' }, times: 1 }, { fault: 'drop', on: 'replies', times: 1 });
    for (const id of [1, 2, 3]) expect(reply(id)).toBe(true);
    expect(log).toEqual(['s2c hold reply 1', 'recorded 1', 's2c drop reply 2', 'recorded 2', 'recorded 3', 'handed on 3']);
  });

  test('at a cut nothing is handed on, and its carrier is closed', () => {
    set({ fault: 'cut', on: 'replies' });
    expect(reply(1)).toBe(false);
    expect(log).toEqual(['s2c cut reply 1', 'recorded 1', 'cut 9']);
  });
});

test('a flood that is held is counted, the oldest of it shown, and told a few times only', () => {
  set({ fault: 'delay', on: 'replies', ms: 1000 });
  let told = 0;
  faults = new Faults({
    clock,
    record: () => 0,
    cut: () => undefined,
    onChange: () => void told++,
    later: (ms, then) => {
      timers.push({ at: plus(now, fromMs(ms)), then });
      return () => undefined;
    },
  });
  faults.begin();
  faults.set([{ fault: 'hold', on: 'replies', until: { until: 'key' } }]);
  told = 0;
  for (let id = 0; id < 5000; id++) reply(id);
  wait(100);
  expect([faults.heldCount, faults.held.length, told]).toEqual([5000, 20, 1]);
});

test('a flood that is let go of passes whole, in its order', () => {
  set({ fault: 'hold', on: 'notifications', until: { until: 'key' } });
  const passed: number[] = [];
  const told: Told = { dir: 's2c', what: 'notification', method: 'notifications/progress', id: undefined };
  for (let n = 0; n < 20_000; n++) {
    const pass: Outgoing['pass'] = (_copy, over) => {
      passed.push(n);
      over(undefined);
    };
    faults.incoming({ told, pass }, ZERO, undefined, () => undefined);
  }
  faults.release();
  expect(passed).toEqual(Array.from({ length: 20_000 }, (_, n) => n));
  expect(faults.heldCount).toBe(0);
});

describe('on and off', () => {
  test('other rules are told, and what the old ones held passes', () => {
    set({ fault: 'hold', on: 'replies', until: { until: 'key' } });
    reply(1);
    log = [];
    faults.set([]);
    expect(log).toEqual(['- ', 's2c let go 1 by off', 'handed on 1']);
    expect(faults.on).toBe(false);
  });

  test('when the session is over nothing passes any more', () => {
    set({ fault: 'delay', on: 'all', ms: 10 });
    reply(1);
    faults.end();
    log = [];
    wait(100);
    faults.release();
    expect(log).toEqual([]);
  });
});

test('a reply and a cancel are known by the request that they are about, until it is answered', () => {
  const requests = new Requests();
  requests.sent('client', 7, { method: 'tools/call', tool: 'charge', name: 'first' });
  expect(requests.of('client', 7)).toMatchObject({ method: 'tools/call', tool: 'charge', calls: ['#7', 'first'] });
  // The other side counts its requests by itself.
  expect(requests.of('server', 7)).toMatchObject({ method: '', calls: ['#7'] });
  requests.answered('client', 7);
  expect(requests.of('client', 7).method).toBe('');
});
