// What HTTP tells of a stop and of a reply: what the status of a cancel's POST is worth, how the way of an answer was
// closed, and how long a response stays open that nobody needs any more. Below JSON-RPC, and only what the exchanges show.
import type { Ns } from '../base/time';
import type { Call, Cancel, Session } from '../trace/calls';
import { beganAt, type Closing, carriersOf, closingOf, type Exchange, exchangeName, isTaken, statusOf } from '../trace/exchanges';
import { answersOf } from '../trace/tasks';
import { closingCancels, eraOf } from '../wire/era';
import type { Seq } from '../wire/frame';
import type { Because, Verdict } from './verdict';

/** How a cancel's POST came to nothing. */
export interface Refusal extends Because {
  readonly t: Ns;
  /** Whether it is sure that the server took no cancel from it; else it got no answer, and may have been read. */
  readonly sure: boolean;
}

/** How the POST of a cancel came to nothing; undefined while it has not, or over another wire. */
export function refusalOf(post: Exchange | undefined): Refusal | undefined {
  if (!post) return undefined;
  const name = exchangeName(post);
  const status = statusOf(post);
  if (post.response && status !== undefined) {
    const { seq, t } = post.response;
    return isTaken(status) ? undefined : { seq, t, sure: true, says: `${name}, which carried the cancel, was answered ${status}` };
  }
  const { end } = post;
  if (!end) return undefined;
  const { http, seq, t } = end;
  const by = http.http === 'cut' && http.by === 'fault' ? ' by a fault of ours' : '';
  if (http.http === 'cut')
    return { seq, t, sure: false, says: `${name}, which carried the cancel, was closed${by} before it was answered` };
  if (http.http === 'ended') return { seq, t, sure: false, says: `${name}, which carried the cancel, ended without an answer` };
  const sure = http.phase === 'connect' || http.phase === 'tls' || http.phase === 'send';
  return { seq, t, sure, says: `${name}, which ${sure ? 'was to carry' : 'carried'} the cancel, failed (${http.why})` };
}

/** The first cancel of a call that was not refused, on any wire. */
export function heardCancel(call: Call): Cancel | undefined {
  return earliest(call.cancels.filter(({ exchange }) => refusalOf(exchange) === undefined));
}

const earliest = (cancels: readonly Cancel[]): Cancel | undefined =>
  cancels.length < 2 ? cancels[0] : cancels.reduce((a, b) => (b.t < a.t ? b : a));

/** The POST that carried a call's cancel: the one that was taken, else the last that was to. */
export const cancelPost = (call: Call): Exchange | undefined => heardCancel(call)?.exchange ?? call.cancelExchanges.at(-1);

/** How the cancel of a call came to nothing over HTTP, the first time. */
export function firstRefusal(call: Call): Refusal | undefined {
  for (const post of call.cancelExchanges) {
    const refusal = refusalOf(post);
    if (refusal) return refusal;
  }
  return undefined;
}

/** What is known of the POST that a cancel went with. A status proves that something took it, and no more. */
export function postedBecause({ seq, exchange }: Cancel): readonly Because[] {
  if (!exchange) return [];
  const name = exchangeName(exchange);
  const { response } = exchange;
  if (!response) return [{ seq, says: `the status of ${name} has not come yet` }];
  const worth = 'something received it, not necessarily the instance that runs the call';
  return [{ seq: response.seq, says: `${name} answered ${response.http.status}: ${worth}` }];
}

/** What dropping the connection of a call has told the server: nothing, in the revisions up to 2025-11-25. */
export function droppedWords(call: Call, session: Session): string {
  const revision = session.opened?.life.protocol;
  const post = call.exchanges.at(-1);
  const what = post ? `the connection of ${exchangeName(post)} was dropped` : 'the connection was dropped';
  if (!post) return `${what} without a cancel`;
  return eraOf(revision).disconnect === 'unsaid'
    ? `${what}, and revision ${revision} does not say that a disconnect is a cancel`
    : `${what}, and a disconnect is not a cancel here (since 2025-03-26)`;
}

/** Whether closing the response stream of a call in this session is its cancel (docs/verdicts.md, section 7). */
export const closesToCancel = (session: Session): boolean => closingCancels(session.opened?.life.protocol, session.transport);

/** Where closing is the cancel: the response that was closed for this call from here, by the person. */
export function closedStream(call: Call, session: Session): Closing | undefined {
  if (!closesToCancel(session)) return undefined;
  const exchange = call.exchanges.find(({ end }) => end?.http.http === 'cut' && end.http.by === 'drop');
  return exchange?.end && { seq: exchange.end.seq, t: exchange.end.t, how: 'dropped', exchange };
}

/** How the way of an answer was closed before one came; undefined while one may come, over another wire, and once one has. */
export const unanswered = (call: Call, session: Session): Closing | undefined =>
  answersOf(call).length > 0 ? undefined : closingOf(call, session);

/** The end of an answer's way in words. */
export function closingWords({ how, exchange }: Closing): string {
  const name = exchangeName(exchange);
  switch (how) {
    case 'refused':
      return `${name} was answered ${statusOf(exchange)} and brought no reply`;
    case 'failed': {
      const why = exchange.end?.http.http === 'failed' ? exchange.end.http.why : 'it was torn';
      return `${name} broke off before any reply (${why})`;
    }
    case 'ended': {
      const type = exchange.opened ? undefined : exchange.response?.http.headers['content-type'];
      const what = type === undefined || type.includes('json') ? '' : `, answered ${statusOf(exchange)} with ${type},`;
      return `${name}${what} ended without a reply`;
    }
    case 'closed':
      return `${name} was closed with the session`;
    case 'cut':
      return `${name} was cut by a fault of ours before any reply`;
    case 'dropped':
      return `${name} was closed from here: nothing that the server answers can be heard any more`;
  }
}

/** A response that was left open after a cancel that was taken. */
export interface LeftOpen {
  readonly exchange: Exchange;
  readonly since: Ns;
  /** When it was closed at last, by us or by a breaking connection; undefined while it is open. */
  readonly until: Ns | undefined;
  /** Its head has come; without it the server has not answered the POST at all. */
  readonly began: boolean;
  /** The frame that shows it. */
  readonly seq: Seq;
}

/**
 * The response of a stopped call that the server has not ended. A stream that it ends, however late, is none, unless it ends
 * it only because the session is ended from here.
 * @returns undefined where the server was not told, and over another wire
 */
export function leftOpen(call: Call, session: Session, stop: Verdict['stop']): LeftOpen | undefined {
  // By the wrong means the server was not told: it owes its answer as before.
  if (stop.state !== 'sent' || stop.flags.includes('wrong-means')) return undefined;
  if (stop.at === undefined || session.transport !== 'http') return undefined;
  const exchange = carriersOf(call, session).at(-1);
  if (!exchange) return undefined;
  const { end, response, opened } = exchange;
  const farewell = session.exchanges.farewell?.request?.t;
  const until = end && farewell !== undefined && farewell < end.t ? farewell : end?.t;
  if ((end?.http.http === 'ended' && until === end.t) || (until !== undefined && until <= stop.at)) return undefined;
  const began = beganAt(exchange) !== undefined;
  // A response with a length is on its way; a status that refuses the call is no stream.
  if (response && !opened && !isTaken(response.http.status)) return undefined;
  return { exchange, since: stop.at, until, began, seq: opened?.seq ?? response?.seq ?? call.sent.seq };
}
