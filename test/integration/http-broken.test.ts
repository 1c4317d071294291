// Servers over HTTP that are broken, and what stands before servers: each failure has its state and its sentence, nothing
// hangs, and whatever came before the fault is in the trace.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrokenName, behindTls, broken } from '../fixtures/http/broken';
import { type HttpFixture, SESSION, serve, sound } from '../fixtures/http/mcp';
import { type Cli, installedCli } from './cli.testing';
import { blindProbe, type TestHost, testHost } from './host.testing';

let host: TestHost;
/** One that has no patience. */
let hasty: TestHost;

beforeAll(async () => {
  host = await testHost(blindProbe, { graceMs: 500 });
  hasty = await testHost(blindProbe, { graceMs: 500, handshakeMs: 500 });
});
afterAll(async () => {
  await host.end();
  await hasty.end();
});

/** Connects to a server, which is closed when the test is over. */
async function against(server: HttpFixture, transport: 'auto' | 'http' | 'sse' = 'http', by = host): Promise<HttpFixture> {
  closing = server.close;
  await by.connectTo({ kind: 'http', url: server.url, transport, headers: {} });
  return server;
}
let closing: () => Promise<void> = async () => undefined;
const over = async (): Promise<void> => {
  await host.request('server.disconnect', { connection: host.connection });
  await closing();
};

/** The raw texts of what came from the server, messages and noise. */
const heard = (of = host): Promise<readonly string[]> =>
  of.raws(
    (seq) =>
      of.trace.dir(seq) === 's2c' && ['message', 'noise'].includes(of.trace.kind(seq)) && of.trace.session(seq) === of.status.session,
  );

const noise = (): readonly string[] =>
  Array.from({ length: host.trace.length }, (_, seq) => seq)
    .filter((seq) => host.trace.kind(seq) === 'noise' && host.trace.session(seq) === host.status.session)
    .map((seq) => host.trace.name(seq));

