// Why a connection over HTTP did not come about, in words that help: what was expected, what was seen, what to try. Every
// way in which it can fail has a sentence of its own.
import { unreachable } from '../../app/base/unreachable';
import { masked } from '../../app/evidence/dsn';
import { maskedUrl } from '../transports/http-headers';
import { type Answer, clauseOf, HttpError, type HttpProblem, statusText } from '../transports/http-problem';
import { RevisionRefused } from './modern';
import { answerWhy, duration, plain, quoted, type Seen, Unanswered } from './why';

export interface HttpHandshake {
  readonly error: unknown;
  readonly url: string;
  /** What the server had sent that was no message. */
  readonly seen: Seen;
  /** The request that the server was to answer first. */
  readonly asked: string;
}

/** Why the handshake over HTTP failed. */
export function httpHandshakeWhy({ error, url, seen, asked }: HttpHandshake): string {
  const place = maskedUrl(url);
  if (error instanceof RevisionRefused) return error.message;
  if (error instanceof HttpError) return problemWhy(error.problem, { place, asked });
  if (error instanceof Unanswered) return silentWhy(error, { place, asked });
  const { noise } = seen;
  return answerWhy(error, asked) ?? masked(`${plain(error)}${noise === undefined ? '' : ` It sent ${quoted(noise)}.`}`);
}

/** What is said where a revision is insisted on and another one was agreed to. */
export const revisionWhy = (wanted: string, got: string): string =>
  `Expected the server to speak the revision ${wanted}, but it answered with ${got}. Connect without insisting on one, or insist on that one.`;

function problemWhy(problem: HttpProblem, of: First): string {
  switch (problem.problem) {
    case 'failed':
      return failedWhy(problem, of);
    case 'status':
      return statusWhy(problem.answer, of.place);
    case 'content':
      return contentWhy(problem.answer, of);
    case 'no-reply':
      return `Expected an answer to ${of.asked} from ${of.place}, but ${problem.why}. ${problem.torn ? 'The server, or something between, broke off: its log may say why.' : 'Check that this is the address of an MCP server; its log may say why.'}`;
    case 'unauthorized':
      return unauthorizedWhy(problem.answer);
    case 'both':
      return `${problemWhy(problem.first, of)} The older HTTP+SSE transport was tried as well, but ${clauseOf(problem.second)}.`;
    case 'not-carried':
    case 'closed':
      return `The handshake failed: ${clauseOf(problem)}.`;
    default:
      return unreachable(problem);
  }
}

/** The first request, and where it went. */
interface First {
  readonly place: string;
  readonly asked: string;
}

type Failed = Extract<HttpProblem, { problem: 'failed' }>;

function failedWhy(problem: Failed, { place, asked }: First): string {
  const clause = clauseOf(problem);
  switch (problem.phase) {
    case 'connect':
      return `Expected to connect to ${place}, but ${clause}. ${connectAdvice(problem.code)}`;
    case 'tls':
      return `Expected an encrypted connection to ${place}, but ${clause}. ${tlsAdvice(problem.code)}`;
    case 'send':
    case 'head':
      return `Expected an answer from ${place}, but ${clause}. ${place.startsWith('http:') ? 'Perhaps it expects an encrypted connection: try https://. ' : ''}Check the port; the log of the server may say more.`;
    case 'body':
      return `Expected an answer to ${asked} from ${place}, but ${clause}. The server, or something between, broke off: its log may say why.`;
  }
}

function connectAdvice(code: string | undefined): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'Start the server, and check the port.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'Check the spelling of the address, and that this computer is connected to its network.';
    default:
      return 'Check the address, the network, and whether a firewall or a proxy stands between.';
  }
}

