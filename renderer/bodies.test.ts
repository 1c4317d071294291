import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bodies, bodies, textOf } from './bodies';
import { FakeHost, until } from './fakeHost.testing';
import { Feed } from './feed';

let host: FakeHost;
let feed: Feed;
let cache: Bodies;

beforeEach(async () => {
  host = new FakeHost();
  feed = new Feed({ frame: (callback) => setTimeout(callback, 0), clock: () => 0 });
  cache = bodies(feed);
  for (let id = 1; id <= 1200; id++) host.message(id, 'c2s', { id, method: 'ping' });
  feed.attach(host.port);
  await until(() => feed.trace.length === 1200, 'frames');
});
afterEach(() => {
  feed.lost('the test is over');
  host.close();
});

const asked = (): readonly number[][] =>
  host.asked.filter(({ request }) => request === 'frame.bodies').map(({ params }) => (params as { seqs: number[] }).seqs);

test('what several places want in one moment is asked for once, at most 500 at a time', async () => {
  cache.want(Array.from({ length: 700 }, (_, seq) => seq));
  cache.want([3, 4, 5]);
  await until(() => cache.get(0) !== undefined && cache.get(699) !== undefined, 'bodies');
  expect(asked().map((seqs) => seqs.length)).toEqual([500, 200]);
  expect(textOf(cache.get(6))).toBe('{"jsonrpc":"2.0","id":7,"method":"ping"}');
  cache.want([6]);
  expect((await cache.read([6, 900])).map((body) => body?.seq)).toEqual([6, 900]);
  expect(asked().at(-1)).toEqual([900]);
});

test('another view forgets the bodies of the one before', async () => {
  await cache.read([1]);
  expect(cache.get(1)).toBeDefined();
  host.push('view', { ...host.view, id: 2 });
  await until(() => cache.get(1) === undefined, 'the cache to be emptied');
});

test('a body that is gone, or is not text, says so', () => {
  expect([textOf(undefined), textOf({ seq: 1, wall: '', raw: undefined }), textOf({ seq: 1, wall: '', raw: { base64: '/w==' } })]).toEqual([
    undefined,
    undefined,
    'not UTF-8, base64: /w==',
  ]);
});
