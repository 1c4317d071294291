// An authorization in front of a server whose every answer is written here: what is sent where and when, and what is said of
// that which no honest authorization server does. The honest ones are in test/integration/auth.test.ts.
import { afterEach, describe, expect, test } from 'vitest';
import { type Asked, type HttpFixture, serve } from '../../test/fixtures/http/mcp';
import { memorySecrets } from '../store/secrets';
import { type AuthLine, Authorization, type AuthorizationOptions } from './auth';
import { type Grant, type Grants, grantsOf } from './auth-grants';

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

/** Answers of the server and of its authorization server in one, by path. */
type Answers = Readonly<Record<string, (asked: Asked, origin: string) => unknown>>;

const METADATA = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
});
const TOKENS = { access_token: 'new', token_type: 'Bearer', refresh_token: 'r3fresh', expires_in: 60 };

const USUAL: Answers = {
  '/.well-known/oauth-protected-resource/mcp': (_, origin) => ({ resource: `${origin}/mcp`, authorization_servers: [origin] }),
  '/.well-known/oauth-authorization-server': (_, origin) => METADATA(origin),
  '/register': () => ({ client_id: 'stopgap', redirect_uris: ['http://127.0.0.1:1/callback'] }),
  '/token': () => TOKENS,
};

interface Begun {
  readonly server: HttpFixture;
  readonly authorization: Authorization;
  readonly grants: Grants;
  /** `token: …`, with `!` before a step that failed. */
  readonly steps: string[];
  readonly opened: string[];
  /** The page of the browser. */
  readonly query: () => URLSearchParams;
  readonly send: (url?: string) => Promise<Response>;
}

/** @param good access tokens that the server takes */
async function begun(answers: Answers = {}, more: Partial<AuthorizationOptions> = {}, good: readonly string[] = ['new']): Promise<Begun> {
  const server = await serve((asked) => {
    const origin = `http://${asked.headers.host}`;
    const answer = { ...USUAL, ...answers }[asked.path.split('?')[0] ?? ''];
    const value = answer?.(asked, origin);
    if (value !== undefined) return asked.status(200, { 'content-type': 'application/json' }, JSON.stringify(value));
    if (answer) return;
    if (asked.path !== '/mcp') return asked.status(404);
    const isGood = good.some((token) => asked.headers.authorization === `Bearer ${token}`);
    return isGood ? asked.status(200) : asked.status(401, { 'www-authenticate': 'Bearer' });
  });
  closing.push(server.close);
  const steps: string[] = [];
  const opened: string[] = [];
  const grants = grantsOf(memorySecrets(), 'server', server.url);
  const authorization = new Authorization({
    key: 'server',
    url: server.url,
    grants,
    browse: async (address) => void opened.push(address),
    onChange: () => undefined,
    ...more,
  });
  const line: AuthLine = {
    life: (step, ok, says) => void steps.push(`${ok ? '' : '!'}${step}: ${says}`),
    exchanging: (task) => task(fetch),
  };
  const through = authorization.through(line, fetch);
  closing.push(() => authorization.giveUp());
  return {
    server,
    authorization,
    grants,
    steps,
    opened,
    query: () => new URL(opened.at(-1) ?? '').searchParams,
    send: (url = server.url) => through(url, { method: 'POST', body: '{}' }),
  };
}

/** Comes back as the browser does. */
async function back({ query }: Begun, answer: Record<string, string>): Promise<string> {
  const url = new URL(query().get('redirect_uri') ?? '');
  for (const [name, value] of Object.entries({ state: query().get('state') ?? '', ...answer })) url.searchParams.set(name, value);
  return (await fetch(url)).text();
}

const asks = (server: HttpFixture, path: string): readonly Asked[] => server.asked.filter((asked) => asked.path === path);

/** Authorizes, with this answer of the browser. */
async function authorized(auth: Begun, answer: Record<string, string>): Promise<boolean> {
  const over = auth.authorization.authorize();
  await expect.poll(() => auth.opened.length).toBe(1);
  await back(auth, answer);
  return over;
}

