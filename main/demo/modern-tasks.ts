// The tasks extension of 2026-07-28 (SEP-2663) over the demo's tasks, which the SDK's first line makes in the form of 2025-11-25.
// In the extension it is the server that decides: what a client that takes tasks calls runs as one where the tool may.
import type { CallToolResult, JSONRPCRequest, Task } from '@modelcontextprotocol/sdk/types.js';
import { REFUSALS } from '../../app/wire/refusals';
import type { DemoTasks } from './tasks';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** What the demo offers of it. */
export const TASKS_OFFER = { extensions: { [EXTENSION]: {} } };

export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

/** Whether a client says with a request that it takes tasks. */
function declares({ params }: JSONRPCRequest): boolean {
  const capabilities = params?._meta?.[CAPABILITIES] as { readonly extensions?: Readonly<Record<string, unknown>> } | undefined;
  return capabilities?.extensions?.[EXTENSION] !== undefined;
}

/** Why a request about tasks cannot be served; undefined where it can, or is about something else. */
export function taskRefusal(request: JSONRPCRequest): Refusal | undefined {
  const { method } = request;
  if (!method.startsWith('tasks/')) return undefined;
  // `tasks/list` and `tasks/result` are gone, and no task of the demo asks for input that `tasks/update` could give.
  if (method !== 'tasks/get' && method !== 'tasks/cancel') return { code: METHOD_NOT_FOUND, message: 'Method not found' };
  if (declares(request)) return undefined;
  return { code: REFUSALS.missingCapability, message: 'Missing required client capability', data: { requiredCapabilities: TASKS_OFFER } };
}

/** A call as the SDK's server takes it: one that may become a task asks for it there. */
export const asked = (request: JSONRPCRequest): JSONRPCRequest =>
  request.method === 'tools/call' && declares(request) ? { ...request, params: { ...request.params, task: {} } } : request;

/** The task that a call was made into, as the extension tells of it; undefined for any other result. */
export function madeTask(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const task = result['task'] as Task | undefined;
  return task && inExtension(task);
}

const inExtension = ({ ttl, pollInterval, ...task }: Task) => ({
  ...task,
  ttlMs: ttl,
  ...(pollInterval === undefined ? {} : { pollIntervalMs: pollInterval }),
});

/** What is answered to a request about a task. */
export async function taskAnswer(
  { method, params }: JSONRPCRequest,
  tasks: DemoTasks,
): Promise<{ readonly result: Readonly<Record<string, unknown>> } | { readonly error: Refusal }> {
  const id = String(params?.['taskId']);
  const task = await tasks.getTask(id);
  if (!task) return { error: { code: INVALID_PARAMS, message: 'Failed to retrieve task: Task not found' } };
  if (method === 'tasks/get') return { result: { ...inExtension(task), ...(await outcomeOf(task, tasks)) } };
  // It is acknowledged, whatever has become of the task: the store refuses to cancel one that has ended.
  await tasks.updateTaskStatus(id, 'cancelled', 'Cancelled by the client.').catch(() => undefined);
  return { result: {} };
}

async function outcomeOf({ taskId, status }: Task, tasks: DemoTasks): Promise<{ readonly result?: CallToolResult }> {
  return status === 'completed' ? { result: (await tasks.getTaskResult(taskId)) as CallToolResult } : {};
}
