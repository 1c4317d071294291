// A scenario that is run many times: what each run came to, counted. A race that comes out differently one time in fifty is
// worth more than forty-nine that do not, so what did not hold is named with its run.
import { z } from 'zod';
import { HEADLINES, type Headline } from '../verdict/verdict';
import type { Report, ReportedExpectation } from './schema';

export const REPEAT_FORMAT = 'stopgap-repeat';
export const REPEAT_VERSION = 1;

const count = z.number().int().nonnegative();

export const repeatReport = z.strictObject({
  format: z.literal(REPEAT_FORMAT),
  version: z.literal(REPEAT_VERSION),
  scenarios: z.array(
    z.strictObject({
      name: z.string(),
      file: z.string(),
      runs: count,
      /** How many runs ended as expected, with nothing that nobody expected. */
      held: count,
      /** By call, how often each verdict came. */
      calls: z.array(z.strictObject({ name: z.string(), verdicts: z.partialRecord(z.enum(HEADLINES), count) })),
      misses: z.array(z.strictObject({ run: z.number().int().positive(), says: z.string() })),
    }),
  ),
});
export type RepeatReport = z.infer<typeof repeatReport>;

/** What one run came to. */
export interface Round {
  readonly ok: boolean;
  readonly calls: readonly { readonly name: string; readonly verdict: Headline }[];
  readonly expectations: readonly ReportedExpectation[];
  /** What was found and nobody expected. */
  readonly surprises: readonly string[];
}

export function roundOf({ calls, expectations }: Report, surprises: readonly string[]): Round {
  return {
    ok: expectations.every(({ ok }) => ok) && surprises.length === 0,
    calls: calls.map(({ name, verdict }) => ({ name, verdict })),
    expectations,
    surprises,
  };
}

export type Tally = Omit<RepeatReport['scenarios'][number], 'name' | 'file'>;

export function tallyOf(rounds: readonly Round[]): Tally {
  const names = [...new Set(rounds.flatMap(({ calls }) => calls.map(({ name }) => name)))];
  return {
    runs: rounds.length,
    held: rounds.filter(({ ok }) => ok).length,
    calls: names.map((name) => ({ name, verdicts: verdictsOf(name, rounds) })),
    misses: rounds.flatMap((round, index) => missesOf(round).map((says) => ({ run: index + 1, says }))),
  };
}

function verdictsOf(name: string, rounds: readonly Round[]): Partial<Record<Headline, number>> {
  const counts: Partial<Record<Headline, number>> = {};
  for (const { calls } of rounds) for (const call of calls) if (call.name === name) counts[call.verdict] = (counts[call.verdict] ?? 0) + 1;
  return counts;
}

const missesOf = ({ expectations, surprises }: Round): readonly string[] => [
  ...expectations.filter(({ ok }) => !ok).map(({ expected, saw }) => `expected ${expected}; saw ${saw}`),
  ...surprises.map((line) => `found, and expected by nobody: ${line}`),
];

/** `48 of 50 runs as expected`. */
export const heldText = ({ runs, held }: Pick<Tally, 'runs' | 'held'>): string =>
  `${held} of ${runs} ${runs === 1 ? 'run' : 'runs'} as expected`;

/** How often each verdict of a call came, most often first: `write-after-cancel 49, stopped 1`. */
export const verdictsText = (verdicts: Tally['calls'][number]['verdicts']): string =>
  Object.entries(verdicts)
    .sort(([, a], [, b]) => b - a)
    .map(([verdict, times]) => `${verdict} ${times}`)
    .join(', ');
