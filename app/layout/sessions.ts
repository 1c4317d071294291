// How the sessions of a trace are told apart where people read of them: by their servers' titles, with the number where one
// server has several sessions. And whether servers were connected at the same time: then each has rows of its own.
import { FOREVER, type Ns } from '../base/time';
import type { Calls, Session } from '../trace/calls';
import type { SessionNumber } from '../wire/frame';

/** What stands before any call of the session: so a name is the same whenever it is asked for. */
const titleOf = ({ started, connecting }: Session): string | undefined => started?.life.title ?? connecting?.life.title;

/** `Orders`, `Orders, session 3` for its later sessions, `session 2` where nobody knows a title. */
export function sessionName({ sessions }: Pick<Calls, 'sessions'>, number: SessionNumber): string {
  const session = sessions.get(number);
  const title = session && titleOf(session);
  if (title === undefined || title === '') return `session ${number}`;
  const before = [...sessions.values()].some((other) => other.number < number && titleOf(other) === title);
  return before ? `${title}, session ${number}` : title;
}

/** Whether a session began while another one had not ended. */
export function besideEachOther({ sessions }: Pick<Calls, 'sessions'>): boolean {
  let until = -1 as Ns;
  for (const { started, connecting, ends } of [...sessions.values()].sort((a, b) => a.number - b.number)) {
    const began = (started ?? connecting)?.t;
    if (began === undefined) continue;
    if (began < until) return true;
    const end = ends[0]?.t ?? FOREVER;
    if (end > until) until = end;
  }
  return false;
}
