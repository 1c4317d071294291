// The feed against a host at the other end of a real channel: whole and in pieces, lost batches, replaced ports, refusals.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { calls } from '../app/trace/calls';
import { FakeHost, fakeVerdict, until } from './fakeHost.testing';
import { Feed, HostGone, Refused } from './feed';

let host: FakeHost;
let feed: Feed;
let clockMs = 0;

beforeEach(() => {
  host = new FakeHost();
  clockMs = 1000;
  feed = new Feed({ frame: (callback) => setTimeout(callback, 0), clock: () => clockMs });
});
afterEach(() => {
  feed.lost('the test is over');
  host.close();
});

const attach = async (): Promise<void> => {
  feed.attach(host.port);
  await until(() => feed.link.state === 'ready', 'the hello');
};

function race(): void {
  host.call(10, 1, 'charge_card', { amount: 4200 }, ['ledger']);
  host.effect(12, { effect: 'watching', probe: 'ledger', kind: 'folder', place: '/state', shared: false });
  host.cancel(300, 1);
  host.effect(410, {
    effect: 'seen',
    probe: 'ledger',
    lo: 395e6 as never,
    hi: 405e6 as never,
    says: '1 line appended',
    subject: 'ledger.jsonl',
  });
  host.call(500, 2, 'search_orders');
  host.reply(600, 2);
}

const picture = (): unknown => ({
  facts: Array.from({ length: feed.trace.length }, (_, seq) => feed.trace.facts(seq)),
  calls: feed.calls.all,
  watches: feed.world.watches,
});

test('batches build the same trace, calls and world, whole or in pieces', async () => {
  race();
  await attach();
  await until(() => feed.trace.length === host.trace.length, 'all frames');
  const whole = picture();
  const direct = calls(host.trace);
  direct.take();
  expect(feed.calls.all).toEqual(direct.all);

  const other = new FakeHost();
  feed.attach(other.port);
  await until(() => feed.link.state === 'ready' && feed.trace.length === 0, 'the second hello');
  for (let seq = 0; seq < host.trace.length; seq++) {
    other.trace.push(host.trace.facts(seq));
    other.flush();
  }
  await until(() => feed.trace.length === host.trace.length, 'all pieces');
  expect(picture()).toEqual(whole);
  other.close();
});

test('a batch that does not continue is never papered over: everything is asked for again', async () => {
  await attach();
  host.call(10, 1, 'charge_card');
  host.flush();
  await until(() => feed.trace.length === 2, 'the first batch');
  host.cancel(20, 1);
  host.lose();
  host.reply(30, 1);
  host.flush();
  await until(() => feed.trace.length === host.trace.length, 'the whole again');
  expect(host.asked.map(({ request }) => request)).toEqual(['hello', 'hello']);
  expect(feed.dropped).toBe(1);
  expect(feed.calls.all[0]?.cancels).toHaveLength(1);
});

test('a port that replaces another is greeted, and what the old one owed is refused', async () => {
  await attach();
  host.answers['trace.list'] = () => {
    throw new Error('never answered in time');
  };
  const owed = feed.request('trace.live', {});
  const next = new FakeHost();
  next.view = { ...next.view, id: 7 };
  feed.attach(next.port);
  await expect(owed).rejects.toBeInstanceOf(HostGone);
  await until(() => feed.view?.id === 7, 'the new view');
  next.close();
});

test('a refusal comes back in the host’s own words', async () => {
  await attach();
  host.answers['server.restart'] = () => {
    throw new Error('Expected a connected server, there is none. Connect first.');
  };
  await expect(feed.request('server.restart', { connection: 1 })).rejects.toThrow(
    new Refused('Expected a connected server, there is none. Connect first.'),
  );
});

