// The wire over HTTP against servers whose every byte is written here: what is recorded and in which order, when a message
// counts as written, what becomes of one that HTTP did not bring to its goal, and that nobody resumes what was dropped.
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { type Asked, done, type Handle, type HttpFixture, serve, sound } from '../../test/fixtures/http/mcp';
import { startClock } from '../host/clock';
import { type HttpOptions, type HttpWire, http } from './http';
import { call, cancel, Heard, initialize, initialized } from './wire.testing';

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

/** A server, and a wire to it that has shaken hands. */
async function connected(handle: Handle, more: Partial<HttpOptions> = {}): Promise<{ heard: Heard; wire: HttpWire; server: HttpFixture }> {
  const server = await serve(handle);
  closing.push(server.close);
  const { heard, wire } = await opened(server.url, more);
  heard.send(wire, initialize);
  await heard.saw('done initialize');
  heard.send(wire, initialized);
  await heard.saw('done notifications/initialized');
  // The server's own stream, or that there is none.
  await heard.saw(/< \d+ #3/);
  return { heard, wire, server };
}

async function opened(url: string, more: Partial<HttpOptions> = {}): Promise<{ heard: Heard; wire: HttpWire }> {
  const wire = http({ url, transport: 'http', headers: {}, clock: startClock(), userAgent: 'test', graceMs: 500, ...more });
  closing.push(() => wire.close());
  const heard = new Heard();
  await wire.start(heard);
  return { heard, wire };
}

/** A sound server that answers some requests in another way. */
const but =
  (is: (asked: Asked) => boolean, answer: (asked: Asked) => unknown): Handle =>
  (asked) =>
    is(asked) ? answer(asked) : sound(asked);
const nothing = (): void => undefined;
const isCall = ({ message }: Asked): boolean => message?.method === 'tools/call';
const isCancel = ({ message }: Asked): boolean => message?.method === 'notifications/cancelled';
const isStream = ({ method }: Asked): boolean => method === 'GET';

/** What was heard from a call on, without the exchanges of before. */
const since = (heard: Heard, first: string): readonly string[] => heard.log.slice(heard.log.indexOf(first));

test('a header that HTTP cannot carry is named before anything is sent, and its value is not', async () => {
  const server = await serve(sound);
  closing.push(server.close);
  const error: unknown = await opened(server.url, { headers: { 'X-Api-Key': 's3cret\nline' } }).catch((refused: unknown) => refused);
  expect(String(error)).toContain('“X-Api-Key”');
  expect(String(error)).not.toContain('s3cret');
  expect(server.asked).toEqual([]);
});

describe('what is recorded', () => {
  test('of one exchange: the request, its message once it is written, the head, the answer, the end', async () => {
    const { heard } = await connected(sound);
    expect(heard.log.slice(0, 8)).toEqual([
      'connecting',
      '> POST #1',
      'c2s initialize #1',
      '< 200 #1',
      's2c reply n:0 #1',
      'done initialize',
      'ended #1',
      '> POST #2',
    ]);
    expect(heard.times).toEqual([...heard.times].sort((a, b) => a - b));
  });

  test('of a stream: each event has the time of its bytes, and its text as it was', async () => {
    const texts = ['{ "jsonrpc": "2.0",  "method": "notifications/message" }', '{"jsonrpc":"2.0","id":1,"result":{"a":"für"}}'];
    const { heard, wire } = await connected(
      but(isCall, (asked) => {
        asked.stream();
        asked.response.write(`: hello\n\nid: 7\ndata: ${texts[0]}\n\nevent: ping\ndata: x\n\nretry: 50\ndata:\n\n`);
        asked.response.end(`data: ${texts[1]}\r\n\r\n`);
      }),
    );
    heard.send(wire, call(1));
    await heard.saw('ended #4');
    expect(since(heard, '> POST #4')).toEqual([
      '> POST #4',
      'c2s tools/call #4',
      '< 200 #4',
      'opened #4',
      'event 7 #4',
      's2c notifications/message #4',
      'event ping #4',
      'event  #4',
      's2c reply n:1 #4',
      'done tools/call',
      'ended #4',
    ]);
    expect(heard.texts.slice(-2)).toEqual(texts);
    expect(heard.exchanges.at(-1)).toMatchObject({ http: 'ended', events: 4 });
  });

  test('which request, which cancel and which headers an exchange carries, and no secret', async () => {
    const { heard, wire, server } = await connected(sound, { headers: { Authorization: 'Bearer s3cret', 'X-Api-Key': 's3cret' } });
    heard.send(wire, call('a'));
    await heard.saw('done tools/call');
    heard.send(wire, cancel('a'));
    await heard.saw('done notifications/cancelled');
    const requests = heard.exchanges.flatMap((one) => (one.http === 'request' ? [one] : []));
    expect(requests.map(({ id, cancels, purpose }) => [purpose, id, cancels])).toEqual([
      ['message', 0, undefined],
      ['message', undefined, undefined],
      ['stream', undefined, undefined],
      ['message', 'a', undefined],
      ['message', undefined, 'a'],
    ]);
    expect(requests[3]?.headers).toEqual({
      accept: 'application/json, text/event-stream',
      authorization: 'Bearer •••',
      'content-type': 'application/json',
      'mcp-session-id': '0b9f…',
      'x-api-key': '•••',
    });
    expect(JSON.stringify(heard.exchanges)).not.toMatch(/s3cret|fixture/);
    expect(server.asked[3]?.headers).toMatchObject({ authorization: 'Bearer s3cret', 'x-api-key': 's3cret' });
  });

  test('of a page that came instead, so much that one can see what it is', async () => {
    const page = `<!doctype html><title>Sign in</title>${'x'.repeat(100_000)}`;
    const { heard, wire } = await connected(but(isCall, (asked) => asked.status(200, { 'content-type': 'text/html' }, page)));
    let kept = 0;
    const broken = heard.broken.bind(heard);
    heard.broken = (t, why, bytes, exchange) => {
      kept = bytes.length;
      broken(t, why, bytes, exchange);
    };
    heard.send(wire, call(1));
    await heard.saw('failed tools/call: it was answered with text/html, which is no MCP: “Sign in”');
    expect(kept).toBe(16 * 1024);
    expect(heard.exchanges.at(-1)).toMatchObject({ http: 'ended', bytes: page.length });
  });

  test('when nothing can be taken, nothing is read, and then all of it', async () => {
    const { heard, wire } = await connected(
      but(isCall, (asked) => {
        const write = asked.stream();
        for (let n = 0; n < 2000; n++) write({ jsonrpc: '2.0', method: 'notifications/message', params: { n, text: 'x'.repeat(1000) } });
        asked.response.end(`data: ${JSON.stringify(asked.answer(done('worked')))}\n\n`);
      }),
    );
    heard.send(wire, call(1));
    await heard.saw(/s2c notifications\/message/);
    heard.isBusy = true;
    const before = heard.texts.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    const meanwhile = heard.texts.length;
    expect(meanwhile).toBeLessThan(2000);
    heard.isBusy = false;
    await heard.saw('done tools/call');
    expect(before).toBeLessThanOrEqual(meanwhile);
    expect(heard.texts.filter((text) => text.includes('notifications/message'))).toHaveLength(2000);
  });
});

describe('a cancel', () => {
  test('counts as written when its body was, whatever is answered', async () => {
    let received: (asked: Asked) => void = nothing;
    const arrived = new Promise<Asked>((resolve) => {
      received = resolve;
    });
    const { heard, wire } = await connected(but(isCancel, (asked) => received(asked)));
    heard.send(wire, cancel(1));
    const asked = await arrived;
    expect(since(heard, '> POST #4')).toEqual(['> POST #4', 'c2s notifications/cancelled #4']);
    asked.status(202);
    await heard.saw('done notifications/cancelled');
    expect(since(heard, '> POST #4').slice(2)).toEqual(expect.arrayContaining(['< 202 #4', 'done notifications/cancelled']));
  });

  test('that is refused, or answered by nobody, has failed: once, after it was written', async () => {
    const { heard, wire } = await connected(but(isCancel, (asked) => asked.status(503, {}, 'busy')));
    heard.send(wire, cancel(1));
    await heard.saw('failed notifications/cancelled: it was answered with 503 Service Unavailable: “busy”');
    expect(heard.log.filter((line) => line.startsWith('c2s notifications/cancelled'))).toHaveLength(1);
  });

  test('that no connection takes was never written', async () => {
    // With a new connection for every request nothing goes out on an old one whose end nobody has noticed yet.
    const { heard, wire, server } = await connected((asked) => {
      asked.response.setHeader('connection', 'close');
      sound(asked);
    });
    await server.close();
    heard.send(wire, cancel(1));
    await heard.saw(/failed notifications\/cancelled/);
    expect(heard.log.at(-1)).toMatch(/the connection was refused: nothing listens there \(ECONNREFUSED\)/);
    expect(heard.log.some((line) => line.startsWith('c2s notifications/cancelled'))).toBe(false);
  });

  test('with which the SDK’s transport resumes a stream instead is not taken for sent', async () => {
    const { heard, wire } = await connected(sound);
    heard.send(wire, cancel(1), { resumptionToken: '7' });
    await heard.saw('failed notifications/cancelled: no HTTP request carried it: the client resumed a stream instead');
    await heard.saw(/> GET #4/);
    expect(heard.exchanges.find((one) => one.exchange === 4)).toMatchObject({ method: 'GET', purpose: 'stream', resumes: '7' });
    expect(heard.log.some((line) => line.startsWith('c2s notifications/cancelled'))).toBe(false);
  });

  test('does not wait behind a call whose response is still open', async () => {
    const { heard, wire } = await connected(but(isCall, nothing));
    for (const id of [1, 2, 3]) heard.send(wire, call(id));
    heard.send(wire, cancel(2));
    await heard.saw('done notifications/cancelled');
    expect(heard.log.filter((line) => line.startsWith('c2s tools/call'))).toHaveLength(3);
  });
});

describe('an answer that does not come', () => {
  test.each<[string, (asked: Asked) => void, string]>([
    [
      'because the stream broke off in an event',
      (asked) => {
        asked.stream();
        asked.response.write('data: {"jsonrpc":', () => asked.tear());
      },
      'the stream was cut off in the middle of an event, before the answer',
    ],
    [
      'because it was compressed, unasked',
      (asked) =>
        asked.response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync(JSON.stringify(asked.answer(done('worked'))))),
      'it was answered with application/json, compressed (gzip), which is no MCP',
    ],
    [
      'because there was none',
      (asked) => asked.response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
      'the response ended, and the answer was not in it',
    ],
    ['because a call was only accepted', (asked) => asked.status(202), 'the response ended, and the answer was not in it'],
    ['because the other side hung up', (asked) => asked.tear(), 'the other side closed the connection without answering (UND_ERR_SOCKET)'],
  ])('%s is waited for no longer', async (_, answer, why) => {
    const { heard, wire } = await connected(but(isCall, answer));
    heard.send(wire, call(1));
    await heard.saw(`failed tools/call: ${why}`);
  });

  test('with 404, because the session is gone: said once, and nothing is begun anew', async () => {
    const { heard, wire, server } = await connected(but(isCall, (asked) => asked.status(404)));
    heard.send(wire, call(1));
    heard.send(wire, call(2));
    await heard.until(() => heard.log.filter((line) => line.startsWith('failed tools/call')).length === 2);
    expect(heard.log.filter((line) => line.startsWith('lost with its session'))).toHaveLength(1);
    await wire.close();
    expect(server.asked.map(({ method, message }) => message?.method ?? method)).toEqual([
      'initialize',
      'notifications/initialized',
      'GET',
      'tools/call',
      'tools/call',
    ]);
  });
});

describe('a stream that breaks off', () => {
  /** Closes the stream of a call behind its first event, which can be resumed. */
  const polling =
    (resumed: (asked: Asked) => void): Handle =>
    (asked) => {
      if (isStream(asked) && asked.headers['last-event-id'] !== undefined) resumed(asked);
      else if (isCall(asked)) {
        asked.stream();
        asked.response.end('id: 1\nretry: 10\ndata:\n\n');
      } else sound(asked);
    };
  const answer = (asked: Asked): void => {
    asked.stream();
    asked.response.end(`id: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: done('worked') })}\n\n`);
  };

  test('is resumed behind its last event, and the answer is found', async () => {
    const { heard, wire } = await connected(polling(answer));
    heard.send(wire, call(1));
    await heard.saw('done tools/call');
    expect(heard.exchanges.find((one) => one.http === 'request' && one.resumes === '1')).toMatchObject({ method: 'GET', id: 1 });
  });

  test('and breaks off again before any event is resumed where it was', async () => {
    let times = 0;
    const { heard, wire } = await connected(
      polling((asked) => (++times === 1 ? asked.response.writeHead(200, { 'content-type': 'text/event-stream' }).end() : answer(asked))),
    );
    heard.send(wire, call(1));
    await heard.saw('done tools/call');
    expect(heard.exchanges.flatMap((one) => (one.http === 'request' && one.resumes !== undefined ? [one.resumes] : []))).toEqual([
      '1',
      '1',
    ]);
  });

  test('and cannot be resumed has lost its answer, after two tries', async () => {
    const { heard, wire } = await connected(polling((asked) => asked.status(500)));
    heard.send(wire, call(1));
    await heard.saw(/failed tools\/call: the stream that was to bring the answer broke off and could not be resumed.*500/);
    expect(heard.exchanges.filter((one) => one.http === 'request' && one.resumes === '1')).toHaveLength(2);
  });

  test('of the server’s own is asked for again: refused twice it is told, and a 404 says that the session is gone', async () => {
    let status = 500;
    let first = true;
    const ownStream: Handle = (asked) => {
      if (!isStream(asked)) sound(asked);
      else if (first) asked.response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 10\ndata:\n\n');
      else asked.status(status);
      first &&= !isStream(asked);
    };
    const one = await connected(ownStream);
    await one.heard.saw(/^impaired: The server's own stream could not be opened: it was answered with 500/);
    expect(one.server.asked.filter(isStream)).toHaveLength(3);
    [status, first] = [404, true];
    const other = await connected(ownStream);
    await other.heard.saw(/^lost with its session/);
  });

  test('is not resumed once it was dropped', async () => {
    const { heard, wire, server } = await connected(polling(answer));
    heard.send(wire, call(1));
    await heard.saw('ended #4');
    expect(wire.drop(1, () => undefined)).toBe('nothing');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.asked.filter(isStream)).toHaveLength(1);
    expect(heard.log.at(-1)).toBe('failed tools/call: its connection was dropped, as asked');
  });
});

describe('dropping a call', () => {
  test('closes its response stream, and no other', async () => {
    const { heard, wire, server } = await connected(
      but(isCall, (asked) => {
        asked.stream()({ ...asked.progress(1) });
      }),
    );
    heard.send(wire, call(1));
    heard.send(wire, call(2));
    await heard.until(() => heard.log.filter((line) => line.startsWith('s2c notifications/progress')).length === 2);
    const closed = new Promise((resolve) =>
      server.asked.find((asked) => asked.message?.id === 1)?.response.once('close', () => resolve(true)),
    );
    const told: string[] = [];
    expect(wire.drop(1, () => told.push(heard.log.at(-1) ?? ''))).toBe('stream');
    expect(await closed).toBe(true);
    expect(told).toHaveLength(1);
    expect(heard.log.filter((line) => line.startsWith('cut by drop'))).toHaveLength(1);
    expect(server.asked.find((asked) => asked.message?.id === 2)?.response.closed).toBe(false);
  });

  test('closes a POST that has no head yet', async () => {
    const { heard, wire } = await connected(but(isCall, nothing));
    heard.send(wire, call(1));
    await heard.saw('c2s tools/call #4');
    expect(wire.drop(1, () => undefined)).toBe('stream');
    expect(heard.log.slice(-2)).toEqual(['cut by drop #4', 'failed tools/call: its connection was dropped, as asked']);
  });
});

describe('an authorization', () => {
  /** Lets in who has the token. */
  const guarded: Handle = (asked) =>
    asked.headers.authorization === 'Bearer s3cret' ? sound(asked) : asked.status(401, { 'www-authenticate': 'Bearer' }, 'who are you?');

  test('that nobody has given is what the message failed for, and no reason to fall back', async () => {
    const server = await serve(guarded);
    closing.push(server.close);
    const { heard, wire } = await opened(server.url, { transport: 'auto' });
    heard.send(wire, initialize);
    await heard.saw('failed initialize: the server asks for an authorization that has not been given');
    expect(wire.fellBack).toBeUndefined();
  });

  test('that was got in between: the message is carried twice, and written twice', async () => {
    const server = await serve(guarded);
    closing.push(server.close);
    const { heard, wire } = await opened(server.url, {
      through: (fetch) => async (url, init) => {
        const refused = await fetch(url, init);
        if (refused.status !== 401) return refused;
        return fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization: 'Bearer s3cret' } });
      },
    });
    heard.send(wire, initialize);
    await heard.saw('done initialize');
    expect(heard.log.filter((line) => /^(?:c2s|< )/.test(line))).toEqual([
      'c2s initialize #1',
      '< 401 #1',
      'c2s initialize #2',
      '< 200 #2',
    ]);
    expect(JSON.stringify(heard.exchanges)).not.toContain('s3cret');
  });

  test('asks other places over the same tap: what is sent and what comes back is in no record', async () => {
    const { heard, wire } = await connected((asked) =>
      asked.path === '/token' ? asked.status(200, { 'content-type': 'application/json' }, '{"access_token":"s3cret"}') : sound(asked),
    );
    const texts = heard.texts.length;
    const token = wire.exchanging(async (fetch) => {
      const url = new URL('/token', addressOf(heard));
      return (await fetch(url, { method: 'POST', body: new URLSearchParams({ code: 's3cret' }) })).json();
    });
    expect(await token).toEqual({ access_token: 's3cret' });
    expect(heard.exchanges.filter(({ exchange }) => exchange === 4)).toMatchObject([
      { http: 'request', purpose: 'auth', bytes: 11 },
      { http: 'response', status: 200 },
      { http: 'ended', bytes: 25 },
    ]);
    expect([heard.texts.length, JSON.stringify(heard.exchanges).includes('s3cret')]).toEqual([texts, false]);
  });
});

