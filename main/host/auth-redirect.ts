// Where the browser comes back to: a listener on loopback that takes one answer, the one with the state that nobody else knows
// (RFC 8252, 7.3; RFC 6749, 10.12). Any page in a browser can knock here. Whatever comes is answered with a text of ours.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const HOST = '127.0.0.1';
const PATH = '/callback';
const STATE_BYTES = 32;

/** What the browser brought. `iss`: who says so (RFC 9207), where anybody does. */
export type Brought =
  | { readonly kind: 'code'; readonly code: string; readonly iss: string | undefined }
  | { readonly kind: 'error'; readonly error: string; readonly description: string | undefined; readonly iss: string | undefined };

export interface Redirect {
  /** The address to register and to send along. */
  readonly url: string;
  readonly state: string;
  /** The answer with the right state; it may never come. */
  readonly brought: Promise<Brought>;
  close(): void;
}

/**
 * Starts to listen on 127.0.0.1.
 * @param preferred a port that is known to the authorization server; another one is taken where it is not free
 * @param onStranger an answer came whose state is wrong: it was not accepted
 */
export async function listenForRedirect(preferred: number | undefined, onStranger: () => void): Promise<Redirect> {
  const state = randomBytes(STATE_BYTES).toString('base64url');
  let bring: (brought: Brought) => void = () => undefined;
  const brought = new Promise<Brought>((resolve) => {
    bring = resolve;
  });
  const server = createServer((request, response) => {
    const query = queryOf(request);
    if (!query) return tell(response, 404, 'There is nothing here.');
    if (!isSame(query.get('state') ?? '', state)) {
      onStranger();
      return tell(response, 400, 'This answer belongs to no authorization that Stopgap has begun. It was not accepted.');
    }
    const what = broughtBy(query);
    if (!what) return tell(response, 400, 'Expected a code or an error, and there was neither.');
    bring(what);
    return tell(response, 200, WORDS[what.kind]);
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, HOST);
    await once(server, 'listening');
  };
  await (preferred === undefined ? listen(0) : listen(preferred).catch(() => listen(0)));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}${PATH}`,
    state,
    brought,
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

const WORDS: Readonly<Record<Brought['kind'], string>> = {
  code: 'Stopgap has the answer and goes on. You can close this window.',
  error: 'Nothing was granted; Stopgap says why. You can close this window.',
};

function tell(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    })
    .end(`${text}\n`);
}

function queryOf({ method, url = '' }: IncomingMessage): URLSearchParams | undefined {
  const [path = '', query = ''] = url.split('?', 2);
  return method === 'GET' && path === PATH ? new URLSearchParams(query) : undefined;
}

function broughtBy(query: URLSearchParams): Brought | undefined {
  const iss = query.get('iss') ?? undefined;
  const error = query.get('error');
  if (error !== null) return { kind: 'error', error, description: query.get('error_description') ?? undefined, iss };
  const code = query.get('code');
  return code === null ? undefined : { kind: 'code', code, iss };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