function tlsAdvice(code: string | undefined): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'It has to be renewed on the server.';
    case 'CERT_NOT_YET_VALID':
      return 'Check the date of this computer, then the certificate.';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'Use the name that the certificate is for, or have one issued for this name.';
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'ERR_SSL_HTTP_REQUEST':
      return 'Try http:// in the place of https://, and check the port.';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'If you trust it, start Stopgap with the environment variable NODE_EXTRA_CA_CERTS naming a file with the certificate, or that of its issuer.';
    default:
      return 'Check the port, and the certificate of the server.';
  }
}

function statusWhy(answer: Answer, place: string): string {
  const { status, says } = answer;
  const said = says === undefined ? '' : ` It says ${quoted(says)}.`;
  const code = statusText(status);
  if (status >= 300 && status < 400) return redirectWhy(answer, place);
  if (status >= 500) return `Expected an answer from ${place}, but it failed (${code}).${said} ${failureAdvice(answer)}`;
  switch (status) {
    case 403:
      return `Expected ${place} to accept the handshake, but it forbids it (${code}).${said} Check that the account or the token may use it, and that the server lets this computer in: some check the host name or the origin.`;
    case 404:
      return `Expected an MCP server at ${place}, but there is nothing there (${code}).${said} Check the path: most servers answer at /mcp, older ones at /sse.`;
    case 405:
      return `Expected ${place} to take messages, but it takes none there (${code}).${said} Check the path: most servers answer at /mcp, older ones at /sse.`;
    case 409:
      return `Expected ${place} to accept the handshake, but it is at odds with something that goes on there (${code}).${said} Some servers take one client only: end the other one, or restart the server.`;
    case 429:
      return `Expected ${place} to accept the handshake, but it has had too many requests (${code}).${said} Wait ${answer.retryAfter === undefined ? 'a while' : `(it says for ${answer.retryAfter})`}, then connect again.`;
    default:
      return `Expected ${place} to accept the handshake, but it refused (${code}).${said} Its documentation may say what it needs: a header, another path, another revision.`;
  }
}

/** The SDK's transport follows a redirect within the same server that keeps the method, and no other. */
function redirectWhy({ status, location }: Answer, place: string): string {
  const where = location === undefined ? 'without saying where to' : `to ${location}`;
  return `Expected an answer from ${place}, but it redirects ${where} (${statusText(status)}), and messages are not sent on to another place by themselves. Connect to the address that it names, if you trust it.`;
}

const failureAdvice = ({ status, retryAfter }: Answer): string =>
  status === 502 || status === 503 || status === 504
    ? `Something in front of the server cannot reach it, or it is not ready: try again${retryAfter === undefined ? '' : ` (it says after ${retryAfter})`}, and look at the log of the server.`
    : 'The log of the server may say why.';

function contentWhy({ contentType, says, page }: Answer, { place, asked }: First): string {
  if (page)
    return `Expected an answer to ${asked} from ${place}, but a page for people came${says === undefined ? '' : `, ${quoted(says)}`}. A proxy or a login may stand in front of the server, or this is the address of its website: open it in a browser to see.`;
  const type = contentType === undefined ? 'without a content type' : `as ${contentType}`;
  return `Expected an answer to ${asked} from ${place} as JSON or as an event stream, but it came ${type}${says === undefined ? '' : `: ${quoted(says)}`}. Check that this is the address of an MCP server, and not of something else on it.`;
}

function unauthorizedWhy({ challenge, says }: Answer): string {
  const said = says === undefined ? '' : ` It says ${quoted(says)}.`;
  const asks = 'Expected the server to let us in, but it asks for an authorization (401 Unauthorized)';
  return challenge === undefined
    ? `${asks}.${said} Authorize, or give the header that it wants; its documentation says which.`
    : `${asks}: ${challenge}.${said} Authorize, or give an Authorization header.`;
}

const silentWhy = ({ afterMs, awaiting }: Unanswered, { place, asked }: First): string =>
  `Expected an answer to ${asked} from ${place} within ${duration(afterMs)}, but none came${awaiting === undefined ? '' : `: ${awaiting}`}. The server, or something in front of it, is slow or stuck: its log may say more.`;
