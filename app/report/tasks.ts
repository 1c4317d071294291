// What a report says of tasks: how the one of a call went, and which of a server nobody asks for any more.
import { minus, type Ns, words } from '../base/time';
import type { Call, Calls } from '../trace/calls';
import { changesOf, orphanedTasks, type Task } from '../trace/tasks';
import type { SessionNumber } from '../wire/frame';
import type { Report, ReportedCall } from './schema';

const ms = (t: Ns): number => Math.round(t / 1000) / 1000;
const length = (t: Ns | undefined): number | null => (t === undefined || !Number.isFinite(t) ? null : ms(t));

/** The task of a call; null where it did not become one. */
export function reportedTask(call: Call): ReportedCall['task'] {
  const { task } = call;
  if (!task?.created) return null;
  return {
    id: task.id,
    createdAtMs: ms(task.created.t),
    ttlMs: length(task.ttl),
    pollIntervalMs: length(task.pollInterval),
    states: changesOf(task).map(({ status, by, t, seq, says }) => ({ status, by, atMs: ms(t), seq, says: says ?? null })),
    polls: task.polls.length,
    cancels: task.cancels.length,
    says: taskWords(call, task),
  };
}

/** The same for a person: `T: working, completed after 4.8 s; polled 9 times`. */
function taskWords(call: Call, task: Task): string {
  const states = changesOf(task).map(({ status, t }, index) => (index === 0 ? status : `${status} after ${words(minus(t, call.sent.t))}`));
  const times = (count: number, what: string): string => (count === 0 ? '' : `${what} ${count === 1 ? 'once' : `${count} times`}`);
  const asked = [times(task.polls.length, 'polled'), times(task.cancels.length, 'tasks/cancel')].filter((text) => text !== '');
  const kept = task.ttl === undefined ? '' : Number.isFinite(task.ttl) ? `kept for ${words(task.ttl)}` : 'kept for good';
  return [`${task.id}: ${states.join(', ')}`, ...asked, kept].filter((text) => text !== '').join('; ');
}

/** Tasks that are at work as far as anybody knows, and that nobody asks for any more. */
export const reportedOrphans = ({ sessions, all }: Calls, isAbout: (session: SessionNumber) => boolean): Report['orphanTasks'] =>
  [...sessions.values()]
    .filter(({ number }) => isAbout(number))
    .flatMap((session) =>
      orphanedTasks(session, all).flatMap(({ id, states }) => {
        const last = states.at(-1);
        return last ? [{ id, status: last.status, by: last.by, atMs: ms(last.t), seq: last.seq }] : [];
      }),
    );

/** An orphaned task for a person. */
export const orphanWords = ({ id, status, by }: Report['orphanTasks'][number]): string =>
  `${id} said “${status}” last (${by}), and nobody asks for it any more`;
