// Where does Stop stop helping? A sweep calls a tool again and again, cancels it at chosen moments, and asks the probes what
// became of the write. From the attempts comes an interval: up to its lower end Stop prevented the write, from its upper end
// on it did not. Nothing is said of moments that nobody tried, and an attempt whose outcome is not known counts for nothing.
import type { EffectState, Headline, Verdict } from '../verdict/verdict';

/** What the moments of a sweep are counted in: ms since the call was sent, or notifications of progress since then. */
export type Axis = 'time' | 'progress';

/** What became of the write that an attempt cancelled. */
export type Outcome = 'prevented' | 'landed' | 'unknown';

export interface Attempt {
  /** The moment of the cancel as it was measured, on the axis: ms between the call and the cancel on the wire. */
  readonly cancelAt: number;
  readonly outcome: Outcome;
  readonly verdict: Headline;
  readonly effect: EffectState;
  /** When the write landed, in ms since the call was sent: absent at the first, there at the second. */
  readonly landed: readonly [number, number] | undefined;
  /** Index of the call in the trace. */
  readonly call: number;
}

export interface Boundary {
  /** The latest cancel that prevented the write and that no earlier one failed to; undefined when none did. */
  readonly preventedUpTo: number | undefined;
  /** The earliest cancel behind which the write landed, every later one included; undefined when none landed so. */
  readonly landsFrom: number | undefined;
  /** Between the two both happened: attempts at earlier moments landed while later ones were prevented. */
  readonly varies: boolean;
  /** How many attempts have a known outcome. */
  readonly known: number;
}

/**
 * What a stopped attempt proves about its write. Only a watch that outlasted the call, or an answer that says that it is
 * over, makes the absence of an effect count (docs/verdicts.md, section 5).
 */
export function outcomeOf({ verdict, effect, settled }: Pick<Verdict, 'verdict' | 'effect' | 'settled'>): Outcome {
  const standing = effect.observations.filter((one) => !one.reverted);
  if (standing.length > 0) return 'landed';
  if (verdict === 'rolled-back') return 'prevented';
  const over = verdict === 'stopped' || verdict === 'acknowledged' || verdict === 'late-error';
  return settled && over && effect.state === 'not-seen' ? 'prevented' : 'unknown';
}

/**
 * The interval that attempts leave. Its ends are moments that were tried, moved outwards by `tie`: how far into its work a
 * server is when a cancel reaches it is not known more exactly than that. Nothing is interpolated.
 * @param tie in the axis' unit; attempts in the wrong order by no more than that do not make it vary
 */
export function boundaryOf(attempts: readonly Attempt[], tie = 0): Boundary {
  const at = (outcome: Outcome): readonly number[] => attempts.filter((one) => one.outcome === outcome).map((one) => one.cancelAt);
  const prevented = at('prevented');
  const landed = at('landed');
  const firstLanded = Math.min(...landed);
  const lastPrevented = Math.max(...prevented);
  const below = prevented.filter((moment) => moment < firstLanded);
  const above = landed.filter((moment) => moment > lastPrevented);
  return {
    preventedUpTo: below.length === 0 ? undefined : Math.max(0, Math.max(...below) - tie),
    landsFrom: above.length === 0 ? undefined : Math.min(...above) + tie,
    varies: prevented.length > 0 && landed.length > 0 && lastPrevented >= firstLanded + tie,
    known: prevented.length + landed.length,
  };
}

export type Strategy =
  | { readonly how: 'grid' | 'random' | 'boundary'; readonly from: number; readonly to: number; readonly runs: number }
  /** Exactly these moments, in this order. */
  | { readonly how: 'moments'; readonly moments: readonly number[] };

/**
 * The moment of the next cancel.
 * @param random from 0 up to 1
 * @returns undefined when the sweep is over
 */
export function nextMoment(strategy: Strategy, attempts: readonly Attempt[], axis: Axis, random: () => number): number | undefined {
  if (strategy.how === 'moments') return strategy.moments[attempts.length];
  const { from, to, runs, how } = strategy;
  const n = attempts.length;
  if (n >= runs) return undefined;
  const onAxis = (moment: number): number => (axis === 'progress' ? Math.round(moment) : moment);
  switch (how) {
    case 'grid':
      return onAxis(runs === 1 ? from : from + ((to - from) * n) / (runs - 1));
    case 'random':
      return onAxis(from + (to - from) * random());
    case 'boundary':
      return onAxis(narrowing(from, to, attempts, random));
  }
}

