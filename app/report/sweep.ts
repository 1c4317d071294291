// What a sweep found, as JSON (public, version 1, docs/cli.md) and as a strip for a terminal: a row for each attempt, the
// axis from left to right, the cancel where it left and the write where it landed.
import { z } from 'zod';
import { type Attempt, type Axis, boundaryOf, boundarySentence, confidenceOf, confidenceSentence } from '../scenario/sweep';
import { EFFECTS, HEADLINES } from '../verdict/verdict';
import { type Paint, wrapped } from './words';

export const SWEEP_FORMAT = 'stopgap-sweep';
export const SWEEP_VERSION = 1;

const moment = z.number().nullable();

export const sweepReport = z.strictObject({
  format: z.literal(SWEEP_FORMAT),
  version: z.literal(SWEEP_VERSION),
  tool: z.string(),
  axis: z.enum(['time', 'progress']),
  /** Moments are ms since the call was sent on the axis `time`, notifications of progress on the other. */
  attempts: z.array(
    z.strictObject({
      cancelAtMs: moment,
      cancelAtProgress: moment,
      verdict: z.enum(HEADLINES),
      effect: z.enum(EFFECTS),
      outcome: z.enum(['prevented', 'landed', 'unknown']),
      landedFromMs: moment,
      landedToMs: moment,
    }),
  ),
  boundary: z.strictObject({
    preventedUpToMs: moment,
    landsFromMs: moment,
    preventedUpToProgress: moment,
    landsFromProgress: moment,
    varies: z.boolean(),
    /** Differences up to this long decide nothing; the ends are moved outwards by it. */
    tieMs: z.number(),
    known: z.number().int().nonnegative(),
    /** How many cancels up to the lower end prevented the write, and behind how many from the upper end on it landed. */
    prevented: z.number().int().nonnegative(),
    landed: z.number().int().nonnegative(),
    /** At 95 % confidence, at most this share of such cancels ends otherwise. */
    preventedOtherwise: z.number().nullable(),
    landedOtherwise: z.number().nullable(),
  }),
  /** It was ended before all attempts were made. */
  interrupted: z.boolean(),
  sentence: z.string(),
  confidence: z.string().nullable(),
});
export type SweepReport = z.infer<typeof sweepReport>;

export interface SweptTool {
  readonly tool: string;
  readonly axis: Axis;
  readonly attempts: readonly Attempt[];
  readonly tieMs: number;
  readonly interrupted: boolean;
}

const rounded = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value * 1000) / 1000);

export function sweepReportOf({ tool, axis, attempts, tieMs, interrupted }: SweptTool): SweepReport {
  const { preventedUpTo, landsFrom, varies, known } = boundaryOf(attempts, tieMs);
  const { prevented, landed, otherwisePrevented, otherwiseLanded } = confidenceOf(attempts);
  const on = (wanted: Axis, value: number | undefined): number | null => (axis === wanted ? rounded(value) : null);
  return {
    format: SWEEP_FORMAT,
    version: SWEEP_VERSION,
    tool,
    axis,
    attempts: attempts.map(({ cancelAt, verdict, effect, outcome, landed }) => ({
      cancelAtMs: on('time', cancelAt),
      cancelAtProgress: on('progress', cancelAt),
      verdict,
      effect,
      outcome,
      landedFromMs: rounded(landed?.[0]),
      landedToMs: rounded(landed?.[1]),
    })),
    boundary: {
      preventedUpToMs: on('time', preventedUpTo),
      landsFromMs: on('time', landsFrom),
      preventedUpToProgress: on('progress', preventedUpTo),
      landsFromProgress: on('progress', landsFrom),
      varies,
      tieMs: rounded(tieMs) ?? 0,
      known,
      prevented,
      landed,
      preventedOtherwise: rounded(otherwisePrevented),
      landedOtherwise: rounded(otherwiseLanded),
    },
    interrupted,
    sentence: boundarySentence(attempts, axis, tieMs),
    confidence: confidenceSentence(attempts, axis, tieMs) ?? null,
  };
}

const LABEL = 10;
const VERDICT = 22;

/** The strip: a row for each attempt, sorted by the moment of its cancel. */
export function sweepText(swept: SweptTool, width: number, paint: Paint): readonly string[] {
  const { attempts, axis, interrupted } = swept;
  const report = sweepReportOf(swept);
  const columns = Math.max(20, width - LABEL - VERDICT - 4);
  const moments = attempts.flatMap(({ cancelAt, landed }) => [cancelAt, ...(axis === 'time' ? (landed ?? []) : [])]);
  const most = Math.max(1, ...moments);
  const column = (moment: number): number => Math.round((moment / most) * (columns - 1));
  const rows = [...attempts].sort((a, b) => a.cancelAt - b.cancelAt).map((attempt) => row(attempt, axis, columns, column, paint));
  return [
    ...rows,
    ...(rows.length === 0
      ? []
      : ['', paint('faint', '━ not stopped yet   ▼ cancel   ◆ write landed after it   ◇ before it   · prevented   ? not known')]),
    '',
    ...wrapped(`${interrupted ? 'Ended early. ' : ''}${report.sentence}`, width),
    ...(report.confidence === null ? [] : wrapped(report.confidence, width)),
  ];
}

function row(
  { cancelAt, outcome, verdict, landed }: Attempt,
  axis: Axis,
  columns: number,
  column: (moment: number) => number,
  paint: Paint,
): string {
  const cells: string[] = Array.from({ length: columns }, () => ' ');
  const stop = column(cancelAt);
  cells.fill(paint('request', '━'), 0, stop);
  cells[stop] = paint('cancel', '▼');
  if (landed && axis === 'time') {
    const before = landed[1] <= cancelAt;
    const at = column(landed[1]);
    cells[at === stop ? Math.min(columns - 1, stop + (before ? -1 : 1)) : at] = before ? paint('strong', '◇') : paint('breach', '◆');
  }
  const label = axis === 'time' ? `${Math.round(cancelAt)} ms` : `progress ${cancelAt}`;
  const sign = { prevented: paint('proof', '·'), landed: paint('breach', '◆'), unknown: paint('unknown', '?') }[outcome];
  return `${label.padStart(LABEL)} ${sign} ${cells.join('')} ${verdict}`;
}
