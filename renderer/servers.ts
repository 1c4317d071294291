// Which of the servers a call belongs to: a call is repeated, taken back and looked after where it was made, whatever is in
// focus meanwhile.
import type { ServerStatus } from '../app/contract/host';
import { besideEachOther, sessionName } from '../app/layout/sessions';
import type { Call, Calls } from '../app/trace/calls';
import type { State } from './store/state';

/**
 * The server that a call was sent to. Where its connection is gone it is the only one that there is, as after connecting
 * anew; with several, nobody can say.
 */
export function serverOf({ servers }: Pick<State, 'servers'>, call: Call | undefined): ServerStatus | undefined {
  const own = call && servers.find(({ sessions }) => sessions.includes(call.session));
  return own ?? (servers.length === 1 ? servers[0] : undefined);
}

/** Names the servers of calls, where several were connected at the same time: their tools and ids may be the same. */
export function whoseOf(calls: Calls): (call: Call) => string | undefined {
  if (!besideEachOther(calls)) return () => undefined;
  const names = new Map([...calls.sessions.keys()].map((session) => [session, sessionName(calls, session)]));
  return ({ session }) => names.get(session);
}
