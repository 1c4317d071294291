// Which exchanges carry what of a call, and when no answer can come any more; whatever the order in which wires are appended.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromMs } from '../base/time';
import type { Frame } from '../wire/frame';
import { traceOf } from './build.testing';
import { HttpBuild } from './buildHttp.testing';
import { calls } from './calls';
import { cargoOf, carriersOf, closingOf } from './exchanges';

function folded(frames: readonly Frame[]) {
  const fold = calls(traceOf(frames));
  fold.take();
  const call = fold.find(1, 'client', 'n:3');
  const session = fold.sessions.get(1);
  if (!call || !session) throw new Error('expected call 3');
  return { call, session };
}
const carriers = (frames: readonly Frame[]): readonly number[] => {
  const { call, session } = folded(frames);
  return carriersOf(call, session).map(({ number }) => number);
};
const closing = (frames: readonly Frame[]): string | undefined => {
  const { call, session } = folded(frames);
  const found = closingOf(call, session);
  return found && `${found.how} by ${found.exchange.number} at ${found.t / 1e6}`;
};

/** A call whose stream, by exchange 1, gave out the id `a` and ended. */
const polled = (): HttpBuild => new HttpBuild().at(10).post(3, 'charge').at(11).stream(1).event(1, 'a').at(20).end(1);
const resume = (b: HttpBuild, resumes: string, id?: number): HttpBuild =>
  b.request({ method: 'GET', purpose: 'stream', resumes, ...(id === undefined ? {} : { id }) });

describe('the way of an answer', () => {
  test('goes on by the streams that take it up, link by link', () => {
    const b = resume(polled().at(30), 'a');
    b.at(31).stream(2).event(2, 'b').at(40).end(2);
    expect(carriers(resume(b.at(50), 'b').frames)).toEqual([1, 2, 3]);
    expect(closing(b.frames)).toBe(undefined);
  });

  test('goes on by a stream that names the request, or one whose event came with a message', () => {
    expect(carriers(resume(polled().at(30), 'of a message', 3).frames)).toEqual([1, 2]);
    expect(carriers(resume(polled().at(30), 'of a message', 4).frames)).toEqual([1]);
    expect(carriers(resume(polled().at(30), 'of a message').frames)).toEqual([1, 2]);
    // Before the response had ended there was nothing to take up.
    const early = resume(new HttpBuild().at(10).post(3, 'charge').at(11).stream(1).at(15), 'of a message').at(20).end(1);
    expect([carriers(early.frames), closing(early.frames)]).toEqual([[1], 'ended by 1 at 20']);
  });

  test('is not another call’s', () => {
    const b = polled().at(21).post(4, 'charge').at(22).stream(2).event(2, 'other').at(23).end(2);
    expect(carriers(resume(b.at(30), 'other').frames)).toEqual([1]);
  });

  test.each([
    ['refused by 1 at 12', new HttpBuild().at(10).post(3, 'charge').at(12).respond(1, 502, 'html').end(1)],
    ['failed by 1 at 12', new HttpBuild().at(10).post(3, 'charge').at(12).fail(1, { phase: 'head' })],
    ['dropped by 1 at 12', new HttpBuild().at(10).post(3, 'charge').at(11).stream(1).event(1, 'a').at(12).cut(1)],
    ['refused by 2 at 31', resume(polled().at(30), 'a').at(31).respond(2, 405, 'none')],
    [undefined, polled()],
    [undefined, new HttpBuild().at(10).post(3, 'charge').at(11).stream(1).event(1, 'a').at(12).fail(1)],
  ])('is closed: %s', (how, b) => expect(closing(b.frames)).toBe(how));
});

test('a cancel that is posted before its call has been written is the call’s all the same', () => {
  const b = new HttpBuild().at(10).request({ id: 3, bytes: 3_000_000 }).at(11).request({ cancels: 3 }).on(2).cancelled(3).on(undefined);
  const { frames } = b.at(20).on(1).call(3, 'charge', { fence: false });
  const { call } = folded(frames);
  expect([call.exchanges, call.cancelExchanges, call.cancels].map((list) => list.length)).toEqual([1, 1, 1]);
  expect([call.cancels[0]?.t, call.sent.t]).toEqual([fromMs(11), fromMs(20)]);
});

test('what is appended in another order folds to the same exchanges', () => {
  const b = resume(polled().at(30), 'a');
  b.at(31).stream(2).at(35).postCancel(3).at(36).respond(3, 202, 'none').end(3).at(40).on(2).result(3).on(undefined).end(2);
  const say = (frames: readonly Frame[]) => {
    const { call, session } = folded(frames);
    const all = [...carriersOf(call, session), ...call.cancelExchanges];
    return all.map((exchange) => [exchange.number, cargoOf(exchange), exchange.response?.t, exchange.opened?.t, exchange.end?.t]);
  };
  const wire = (frame: Frame): number => (frame.dir === 's2c' ? 1 : 0);
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: b.frames.length, maxLength: b.frames.length }), (ins) => {
      const queues = [b.frames.filter((frame) => wire(frame) === 0), b.frames.filter((frame) => wire(frame) === 1)];
      const mixed = ins.flatMap((inFirst): Frame[] => {
        const next = queues[inFirst ? 1 : 0]?.shift() ?? queues[inFirst ? 0 : 1]?.shift();
        return next ? [next] : [];
      });
      expect(say(mixed.map((frame, seq) => ({ ...frame, seq })))).toEqual(say(b.frames));
    }),
    { numRuns: 50 },
  );
});
