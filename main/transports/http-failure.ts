// Why an HTTP exchange came to no end, in plain words. The system, the TLS library and the HTTP client each have codes of
// their own for the same few things that can go wrong on the way to a server.
import type { HttpPhase } from '../../app/wire/frame';

export interface HttpFailure {
  readonly phase: HttpPhase;
  /** A clause that goes on after “but”: `the connection was refused`. */
  readonly why: string;
  readonly code: string | undefined;
}

/** How far the exchange had come before it failed. */
export type Progress = 'begun' | 'connected' | 'written' | 'answered';

/** @param error what the HTTP client says */
export function failureOf(error: unknown, progress: Progress): HttpFailure {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  switch (progress) {
    case 'begun':
      return connectFailure(code, text);
    case 'connected':
      return { phase: 'send', why: closedWhy(code, text, 'before the request had been written'), code };
    case 'written':
      return { phase: 'head', why: headWhy(code, text), code };
    case 'answered':
      return { phase: 'body', why: bodyWhy(code, text), code };
  }
}

/** Of several addresses of one name, the first one's failure stands for all. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, errors, cause } = error as { readonly code?: unknown; readonly errors?: unknown; readonly cause?: unknown };
  if (typeof code === 'string') return code;
  if (Array.isArray(errors)) return codeOf(errors[0]);
  return cause === undefined ? undefined : codeOf(cause);
}

const CONNECT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused: nothing listens there',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up just now',
  ETIMEDOUT: 'no connection came about: nothing answered at that address',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time: nothing answered at that address',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network of the host',
  ECONNRESET: 'the connection was closed while it was being made',
  EPIPE: 'the connection was closed while it was being made',
  UND_ERR_SOCKET: 'the connection was closed while it was being made',
};

const TLS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed, so nobody vouches for it',
  SELF_SIGNED_CERT_IN_CHAIN: 'the chain of its certificate ends in one that is self-signed and not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate was issued by somebody who is not trusted here, or a certificate between them is missing',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate was issued by somebody who is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate was issued by somebody who is not known here',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; the clock of this computer may be wrong',
  CERT_REVOKED: 'its certificate has been revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: it speaks plain http, perhaps',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there: it speaks plain http, perhaps',
  ERR_SSL_HTTP_REQUEST: 'it does not speak TLS there: it speaks plain http, perhaps',
  EPROTO: 'the two sides could not agree on an encrypted connection',
};

function connectFailure(code: string | undefined, text: string): HttpFailure {
  const tls = code === undefined ? undefined : TLS[code];
  if (tls !== undefined) return { phase: 'tls', why: tls, code };
  if (code?.startsWith('ERR_SSL') || code?.startsWith('ERR_TLS') || code?.startsWith('CERT_') || /\b(?:TLS|SSL)\b/.test(text))
    return { phase: 'tls', why: `no encrypted connection came about: ${text}`, code };
  return { phase: 'connect', why: (code === undefined ? undefined : CONNECT[code]) ?? `no connection came about: ${text}`, code };
}

const isClosed = (code: string | undefined): boolean => code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';

const closedWhy = (code: string | undefined, text: string, when: string): string =>
  isClosed(code) ? `the other side closed the connection ${when}` : `the connection failed ${when}: ${text}`;

function headWhy(code: string | undefined, text: string): string {
  if (code?.startsWith('HPE_')) return `what came back is not HTTP: ${text}`;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'the head of the response is too long';
  return closedWhy(code, text, 'without answering');
}

function bodyWhy(code: string | undefined, text: string): string {
  if (code?.startsWith('HPE_')) return `the response broke off, and what came then is not HTTP: ${text}`;
  return closedWhy(code, text, 'in the middle of the response');
}
