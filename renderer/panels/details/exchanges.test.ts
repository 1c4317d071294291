// The HTTP section of the details, as it is read.
import { describe, expect, test } from 'vitest';
import { fromMs } from '../../../app/base/time';
import { HttpBuild } from '../../../app/trace/buildHttp.testing';
import { MODERN } from '../../../app/wire/era';
import { modelOf } from '../../timeline/shop.testing';
import { exchangeLines, worthOf } from './exchanges';

function read(b: HttpBuild, nowMs: number): readonly string[] {
  const model = modelOf(b.frames, nowMs);
  const call = model.calls.find(1, 'client', 'n:3');
  const session = model.calls.sessions.get(1);
  const verdict = call && model.verdict(call.index);
  if (!call || !session || !verdict) throw new Error('expected a verdict on call 3');
  const lines = exchangeLines(call, session, fromMs(nowMs)).map(({ name, carries, says }) => `${name} ${carries}: ${says.join(', ')}`);
  return [...lines, ...worthOf(call, session, verdict.stop)];
}

const called = (stateful = true): HttpBuild => {
  const b = new HttpBuild().openedHttp([], { stateful }).at(100).post(3, 'charge');
  return b.at(110).stream(b.postOf(3)).at(300);
};

describe('the exchanges of a call', () => {
  test('that was cancelled, with what 202 is worth', () => {
    expect(read(called().accepted(3, 2), 12_110)).toEqual([
      'POST #5 the request: 200 after 10 ms, stream open for 12 s so far',
      'POST #6 the cancel: 202 after 2 ms',
      '202 says that something received the cancel. It need not be the instance that runs the call, and it says nothing about whether anything stopped.',
    ]);
    expect(read(called(false).accepted(3, 2), 12_110).at(-1)).toContain('each request stands alone');
  });

  test('whose cancel has no answer yet', () => {
    expect(read(called().postCancel(3), 1300).at(-1)).toBe('POST #6 the cancel: no answer for 1 s so far');
  });

  test('whose connection was dropped', () => {
    const [post, worth] = read(called().drop(3), 1300);
    expect(post).toBe('POST #5 the request: 200 after 10 ms, stream open for 190 ms, dropped from here');
    expect(worth).toContain('A disconnect is not a cancel in this revision.');
  });

  test('whose stream was closed, where that is the cancel', () => {
    const b = new HttpBuild().openedHttp([], { protocol: MODERN }).at(100).post(3, 'charge');
    const [post, worth] = read(b.at(110).stream(b.postOf(3)).at(300).close(3), 1300);
    expect(post).toContain('closed from here: that is the cancel');
    expect(worth).toContain('no status can say that anything received it');
  });

  test('whose stream was taken up again', () => {
    const b = called();
    b.event(b.postOf(3), 'ev-1').at(400).end(b.postOf(3), 90);
    b.at(900).request({ method: 'GET', purpose: 'stream', resumes: 'ev-1' });
    expect(read(b.at(905).stream(b.newest).at(1000).on(b.newest).result(3), 1105).at(-1)).toBe(
      'GET #6 takes up its stream: 200 after 5 ms, stream open for 200 ms so far',
    );
  });
});
