// What a revision forbids after a cancel, and its excuse: the golden traces of `cancel-ignored-by-revision`.
import { describe, expect, test } from 'vitest';
import { after, Build } from '../trace/build.testing';
import { HttpBuild } from '../trace/buildHttp.testing';
import { closingCancels, eraOf, MODERN } from '../wire/era';
import { judge } from './judge';

const TOOLS = [{ name: 'charge' }];
const muchLater = ({ frames }: Build) => after(frames, 60_000);
const stopped = (protocol: string): Build =>
  new Build().opened(TOOLS, 1, protocol).at(20).call(3, 'charge').at(310).stop(3).at(312).pong(3);

function findings(build: Build): readonly string[] {
  const court = judge(build.trace());
  court.advance(after(build.frames, 8000));
  return court.findings.map(({ finding }) => finding);
}

describe('cancel-ignored-by-revision', () => {
  test('yes: progress, or a result, long after the cancel had been read', () => {
    expect(findings(stopped(MODERN).at(700).progress(3))).toEqual(['cancel-ignored-by-revision']);
    expect(findings(stopped(MODERN).at(700).result(3))).toEqual(['cancel-ignored-by-revision']);
  });

  test('no: nothing came, or the revision only advises it', () => {
    expect(findings(stopped(MODERN))).toEqual([]);
    expect(findings(stopped('2025-11-25').at(700).result(3))).toEqual([]);
  });

  test('unknown: so soon that the two may have crossed', () => {
    expect(findings(stopped(MODERN).at(315).result(3))).toEqual([]);
    const unanswered = new Build().opened(TOOLS, 1, MODERN).at(20).call(3, 'charge').at(310).stop(3).at(700).result(3);
    expect(findings(unanswered)).toEqual([]);
  });
});

describe('a request for input', () => {
  const asked = (build: Build) => build.s2c({ id: 3, result: { resultType: 'input_required', inputRequests: {} } });
  const verdictOf = (build: Build) => {
    const court = judge(build.trace());
    court.advance(after(build.frames, 8000));
    return court.verdict(court.calls.find(1, 'client', 'n:3')?.index ?? -1);
  };

  test('is no end of the work: the call has not completed', () => {
    const call = verdictOf(asked(new Build().opened(TOOLS, 1, MODERN).at(20).call(3, 'charge').at(310)));
    expect(call).toMatchObject({ verdict: 'failed', reply: { state: 'in-time' } });
    expect(call?.sentence).toMatch(/^The server asked for input after .* the tool has not done its work\. Nobody stopped it\.$/);
  });

  test('after the stop it is no result either, and nothing is claimed of a write', () => {
    expect(verdictOf(asked(stopped(MODERN).at(700)))).toMatchObject({ reply: { state: 'late-error' }, effect: { state: 'not-probed' } });
  });

  test('says nothing of how long the tool takes', () => {
    const build = asked(new Build().opened(TOOLS, 1, MODERN).at(20).call(2, 'charge').at(310))
      .at(320)
      .call(3, 'charge');
    expect(verdictOf(build)?.normally).toBeUndefined();
  });
});

