// Whose effect is it? A probe sees a place, not a call. An observation belongs to the one call that was open on the probe;
// when several were, it belongs to each of them only by inference, and what was seen while nothing was open is nobody's.
import { asNs, FOREVER, type Ns, plus } from '../base/time';
import type { Call } from '../trace/calls';
import type { SessionNumber } from '../wire/frame';
import { opensAt } from './probeCalls';
import { type Observation, probeKey, type Watch, type World } from './world';

/** From just before a call was sent until nothing seen can be its doing any more. */
export interface OpenTime {
  readonly from: Ns;
  readonly to: Ns;
}

/** What decides how long a call stays open. */
export interface Closing {
  /** c, for a call that was stopped. */
  readonly stoppedAt: Ns | undefined;
  readonly settle: Ns;
  /** Until when a stopped call has to be watched, where its normal duration is known: until then it may write. */
  readonly outlastAt: Ns | undefined;
  readonly repliedAt: Ns | undefined;
  /** When the process or the session ended under the call. */
  readonly lostAt: Ns | undefined;
  /** When the next call on the same probe opened, after the stop: one that was open beside it then ends nothing. */
  readonly nextOpens: Ns | undefined;
}

/**
 * When a call is open on a probe: until it was answered; if it was stopped, or lost, until its settle window and the time that
 * it would still have needed are over and the next call on that probe opens (docs/verdicts.md, section 5).
 */
export function openTime(call: Call, closing: Closing): OpenTime {
  const from = opensAt(call);
  const { stoppedAt, repliedAt, lostAt, settle, outlastAt = from, nextOpens = FOREVER } = closing;
  if (stoppedAt === undefined && repliedAt !== undefined) return { from, to: repliedAt };
  const ended = stoppedAt ?? lostAt;
  if (ended === undefined) return { from, to: FOREVER };
  return { from, to: asNs(Math.max(plus(ended, settle), outlastAt, nextOpens)) };
}

/** Whether something absent at `lo` and present at `hi` can have come about while the call was open. */
export const mayBelong = (seen: Observation, open: OpenTime): boolean => seen.hi >= open.from && seen.lo <= open.to;

/** Whether it can only have come about then: it was absent after the call had opened. */
export const onlyThen = (seen: Observation, open: OpenTime): boolean => seen.lo >= open.from;

/** The watch that was running on a probe of a call's own session when the call opened, or undefined when nobody watched. */
export function watchOf(world: World, call: Call, probe: string): Watch | undefined {
  const at = opensAt(call);
  return world.watches.findLast(
    (w) => w.probe === probe && w.session === call.session && w.began.t <= at && (w.ended === undefined || w.ended.t > at),
  );
}

/** Kinds of probes whose place is the same whoever looks at it. The others watch a server, or an address made for one. */
const ANYBODYS_PLACE: ReadonlySet<string> = new Set(['folder', 'sql', 'command']);

/**
 * Where calls meet that may each have done what is seen: on the same probe, and on the same place, which a probe of another
 * server, or of the same server before it was started again, may watch as well (docs/verdicts.md, section 5).
 * @param watch the one that the probe has there, if it watches
 */
export const meetingsOf = (session: SessionNumber, probe: string, watch: Watch | undefined): readonly string[] => [
  probeKey(session, probe),
  ...(watch !== undefined && ANYBODYS_PLACE.has(watch.kind) ? [`${watch.kind} at ${watch.place}`] : []),
];

/** Whether a watch missed nothing between two moments, as far as it has said so. */
export function unbroken(watch: Watch, from: Ns, to: Ns): boolean {
  if (watch.ended !== undefined && watch.ended.t < to) return false;
  return !watch.gaps.some((gap) => gap.hi >= from && gap.lo <= to);
}
