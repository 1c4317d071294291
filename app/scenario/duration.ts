// Lengths of time as people write them in scenario files and on the command line: `250ms`, `1.5s`, `2m`.

const UNITS = { ms: 1, s: 1000, m: 60_000 } as const;
/** A day: no wait in a test is longer, and timers count no further than 24 days. */
const LONGEST_MS = 86_400_000;

/** What {@link durationMs} takes, in words. */
export const DURATION = 'a duration such as 250ms, 1.5s or 2m (a day at most)';

/** @returns milliseconds, or undefined when the text is no duration */
export function durationMs(text: string): number | undefined {
  const [, figure, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text.trim()) ?? [];
  if (figure === undefined || unit === undefined) return undefined;
  const ms = Number(figure) * UNITS[unit as keyof typeof UNITS];
  return ms <= LONGEST_MS ? ms : undefined;
}
