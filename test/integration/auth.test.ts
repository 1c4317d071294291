// A server that asks for an authorization, an authorization server by others, and a browser that answers: every step of the
// way, and every way in which it goes wrong, is readable; what was granted is in nothing that is written.
import { afterEach, describe, expect, test } from 'vitest';
import type { AuthStatus } from '../../app/contract/server';
import { memorySecrets } from '../../main/store/secrets';
import { type Answer, browser, type OAuthOptions, type OAuthServer, oauthServer } from '../oauth.testing';
import { blindProbe, type TestHost, testHost } from './host.testing';

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

interface Begun {
  readonly host: TestHost;
  readonly server: OAuthServer;
  readonly opened: string[];
  readonly auth: () => AuthStatus | undefined;
  /** Begins an authorization and resolves when it is over. */
  readonly authorize: () => Promise<unknown>;
}

/** Connected as far as the server lets us. @param answer undefined: nobody answers in the browser */
async function begun(answer: Answer | undefined, options?: OAuthOptions): Promise<Begun> {
  const server = await oauthServer(options);
  closing.push(server.close);
  const opened: string[] = [];
  const browse = async (address: string): Promise<void> => {
    opened.push(address);
    if (answer) void browser(address, answer);
  };
  const host = await testHost(blindProbe, undefined, { browse });
  closing.push(host.end);
  await host.connectTo({ kind: 'http', url: server.url, transport: 'auto', headers: { 'X-Tenant': 'an0ther-s3cret' } });
  return {
    host,
    server,
    opened,
    auth: () => host.status.auth,
    authorize: () => host.request('server.authorize', { connection: host.connection }),
  };
}

/** The steps so far: `token` went well, `!token` did not. */
function steps({ trace }: TestHost): readonly string[] {
  return Array.from({ length: trace.length }, (_, seq) => trace.extra(seq)).flatMap((extra) =>
    extra?.about === 'life' && extra.life.event === 'auth' ? [`${extra.life.ok ? '' : '!'}${extra.life.step}`] : [],
  );
}

/** Resolves when this was the last step. */
const stepped = (host: TestHost, step: string): Promise<unknown> => host.until(`the step ${step}`, () => steps(host).at(-1) === step);

async function resultOf(host: TestHost, tool: string, args = {}): Promise<string> {
  const call = await host.call(tool, args);
  await host.until('the reply', () => host.callOf(call).replies.length > 0);
  return host.raw(host.callOf(call).replies.at(-1)?.seq ?? -1);
}

describe('a round trip', () => {
  test('begins when the person wants it, and ends connected', async () => {
    const { host, server, opened, auth, authorize } = await begun('consent');
    await stepped(host, 'challenge');
    expect([host.status.state, auth()?.state, opened]).toEqual(['failed', 'needed', []]);
    await authorize();
    await host.until('the connection', () => host.status.state === 'connected' && host.status.tools.length === 2);
    expect(auth()).toEqual({ state: 'granted', says: 'Authorized.', address: undefined });
    expect(steps(host)).toEqual(['challenge', 'discovery', 'registration', 'browser', 'redirect', 'token']);
    const query = new URL(opened[0] ?? '').searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: server.url,
      scope: 'notes:read',
    });
    expect(await resultOf(host, 'read_notes')).toContain('no notes yet');
    // What was configured for the server is nobody else's business.
    expect(server.asked.filter(({ headers }) => 'x-tenant' in headers)).toEqual([]);
  });

  test('an access token that has run out is renewed, and nobody notices but the trace', async () => {
    const { host, server, opened, auth, authorize } = await begun('consent');
    await authorize();
    await host.until('the connection', () => host.status.tools.length === 2);
    await server.expire();
    expect(await resultOf(host, 'read_notes')).toContain('no notes yet');
    await stepped(host, 'refresh');
    expect([auth()?.state, opened.length, steps(host).at(-2)]).toEqual(['granted', 1, 'challenge']);
  });

  test('over the older transport as well, to which it has to fall back first', async () => {
    const { host, server, authorize } = await begun('consent', { sse: true });
    await authorize();
    await host.until('the connection', () => host.status.tools.length === 2);
    expect(host.status.transport).toBe('sse');
    await server.expire();
    expect(await resultOf(host, 'read_notes')).toContain('no notes yet');
    await stepped(host, 'refresh');
  });

  test('a refresh token that was taken back: it is said, and a new authorization leads on', async () => {
    const { host, server, auth, authorize } = await begun('consent');
    await authorize();
    await host.until('the connection', () => host.status.tools.length === 2);
    await server.revoke();
    const call = await host.call('read_notes');
    await host.until('the refusal', () => auth()?.state === 'failed');
    expect(auth()?.says).toMatch(/^The authorization can be renewed no more: .*invalid_grant.*Authorize again\.$/);
    await stepped(host, '!refresh');
    expect(host.callOf(call).replies).toEqual([]);
    await authorize();
    expect(auth()?.state).toBe('granted');
    expect(await resultOf(host, 'read_notes')).toContain('no notes yet');
  });

  test('a call that needs more than was granted: asked for in addition, in the same session', async () => {
    const { host, opened, auth, authorize } = await begun('consent');
    await authorize();
    await host.until('the connection', () => host.status.tools.length === 2);
    const { session } = host.status;
    await host.call('write_note', { text: 'first' });
    await host.until('the refusal', () => auth()?.state === 'needed');
    expect(auth()?.says).toContain('“notes:write” in addition to what was granted');
    await stepped(host, 'step-up');
    await authorize();
    expect(new URL(opened[1] ?? '').searchParams.get('scope')).toBe('notes:read notes:write');
    expect(await resultOf(host, 'write_note', { text: 'second' })).toContain('noted second');
    expect(host.status.session).toBe(session);
  });

  test('what was granted is found again after a start, and can be forgotten', async () => {
    const server = await oauthServer();
    closing.push(server.close);
    const secrets = memorySecrets();
    const browse = async (address: string): Promise<void> => void browser(address, 'consent');
    const first = await testHost(blindProbe, undefined, { browse, secrets });
    await first.connectTo({ kind: 'http', url: server.url, transport: 'auto', headers: {} });
    await first.request('server.authorize', { connection: first.connection });
    await first.end();
    const host = await testHost(blindProbe, undefined, { browse, secrets });
    closing.push(host.end);
    await host.connectTo({ kind: 'http', url: server.url, transport: 'auto', headers: {} });
    expect([host.status.state, host.status.auth?.state, steps(host)]).toEqual(['connected', 'granted', []]);
    await host.request('server.unauthorize', { connection: host.connection, forget: true });
    await host.request('server.restart', { connection: host.connection });
    await host.until('the refusal', () => host.status.state === 'failed');
    expect(host.status.auth).toMatchObject({ state: 'needed', says: expect.stringContaining('forgotten') });
  });
});