describe('tokens', () => {
  test('go to the server, and to no other place', async () => {
    const auth = await begun();
    await auth.send();
    expect(await authorized(auth, { code: 'c0de' })).toBe(true);
    expect((await auth.send()).status).toBe(200);
    const other = await serve((asked) => asked.status(200));
    closing.push(other.close);
    await auth.send(other.url);
    expect(other.asked[0]?.headers.authorization).toBeUndefined();
    expect(asks(auth.server, '/token')[0]?.headers.authorization).toBeUndefined();
  });

  test('are renewed before they run out, once for all that wait', async () => {
    let now = 1_000_000;
    let given = 0;
    const auth = await begun({ '/token': () => ({ ...TOKENS, access_token: `new${++given}` }) }, { now: () => now }, ['new1', 'new2']);
    await auth.send();
    await authorized(auth, { code: 'c0de' });
    await Promise.all([auth.send(), auth.send()]);
    expect(asks(auth.server, '/token')).toHaveLength(1);
    now += 55_000;
    await Promise.all([auth.send(), auth.send(), auth.send()]);
    expect(asks(auth.server, '/token')).toHaveLength(2);
    expect(auth.steps.at(-1)).toBe('refresh: The access token was renewed, good for 60 s.');
    const sent = asks(auth.server, '/mcp').map(({ headers }) => headers.authorization);
    expect(sent).toEqual([undefined, 'Bearer new1', 'Bearer new1', 'Bearer new2', 'Bearer new2', 'Bearer new2']);
  });

  test('that cannot be renewed for the moment stay: the next message tries again', async () => {
    let fails = true;
    const auth = await begun({
      '/token': (asked) => (fails ? void asked.status(503, {}, 'later') : TOKENS),
    });
    await auth.grants.change(earlier(auth));
    expect((await auth.send()).status).toBe(401);
    expect(auth.authorization.status).toEqual({
      state: 'failed',
      says: expect.stringMatching(
        /^Expected http:\/\/127\.0\.0\.1:\d+\/token to renew the access token, but it answered with 503 Service Unavailable\. It is tried again with the next message/,
      ),
      address: undefined,
    });
    fails = false;
    expect((await auth.send()).status).toBe(200);
    expect(auth.authorization.status?.state).toBe('granted');
  });

  test('that cannot be renewed at all: said where the renewal would stand, so that nobody waits for it', async () => {
    const auth = await begun();
    await auth.grants.change({ tokens: { access_token: 'old', token_type: 'Bearer' } });
    expect((await auth.send()).status).toBe(401);
    expect(auth.steps.at(-1)).toMatch(/^!refresh: The authorization has run out, and it cannot be renewed/);
    expect(auth.authorization.status?.state).toBe('needed');
  });

  test('that are new and still refused: said, and no circle', async () => {
    const auth = await begun({}, {}, []);
    await auth.grants.change(earlier(auth));
    expect((await auth.send()).status).toBe(401);
    expect(asks(auth.server, '/mcp')).toHaveLength(2);
    expect(auth.authorization.status).toMatchObject({ state: 'needed', says: expect.stringContaining('does not accept the token') });
  });

  test('of another address under the same key count for nothing', async () => {
    const secrets = memorySecrets();
    await grantsOf(secrets, 'server', 'https://one.example/').change({ tokens: { access_token: 'old', token_type: 'Bearer' } });
    expect(await grantsOf(secrets, 'server', 'https://two.example/').read()).toEqual({});
    expect((await grantsOf(secrets, 'server', 'https://one.example/').read()).tokens?.access_token).toBe('old');
  });
});

/** What was granted some time ago. */
const earlier = ({ server }: Begun): Grant => ({
  tokens: { access_token: 'old', token_type: 'Bearer', refresh_token: 'r3fresh', issuer: new URL(server.url).origin },
  client: { client_id: 'stopgap', redirect_uris: ['http://127.0.0.1:1/callback'] },
});

