// A server over HTTP seen without any MCP library between: requests out, heads and events in, so that a test speaks of
// what was on the wire and nothing else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { createParser } from 'eventsource-parser';
import type { Message } from './stdio.testing';

/** How long to wait for something that must come: far longer than it takes. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 5;

/** One request and what has come of it so far. */
export interface Exchange {
  /** Undefined until the head of the response has come. */
  readonly status: number | undefined;
  readonly type: string | undefined;
  /** JSON-RPC messages of its body, be that JSON or an event stream. */
  readonly messages: readonly Message[];
  /** The data of events that are no JSON objects. */
  readonly events: readonly string[];
  readonly ended: boolean;
  /** Closes the connection. */
  drop(): void;
}

export interface HttpServer {
  readonly url: string;
  readonly session: string | undefined;
  /** Resolves with the head of the response. */
  send(method: string, message?: object): Promise<Exchange>;
  /** Sends initialize and initialized, and remembers the session. */
  open(): Promise<void>;
  /** Sends tools/call. */
  call(id: string | number, name: string, args?: object, progressToken?: string | number): Exchange;
  cancel(requestId: string | number): Promise<Exchange>;
  /** Resolves when a ping has been answered. */
  ping(): Promise<void>;
  /** Later messages are posted to this address, which may be relative. */
  moveTo(address: string): void;
  until(reading: () => boolean, what: string): Promise<void>;
  /** Ends its stdin, then the process where that is not enough. */
  close(): Promise<void>;
}

/**
 * Starts a program that prints the address at which it listens as its first line.
 * @throws Error with what it said on stderr when it ends before
 */
export async function startHttp(command: string, args: readonly string[]): Promise<HttpServer> {
  const child = spawn(command, args, { stdio: 'pipe' });
  const said: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const closed = once(child, 'close');
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>,
    closed.then(() => Promise.reject(new Error(said.join('\n')))),
  ]);
  return Object.assign(speak(url), {
    async close() {
      child.stdin.end();
      const slow = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await closed;
      clearTimeout(slow);
    },
  });
}

/** Speaks to a server that listens already. */
export function speak(url: string): Omit<HttpServer, 'close'> {
  let target = url;
  let session: string | undefined;
  let pings = 0;
  const headers = (): Record<string, string> => ({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
  });
  const begin = (method: string, message?: object) => new Request(target, method, headers(), message);
  const call = (id: string | number, name: string, args: object, token?: string | number) =>
    begin('POST', {
      id,
      method: 'tools/call',
      params: { name, arguments: args, ...(token === undefined ? {} : { _meta: { progressToken: token } }) },
    });

  async function until(reading: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!reading()) {
      if (performance.now() > deadline) throw new Error(`Waited ${PATIENCE_MS} ms for ${what}.`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async function send(method: string, message?: object): Promise<Exchange> {
    const exchange = begin(method, message);
    await exchange.head;
    if (exchange.type === 'application/json') await until(() => exchange.ended, 'the end of an answer');
    return exchange;
  }

  return {
    url,
    get session() {
      return session;
    },
    send,
    async open() {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } };
      const exchange = begin('POST', { id: 'initialize', method: 'initialize', params });
      await until(() => exchange.messages.length === 1, 'an answer to initialize');
      session = exchange.sessionId;
      await send('POST', { method: 'notifications/initialized' });
    },
    call: (id, name, args = {}, token) => call(id, name, args, token),
    cancel: (requestId) => send('POST', { method: 'notifications/cancelled', params: { requestId, reason: 'test' } }),
    async ping() {
      const exchange = begin('POST', { id: `ping-${pings++}`, method: 'ping' });
      await until(() => exchange.messages.length === 1, 'a pong');
    },
    moveTo(address) {
      target = new URL(address, url).href;
    },
    until,
  };
}

class Request implements Exchange {
  readonly messages: Message[] = [];
  readonly events: string[] = [];
  readonly head: Promise<void>;
  status: number | undefined;
  type: string | undefined;
  sessionId: string | undefined;
  ended = false;
  readonly #request;

  constructor(url: string, method: string, headers: Record<string, string>, message?: object) {
    this.#request = request(url, { method, headers });
    this.head = new Promise((resolve, reject) => {
      this.#request.once('response', (response) => resolve(this.#read(response)));
      this.#request.on('error', reject);
    });
    // A connection that the test drops is no failure.
    this.head.catch(() => undefined);
    this.#request.end(message && JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #read(response: IncomingMessage): void {
    this.status = response.statusCode;
    this.type = response.headers['content-type'];
    const id = response.headers['mcp-session-id'];
    this.sessionId = typeof id === 'string' ? id : undefined;
    const parser = createParser({ onEvent: ({ data }) => this.#take(data) });
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      if (this.type === 'text/event-stream') parser.feed(chunk);
      else text += chunk;
    });
    response.once('end', () => {
      if (text !== '') this.#take(text);
      this.ended = true;
    });
    response.on('error', () => undefined);
  }

  #take(data: string): void {
    if (data.startsWith('{')) this.messages.push(JSON.parse(data) as Message);
    else this.events.push(data);
  }

  drop(): void {
    this.#request.destroy();
  }
}
