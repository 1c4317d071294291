// The tasks of one session: those made from here, each with the call that it was made of, and whatever else the server tells
// of, which nobody here may ever have asked for. What a person may ask of a server's tasks is decided here, too.
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ListedTask, TaskAbilities } from '../../app/contract/host';
import type { Seq } from '../../app/wire/frame';
import { type Later, TaskRun, type TaskRunOptions } from './task-run';
import { isObject, type TaskState, taskStateOf } from './task-state';
import { plain } from './why';

/** A task on a list, with the frame of the request that made it, where that was sent from here. */
export type FoundTask = Omit<ListedTask, 'call'> & { readonly request: Seq | undefined };

export interface TasksOptions {
  /** Asks the server. Rejects with an McpError where it refuses. */
  readonly ask: (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly later: Later;
  readonly answer: TaskRunOptions['answer'];
}

/** A list may be long, and a server may hand out the same cursor for ever. */
const MOST_PAGES = 100;

export class Tasks {
  readonly #options: TasksOptions;
  readonly #made = new Map<string, { readonly run: TaskRun; readonly request: Seq }>();

  constructor(options: TasksOptions) {
    this.#options = options;
  }

  /** A task has been made of a request, and is asked after from now on. */
  begin(
    created: TaskState,
    more: { readonly form: TaskAbilities['form']; readonly request: Seq; readonly windowMs: number; readonly onOver: () => void },
  ): TaskRun {
    const { request, ...rest } = more;
    const run = new TaskRun({ ...this.#options, ...rest, created });
    this.#made.set(run.id, { run, request });
    return run;
  }

  /** A notification tells of a task. */
  told(params: unknown): void {
    const state = taskStateOf(params);
    if (state) this.#made.get(state.id)?.run.told(state);
  }

  /** The session is over. */
  stopPolling(): void {
    for (const { run } of this.#made.values()) run.stopPolling();
  }

  /** The request of which a task was made here. */
  requestOf(task: string): Seq | undefined {
    return this.#made.get(task)?.request;
  }

  /** @throws Error in plain words when the server refuses, or cannot be reached */
  async list(abilities: TaskAbilities): Promise<{ readonly tasks: readonly FoundTask[]; readonly says: string | undefined }> {
    if (abilities.list) return { tasks: (await this.#listed()).map((state) => this.found(state)), says: undefined };
    const states = await Promise.all([...this.#made.values()].map(({ run }) => this.#asked(run)));
    return { tasks: states.map((state) => this.found(state)), says: ONLY_OURS[abilities.form] };
  }

  found({ id, status, message, ttlMs, pollIntervalMs, created, updated }: TaskState): FoundTask {
    const made = this.#made.get(id);
    const polled = made?.run.polled ?? false;
    return { id, status, message, ttlMs, pollIntervalMs, created, updated, polled, request: made?.request };
  }

  async #listed(): Promise<readonly TaskState[]> {
    const states: TaskState[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    do {
      if (cursor !== undefined) cursors.add(cursor);
      const page = await this.#options.ask('tasks/list', cursor === undefined ? {} : { cursor });
      const { tasks, nextCursor } = isObject(page) ? page : {};
      if (!Array.isArray(tasks)) throw new Error('Expected a list of tasks, but the answer holds none; it is in the wire log.');
      states.push(...tasks.flatMap((task) => taskStateOf(task) ?? []));
      cursor = typeof nextCursor === 'string' ? nextCursor : undefined;
    } while (cursor !== undefined && !cursors.has(cursor) && cursors.size < MOST_PAGES);
    return states;
  }

  /** How a task of ours stands, by the server's own words where it still has any. */
  async #asked(run: TaskRun): Promise<TaskState> {
    try {
      const state = taskStateOf(await this.#options.ask('tasks/get', { taskId: run.id }));
      if (state) run.told(state);
      return run.state;
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      return { ...run.state, message: `The server does not tell of it any more: ${plain(error)}` };
    }
  }
}

const ONLY_OURS: Readonly<Record<TaskAbilities['form'], string>> = {
  extension: 'The tasks extension has no list: these are the tasks made in this session. What others have made cannot be seen.',
  experimental: 'This server lists no tasks (no tasks.list among its capabilities): these are the tasks made in this session.',
};