describe('what goes wrong', () => {
  test.each<[string, Answer, OAuthOptions | ((server: string) => OAuthOptions), string, RegExp]>([
    ['the person refuses', 'refuse', {}, '!redirect', /^The authorization was refused in the browser\. Nothing was granted\./],
    [
      'nobody is registered',
      'consent',
      { registration: false },
      '!registration',
      /to register clients by itself \(RFC 7591\), but it does not\./,
    ],
    [
      'registering is refused',
      'consent',
      {
        instead: (path) =>
          path === '/reg' ? { status: 403, body: { error: 'access_denied', error_description: 'ask the admin' } } : undefined,
      },
      '!registration',
      /^Expected http:\/\/127\.0\.0\.1:\d+\/reg to register Stopgap as a client, but it refused: access_denied, “ask the admin”\./,
    ],
    [
      'there are no metadata',
      'consent',
      { instead: (path) => (path.includes('.well-known') ? { status: 404, body: {} } : undefined) },
      '!discovery',
      /to describe itself as an authorization server \(RFC 8414\), but it does not\./,
    ],
    [
      'the metadata fail',
      'consent',
      { instead: (path) => (path.includes('.well-known') ? { status: 500, body: 'oops' } : undefined) },
      '!discovery',
      /to say how to authorize, but HTTP 500/,
    ],
    [
      'the metadata are somebody else’s',
      'consent',
      { instead: (path) => (path.includes('.well-known') ? { status: 200, body: metadata('https://other.example') } : undefined) },
      '!discovery',
      /but they name https:\/\/other\.example.* as the issuer .*Nothing was sent there\./,
    ],
    [
      'the code is not accepted',
      'consent',
      { instead: (path) => (path === '/token' ? { status: 400, body: { error: 'invalid_grant' } } : undefined) },
      '!token',
      /did not accept the code that the browser brought \(invalid_grant\)/,
    ],
    [
      'the token is none',
      'consent',
      { instead: (path) => (path === '/token' ? { status: 200, body: { hello: 'you' } } : undefined) },
      '!token',
      /but what it answered is not what it should be \(status 200\): access_token/,
    ],
  ])('%s', async (_, answer, options, step, says) => {
    const { host, auth, authorize } = await begun(answer, typeof options === 'function' ? options('') : options);
    await authorize();
    await stepped(host, step);
    expect(auth()?.state).toBe('failed');
    expect(auth()?.says).toMatch(says);
    expect(host.status.state).toBe('failed');
  });

  test('an answer with another state is not accepted, said, and the right one still waited for', async () => {
    const { host, auth, opened, authorize } = await begun(undefined);
    const over = authorize();
    await host.until('the browser', () => opened.length === 1);
    const redirect = new URL(new URL(opened[0] ?? '').searchParams.get('redirect_uri') ?? '');
    const forged = await fetch(`${redirect.href}?code=stolen&state=guessed`);
    expect([forged.status, forged.headers.get('content-type'), await forged.text()]).toEqual([
      400,
      'text/plain; charset=utf-8',
      expect.stringContaining('not accepted'),
    ]);
    await host.until('what is said of it', () => auth()?.says.includes('state is not the one that was sent'));
    expect(auth()).toMatchObject({ state: 'waiting', address: opened[0] });
    const last = await browser(opened[0] ?? '', 'consent');
    expect(last.text).toBe('Stopgap has the answer and goes on. You can close this window.\n');
    await over;
    expect(auth()?.state).toBe('granted');
  });

  test('the browser never comes back: it can be given up, and nothing listens any more', async () => {
    const { host, auth, opened, authorize } = await begun(undefined);
    const over = authorize();
    await host.until('the browser', () => opened.length === 1);
    expect(auth()).toMatchObject({
      state: 'waiting',
      says: expect.stringContaining('Waiting for your answer in the browser'),
      address: opened[0],
    });
    await host.request('server.unauthorize', { connection: host.connection, forget: false });
    await over;
    expect(auth()).toEqual({ state: 'needed', says: 'The authorization was given up. Nothing was granted.', address: undefined });
    await expect(fetch(new URL(opened[0] ?? '').searchParams.get('redirect_uri') ?? '')).rejects.toThrow();
  });

  test('a server that is disconnected while the browser is waited for ends at once', async () => {
    const { host, opened, authorize } = await begun(undefined);
    const over = authorize();
    await host.until('the browser', () => opened.length === 1);
    await host.request('server.disconnect', { connection: host.connection });
    await over;
    expect(host.servers).toEqual([]);
  });
});

/** As another server would describe itself. */
const metadata = (issuer: string): object => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
});
