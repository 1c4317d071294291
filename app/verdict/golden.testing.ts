// The golden traces: for every headline one trace where it is the verdict, one that is like it and where it is not, and
// one where the honest answer is that it cannot be known. Each is a story in a few frames.
import { fromMs } from '../base/time';
import { Build } from '../trace/build.testing';
import type { Frame } from '../wire/frame';
import type { Certainty, EffectState, Headline, ReplyState, Severity, StopState } from './verdict';

export interface Golden {
  readonly rule: Headline;
  readonly answer: 'yes' | 'no' | 'unknown';
  readonly story: string;
  readonly frames: readonly Frame[];
  /** How far time has come, in ms. */
  readonly until: number;
  /** Typed key of the call that is judged; its newest occurrence. */
  readonly key: string;
  readonly expect: {
    readonly verdict: Headline;
    readonly severity: Severity;
    readonly certainty: Certainty;
    readonly stop: StopState;
    readonly reply: ReplyState;
    readonly effect: EffectState;
  };
}

const WRITER = { name: 'charge' };
const READER = { name: 'search', annotations: { readOnlyHint: true } };
const start = (): Build => new Build().opened([WRITER, READER]).at(5).watching('ledger').at(10);

type Lanes = readonly [Headline, Severity, Certainty, StopState, ReplyState, EffectState];
const golden = (rule: Headline, answer: Golden['answer'], story: string, build: Build, lanes: Lanes, until = 8000, key = 'n:3'): Golden => {
  const [verdict, severity, certainty, stop, reply, effect] = lanes;
  return { rule, answer, story, frames: build.frames, until, key, expect: { verdict, severity, certainty, stop, reply, effect } };
};

const probed = { probes: ['ledger'] };
const quick = { probes: ['ledger'], normally: 400 };

