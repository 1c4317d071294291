// Builds traces of calls that run as tasks, for tests: as revision 2025-11-25 writes them, or as the later extension does.
import { fromMs } from '../base/time';
import { LEGACY_REVISIONS, MODERN } from '../wire/era';
import type { Means, RequestId } from '../wire/frame';
import { Build, type CallOptions, type Tool } from './build.testing';

interface Said {
  readonly message?: string;
  /** The extension: the result that a completed task brings along. */
  readonly isError?: boolean;
  /** The extension: the code of the error that a failed task brings along. */
  readonly code?: number;
}

export class TaskBuild extends Build {
  readonly #extension: boolean;
  #asked = 0;

  /** @param extension the tasks of the later extension, and the revision that it belongs to */
  constructor(extension = false) {
    super();
    this.#extension = extension;
  }

  /** A session as it usually begins, in the revision that has these tasks. */
  openedTasks(tools: readonly Tool[] = []): this {
    return this.opened(tools, 1, this.#extension ? MODERN : LEGACY_REVISIONS[3]);
  }

  /** A call that asks to be run as a task; in the extension that is the server's to decide. */
  callTask(id: RequestId, tool: string, { probes = [], settle = 3000, normally }: CallOptions = {}): this {
    this.act({
      act: 'call',
      id,
      tool,
      probes: [...probes],
      settle: fromMs(settle),
      ...(normally === undefined ? {} : { normally: fromMs(normally) }),
      fence: false,
      task: { ttl: fromMs(60_000) },
    });
    const params = { name: tool, arguments: {}, _meta: { progressToken: id } };
    return this.c2s({ id, method: 'tools/call', params: this.#extension ? params : { ...params, task: { ttl: 60_000 } } });
  }

  #state(task: string, status: string, { message, isError, code }: Said = {}): object {
    const times = { createdAt: '2025-11-25T10:30:00Z', lastUpdatedAt: '2025-11-25T10:40:00Z' };
    const said = { taskId: task, status, ...times, ...(message === undefined ? {} : { statusMessage: message }) };
    if (!this.#extension) return { ...said, ttl: 60_000, pollInterval: 500 };
    const result = status === 'completed' ? { result: { content: [], ...(isError ? { isError } : {}) } } : {};
    const error = code === undefined ? {} : { error: { code, message: 'it went wrong' } };
    return { ...said, ttlMs: 60_000, pollIntervalMs: 500, ...result, ...error };
  }

  /** The reply that makes a task of a call. */
  created(id: RequestId, task: string, status = 'working'): this {
    const state = this.#state(task, status);
    return this.s2c({ id, result: this.#extension ? { resultType: 'task', ...state } : { task: state } });
  }

  #ask = (method: string, task: string | undefined): this =>
    this.c2s({ id: `ask-${++this.#asked}`, method, ...(task === undefined ? {} : { params: { taskId: task } }) });
  #reply = (result: object): this =>
    this.s2c({ id: `ask-${this.#asked}`, result: this.#extension ? { resultType: 'complete', ...result } : result });

  ask = (task: string): this => this.#ask('tasks/get', task);
  says = (task: string, status: string, said?: Said): this => this.#reply(this.#state(task, status, said));
  /** A poll that is answered `ms` after it was sent. */
  poll(task: string, status: string, said?: Said, ms = 1): this {
    const at = this.now;
    return this.ask(task)
      .at(at + ms)
      .says(task, status, said);
  }

  /** Stop as the inspector does it. */
  cancelTask(id: RequestId, task: string, reason = 'user pressed stop'): this {
    this.act({ act: 'stop', id, how: { means: 'cancel' }, reason, wrote: true, late: false });
    return this.#ask('tasks/cancel', task);
  }

  /** What is owed to `tasks/cancel`: the task, which is cancelled, or in the extension an empty word. */
  acknowledged = (task: string, status = 'cancelled'): this => this.#reply(this.#extension ? {} : this.#state(task, status));
  /** The last request about a task is refused. */
  refused = (code: number, message: string): this => this.s2c({ id: `ask-${this.#asked}`, error: { code, message } });

  stopPolling = (id: RequestId, how: Means = { means: 'stop-polling' }): this => this.stopAct(id, how, false);
  fetch = (task: string): this => this.#ask('tasks/result', task);
  fetched = (task: string, isError = false): this =>
    this.s2c({
      id: `ask-${this.#asked}`,
      result: { content: [], isError, _meta: { 'io.modelcontextprotocol/related-task': { taskId: task } } },
    });

  list = (tasks: Readonly<Record<string, string>>): this =>
    this.#ask('tasks/list', undefined).#reply({ tasks: Object.entries(tasks).map(([task, status]) => this.#state(task, status)) });
  news = (task: string, status: string, said?: Said): this =>
    this.s2c({
      method: this.#extension ? 'notifications/tasks' : 'notifications/tasks/status',
      params: this.#state(task, status, said),
    });
}
