// The real clock: monotonic, from the moment at which a recording begins.
import { performance } from 'node:perf_hooks';
import type { Clock, Ns } from '../../app/base/time';

/** A clock that is 0 now. */
export function startClock(): Clock {
  const origin = performance.now();
  return {
    now: () => Math.round((performance.now() - origin) * 1e6) as Ns,
    wallMs: () => Date.now(),
  };
}
