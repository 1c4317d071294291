// The golden traces of faults: for what each of ours can do to a verdict one trace where it does, one that is like it and
// where the server itself is what is judged, and one where the honest answer is that it cannot be known.
import { Build } from '../trace/build.testing';
import type { Golden } from './golden.testing';
import type { Certainty, EffectState, FindingName, Headline, ReplyState, Severity, StopState } from './verdict';

export const FAULT_RULES = ['kept-reply', 'lost-reply', 'kept-cancel', 'lost-cancel', 'early-cancel', 'doubled'] as const;

export interface FaultGolden extends Omit<Golden, 'rule'> {
  readonly rule: (typeof FAULT_RULES)[number];
  readonly findings: readonly FindingName[];
  /** A part of the sentence. */
  readonly says: string;
}

type Lanes = readonly [Headline, Severity, Certainty, StopState, ReplyState, EffectState];

interface Told {
  readonly lanes: Lanes;
  readonly says: string;
  readonly findings?: readonly FindingName[];
}

const golden = (rule: FaultGolden['rule'], answer: Golden['answer'], story: string, build: Build, told: Told): FaultGolden => {
  const [verdict, severity, certainty, stop, reply, effect] = told.lanes;
  const expect = { verdict, severity, certainty, stop, reply, effect };
  return { rule, answer, story, frames: build.frames, until: 8000, key: 'n:3', expect, findings: told.findings ?? [], says: told.says };
};

const WRITER = { name: 'charge' };
const READER = { name: 'search', annotations: { readOnlyHint: true } };
const start = (): Build => new Build().opened([WRITER, READER]).at(5).watching('ledger').at(10);
const quick = { probes: ['ledger'], normally: 400 };

/** A request that a fault keeps from the wire, as it is recorded: arranged, and not written. */
const unsent = (build: Build, fault: 'hold' | 'drop'): Build =>
  build
    .act({ act: 'call', id: 3, tool: 'charge', probes: ['ledger'], settle: 3e9 as never, normally: 4e8 as never, fence: true })
    .fault(fault, 'request', 3);
const written = (build: Build): Build =>
  build.released('request', 3).c2s({ id: 3, method: 'tools/call', params: { name: 'charge', arguments: {}, _meta: { progressToken: 3 } } });

