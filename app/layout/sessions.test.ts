import { describe, expect, test } from 'vitest';
import { Build, traceOf } from '../trace/build.testing';
import { calls } from '../trace/calls';
import { besideEachOther, sessionName } from './sessions';

const began = (build: Build, session: number, title?: string): Build =>
  build.session(session).life({ event: 'started', pid: 1, command: 'server', args: [], ...(title === undefined ? {} : { title }) });
const folded = (build: Build) => {
  const fold = calls(traceOf(build.frames));
  fold.take();
  return fold;
};

describe('the name of a session', () => {
  const fold = folded(began(began(began(began(new Build(), 1, 'Orders'), 2, 'Payments'), 3, 'Orders'), 4));

  test('is its server’s title, with its number when the title was there before, and its number where there is none', () => {
    expect([1, 2, 3, 4].map((session) => sessionName(fold, session))).toEqual(['Orders', 'Payments', 'Orders, session 3', 'session 4']);
  });

  test('over HTTP it stands where the address is about to be spoken to', () => {
    const http = new Build().life({ event: 'connecting', url: 'http://127.0.0.1/mcp', transport: 'http', title: 'Shop' });
    expect(sessionName(folded(http), 1)).toBe('Shop');
  });
});

describe('servers were connected at the same time', () => {
  test('not when one was started again, or another one after it had ended', () => {
    const build = began(new Build(), 1, 'Orders').at(10).life({ event: 'exited', asked: 'restart' });
    expect(besideEachOther(folded(began(build.at(20), 2, 'Orders')))).toBe(false);
  });

  test('when one began before the other had ended, whichever ended first', () => {
    const build = began(began(new Build(), 1).at(5), 2).at(10).life({ event: 'exited', asked: 'nobody' });
    expect(besideEachOther(folded(build))).toBe(true);
    expect(besideEachOther(folded(build.session(1).at(20).life({ event: 'exited', asked: 'quit' })))).toBe(true);
  });
});
