// A task: work that the server goes on with after it has answered the request that asked for it. What is known of it comes in
// pieces, by replies to other requests and by notifications, and every piece is kept with the frame that said it.
import type { Ns } from '../base/time';
import type { Stamp } from './calls';

/** The states of revision 2025-11-25 and of the later extension. What else a server says is kept as it came. */
export const TASK_STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/**
 * What said that a task is in a state: the reply that created it, a poll (`tasks/get`), a notification, the reply to
 * `tasks/cancel`, a listing (`tasks/list`), its result when it was fetched (`tasks/result`).
 */
export type SaidBy = 'creation' | 'poll' | 'notification' | 'cancel' | 'list' | 'result';

/** A state of a task, each time that it was said. */
export interface TaskState extends Stamp {
  /** One of {@link TASK_STATUSES}, or what the server says instead. */
  readonly status: string;
  readonly by: SaidBy;
  /** Index of the `tasks/…` call whose reply said it. */
  readonly asked: number | undefined;
  /** What the server says beside it. */
  readonly says: string | undefined;
}

export interface Task {
  readonly id: string;
  /** Index of the call that it was made of; undefined for one that nobody here has created. */
  readonly call: number | undefined;
  /** The reply that created it. */
  readonly created: Stamp | undefined;
  /** In the order of their times. */
  readonly states: readonly TaskState[];
  /** Indices of the calls about it: `tasks/get`, `tasks/result`, `tasks/cancel`, `tasks/update`. */
  readonly polls: readonly number[];
  readonly results: readonly number[];
  readonly cancels: readonly number[];
  readonly updates: readonly number[];
  /** How long the server keeps it since it was created; FOREVER where it says that it does not forget it. */
  readonly ttl: Ns | undefined;
  /** How long the server asks to be left alone between two polls. */
  readonly pollInterval: Ns | undefined;
}

/** Whether a task in this state changes no more. */
export const isTerminal = (status: string): boolean => status === 'completed' || status === 'failed' || status === 'cancelled';
