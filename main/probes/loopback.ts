// A listener on loopback that only the server under test can reach: it is told an address with a token that nobody can
// guess. Any program of the machine, and any page in a browser, can knock; what comes without the token is nobody's, is
// answered with 404, and is said to have come.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeOf } from '../store/disk';

const HOST = '127.0.0.1';
const TOKEN_BYTES = 16;
/** Strangers that are named one by one; a program that knocks at every door would fill the trace. */
const STRANGERS = 100;

export interface Loopback {
  readonly port: number;
  /** The address to tell the server, token included, without a slash at its end. */
  readonly url: string;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** A request with the token. @param path what follows the token, without a query: `/orders`, or `/` */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, path: string) => void;
  /** A request without it. */
  readonly onStranger: (says: string) => void;
  /** Connections could not be taken. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Starts to listen on 127.0.0.1.
 * @throws Error in plain words when the port cannot be had
 */
export async function listen({ port, onRequest, onStranger, onFailure }: LoopbackOptions): Promise<Loopback> {
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  let strangers = 0;
  const server = createServer((request, response) => {
    const path = pathBehind(token, request.url ?? '');
    if (path !== undefined) return onRequest(request, response, path);
    request.resume();
    response.writeHead(404, { 'content-length': 0 }).end();
    strangers++;
    if (strangers <= STRANGERS) onStranger(strangerWords(request, strangers === STRANGERS));
  });
  // A witness takes its time: it never ends a connection that the server under test keeps.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  await opened(server, port);
  server.on('error', onFailure);
  const { port: taken } = server.address() as AddressInfo;
  return { port: taken, url: `http://${HOST}:${taken}/${token}`, close: () => closed(server) };
}

/**
 * Says whether a port can be listened on.
 * @returns undefined when it can, else why not and what to try
 */
export async function checkPort(port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    await opened(server, port);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  await closed(server);
  return undefined;
}

function opened(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void => reject(new Error(refusal(port, error)));
    server.once('error', refuse);
    server.listen(port, HOST, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function refusal(port: number, error: Error): string {
  const expected = `Expected port ${port} on ${HOST} to be free`;
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `${expected}, but another program listens there. Choose another port, or 0 for a free one.`;
    case 'EACCES':
      return `${expected}, but this system does not let you listen there. Choose a port above 1023, or 0 for a free one.`;
    default:
      return `${expected}, but it cannot be listened on: ${error.message}. Choose another port, or 0 for a free one.`;
  }
}

/** What follows the token in the target of a request; undefined when it is not there. */
function pathBehind(token: string, target: string): string | undefined {
  const [, first = '', rest = '/'] = /^\/([^/?#]*)(\/[^?#]*)?/.exec(target) ?? [];
  const given = Buffer.from(first);
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? rest : undefined;
}

const strangerWords = ({ method = '', url = '' }: IncomingMessage, last: boolean): string => {
  const path = url.split('?')[0] ?? '';
  const says = `${method} ${path.length > 60 ? `${path.slice(0, 60)}…` : path} came without the token and was answered with 404`;
  return last ? `${says}; further ones are not listed` : says;
};

export interface Received {
  /** The beginning of the body, up to the limit. */
  readonly bytes: Buffer;
  /** How long it was. */
  readonly length: number;
}

/**
 * Reads the body of a request.
 * @param limit how many bytes of it are kept
 * @returns undefined when the client broke off before it had arrived whole
 */
export function receive(request: IncomingMessage, limit: number): Promise<Received | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let kept = 0;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      const part = chunk.subarray(0, limit - kept);
      kept += part.length;
      if (part.length > 0) chunks.push(part);
    });
    request.on('end', () => resolve({ bytes: Buffer.concat(chunks), length }));
    request.on('close', () => resolve(undefined));
    request.on('error', () => resolve(undefined));
  });
}
