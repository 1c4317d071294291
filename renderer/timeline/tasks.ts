// What being run as a task adds to the picture of a call: the states that the server told of, when it was asked and when it
// told by itself, what became of tasks/cancel, and until when the server keeps the task. In time, without a pixel.
import { asNs, FOREVER, type Ns } from '../../app/base/time';
import type { Call, Calls, Stamp } from '../../app/trace/calls';
import { changesOf, isTerminal, type SaidBy, type Task } from '../../app/trace/tasks';

/** A state for as long as nothing else was said. */
export interface TaskSegment extends Stamp {
  readonly status: string;
  readonly by: SaidBy;
  /** What the server said beside it. */
  readonly says: string | undefined;
  /** How often it was said, and when for the last time. */
  readonly told: number;
  readonly last: Ns;
  /** Until something else was said; undefined while nothing was. One that changes no more has no length. */
  readonly to: Ns | undefined;
  /** It is an outcome of the call, which has a mark of its own. */
  readonly isOutcome: boolean;
}

export interface TaskPicture {
  readonly id: string;
  readonly segments: readonly TaskSegment[];
  /** When its state was asked for (tasks/get), ascending. */
  readonly polls: readonly Ns[];
  /** When the server told of it unasked, ascending. */
  readonly news: readonly Ns[];
  /** When the server may forget it, as it said; undefined where it says nothing, or that it does not. */
  readonly keptUntil: Ns | undefined;
  readonly ttl: Ns | undefined;
}

/** A `tasks/cancel`, and what the server answered. */
export interface TaskCancel extends Stamp {
  readonly answer: Stamp | undefined;
  /** The code of the error that refused it. */
  readonly refused: number | undefined;
}

export function taskPicture(call: Call, calls: Calls): TaskPicture | undefined {
  const { task } = call;
  if (!task) return undefined;
  const { created, ttl } = task;
  return {
    id: task.id,
    segments: segmentsOf(task, call),
    polls: task.polls.flatMap((index) => calls.all[index]?.sent.t ?? []),
    news: task.states.filter(({ by }) => by === 'notification').map(({ t }) => t),
    keptUntil: created && ttl !== undefined && ttl !== FOREVER ? asNs(created.t + ttl) : undefined,
    ttl,
  };
}

function segmentsOf(task: Task, call: Call): readonly TaskSegment[] {
  const changes = changesOf(task);
  const outcomes = new Set(call.replies.map(({ seq }) => seq));
  return changes.map(({ seq, t, status, by, says }, index) => {
    const next = changes[index + 1]?.t;
    const same = task.states.filter((state) => state.t >= t && (next === undefined || state.t < next));
    return {
      seq,
      t,
      status,
      by,
      says: same.findLast((state) => state.says !== undefined)?.says ?? says,
      told: Math.max(1, same.length),
      last: same.at(-1)?.t ?? t,
      to: next ?? (isTerminal(status) ? t : undefined),
      isOutcome: outcomes.has(seq),
    };
  });
}

export function taskCancels(call: Call, calls: Calls): readonly TaskCancel[] {
  return (call.task?.cancels ?? []).flatMap((index) => {
    const cancel = calls.all[index];
    if (!cancel) return [];
    const answer = cancel.replies[0];
    return [{ ...cancel.sent, answer, refused: answer?.shape === 'error' ? (answer.code ?? 0) : undefined }];
  });
}
