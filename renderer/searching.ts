// Searching in bodies. They lie in the trace file, so while somebody searches in words the newest are read, and looked
// into as they come; names and verdicts are searched in all.
import { useEffect } from 'react';
import type { Call } from '../app/trace/calls';
import { type Bodies, textOf } from './bodies';
import { useBodiesVersion, useSelect, useStopgap, useVersion } from './context';

/** How many frames' bodies are looked into: the newest. */
export const SEARCHED = 2000;

/** Reads bodies while the filter has words. Renders again when more of them are here. */
export function useSearching(): void {
  const { feed, bodies } = useStopgap();
  const words = useSelect((state) => state.filter.trim() !== '');
  useVersion(250);
  useBodiesVersion();
  const { trace } = feed;
  const { length } = trace;
  useEffect(() => {
    if (!words) return;
    const newest = Array.from({ length: Math.min(length, SEARCHED) }, (_, i) => length - 1 - i);
    bodies.want(newest.filter((seq) => hasBody(trace.kind(seq))));
  }, [words, length, trace, bodies]);
}

export const hasBody = (kind: string): boolean => kind === 'message' || kind === 'noise' || kind === 'http';

/** Texts of a call's request, cancels and replies, as far as they have been read. */
export const bodiesOf = (call: Call, bodies: Bodies): readonly (string | undefined)[] =>
  [call.sent, ...call.cancels, ...call.replies].map(({ seq }) => textOf(bodies.get(seq)));