describe('what is not accepted', () => {
  test.each<[string, Answers, string, RegExp]>([
    [
      'no PKCE',
      { '/.well-known/oauth-authorization-server': (_, origin) => ({ ...METADATA(origin), code_challenge_methods_supported: undefined }) },
      'discovery',
      /to protect the code \(PKCE with S256\), but it does not say that it does/,
    ],
    [
      'metadata of another server',
      {
        '/.well-known/oauth-protected-resource/mcp': (_, origin) => ({
          resource: 'https://other.example/mcp',
          authorization_servers: [origin],
        }),
      },
      'discovery',
      /its metadata are about https:\/\/other\.example\/mcp \(RFC 9728\)/,
    ],
    [
      'a page of another kind',
      {
        '/.well-known/oauth-authorization-server': (_, origin) => ({ ...METADATA(origin), authorization_endpoint: 'javascript:alert(1)' }),
      },
      'discovery',
      /what it answered is not what it should be.*authorization_endpoint/,
    ],
    [
      'a file for a page',
      { '/.well-known/oauth-authorization-server': (_, origin) => ({ ...METADATA(origin), authorization_endpoint: 'file:///etc/passwd' }) },
      'registration',
      /at an http or https address, got file:\/\/\/etc\/passwd\. It was not opened\./,
    ],
    [
      'a registration that is none',
      { '/register': () => ({ hello: 'you' }) },
      'registration',
      /to register Stopgap as a client, but what it answered is not what it should be \(status 200\)/,
    ],
    [
      'a registration that is a page',
      { '/register': (asked) => void asked.status(200, { 'content-type': 'text/html' }, '<h1>hi</h1>') },
      'registration',
      /what it answered is no JSON \(status 200\)/,
    ],
    [
      'an error that is none',
      { '/register': (asked) => void asked.status(502, {}, '<h1>s3cret</h1>') },
      'registration',
      /it answered with 502 Bad Gateway, and not with an error of OAuth/,
    ],
  ])('%s', async (_, answers, step, says) => {
    const auth = await begun(answers);
    await auth.send();
    expect(await auth.authorization.authorize()).toBe(false);
    expect(auth.authorization.status).toMatchObject({ state: 'failed', says: expect.stringMatching(says) });
    expect(auth.steps.at(-1)).toMatch(new RegExp(`^!${step}: `));
    expect([auth.opened, auth.steps.join().includes('s3cret')]).toEqual([[], false]);
  });

  test('an answer that another server has sent (RFC 9207), or that says not who sent it where that was promised', async () => {
    const other = await begun();
    await other.send();
    expect(await authorized(other, { code: 'c0de', iss: 'https://evil.example' })).toBe(false);
    expect(other.steps.at(-1)).toMatch(
      /^!redirect: .* but it says that it comes from https:\/\/evil\.example \(RFC 9207\)\. It was not accepted\./,
    );
    expect(asks(other.server, '/token')).toEqual([]);

    const promised = await begun({
      '/.well-known/oauth-authorization-server': (_, origin) => ({
        ...METADATA(origin),
        authorization_response_iss_parameter_supported: true,
      }),
    });
    await promised.send();
    expect(await authorized(promised, { code: 'c0de' })).toBe(false);
    expect(promised.steps.at(-1)).toMatch(/but it does not say who sent it \(RFC 9207\)/);
  });

  test('a page that does not know the state, or asks for anything else', async () => {
    const auth = await begun();
    await auth.send();
    const over = auth.authorization.authorize();
    await expect.poll(() => auth.opened.length).toBe(1);
    const origin = new URL(auth.query().get('redirect_uri') ?? '').origin;
    const answers = await Promise.all(
      ['/', '/callback', '/callback?code=x', '/callback?code=x&state=y'].map((path) => fetch(`${origin}${path}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 400, 400]);
    expect((await fetch(`${origin}/callback`, { method: 'POST' })).status).toBe(404);
    expect(await back(auth, { nothing: 'here' })).toContain('Expected a code or an error');
    expect(auth.authorization.status?.state).toBe('waiting');
    await back(auth, { error: 'server_error', error_description: '<script>alert(1)</script>' });
    await over;
    expect(auth.authorization.status?.says).toContain('it brought an error: “server_error”, “<script>alert(1)</script>”');
  });
});

describe('the browser', () => {
  test('that cannot be opened: the address is there to be opened by hand', async () => {
    const auth = await begun({}, { browse: () => Promise.reject(new Error('there is none')) });
    await auth.send();
    const over = auth.authorization.authorize();
    await expect.poll(() => auth.authorization.status?.address).toBeDefined();
    await expect
      .poll(() => auth.authorization.status?.says)
      .toContain('The browser could not be opened: there is none. Open the address yourself');
    auth.opened.push(auth.authorization.status?.address ?? '');
    await back(auth, { code: 'c0de' });
    expect(await over).toBe(true);
  });

  test('that does not come back in time', async () => {
    const auth = await begun({}, { patienceMs: 1 });
    await auth.send();
    expect(await auth.authorization.authorize()).toBe(false);
    expect(auth.authorization.status).toMatchObject({
      state: 'failed',
      says: expect.stringContaining('to come back within 1 ms, but it did not'),
    });
  });

  test('is waited for once, however often somebody presses', async () => {
    const auth = await begun();
    await auth.send();
    const [one, two] = [auth.authorization.authorize(), auth.authorization.authorize()];
    await expect.poll(() => auth.opened.length).toBe(1);
    await back(auth, { code: 'c0de' });
    expect(await Promise.all([one, two, auth.opened.length])).toEqual([true, true, 1]);
  });

  test('comes back to the same port the next time, so that a strict server knows the way', async () => {
    const auth = await begun({ '/register': (asked) => ({ ...JSON.parse(bodyOf(asked)), client_id: 'stopgap' }) });
    await auth.send();
    await authorized(auth, { code: 'c0de' });
    const first = auth.query().get('redirect_uri');
    const over = auth.authorization.authorize();
    await expect.poll(() => auth.opened.length).toBe(2);
    expect(auth.query().get('redirect_uri')).toBe(first);
    await back(auth, { code: 'c0de' });
    await over;
    expect(asks(auth.server, '/register')).toHaveLength(1);
  });
});

/** What was posted, where it is no JSON-RPC message. */
const bodyOf = (asked: Asked): string => JSON.stringify(asked.message ?? {});
