// What kind of JSON-RPC message a line is, and what of it the fold and the judge will need. Read once, from the parsed
// text, in the process that received it; the raw text is kept beside it and never rewritten.
import type { RequestId } from './frame';
import { refusalSays } from './refusals';

export const SHAPES = ['none', 'request', 'notification', 'result', 'error', 'invalid'] as const;
export type Shape = (typeof SHAPES)[number];

/** Bits beside a message: see {@link MessageFacts}. */
export const BIT = { isError: 1, saysCancelled: 2, withoutId: 4, asksInput: 8, makesTask: 16 } as const;

/** A tool as its server declares it; hints that are absent stay absent (their defaults are the reader's business). */
export interface ToolHints {
  readonly name: string;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** What a message says of a task. What it does not say is absent. */
export interface TaskFacts {
  readonly id: string;
  readonly status?: string;
  readonly says?: string;
  /** In ms; `unlimited` where the server says that it does not forget it. */
  readonly ttl?: number | 'unlimited';
  /** In ms. */
  readonly pollInterval?: number;
  /** The outcome came along: a result that says `isError`, or the code of an error. */
  readonly isError?: boolean;
  readonly code?: number;
}

/** What is too rare for a column. `task` of a request: the task that it is about, or is part of. */
export type MessageExtra =
  | { readonly about: 'request'; readonly tool?: string; readonly token?: string; readonly task?: string }
  | { readonly about: 'task'; readonly task: TaskFacts }
  | { readonly about: 'tasks'; readonly tasks: readonly TaskFacts[] }
  | { readonly about: 'cancelled'; readonly reason?: string }
  /** What a server wants to know before it goes on: the methods of its input requests (2026-07-28). */
  | { readonly about: 'asks'; readonly methods: readonly string[] }
  /** What an error of the protocol's own means. */
  | { readonly about: 'refused'; readonly says: string }
  | { readonly about: 'tools'; readonly tools: readonly ToolHints[] };

export interface MessageFacts {
  readonly shape: Shape;
  /** The method of a request or notification, else ''. */
  readonly method: string;
  /** Typed key of the id; of the request meant by a cancel; of the progress token. '' when there is none. */
  readonly key: string;
  /** Error code; progress in parts per million, −1 when the total is not known; else 0. */
  readonly num: number;
  readonly bits: number;
  readonly extra?: MessageExtra;
}

/**
 * A request id, or a progress token, with its type: `n:5` is not `s:5`.
 * JSON-RPC 2.0 §4: an id is a string or a number; MCP forbids null.
 */
export const keyOf = (id: RequestId): string => (typeof id === 'number' ? `n:${id}` : `s:${id}`);

/** The id that a key was made of. */
export const idOf = (key: string): RequestId => (key.startsWith('n:') ? Number(key.slice(2)) : key.slice(2));

/** An id as a person reads it: `#5`, `#"5"`. */
export const idText = (key: string): string => (key.startsWith('n:') ? `#${key.slice(2)}` : `#${JSON.stringify(key.slice(2))}`);

/** Words by which an error says that a call was cancelled: Python's SDK, Go's context, .NET, plain English. */
const CANCELLED = /\b(?:cancell?ed|aborted|aborterror)\b/i;
/** The same in a result, where "subscription cancelled" may be the tool's own news: only words about the call itself. */
const CALL_CANCELLED =
  /\b(?:request|context|operation|task|call|tool|execution) (?:was |has been )?(?:cancell?ed|aborted)\b|^\W*(?:cancell?ed|aborted)\b|aborterror/i;
const CANCEL_CODES: ReadonlySet<number> = new Set([-32800, -32002]);

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value: unknown): value is RequestId => typeof value === 'string' || typeof value === 'number';
const keyOr = (value: unknown): string => (isId(value) ? keyOf(value) : '');
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads what the fold needs off one parsed message.
 * @returns undefined when the value is not a JSON-RPC message at all
 */
