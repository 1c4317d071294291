// The strip of a sweep as numbers from 0 to 1: where the cancel of each attempt is on the axis, where its write landed, and
// where the boundary lies. Drawn by Strip; the order is that of the moments.
import { type Attempt, type Axis, type Boundary, boundaryOf } from '../../../app/scenario/sweep';

export interface StripRow {
  readonly attempt: Attempt;
  readonly cancel: number;
  /** When the write had landed, on the axis of time only. */
  readonly landed: number | undefined;
  readonly before: boolean;
}

export interface Strip {
  readonly rows: readonly StripRow[];
  /** From where to where nothing is sure: the lower and the upper end, or the edge where there is none. */
  readonly band: { readonly from: number; readonly to: number; readonly varies: boolean } | undefined;
  readonly ticks: readonly { readonly at: number; readonly says: string }[];
}

const STEPS = [1, 2, 5];
const TICKS = 4;

export function stripOf(attempts: readonly Attempt[], axis: Axis, tieMs: number): Strip {
  const inTime = axis === 'time';
  const boundary = boundaryOf(attempts, tieMs);
  const moments = attempts.flatMap(({ cancelAt, landed }) => [cancelAt, ...(inTime && landed ? [landed[1]] : [])]);
  const most = Math.max(1, ...moments, boundary.landsFrom ?? 0) * 1.04;
  const rows = [...attempts]
    .sort((a, b) => a.cancelAt - b.cancelAt)
    .map((attempt): StripRow => {
      const { cancelAt, landed } = attempt;
      return {
        attempt,
        cancel: cancelAt / most,
        landed: inTime && landed ? landed[1] / most : undefined,
        before: landed !== undefined && landed[1] <= cancelAt,
      };
    });
  return { rows, band: bandOf(boundary, most), ticks: ticksOf(most, inTime) };
}

function bandOf({ preventedUpTo, landsFrom, varies, known }: Boundary, most: number): Strip['band'] {
  if (known === 0 || (preventedUpTo === undefined && landsFrom === undefined && !varies)) return undefined;
  if (!varies && (preventedUpTo === undefined || landsFrom === undefined)) return undefined;
  return { from: (preventedUpTo ?? 0) / most, to: (landsFrom ?? most) / most, varies };
}

function ticksOf(most: number, inTime: boolean): Strip['ticks'] {
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, (STEPS.find((factor) => factor * power >= rough) ?? 10) * power);
  const ticks: { at: number; says: string }[] = [];
  for (let at = 0; at <= most; at += step) ticks.push({ at: at / most, says: inTime ? `${Math.round(at)} ms` : String(at) });
  return ticks;
}