test('when the host is gone requests are refused at once, and what was received stays', async () => {
  race();
  await attach();
  await until(() => feed.trace.length > 0, 'frames');
  feed.lost('The session host ended unexpectedly (exit code 1).');
  expect(feed.link).toEqual({ state: 'gone', why: 'The session host ended unexpectedly (exit code 1).' });
  await expect(feed.request('server.restart', { connection: 1 })).rejects.toBeInstanceOf(HostGone);
  expect(feed.trace.length).toBe(host.trace.length);
});

test('subscribers hear once per animation frame, however many batches came', async () => {
  const queue: (() => void)[] = [];
  feed = new Feed({ frame: (callback) => queue.push(callback), clock: () => clockMs });
  await attach();
  for (const callback of queue.splice(0)) callback();
  let heard = 0;
  feed.subscribe(() => heard++);
  for (let id = 1; id <= 20; id++) {
    host.call(id, id, 'search_orders');
    host.flush();
  }
  await until(() => feed.calls.all.length === 20, 'all batches');
  expect(queue).toHaveLength(1);
  for (const callback of queue.splice(0)) callback();
  expect(heard).toBe(1);
});

test('the clock runs on while the recording does, never back, and stands still otherwise', async () => {
  await attach();
  host.call(50, 1, 'search_orders');
  host.flush();
  await until(() => feed.trace.length === 2, 'the batch');
  expect(feed.now()).toBe(50e6);
  feed.running = true;
  clockMs += 30;
  expect(feed.now()).toBe(80e6);
  // A batch that was long on its way must not turn the clock back.
  clockMs += 100;
  host.reply(60, 1);
  host.flush();
  await until(() => feed.trace.length === 3, 'the second batch');
  expect(feed.now()).toBe(180e6);
  feed.running = false;
  expect(feed.now()).toBe(60e6);
});

test('verdicts are kept by call and replaced whole; those of another view are not ours', async () => {
  await attach();
  host.judged([fakeVerdict(0, { verdict: 'waiting' })], []);
  host.judged([fakeVerdict(0, { verdict: 'completed' }), fakeVerdict(1)]);
  host.push('verdicts', { view: 99, verdicts: [fakeVerdict(2)], findings: undefined });
  await until(() => feed.verdicts.size === 2, 'verdicts');
  expect(feed.verdict(0)?.verdict).toBe('completed');
  expect(feed.verdict(2)).toBeUndefined();
});

test('another view begins empty', async () => {
  race();
  await attach();
  await until(() => feed.trace.length > 0, 'frames');
  host.push('view', { id: 2, source: 'file', path: '/traces/old', began: '2026-01-01T00:00:00.000Z', repaired: 'the last line was torn' });
  await until(() => feed.view?.id === 2, 'the view');
  expect([feed.trace.length, feed.calls.all.length, feed.verdicts.size, feed.live]).toEqual([0, 0, 0, false]);
});

test('a file that is being read is told of a few times a second, and once more when it is whole', async () => {
  const queue: (() => void)[] = [];
  const paint = (): void => {
    for (const callback of queue.splice(0)) callback();
  };
  feed = new Feed({ frame: (callback) => queue.push(callback), clock: () => clockMs });
  await attach();
  const reading = { view: host.view.id, frames: 0, bytes: 1, size: 9, done: false, repaired: undefined };
  host.push('reading', reading);
  let heard = 0;
  feed.subscribe(() => heard++);
  const come = async (id: number): Promise<void> => {
    host.call(id, id, 'search_orders');
    host.flush();
    await until(() => feed.calls.all.length === id, 'the batch');
  };
  await come(1);
  paint();
  expect(heard).toBe(1);
  clockMs += 20;
  await come(2);
  expect(queue).toHaveLength(0);
  clockMs += 500;
  await come(3);
  paint();
  expect(heard).toBe(2);
  host.push('reading', { ...reading, done: true });
  await until(() => queue.length > 0, 'the last picture');
  paint();
  expect(heard).toBe(3);
  await come(4);
  expect(queue).toHaveLength(1);
});
