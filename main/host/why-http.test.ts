import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { type Answer, HttpError, type HttpProblem } from '../transports/http-problem';
import { Unanswered } from './why';
import { httpHandshakeWhy, revisionWhy } from './why-http';

const url = 'https://ada:pw@shop.example/mcp?key=s3cret';
const seen = { noise: undefined, stderr: undefined };
const why = (error: unknown, at = url): string => httpHandshakeWhy({ error, url: at, seen, asked: 'initialize' });
const problem = (one: HttpProblem, at = url): string => why(new HttpError(one), at);

const answer = (status: number, more: Partial<Answer> = {}): Answer => ({
  method: 'POST',
  status,
  contentType: undefined,
  location: undefined,
  challenge: undefined,
  retryAfter: undefined,
  server: undefined,
  says: undefined,
  page: false,
  ...more,
});
const status = (code: number, more: Partial<Answer> = {}): HttpProblem => ({ problem: 'status', answer: answer(code, more) });
const failed = (phase: Extract<HttpProblem, { problem: 'failed' }>['phase'], code: string, words: string): HttpProblem => ({
  problem: 'failed',
  phase,
  why: words,
  code,
});

test.each<[string, HttpProblem, RegExp]>([
  [
    'refused',
    failed('connect', 'ECONNREFUSED', 'the connection was refused'),
    /Expected to connect.*refused \(ECONNREFUSED\)\. Start the server/,
  ],
  ['unknown host', failed('connect', 'ENOTFOUND', 'the name is not known'), /Check the spelling of the address/],
  ['unreachable', failed('connect', 'EHOSTUNREACH', 'there is no way'), /firewall or a proxy/],
  ['self-signed', failed('tls', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'it is self-signed'), /encrypted connection.*NODE_EXTRA_CA_CERTS/],
  ['expired', failed('tls', 'CERT_HAS_EXPIRED', 'it has expired'), /renewed on the server/],
  ['not yet', failed('tls', 'CERT_NOT_YET_VALID', 'it is not valid yet'), /date of this computer/],
  ['another host', failed('tls', 'ERR_TLS_CERT_ALTNAME_INVALID', 'it is for another host'), /Use the name that the certificate is for/],
  ['no TLS there', failed('tls', 'ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS'), /Try http:\/\//],
  ['other TLS', failed('tls', 'EPROTO', 'they could not agree'), /Check the port, and the certificate/],
  ['hung up', failed('head', 'UND_ERR_SOCKET', 'the other side closed'), /Expected an answer.*Check the port/],
  ['broke off', failed('body', 'UND_ERR_SOCKET', 'it closed in the middle'), /something between, broke off/],
  ['redirect', status(302, { location: 'https://other.example/mcp' }), /redirects to https:\/\/other\.example\/mcp \(302 Found\)/],
  ['redirect to nowhere', status(307), /redirects without saying where to/],
  ['403', status(403, { says: 'no' }), /forbids it \(403 Forbidden\)\. It says “no”\. Check that the account/],
  ['404', status(404), /nothing there \(404 Not Found\)\. Check the path/],
  ['405', status(405), /takes none there \(405 Method Not Allowed\)/],
  ['409', status(409), /one client only/],
  ['429', status(429, { retryAfter: '30' }), /Wait \(it says for 30\)/],
  ['400', status(400), /refused \(400 Bad Request\)\. Its documentation/],
  ['418', status(418), /refused \(status 418\)/],
  ['500', status(500, { says: 'oops' }), /failed \(500 Internal Server Error\)\. It says “oops”\. The log of the server/],
  ['503', status(503, { retryAfter: '5' }), /cannot reach it, or it is not ready: try again \(it says after 5\)/],
  ['a page', { problem: 'content', answer: answer(200, { page: true, says: 'Sign in' }) }, /a page for people came, “Sign in”/],
  [
    'a text',
    { problem: 'content', answer: answer(200, { contentType: 'text/plain', says: 'It works' }) },
    /came as text\/plain: “It works”/,
  ],
  ['torn', { problem: 'no-reply', why: 'the stream was cut off', torn: true }, /the stream was cut off\. The server, or something between/],
  ['nothing', { problem: 'no-reply', why: 'the response ended', torn: false }, /Check that this is the address of an MCP server/],
  ['401', { problem: 'unauthorized', answer: answer(401) }, /authorization \(401 Unauthorized\)\. Authorize, or give the header/],
  [
    'both',
    { problem: 'both', first: status(404), second: status(405) },
    /nothing there.*The older HTTP\+SSE transport was tried as well, but it was answered with 405 Method Not Allowed\.$/,
  ],
  ['closed', { problem: 'closed', by: 'close' }, /The handshake failed: its connection was closed/],
])('%s: what was expected, what was seen, what to try', (_, one, words) => {
  const says = problem(one);
  expect(says).toMatch(words);
  expect(says).not.toMatch(/s3cret|ada:pw/);
});

test('where plain http got no answer, an encrypted connection may have been expected', () => {
  expect(problem(failed('head', 'UND_ERR_SOCKET', 'it closed'), 'http://shop.example/mcp')).toContain('try https://');
});

test('what the server asks for before it speaks', () => {
  const challenge = 'Bearer resource_metadata="https://as.example"';
  expect(problem({ problem: 'unauthorized', answer: answer(401, { challenge }) })).toContain(`: ${challenge}.`);
});

test('a server that is silent: how long, and how far things had come', () => {
  expect(why(new Unanswered(20_000, 'the request was written'))).toMatch(
    /within 20 s, but none came: the request was written\. The server/,
  );
  expect(why(new Unanswered(500))).toMatch(/within 500 ms, but none came\./);
});

test('an answer that is an error, and what is of no kind', () => {
  expect(why(new McpError(-32600, 'nope'))).toMatch(/it answered with an error: “MCP error -32600: nope”/);
  expect(httpHandshakeWhy({ error: new Error('odd'), url, asked: 'initialize', seen: { noise: 'hello', stderr: undefined } })).toBe(
    'odd It sent “hello”.',
  );
  expect(revisionWhy('2025-03-26', '2025-11-25')).toMatch(/the revision 2025-03-26, but it answered with 2025-11-25/);
});

test.each<[HttpProblem]>([
  [failed('body', 'UND_ERR_SOCKET', 'it closed in the middle')],
  [{ problem: 'content', answer: answer(200, { contentType: 'text/html', page: true }) }],
  [{ problem: 'content', answer: answer(200, { contentType: 'text/plain' }) }],
  [{ problem: 'no-reply', why: 'the response ended', torn: false }],
])('without a handshake nothing is said of one', (one) => {
  const asked = { url, seen, asked: 'server/discover' };
  const says = httpHandshakeWhy({ error: new HttpError(one), ...asked });
  expect(says).toContain('server/discover');
  expect(says).not.toContain('initialize');
  expect(httpHandshakeWhy({ error: new Unanswered(1000), ...asked })).toContain('an answer to server/discover');
});
