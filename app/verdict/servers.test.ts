// Several servers in one trace: what is seen at one is never the doing of a call of another, although probes, request ids
// and tools of the same names may be on both. Golden traces, as for the headlines.
import { describe, expect, test } from 'vitest';
import { fromMs } from '../base/time';
import { Build, traceOf } from '../trace/build.testing';
import { judge } from './judge';

const WRITER = { name: 'charge' };
const A = 1;
const B = 2;
const probed = { probes: ['ledger'], normally: 400 };

/** Two servers with a probe of the same name each, at places of their own or at one. */
const two = (placeOfA = '/a/ledger', placeOfB = '/b/ledger'): Build =>
  new Build()
    .opened([WRITER])
    .watching('ledger', false, placeOfA)
    .session(B)
    .opened([WRITER])
    .watching('ledger', false, placeOfB)
    .session(A)
    .at(20);

const court = (build: Build, until = 8000) => {
  const judged = judge(traceOf(build.frames));
  judged.advance(fromMs(until));
  const of = (session: number) => {
    const call = judged.calls.all.findLast((one) => one.session === session && one.tool === 'charge');
    const verdict = judged.verdict(call?.index ?? -1);
    if (!verdict) throw new Error(`no verdict on the call of session ${session}`);
    const { effect } = verdict;
    return {
      verdict: verdict.verdict,
      certainty: effect.certainty,
      effect: effect.state,
      seen: effect.observations.map(({ says }) => says),
    };
  };
  return { judged, a: of(A), b: of(B) };
};

describe('probes of the same name on two servers', () => {
  test('what the one sees after the stop is a breach there, and nothing at all on the other', () => {
    const build = two()
      .call(3, 'charge', probed)
      .session(B)
      .call(3, 'charge', probed)
      .at(310)
      .session(A)
      .stop(3)
      .session(B)
      .stop(3)
      .at(312)
      .pong(3)
      .session(A)
      .pong(3)
      .session(B)
      .seen('ledger', 387, 397, { says: 'a line of B' });
    const { a, b } = court(build);
    expect(b).toEqual({ verdict: 'write-after-cancel', certainty: 'proved', effect: 'after', seen: ['a line of B'] });
    expect(a).toMatchObject({ verdict: 'quiet', effect: 'not-seen', seen: [] });
  });

  test('each call has its own line, and both are proved although both were open', () => {
    const build = two()
      .call(3, 'charge', probed)
      .session(B)
      .call(3, 'charge', probed)
      .session(A)
      .at(310)
      .stop(3)
      .at(312)
      .pong(3)
      .seen('ledger', 387, 397, { says: 'a line of A' })
      .session(B)
      .seen('ledger', 400, 410, { says: 'a line of B' })
      .at(420)
      .result(3);
    const { a, b } = court(build);
    expect(a).toEqual({ verdict: 'write-after-cancel', certainty: 'proved', effect: 'after', seen: ['a line of A'] });
    expect(b).toEqual({ verdict: 'completed', certainty: 'proved', effect: 'observed', seen: ['a line of B'] });
  });

  test('a gap, the end and the readings of one say nothing about the other', () => {
    const stopped = two().call(3, 'charge', probed).session(B).call(3, 'charge', probed).at(310).stop(3).session(A).stop(3).at(312);
    const build = stopped.pong(3).session(B).pong(3).gap('ledger', 400, 600).session(A).clear('ledger', 15, 3400);
    const { a, b } = court(build);
    expect(b.effect).toBe('watch-gap');
    expect(a).toMatchObject({ verdict: 'stopped', effect: 'not-seen' });
  });

  test('a reading is wanted of the one whose call waits for it', () => {
    const build = two()
      .call(3, 'charge', { probes: ['ledger'] })
      .session(B)
      .call(3, 'charge', { probes: ['ledger'] })
      .at(310)
      .stop(3);
    const { judged } = court(build, 3320);
    expect(judged.due(fromMs(3320))).toEqual([{ session: B, probe: 'ledger' }]);
  });
});

describe('probes of two servers on the same place', () => {
  test('a line may be either call’s while both are open: inferred on both, proved on none', () => {
    const build = two('/shared', '/shared')
      .call(3, 'charge', probed)
      .session(B)
      .call(3, 'charge', probed)
      .session(A)
      .at(310)
      .stop(3)
      .at(312)
      .pong(3)
      .seen('ledger', 387, 397)
      .session(B)
      .seen('ledger', 387, 399);
    const { a, b } = court(build);
    expect(a).toMatchObject({ effect: 'after', certainty: 'inferred' });
    expect(b).toMatchObject({ effect: 'observed', seen: ['1 line appended'] });
    expect(b.certainty).toBe('inferred');
  });

  test('with only one of them open it is that one’s', () => {
    const build = two('/shared', '/shared').call(3, 'charge', probed).seen('ledger', 100, 110).at(120).result(3);
    build.session(B).at(200).call(3, 'charge', probed).seen('ledger', 300, 310).at(320).result(3);
    const { a, b } = court(build);
    expect([a.certainty, a.seen.length]).toEqual(['proved', 1]);
    expect([b.certainty, b.seen.length]).toEqual(['proved', 1]);
  });

  test('a server that is started again meets its own call of before', () => {
    const build = new Build().opened([WRITER]).watching('ledger').at(20).call(3, 'charge', probed).at(300);
    build.life({ event: 'exited', asked: 'kill' }).ended('ledger').session(B).opened([WRITER]).watching('ledger');
    const { b } = court(build.at(400).call(3, 'charge', probed).seen('ledger', 500, 510).at(520).result(3));
    expect(b).toMatchObject({ effect: 'observed', seen: ['1 line appended'] });
    expect(b.certainty).toBe('inferred');
  });
});
