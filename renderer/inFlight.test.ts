import { expect, test } from 'vitest';
import { fromMs } from '../app/base/time';
import { HttpBuild } from '../app/trace/buildHttp.testing';
import { calls } from '../app/trace/calls';
import { FakeHost } from './fakeHost.testing';
import { GHOST_MS, inFlight, stopTarget } from './inFlight';

function stage() {
  const host = new FakeHost();
  const fold = calls(host.trace);
  const flight = inFlight();
  const look = (nowMs: number): readonly string[] => {
    fold.take();
    return flight.update(fold, nowMs).map(({ call, state }) => `${call.key} ${state}`);
  };
  look(0);
  return { host, fold, flight, look };
}

test('calls come, are answered, stay as ghosts for a moment, and go', () => {
  const { host, look } = stage();
  host.call(1, 1, 'a');
  host.call(2, 2, 'b');
  expect(look(10)).toEqual(['n:1 open', 'n:2 open']);
  host.reply(3, 1);
  host.cancel(4, 2);
  expect(look(20)).toEqual(['n:1 answered', 'n:2 stopped']);
  expect(look(20 + GHOST_MS)).toEqual([]);
  host.close();
});

test('the list stays the same one while frames change nothing in it', () => {
  const { host, fold, flight } = stage();
  host.call(1, 1, 'a');
  fold.take();
  const list = flight.update(fold, 1);
  host.message(2, 's2c', { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
  fold.take();
  expect(flight.update(fold, 2)).toBe(list);
  host.reply(3, 1);
  fold.take();
  expect(flight.update(fold, 3)).not.toBe(list);
  host.close();
});

test('only tool calls of this client are in flight; a session’s end loses them', () => {
  const { host, look } = stage();
  host.message(1, 'c2s', { id: 8, method: 'tools/list' });
  host.message(1, 's2c', { id: 9, method: 'roots/list' });
  host.call(2, 1, 'a');
  expect(look(1)).toEqual(['n:1 open']);
  host.life(5, { event: 'exited', code: 7, asked: 'nobody' });
  expect(look(2)).toEqual(['n:1 lost']);
  host.close();
});

test('what was over before the window looked leaves no ghost', () => {
  const host = new FakeHost();
  host.call(1, 1, 'a');
  host.reply(2, 1);
  const fold = calls(host.trace);
  fold.take();
  expect(inFlight().update(fold, 0)).toEqual([]);
  host.close();
});

test('Stop means the selected call in flight, else the newest, else the newest that has just been answered', () => {
  const { host, fold, flight, look } = stage();
  host.call(1, 1, 'a');
  host.call(2, 2, 'b');
  host.call(3, 3, 'c');
  look(0);
  const index = (id: number): number => fold.find(1, 'client', `n:${id}`)?.index ?? -1;
  expect(stopTarget(flight.list(), index(2))?.call.key).toBe('n:2');
  expect(stopTarget(flight.list(), undefined)?.call.key).toBe('n:3');
  host.reply(4, 3);
  look(1);
  expect(stopTarget(flight.list(), index(3))?.call.key).toBe('n:2');
  host.reply(5, 1);
  host.reply(5, 2);
  look(2);
  expect(stopTarget(flight.list(), undefined)?.call.key).toBe('n:3');
  expect(stopTarget(flight.list(), index(1))?.call.key).toBe('n:1');
  host.close();
});

test('over HTTP a call is lost by itself when its response is refused or breaks off', () => {
  const b = new HttpBuild().openedHttp().at(10).post(3, 'a').post(4, 'a');
  const [refused, torn] = [b.postOf(3), b.postOf(4)];
  b.stream(torn).at(20).respond(refused, 502, 'html').fail(torn);
  const fold = calls(b.trace());
  const flight = inFlight();
  fold.take(b.frames.findIndex(({ kind, t }) => kind === 'http' && t === fromMs(20)));
  flight.update(fold, 0);
  fold.take();
  expect(flight.update(fold, 1).map(({ state }) => state)).toEqual(['lost', 'lost']);
});
