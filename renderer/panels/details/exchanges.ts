// The HTTP exchanges of a call in words: its own with what became of their responses, its cancel's, and what their statuses
// are worth. Pure, so that a test can read it.
import { minus, type Ns, words } from '../../../app/base/time';
import type { Call, Session } from '../../../app/trace/calls';
import { cargoOf, carriersOf, type Exchange, exchangeName, isTaken, statusOf } from '../../../app/trace/exchanges';
import { closesToCancel } from '../../../app/verdict/overHttp';
import type { Verdict } from '../../../app/verdict/verdict';
import type { Seq } from '../../../app/wire/frame';

export interface ExchangeLine {
  readonly number: number;
  /** The frame that it began with. */
  readonly seq: Seq;
  readonly name: string;
  /** What it carries. */
  readonly carries: string;
  /** What came of it so far, piece by piece. */
  readonly says: readonly string[];
  /** It goes on: what is said of it ages. */
  readonly open: boolean;
}

/** The exchanges of a call in the order in which they began; none over another wire. */
export function exchangeLines(call: Call, session: Session, now: Ns): readonly ExchangeLine[] {
  if (call.exchanges.length === 0) return [];
  return [...carriersOf(call, session), ...call.cancelExchanges].flatMap((exchange) => {
    const { request, number, end } = exchange;
    if (!request) return [];
    const line = { number, seq: request.seq, name: exchangeName(exchange), carries: carriedBy(exchange), open: !end };
    return [{ ...line, says: pieces(exchange, request.t, now, closesToCancel(session)) }];
  });
}

function carriedBy(exchange: Exchange): string {
  switch (cargoOf(exchange)) {
    case 'call':
      return 'the request';
    case 'cancel':
      return 'the cancel';
    case 'resumption':
      return 'takes up its stream';
    case 'stream':
      return 'the session’s stream, by which the answer comes';
    default:
      return 'a message';
  }
}

function pieces({ response, opened, end }: Exchange, began: Ns, now: Ns, closes: boolean): readonly string[] {
  const said: string[] = [];
  if (response) said.push(`${response.http.status} after ${words(minus(response.t, began))}`);
  else if (!end) said.push(`no answer for ${words(minus(now, began))} so far`);
  if (opened) said.push(`stream open for ${words(minus(end?.t ?? now, opened.t))}${end ? '' : ' so far'}`);
  if (end?.http.http === 'failed') said.push(`failed: ${end.http.why}`);
  if (end?.http.http === 'cut') said.push(cutWords(end.http.by, closes));
  if (end && end.http.bytes > 0) said.push(`${end.http.bytes.toLocaleString('en')} bytes`);
  return said;
}

function cutWords(by: 'drop' | 'close' | 'fault', closes: boolean): string {
  if (by === 'fault') return 'cut by a fault of ours';
  if (by === 'close') return 'closed with the session';
  return closes ? 'closed from here: that is the cancel' : 'dropped from here';
}

/** What the exchanges of a stop are worth, for somebody who has not met HTTP's part in this. */
export function worthOf(call: Call, session: Session, stop: Verdict['stop']): readonly string[] {
  const status = call.cancelExchanges.map(statusOf).findLast((one) => one !== undefined);
  const worth: string[] = [];
  if (stop.state === 'sent' && status !== undefined && isTaken(status)) {
    worth.push(
      `${status} says that something received the cancel. It need not be the instance that runs the call, and it says nothing about whether anything stopped.`,
    );
    if (session.opened?.life.stateful === false)
      worth.push('This server has given out no session id: each request stands alone, and nothing connects a cancel with its call.');
  }
  if (stop.state === 'stream-closed')
    worth.push(
      'Closing the response stream is the cancel in this revision: no message was sent, and no status can say that anything received it. What the server does afterwards cannot be heard; only a probe can show it.',
    );
  if (stop.flags.includes('wrong-means'))
    worth.push(
      'In this revision the notification is the wrong means over HTTP: its status says that something took the message, and nothing stops for it.',
    );
  if (stop.how?.means === 'drop' && stop.state !== 'stream-closed')
    worth.push(
      'A disconnect is not a cancel in this revision. Servers on the 1.x SDK go on; the handler of the 2.x SDK stops, and does not heed the cancel’s POST.',
    );
  return worth;
}
