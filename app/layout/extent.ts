// What a lane has to know of a call to place it and to draw it small: from when to when it reaches, when its client
// stopped waiting, and the worst that is known of it with its moment. Large calls are drawn from their facts instead.
import { fromMs, type Ns } from '../base/time';
import type { Call, Calls } from '../trace/calls';
import { toldAt } from '../trace/faults';
import type { Trace } from '../trace/trace';
import type { Verdict } from '../verdict/verdict';

/** Where extents come from. */
export interface Facts {
  readonly trace: Trace;
  readonly calls: Calls;
  verdict(call: number): Verdict | undefined;
}

/** How bad the worst mark of a call is; on one pixel the highest wins. */
export const RANKS = ['plain', 'stopped', 'late', 'wrote', 'warned', 'unordered', 'breach'] as const;
export type Rank = (typeof RANKS)[number];
export const RANK = { plain: 0, stopped: 1, late: 2, wrote: 3, warned: 4, unordered: 5, breach: 6 } as const satisfies Record<Rank, number>;

/** Times in ns. */
export interface Extent {
  readonly start: number;
  /** When the client stopped waiting: by an answer, by a stop, because the session ended. Infinite while it waits. */
  readonly wait: number;
  /** NaN when nobody stopped the call. */
  readonly stop: number;
  /** The last thing known; after a stop at least the end of the settle window. Infinite while the client waits. */
  readonly end: number;
  /** When the worst happened. */
  readonly moment: number;
  readonly rank: number;
}

const DEFAULT_SETTLE = fromMs(3000);

/** How long after its stop a call is given room on its lane: things still happen to it then. */
export const settleOf = (call: Call): Ns => call.arrangement?.settle ?? DEFAULT_SETTLE;

/** The extent of a call as far as it is known. */
export function extentOf(facts: Facts, call: Call): Extent {
  const verdict = facts.verdict(call.index);
  const stop = verdict?.stop.at;
  const [first] = call.replies;
  const reply = first && toldAt(call, first);
  const ended = facts.calls.sessions.get(call.session)?.ends.find((end) => end.t >= call.sent.t)?.t;
  const wait = Math.min(reply ?? Number.POSITIVE_INFINITY, stop ?? Number.POSITIVE_INFINITY, ended ?? Number.POSITIVE_INFINITY);
  const last = lastMark(facts, call, verdict);
  const end = stop === undefined ? Math.max(last, wait) : Math.max(last, stop + settleOf(call));
  const { rank, moment } = worst(verdict, stop, reply);
  return { start: call.sent.t, wait, stop: stop ?? Number.NaN, end, moment: moment ?? call.sent.t, rank };
}

function lastMark({ trace, calls }: Facts, call: Call, verdict: Verdict | undefined): number {
  let last: number = call.sent.t;
  for (const stamps of [call.replies, call.cancels, call.stops, call.misaddressed, call.undelivered])
    for (const { t } of stamps) last = Math.max(last, t);
  last = Math.max(last, call.task?.states.at(-1)?.t ?? last);
  for (const { t, released } of call.faults) last = Math.max(last, t, released?.t ?? t);
  const tick = call.progress.at(-1);
  if (tick !== undefined) last = Math.max(last, trace.t(tick));
  const pong = call.fence === undefined ? undefined : calls.all[call.fence]?.replies[0]?.t;
  for (const seen of verdict?.effect.observations ?? []) last = Math.max(last, seen.hi);
  return Math.max(last, pong ?? last);
}

interface Worst {
  readonly rank: number;
  readonly moment: number | undefined;
}

function worst(verdict: Verdict | undefined, stop: number | undefined, reply: number | undefined): Worst {
  if (!verdict) return { rank: RANK.plain, moment: undefined };
  const seen = verdict.effect.worst;
  const moment = seen?.hi ?? verdict.reply.at ?? stop;
  if (verdict.severity === 'breach' || seen?.state === 'after') return { rank: RANK.breach, moment };
  if (seen?.state === 'straddles') return { rank: RANK.unordered, moment: (seen.lo + seen.hi) / 2 };
  if (verdict.severity === 'warn') return { rank: RANK.warned, moment: moment ?? reply };
  if (seen || verdict.effect.observations.length > 0) return { rank: RANK.wrote, moment: seen?.hi ?? verdict.effect.observations[0]?.hi };
  if (stop !== undefined && reply !== undefined && reply >= stop) return { rank: RANK.late, moment: reply };
  return { rank: stop === undefined ? RANK.plain : RANK.stopped, moment: stop };
}