export function factsOf(message: unknown): MessageFacts | undefined {
  if (!isObject(message)) return undefined;
  if (typeof message['method'] === 'string') return 'id' in message ? requestFacts(message) : notificationFacts(message);
  if ('result' in message) return resultFacts(message);
  if ('error' in message) return errorFacts(message);
  return undefined;
}

function requestFacts(message: Json): MessageFacts {
  const params = isObject(message['params']) ? message['params'] : {};
  const method = text(message['method']);
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const token = keyOr(meta['progressToken']);
  const tool = method === 'tools/call' ? text(params['name']) : '';
  const task = isAboutTask(method) ? text(params['taskId']) : relatedTask(meta);
  const said = {
    ...(tool ? { tool } : {}),
    ...(token ? { token } : {}),
    ...(task ? { task } : {}),
  };
  return {
    shape: isId(message['id']) ? 'request' : 'invalid',
    method,
    key: keyOr(message['id']),
    num: 0,
    bits: 0,
    ...(Object.keys(said).length > 0 ? { extra: { about: 'request', ...said } } : {}),
  };
}

/** Whether a request is about a task: `tasks/get`, `tasks/cancel` and the like. */
export const isAboutTask = (method: string): boolean => method.startsWith('tasks/');

/** Where a message that is part of a task's work names it (2025-11-25). */
const RELATED_TASK = 'io.modelcontextprotocol/related-task';
const relatedTask = (meta: Json): string => {
  const related = meta[RELATED_TASK];
  return isObject(related) ? text(related['taskId']) : '';
};

/** News of a task: in 2025-11-25, and in the later extension. */
const TASK_NEWS: ReadonlySet<string> = new Set(['notifications/tasks/status', 'notifications/tasks']);

function notificationFacts(message: Json): MessageFacts {
  const method = text(message['method']);
  const params = isObject(message['params']) ? message['params'] : {};
  if (method === 'notifications/progress') {
    return { shape: 'notification', method, key: keyOr(params['progressToken']), num: ppm(params['progress'], params['total']), bits: 0 };
  }
  if (TASK_NEWS.has(method)) {
    const task = taskFacts(params);
    return { shape: 'notification', method, key: '', num: 0, bits: 0, ...(task ? { extra: { about: 'task', task } } : {}) };
  }
  if (method !== 'notifications/cancelled') return { shape: 'notification', method, key: '', num: 0, bits: 0 };
  const reason = params['reason'];
  return {
    shape: 'notification',
    method,
    key: keyOr(params['requestId']),
    num: 0,
    bits: 0,
    extra: { about: 'cancelled', ...(typeof reason === 'string' ? { reason } : {}) },
  };
}

const ppm = (progress: unknown, total: unknown): number =>
  typeof progress === 'number' && typeof total === 'number' && total > 0
    ? Math.max(0, Math.min(1e6, Math.round((progress / total) * 1e6)))
    : -1;

function resultFacts(message: Json): MessageFacts {
  const result = message['result'];
  const failed = isObject(result) && result['isError'] === true;
  // Revision 2026-07-28, multi-round-trip requests: the request is not done, it wants to be sent again with the input.
  const asks = isObject(result) && result['resultType'] === 'input_required';
  const says = isObject(result) && CALL_CANCELLED.test(firstText(result));
  const makes = isObject(result) && makesTask(result);
  const extra = isObject(result) ? resultExtra(result) : undefined;
  return {
    shape: 'result',
    method: '',
    key: keyOr(message['id']),
    num: 0,
    bits:
      (failed ? BIT.isError : 0) |
      (says ? BIT.saysCancelled : 0) |
      (isId(message['id']) ? 0 : BIT.withoutId) |
      (asks ? BIT.asksInput : 0) |
      (makes ? BIT.makesTask : 0),
    ...(extra ? { extra } : {}),
  };
}

/** The answer to a request is a task: 2025-11-25 puts it into `task`, the later extension says so by `resultType`. */
const makesTask = (result: Json): boolean =>
  result['resultType'] === 'task'
    ? typeof result['taskId'] === 'string'
    : isObject(result['task']) && taskFacts(result['task']) !== undefined;

