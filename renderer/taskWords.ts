// How tasks are spoken of, the same everywhere in the window: their states, what told of them, and what each state means to
// somebody who has never met one. A status that is not in the specification is said as the server says it.
import type { SaidBy } from '../app/trace/tasks';

const STATUS_WORDS: Readonly<Record<string, string>> = {
  working: 'working',
  input_required: 'input required',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

export const statusWords = (status: string): string => STATUS_WORDS[status] ?? `“${status}”`;

const STATUS_MEANS: Readonly<Record<string, string>> = {
  working: 'The server says that it is at work on the task.',
  input_required:
    'The server says that it waits for input, and goes on when it has that. Of what it asks for, only roots are given from here.',
  completed: 'The server says that the work is done; its result can be fetched.',
  failed: 'The server says that the work came to nothing.',
  cancelled:
    'The server says that the task is cancelled. That is its word for the task; whether the work behind it has ended only a probe can show.',
};

export const statusMeans = (status: string): string =>
  STATUS_MEANS[status] ?? 'A state that no revision of the protocol knows, as the server says it.';

export const SAID_BY_WORDS: Readonly<Record<SaidBy, string>> = {
  creation: 'by the answer that made the task',
  poll: 'asked for (tasks/get)',
  notification: 'unasked, by a notification',
  cancel: 'by the answer to tasks/cancel',
  list: 'by the list of tasks',
  result: 'by its result (tasks/result)',
};

export const timesText = (count: number): string => (count === 1 ? 'once' : `${count.toLocaleString('en')} times`);