/** Both ends first, then the middle of what is left; where it varies, anywhere between the two ends of the variation. */
function narrowing(from: number, to: number, attempts: readonly Attempt[], random: () => number): number {
  if (attempts.length === 0) return from;
  if (attempts.length === 1) return to;
  const { preventedUpTo = from, landsFrom = to, varies } = boundaryOf(attempts);
  return varies ? preventedUpTo + (landsFrom - preventedUpTo) * random() : (preventedUpTo + landsFrom) / 2;
}

/** How sure the ends of the interval are, of what was tried. */
export interface Confidence {
  /** Cancels up to the lower end: all of them prevented the write. */
  readonly prevented: number;
  /** Cancels from the upper end on: behind all of them the write landed. */
  readonly landed: number;
  /** At 95 % confidence no more than this share of such cancels ends otherwise; undefined where none was tried. */
  readonly otherwisePrevented: number | undefined;
  readonly otherwiseLanded: number | undefined;
}

const DOUBT = 0.05;

/** After n times the same and never the other, the other is rarer than this, or there was a chance of 1 in 20 to see it. */
const atMost = (n: number): number | undefined => (n === 0 ? undefined : 1 - DOUBT ** (1 / n));

export function confidenceOf(attempts: readonly Attempt[]): Confidence {
  const { preventedUpTo, landsFrom } = boundaryOf(attempts);
  const prevented = attempts.filter(({ outcome, cancelAt }) => outcome === 'prevented' && cancelAt <= (preventedUpTo ?? -1)).length;
  const landed = attempts.filter(
    ({ outcome, cancelAt }) => outcome === 'landed' && cancelAt >= (landsFrom ?? Number.POSITIVE_INFINITY),
  ).length;
  return { prevented, landed, otherwisePrevented: atMost(prevented), otherwiseLanded: atMost(landed) };
}

/** The confidence in a sentence; undefined where there is no end to be confident of. */
export function confidenceSentence(attempts: readonly Attempt[], axis: Axis, tie = 0): string | undefined {
  const { prevented, landed, otherwisePrevented, otherwiseLanded } = confidenceOf(attempts);
  const percent = (share: number): string => `${Math.ceil(share * 100)} %`;
  const times = (n: number): string => (n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`);
  const ends = [
    ...(otherwisePrevented === undefined
      ? []
      : [`the lower end was seen ${times(prevented)} (at most ${percent(otherwisePrevented)} of such cancels fail)`]),
    ...(otherwiseLanded === undefined ? [] : [`the upper end ${times(landed)} (at most ${percent(otherwiseLanded)} of such cancels help)`]),
  ];
  if (ends.length === 0) return undefined;
  const exact =
    axis === 'time' && tie > 0 ? ` The ends are no more exact than ${Math.round(tie)} ms, which they have been moved outwards by.` : '';
  return `At 95 % confidence: ${ends.join('; ')}.${exact}`;
}

/** What a sweep has found, in one or two sentences. */
export function boundarySentence(attempts: readonly Attempt[], axis: Axis, tie = 0): string {
  const { preventedUpTo, landsFrom, varies, known } = boundaryOf(attempts, tie);
  const unknown = attempts.length - known;
  const rest = unknown === 0 ? '' : ` Of ${attempts.length} attempts the outcome of ${unknown} is not known; they count for nothing here.`;
  return `${found(preventedUpTo, landsFrom, varies, known, axis)}${rest}`;
}

function found(preventedUpTo: number | undefined, landsFrom: number | undefined, varies: boolean, known: number, axis: Axis): string {
  const at = (moment: number): string => (axis === 'time' ? `${Math.round(moment)} ms` : `progress ${moment}`);
  if (known === 0) return 'Nothing is known of where Stop stops helping: no attempt has a known outcome.';
  if (preventedUpTo !== undefined && landsFrom !== undefined) {
    const between = varies ? 'between, it varies' : 'between, nothing is known';
    return `Up to ${at(preventedUpTo)} Stop prevents the write; from ${at(landsFrom)} it does not; ${between}.`;
  }
  if (varies) {
    const known = preventedUpTo === undefined ? '' : `Up to ${at(preventedUpTo)} Stop prevented the write; `;
    const late = landsFrom === undefined ? '' : ` From ${at(landsFrom)} it did not.`;
    return `${known}${known ? 'after that' : 'At the moments tried'} it varies: some cancels prevented the write, and earlier ones did not.${late}`;
  }
  if (preventedUpTo !== undefined) return `Stop prevented the write at every moment tried, up to ${at(preventedUpTo)}.`;
  return `The write landed at every moment tried, from ${at(landsFrom ?? 0)} on: no cancel was early enough, or Stop does not help here.`;
}