function resultExtra(result: Json): MessageExtra | undefined {
  if (result['resultType'] === 'input_required') return { about: 'asks', methods: askedIn(result['inputRequests']) };
  const tools = toolsOf(result['tools']);
  if (tools) return { about: 'tools', tools };
  const task = taskOf(result);
  if (task) return { about: 'task', task };
  if (!Array.isArray(result['tasks'])) return undefined;
  return { about: 'tasks', tasks: result['tasks'].filter(isObject).flatMap((one) => taskFacts(one) ?? []) };
}

/** The task that a result makes, is about, or is the result of. */
function taskOf(result: Json): TaskFacts | undefined {
  if (isObject(result['task'])) return taskFacts(result['task']);
  if (typeof result['taskId'] === 'string') return taskFacts(result);
  const id = isObject(result['_meta']) ? relatedTask(result['_meta']) : '';
  return id === '' ? undefined : { id };
}

/** Of what a server says beside a state, no more is kept than a sentence. */
const LONGEST_SAYING = 200;

function taskFacts(task: Json): TaskFacts | undefined {
  const id = task['taskId'];
  if (typeof id !== 'string') return undefined;
  const ttl = task['ttl'] === undefined ? task['ttlMs'] : task['ttl'];
  const pollInterval = task['pollInterval'] ?? task['pollIntervalMs'];
  const says = text(task['statusMessage']).slice(0, LONGEST_SAYING);
  const { result, error } = task;
  return {
    id,
    ...(typeof task['status'] === 'string' ? { status: task['status'] } : {}),
    ...(says === '' ? {} : { says }),
    ...(typeof ttl === 'number' ? { ttl } : ttl === null ? { ttl: 'unlimited' } : {}),
    ...(typeof pollInterval === 'number' ? { pollInterval } : {}),
    ...(isObject(result) && result['isError'] === true ? { isError: true } : {}),
    ...(isObject(error) && typeof error['code'] === 'number' ? { code: Math.trunc(error['code']) } : {}),
  };
}

/** The methods of the requests that a result of `input_required` holds; none where it only wants to be asked again. */
const askedIn = (requests: unknown): readonly string[] =>
  isObject(requests)
    ? Object.values(requests).flatMap((one) => (isObject(one) && typeof one['method'] === 'string' ? [one['method']] : []))
    : [];

function errorFacts(message: Json): MessageFacts {
  const error = isObject(message['error']) ? message['error'] : {};
  const code = typeof error['code'] === 'number' ? Math.trunc(error['code']) : 0;
  const says = CANCEL_CODES.has(code) || CANCELLED.test(text(error['message']));
  const refused = refusalSays(code, error['data']);
  return {
    shape: 'error',
    method: '',
    key: keyOr(message['id']),
    num: Math.max(-2147483648, Math.min(2147483647, code)),
    bits: (says ? BIT.saysCancelled : 0) | (isId(message['id']) ? 0 : BIT.withoutId),
    ...(refused === undefined ? {} : { extra: { about: 'refused', says: refused } }),
  };
}

/** The first text of a tool result, no more of it than a sentence: a long document that mentions cancelling says nothing. */
function firstText(result: Json): string {
  const content = result['content'];
  if (!Array.isArray(content)) return '';
  const first: unknown = content[0];
  const said = isObject(first) ? text(first['text']) : '';
  return said.length <= 300 ? said : '';
}

function toolsOf(value: unknown): readonly ToolHints[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(isObject).flatMap((tool) => {
    if (typeof tool['name'] !== 'string') return [];
    const hints = isObject(tool['annotations']) ? tool['annotations'] : {};
    const hint = (from: string, to: string): Record<string, boolean> => (typeof hints[from] === 'boolean' ? { [to]: hints[from] } : {});
    return [
      {
        name: tool['name'],
        ...hint('readOnlyHint', 'readOnly'),
        ...hint('destructiveHint', 'destructive'),
        ...hint('idempotentHint', 'idempotent'),
        ...hint('openWorldHint', 'openWorld'),
      },
    ];
  });
}
