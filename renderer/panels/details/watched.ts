// What each probe of a call did while it watched: when it looked, what it saw and when, what it missed. The verdict says
// which observations are the call's; everything else here stands beside it, so that a person can see what it rests on.
import { minus, type Ns, toMs, words } from '../../../app/base/time';
import { watchOf } from '../../../app/evidence/attribution';
import { opensAt } from '../../../app/evidence/probeCalls';
import type { Watch, World } from '../../../app/evidence/world';
import type { Call } from '../../../app/trace/calls';
import type { Attributed, Verdict } from '../../../app/verdict/verdict';
import type { Seq } from '../../../app/wire/frame';

export interface WatchedRow {
  readonly seq: Seq;
  /** Its interval, from the stop where there was one, else on the trace's clock. */
  readonly when: string;
  readonly says: string;
  readonly is: 'seen' | 'after' | 'reverted' | 'work' | 'held' | 'gap';
}

export interface Watched {
  readonly probe: string;
  /** Undefined when nothing watched there at the time of the call. */
  readonly watch: { readonly kind: string; readonly place: string; readonly shared: boolean; readonly began: Seq } | undefined;
  /** How well it watched, in words. */
  readonly says: string;
  readonly rows: readonly WatchedRow[];
}

/** Rows of one probe that are shown: a place that changes all the time would bury the rest. */
const MOST = 12;

/** @returns one entry for each probe of the call, in the order in which they were named */
export function watchedBy(call: Call, verdict: Verdict | undefined, world: World): readonly Watched[] {
  return (call.arrangement?.probes ?? []).map((probe) => {
    const watch = watchOf(world, call, probe);
    if (!watch) return { probe, watch: undefined, says: 'did not watch when the call was sent', rows: [] };
    const { kind, place, shared, began } = watch;
    const rows = rowsOf(call, verdict, watch).sort((a, b) => a.seq - b.seq);
    return { probe, watch: { kind, place, shared, began: began.seq }, says: watching(call, watch), rows: rows.slice(0, MOST) };
  });
}

function watching(call: Call, watch: Watch): string {
  const readings = watch.clears.filter(({ hi }) => hi >= call.sent.t);
  const last = readings.at(-1);
  const gaps = watch.gaps.filter(({ hi }) => hi >= call.sent.t).length;
  return [
    watch.shared ? 'others write there too' : undefined,
    last
      ? `${readings.length} ${readings.length === 1 ? 'reading' : 'readings'} with nothing new, the last one ${words(minus(last.hi, call.sent.t))} after the call`
      : undefined,
    gaps > 0 ? `${gaps} ${gaps === 1 ? 'gap' : 'gaps'}` : undefined,
    watch.ended ? 'the watch has ended' : 'still watching',
  ]
    .filter(Boolean)
    .join(', ');
}

function rowsOf(call: Call, verdict: Verdict | undefined, watch: Watch): WatchedRow[] {
  const from = opensAt(call);
  const stop = verdict?.stop.at;
  const when = (lo: Ns, hi: Ns): string => interval(lo, hi, stop);
  const own = verdict?.effect.observations.filter(({ probe }) => probe === watch.probe) ?? [];
  const work = watch.work.filter(({ hi, call: key }) => hi >= from && (key === undefined || key === call.key));
  const held = watch.held.filter(({ hi, freed }) => hi >= from || freed === undefined || freed.t >= from);
  return [
    ...own.flatMap((seen) => seenRows(seen, watch, when)),
    ...work.map(({ seq, lo, hi, says }) => ({ seq, when: when(lo, hi), says, is: 'work' as const })),
    ...held.map(({ seq, lo, hi, says, freed }) => ({
      seq,
      when: when(lo, hi),
      says: freed ? `${says}; let go of later` : `${says}; still held`,
      is: 'held' as const,
    })),
    ...watch.gaps
      .filter(({ hi }) => hi >= from)
      .map(({ seq, lo, hi, why }) => ({ seq, when: when(lo, hi), says: `not watched: ${why}`, is: 'gap' as const })),
  ];
}

function seenRows(seen: Attributed, watch: Watch, when: (lo: Ns, hi: Ns) => string): WatchedRow[] {
  const reverted = watch.seen.find(({ seq }) => seq === seen.seq)?.reverted;
  const doubt = seen.certainty === 'inferred' ? ', inferred to be this call’s' : '';
  return [
    {
      seq: seen.seq,
      when: when(seen.lo, seen.hi),
      says: `${seen.says}${doubt}`,
      is: seen.state === 'after' && !seen.reverted ? 'after' : 'seen',
    },
    ...(reverted ? [{ seq: reverted.seq, when: when(reverted.t, reverted.t), says: 'taken back', is: 'reverted' as const }] : []),
  ];
}

/** `+84…+91 ms` from the stop; without one, on the trace's clock. From ten seconds on in seconds. */
export function interval(lo: Ns, hi: Ns, stop: Ns | undefined): string {
  const from = toMs(stop === undefined ? lo : minus(lo, stop));
  const to = toMs(stop === undefined ? hi : minus(hi, stop));
  const seconds = Math.max(Math.abs(from), Math.abs(to)) >= 10_000;
  const digits = seconds ? 2 : to - from < 2 ? 1 : 0;
  const text = (ms: number): string => {
    const sign = stop === undefined ? '' : ms < 0 ? '−' : '+';
    return `${sign}${(Math.abs(ms) / (seconds ? 1000 : 1)).toFixed(digits)}`;
  };
  const unit = seconds ? 's' : 'ms';
  return text(from) === text(to) ? `${text(from)} ${unit}` : `${text(from)}…${text(to)} ${unit}`;
}
