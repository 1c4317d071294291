// What a bench prints: a figure beside a baseline that was measured in the same run, so that the machine cancels out.

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly baseline: number;
  /** value / baseline. */
  readonly ratio: number;
  /** What the baseline is, for people. */
  readonly against: string;
  /** What the ratio should be: at most or at least this. Or what the value itself should be, where the goal is absolute. */
  readonly goal: { readonly atMost: number } | { readonly atLeast: number } | { readonly valueAtMost: number };
  /** What else was seen and belongs beside the figure. */
  readonly remark?: string;
  /** What the figure is made of, or stands beside it: for machines, which get them as figures of their own. */
  readonly parts?: readonly Part[];
}

export type Part = Pick<Figure, 'name' | 'value' | 'unit' | 'baseline' | 'ratio'>;

export const figure = (given: Omit<Figure, 'ratio'>): Figure => ({ ...given, ratio: given.value / given.baseline });

export const part = (given: Omit<Part, 'ratio'>): Part => ({ ...given, ratio: given.value / given.baseline });

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
};

/** The shortest of many short rounds: what the machine can do when nothing else wants it. */
export const best = (values: readonly number[]): number => Math.min(...values);

/** Measures two things in turns, so that a slow moment of the machine meets both. @returns what `choose` takes of each */
export async function inTurns(
  rounds: number,
  subject: () => Promise<number>,
  baseline: () => Promise<number>,
  choose = median,
): Promise<{ readonly value: number; readonly baseline: number }> {
  const values: number[] = [];
  const baselines: number[] = [];
  for (let round = 0; round < rounds; round++) {
    baselines.push(await baseline());
    values.push(await subject());
  }
  return { value: choose(values), baseline: choose(baselines) };
}

/** The public form: `stopgap-bench`, version 1. */
export const asJson = (figures: readonly Figure[]): string =>
  JSON.stringify({
    format: 'stopgap-bench',
    version: 1,
    figures: figures
      .flatMap((whole): readonly Part[] => [whole, ...(whole.parts ?? [])])
      .map(({ name, value, unit, baseline, ratio }) => ({ name, value, unit, baseline, ratio })),
  });

export function asText({ name, value, unit, baseline, ratio, against, goal, remark }: Figure): string {
  const { wanted, met } = judged(value, ratio, goal);
  const lines = [
    `${name}: ${rounded(value)} ${unit}`,
    `  baseline ${rounded(baseline)} ${unit} (${against})`,
    `  ratio ${ratio.toFixed(3)}, goal ${wanted}: ${met ? 'met' : 'missed'}`,
  ];
  return [...lines, ...(remark ? [`  ${remark}`] : [])].join('\n');
}

function judged(value: number, ratio: number, goal: Figure['goal']): { readonly wanted: string; readonly met: boolean } {
  if ('atMost' in goal) return { wanted: `at most ${goal.atMost}`, met: ratio <= goal.atMost };
  if ('atLeast' in goal) return { wanted: `at least ${goal.atLeast}`, met: ratio >= goal.atLeast };
  return { wanted: `a value of at most ${goal.valueAtMost}`, met: value <= goal.valueAtMost };
}

/** The value that a share of the values do not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const rounded = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));
