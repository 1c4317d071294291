// What every line of a report card is: a status, a sentence, and the frames that it rests on.
import type { Because } from '../../verdict/verdict';
import type { Where } from './plan';

/** `unknown`: it was tried, and what was seen decides nothing. `not-tried`: with why. Neither is ever a success. */
export const STATUSES = ['pass', 'fail', 'unknown', 'not-tried'] as const;
export type Status = (typeof STATUSES)[number];

export interface Answer {
  readonly status: Status;
  readonly sentence: string;
  readonly because: readonly Because[];
}

/** What every check has: what it asks, whose rule that is, and what to do about a fail. */
export interface Check {
  /** Public: it appears in reports, and stays. */
  readonly id: string;
  readonly title: string;
  readonly source: (where: Where) => string;
  readonly fix: string;
}

const answer =
  (status: Status) =>
  (sentence: string, because: readonly Because[] = []): Answer => ({ status, sentence, because });

export const pass = answer('pass');
export const fail = answer('fail');
export const unknown = answer('unknown');
export const notTried = (why: string): Answer => ({ status: 'not-tried', sentence: why, because: [] });

/** A clause of the cancellation page, in the revision that was agreed upon. */
export const cancellation =
  (section: string) =>
  ({ protocol }: Where): string =>
    `${protocol} cancellation, ${section}`;

/** What a receiver of a cancel should do: stop, free, keep silent. */
export const BEHAVIOUR = cancellation('Behavior Requirements');
/** "Both parties MUST handle these race conditions gracefully." */
export const TIMING = cancellation('Timing Considerations');
/** "Invalid cancellation notifications SHOULD be ignored": unknown ids, completed requests, malformed notifications. */
export const INVALID = cancellation('Error Handling');
