// An MCP server that lets nobody in without an access token, an authorization server by others that gives them out, and a
// browser that is a plain HTTP client: it follows redirects, keeps cookies, fills in the forms to log in and to consent.
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import Provider, { type AccessToken, type RefreshToken } from 'oidc-provider';
import { z } from 'zod';

/** Calling this tool needs a right that is not asked for at first. */
const WRITING = 'write_note';
const READ = 'notes:read';
const WRITE = 'notes:write';

export interface OAuthServer {
  /** The MCP endpoint. */
  readonly url: string;
  readonly issuer: string;
  /** Every token that was given out. */
  readonly tokens: readonly string[];
  /** Headers of the last request to the authorization server. */
  readonly asked: readonly IncomingMessage[];
  /** From now on the server knows none of the access tokens that were given out. */
  expire(): Promise<void>;
  /** Nor of the refresh tokens. */
  revoke(): Promise<void>;
  close(): Promise<void>;
}

export interface OAuthOptions {
  /** The MCP server speaks the older HTTP+SSE transport. */
  readonly sse?: boolean;
  /** The authorization server registers nobody. */
  readonly registration?: boolean;
  /** What stands in the place of an answer of the authorization server; undefined leaves it. The body is told for `/token` only. */
  readonly instead?: (path: string, body: string) => { readonly status: number; readonly body: unknown } | undefined;
}

export async function oauthServer({ sse = false, registration = true, instead }: OAuthOptions = {}): Promise<OAuthServer> {
  const kept = { access: new Set<AccessToken>(), refresh: new Set<RefreshToken>() };
  const tokens: string[] = [];
  const asked: IncomingMessage[] = [];
  const { server: front, origin: issuer } = await listening();
  const { server: back, origin } = await listening();
  const url = `${origin}/mcp`;
  const provider = new Provider(issuer, {
    scopes: ['openid', READ, WRITE],
    cookies: { keys: ['a key for tests'] },
    features: {
      registration: { enabled: registration },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: `${READ} ${WRITE}`, audience: url, accessTokenFormat: 'opaque', accessTokenTTL: 3600 }),
      },
    },
    issueRefreshToken: async () => true,
    ttl: { AccessToken: 3600, Session: 3600, Grant: 3600, Interaction: 3600, RefreshToken: 3600 },
  });
  provider.on('access_token.saved', (token) => kept.access.add(token));
  provider.on('refresh_token.saved', (token) => kept.refresh.add(token));
  const handle = provider.callback();
  front.on('request', (request: IncomingMessage, response: ServerResponse) => {
    asked.push(request);
    void answered(request, response);
  });
  const answered = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = (request.url ?? '').split('?')[0] ?? '';
    const other = instead?.(target, target === '/token' ? await textOf(request) : '');
    if (other) return json(response, other.status, other.body);
    heard(response, tokens);
    await handle(request, response);
  };
  const serve = sse ? overSse() : statelessly;
  back.on('request', (request, response) => void resource({ request, response, url, issuer, provider, serve }));
  return {
    url,
    issuer,
    tokens,
    asked,
    async expire() {
      for (const token of kept.access) await token.destroy();
    },
    async revoke() {
      for (const token of [...kept.access, ...kept.refresh]) await token.destroy();
    },
    async close() {
      for (const server of [front, back]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listening(): Promise<{ readonly server: HttpServer; readonly origin: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Notes the tokens in what is answered. */
function heard(response: ServerResponse, tokens: string[]): void {
  const end = response.end.bind(response);
  response.end = ((chunk?: unknown, ...more: unknown[]) => {
    for (const [, token = ''] of String(chunk ?? '').matchAll(/"(?:access|refresh|registration_access)_token":"([^"]+)"/g))
      tokens.push(token);
    return (end as (...args: unknown[]) => ServerResponse)(chunk, ...more);
  }) as typeof response.end;
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: string;
  readonly issuer: string;
  readonly provider: Provider;
  readonly serve: Serve;
}

/** Answers a request that has been let in. */
type Serve = (request: IncomingMessage, response: ServerResponse, body: JSONRPCMessage | undefined) => Promise<void>;

/** The MCP server: every request needs a token with the rights for what it asks. */
async function resource({ request, response, url, issuer, provider, serve }: Asked): Promise<void> {
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', url).href;
  if (request.url === new URL(metadata).pathname)
    return json(response, 200, { resource: url, authorization_servers: [issuer], scopes_supported: [READ] });
  if (!/^\/(?:mcp|messages)(?:\?|$)/.test(request.url ?? '')) return json(response, 404, {});
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const token = await provider.AccessToken.find(given);
  const challenge = (more: string): void =>
    void response.writeHead(more === '' ? 401 : 403, { 'www-authenticate': `Bearer ${more}resource_metadata="${metadata}"` }).end();
  if (!token || token.aud !== url) return challenge('');
  const body = await read(request);
  const writes = body !== undefined && 'params' in body && body.params?.['name'] === WRITING;
  if (writes && !token.scopes.has(WRITE)) return challenge(`error="insufficient_scope", scope="${WRITE}", `);
  await serve(request, response, body);
}

function notes(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('read_notes', { annotations: { readOnlyHint: true } }, () => ({ content: [{ type: 'text', text: 'no notes yet' }] }));
  server.registerTool(WRITING, { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text: `noted ${text}` }],
  }));
  return server;
}

/** Streamable HTTP, each request by itself. */
const statelessly: Serve = async (request, response, body) => {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await notes().connect(transport as Parameters<McpServer['connect']>[0]);
  await transport.handleRequest(request, response, body);
};

/** HTTP+SSE of 2024-11-05. */
function overSse(): Serve {
  const open = new Map<string, SSEServerTransport>();
  return async (request, response, body) => {
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      open.set(transport.sessionId, transport);
      return notes().connect(transport);
    }
    const session = new URL(request.url ?? '', 'http://localhost').searchParams.get('sessionId') ?? '';
    const transport = open.get(session);
    if (transport) await transport.handlePostMessage(request, response, body);
    else json(response, 405, {});
  };
}

