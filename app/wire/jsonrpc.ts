// What kind of JSON-RPC message a line is, and what of it the fold and the judge will need. Read once, from the parsed
// text, in the process that received it; the raw text is kept beside it and never rewritten.
import type { RequestId } from './frame';

export const SHAPES = ['none', 'request', 'notification', 'result', 'error', 'invalid'] as const;
export type Shape = (typeof SHAPES)[number];

/** Bits beside a message: see {@link MessageFacts}. */
export const BIT = { isError: 1, saysCancelled: 2, withoutId: 4, asksInput: 8 } as const;

/** A tool as its server declares it; hints that are absent stay absent (their defaults are the reader's business). */
export interface ToolHints {
  readonly name: string;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** What is too rare for a column. */
export type MessageExtra =
  | { readonly about: 'request'; readonly tool?: string; readonly token?: string }
  | { readonly about: 'cancelled'; readonly reason?: string }
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
  return {
    shape: isId(message['id']) ? 'request' : 'invalid',
    method,
    key: keyOr(message['id']),
    num: 0,
    bits: 0,
    ...(tool || token ? { extra: { about: 'request', ...(tool ? { tool } : {}), ...(token ? { token } : {}) } } : {}),
  };
}

function notificationFacts(message: Json): MessageFacts {
  const method = text(message['method']);
  const params = isObject(message['params']) ? message['params'] : {};
  if (method === 'notifications/progress') {
    return { shape: 'notification', method, key: keyOr(params['progressToken']), num: ppm(params['progress'], params['total']), bits: 0 };
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
  const tools = isObject(result) ? toolsOf(result['tools']) : undefined;
  return {
    shape: 'result',
    method: '',
    key: keyOr(message['id']),
    num: 0,
    bits:
      (failed ? BIT.isError : 0) | (says ? BIT.saysCancelled : 0) | (isId(message['id']) ? 0 : BIT.withoutId) | (asks ? BIT.asksInput : 0),
    ...(tools ? { extra: { about: 'tools', tools } } : {}),
  };
}

function errorFacts(message: Json): MessageFacts {
  const error = isObject(message['error']) ? message['error'] : {};
  const code = typeof error['code'] === 'number' ? Math.trunc(error['code']) : 0;
  const says = CANCEL_CODES.has(code) || CANCELLED.test(text(error['message']));
  return {
    shape: 'error',
    method: '',
    key: keyOr(message['id']),
    num: Math.max(-2147483648, Math.min(2147483647, code)),
    bits: (says ? BIT.saysCancelled : 0) | (isId(message['id']) ? 0 : BIT.withoutId),
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
