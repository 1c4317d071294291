// The demo's tasks, of all instances in the process: over HTTP a task outlives the request, the session and the instance that
// made it. The SDK makes a task of every call of a tool that may run as one, also of a plain one, which it polls by itself;
// such a task is nobody's business but the server's own.
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';

type Store = InMemoryTaskStore;

/** How often a client is asked to look, and how often the SDK looks for a plain call. */
const POLL_MS = 500;
const OWN_POLL_MS = 50;

export class DemoTasks extends InMemoryTaskStore {
  /** Tasks that a client has asked for. */
  readonly #asked = new Set<string>();

  /** Whether a client has asked for this task. */
  wasAsked(id: string): boolean {
    return this.#asked.has(id);
  }

  override async createTask(...[wish, id, request, session]: Parameters<Store['createTask']>): ReturnType<Store['createTask']> {
    const asked = request.params?.['task'] !== undefined;
    const task = await super.createTask({ ...wish, pollInterval: asked ? POLL_MS : OWN_POLL_MS }, id, request, session);
    if (asked) this.#asked.add(task.taskId);
    return task;
  }

  override async listTasks(...where: Parameters<Store['listTasks']>): ReturnType<Store['listTasks']> {
    const page = await super.listTasks(...where);
    return { ...page, tasks: page.tasks.filter(({ taskId }) => this.wasAsked(taskId)) };
  }
}
