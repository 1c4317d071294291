// The golden traces of HTTP: for every rule that reads exchanges one trace where it applies, one that is like it and where it
// does not, and one where the honest answer is that it cannot be known. Beside them stands how the servers that people have
// differ over the same Stop, exchange by exchange as they were measured.
import { HttpBuild } from '../trace/buildHttp.testing';
import { MODERN } from '../wire/era';
import type { Golden } from './golden.testing';
import type { Certainty, EffectState, FindingName, Headline, ReplyState, Severity, StopState } from './verdict';

/** What only HTTP has: three values of lane "stop" and a flag, one of lane "reply", two findings; and pictures of whole servers. */
export const HTTP_RULES = [
  'stream-closed',
  'wrong-means',
  'undelivered',
  'not-sent',
  'lost',
  'stream-never-ended',
  'cancel-overtook-call',
] as const;
export type HttpRule = (typeof HTTP_RULES)[number];

export interface HttpGolden extends Omit<Golden, 'rule'> {
  readonly rule: HttpRule | 'server';
  readonly findings: readonly FindingName[];
  /** A part of the sentence. */
  readonly says: string;
}

type Lanes = readonly [Headline, Severity, Certainty, StopState, ReplyState, EffectState];

interface Told {
  readonly lanes: Lanes;
  readonly says: string;
  readonly findings?: readonly FindingName[];
  readonly until?: number;
}

const golden = (rule: HttpGolden['rule'], answer: Golden['answer'], story: string, build: HttpBuild, told: Told): HttpGolden => {
  const [verdict, severity, certainty, stop, reply, effect] = told.lanes;
  return {
    rule,
    answer,
    story,
    frames: build.frames,
    until: told.until ?? 12_000,
    key: 'n:3',
    expect: { verdict, severity, certainty, stop, reply, effect },
    findings: told.findings ?? [],
    says: told.says,
  };
};

const WRITER = { name: 'charge' };
const READER = { name: 'search', annotations: { readOnlyHint: true } };
const TOOLS = [WRITER, READER];
const quick = { probes: ['ledger'], normally: 2000 };

/** Sessions of the servers that there are; each has a probe on its ledger. */
const watched = (build: HttpBuild): HttpBuild => build.at(15).watching('ledger').at(20);
const stateful = (): HttpBuild => watched(new HttpBuild().openedHttp(TOOLS));
const stateless = (): HttpBuild => watched(new HttpBuild().openedHttp(TOOLS, { stateful: false }));
const json = (): HttpBuild => watched(new HttpBuild().openedHttp(TOOLS, { head: 'json' }));
const older = (): HttpBuild => watched(new HttpBuild().openedHttp(TOOLS, { transport: 'sse', protocol: '2024-11-05' }));

/** A server of the revision in which closing the stream is the cancel. */
const modern = (): HttpBuild => watched(new HttpBuild().openedHttp(TOOLS, { protocol: MODERN }));

/** A call whose response stream has begun, as every server does that answers with streams. */
const streaming = (build: HttpBuild, tool = 'charge', options = {}): HttpBuild => {
  const called = build.at(20).post(3, tool, options);
  return called.at(22).stream(called.postOf(3));
};

