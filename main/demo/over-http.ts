// The demo over HTTP, on the SDK's own transports, to show how the same Stop differs: with sessions the cancel reaches
// the call; without them it reaches another instance, which accepts it and knows nothing; in JSON mode the response of a
// cancelled call never even gets a head. Revision 2026-07-28 is spoken beside the sessions (modern.ts). For this machine only, and for no page of a browser that was led here by a name.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { unreachable } from '../../app/base/unreachable';
import type { DemoWire } from '../../app/wire/frame';
import { connectDemo } from './instance';
import { claimOf, serveExchange } from './modern';
import type { DemoTasks } from './tasks';

const HOST = '127.0.0.1';
const OWN_NAMES = new Set([HOST, 'localhost']);

/** Where every instance works: see {@link Demo}. */
interface Desk {
  readonly folder: string;
  readonly program: string;
  readonly tasks: DemoTasks;
}

/** What answers a request; `path` without its query. */
type Handler = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

export interface HttpDemo {
  /** What a client connects to. */
  readonly url: string;
  /** Aborts every call and closes every connection. */
  close(): void;
}

/**
 * Listens on loopback.
 * @param port 0 for any that is free
 * @throws Error in plain words when it cannot listen there
 */
export async function serveHttp(wire: DemoWire, port: number, desk: Desk): Promise<HttpDemo> {
  const instances = new Instances(desk);
  const answer = handlerOf(wire, instances);
  const server = createServer((request, response) => {
    const refusal = strangeness(request);
    if (refusal !== undefined) refuse(response, 403, -32000, refusal);
    else answer(request, response, (request.url ?? '/').split('?')[0] ?? '/').catch((error: unknown) => fail(response, error));
  });
  const { port: taken } = await listen(server, port);
  return {
    url: `http://${HOST}:${taken}${wire === 'sse' ? '/sse' : '/mcp'}`,
    close() {
      server.close();
      instances.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const seen = error.code === 'EADDRINUSE' ? `port ${port} is in use` : error.message;
      reject(new Error(`Expected a port to listen on, but ${seen}. Try another one, or 0 for any that is free.`));
    });
    server.listen(port, HOST, () => resolve(server.address() as AddressInfo));
  });
}

/** DNS rebinding: a page that a browser loaded from elsewhere comes with its own name as the host or as the origin. */
function strangeness({ headers: { host, origin } }: IncomingMessage): string | undefined {
  if (!OWN_NAMES.has(nameIn(`http://${host}`))) return `Invalid Host header: ${host}`;
  if (origin !== undefined && !OWN_NAMES.has(nameIn(origin))) return `Invalid Origin header: ${origin}`;
  return undefined;
}

const nameIn = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');

/** Every instance that is at work. */
class Instances {
  readonly #desk: Desk;
  readonly #closers = new Set<() => Promise<void>>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Those of the whole process. */
  get tasks(): DemoTasks {
    return this.#desk.tasks;
  }

  /** @returns closes it */
  async open(transport: Transport): Promise<() => void> {
    const close = await connectDemo({ ...this.#desk, transport });
    this.#closers.add(close);
    return () => {
      if (this.#closers.delete(close)) void close();
    };
  }

  close(): void {
    for (const close of this.#closers) void close();
    this.#closers.clear();
  }
}

function handlerOf(wire: DemoWire, instances: Instances): Handler {
  switch (wire) {
    case 'http':
      return inBothEras(instances);
    case 'http-json':
      return withoutBody(withSessions(instances, true));
    case 'http-stateless':
      return withoutSessions(instances);
    case 'sse':
      return oldSse(instances);
    default:
      return unreachable(wire);
  }
}

/** What answers a request whose body, JSON or undefined where there is none, has been read. */
type BodyHandler = (request: IncomingMessage, response: ServerResponse, path: string, body: unknown) => Promise<void>;

/** A request that says that it speaks 2026-07-28 has an instance for itself; any other one belongs to a session. */
function inBothEras(instances: Instances): Handler {
  const inSession = withSessions(instances, false);
  return async (request, response, path) => {
    if (request.method !== 'POST') return inSession(request, response, path, undefined);
    let body: unknown;
    try {
      body = JSON.parse(await textOf(request));
    } catch {
      return refuse(response, 400, -32700, 'Parse error: Invalid JSON');
    }
    if (path !== '/mcp' || claimOf(body) === undefined || !isJSONRPCRequest(body)) return inSession(request, response, path, body);
    await serveExchange(request, response, body, instances.tasks, (transport) => instances.open(transport));
  };
}

/** Leaves the body to the SDK. */
const withoutBody =
  (handler: BodyHandler): Handler =>
  (request, response, path) =>
    handler(request, response, path, undefined);

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** An instance for each session: a request without the header of one may begin one. */
function withSessions(instances: Instances, enableJsonResponse: boolean): BodyHandler {
  const sessions = new Map<string, StreamableHTTPServerTransport>();

  async function begin(response: ServerResponse): Promise<StreamableHTTPServerTransport> {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => {
        sessions.delete(id);
        close();
      },
    });
    const close = await instances.open(transport as Transport);
    // What began no session is nobody's.
    response.once('close', () => transport.sessionId ?? close());
    return transport;
  }

  return async (request, response, path, body) => {
    if (path !== '/mcp') return refuse(response, 404, -32000, `Nothing is at ${path}; the endpoint is /mcp`);
    const id = request.headers['mcp-session-id'];
    const transport = id === undefined ? await begin(response) : sessions.get(String(id));
    if (transport) await transport.handleRequest(request, response, body);
    else refuse(response, 404, -32001, 'Session not found');
  };
}

/** An instance for each request, as many servers in the cloud are made: a cancel comes to one that has no such call. */
function withoutSessions(instances: Instances): Handler {
  return async (request, response, path) => {
    if (path !== '/mcp') return refuse(response, 404, -32000, `Nothing is at ${path}; the endpoint is /mcp`);
    if (request.method !== 'POST') return refuse(response, 405, -32000, 'Method not allowed: there are no sessions here');
    const transport = new StreamableHTTPServerTransport();
    const close = await instances.open(transport as Transport);
    // Once all of its answer has been taken. A client that goes away is not told apart from one that is slow: work goes on.
    response.once('finish', close);
    await transport.handleRequest(request, response);
  };
}

/** HTTP+SSE of 2024-11-05: one stream for everything that comes, and an address for what goes. */
function oldSse(instances: Instances): Handler {
  const streams = new Map<string, SSEServerTransport>();
  return async (request, response, path) => {
    if (path === '/sse' && request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      streams.set(transport.sessionId, transport);
      const close = await instances.open(transport);
      response.once('close', () => {
        streams.delete(transport.sessionId);
        close();
      });
      return;
    }
    if (path === '/sse') return refuse(response, 405, -32000, 'Method not allowed: this is the HTTP+SSE transport, opened by a GET');
    if (path !== '/messages') return refuse(response, 404, -32000, `Nothing is at ${path}; the endpoint is /sse`);
    const transport = streams.get(new URL(request.url ?? '/', `http://${HOST}`).searchParams.get('sessionId') ?? '');
    if (transport) await transport.handlePostMessage(request, response);
    else refuse(response, 404, -32001, 'Session not found');
  };
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}

function fail(response: ServerResponse, error: unknown): void {
  if (!response.headersSent) refuse(response, 500, -32603, error instanceof Error ? error.message : String(error));
}
