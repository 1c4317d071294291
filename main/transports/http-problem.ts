// What became of a message that an HTTP exchange carried, where it was not what was wanted. A closed list: each has a
// clause of its own here, which goes on after “but”, and a sentence with what to try where a connection fails (main/host/why-http).
import { unreachable } from '../../app/base/unreachable';
import type { HttpPhase } from '../../app/wire/frame';

/** What was answered, without anything secret. */
export interface Answer {
  readonly method: string;
  readonly status: number;
  readonly contentType: string | undefined;
  /** Where a redirect leads to. */
  readonly location: string | undefined;
  /** The challenge of a 401 or 403. */
  readonly challenge: string | undefined;
  readonly retryAfter: string | undefined;
  /** The product that answered, as it calls itself. */
  readonly server: string | undefined;
  /** The beginning of the body, as text: its title where it is a page. */
  readonly says: string | undefined;
  /** The body is a page for people. */
  readonly page: boolean;
}

export type HttpProblem =
  /** The exchange came to no end. */
  | { readonly problem: 'failed'; readonly phase: HttpPhase; readonly why: string; readonly code: string | undefined }
  /** It was answered with a status that says no. */
  | { readonly problem: 'status'; readonly answer: Answer }
  /** It was answered with something that is no MCP. */
  | { readonly problem: 'content'; readonly answer: Answer }
  /** The response was over, and the answer was not in it. `torn`: it broke off in the middle of an event. */
  | { readonly problem: 'no-reply'; readonly why: string; readonly torn: boolean }
  /** No request carried the message: the SDK's transport resumed a stream instead. */
  | { readonly problem: 'not-carried' }
  /** The server asks for an authorization that nobody has given. */
  | { readonly problem: 'unauthorized'; readonly answer: Answer }
  /** The older transport was tried in the place of the first, in vain. */
  | { readonly problem: 'both'; readonly first: HttpProblem; readonly second: HttpProblem }
  /** We closed it. */
  | { readonly problem: 'closed'; readonly by: 'drop' | 'close' };

/** A message that HTTP did not bring to its goal. The message of the error is a clause: `the server answered 404`. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly problem: HttpProblem;
  constructor(problem: HttpProblem) {
    super(clauseOf(problem));
    this.problem = problem;
  }
}

/** What happened, as it goes on after “but”. */
export function clauseOf(problem: HttpProblem): string {
  switch (problem.problem) {
    case 'failed':
      return problem.code === undefined ? problem.why : `${problem.why} (${problem.code})`;
    case 'status':
      return `it was answered with ${statusText(problem.answer.status)}${quoted(problem.answer)}`;
    case 'content':
      return `it was answered with ${problem.answer.contentType ?? 'no content type'}, which is no MCP${quoted(problem.answer)}`;
    case 'no-reply':
      return problem.why;
    case 'not-carried':
      return 'no HTTP request carried it: the client resumed a stream instead';
    case 'unauthorized':
      return 'the server asks for an authorization that has not been given';
    case 'both':
      return `${clauseOf(problem.first)}; with the older HTTP+SSE transport ${clauseOf(problem.second)}`;
    case 'closed':
      return problem.by === 'drop' ? 'its connection was dropped, as asked' : 'its connection was closed with the session';
    default:
      return unreachable(problem);
  }
}

const quoted = ({ says }: Answer): string => (says === undefined ? '' : `: “${says}”`);

const STATUS: Readonly<Record<number, string>> = {
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** `404 Not Found`. */
export const statusText = (status: number): string => (STATUS[status] === undefined ? `status ${status}` : `${status} ${STATUS[status]}`);

const EXCERPT = 160;

/** The beginning of a body in one line: the title of a page, the message of an error. Undefined where there is nothing to read. */
export function excerptOf(body: string): { readonly says: string | undefined; readonly page: boolean } {
  const page = /^\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i.test(body);
  const text = (page ? pageText(body) : (errorText(body) ?? body)).replace(/\s+/g, ' ').trim();
  if (text === '') return { says: undefined, page };
  return { says: text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text, page };
}

const pageText = (page: string): string =>
  /<title[^>]*>([^<]*[^<\s][^<]*)<\/title>/i.exec(page)?.[1] ??
  page.replace(/<(?:script|style)[\s\S]*?<\/(?:script|style)>|<[^>]*>/gi, ' ');

/** What an error in JSON says: JSON-RPC's, OAuth's, or the usual ones of web frameworks. */
function errorText(body: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { error, error_description: description, message, detail, title } = value as Readonly<Record<string, unknown>>;
  const inner = typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>)['message'] : undefined;
  return [inner, description, message, detail, title, error].find((text): text is string => typeof text === 'string');
}
