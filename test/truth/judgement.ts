// What is held against a verdict: the truth. A lie is a `stopped` that any later write contradicts, or a breach without its
// effect (docs/verdicts.md, section 6), at any time in the verdict's history, not only at its end.
import type { Ns } from '../../app/base/time';
import type { Headline, Verdict } from '../../app/verdict/verdict';
import type { Truth, Write } from './truth';

/** A call's verdict beside the truth about it. */
export interface Account {
  readonly verdict: Verdict;
  readonly truth: Truth;
  /** The call's name in the truth. */
  readonly as: string;
  /** The name of the stopped call that it repeats. */
  readonly retryOf: string | undefined;
}

/** Headlines that claim nothing: they say that it is not known. */
const UNKNOWN: ReadonlySet<Headline> = new Set([
  'write-order-unknown',
  'lost',
  'unknown-write',
  'unknown-read',
  'crossed',
  'quiet',
  'settling',
  'waiting',
]);

export type Judgement = { readonly kind: 'agree' } | { readonly kind: 'unknown' | 'lie' | 'disagreement'; readonly says: string };

/** What the headline of a case amounts to; whether anything in it is a lie was asked before. */
export function judgementOf({ verdict, sentence, certainty }: Verdict, acceptable: readonly Headline[]): Judgement {
  if (acceptable.includes(verdict)) return { kind: 'agree' };
  const says = `expected ${acceptable.join(' or ')}, got ${verdict} (${certainty}): ${sentence}`;
  return { kind: UNKNOWN.has(verdict) ? 'unknown' : 'disagreement', says };
}

/** @returns what of a verdict the truth contradicts, or undefined */
export function lieOf(account: Account): string | undefined {
  const { verdict } = account;
  for (const [headline, at] of [...verdict.history.map((row) => [row.verdict, row.at] as const), ...final(verdict)]) {
    const lie = contradicted(headline, at, account);
    if (lie !== undefined) return `${headline}: ${lie}`;
  }
  return readFirstLie(account) ?? inventedBy(account);
}

/** What stands in the end stands for ever. */
const final = ({ verdict, also }: Verdict): readonly (readonly [Headline, Ns])[] =>
  [verdict, ...also].map((headline) => [headline, Number.POSITIVE_INFINITY as Ns]);

/** @param at when it was said */
function contradicted(headline: Headline, at: Ns, account: Account): string | undefined {
  const { verdict, truth, as, retryOf } = account;
  const { error } = truth;
  const own = truth.writes.filter((write) => write.as === as);
  const blamed = verdict.effect.worst?.certainty === 'inferred' ? truth.writes : own;
  const c = verdict.stop.at;
  switch (headline) {
    case 'stopped': {
      const write = own.find((one) => !one.undone || (c !== undefined && one.to > c - error));
      return write && `the call did write (${words(write, account)})`;
    }
    case 'write-after-cancel':
    case 'outlived-kill':
      return c !== undefined && blamed.some((write) => write.to >= c - error) ? undefined : `no write after the stop (${all(account)})`;
    case 'write-before-cancel': {
      const read = truth.cancelRead.get(as);
      const before = blamed.some(
        (write) => c !== undefined && write.from <= c + error && (read === undefined || write.from <= read + error),
      );
      return before ? undefined : `no write before the stop (${all(account)})`;
    }
    case 'write-order-unknown':
      return blamed.length > 0 ? undefined : 'no write at all';
    case 'double-write': {
      const first = truth.writes.filter((write) => write.as === retryOf);
      const both = verdict.certainty === 'proved' ? own.length > 0 && first.length > 0 : truth.writes.length > 1;
      return both ? undefined : `there were not two writes (${all(account)})`;
    }
    case 'never-told':
      if ((truth.cancelRead.get(as) ?? Number.POSITIVE_INFINITY) + error < at) return 'the server had read a cancel of it';
      return verdict.severity !== 'breach' || verdict.verdict !== 'never-told' || blamed.length > 0 ? undefined : 'no write at all';
    case 'rolled-back': {
      const standing = own.find((write) => !write.undone);
      return standing && `a write still stands (${words(standing, account)})`;
    }
    default:
      return undefined;
  }
}

/** `readFirst: yes` says that the cancel had been read before the effect came about. */
function readFirstLie(account: Account): string | undefined {
  const { verdict, truth, as } = account;
  if (verdict.effect.readFirst !== 'yes' || !truth.tellsCancels) return undefined;
  const read = truth.cancelRead.get(as);
  if (read === undefined) return 'readFirst: the server never read the cancel';
  return truth.writes.some((write) => write.to >= read - truth.error)
    ? undefined
    : `readFirst: the cancel was read after the write (${all(account)})`;
}

/** An observation that no write explains, or that is proved to be the call's and is another's. */
function inventedBy({ verdict, truth, as }: Account): string | undefined {
  for (const seen of verdict.effect.observations) {
    const candidates = seen.certainty === 'proved' ? truth.writes.filter((write) => write.as === as) : truth.writes;
    const explained = candidates.some((write) => write.from - truth.error <= seen.hi && write.to + truth.error >= seen.lo);
    if (!explained) return `observation “${seen.says}” (${seen.certainty}, ${ms(seen.lo)} to ${ms(seen.hi)}) has no write of ${as} to it`;
  }
  return undefined;
}

const ms = (t: number): string => `${(t / 1e6).toFixed(2)} ms`;
const words = (write: Write, { verdict: { stop } }: Account): string =>
  `${write.as} wrote between ${ms(write.from - (stop.at ?? 0))} and ${ms(write.to - (stop.at ?? 0))} from the stop`;
const all = (account: Account): string => account.truth.writes.map((write) => words(write, account)).join('; ') || 'no write at all';
