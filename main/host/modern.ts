// Revision 2026-07-28 under a client that knows only the handshake of before (docs/adr/0009). The tap asks here what goes out
// in the place of what the client wants to send, and what the client is given in the place of what came. What is recorded
// is what is on the wire; nothing is invented but the client's own `initialize` result.
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { AUTOMATIC, LEGACY_REVISIONS, MODERN } from '../../app/wire/era';
import { TASKS_EXTENSION } from './task-state';

/** Keys of a request's `_meta` (2026-07-28, Basic: per-request metadata). */
const META = {
  protocol: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;

/**
 * By method, the parameter that `Mcp-Name` repeats (2026-07-28, Streamable HTTP: Standard Request Headers; Tasks extension,
 * Streamable HTTP: Routing Headers).
 */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The id of our `server/discover`. The client's own ids are numbers. */
export const DISCOVER = 'stopgap-discover';

/** A revision that is not there. JSON-RPC code of 2026-07-28, UnsupportedProtocolVersion. */
const UNSUPPORTED = -32022;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What becomes of the answer to `server/discover`. */
export type Discovered =
  /** The client gets this in its place. */
  | { readonly next: 'give'; readonly message: JSONRPCMessage }
  /** The server speaks the revisions of before: this is sent now. */
  | { readonly next: 'initialize'; readonly message: JSONRPCMessage };

/** The era of one session, as far as it has been found out. */
export class Modern {
  /** The revision has been agreed upon. */
  agreed = false;
  /** What the server offers, once it has said so. */
  offered: readonly string[] | undefined;
  #initialize: JSONRPCRequest | undefined;
  /** Whom requests name as their client: what the client calls itself in its handshake. */
  #client: unknown;

  /** Nobody insists: a server of before is spoken to as before. */
  readonly automatic: boolean;

  private constructor(automatic: boolean) {
    this.automatic = automatic;
  }

  /** @returns undefined where the revision wanted is one of before */
  static of(protocol: string | undefined): Modern | undefined {
    return protocol === MODERN || protocol === AUTOMATIC ? new Modern(protocol === AUTOMATIC) : undefined;
  }

  /** What is sent in the place of a message of the client's; undefined when nothing is. @param tasks see {@link withMeta} */
  outgoing(message: JSONRPCMessage, tasks = false): JSONRPCMessage | undefined {
    if (isRequest(message) && message.method === 'initialize') {
      this.#initialize = message;
      this.#client = message.params?.['clientInfo'];
      return this.withMeta({ jsonrpc: '2.0', id: DISCOVER, method: 'server/discover' });
    }
    if (!this.agreed) return message;
    // What else the client tells of its own accord (initialized, changed roots) does not exist in this revision.
    if ('method' in message && !isRequest(message)) return message.method === 'notifications/cancelled' ? message : undefined;
    return isRequest(message) ? this.withMeta(message, tasks) : message;
  }

  /**
   * A request with what every request says of its client. No capabilities: nothing here answers what a server would ask.
   * @param tasks declares the tasks extension: only then a server may make a task of the request, or tell of one
   */
  withMeta(request: JSONRPCRequest, tasks = false): JSONRPCRequest {
    const capabilities = tasks ? { extensions: { [TASKS_EXTENSION]: {} } } : {};
    const envelope = { [META.protocol]: MODERN, [META.client]: this.#client, [META.capabilities]: capabilities };
    return { ...request, params: { ...request.params, _meta: { ...request.params?._meta, ...envelope } } };
  }

  /** What the answer to `server/discover` means. @param answer a JSON-RPC response to it; undefined when none came */
  discovered(answer: unknown): Discovered {
    const initialize = this.#initialize;
    if (!initialize) throw new TypeError('expected initialize to have been asked for before');
    const { result, error } = isObject(answer) ? answer : {};
    const offered = isObject(result) ? result['supportedVersions'] : undefined;
    if (Array.isArray(offered)) this.offered = offered.filter((one): one is string => typeof one === 'string');
    if (isObject(result) && this.offered?.includes(MODERN)) {
      this.agreed = true;
      return { next: 'give', message: handshake(initialize.id, result) };
    }
    if (this.automatic) return { next: 'initialize', message: initialize };
    const says =
      isObject(error) && typeof error['message'] === 'string' ? `it answered “${error['message']}”` : 'it offers no such revision';
    const message = `Expected the server to speak ${MODERN}, but ${says}${this.offered ? ` (${this.offered.join(', ')})` : ''}. Choose a revision of before, or “auto”`;
    return { next: 'give', message: { jsonrpc: '2.0', id: initialize.id, error: { code: UNSUPPORTED, message } } };
  }

  /** Headers that repeat the body of a request (2026-07-28, Streamable HTTP). */
  headers(message: JSONRPCMessage): Readonly<Record<string, string>> {
    if (!isRequest(message) || message.params?._meta?.[META.protocol] !== MODERN) return {};
    const named = message.params?.[NAMED_BY[message.method] ?? ''];
    return {
      'mcp-protocol-version': MODERN,
      'mcp-method': message.method,
      ...(typeof named === 'string' ? { 'mcp-name': headerText(named) } : {}),
    };
  }
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => 'method' in message && 'id' in message;

/** What a client of before takes for the end of its handshake. It has to name a revision that it knows. */
function handshake(id: JSONRPCRequest['id'], discovered: Json): JSONRPCMessage {
  const { capabilities, instructions, _meta: meta } = discovered;
  const named = isObject(meta) ? meta[META.server] : undefined;
  const serverInfo = isObject(named) ? { name: '', version: '', ...named } : { name: '', version: '' };
  return {
    jsonrpc: '2.0',
    id,
    result: {
      protocolVersion: LEGACY_REVISIONS[LEGACY_REVISIONS.length - 1],
      capabilities: isObject(capabilities) ? capabilities : {},
      serverInfo,
      ...(typeof instructions === 'string' ? { instructions } : {}),
    },
  };
}

/** A text as a header can hold it: plain where it is printable ASCII without blanks at its ends, else in Base64 (2026-07-28). */
const headerText = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
