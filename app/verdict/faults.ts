// Faults of ours beside a verdict: what they did to the messages of a call, in words and with the frames that say so. What the
// server sent, and when, is in the frames of its messages; nothing of what we did to them is ever laid to it.
import { minus, type Ns, words } from '../base/time';
import { unreachable } from '../base/unreachable';
import type { Call, Session, Stamp } from '../trace/calls';
import { type Faulted, requestKept, toldAt } from '../trace/faults';
import type { Because, StopLane } from './verdict';

const WHAT = { request: 'the call', reply: 'the reply', cancel: 'the cancel', notification: 'a notification' } as const;

/** `held the reply back for 312 ms` */
function deed({ fault, what, t, released, dir }: Faulted): string {
  const it = WHAT[what];
  const lasted = released ? ` for ${words(minus(released.t, t))}` : '';
  switch (fault) {
    case 'delay':
      return released ? `delayed ${it} by ${words(minus(released.t, t))}` : `delays ${it}`;
    case 'hold':
      return released ? `held ${it} back${lasted}` : `holds ${it} back`;
    case 'reorder':
      return released ? `let another message overtake ${it}, which it kept${lasted}` : `keeps ${it} until another message overtakes it`;
    case 'drop':
      return `dropped ${it}`;
    case 'duplicate':
      return dir === 'c2s' ? `sent ${it} twice` : `passed ${it} on twice`;
    case 'cut':
      return `cut the connection at ${it}`;
    default:
      return unreachable(fault);
  }
}

/** What a fault of ours did, as a clause: `a fault of ours (lost cancel) dropped the cancel`. */
export const faultWords = (of: Faulted): string => `a fault of ours (${of.rule}) ${deed(of)}`;

/** The faults that were on while a call waited, where none of them touched it. */
function onMeanwhile(call: Call, session: Session): (Stamp & { readonly rules: readonly string[] }) | undefined {
  if (session.faults.length === 0) return undefined;
  const [reply] = call.replies;
  const until = reply ? toldAt(call, reply) : Number.POSITIVE_INFINITY;
  const before = session.faults.findLast(({ t }) => t <= call.sent.t);
  if (before && before.rules.length > 0) return before;
  return session.faults.find(({ t, rules }) => t > call.sent.t && t <= until && rules.length > 0);
}

/** That faults of ours were on, and what they did to a call: frames, and what each says. Empty where none was. */
export function faultsOn(call: Call, session: Session): readonly Because[] {
  if (call.faults.length > 0) return call.faults.map((one) => ({ seq: one.seq, says: faultWords(one) }));
  const on = onMeanwhile(call, session);
  return on ? [{ seq: on.seq, says: `faults of ours were on (${on.rules.join('; ')}) and touched nothing of this call` }] : NONE;
}

const NONE: readonly Because[] = [];

/** A fault of ours let the cancel overtake the call: when the server read it, it had not been sent the call. */
export function overtaken(call: Call, stop: StopLane): boolean {
  const kept = requestKept(call);
  const told = stop.state === 'sent' || stop.state === 'stream-closed';
  return (
    kept !== undefined &&
    kept.fault !== 'drop' &&
    told &&
    stop.at !== undefined &&
    (call.written === undefined || call.written.t >= stop.at)
  );
}

/** When a fault of ours let a kept cancel pass; it was written in no earlier moment. */
export const cancelReleased = (call: Call, before: Ns): Ns | undefined =>
  call.faults.findLast(({ what, dir, released }) => what === 'cancel' && dir === 'c2s' && released !== undefined && released.t <= before)
    ?.released?.t;
