// What a server says of a task, read leniently: the experimental tasks of 2025-11-25 and the extension of 2026-07-28 name a few
// things differently and mean the same. And what may be asked of a server that says so.
import type { TaskAbilities, Tool } from '../../app/contract/host';
import type { TaskWish } from '../../app/scenario/scenario';

/** The extension since 2026-07-28, as both sides name it in their capabilities (SEP-2663, Extension Identifier). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** A task, as one message tells of it. */
export interface TaskState {
  readonly id: string;
  readonly status: string;
  readonly message: string | undefined;
  readonly ttlMs: number | undefined;
  readonly pollIntervalMs: number | undefined;
  readonly created: string | undefined;
  readonly updated: string | undefined;
  /** What it wants to know before it goes on, by names of its own (the extension). */
  readonly asks: Json | undefined;
}

export type Json = Readonly<Record<string, unknown>>;
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

/** @returns undefined when it is no task */
export function taskStateOf(value: unknown): TaskState | undefined {
  if (!isObject(value)) return undefined;
  const id = text(value['taskId']);
  const status = text(value['status']);
  if (id === undefined || status === undefined) return undefined;
  return {
    id,
    status,
    message: text(value['statusMessage']),
    ttlMs: number(value['ttlMs'] ?? value['ttl']),
    pollIntervalMs: number(value['pollIntervalMs'] ?? value['pollInterval']),
    created: text(value['createdAt']),
    updated: text(value['lastUpdatedAt']),
    asks: isObject(value['inputRequests']) ? value['inputRequests'] : undefined,
  };
}

/**
 * The task that the answer to a call has created: 2025-11-25 puts it under `task`, the extension marks the result itself.
 * @returns undefined when the call was answered in another way
 */
export function createdBy(result: unknown, form: TaskAbilities['form']): TaskState | undefined {
  if (!isObject(result)) return undefined;
  if (form === 'experimental') return taskStateOf(result['task']);
  return result['resultType'] === 'task' ? taskStateOf(result) : undefined;
}

/** What a server says of its tasks; undefined where it says nothing of them. */
export function taskAbilitiesOf(capabilities: unknown, modern: boolean): TaskAbilities | undefined {
  if (!isObject(capabilities)) return undefined;
  if (modern) {
    const { extensions } = capabilities;
    return isObject(extensions) && isObject(extensions[TASKS_EXTENSION])
      ? { form: 'extension', calls: true, list: false, cancel: true }
      : undefined;
  }
  const { tasks } = capabilities;
  if (!isObject(tasks)) return undefined;
  const { requests } = tasks;
  const tools = isObject(requests) ? requests['tools'] : undefined;
  return {
    form: 'experimental',
    calls: isObject(tools) && isObject(tools['call']),
    list: isObject(tasks['list']),
    cancel: isObject(tasks['cancel']),
  };
}

/**
 * How a call is to be run.
 * @param asked what the person wants; undefined: as the tool demands
 * @param tool undefined for one that is not on the server's list
 * @returns undefined for a plain call
 * @throws Error that says why a call cannot be run as a task
 */
export function wishOf(
  asked: boolean | { readonly ttlMs?: number | undefined } | undefined,
  name: string,
  tool: Pick<Tool, 'taskSupport'> | undefined,
  abilities: TaskAbilities | undefined,
): TaskWish | undefined {
  if (asked === false) return undefined;
  if (asked === undefined) return tool?.taskSupport === 'required' ? { ttlMs: undefined } : undefined;
  if (!abilities?.calls)
    throw new Error(
      `Expected a server that runs calls as tasks, but this one does not say that it does (${abilities ? 'its tasks capability names no tools/call' : 'it has no tasks capability'}). Call ${name} without a task.`,
    );
  if (tool?.taskSupport === 'forbidden')
    throw new Error(
      `Expected a tool that may be run as a task, but ${name} may not: its execution.taskSupport is “forbidden”, or absent, which means the same. Call it without a task.`,
    );
  const ttlMs = asked === true ? undefined : asked.ttlMs;
  if (ttlMs !== undefined && abilities.form === 'extension')
    throw new Error(
      'Expected no ttl: in the tasks extension (2026-07-28) the server alone decides for how long it keeps a task. Leave it out.',
    );
  return { ttlMs };
}
