// What the probes of a call make of its row beside effects: for how long they looked, when they could not, signs that work
// went on, and what the server holds open. Read off the world; nothing here decides what any of it means.
import { asNs, type Ns } from '../../app/base/time';
import { watchOf } from '../../app/evidence/attribution';
import type { Gap, Held, Watch, Work, World } from '../../app/evidence/world';
import type { Call } from '../../app/trace/calls';
import type { Verdict } from '../../app/verdict/verdict';

export interface Witness {
  /** All probes of the call were watching; undefined when none was. Open at the end while they still do. */
  readonly watched: { readonly from: Ns; readonly to: Ns | undefined } | undefined;
  readonly gaps: readonly (Gap & { readonly probe: string })[];
  /** Signs of work, by what shows them, in order. */
  readonly work: readonly { readonly first: Work; readonly last: Work; readonly count: number }[];
  readonly held: readonly (Held & { readonly probe: string })[];
}

const NOTHING: Witness = { watched: undefined, gaps: [], work: [], held: [] };

/**
 * @param until until when what a probe sees is the call's concern; undefined while the call is open
 */
export function witness(world: World, call: Call, verdict: Verdict | undefined, until: Ns | undefined): Witness {
  const probes = call.arrangement?.probes ?? [];
  if (probes.length === 0) return NOTHING;
  const watches = probes.flatMap((probe) => watchOf(world, call, probe) ?? []);
  if (watches.length < probes.length) return NOTHING;
  const from = call.sent.t;
  const to = earliest(until, ...watches.map((watch) => watch.ended?.t));
  const end = to ?? Number.POSITIVE_INFINITY;
  const named = new Set(verdict?.held.map(({ seq }) => seq));
  return {
    watched: { from, to },
    gaps: watches.flatMap((watch) => within(watch.gaps, from, end).map((gap) => ({ ...gap, probe: watch.probe }))),
    work: watches.flatMap((watch) => workOf(watch, call, end)),
    held: watches.flatMap((watch) =>
      within(watch.held, from, end)
        .filter((held) => held.freed !== undefined || named.has(held.seq))
        .map((held) => ({ ...held, probe: watch.probe })),
    ),
  };
}

/** What reaches into an interval of an ascending list, found from its end: the past may be long. */
function within<T extends { readonly lo: Ns; readonly hi: Ns }>(list: readonly T[], from: number, to: number): readonly T[] {
  let start = list.length;
  while (start > 0 && (list[start - 1]?.hi ?? 0) >= from) start--;
  return list.slice(start).filter((item) => item.lo <= to);
}

function workOf(watch: Watch, call: Call, end: number): Witness['work'] {
  const bySubject = new Map<string, { first: Work; last: Work; count: number }>();
  for (const work of within(watch.work, call.sent.t, end)) {
    if (work.sign === 'cpu' || (work.call !== undefined && work.call !== call.key)) continue;
    const known = bySubject.get(work.subject);
    if (known) {
      known.last = work;
      known.count++;
    } else bySubject.set(work.subject, { first: work, last: work, count: 1 });
  }
  return [...bySubject.values()];
}

function earliest(...times: readonly (Ns | undefined)[]): Ns | undefined {
  const known = times.filter((t) => t !== undefined);
  return known.length > 0 ? asNs(Math.min(...known)) : undefined;
}
