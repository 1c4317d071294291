import { expect, test } from 'vitest';
import { Build } from '../../../app/trace/build.testing';
import { HttpBuild } from '../../../app/trace/buildHttp.testing';
import type { Call, Session } from '../../../app/trace/calls';
import { MODERN } from '../../../app/wire/era';
import { modelOf } from '../../timeline/shop.testing';
import { type Ways, waysOf as waysOfCall } from './ways';

const plain = { task: undefined, arrangement: undefined } as unknown as Call;
const waysOf = (session: Session | undefined): Ways => waysOfCall(session, plain);
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
  expect([overHttp(MODERN), overHttp('2025-11-25'), undefined].map((session) => waysOf(session).keepsReason !== undefined)).toEqual([
    true,
    false,
    false,
  ]));

test('of a task, and of a call that is asked to be one, Stop is tasks/cancel; the other choice tells nobody', () => {
  const asked = { task: undefined, arrangement: { task: {} } } as unknown as Call;
  for (const session of [overHttp(MODERN), sessionOf(new Build().opened())]) {
    const { stop, others, misuse, keepsReason } = waysOfCall(session, asked);
    expect([stop.title, others[0]?.title, others[0]?.how]).toEqual([
      'Send tasks/cancel',
      'Stop polling (tells nobody)',
      { means: 'stop-polling' },
    ]);
    expect(misuse[0]?.how).toEqual({ means: 'notify' });
    expect(keepsReason).toContain('tasks/cancel carries no reason');
  }
  expect(waysOfCall(overHttp('2025-11-25'), asked).others.some(({ how }) => how.means === 'kill')).toBe(false);
  expect(waysOfCall(sessionOf(new Build().opened()), asked).others.some(({ how }) => how.means === 'kill')).toBe(true);
});
