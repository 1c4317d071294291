// What is asked of a server as a whole: that odd cancels leave it as it was. Each is said to it in a fresh session, with a ping
// behind it, and whatever comes of it is judged from what was on the wire.
import { minus, words } from '../../base/time';
import type { Call, Session } from '../../trace/calls';
import { isTaken, statusOf } from '../../trace/exchanges';
import type { Because } from '../../verdict/verdict';
import { idText } from '../../wire/jsonrpc';
import { type Answer, BEHAVIOUR, type Check, cancellation, fail, INVALID, pass, unknown } from './answer';
import type { Court, ExerciseRecord } from './evidence';
import type { Exercise } from './plan';

export interface ServerCheck extends Check {
  readonly exercise: Exercise;
  readonly judge: (tried: Tried) => Answer;
}

/** An exercise that was made, and what it brought about. */
export interface Tried {
  readonly court: Court;
  readonly session: Session;
  readonly from: number;
  readonly to: number;
  readonly ping: Call | undefined;
  readonly requests: readonly (Call | undefined)[];
}

export function triedOf(record: Extract<ExerciseRecord, { tried: true }>, court: Court): Tried | undefined {
  const session = court.calls.sessions.get(record.session);
  if (!session) return undefined;
  const find = (key: string): Call | undefined => court.calls.find(record.session, 'client', key);
  return { court, session, from: record.from, to: record.to, ping: find(record.ping), requests: record.requests.map(find) };
}

/** What went wrong whatever was said: the server died, answers nothing any more, or answered a notification. */
function harmed({ court, session, from, to, ping }: Tried): Answer | undefined {
  const end = session.ends.find(
    ({ seq, life }) => seq >= from && seq < to && (life.event === 'lost' || (life.event === 'exited' && life.asked === 'nobody')),
  );
  if (end)
    return fail('The server ended when it was sent this.', [because(from, 'what was sent'), because(end.seq, 'the end of the server')]);
  const pong = ping?.replies[0];
  if (ping && !pong)
    return fail('The server answered nothing any more when it had been sent this: the ping behind it has no answer.', [
      because(from, 'what was sent'),
      because(ping.sent.seq, 'the ping'),
    ]);
  const nameless = session.withoutId.find(
    (seq) => seq >= from && seq < to && court.trace.dir(seq) === 's2c' && !isRefused(seq, session, court),
  );
  if (nameless !== undefined)
    return fail(
      'The server answered it with a message that carries no id: a notification is never answered, and nobody can tell what such a message answers.',
      [because(from, 'what was sent'), because(nameless, 'the message')],
    );
  const stray = session.orphans.find(({ seq }) => seq >= from && seq < to && !isRefused(seq, session, court));
  if (stray)
    return fail(`The server answered a request that nobody has made (${idText(court.trace.key(stray.seq))}).`, [
      because(from, 'what was sent'),
      because(stray.seq, 'the answer'),
    ]);
  return ping ? undefined : unknown('Nothing could be sent to the server.');
}

/** What stands in a response that refuses a POST is no answer to a message: the status is what counts. */
function isRefused(seq: number, session: Session, { trace }: Court): boolean {
  const exchange = session.exchanges.get(trace.exchange(seq));
  const status = exchange && statusOf(exchange);
  return status !== undefined && !isTaken(status);
}

const because = (seq: number, says: string): Because => ({ seq, says });

/** The server is as it was: the ping was answered. */
function unharmed(tried: Tried, says: string): Answer {
  const pong = tried.ping?.replies[0];
  const took =
    pong && tried.ping ? ` The ${tried.ping.method} behind it was answered within ${words(minus(pong.t, tried.ping.sent.t))}.` : '';
  return pass(`${says}${took}`, [because(tried.from, 'what was sent'), ...(pong ? [because(pong.seq, 'the answer to the ping')] : [])]);
}

const survives =
  (says: string) =>
  (tried: Tried): Answer =>
    harmed(tried) ?? unharmed(tried, says);

const INVALID_FIX =
  'Look the id up among the requests in flight, and do nothing when it is not there. A notification is never answered, not even with an error.';

const wrongTyped = (tried: Tried): Answer => {
  const lost = harmed(tried);
  if (lost) return lost;
  const silent = tried.requests.find((request) => request && request.replies.length === 0);
  if (silent)
    return fail(
      `A cancel that names ${idText(silent.key)} in the other type silenced ${silent.method} ${idText(silent.key)}: ids of different types are different ids, so it named nobody.`,
      [because(silent.sent.seq, 'the request'), because(tried.from, 'what was sent')],
    );
  return unharmed(tried, 'A cancel that names a number as text, or a text as number, cancelled nobody: both requests were answered.');
};

const leavesInitialize = (tried: Tried): Answer => {
  const [first, second] = tried.requests;
  const harm = harmed(tried);
  if (harm && !first?.replies.length) return harm;
  if (first?.replies[0])
    return pass('It answered initialize all the same.', [
      because(first.sent.seq, 'initialize, with a cancel behind it'),
      because(first.replies[0].seq, 'the answer'),
    ]);
  if (second?.replies[0])
    return pass(
      'It never answered the initialize that was cancelled, which it may: no client is allowed to send that cancel. Asked again, it shakes hands, and it answers a ping.',
      [
        ...(first ? [because(first.sent.seq, 'initialize, with a cancel behind it')] : []),
        because(second.replies[0].seq, 'the answer to the second'),
      ],
    );
  return fail(
    'It answered neither the initialize that was cancelled nor one that followed: nobody can connect to it any more.',
    first ? [because(first.sent.seq, 'initialize, with a cancel behind it')] : [],
  );
};

/** Every line about the whole server, in order. */
export const SERVER_CHECKS: readonly ServerCheck[] = [
  {
    id: 'ignores-unknown-id',
    title: 'Survives a cancel for a request that nobody has made',
    exercise: 'unknown-id',
    source: INVALID,
    fix: INVALID_FIX,
    judge: survives('It ignored cancels for requests that nobody has made.'),
  },
  {
    id: 'ignores-finished-id',
    title: 'Survives a cancel for a request that is answered',
    exercise: 'finished-id',
    source: INVALID,
    fix: INVALID_FIX,
    judge: survives('It ignored a cancel for a request that it had answered.'),
  },
  {
    id: 'survives-repeated-cancel',
    title: 'Survives the same cancel twice',
    exercise: 'repeated-cancel',
    source: cancellation('Timing Considerations'),
    fix: 'A second cancel is one for a request that is not in flight any more: do nothing.',
    judge: survives('It was sent a request with two cancels for it in one write, and went on.'),
  },
  {
    id: 'tells-ids-by-type',
    title: 'Tells 5 from "5"',
    exercise: 'wrong-typed-id',
    source: () => 'JSON-RPC 2.0, section 4 (id): a string or a number',
    fix: 'Keep requests by their id with its type. Where ids are turned into text on the way (a proxy, a map in a language without types), 5 and "5" cancel each other.',
    judge: wrongTyped,
  },
  {
    id: 'survives-missing-id',
    title: 'Survives a cancel without an id',
    exercise: 'missing-id',
    source: INVALID,
    fix: INVALID_FIX,
    judge: survives('It ignored cancels without an id, with a null one, and without parameters.'),
  },
  {
    id: 'leaves-initialize-alone',
    title: 'Can be connected to after a cancel of initialize',
    exercise: 'initialize',
    source: BEHAVIOUR,
    fix: 'Ignore a cancel that names initialize: it cannot be cancelled, and nothing works before it is answered.',
    judge: leavesInitialize,
  },
];