describe('does not get connected', () => {
  const cases: readonly (readonly [BrokenName, RegExp])[] = [
    [
      'moves-elsewhere',
      /redirects to http:\/\/127\.0\.0\.1:\d+\/moved \(307 Temporary Redirect\).*not sent on.*Connect to the address that it names/,
    ],
    ['moves-for-ever', /redirect/],
    ['unauthorized', /asks for an authorization \(401 Unauthorized\)/],
    ['forbidden', /it forbids it \(403 Forbidden\)\. It says “not from here”/],
    ['not-found', /there is nothing there \(404 Not Found\)\. Check the path/],
    ['method-not-allowed', /it takes none there \(405 Method Not Allowed\)/],
    ['conflict', /at odds with something that goes on there \(409 Conflict\)/],
    ['internal-error', /it failed \(500 Internal Server Error\)\. It says “TypeError: cannot read properties of undefined”/],
    ['bad-gateway', /it failed \(502 Bad Gateway\)\. It says “502 Bad Gateway”\. Something in front of the server cannot reach it/],
    ['unavailable', /it failed \(503 Service Unavailable\)\..*try again \(it says after 30\)/],
    ['plain-text', /as JSON or as an event stream, but it came as text\/plain: “It works!”/],
    ['proxy-page', /a page for people came, “Sign in to the network”\. A proxy or a login may stand in front/],
    ['json-page', /the answer was not in it: it says “\{"status":"ok"\}”/],
    ['hangs-up', /the other side closed the connection without answering/],
  ];

  test.each(cases)('%s', async (name, why) => {
    const { asked } = await against(await broken(name));
    expect(host.status.state).toBe('failed');
    expect(host.status.why).toMatch(why);
    await host.until('the frame', () => lifeNames().includes('failed'));
    expect(asked[0]?.message?.method).toBe('initialize');
    await over();
  });

  const lifeNames = (): readonly string[] =>
    Array.from({ length: host.trace.length }, (_, seq) => seq)
      .filter((seq) => host.trace.kind(seq) === 'life' && host.trace.session(seq) === host.status.session)
      .map((seq) => host.trace.name(seq));

  test('by either transport, where the first was refused', async () => {
    const { asked } = await against(await broken('not-found'), 'auto');
    expect(host.status.why).toMatch(
      /nothing there \(404 Not Found\).*The older HTTP\+SSE transport was tried as well, but it was answered with 404/,
    );
    expect(host.status.fellBack?.from).toBe('http');
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET']);
    await over();
  });

  test('nothing listens there', async () => {
    const server = await serve(sound);
    await server.close();
    await against({ ...server, close: async () => undefined });
    expect(host.status.state).toBe('failed');
    expect(host.status.why).toMatch(
      /the connection was refused: nothing listens there \(ECONNREFUSED\)\. Start the server, and check the port/,
    );
    await over();
  });

  test('a certificate that nobody vouches for', async () => {
    await against(await behindTls('own'));
    expect(host.status.state).toBe('failed');
    expect(host.status.why).toMatch(/Expected an encrypted connection.*self-signed.*NODE_EXTRA_CA_CERTS/);
    await over();
  });

  test('TLS where plain http is, and plain http where TLS is', async () => {
    const plain = await serve(sound);
    await against({ ...plain, url: plain.url.replace('http:', 'https:') });
    expect(host.status.why).toMatch(/it does not speak TLS there.*Try http:\/\//);
    await over();
    const tls = await behindTls('own');
    await against({ ...tls, url: tls.url.replace('https:', 'http:') });
    expect(host.status.state).toBe('failed');
    expect(host.status.why).toMatch(/https:\/\//);
    await over();
  });

  test.each([
    ['never-answers', /within 500 ms, but none came.*slow or stuck/],
    ['only-accepts', /Expected an answer to initialize/],
  ] as const)('%s', async (name, why) => {
    const server = await broken(name);
    await against(server, 'http', hasty);
    expect(hasty.status.state).toBe('failed');
    expect(hasty.status.why).toMatch(why);
    await server.close();
  });
});

test('moves within the same server: it is followed', async () => {
  const { asked } = await against(await broken('moves-here'));
  expect(host.status.state).toBe('connected');
  expect(asked.slice(0, 2).map((one) => one.path)).toEqual(['/mcp', '/moved']);
  await over();
});

describe('breaks in a call', () => {
  const verdictOf = (call: number) => host.verdicts.get(call);
  const lost = (call: number) => host.until('the loss', () => verdictOf(call)?.reply.state === 'lost');

  test('a sound one, without a stream of its own: nothing is wrong', async () => {
    await against(await broken('sound'), 'auto');
    const call = await host.call('work');
    await host.until('the answer', () => verdictOf(call)?.verdict === 'completed');
    expect([host.status.state, host.status.transport, host.status.stateful, host.status.why]).toEqual([
      'connected',
      'http',
      true,
      undefined,
    ]);
    await over();
  });

  test.each([
    ['cut-in-event', /cut|broke off|closed the connection/],
    ['ends-without-answer', /ended without a reply/],
    ['cut-in-json', /broke off|closed the connection/],
    ['accepts-call', /ended without a reply/],
    ['page-for-call', /text\/html.*ended without a reply/],
    ['unavailable-for-call', /answered 503 and brought no reply/],
  ] as const)('%s', async (name, why) => {
    await against(await broken(name));
    const call = await host.call('work');
    await lost(call);
    expect(verdictOf(call)?.verdict).toBe('lost');
    expect(
      verdictOf(call)
        ?.reply.because.map(({ says }) => says)
        .join(),
    ).toMatch(why);
    // The session goes on.
    expect(host.status.state).toBe('connected');
    await over();
  });

  test('what came before the fault is there: progress, the piece of an event, the page', async () => {
    await against(await broken('cut-in-event'));
    const torn = await host.call('work');
    await lost(torn);
    expect(host.callOf(torn).progress).toHaveLength(1);
    expect([noise(), (await heard()).at(-1)]).toEqual([['unfinished'], expect.stringContaining('{"jsonrpc":"2.0","method":"notificat')]);
    await over();
    await against(await broken('page-for-call'));
    await lost(await host.call('work'));
    expect([noise(), (await heard()).at(-1)]).toEqual([['not-json'], expect.stringContaining('<title>Sign in to the network</title>')]);
    await over();
  });

  test('garbage between the events: all of it is kept, and the answer is found', async () => {
    await against(await broken('garbage'));
    const call = await host.call('work');
    await host.until('the answer', () => verdictOf(call)?.verdict === 'completed');
    expect(host.callOf(call).progress).toHaveLength(1);
    const texts = (await heard()).slice(-5);
    expect(texts.slice(0, 2)).toEqual(['this is no JSON', '{"hello":"world"}']);
    expect(texts[2]).toContain('"data":"für"');
    expect(JSON.parse(texts[3] ?? '')).toMatchObject({ method: 'notifications/progress', params: { progress: 1 } });
    expect(noise()).toEqual(['not-json', 'not-json-rpc']);
    await over();
  });

  test('a call that is never answered waits, and can be stopped', async () => {
    await against(await broken('never-answers-call'));
    const call = await host.call('work', {}, { settleMs: 50 });
    expect(verdictOf(call)?.verdict).toBe('waiting');
    expect(await host.cancel(call)).toBe('sent');
    await host.until('the verdict', () => verdictOf(call)?.verdict === 'unknown-write');
    expect(
      verdictOf(call)
        ?.stop.because.map(({ says }) => says)
        .join(),
    ).toMatch(/answered 202: something received it/);
    await over();
  });

  test.each([
    ['cancel-fails', /answered 500/],
    ['cancel-torn', /carried the cancel, failed/],
  ] as const)('%s: nobody was told', async (name, why) => {
    await against(await broken(name));
    const call = await host.call('work', {}, { settleMs: 50 });
    await host.cancel(call);
    await host.until('the verdict', () => verdictOf(call)?.stop.state === 'undelivered');
    await host.until('the headline', () => verdictOf(call)?.verdict === 'never-told');
    expect(
      verdictOf(call)
        ?.stop.because.map(({ says }) => says)
        .join(),
    ).toMatch(why);
    await over();
  });

  test('a cancel whose POST is never answered was written, and no more is said', async () => {
    await against(await broken('cancel-hangs'));
    const call = await host.call('work', {}, { settleMs: 50 });
    const stopping = host.cancel(call);
    await host.until('the verdict', () => verdictOf(call)?.verdict === 'unknown-write');
    expect(verdictOf(call)?.stop.state).toBe('sent');
    expect(
      verdictOf(call)
        ?.stop.because.map(({ says }) => says)
        .join(),
    ).toMatch(/has not come yet/);
    await over();
    await stopping;
  });

  test('the session is forgotten: the call is lost, and a new one can be begun', async () => {
    const { asked } = await against(await broken('forgets-session'));
    const call = await host.call('work');
    await host.until('the end', () => host.status.state === 'ended');
    await lost(call);
    expect([host.status.sessionLost, verdictOf(call)?.verdict]).toEqual([true, 'lost']);
    expect(host.status.why).toMatch(/session/);
    await host.request('server.restart', { connection: host.connection });
    await host.until('the new session', () => host.status.state === 'connected');
    expect([host.status.sessionLost, asked.filter(({ message }) => message?.method === 'initialize').length]).toEqual([false, 2]);
    // What carries a session is as good as a password.
    expect((await host.raws(() => true)).join('\n')).not.toContain(SESSION);
    await over();
  });
});

describe('on the command line', () => {
  let cli: Cli;
  beforeAll(async () => {
    cli = await installedCli();
  });
  afterAll(() => cli.end());

  test('a certificate for another name, from an issuer that is trusted', async () => {
    const server = await behindTls('another');
    const trusted = path.join(cli.folder, 'issuer.pem');
    await writeFile(trusted, server.certificate);
    const { code, err } = await cli.run(['call', server.url, 'work'], { env: { NODE_EXTRA_CA_CERTS: trusted } });
    expect(err).toMatch(/its certificate is for another host name/);
    expect(code).toBe(3);
    await server.close();
  });

  test('a certificate of its own, once it is trusted', async () => {
    const server = await behindTls('own');
    const trusted = path.join(cli.folder, 'own.pem');
    await writeFile(trusted, server.certificate);
    const { code, out } = await cli.run(['call', server.url, 'work'], { env: { NODE_EXTRA_CA_CERTS: trusted } });
    expect([code, out]).toEqual([0, expect.stringContaining('completed')]);
    await server.close();
  });

  test.each([
    ['unavailable', 3, /503 Service Unavailable/],
    ['proxy-page', 3, /a page for people came/],
  ] as const)('%s', async (name, exit, says) => {
    const server = await broken(name);
    const { code, err } = await cli.run(['call', server.url, 'work']);
    expect([code, err]).toEqual([exit, expect.stringMatching(says)]);
    await server.close();
  });
});
