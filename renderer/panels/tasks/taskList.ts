// The server's tasks as they are listed: in an order in which what nobody looks after comes first, and in words that say no
// more than the server has told. Pure, so that a test can read it.
import { asNs, words } from '../../../app/base/time';
import type { ListedTask, TaskAbilities } from '../../../app/contract/host';
import { isTerminal } from '../../../app/trace/tasks';

/** What becomes of a task here: it runs and nobody asks after it, it runs and is asked after, or it is over. */
export type Care = 'nobody' | 'polled' | 'over';

export function careOf({ status, polled }: Pick<ListedTask, 'status' | 'polled'>): Care {
  if (isTerminal(status)) return 'over';
  return polled ? 'polled' : 'nobody';
}

const CARES: readonly Care[] = ['nobody', 'polled', 'over'];

export const CARE_TITLES: Readonly<Record<Care, string>> = {
  nobody: 'Running, and polled by nobody here',
  polled: 'Running, and asked after',
  over: 'Over, and still kept by the server',
};

export interface TaskGroup {
  readonly care: Care;
  readonly tasks: readonly ListedTask[];
}

/** Groups without what is empty; in each the newest first, by what the server says. */
export function groupsOf(tasks: readonly ListedTask[]): readonly TaskGroup[] {
  const newest = [...tasks].sort((a, b) => (b.created ?? '').localeCompare(a.created ?? ''));
  return CARES.map((care) => ({ care, tasks: newest.filter((task) => careOf(task) === care) })).filter((group) => group.tasks.length > 0);
}

const ofMs = (ms: number): string => words(asNs(ms * 1e6));

/** Since when, and until when it is kept; by the server's clock. */
export function timesText({ created, ttlMs }: Pick<ListedTask, 'created' | 'ttlMs'>): string {
  const at = created === undefined ? undefined : new Date(created);
  const since = at && !Number.isNaN(at.getTime()) ? `since ${at.toLocaleTimeString('en-GB')}` : undefined;
  const kept = ttlMs === undefined ? undefined : `kept for ${ofMs(ttlMs)}`;
  return [since, kept].filter(Boolean).join(', ');
}

/** What can be known of a server's tasks, before any is asked for. */
export function abilitiesText(tasks: TaskAbilities): string {
  const list = tasks.list
    ? 'This server lists all its tasks (tasks/list), also those that nobody here has made.'
    : tasks.form === 'extension'
      ? 'The tasks extension has no list: only tasks that were made from here are known.'
      : 'This server offers no tasks/list: only tasks that were made from here are known.';
  return tasks.cancel ? list : `${list} It offers no tasks/cancel: a task of it cannot be stopped.`;
}

/** What a cancel of a task is worth, said before it is sent. */
export function cancelWorth({ form }: TaskAbilities): string {
  return form === 'extension'
    ? 'tasks/cancel asks. The answer only acknowledges it: the task may go on, and may still end completed.'
    : 'tasks/cancel asks, and the server is to answer with the task in the state cancelled. What the work behind it does is another thing: only a probe can show it.';
}
