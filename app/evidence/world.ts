// The fold from effect frames to what each probe saw, when it was looking, and what it missed.
import { asNs, type Ns, ZERO } from '../base/time';
import type { Stamp } from '../trace/calls';
import type { Trace } from '../trace/trace';
import type { Effect, Seq, SessionNumber } from '../wire/frame';
import { keyOf } from '../wire/jsonrpc';

/** Something appeared: absent at `lo`, present at `hi`. */
export interface Observation extends Stamp {
  readonly probe: string;
  readonly lo: Ns;
  readonly hi: Ns;
  readonly says: string;
  readonly subject: string;
  readonly undecided: boolean;
  /** The probe knows the effect to be complete. */
  readonly done: boolean;
  /** What of the text it shows, for telling whose it is. */
  readonly sample: string;
  /** Typed key of the request that it belongs to, where the probe can tell. */
  readonly call: string | undefined;
  /** Taken back later: the frame that says so. */
  reverted: Stamp | undefined;
}

export interface Gap extends Stamp {
  readonly lo: Ns;
  readonly hi: Ns;
  readonly why: string;
}

/** A reading that found nothing new; nothing was missed between `since` and `lo`. */
export interface Clear extends Stamp {
  readonly since: Ns;
  readonly lo: Ns;
  readonly hi: Ns;
}

/** Something that the server holds open at the place: a transaction, a lock. */
export interface Held extends Stamp {
  readonly lo: Ns;
  readonly hi: Ns;
  readonly says: string;
  freed: Stamp | undefined;
}

/** A sign that work goes on: a process that lives, a span that started, CPU time spent. Not an effect. */
export interface Work extends Stamp {
  readonly probe: string;
  readonly sign: 'process' | 'span' | 'cpu';
  readonly lo: Ns;
  readonly hi: Ns;
  readonly says: string;
  readonly subject: string;
  readonly call: string | undefined;
}

export interface Watch {
  /** Whose probe it is: names of probes mean nothing beyond their session. */
  readonly session: SessionNumber;
  readonly probe: string;
  readonly kind: string;
  readonly place: string;
  readonly shared: boolean;
  readonly began: Stamp;
  ended: Stamp | undefined;
  /** In the order in which they were made. */
  readonly seen: Observation[];
  /** The longest time from the beginning of an observation's interval to the moment at which it was made. */
  reach: Ns;
  readonly gaps: Gap[];
  readonly clears: Clear[];
  readonly held: Held[];
  readonly work: Work[];
  /** What reached the probe from elsewhere. */
  readonly strangers: (Stamp & { readonly says: string })[];
}

export interface World {
  /** Every watch in order; a probe that is started again begins another one. */
  readonly watches: readonly Watch[];
  /** Folds one frame. @returns the watch that it belongs to */
  take(trace: Trace, seq: Seq): Watch | undefined;
  /** The newest watch of a probe of a session. */
  of(session: SessionNumber, probe: string): Watch | undefined;
}

/** What a probe is known by: two servers may have probes of the same name. */
export const probeKey = (session: SessionNumber, probe: string): string => `${session} ${probe}`;

export function world(): World {
  const watches: Watch[] = [];
  const newest = new Map<string, Watch>();
  const bySeq = new Map<Seq, Observation>();
  const heldBySeq = new Map<Seq, Held>();

  const start = (session: SessionNumber, stamp: Stamp, effect: Extract<Effect, { effect: 'watching' }>): Watch => {
    const watch: Watch = {
      session,
      probe: effect.probe,
      kind: effect.kind,
      place: effect.place,
      shared: effect.shared,
      began: stamp,
      ended: undefined,
      seen: [],
      reach: ZERO,
      gaps: [],
      clears: [],
      held: [],
      work: [],
      strangers: [],
    };
    watches.push(watch);
    newest.set(probeKey(session, watch.probe), watch);
    return watch;
  };

  const note = (watch: Watch, stamp: Stamp, effect: Exclude<Effect, { effect: 'watching' }>): void => {
    switch (effect.effect) {
      case 'seen': {
        const { probe, lo, hi, says, subject, sample = '', undecided = false, done = false } = effect;
        const call = effect.call === undefined ? undefined : keyOf(effect.call);
        const seen: Observation = { ...stamp, probe, lo, hi, says, subject, sample, undecided, done, call, reverted: undefined };
        watch.seen.push(seen);
        watch.reach = asNs(Math.max(watch.reach, stamp.t - lo));
        bySeq.set(stamp.seq, seen);
        break;
      }
      case 'reverted':
        for (const seq of effect.of) {
          const seen = bySeq.get(seq);
          if (seen) seen.reverted = stamp;
        }
        break;
      case 'clear':
        watch.clears.push({ ...stamp, since: effect.since, lo: effect.lo, hi: effect.hi });
        break;
      case 'gap':
        watch.gaps.push({ ...stamp, lo: effect.lo, hi: effect.hi, why: effect.why });
        break;
      case 'held': {
        const held: Held = { ...stamp, lo: effect.lo, hi: effect.hi, says: effect.says, freed: undefined };
        watch.held.push(held);
        heldBySeq.set(stamp.seq, held);
        break;
      }
      case 'freed':
        for (const seq of effect.of) {
          const held = heldBySeq.get(seq);
          if (held) held.freed = stamp;
        }
        break;
      case 'work': {
        const { probe, sign, lo, hi, says, subject } = effect;
        const call = effect.call === undefined ? undefined : keyOf(effect.call);
        watch.work.push({ ...stamp, probe, sign, lo, hi, says, subject, call });
        break;
      }
      case 'stranger':
        watch.strangers.push({ ...stamp, says: effect.says });
        break;
      case 'ended':
        watch.ended = stamp;
        break;
    }
  };

  return {
    watches,
    of: (session, probe) => newest.get(probeKey(session, probe)),
    take(trace, seq) {
      const extra = trace.extra(seq);
      if (extra?.about !== 'effect') return undefined;
      const stamp = { seq, t: trace.t(seq) };
      const session = trace.session(seq);
      if (extra.effect.effect === 'watching') return start(session, stamp, extra.effect);
      const watch = newest.get(probeKey(session, extra.effect.probe));
      if (watch) note(watch, stamp, extra.effect);
      return watch;
    },
  };
}

/** The observations that may lie between two moments, and few others: found by their order, not by looking at all. */
export function seenBetween(watch: Watch, from: Ns, to: Ns): readonly Observation[] {
  const first = firstNotBefore(watch.seen, from);
  const end = firstNotBefore(watch.seen, asNs(to + watch.reach + 1));
  return first === 0 && end === watch.seen.length ? watch.seen : watch.seen.slice(first, end);
}

function firstNotBefore(list: readonly Stamp[], t: Ns): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.t ?? t) < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
