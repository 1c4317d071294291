// Calls that are about other calls: a retry repeats one, an undo is meant to take one back. The trace names them by the
// request id, which means nothing beyond its session. Whether an undo worked is not the undo's to say: the probe that saw
// the effect is asked again.

import type { Ns } from '../../../app/base/time';
import type { World } from '../../../app/evidence/world';
import type { Call, Calls } from '../../../app/trace/calls';
import type { Verdict } from '../../../app/verdict/verdict';
import type { Seq } from '../../../app/wire/frame';
import { idOf } from '../../../app/wire/jsonrpc';

type About = 'retryOf' | 'undoOf';

/** The call that another one repeats, or takes back. */
export function subjectOf(calls: Calls, call: Call, about: About): Call | undefined {
  const id = call.arrangement?.[about];
  if (id === undefined) return undefined;
  for (let i = call.index - 1; i >= 0; i--) {
    const other = calls.all[i];
    if (other?.session === call.session && other.sender === 'client' && idOf(other.key) === id) return other;
  }
  return undefined;
}

/** The calls that repeat this one, or take it back, in order. */
export function sequelsOf(calls: Calls, call: Call, about: About): readonly Call[] {
  const found: Call[] = [];
  for (let i = call.index + 1; i < calls.all.length; i++) {
    const other = calls.all[i];
    if (other?.arrangement?.[about] !== undefined && subjectOf(calls, other, about) === call) found.push(other);
  }
  return found;
}

export type UndoOutcome =
  | { readonly state: 'waiting' }
  /** No probe has seen an effect that could be taken back. */
  | { readonly state: 'nothing-seen' }
  /** Every effect that was seen is gone: the frames that say so. */
  | { readonly state: 'confirmed'; readonly seqs: readonly Seq[]; readonly probes: readonly string[] }
  /** The probe has looked since, and what it saw is still there. */
  | { readonly state: 'refuted'; readonly probes: readonly string[] }
  /** The undo was answered; the probe has not looked since, or could not. */
  | { readonly state: 'not-looked'; readonly probes: readonly string[] };

/**
 * Whether the same probes that saw a call's effect confirm that it is gone.
 * @param verdict of the call whose effect was to be taken back
 */
export function undoOutcome(verdict: Verdict, undo: Call, world: World): UndoOutcome {
  const seen = verdict.effect.observations.map(({ seq, probe }) => ({
    probe,
    seen: world.watches
      .find((watch) => watch.session === undo.session && watch.probe === probe && watch.seen.some((one) => one.seq === seq))
      ?.seen.find((one) => one.seq === seq),
  }));
  const left = seen.filter((one) => one.seen?.reverted === undefined);
  if (seen.length > 0 && left.length === 0) {
    const seqs = seen.flatMap((one) => one.seen?.reverted?.seq ?? []);
    return { state: 'confirmed', seqs: [...new Set(seqs)], probes: names(seen) };
  }
  const answered = undo.replies[0]?.t;
  if (answered === undefined) return { state: 'waiting' };
  if (seen.length === 0) return { state: 'nothing-seen' };
  const looked = names(left).every((probe) => lookedSince(world, undo, probe, answered));
  return { state: looked ? 'refuted' : 'not-looked', probes: names(left) };
}

const names = (list: readonly { readonly probe: string }[]): readonly string[] => [...new Set(list.map(({ probe }) => probe))];

/** Whether a probe has made a reading that began after a moment. */
function lookedSince(world: World, { session }: Call, probe: string, since: Ns): boolean {
  const watch = world.of(session, probe);
  return watch !== undefined && (watch.clears.some((clear) => clear.lo >= since) || watch.seen.some((seen) => seen.lo >= since));
}