export const GOLDEN: readonly Golden[] = [
  golden(
    'write-after-cancel',
    'yes',
    'the line appears 87 ms after the cancel, which had been read',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).seen('ledger', 387, 397),
    ['write-after-cancel', 'breach', 'proved', 'sent', 'none', 'after'],
  ),
  golden(
    'write-after-cancel',
    'no',
    'the line was there before the cancel left',
    start().call(3, 'charge', quick).seen('ledger', 200, 210).at(310).stop(3).at(312).pong(3),
    ['write-before-cancel', 'warn', 'proved', 'sent', 'none', 'before'],
  ),
  golden(
    'write-after-cancel',
    'unknown',
    'others write to the same place: it may not be this call',
    new Build()
      .opened([WRITER])
      .at(5)
      .watching('ledger', true)
      .at(10)
      .call(3, 'charge', quick)
      .at(310)
      .stop(3)
      .at(312)
      .pong(3)
      .seen('ledger', 387, 397),
    ['write-after-cancel', 'breach', 'inferred', 'sent', 'none', 'after'],
  ),
  golden(
    'double-write',
    'yes',
    'the stopped call and its retry each append a line',
    start()
      .call(3, 'charge', quick)
      .at(310)
      .stop(3)
      .at(312)
      .pong(3)
      .seen('ledger', 387, 397)
      .at(4000)
      .call(4, 'charge', { ...quick, retryOf: 3 })
      .seen('ledger', 4390, 4400)
      .at(4410)
      .result(4),
    ['double-write', 'breach', 'proved', 'none', 'in-time', 'observed'],
    9000,
    'n:4',
  ),
  golden(
    'double-write',
    'no',
    'the stopped call wrote nothing; only the retry did',
    start()
      .call(3, 'charge', quick)
      .at(100)
      .stop(3)
      .at(4000)
      .call(4, 'charge', { ...quick, retryOf: 3 })
      .seen('ledger', 4390, 4400)
      .at(4410)
      .result(4),
    ['completed', 'ok', 'proved', 'none', 'in-time', 'observed'],
    9000,
    'n:4',
  ),
  golden(
    'double-write',
    'unknown',
    'one line while both were open: nobody can say whose it is, and it is one',
    start()
      .call(3, 'charge', quick)
      .at(310)
      .stop(3)
      .at(350)
      .call(4, 'charge', { ...quick, retryOf: 3 })
      .seen('ledger', 387, 397)
      .at(760)
      .result(4),
    ['completed', 'ok', 'proved', 'none', 'in-time', 'observed'],
    9000,
    'n:4',
  ),
  golden(
    'never-told',
    'yes',
    'the client gave up silently and the line appeared',
    start().call(3, 'charge', quick).at(310).stopAct(3, { means: 'abandon' }, false).seen('ledger', 387, 397).at(400).result(3),
    ['never-told', 'breach', 'proved', 'not-sent', 'late-result', 'after'],
  ),
  golden(
    'never-told',
    'no',
    'the reply had come before the client gave up',
    start().call(3, 'charge', quick).at(200).result(3).at(310).stopAct(3, { means: 'abandon' }, false),
    ['finished-first', 'info', 'proved', 'not-sent', 'in-time', 'not-seen'],
  ),
  golden(
    'never-told',
    'unknown',
    'given up silently, nobody watched, nothing came',
    start().call(3, 'charge').at(310).stopAct(3, { means: 'timeout', silent: true }, false),
    ['never-told', 'warn', 'proved', 'not-sent', 'none', 'not-probed'],
  ),
  golden(
    'outlived-kill',
    'yes',
    'the server is killed and the line appears all the same',
    start()
      .call(3, 'charge', quick)
      .at(310)
      .stopAct(3, { means: 'kill' }, true)
      .at(315)
      .life({ event: 'exited', signal: 'SIGKILL', asked: 'kill' })
      .seen('ledger', 387, 397),
    ['outlived-kill', 'breach', 'proved', 'killed', 'lost', 'after'],
  ),
  golden(
    'outlived-kill',
    'no',
    'killed, and the line had been there before',
    start()
      .call(3, 'charge', quick)
      .seen('ledger', 200, 210)
      .at(310)
      .stopAct(3, { means: 'kill' }, true)
      .at(315)
      .life({ event: 'exited', signal: 'SIGKILL', asked: 'kill' }),
    ['write-before-cancel', 'warn', 'proved', 'killed', 'lost', 'before'],
  ),
  golden(
    'outlived-kill',
    'unknown',
    'killed, and nobody watched',
    start()
      .call(3, 'charge')
      .at(310)
      .stopAct(3, { means: 'kill' }, true)
      .at(315)
      .life({ event: 'exited', signal: 'SIGKILL', asked: 'kill' }),
    ['lost', 'warn', 'unknown', 'killed', 'lost', 'not-probed'],
  ),
  golden(
    'write-before-cancel',
    'yes',
    'the mail is out, Stop is pressed, the success comes late',
    start().call(3, 'charge', probed).seen('ledger', 100, 110).at(300).stop(3).at(302).pong(3).at(1500).result(3),
    ['write-before-cancel', 'breach', 'proved', 'sent', 'late-result', 'before'],
  ),
  golden(
    'write-before-cancel',
    'no',
    'the effect came and the call was answered; Stop came after that',
    start().call(3, 'charge', probed).seen('ledger', 100, 110).at(120).result(3).at(300).stopAct(3, { means: 'cancel' }, false, true),
    ['finished-first', 'info', 'proved', 'too-late', 'in-time', 'observed'],
  ),
  golden(
    'write-before-cancel',
    'unknown',
    'part of it was there before; whether it was all, nobody knows',
    start().call(3, 'charge', probed).seen('ledger', 100, 110).at(300).stop(3).at(302).pong(3),
    ['write-before-cancel', 'warn', 'proved', 'sent', 'none', 'before'],
  ),
  golden(
    'write-order-unknown',
    'yes',
    'absent before the cancel, there after it',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).seen('ledger', 300, 320),
    ['write-order-unknown', 'warn', 'proved', 'sent', 'none', 'straddles'],
  ),
  golden(
    'write-order-unknown',
    'no',
    'absent still when the cancel had left',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).seen('ledger', 310, 320),
    ['write-after-cancel', 'breach', 'proved', 'sent', 'none', 'after'],
  ),
  golden(
    'write-order-unknown',
    'unknown',
    'the sink had the request and the server dropped it: whether it took effect is not known',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).seen('ledger', 330, 340, { undecided: true }),
    ['write-order-unknown', 'warn', 'proved', 'sent', 'none', 'straddles'],
  ),
  golden(
    'late-result-write',
    'yes',
    'nobody watched, and success is reported a second after the cancel was read',
    start().call(3, 'charge').at(310).stop(3).at(312).pong(3).at(1310).result(3),
    ['late-result-write', 'warn', 'inferred', 'sent', 'late-result', 'claimed'],
  ),
  golden(
    'late-result-write',
    'no',
    'the same of a tool that only reads',
    start().call(3, 'search').at(310).stop(3).at(312).pong(3).at(1310).result(3),
    ['late-result', 'note', 'proved', 'sent', 'late-result', 'none-expected'],
  ),
  golden(
    'late-result-write',
    'unknown',
    'reply and cancel crossed: success, but of which order',
    start().call(3, 'charge').at(310).stop(3).at(311).result(3).at(312).pong(3),
    ['late-result-write', 'warn', 'inferred', 'sent', 'crossed', 'claimed'],
  ),
  golden(
    'still-working',
    'yes',
    'progress goes on long after the pong',
    start().call(3, 'search').at(100).progress(3).at(310).stop(3).at(312).pong(3).at(600).progress(3, 2).at(900).progress(3, 3),
    ['still-working', 'warn', 'proved', 'sent', 'none', 'none-expected'],
  ),
  golden(
    'still-working',
    'no',
    'one progress in the tie after the pong: it had been sent before the cancel was read',
    start().call(3, 'search').at(100).progress(3).at(310).stop(3).at(312).pong(3).at(315).progress(3, 2),
    ['unknown-read', 'info', 'unknown', 'sent', 'none', 'none-expected'],
  ),
  golden(
    'still-working',
    'unknown',
    'logs that name no request, while nothing else was open',
    start().call(3, 'search').at(310).stop(3).at(312).pong(3).at(600).log(),
    ['still-working', 'warn', 'inferred', 'sent', 'none', 'none-expected'],
  ),
  golden(
    'invalid-cancel',
    'yes',
    'initialize is cancelled',
    new Build().c2s({ id: 3, method: 'initialize', params: {} }).at(50).cancelled(3),
    ['invalid-cancel', 'warn', 'proved', 'sent', 'none', 'none-expected'],
  ),
  golden(
    'invalid-cancel',
    'no',
    'another request of the handshake is cancelled',
    new Build().opened([WRITER]).at(10).c2s({ id: 3, method: 'tools/list' }).at(50).cancelled(3),
    ['unknown-read', 'info', 'unknown', 'sent', 'none', 'none-expected'],
  ),
  golden(
    'invalid-cancel',
    'unknown',
    'initialize was cancelled and the process died of it: both stay visible, the broken rule is sure',
    new Build()
      .c2s({ id: 3, method: 'initialize', params: {} })
      .at(50)
      .cancelled(3)
      .at(60)
      .life({ event: 'exited', code: 1, asked: 'nobody' }),
    ['invalid-cancel', 'warn', 'proved', 'sent', 'lost', 'none-expected'],
  ),
  golden(
    'lost',
    'yes',
    'the server dies in mid-call with code 7',
    start().call(3, 'charge').at(100).progress(3).at(200).life({ event: 'exited', code: 7, asked: 'nobody' }),
    ['lost', 'warn', 'unknown', 'none', 'lost', 'not-probed'],
  ),
  golden(
    'lost',
    'no',
    'it answered before it died',
    start().call(3, 'charge').at(100).result(3).at(200).life({ event: 'exited', code: 7, asked: 'nobody' }),
    ['completed', 'ok', 'proved', 'none', 'in-time', 'not-probed'],
  ),
  golden(
    'lost',
    'unknown',
    'it died inside the settle window of a stop: silence no longer means anything',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).at(1000).life({ event: 'exited', code: 1, asked: 'nobody' }),
    ['lost', 'warn', 'unknown', 'sent', 'lost', 'not-seen'],
  ),
  golden(
    'unknown-write',
    'yes',
    'silence of a tool that may write, and no probe',
    start().call(3, 'charge').at(310).stop(3).at(312).pong(3),
    ['unknown-write', 'warn', 'unknown', 'sent', 'none', 'not-probed'],
  ),
  golden(
    'unknown-write',
    'no',
    'a probe watched and saw nothing so far',
    start().call(3, 'charge', probed).at(310).stop(3).at(312).pong(3).clear('ledger', 6, 3320),
    ['quiet', 'info', 'unknown', 'sent', 'none', 'not-seen'],
  ),
  golden(
    'unknown-write',
    'unknown',
    'a probe watched, with a gap',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).gap('ledger', 400, 900).clear('ledger', 900, 3320),
    ['unknown-write', 'warn', 'unknown', 'sent', 'none', 'watch-gap'],
  ),
  golden(
    'late-result',
    'yes',
    'watched, nothing seen, the result came late',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).at(1310).result(3),
    ['late-result', 'note', 'proved', 'sent', 'late-result', 'not-seen'],
  ),
  golden(
    'late-result',
    'no',
    'within the tie after the pong: crossed',
    start().call(3, 'search').at(310).stop(3).at(312).pong(3).at(318).result(3),
    ['crossed', 'info', 'unknown', 'sent', 'crossed', 'none-expected'],
  ),
  golden(
    'late-result',
    'unknown',
    'the result came late and the watch had a gap',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).gap('ledger', 400, 900).at(1310).result(3),
    ['unknown-write', 'warn', 'unknown', 'sent', 'late-result', 'watch-gap'],
  ),
  golden(
    'late-error',
    'yes',
    'an internal error half a second after the cancel',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).at(810).error(3, -32603, 'database is locked'),
    ['late-error', 'note', 'proved', 'sent', 'late-error', 'not-seen'],
  ),
  golden(
    'late-error',
    'no',
    'an error at once that says cancelled',
    start().call(3, 'charge', quick).at(310).stop(3).at(311).error(3, 0, 'context canceled').at(312).pong(3),
    ['acknowledged', 'note', 'proved', 'sent', 'acknowledged', 'not-seen'],
  ),
  golden(
    'late-error',
    'unknown',
    'an error late, of a tool that may write, and nobody watched',
    start().call(3, 'charge').at(310).stop(3).at(312).pong(3).at(810).error(3, -32603, 'database is locked'),
    ['unknown-write', 'warn', 'unknown', 'sent', 'late-error', 'not-probed'],
  ),
  golden(
    'rolled-back',
    'yes',
    'a seat was held and given back',
    start().call(3, 'charge', quick).seen('ledger', 100, 110).at(310).stop(3).at(312).pong(3).reverted('ledger', 330, 340),
    ['rolled-back', 'note', 'proved', 'sent', 'none', 'not-seen'],
  ),
  golden(
    'rolled-back',
    'no',
    'two effects, one taken back',
    start()
      .call(3, 'charge', quick)
      .seen('ledger', 100, 110)
      .seen('ledger', 120, 130)
      .at(310)
      .stop(3)
      .at(312)
      .pong(3)
      .reverted('ledger', 330, 340),
    ['write-before-cancel', 'warn', 'proved', 'sent', 'none', 'before'],
  ),
  golden(
    'rolled-back',
    'unknown',
    'taken back, on a place where others write too',
    new Build()
      .opened([WRITER])
      .at(5)
      .watching('ledger', true)
      .at(10)
      .call(3, 'charge', quick)
      .seen('ledger', 100, 110)
      .at(310)
      .stop(3)
      .at(312)
      .pong(3)
      .reverted('ledger', 330, 340),
    ['rolled-back', 'note', 'inferred', 'sent', 'none', 'not-seen'],
  ),
  golden(
    'acknowledged',
    'yes',
    'code -32800 at once, watched',
    start().call(3, 'charge', quick).at(310).stop(3).at(311).error(3, -32800, 'Request cancelled').at(312).pong(3),
    ['acknowledged', 'note', 'proved', 'sent', 'acknowledged', 'not-seen'],
  ),
  golden(
    'acknowledged',
    'no',
    'it says cancelled, and the line appears all the same',
    start().call(3, 'charge', quick).at(310).stop(3).at(311).error(3, 0, 'context canceled').at(312).pong(3).seen('ledger', 1390, 1400),
    ['write-after-cancel', 'breach', 'proved', 'sent', 'acknowledged', 'after'],
  ),
  golden(
    'acknowledged',
    'unknown',
    'an isError result that speaks of cancelling',
    start().call(3, 'charge', quick).at(310).stop(3).at(311).result(3, 'failed: context canceled', true).at(312).pong(3),
    ['acknowledged', 'note', 'inferred', 'sent', 'acknowledged', 'not-seen'],
  ),
  golden('crossed', 'yes', 'the reply came before the pong', start().call(3, 'search').at(310).stop(3).at(311).result(3).at(312).pong(3), [
    'crossed',
    'info',
    'unknown',
    'sent',
    'crossed',
    'none-expected',
  ]),
  golden(
    'crossed',
    'no',
    'the reply came long after the pong',
    start().call(3, 'search').at(310).stop(3).at(312).pong(3).at(500).result(3),
    ['late-result', 'note', 'proved', 'sent', 'late-result', 'none-expected'],
  ),
  golden(
    'crossed',
    'unknown',
    'no fence: within two round trips it cannot be told',
    start().call(3, 'search', { fence: false }).at(310).stop(3, { fence: false }).at(315).result(3),
    ['crossed', 'info', 'unknown', 'sent', 'crossed', 'none-expected'],
  ),
  golden('unknown-read', 'yes', 'silence of a tool that says it only reads', start().call(3, 'search').at(310).stop(3).at(312).pong(3), [
    'unknown-read',
    'info',
    'unknown',
    'sent',
    'none',
    'none-expected',
  ]),
  golden('unknown-read', 'no', 'silence of a tool that is not annotated', start().call(3, 'charge').at(310).stop(3).at(312).pong(3), [
    'unknown-write',
    'warn',
    'unknown',
    'sent',
    'none',
    'not-probed',
  ]),
  golden(
    'unknown-read',
    'unknown',
    'it says it reads, a probe watched, with a gap',
    start().call(3, 'search', probed).at(310).stop(3).at(312).pong(3).gap('ledger', 400, 900),
    ['unknown-read', 'info', 'unknown', 'sent', 'none', 'watch-gap'],
  ),
  golden(
    'quiet',
    'yes',
    'nothing so far, and how long it takes is not known',
    start().call(3, 'charge', probed).at(310).stop(3).at(312).pong(3).clear('ledger', 6, 3320),
    ['quiet', 'info', 'unknown', 'sent', 'none', 'not-seen'],
  ),
  golden(
    'quiet',
    'no',
    'nothing until the call would have been over',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).clear('ledger', 6, 3320),
    ['stopped', 'ok', 'inferred', 'sent', 'none', 'not-seen'],
  ),
  golden(
    'quiet',
    'unknown',
    'its normal ten seconds are not over',
    start()
      .call(3, 'charge', { ...probed, normally: 10000 })
      .at(310)
      .stop(3)
      .at(312)
      .pong(3)
      .clear('ledger', 6, 3320),
    ['quiet', 'info', 'unknown', 'sent', 'none', 'not-seen'],
  ),
  golden(
    'stopped',
    'yes',
    'an earlier run told how long it takes, and the watch outlasted that',
    start()
      .call(2, 'charge', probed)
      .seen('ledger', 400, 410)
      .at(420)
      .result(2)
      .at(1000)
      .call(3, 'charge', probed)
      .at(1100)
      .stop(3)
      .at(1102)
      .pong(3)
      .clear('ledger', 6, 4200),
    ['stopped', 'ok', 'inferred', 'sent', 'none', 'not-seen'],
  ),
  golden(
    'stopped',
    'no',
    'the line appears after the all-clear',
    start().call(3, 'charge', quick).at(100).stop(3).at(102).pong(3).clear('ledger', 6, 3320).seen('ledger', 5000, 5010),
    ['write-after-cancel', 'breach', 'proved', 'sent', 'none', 'after'],
  ),
  golden(
    'stopped',
    'unknown',
    'time has passed but nobody has looked since',
    start().call(3, 'charge', quick).at(100).stop(3).at(102).pong(3),
    ['quiet', 'info', 'unknown', 'sent', 'none', 'not-seen'],
  ),
  golden(
    'finished-first',
    'yes',
    'Stop was pressed after the reply',
    start().call(3, 'charge').at(200).result(3).at(310).stopAct(3, { means: 'cancel' }, false, true),
    ['finished-first', 'info', 'proved', 'too-late', 'in-time', 'not-probed'],
  ),
  golden(
    'finished-first',
    'no',
    'the reply came after the cancel',
    start().call(3, 'search').at(310).stop(3).at(311).result(3).at(312).pong(3),
    ['crossed', 'info', 'unknown', 'sent', 'crossed', 'none-expected'],
  ),
  golden(
    'finished-first',
    'unknown',
    'a cancel went out for a call already answered: stale, and harmless',
    start().call(3, 'charge').at(200).result(3).at(310).cancelled(3),
    ['finished-first', 'info', 'proved', 'sent', 'in-time', 'not-probed'],
  ),
  golden(
    'settling',
    'yes',
    'stopped a second ago',
    start().call(3, 'charge').at(310).stop(3).at(312).pong(3),
    ['settling', 'info', 'unknown', 'sent', 'none', 'not-probed'],
    1310,
  ),
  golden(
    'settling',
    'no',
    'the window is over',
    start().call(3, 'charge').at(310).stop(3).at(312).pong(3),
    ['unknown-write', 'warn', 'unknown', 'sent', 'none', 'not-probed'],
    3310,
  ),
  golden(
    'settling',
    'unknown',
    'stopped a second ago, probes watching',
    start().call(3, 'charge', quick).at(310).stop(3).at(312).pong(3),
    ['settling', 'info', 'unknown', 'sent', 'none', 'not-seen'],
    1310,
  ),
  golden('waiting', 'yes', 'sent, not answered', start().call(3, 'charge'), ['waiting', 'info', 'proved', 'none', 'waiting', 'not-probed']),
  golden('waiting', 'no', 'answered', start().call(3, 'charge').at(200).result(3), [
    'completed',
    'ok',
    'proved',
    'none',
    'in-time',
    'not-probed',
  ]),
  golden('waiting', 'unknown', 'an answer to "3" is no answer to 3', start().call(3, 'charge').at(200).result('3'), [
    'waiting',
    'info',
    'proved',
    'none',
    'waiting',
    'not-probed',
  ]),
  golden('completed', 'yes', 'answered with a result', start().call(3, 'charge').at(200).result(3), [
    'completed',
    'ok',
    'proved',
    'none',
    'in-time',
    'not-probed',
  ]),
  golden('completed', 'no', 'answered with a result that says isError', start().call(3, 'charge').at(200).result(3, 'no such card', true), [
    'failed',
    'note',
    'proved',
    'none',
    'in-time',
    'not-probed',
  ]),
  golden(
    'completed',
    'unknown',
    'answered and watched: what was seen stands beside it',
    start().call(3, 'charge', probed).seen('ledger', 100, 110).at(200).result(3),
    ['completed', 'ok', 'proved', 'none', 'in-time', 'observed'],
  ),
  golden('failed', 'yes', 'answered with an error', start().call(3, 'charge').at(200).error(3, -32602, 'no such tool'), [
    'failed',
    'note',
    'proved',
    'none',
    'in-time',
    'not-probed',
  ]),
  golden(
    'failed',
    'no',
    'the error came after the stop',
    start().call(3, 'search').at(310).stop(3).at(312).pong(3).at(810).error(3, -32603, 'broken'),
    ['late-error', 'note', 'proved', 'sent', 'late-error', 'none-expected'],
  ),
  golden(
    'failed',
    'unknown',
    'answered twice, first with an error: the first reply counts, the second is kept',
    start().call(3, 'charge').at(200).error(3, -32603, 'broken').at(210).result(3),
    ['failed', 'note', 'proved', 'none', 'in-time', 'not-probed'],
  ),
];

/** The end of a golden trace on its clock. */
export const untilOf = (g: Pick<Golden, 'until'>) => fromMs(g.until);
