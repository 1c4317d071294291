// What a report says of a call's HTTP exchanges: which one carried the request and what came of its response, which one
// carried the cancel and with what status.
import { type Ns, words } from '../base/time';
import type { Call, Calls } from '../trace/calls';
import { carriersOf, type Exchange, exchangeName, statusOf } from '../trace/exchanges';
import { cancelPost } from '../verdict/overHttp';
import { taskCancelOf } from '../verdict/overTasks';
import type { Judged } from './json';
import type { ReportedCall } from './schema';

const ms = (t: number): number => Math.round(t / 1000) / 1000;

/** How long a response has been an open event stream; undefined where it is none. @param now while it is open */
export const openFor = ({ opened, end }: Exchange, now: Ns): Ns | undefined => opened && (Math.max(0, (end?.t ?? now) - opened.t) as Ns);

/** The POST that carried the cancel of a call, or was to: of a task that of `tasks/cancel`. */
const carrierOf = (call: Call, calls: Calls): Exchange | undefined => taskCancelOf(call, calls)?.asked.exchanges.at(-1) ?? cancelPost(call);

/** The exchanges of a call; null where it did not go over HTTP. */
export function reportedHttp({ court: { calls }, now }: Judged, call: Call): ReportedCall['http'] {
  const session = calls.sessions.get(call.session);
  const post = call.exchanges.at(-1);
  if (!post || !session) return null;
  const open = openFor(post, now);
  const cancel = carrierOf(call, calls);
  return {
    exchange: post.number,
    status: statusOf(post) ?? null,
    streamOpenForMs: open === undefined ? null : ms(open),
    end: post.end?.http.http ?? null,
    resumedOn: carriersOf(call, session)
      .filter((carrier) => carrier.request?.http.resumes !== undefined)
      .map(({ number }) => number),
    cancelExchange: cancel?.number ?? null,
    cancelStatus: (cancel && statusOf(cancel)) ?? null,
    says: httpWords(post, cancel, carriersOf(call, session), now),
  };
}

/** The same for a person: `POST #6: 200, its stream open for 11 s so far; the cancel by POST #7: 202`. */
function httpWords(post: Exchange, cancel: Exchange | undefined, carriers: readonly Exchange[], now: Ns): string {
  const streams = carriers.filter((carrier) => carrier.request?.http.purpose === 'stream');
  return [
    `${exchangeName(post)}: ${responseWords(post, now)}`,
    ...streams.map((stream) => {
      const what = stream.request?.http.resumes === undefined ? 'answers by' : 'resumed on';
      return `${what} ${exchangeName(stream)}: ${responseWords(stream, now)}`;
    }),
    ...(cancel ? [`the cancel by ${exchangeName(cancel)}: ${responseWords(cancel, now)}`] : []),
  ].join('; ');
}

function responseWords(exchange: Exchange, now: Ns): string {
  const status = statusOf(exchange);
  const { end } = exchange;
  const open = openFor(exchange, now);
  const state = [status === undefined ? 'no status' : String(status)];
  if (open !== undefined) state.push(`its stream open for ${words(open)}${end ? '' : ' so far'}`);
  if (end?.http.http === 'failed') state.push(`failed (${end.http.why})`);
  if (end?.http.http === 'cut') state.push(end.http.by === 'drop' ? 'closed from here' : 'closed with the session');
  return state.join(', ');
}