async function read(request: IncomingMessage): Promise<JSONRPCMessage | undefined> {
  const text = await textOf(request);
  return text === '' ? undefined : (JSON.parse(text) as JSONRPCMessage);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** What the person does at the authorization server. */
export type Answer = 'consent' | 'refuse';

/**
 * Opens an address as a browser would, logs in, answers, and follows to where it leads.
 * @returns the last page
 */
export async function browser(
  address: string,
  answer: Answer,
): Promise<{ readonly url: string; readonly status: number; readonly text: string }> {
  const cookies = new Map<string, Map<string, string>>();
  let next: { url: string; body?: URLSearchParams } = { url: address };
  for (let steps = 0; steps < 30; steps++) {
    const { origin } = new URL(next.url);
    const own = cookies.get(origin) ?? new Map<string, string>();
    cookies.set(origin, own);
    const response = await fetch(next.url, {
      redirect: 'manual',
      headers: { cookie: [...own].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(next.body ? { method: 'POST', body: next.body } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      own.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get('location');
    const form = location === null ? formIn(text, answer) : undefined;
    if (location === null && !form) return { url: next.url, status: response.status, text };
    next = form ? { ...form, url: new URL(form.url, next.url).href } : { url: new URL(location ?? '', next.url).href };
  }
  throw new Error(`expected the pages to come to an end, stuck at ${next.url}`);
}

/** The form of a page filled in, or the way out of it. */
function formIn(page: string, answer: Answer): { url: string; body?: URLSearchParams } | undefined {
  const [, action] = /<form[^>]*action="([^"]+)"/.exec(page) ?? [];
  if (action === undefined) return undefined;
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const [, abort] = /href="([^"]+\/abort)"/.exec(page) ?? [];
  if (prompt === 'consent' && answer === 'refuse' && abort !== undefined) return { url: abort };
  return { url: action, body: new URLSearchParams({ prompt, ...(prompt === 'login' ? { login: 'ada', password: 'any' } : {}) }) };
}
