// What a case is: a server, a moment, and what may be said of it.
import type { Headline } from '../../app/verdict/verdict';
import type { Handle, Outcome, Scene } from './scene';

export interface TruthCase {
  readonly name: string;
  /** The class of behaviour, by the letters under which real servers were measured; `-` for none of them. */
  readonly class: string;
  readonly server: string;
  /** Plays the case. @returns the call that is judged */
  readonly run: (scene: Scene) => Promise<Handle>;
  /** What its verdict may be. */
  readonly acceptable: readonly Headline[];
  /** What else has to hold. @returns what does not */
  readonly also?: (outcome: Outcome) => string | undefined;
  /** Why the case cannot be played on this machine. */
  readonly missing?: () => string | undefined;
}

/** @returns a complaint unless the findings hold one of that name */
export const finds =
  (name: string) =>
  ({ findings }: Outcome): string | undefined =>
    findings.some(({ finding }) => finding === name)
      ? undefined
      : `expected the finding ${name}, got ${findings.map((f) => f.finding).join(', ') || 'none'}`;

/** @returns a complaint unless a reading of the outcome is as expected */
export const holds =
  (what: string, reading: (outcome: Outcome) => unknown, expected: unknown) =>
  (outcome: Outcome): string | undefined => {
    const got = reading(outcome);
    return got === expected ? undefined : `expected ${what} ${String(expected)}, got ${String(got)}`;
  };

/** The first complaint of several. */
export const allOf =
  (...checks: readonly ((outcome: Outcome) => string | undefined)[]) =>
  (outcome: Outcome): string | undefined => {
    for (const check of checks) {
      const says = check(outcome);
      if (says !== undefined) return says;
    }
    return undefined;
  };

export const replyIs = (state: string) => holds('reply', ({ verdict }) => verdict.reply.state, state);
export const stopIs = (state: string) => holds('stop', ({ verdict }) => verdict.stop.state, state);
export const certaintyIs = (certainty: string) => holds('certainty', ({ verdict }) => verdict.certainty, certainty);

/** The verdict of another call of the case. */
export const other =
  (as: string, ...headlines: readonly Headline[]) =>
  ({ all }: Outcome): string | undefined => {
    const found = all.find(({ handle }) => handle.as === as)?.verdict;
    if (found && headlines.includes(found.verdict)) return undefined;
    return `expected ${as} to be ${headlines.join(' or ')}, got ${found?.verdict ?? 'nothing'}: ${found?.sentence ?? ''}`;
  };
