// Where the live edge is. Following means keeping what happens in view, not running after an empty clock: while a call is
// in flight or not settled the edge is now; afterwards it stays where the last thing happened, so that a race that is over
// does not slide out of view while somebody reads it. Evidence that comes later still moves it: a write long after the
// settle window is what somebody waits for.
import { asNs, type Ns, ZERO } from '../../app/base/time';
import { CLOCK, type Warp } from '../../app/layout/order';
import type { Calls } from '../../app/trace/calls';
import type { Verdict } from '../../app/verdict/verdict';
import { type Facts, lastOf, picture } from './marks';
import type { Range } from './scale';

export interface Activity {
  /** Looks at what has changed; call it for every new version. */
  take(facts: Facts): void;
  /** Whether anything is in flight or not settled yet. */
  readonly busy: boolean;
  /** The last time at which something happened. */
  readonly last: Ns;
}

/** How many calls that are over are looked at again when their verdict changes: the newest. */
const REMEMBERED = 256;

export function activity(): Activity {
  let open: number[] = [];
  let over: { readonly index: number; readonly verdict: Verdict | undefined }[] = [];
  let taken = 0;
  let last: Ns = ZERO;

  const isOpen = (facts: Facts, index: number): boolean => {
    const call = facts.calls.all[index];
    if (call?.purpose !== 'call') return false;
    const of = picture(facts, call);
    last = asNs(Math.max(last, lastOf(of, ZERO)));
    if (of.verdict === undefined) return of.waits.to === undefined && !hasEnded(facts.calls, call.session);
    if (of.c !== undefined) return !of.verdict.settled;
    return of.waits.to === undefined;
  };

  return {
    take(facts) {
      for (; taken < facts.calls.all.length; taken++) open.push(taken);
      // A verdict is another object whenever anything about its call is: a late effect, a late reply, a second answer.
      const isNews = ({ index, verdict }: (typeof over)[number]): boolean => facts.verdict(index) !== verdict;
      const looked = [...over.filter(isNews).map(({ index }) => index), ...open];
      open = looked.filter((index) => isOpen(facts, index));
      const still = new Set(open);
      const ended = looked.filter((index) => !still.has(index) && facts.calls.all[index]?.purpose === 'call');
      over = [...over.filter((entry) => !isNews(entry)), ...ended.map((index) => ({ index, verdict: facts.verdict(index) }))].slice(
        -REMEMBERED,
      );
    },
    get busy() {
      return open.length > 0;
    },
    get last() {
      return last;
    },
  };
}

const hasEnded = (calls: Calls, session: number): boolean => (calls.sessions.get(session)?.ends.length ?? 0) > 0;

/** Share of the view at which the live edge is held, and at which it is put when it had left the view. */
const HOLD = 0.9;
const PUT = 0.3;

/** Moves a range so that the edge is in view; the span stays. @returns the same range where nothing has to move */
export function following(range: Range, edge: Ns, warp: Warp = CLOCK): Range {
  const [low, high, at] = [warp.u(range.from), warp.u(range.to), warp.u(edge)];
  const span = high - low;
  const put = (share: number): Range => {
    const from = Math.max(warp.u(ZERO) - span * 0.02, at - span * share);
    return { from: asNs(warp.t(from)), to: asNs(warp.t(from + span)) };
  };
  if (at < low || at > high + span * 0.1) return put(PUT);
  return at > low + span * HOLD ? put(HOLD) : range;
}