describe('a call of several rounds', () => {
  const first = () => new Build().opened(TOOLS, 1, MODERN).at(20).call(3, 'charge');
  const second = () => first().at(310).asks(3, 'roots/list').round('r1', 3, 'charge');
  const judged = (build: Build) => {
    const court = judge(build.trace());
    court.advance(after(build.frames, 8000));
    return { court, call: court.calls.find(1, 'client', 'n:3'), verdict: court.verdict(court.calls.find(1, 'client', 'n:3')?.index ?? -1) };
  };

  test('is one call, in flight until its last round is answered', () => {
    const { court, call, verdict } = judged(second());
    expect(court.calls.all.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    expect(call?.rounds).toMatchObject([{ key: 's:r1', of: 'n:3', asked: { asks: ['roots/list'] } }]);
    expect(verdict).toMatchObject({ verdict: 'waiting', reply: { state: 'waiting' } });
    expect(verdict?.history.map((row) => row.verdict)).toEqual(['waiting']);
  });

  test('is answered by its last round, and the ones before are told', () => {
    const { call, verdict } = judged(second().at(500).progress(3).at(600).result('r1'));
    expect(call?.progress).toHaveLength(1);
    expect(verdict).toMatchObject({ verdict: 'completed', sentence: 'Answered after 580 ms. Nobody stopped it.' });
    expect(verdict?.reply.because.map(({ says }) => says)).toEqual([
      'the server asked for input (roots/list), and request #"r1" brought it',
      'a result after 580 ms',
    ]);
  });

  test('is stopped by a cancel that names the last round', () => {
    const { verdict } = judged(second().at(700).stop('r1').at(702).pong('r1'));
    expect(verdict).toMatchObject({ verdict: 'unknown-write', stop: { state: 'sent' } });
    expect(verdict?.stop.because[0]?.says).toBe('cancel for request #"r1" written to the pipe');
  });

  test('a result of the last round after that cancel is late, and the revision forbids it', () => {
    const { court, verdict } = judged(second().at(700).stop('r1').at(702).pong('r1').at(900).result('r1'));
    expect(verdict?.verdict).toBe('late-result-write');
    expect(court.findings.map(({ finding }) => finding)).toEqual(['cancel-ignored-by-revision']);
  });

  test('a Stop between two rounds: nothing was open that could be cancelled, and the work has not been said to be done', () => {
    const build = first().at(310).asks(3).act({ act: 'round', id: 'r1', of: 3 });
    expect(judged(build).verdict).toMatchObject({ verdict: 'waiting' });
    const { verdict } = judged(build.at(400).stopAct('r1', { means: 'cancel' }, false, true));
    expect(verdict).toMatchObject({ verdict: 'finished-first', stop: { state: 'too-late' }, reply: { state: 'in-time' } });
    expect(verdict?.sentence).toMatch(/a request for input \(input_required\) before you pressed Stop: no request was open/);
  });

  test('a second answer to a round that is over decides nothing', () => {
    const { verdict } = judged(second().at(400).result(3).at(600).error('r1', 5, 'no'));
    expect(verdict).toMatchObject({ verdict: 'failed', reply: { code: 5 } });
  });

  test('over HTTP the stream of the last round is closed', () => {
    const b = new HttpBuild().openedHttp(TOOLS, { protocol: MODERN }).at(20).post(3, 'charge');
    b.at(300).onCall(3, (on) => on.begun(b.postOf(3)).asks(3, 'roots/list').end(b.postOf(3)));
    b.request({ id: 'r1' }).on(b.newest).round('r1', 3, 'charge').on(undefined);
    const last = b.newest;
    b.at(600).stopAct('r1', { means: 'cancel' }, true).cut(last);
    const { call, verdict } = judged(b);
    expect(call?.exchanges).toHaveLength(2);
    expect(verdict).toMatchObject({ verdict: 'unknown-write', stop: { state: 'stream-closed' }, reply: { state: 'none' } });
  });
});

describe('a request for news', () => {
  const listening = <B extends Build>(b: B): B =>
    b.act({ act: 'listen', id: 'l1' }).c2s({ id: 'l1', method: 'subscriptions/listen', params: {} });

  test('is open all the time, and no call: it has no verdict, is in nobody’s way and is never stuck', () => {
    const b = listening(new Build().opened(TOOLS, 1, MODERN))
      .at(20)
      .call(3, 'charge')
      .at(310)
      .stop(3)
      .at(312)
      .pong(3)
      .at(500)
      .log();
    const court = judge(b.trace());
    court.advance(muchLater(b));
    const listen = court.calls.find(1, 'client', 's:l1');
    expect([listen?.purpose, court.verdict(listen?.index ?? -1)]).toEqual(['listen', undefined]);
    // A log message counts as the stopped call’s own only while no other call is open: this one is none.
    expect(court.verdict(court.calls.find(1, 'client', 'n:3')?.index ?? -1)?.verdict).toBe('still-working');
  });

  test('over HTTP its stream may stay open for ever, and may be closed by either side', () => {
    for (const ends of ['never', 'here', 'there'] as const) {
      const b = new HttpBuild().openedHttp(TOOLS, { protocol: MODERN });
      b.request({ id: 'l1' }).on(b.newest);
      listening(b).stream(b.newest);
      if (ends === 'here') b.at(500).cut(b.newest);
      if (ends === 'there')
        b.at(500)
          .s2c({ id: 'l1', result: { resultType: 'complete' } })
          .end(b.newest);
      const court = judge(b.on(undefined).trace());
      court.advance(muchLater(b));
      expect([ends, court.findings]).toEqual([ends, []]);
    }
  });
});

describe('what the caller saw is what the client of the second line says, which is the one that speaks this revision', () => {
  const saw = (build: Build, key = 'n:3'): string | undefined => {
    const court = judge(build.trace());
    court.advance(after(build.frames, 8000));
    return court.verdict(court.calls.find(1, 'client', key)?.index ?? -1)?.callerSaw;
  };

  test('of a stop, a timeout, an end of the connection', () => {
    expect(saw(stopped(MODERN))).toBe('Error REQUEST_TIMEOUT, “user pressed stop”: the code of a timeout, the same as a failure.');
    expect(saw(stopped('2025-11-25'))).toMatch(/^Error -32001, “user pressed stop”/);
    const call = () => new Build().opened(TOOLS, 1, MODERN).at(20).call(3, 'charge').at(60);
    expect(saw(call().stopAct(3, { means: 'timeout', silent: true }, false))).toBe(
      'Error REQUEST_TIMEOUT, “Request timed out”: the same as a failure.',
    );
    expect(saw(call().life({ event: 'exited', code: 1, asked: 'nobody' }))).toMatch(/^Error CONNECTION_CLOSED, “Connection closed”/);
  });

  test('of a closed stream', () => {
    const b = new HttpBuild().openedHttp(TOOLS, { protocol: MODERN }).at(20).post(3, 'charge').at(310).close(3);
    expect(saw(b)).toBe('Error REQUEST_TIMEOUT: the code of a timeout, the same as a failure.');
  });

  test('of a request for input', () => {
    const call = () => new Build().opened(TOOLS, 1, MODERN).at(20).call(3, 'charge').at(60);
    expect(saw(call().asks(3, 'elicitation/create'))).toMatch(
      /registered that answers elicitation\/create; else error CAPABILITY_NOT_SUPPORTED/,
    );
    expect(saw(call().asks(3))).toBe('Nothing yet: the request is sent once more.');
  });
});

describe('an error of the protocol’s own', () => {
  test('is said in words', () => {
    const build = new Build().opened(TOOLS, 1, MODERN).at(20).call(3, 'charge').at(60);
    build.s2c({ id: 3, error: { code: -32022, message: 'no', data: { supported: ['2027-01-01'] } } });
    const court = judge(build.trace());
    court.advance(after(build.frames, 8000));
    expect(court.verdict(court.calls.find(1, 'client', 'n:3')?.index ?? -1)?.sentence).toBe(
      'Answered with error -32022 (the server does not speak the revision that was asked for; it speaks 2027-01-01) after 40 ms. Nobody stopped it.',
    );
  });
});

describe('what a revision says', () => {
  test('closing a stream is the cancel in one revision, over one transport', () => {
    expect(closingCancels(MODERN, 'http')).toBe(true);
    expect(closingCancels(MODERN, 'stdio')).toBe(false);
    expect(closingCancels('2025-11-25', 'http')).toBe(false);
    expect(closingCancels(undefined, 'http')).toBe(false);
  });

  test('a revision that is not known has the rules of the last before it', () => {
    expect(eraOf('2025-12-01')).toBe(eraOf('2025-11-25'));
    expect(eraOf('2027-01-01')).toBe(eraOf(MODERN));
    expect(eraOf('2024-11-05').disconnect).toBe('unsaid');
  });
});
