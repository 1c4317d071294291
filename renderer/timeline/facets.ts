// The timeline's own filter: what of each facet of a call is left out. It knows no text; whoever searches in words passes
// a predicate of their own, and both are asked.
import type { Call, Calls } from '../../app/trace/calls';
import type { Seq } from '../../app/wire/frame';
import type { Facts } from './marks';

export const FACETS = ['tool', 'method', 'server', 'direction', 'verdict'] as const;
export type Facet = (typeof FACETS)[number];

/** By facet: the values that are left out. */
export type Facets = Readonly<Record<Facet, ReadonlySet<string>>>;

const NOTHING: ReadonlySet<string> = new Set();
export const NO_FACETS: Facets = { tool: NOTHING, method: NOTHING, server: NOTHING, direction: NOTHING, verdict: NOTHING };

export const isFiltering = (facets: Facets): boolean => FACETS.some((facet) => facets[facet].size > 0);

/** The value of a facet, as people read it; undefined where the call has none. */
export function facetOf(facet: Facet, call: Call, facts: Facts): string | undefined {
  switch (facet) {
    case 'tool':
      return call.tool;
    case 'method':
      return call.method;
    case 'server':
      return `session ${call.session}`;
    case 'direction':
      return call.sender === 'client' ? 'client asks' : 'server asks';
    case 'verdict':
      return facts.verdict(call.index)?.verdict;
  }
}

/** Whether the filter lets a call through. */
export function passes(facets: Facets, call: Call, facts: Facts): boolean {
  return FACETS.every((facet) => {
    if (facets[facet].size === 0) return true;
    const value = facetOf(facet, call, facts);
    return value === undefined || !facets[facet].has(value);
  });
}

/**
 * Whether a frame gets room on the order scale. A frame of a call without a row (a probe's own request, a call that the
 * filter hides) gets none: hidden calls would push a race of two frames out of view. Calls that are dimmed keep theirs, and the ping
 * behind a cancel goes with the call that was cancelled.
 * @param shows which calls have rows; all when undefined
 */
export function getsRoom(calls: Calls, seq: Seq, shows: ((call: number) => boolean) | undefined): boolean {
  const call = calls.ofFrame(seq);
  return call === undefined || (call.purpose !== 'probe' && shows?.(call.guards ?? call.index) !== false);
}

/** Leaves a value out, or takes it in again. */
export function toggled(facets: Facets, facet: Facet, value: string): Facets {
  const next = new Set(facets[facet]);
  if (!next.delete(value)) next.add(value);
  return { ...facets, [facet]: next };
}

/** The values of a facet with how many calls have each, most frequent first. */
export function valuesOf(facet: Facet, facts: Facts): readonly (readonly [value: string, calls: number])[] {
  const counts = new Map<string, number>();
  for (const call of facts.calls.all) {
    const value = call.purpose === 'call' ? facetOf(facet, call, facts) : undefined;
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}