/** The address that was connected to, as it was recorded. */
const addressOf = ({ exchanges }: Heard): string => exchanges.flatMap((one) => (one.http === 'request' ? [one.url] : []))[0] ?? '';

describe('the end', () => {
  test('is told to the server by DELETE; streams that are open then are cut', async () => {
    const { heard, wire, server } = await connected(but(isStream, (asked) => asked.stream()));
    await heard.saw('opened #3');
    await wire.close();
    expect(server.asked.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': expect.any(String) } });
    expect(heard.log.slice(-4)).toEqual(['> DELETE #4', '< 200 #4', 'ended #4', 'cut by close #3']);
  });

  test('does not wait for a server that does not answer', async () => {
    const { heard, wire } = await connected(
      but(({ method }) => method === 'DELETE', nothing),
      { graceMs: 50 },
    );
    await wire.close();
    expect(heard.log.at(-1)).toBe('cut by close #4');
  });
});

describe('the transport', () => {
  test('is the older one where the first is refused, and one is told', async () => {
    const { heard, wire } = await opened((await sse()).url, { transport: 'auto' });
    heard.send(wire, initialize);
    await heard.saw('done initialize');
    expect([wire.transport, wire.fellBack]).toEqual(['sse', { from: 'http', why: 'it was answered with 405 Method Not Allowed' }]);
    expect(heard.steps.map((step) => (step.event === 'connecting' ? step.transport : step.event))).toEqual(['http', 'fell-back', 'sse']);
    expect(heard.log).toContain('event endpoint #2');
  });

  test('has no second one where it was chosen', async () => {
    const { heard, wire } = await opened((await sse()).url);
    heard.send(wire, initialize);
    await heard.saw('failed initialize: it was answered with 405 Method Not Allowed');
  });

  test('is over with its one stream, where that is the session', async () => {
    const server = await sse();
    const { heard, wire } = await opened(server.url, { transport: 'sse' });
    heard.send(wire, initialize);
    await heard.saw('done initialize');
    server.end();
    await heard.saw(/lost with its session: The event stream, which is the session in this transport, is over/);
    heard.send(wire, call(1));
    await heard.saw(/failed tools\/call/);
    expect(server.asked.filter(isStream)).toHaveLength(1);
  });

  test('takes no address of another host to post to', async () => {
    const server = await serve((asked) => {
      asked.stream();
      asked.response.write('event: endpoint\ndata: http://example.invalid/messages\n\n');
    });
    closing.push(server.close);
    await expect(opened(server.url, { transport: 'sse' })).rejects.toThrow(
      'an address on another host to post messages to, which is refused',
    );
  });
});

/** A server of the older transport. */
async function sse(): Promise<HttpFixture & { end(): void }> {
  let stream: Asked | undefined;
  const server = await serve((asked) => {
    if (asked.method === 'GET') {
      stream = asked;
      asked.stream();
      asked.response.write('event: endpoint\ndata: /messages?session=1\n\n');
    } else if (asked.path.startsWith('/messages')) {
      asked.status(202);
      if (asked.message?.method === 'initialize') stream?.response.write(`data: ${JSON.stringify(asked.answer({}))}\n\n`);
    } else asked.status(405);
  });
  closing.push(server.close);
  return { ...server, end: () => stream?.response.end() };
}