export const HTTP_GOLDEN: readonly HttpGolden[] = [
  golden(
    'stream-closed',
    'yes',
    '2026-07-28: the stream is closed, and the line appears all the same',
    writes(streaming(modern(), 'charge', quick).at(1000).close(3)),
    { lanes: ['write-after-cancel', 'breach', 'proved', 'stream-closed', 'none', 'after'], says: 'The write landed' },
  ),
  golden(
    'stream-closed',
    'no',
    'the same cut in the revision before tells nobody',
    writes(streaming(stateful(), 'charge', quick).at(1000).drop(3)),
    { lanes: ['never-told', 'breach', 'proved', 'not-sent', 'none', 'after'], says: 'never told' },
  ),
  golden(
    'stream-closed',
    'unknown',
    '2026-07-28: closed before the first byte, and nobody watched: nothing can be heard any more',
    modern().at(20).post(3, 'charge').at(1000).close(3),
    { lanes: ['unknown-write', 'warn', 'unknown', 'stream-closed', 'none', 'not-probed'], says: 'nothing can be heard after it' },
  ),
  golden(
    'wrong-means',
    'yes',
    '2026-07-28: the notification is posted, and the line appears: the server had not been told',
    writes(streaming(modern(), 'charge', quick).at(1000).accepted(3)),
    {
      lanes: ['invalid-cancel', 'warn', 'proved', 'sent', 'none', 'after'],
      says: 'wrong means for this call',
    },
  ),
  golden(
    'wrong-means',
    'no',
    '2026-07-28: the stream was closed, and a probe outlasted the call',
    streaming(modern(), 'charge', quick).at(1000).close(3).clear('ledger', 15, 4600),
    { lanes: ['stopped', 'ok', 'inferred', 'stream-closed', 'none', 'not-seen'], says: 'nothing was seen in ledger' },
  ),
  golden(
    'wrong-means',
    'unknown',
    'no revision was agreed upon yet: the rules that accuse the least',
    (() => {
      const b = new HttpBuild().life({ event: 'connecting', url: 'http://127.0.0.1:3000/mcp', transport: 'http' });
      const called = b.at(20).post(3, 'charge').at(22);
      return called.stream(called.postOf(3)).at(1000).accepted(3);
    })(),
    { lanes: ['unknown-write', 'warn', 'unknown', 'sent', 'none', 'not-probed'], says: 'assume', findings: ['stream-never-ended'] },
  ),
  golden(
    'undelivered',
    'yes',
    'the POST of the cancel is answered 500, and the line appears',
    writes(streaming(stateful(), 'charge', quick).at(1000).accepted(3, 2, 500)),
    {
      lanes: ['never-told', 'breach', 'proved', 'undelivered', 'none', 'after'],
      says: 'The server was never told to stop: POST #6, which carried the cancel, was answered 500.',
    },
  ),
  golden(
    'undelivered',
    'no',
    'it is answered 202, by whatever has answered',
    writes(streaming(stateful(), 'charge', quick).at(1000).accepted(3)),
    {
      lanes: ['write-after-cancel', 'breach', 'proved', 'sent', 'none', 'after'],
      says: 'The write landed',
      findings: ['stream-never-ended'],
    },
  ),
  golden(
    'undelivered',
    'unknown',
    'the POST was written and its connection reset before any answer: it may have been read',
    (() => {
      const b = streaming(stateful()).at(1000).postCancel(3);
      return b.at(1004).fail(b.newest, { phase: 'head' });
    })(),
    {
      lanes: ['never-told', 'warn', 'inferred', 'undelivered', 'none', 'not-probed'],
      says: 'Nothing shows that the server was told to stop: POST #6, which carried the cancel, failed (the connection was reset): whether it was read is not known.',
    },
  ),
  golden(
    'not-sent',
    'yes',
    'SDK 1.x: the connection is dropped, and the work goes on to its end',
    writes(streaming(stateful(), 'charge', quick).at(1000).drop(3)),
    {
      lanes: ['never-told', 'breach', 'proved', 'not-sent', 'none', 'after'],
      says: 'a disconnect is not a cancel here (since 2025-03-26)',
    },
  ),
  golden(
    'not-sent',
    'no',
    'dropped when the answer had come',
    answered(streaming(stateful(), 'search'), 900).at(1000).stopAct(3, { means: 'drop' }, false, true),
    {
      lanes: ['finished-first', 'info', 'proved', 'too-late', 'in-time', 'none-expected'],
      says: 'The call had been answered before you pressed Stop',
    },
  ),
  golden(
    'not-sent',
    'unknown',
    'SDK 2.x: dropped, and nothing is seen for longer than the call would have needed; that it stopped is not the revision’s doing',
    streaming(stateless(), 'charge', quick).at(1000).drop(3).clear('ledger', 15, 4600),
    {
      lanes: ['never-told', 'warn', 'proved', 'not-sent', 'none', 'not-seen'],
      says: 'this server may stop when its connection is dropped',
    },
  ),
  golden(
    'lost',
    'yes',
    'the response stream is torn in mid-call',
    (() => {
      const b = streaming(stateful());
      return b.at(700).fail(b.postOf(3));
    })(),
    {
      lanes: ['lost', 'warn', 'unknown', 'none', 'lost', 'not-probed'],
      says: 'POST #5 broke off before any reply (the connection was reset)',
    },
  ),
  golden(
    'lost',
    'no',
    'the server closes the stream for polling; the client takes it up again, and the answer comes by that',
    (() => {
      const b = polled(stateful()).at(800).request({ method: 'GET', purpose: 'stream', resumes: 'ev-1' });
      return b.stream(b.newest).at(1500).on(b.newest).result(3).on(undefined).end(b.newest);
    })(),
    { lanes: ['completed', 'ok', 'proved', 'none', 'in-time', 'not-probed'], says: 'Answered after 1.48 s' },
  ),
  golden('lost', 'unknown', 'closed for polling, and not taken up again yet: an answer may still come', polled(stateful()), {
    lanes: ['waiting', 'info', 'proved', 'none', 'waiting', 'not-probed'],
    says: 'In flight',
    until: 900,
  }),
  golden(
    'stream-never-ended',
    'yes',
    'SDK 1.x with sessions: the POST silences the call, and its response stream stays open',
    streaming(stateful()).at(1000).accepted(3),
    {
      lanes: ['unknown-write', 'warn', 'unknown', 'sent', 'none', 'not-probed'],
      says: 'Silence since the cancel',
      findings: ['stream-never-ended'],
    },
  ),
  golden(
    'stream-never-ended',
    'no',
    'the server ends the stream when it has stopped, without a reply',
    (() => {
      const b = streaming(stateful()).at(1000).accepted(3);
      return b.at(1008).end(b.postOf(3));
    })(),
    { lanes: ['unknown-write', 'warn', 'unknown', 'sent', 'none', 'not-probed'], says: 'Silence since the cancel' },
  ),
  golden(
    'stream-never-ended',
    'unknown',
    'the settle window is not over: it may still be ended',
    streaming(stateful()).at(1000).accepted(3),
    {
      lanes: ['settling', 'info', 'unknown', 'sent', 'none', 'not-probed'],
      says: 'The stop was a moment ago',
      until: 2500,
    },
  ),
  golden(
    'cancel-overtook-call',
    'yes',
    'a cancel 1 ms behind a large call is answered first; the call runs on as if nothing had been asked',
    (() => {
      const b = stateful().at(20).post(3, 'search').at(21).accepted(3, 1).at(30);
      return answered(b.stream(b.postOf(3)), 2020);
    })(),
    {
      lanes: ['late-result', 'note', 'proved', 'sent', 'late-result', 'none-expected'],
      says: 'this server does not connect the two',
      findings: ['cancel-overtook-call'],
    },
  ),
  golden(
    'cancel-overtook-call',
    'no',
    'the head of the call’s response had come before the cancel was written',
    answered(streaming(stateful(), 'search').at(23).accepted(3, 1), 2020),
    { lanes: ['late-result', 'note', 'proved', 'sent', 'late-result', 'none-expected'], says: 'this server does not connect the two' },
  ),
  golden(
    'cancel-overtook-call',
    'unknown',
    'JSON mode: no head comes before the answer, and none ever came',
    json().at(20).post(3, 'search').at(21).accepted(3, 1),
    {
      lanes: ['unknown-read', 'info', 'unknown', 'sent', 'none', 'none-expected'],
      says: 'Silence since the cancel',
      findings: ['stream-never-ended'],
    },
  ),
  golden(
    'server',
    'yes',
    'SDK 1.x without sessions: 202 from another instance, the line, and the late result on the first stream',
    answered(writes(streaming(stateless(), 'charge', quick).at(1000).accepted(3)), 2040),
    {
      lanes: ['write-after-cancel', 'breach', 'proved', 'sent', 'late-result', 'after'],
      says: 'On a stateless server every request stands alone: the POST was accepted (202), and the call ran on: this server does not connect the two.',
    },
  ),
  golden('server', 'yes', 'SDK 2.x: the POST of the cancel does nothing', answered(streaming(stateless()).at(1000).accepted(3), 2040), {
    lanes: ['late-result-write', 'warn', 'inferred', 'sent', 'late-result', 'claimed'],
    says: 'this server does not connect the two',
  }),
  golden(
    'server',
    'yes',
    'go-sdk 1.8: an isError result that says "context canceled" within 8 ms',
    (() => {
      const b = streaming(stateful(), 'charge', quick).at(1000).accepted(3);
      b.at(1008).onCall(3, (call) => call.result(3, 'failed to patch: context canceled', true));
      return b.end(b.postOf(3)).clear('ledger', 15, 4600);
    })(),
    { lanes: ['acknowledged', 'note', 'inferred', 'sent', 'acknowledged', 'not-seen'], says: 'The server answered "cancelled"' },
  ),
  golden(
    'server',
    'yes',
    'JSON mode with sessions: not even the head of a response comes any more',
    json().at(20).post(3, 'charge', quick).at(1000).accepted(3).clear('ledger', 15, 4600),
    {
      lanes: ['stopped', 'ok', 'inferred', 'sent', 'none', 'not-seen'],
      says: 'Nothing came back',
      findings: ['stream-never-ended'],
    },
  ),
  golden(
    'server',
    'yes',
    'HTTP+SSE: the POST is only accepted, the reply comes late by the session’s one stream',
    (() => {
      const b = older().at(20).post(3, 'charge').at(21);
      b.respond(b.postOf(3), 202, 'none').end(b.postOf(3));
      return b.at(1000).accepted(3).at(2020).on(1).result(3).on(undefined);
    })(),
    { lanes: ['late-result-write', 'warn', 'inferred', 'sent', 'late-result', 'claimed'], says: 'this server does not connect the two' },
  ),
  golden(
    'server',
    'unknown',
    'HTTP+SSE: the session’s one stream breaks, and every answer with it',
    (() => {
      const b = older().at(20).post(3, 'charge').at(21);
      return b.respond(b.postOf(3), 202, 'none').end(b.postOf(3)).at(700).fail(1);
    })(),
    { lanes: ['lost', 'warn', 'unknown', 'none', 'lost', 'not-probed'], says: 'GET #1 broke off before any reply' },
  ),
  golden(
    'server',
    'unknown',
    'HTTP+SSE: another call’s connection is dropped, and it was everybody’s',
    (() => {
      const b = older().at(20).post(3, 'charge').at(21);
      b.respond(b.postOf(3), 202, 'none').end(b.postOf(3)).at(30).post(4, 'search').at(31);
      return b.respond(b.postOf(4), 202, 'none').end(b.postOf(4)).at(700).stopAct(4, { means: 'drop' }, false).cut(1);
    })(),
    { lanes: ['lost', 'warn', 'unknown', 'none', 'lost', 'not-probed'], says: 'GET #1 was closed from here' },
  ),
  golden(
    'server',
    'unknown',
    'the cancel’s POST has no status yet: a result in the meantime has crossed it',
    answered(streaming(stateful(), 'search').at(1000).postCancel(3), 1400),
    { lanes: ['crossed', 'info', 'unknown', 'sent', 'crossed', 'none-expected'], says: 'crossed on the wire' },
  ),
  golden(
    'server',
    'unknown',
    'no status for the cancel, and nothing seen: "stopped" is not said',
    streaming(stateful(), 'charge', quick).at(1000).postCancel(3).clear('ledger', 15, 4600),
    {
      lanes: ['quiet', 'info', 'unknown', 'sent', 'none', 'not-seen'],
      says: 'POST #6 with the cancel has not been answered: it may not even have been read',
      findings: ['stream-never-ended'],
    },
  ),
  golden(
    'server',
    'yes',
    'the stream that is left open ends with its session only: the DELETE of the client ends it',
    (() => {
      const b = streaming(stateful()).at(1000).accepted(3).at(5000).request({ method: 'DELETE', purpose: 'end' });
      return b.at(5002).respond(b.newest, 200, 'none').end(b.postOf(3)).end(b.newest).at(5004).life({ event: 'closed' });
    })(),
    {
      lanes: ['unknown-write', 'warn', 'unknown', 'sent', 'none', 'not-probed'],
      says: 'Silence since the cancel',
      findings: ['stream-never-ended'],
    },
  ),
  golden(
    'server',
    'no',
    'a resumption token made the SDK send something else: the cancel never left',
    streaming(stateful())
      .at(1000)
      .stopAct(3, { means: 'cancel' }, true)
      .act({ act: 'undelivered', id: 3, why: 'the SDK opened a stream in its place' }),
    {
      lanes: ['never-told', 'warn', 'proved', 'undelivered', 'none', 'not-probed'],
      says: 'the cancel never reached the wire: the SDK opened a stream in its place',
    },
  ),
  golden(
    'server',
    'no',
    'a proxy answers the call with 502 and a page',
    (() => {
      const b = stateful().at(20).post(3, 'charge').at(500);
      return b.respond(b.postOf(3), 502, 'html').end(b.postOf(3), 900);
    })(),
    { lanes: ['lost', 'warn', 'unknown', 'none', 'lost', 'not-probed'], says: 'POST #5 was answered 502 and brought no reply' },
  ),
  golden(
    'server',
    'no',
    'a page with status 200 in the place of an answer',
    (() => {
      const b = stateful().at(20).post(3, 'charge').at(500);
      return b.respond(b.postOf(3), 200, 'html').end(b.postOf(3), 900);
    })(),
    {
      lanes: ['lost', 'warn', 'unknown', 'none', 'lost', 'not-probed'],
      says: 'POST #5, answered 200 with text/html, ended without a reply',
    },
  ),
  golden(
    'server',
    'no',
    'a login in between: the request is sent again, and is one call',
    (() => {
      const b = stateful().at(20).post(3, 'search').at(30);
      b.respond(b.postOf(3), 401, 'none').end(b.postOf(3)).at(300).request({ id: 3 });
      b.on(b.newest)
        .c2s({ id: 3, method: 'tools/call', params: { name: 'search', arguments: {} } })
        .at(400)
        .stream(b.newest)
        .result(3);
      return b.on(undefined).end(b.newest);
    })(),
    { lanes: ['completed', 'ok', 'proved', 'none', 'in-time', 'none-expected'], says: 'Answered after 380 ms' },
  ),
  golden('server', 'unknown', 'the token is not taken any more and is being renewed: the request is about to be sent again', renewing(), {
    lanes: ['waiting', 'info', 'proved', 'none', 'waiting', 'none-expected'],
    says: 'In flight',
  }),
  golden(
    'server',
    'yes',
    'the token is not taken any more and cannot be renewed',
    renewing().at(100).life({ event: 'auth', step: 'refresh', ok: false, says: 'It cannot be renewed.' }),
    { lanes: ['lost', 'warn', 'unknown', 'none', 'lost', 'none-expected'], says: 'POST #5 was answered 401' },
  ),
];

/** A call whose token was refused, which the client sets about to renew. */
function renewing(): HttpBuild {
  const b = stateful()
    .at(20)
    .request({ id: 3, headers: { authorization: 'Bearer •••' } });
  b.on(b.newest)
    .c2s({ id: 3, method: 'tools/call', params: { name: 'search', arguments: {} } })
    .on(undefined);
  b.at(30).respond(b.newest, 401, 'none').end(b.newest);
  return b.life({ event: 'auth', step: 'challenge', ok: true, says: 'It does not take the token any more.' });
}

/** The line in the ledger, at its time of two seconds. */
function writes(build: HttpBuild): HttpBuild {
  return build.seen('ledger', 2010, 2020);
}

/** The reply on the call's own response, which ends with it. */
function answered(build: HttpBuild, ms: number): HttpBuild {
  return build
    .at(ms)
    .onCall(3, (call) => call.result(3))
    .end(build.postOf(3), 400);
}

/** A response stream that gives an id out and is closed by the server, for polling (2025-11-25). */
function polled(build: HttpBuild): HttpBuild {
  const b = streaming(build);
  return b.event(b.postOf(3), 'ev-1', 500).at(200).end(b.postOf(3));
}
