// Revision 2026-07-28 under the same tools: there is no handshake, every request says what it speaks, and over HTTP who closes
// the response of a call has cancelled it. The tools are served by the SDK's first line, which does not know this revision;
// what it adds on the wire is small, and stands here (docs/adr/0010 says why the second line is not here beside it).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { LEGACY_REVISIONS, MODERN } from '../../app/wire/era';
import { REFUSALS } from '../../app/wire/refusals';
import { SERVER } from './instance';
import { asked, madeTask, type Refusal, TASKS_OFFER, taskAnswer, taskRefusal } from './modern-tasks';
import type { DemoTasks } from './tasks';

const PROTOCOL = 'io.modelcontextprotocol/protocolVersion';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const METHOD_NOT_FOUND = -32601;
/** Of the revisions before, and gone in this one. */
const GONE: ReadonlySet<string> = new Set(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);
const SPOKEN = [MODERN, ...LEGACY_REVISIONS].toSorted().toReversed();

/** The revision that a request says it speaks; undefined for one of the revisions before, which say nothing. */
export function claimOf(message: unknown): string | undefined {
  const { params } = (typeof message === 'object' && message !== null ? message : {}) as { readonly params?: { readonly _meta?: unknown } };
  const claimed = (params?._meta as Readonly<Record<string, unknown>> | undefined)?.[PROTOCOL];
  return typeof claimed === 'string' ? claimed : undefined;
}

/** Why a request of this revision cannot be served; undefined where it can. */
function refusalOf(request: JSONRPCRequest, claimed: string): Refusal | undefined {
  if (claimed !== MODERN) {
    const data = { supported: SPOKEN, requested: claimed };
    return { code: REFUSALS.unsupportedRevision, message: `Unsupported protocol version: ${claimed}`, data };
  }
  return GONE.has(request.method) ? { code: METHOD_NOT_FOUND, message: 'Method not found' } : taskRefusal(request);
}

const offer = { supportedVersions: SPOKEN, capabilities: { tools: {}, ...TASKS_OFFER }, instructions: SERVER.instructions };

/** A result as this revision has it. @param method of the request that it answers */
function spoken(method: string, result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const listed = method === 'tools/list' || method === 'server/discover' ? { ttlMs: 0, cacheScope: 'private' } : {};
  const meta = { ...(result['_meta'] as object | undefined), [SERVER_INFO]: SERVER.info };
  const task = method === 'tools/call' ? madeTask(result) : undefined;
  return { ...(task ?? result), resultType: task ? 'task' : 'complete', ...listed, _meta: meta };
}

/** A transport under which both eras are spoken: what belongs to the newer one is done here, the rest is the instance's. */
export class BothEras implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #inner: Transport;
  /** Requests of the newer revision without an answer. */
  readonly #open = new Map<RequestId, { readonly method: string; readonly token: unknown }>();
  readonly #tasks: DemoTasks;
  /** A request of the newer revision has come: there the news of tasks is only for who has subscribed to it. */
  #modern = false;

  constructor(inner: Transport, tasks: DemoTasks) {
    this.#inner = inner;
    this.#tasks = tasks;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => {
      const claimed = isJSONRPCRequest(message) ? claimOf(message) : undefined;
      if (isJSONRPCRequest(message) && claimed !== undefined) this.#take(message, claimed);
      else this.onmessage?.(message, extra);
    };
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    await this.#inner.start();
  }

  #take(request: JSONRPCRequest, claimed: string): void {
    const { id, method } = request;
    const error = refusalOf(request, claimed);
    if (error) return void this.#inner.send({ jsonrpc: '2.0', id, error });
    this.#modern = true;
    this.#open.set(id, { method, token: request.params?._meta?.progressToken });
    if (method === 'server/discover') void this.send({ jsonrpc: '2.0', id, result: offer });
    else if (method.startsWith('tasks/'))
      void taskAnswer(request, this.#tasks).then((answer) => this.send({ jsonrpc: '2.0', id, ...answer }));
    else this.onmessage?.(asked(request));
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#modern && this.#isUnwanted(message)) return;
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    const method = isAnswer && message.id !== undefined ? this.#open.get(message.id)?.method : undefined;
    if (isAnswer && message.id !== undefined) this.#open.delete(message.id);
    const out = method !== undefined && isJSONRPCResultResponse(message) ? { ...message, result: spoken(method, message.result) } : message;
    await this.#inner.send(out as JSONRPCMessage, options);
  }

  /** News of a task that nobody has subscribed to, and progress of one: its call has been answered. */
  #isUnwanted(message: JSONRPCMessage): boolean {
    if (!('method' in message)) return false;
    if (message.method === 'notifications/tasks/status') return true;
    const token = message.method === 'notifications/progress' ? message.params?.['progressToken'] : undefined;
    return token !== undefined && ![...this.#open.values()].some((open) => open.token === token);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** One request over HTTP and the stream of its response, for an instance that lives as long. */
class OneExchange implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  async start(): Promise<void> {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).flushHeaders();
  }

  /** Nothing more is sent once the answer is out, or the client has gone. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.#response.end();
  }

  async close(): Promise<void> {
    this.#response.end();
    this.onclose?.();
  }
}

/**
 * Serves one request of this revision over HTTP. A client that closes the response before its end has cancelled the call.
 * @param open connects an instance @returns what closes it
 */
export async function serveExchange(
  { headers }: IncomingMessage,
  response: ServerResponse,
  request: JSONRPCRequest,
  tasks: DemoTasks,
  open: (transport: Transport) => Promise<() => void>,
): Promise<void> {
  const { id } = request;
  const claimed = claimOf(request) ?? '';
  const error = headersRefused(headers, request, claimed) ?? refusalOf(request, claimed);
  if (error) {
    const status = error.code === METHOD_NOT_FOUND ? 404 : 400;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    return;
  }
  const exchange = new OneExchange(response);
  const close = await open(new BothEras(exchange, tasks));
  response.once('finish', close);
  response.once('close', () => {
    const reason = 'the response stream was closed';
    if (!response.writableFinished)
      exchange.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } });
  });
  // Closed while the instance was made: the event is over, and the call is not begun.
  if (response.destroyed) close();
  else exchange.onmessage?.(request);
}

/** The headers that repeat the body have to say what it says. */
function headersRefused(headers: IncomingMessage['headers'], { method }: JSONRPCRequest, claimed: string): Refusal | undefined {
  const wrong = [
    ['MCP-Protocol-Version', headers['mcp-protocol-version'], claimed],
    ['Mcp-Method', headers['mcp-method'], method],
  ].find(([, header, body]) => header !== body);
  if (!wrong) return undefined;
  const [header = '', got, body = ''] = wrong;
  const message = `The header ${header} says ${got ?? 'nothing'}, and the body ${body}`;
  return { code: REFUSALS.headerMismatch, message, data: { mismatch: { header, body: message } } };
}
