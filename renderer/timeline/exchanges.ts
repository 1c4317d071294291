// What HTTP adds to the picture of a call: when a response stream delivers, what became of the POST of a cancel, when the
// way of an answer was closed, and how long a response is left open. In time, without a pixel.
import { asNs, type Ns } from '../../app/base/time';
import type { Call, Calls, Stamp } from '../../app/trace/calls';
import { beganAt, carriersOf, closingOf, type Exchange, exchangeName, statusOf } from '../../app/trace/exchanges';
import { closingWords, type LeftOpen, leftOpen, refusalOf } from '../../app/verdict/overHttp';
import type { Verdict } from '../../app/verdict/verdict';

/** The POST of a cancel, for a person. */
export interface Post {
  readonly name: string;
  readonly status: number | undefined;
  /** It came to nothing; undefined while it has not. */
  readonly refused: string | undefined;
}

export const postOf = (exchange: Exchange | undefined): Post | undefined =>
  exchange && { name: exchangeName(exchange), status: statusOf(exchange), refused: refusalOf(exchange)?.says };

export interface Delivery {
  readonly from: Ns;
  /** Undefined: it goes on. */
  readonly to: Ns | undefined;
}

/** Where a response was coming while the client waited. The older HTTP+SSE transport has one stream for all calls: none is told apart. */
export function deliveries(call: Call, calls: Calls, until: Ns | undefined): readonly Delivery[] {
  const session = calls.sessions.get(call.session);
  if (!session || session.transport === 'sse') return [];
  return carriersOf(call, session).flatMap((exchange) => {
    const began = beganAt(exchange);
    if (began === undefined || (until !== undefined && began >= until)) return [];
    const end = exchange.end?.t;
    const to = end === undefined || (until !== undefined && until < end) ? until : end;
    return [{ from: asNs(Math.max(began, call.sent.t)), to }];
  });
}

/** When no answer could come any more by HTTP, where the session goes on, and why. */
export function wayClosed(call: Call, calls: Calls, verdict: Verdict | undefined): (Stamp & { readonly says: string }) | undefined {
  const session = calls.sessions.get(call.session);
  if (!session || call.replies.length > 0 || verdict?.reply.state !== 'lost') return undefined;
  const closing = closingOf(call, session);
  return closing && { seq: closing.seq, t: closing.t, says: closingWords(closing) };
}

/** The response that a stopped call has left open. */
export function openResponse(call: Call, calls: Calls, verdict: Verdict | undefined): LeftOpen | undefined {
  const session = calls.sessions.get(call.session);
  return session && verdict && leftOpen(call, session, verdict.stop);
}
