// A server that asks for an authorization: the steps go over the same tapped fetch, are recorded as such, and none of what
// they carry is.
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { afterEach, expect, test } from 'vitest';
import { type Asked, type HttpFixture, serve, sound } from '../../test/fixtures/http/mcp';
import { startClock } from '../host/clock';
import { type HttpWire, http } from './http';
import { call, Heard, initialize } from './wire.testing';

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

/** A server that lets in who has the token, and the authorization server that gives it out. */
async function guarded(): Promise<HttpFixture> {
  const server: HttpFixture = await serve((asked) => {
    const origin = `http://${asked.headers.host}`;
    const json = (value: object): void => asked.status(200, { 'content-type': 'application/json' }, JSON.stringify(value));
    if (asked.path.startsWith('/.well-known/oauth-protected-resource'))
      return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (asked.path.startsWith('/.well-known/')) return json(metadata(origin));
    if (asked.path === '/token') return json({ access_token: 's3cret', token_type: 'Bearer', refresh_token: 's3cret-too' });
    if (asked.headers.authorization === 'Bearer s3cret') return sound(asked);
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    return asked.status(401, { 'www-authenticate': challenge }, 'who are you?');
  });
  closing.push(server.close);
  return server;
}

const metadata = (issuer: string): object => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
});

/** Keeps what it is given. */
function provider(): OAuthClientProvider & { sentTo: string | undefined } {
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  let verifier = '';
  return {
    sentTo: undefined,
    redirectUrl: 'http://127.0.0.1:1/callback',
    clientMetadata: { redirect_uris: ['http://127.0.0.1:1/callback'] },
    clientInformation: () => ({ client_id: 'stopgap' }),
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given;
    },
    redirectToAuthorization(address) {
      this.sentTo = address.href;
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
  };
}

async function opened(url: string, authProvider?: OAuthClientProvider): Promise<{ heard: Heard; wire: HttpWire }> {
  const wire = http({ url, transport: 'auto', headers: {}, clock: startClock(), userAgent: 'test', authProvider });
  closing.push(() => wire.close());
  const heard = new Heard();
  await wire.start(heard);
  return { heard, wire };
}

test('without anybody to authorize, the message has failed', async () => {
  const { heard, wire } = await opened((await guarded()).url);
  heard.send(wire, initialize);
  await heard.saw('failed initialize: the server asks for an authorization that has not been given');
  expect(wire.fellBack).toBeUndefined();
});

test('the way to the browser and back: each step is an exchange of its own, and connecting again succeeds', async () => {
  const { url } = await guarded();
  const by = provider();
  const first = await opened(url, by);
  first.heard.send(first.wire, initialize);
  await first.heard.saw('failed initialize: the server asks for an authorization that has not been given');
  expect(by.sentTo).toMatch(/\/authorize\?/);
  await first.wire.close();
  await first.wire.finishAuth('the-c0de');
  const { heard, wire } = await opened(url, by);
  heard.send(wire, initialize);
  await heard.saw('done initialize');
  const requests = first.heard.exchanges.flatMap((one) =>
    one.http === 'request' ? [`${one.purpose} ${one.method} ${new URL(one.url).pathname}`] : [],
  );
  expect(requests).toEqual([
    'message POST /mcp',
    'auth GET /.well-known/oauth-protected-resource/mcp',
    'auth GET /.well-known/oauth-authorization-server',
    // Back from the browser it is found out anew.
    'auth GET /.well-known/oauth-protected-resource/mcp',
    'auth GET /.well-known/oauth-authorization-server',
    'auth POST /token',
  ]);
  expect(first.heard.texts).toEqual([]);
  expect(JSON.stringify([first.heard, heard])).not.toMatch(/s3cret|the-c0de/);
});

test('a token that ran out is renewed and the message sent again: it was written twice', async () => {
  let refusals = 0;
  const server = await serve((asked: Asked) => {
    const isRefused = asked.message?.method === 'tools/call' && ++refusals === 1;
    if (asked.path === '/mcp') return isRefused ? asked.status(401, { 'www-authenticate': 'Bearer' }) : sound(asked);
    const value = asked.path === '/token' ? { access_token: 'new', token_type: 'Bearer' } : metadata(`http://${asked.headers.host}`);
    return asked.path.includes('protected-resource')
      ? asked.status(404)
      : asked.status(200, { 'content-type': 'application/json' }, JSON.stringify(value));
  });
  closing.push(server.close);
  const by = provider();
  const old = { access_token: 'old', token_type: 'Bearer', refresh_token: 'r', issuer: new URL(server.url).origin };
  await by.saveTokens(old);
  const { heard, wire } = await opened(server.url, by);
  heard.send(wire, initialize);
  await heard.saw('done initialize');
  heard.send(wire, call(1));
  await heard.saw('done tools/call');
  expect(heard.log.filter((line) => line.startsWith('c2s tools/call'))).toHaveLength(2);
  expect(server.asked.at(-1)?.headers.authorization).toBe('Bearer new');
});