export const FAULT_GOLDEN: readonly FaultGolden[] = [
  golden(
    'kept-reply',
    'yes',
    'the reply was there 120 ms before the cancel and was held until it was out: they crossed, and the server was not late',
    start().call(3, 'search').at(190).fault('hold', 'reply', 3).result(3).at(310).stop(3).at(311).released('reply', 3).at(312).pong(3),
    {
      lanes: ['crossed', 'info', 'unknown', 'sent', 'crossed', 'none-expected'],
      says: 'the reply had left the server 120 ms before the cancel, and got through 1 ms after it. A fault of ours (hold it) held the reply back for 121 ms.',
    },
  ),
  golden(
    'kept-reply',
    'no',
    'the reply came 500 ms after a cancel that had been read, and was held on top: it is the server that was late',
    start().call(3, 'search').at(310).stop(3).at(312).pong(3).at(810).fault('hold', 'reply', 3).result(3).at(2000).released('reply', 3),
    {
      lanes: ['late-result', 'note', 'proved', 'sent', 'late-result', 'none-expected'],
      says: 'The result came 500 ms after your cancel.',
    },
  ),
  golden(
    'kept-reply',
    'unknown',
    'the reply is held, and nobody has stopped the call: the client waits',
    start().call(3, 'search').at(190).fault('hold', 'reply', 3).result(3),
    {
      lanes: ['waiting', 'info', 'proved', 'none', 'waiting', 'none-expected'],
      says: 'the server has answered, and the client has not been told. A fault of ours (hold it) holds the reply back.',
    },
  ),
  golden(
    'lost-reply',
    'yes',
    'the reply came in time and was dropped: the client never learned of it',
    start().call(3, 'search').at(190).fault('drop', 'reply', 3).result(3),
    {
      lanes: ['lost', 'warn', 'unknown', 'none', 'lost', 'none-expected'],
      says: 'The server had answered after 180 ms, and the client was never told. A fault of ours (drop it) dropped the reply.',
    },
  ),
  golden(
    'lost-reply',
    'no',
    'the reply that was dropped came long after the cancel: it was late before it was lost',
    start().call(3, 'search').at(310).stop(3).at(312).pong(3).at(810).fault('drop', 'reply', 3).result(3),
    {
      lanes: ['late-result', 'note', 'proved', 'sent', 'late-result', 'none-expected'],
      says: 'A fault of ours (drop it) dropped the reply.',
    },
  ),
  golden(
    'lost-reply',
    'unknown',
    'the request was dropped: the server was never asked, and there is nothing to know of it',
    unsent(start(), 'drop').at(310).stop(3).at(312).pong(3),
    {
      lanes: ['lost', 'warn', 'unknown', 'sent', 'lost', 'not-seen'],
      says: 'The call never reached the server. A fault of ours (drop it) dropped the call.',
    },
  ),
  golden(
    'kept-cancel',
    'yes',
    'the write lay between the press and the held cancel: it was there before the server could hear of it',
    start()
      .call(3, 'charge', quick)
      .at(310)
      .stopAct(3, { means: 'cancel' }, true)
      .fault('hold', 'cancel', 3)
      .seen('ledger', 387, 397)
      .at(600)
      .released('cancel', 3, 1, 'hand')
      .cancelled(3),
    {
      lanes: ['write-before-cancel', 'warn', 'proved', 'sent', 'none', 'before'],
      says: 'A fault of ours (hold it) held the cancel back for 290 ms.',
    },
  ),
  golden(
    'kept-cancel',
    'no',
    'the write came after the held cancel had left: a breach, for all that the cancel was late',
    start()
      .call(3, 'charge', quick)
      .at(100)
      .stopAct(3, { means: 'cancel' }, true)
      .fault('delay', 'cancel', 3)
      .at(250)
      .released('cancel', 3, 1, 'time')
      .cancelled(3)
      .seen('ledger', 387, 397),
    {
      lanes: ['write-after-cancel', 'breach', 'proved', 'sent', 'none', 'after'],
      says: 'A fault of ours (delay it) delayed the cancel by 150 ms.',
    },
  ),
  golden(
    'kept-cancel',
    'unknown',
    'the cancel is held still: the server knows nothing, and nothing is said of what it does',
    start().call(3, 'charge', quick).at(310).stopAct(3, { means: 'cancel' }, true).fault('hold', 'cancel', 3),
    {
      lanes: ['waiting', 'info', 'proved', 'none', 'waiting', 'not-seen'],
      says: 'A fault of ours (hold it) holds the cancel back.',
    },
  ),
  golden(
    'lost-cancel',
    'yes',
    'the cancel was dropped and the write landed: the server was never told',
    start().call(3, 'charge', quick).at(310).stopAct(3, { means: 'cancel' }, true).fault('drop', 'cancel', 3).seen('ledger', 387, 397),
    {
      lanes: ['never-told', 'breach', 'proved', 'undelivered', 'none', 'after'],
      says: 'The server was never told to stop: the cancel never reached the wire: a fault of ours dropped it (drop it).',
    },
  ),
  golden(
    'lost-cancel',
    'no',
    'faults were on, and none was about this cancel: the write after it is the server’s own',
    start().faults('drop it').call(3, 'charge', quick).at(310).stop(3).at(312).pong(3).seen('ledger', 387, 397),
    {
      lanes: ['write-after-cancel', 'breach', 'proved', 'sent', 'none', 'after'],
      says: 'Faults of ours were on (drop it) and touched nothing of this call.',
    },
  ),
  golden(
    'lost-cancel',
    'unknown',
    'the cancel was dropped and nothing was seen so far: the server goes on, and what it does is not known',
    start().call(3, 'charge').at(310).stopAct(3, { means: 'cancel' }, true).fault('drop', 'cancel', 3),
    {
      lanes: ['never-told', 'warn', 'proved', 'undelivered', 'none', 'not-probed'],
      says: 'The server was never told to stop: the cancel never reached the wire: a fault of ours dropped it (drop it).',
    },
  ),
  golden(
    'early-cancel',
    'yes',
    'the call was held until its cancel was out: that it wrote then is no breach of the server’s',
    written(unsent(start(), 'hold').at(310).stop(3).at(311)).at(312).pong(3).seen('ledger', 700, 710).at(715).result(3),
    {
      lanes: ['write-after-cancel', 'warn', 'proved', 'sent', 'late-result', 'after'],
      says: 'The call was written after its cancel, and a cancel for a call that the server does not know yet does nothing.',
      findings: ['cancel-overtook-call'],
    },
  ),
  golden(
    'early-cancel',
    'no',
    'the call was held for a moment and written before the cancel: the server had both, in their order',
    written(unsent(start(), 'hold').at(200)).at(310).stop(3).at(312).pong(3).seen('ledger', 700, 710),
    {
      lanes: ['write-after-cancel', 'breach', 'proved', 'sent', 'none', 'after'],
      says: 'A fault of ours (hold it) held the call back for 190 ms.',
    },
  ),
  golden(
    'early-cancel',
    'unknown',
    'the call is held, and nobody has stopped it: nothing is known, because nothing has been sent',
    unsent(start(), 'hold'),
    {
      lanes: ['waiting', 'info', 'proved', 'none', 'waiting', 'not-seen'],
      says: 'On its way: the server has not been sent it yet. A fault of ours (hold it) holds the call back.',
    },
  ),
  golden(
    'doubled',
    'yes',
    'the request went out twice and was answered twice: the second answer is no fault of the server’s',
    start()
      .call(3, 'search')
      .fault('duplicate', 'request', 3)
      .c2s({ id: 3, method: 'tools/call', params: { name: 'search', arguments: {} } })
      .at(190)
      .result(3)
      .at(200)
      .result(3),
    {
      lanes: ['completed', 'ok', 'proved', 'none', 'in-time', 'none-expected'],
      says: 'A fault of ours (duplicate it) sent the call twice.',
    },
  ),
  golden(
    'doubled',
    'no',
    'the request went out once and was answered twice',
    start().faults('duplicate it').call(3, 'search').at(190).result(3).at(200).result(3),
    {
      lanes: ['completed', 'ok', 'proved', 'none', 'in-time', 'none-expected'],
      says: 'touched nothing of this call',
      findings: ['duplicate-reply'],
    },
  ),
  golden(
    'doubled',
    'unknown',
    'the cancel went out twice by our doing, and silence follows: what the server did is not known',
    start().call(3, 'charge').at(310).stop(3).fault('duplicate', 'cancel', 3).cancelled(3).at(312).pong(3),
    {
      lanes: ['unknown-write', 'warn', 'unknown', 'sent', 'none', 'not-probed'],
      says: 'A fault of ours (duplicate it) sent the cancel twice.',
    },
  ),
];
