import { expect, test } from 'vitest';
import { Build } from '../../../app/trace/build.testing';
import { HttpBuild } from '../../../app/trace/buildHttp.testing';
import { MODERN } from '../../../app/wire/era';
import { modelOf } from '../../timeline/shop.testing';
import { carriesReason, waysOf } from './ways';

const sessionOf = (build: Build) => modelOf(build.frames, 100).calls.sessions.get(1);
const overHttp = (protocol: string, transport: 'http' | 'sse' = 'http') =>
  sessionOf(new HttpBuild().openedHttp([], { protocol, transport }));

test('closing the stream is the cancel in one revision over HTTP only, and the label says so', () => {
  const modern = waysOf(overHttp(MODERN));
  expect([modern.stop.title, modern.stop.how]).toEqual(['Close stream (this is the cancel here)', { means: 'cancel' }]);
  const titles = [overHttp('2025-11-25'), overHttp('2024-11-05', 'sse'), sessionOf(new Build().opened()), undefined].map(
    (session) => waysOf(session).stop.title,
  );
  expect(titles).toEqual(['Send cancel (POST)', 'Send cancel (POST)', 'Send cancel', 'Send cancel']);
});

test('the notification is offered as a misuse, with what it is worth, and nowhere else', () => {
  const [misuse] = waysOf(overHttp(MODERN)).misuse;
  expect([misuse?.title, misuse?.how]).toEqual(['Send the notification anyway (wrong means here)', { means: 'notify' }]);
  expect(misuse?.hint).toContain('tells nobody to stop in this revision');
  for (const session of [overHttp('2025-11-25'), sessionOf(new Build().opened())]) expect(waysOf(session).misuse).toEqual([]);
});

test('nothing is called a cancel that sends one where closing is it', () => {
  const { others } = waysOf(overHttp(MODERN));
  expect(others.map(({ title }) => title)).toEqual(['Give up silently', 'Time out, and close the stream', 'Time out, silently']);
  expect(others.some(({ hint }) => hint.includes('sends a cancel'))).toBe(false);
});

test('a reason goes along only where something is sent', () =>
  expect([overHttp(MODERN), overHttp('2025-11-25'), undefined].map((session) => carriesReason(waysOf(session)))).toEqual([
    false,
    true,
    true,
  ]));
