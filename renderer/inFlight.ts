// Which calls are in flight: sent by this client as tool calls, neither answered nor stopped, in a session that has not
// ended. Kept step by step, so that a trace with a million calls costs nothing. A call that was answered a moment ago
// stays for a while as a ghost: a press of Stop that comes too late must meet "too late", not an empty place.
import { FOREVER } from '../app/base/time';
import type { Call, Calls } from '../app/trace/calls';
import { closingOf } from '../app/trace/exchanges';
import { toldAt } from '../app/trace/faults';

export interface Flight {
  readonly call: Call;
  /** `open` waits for its reply; the others have just stopped waiting. */
  readonly state: 'open' | 'answered' | 'stopped' | 'lost';
}

export interface InFlight {
  /** Brings the list up to date. @param nowMs monotonic page time @returns the calls, oldest first, ghosts included; the same list while nothing in it has changed */
  update(calls: Calls, nowMs: number): readonly Flight[];
  readonly list: () => readonly Flight[];
}

export const GHOST_MS = 1500;

export function isToolCall(call: Call): boolean {
  return call.sender === 'client' && call.purpose === 'call' && call.method === 'tools/call';
}

function stateOf(call: Call, calls: Calls): Flight['state'] {
  const [reply] = call.replies;
  // A reply that a fault of ours keeps back has reached nobody.
  if (reply && toldAt(call, reply) !== FOREVER) return 'answered';
  if (call.cancels.length > 0 || call.stops.length > 0) return 'stopped';
  const session = calls.sessions.get(call.session);
  if (!session) return 'open';
  // Over HTTP a call can be lost by itself: its response was refused, broke off, or ended without an answer.
  return session.ends.some((end) => end.t >= call.sent.t) || (!reply && closingOf(call, session)) ? 'lost' : 'open';
}

const isSame = (a: readonly Flight[], b: readonly Flight[]): boolean =>
  a.length === b.length && a.every(({ call, state }, i) => call === b[i]?.call && state === b[i]?.state);

export function inFlight(): InFlight {
  let fold: Calls | undefined;
  let seen = 0;
  let open: number[] = [];
  let ghosts: { readonly index: number; readonly until: number }[] = [];
  let list: readonly Flight[] = [];

  const reset = (calls: Calls): void => {
    fold = calls;
    seen = 0;
    open = [];
    ghosts = [];
  };
  const flight = (calls: Calls, index: number): Flight[] => {
    const call = calls.all[index];
    return call ? [{ call, state: stateOf(call, calls) }] : [];
  };

  return {
    update(calls, nowMs) {
      // What was over before this window looked leaves no ghost behind.
      const first = calls !== fold || calls.all.length < seen;
      if (first) reset(calls);
      for (; seen < calls.all.length; seen++) {
        const call = calls.all[seen];
        if (call && isToolCall(call)) open.push(call.index);
      }
      const still: number[] = [];
      for (const index of open) {
        const call = calls.all[index];
        if (call && stateOf(call, calls) === 'open') still.push(index);
        else if (!first) ghosts.push({ index, until: nowMs + GHOST_MS });
      }
      open = still;
      ghosts = ghosts.filter((ghost) => ghost.until > nowMs);
      const next = [...ghosts.map((ghost) => ghost.index), ...open].sort((a, b) => a - b).flatMap((index) => flight(calls, index));
      if (!isSame(list, next)) list = next;
      return list;
    },
    list: () => list,
  };
}

/**
 * The call that Stop means: the selected one when it is in flight, else the newest in flight; when none is, the selected
 * ghost, else the newest one, for the press that comes too late.
 */
export function stopTarget(list: readonly Flight[], selected: number | undefined): Flight | undefined {
  const open = list.filter((flight) => flight.state === 'open');
  const pool = open.length > 0 ? open : list.filter((flight) => flight.state === 'answered');
  return pool.find((flight) => flight.call.index === selected) ?? pool.at(-1);
}
