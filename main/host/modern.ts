// Revision 2026-07-28 under a client that knows only the handshake of before (docs/adr/0010). The tap asks here what goes out
// in the place of what the client wants to send, and what the client is given in the place of what came. What is recorded
// is what is on the wire; nothing is invented but the client's own `initialize` result.
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Tool } from '../../app/contract/host';
import { AUTOMATIC, LEGACY_REVISIONS, MODERN } from '../../app/wire/era';
import { refusalSays, supportedIn } from '../../app/wire/refusals';
import { headerText, paramHeaders } from './param-headers';
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
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The id of our `server/discover`. The client's own ids are numbers. */
export const DISCOVER = 'stopgap-discover';

/** What a client of ours can answer when it is asked by `input_required` (rounds.ts). */
const CAPABILITIES = { roots: {} } as const;

/** The server does not speak the revision that is insisted on. The message is for a person: expected, seen, what to try. */
export class RevisionRefused extends Error {}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A server over HTTP that refused the question with a status, as those of the revisions before do. @param clause what it did */
export const refusedBy = (clause: string): RevisionRefused =>
  new RevisionRefused(
    `Expected the server to speak ${MODERN}, but ${clause}. Servers of the revisions before refuse the question in this way: insist on no revision, on one that it speaks, or choose “auto”.`,
  );

/** What becomes of the answer to `server/discover`. */
export type Discovered =
  /** The client gets this in its place. */
  | { readonly next: 'give'; readonly message: JSONRPCMessage }
  /** The server speaks the revisions of before: this is sent now. */
  | { readonly next: 'initialize'; readonly message: JSONRPCMessage }
  /** Nothing is: somebody insists on what the server does not speak. */
  | { readonly next: 'refuse'; readonly error: RevisionRefused };

/** The era of one session, as far as it has been found out. */
export class Modern {
  /** The revision has been agreed upon. */
  agreed = false;
  /** What the server offers, once it has said so. */
  offered: readonly string[] | undefined;
  #initialize: JSONRPCRequest | undefined;
  /** By tool: its `inputSchema`. */
  readonly #schemas = new Map<string, unknown>();
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

  /** The tools that the server has: their schemas say which arguments are repeated in headers. */
  know(tools: readonly Tool[]): void {
    this.#schemas.clear();
    for (const { name, inputSchema } of tools) this.#schemas.set(name, inputSchema);
  }

  /**
   * A request with what every request says of its client.
   * @param tasks declares the tasks extension: only then a server may make a task of the request, or tell of one
   */
  withMeta(request: JSONRPCRequest, tasks = false): JSONRPCRequest {
    const capabilities = tasks ? { ...CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } } : CAPABILITIES;
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
    else this.offered = supportedIn(error);
    if (isObject(result) && this.offered?.includes(MODERN)) {
      this.agreed = true;
      return { next: 'give', message: handshake(initialize.id, result) };
    }
    if (this.automatic) return { next: 'initialize', message: initialize };
    return { next: 'refuse', error: new RevisionRefused(refusedWhy(error, this.offered)) };
  }

  /** Headers that repeat the body of a message (2026-07-28, Streamable HTTP: Standard Request Headers, Custom Headers). */
  headers(message: JSONRPCMessage): Readonly<Record<string, string>> {
    if (!('method' in message)) return {};
    if (!isRequest(message)) return this.agreed ? { 'mcp-method': message.method } : {};
    if (message.params?._meta?.[META.protocol] !== MODERN) return {};
    const { name: tool, arguments: args } = message.params;
    const named = message.params[NAMED_BY[message.method] ?? ''];
    return {
      'mcp-protocol-version': MODERN,
      'mcp-method': message.method,
      ...(typeof named === 'string' ? { 'mcp-name': headerText(named) } : {}),
      ...(message.method === 'tools/call' && typeof tool === 'string' ? paramHeaders(this.#schemas.get(tool), args) : {}),
    };
  }
}

/** Expected, seen, what to try. @param offered the revisions that the server says it speaks */
function refusedWhy(error: unknown, offered: readonly string[] | undefined): string {
  const { code, message, data } = isObject(error) ? error : {};
  const said = typeof message === 'string' && message !== '' ? `it answered “${message}”` : 'it offers no such revision';
  const means = refusalSays(code, data);
  const list = offered?.[0] === undefined ? '' : ` It speaks ${offered.join(', ')}.`;
  const meaning = means === undefined || list !== '' ? '' : ` That means that ${means}.`;
  return `Expected the server to speak ${MODERN}, but ${said}.${list}${meaning} Insist on no revision, on one that it speaks, or choose “auto”.`;
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
