// What of HTTP goes into a trace: the headers that matter for MCP, and addresses, both without what is secret in them.
// What is not known to be harmless is masked.
import type { RequestId } from '../../app/wire/frame';

export type HttpHeaders = Readonly<Record<string, string>>;

/** What stands in the place of a secret. */
export const MASK = '•••';

/** Request headers that a reader needs; every other one was configured by somebody, so that its value may be secret. */
const REQUEST = new Set(['content-type', 'accept', 'mcp-protocol-version', 'last-event-id', 'mcp-method', 'mcp-name']);
const RESPONSE = new Set([
  'content-type',
  'content-encoding',
  'content-length',
  'cache-control',
  'retry-after',
  'server',
  'via',
  'allow',
  'mcp-protocol-version',
]);
/** Of every client, and of no interest. */
const DULL = new Set(['accept-encoding', 'user-agent', 'connection', 'host']);
/** Parameters of an address whose values are nobody's business. */
const SECRET_NAME = /pass|pwd|secret|token|key|auth|code|sig|session|assertion|credential/i;
/** Names of headers that say an authorization scheme before the secret. */
const SCHEMES = new Set(['authorization', 'proxy-authorization']);
/** So much of a header is kept: a trace is no place for a kilobyte of policy. */
const VALUE = 400;

/** @throws Error that names a header which HTTP cannot carry, and not its value: what the platform says would quote that */
export function checkHeaders(given: HttpHeaders): void {
  for (const [name, value] of Object.entries(given)) {
    try {
      new globalThis.Headers([[name, value]]);
    } catch {
      throw new Error(
        `Expected headers that HTTP can carry, but “${name}” is none: its name, or a line break or a sign beyond Latin-1 in its value. Change it.`,
      );
    }
  }
}

/** The headers of a request, by lower-case name. @param given as they are sent */
export function requestHeaders(given: HttpHeaders): HttpHeaders {
  return kept(given, (name, value) => {
    if (DULL.has(name)) return undefined;
    // Those repeat an argument of the call, which is in the trace beside them.
    if (REQUEST.has(name) || name.startsWith('mcp-param-')) return value;
    if (name === 'mcp-session-id') return maskedId(value);
    if (SCHEMES.has(name)) return maskedScheme(value);
    return MASK;
  });
}

/** The headers of a response that matter. @param base the address that was asked, for a relative `location` */
export function responseHeaders(given: HttpHeaders): HttpHeaders {
  return kept(given, (name, value) => {
    if (RESPONSE.has(name)) return value;
    if (name === 'mcp-session-id') return maskedId(value);
    if (name === 'location') return maskedUrl(value);
    if (name === 'www-authenticate') return maskedChallenge(value);
    return undefined;
  });
}

function kept(given: HttpHeaders, show: (name: string, value: string) => string | undefined): HttpHeaders {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    const text = show(lower, value);
    if (text !== undefined) shown[lower] = text.length > VALUE ? `${text.slice(0, VALUE)}…` : text;
  }
  return shown;
}

/** Enough of a session id to tell two apart, not enough to use it. */
const maskedId = (id: string): string => (id.length > 8 ? `${id.slice(0, 4)}…` : MASK);

/** `Bearer abc` → `Bearer •••`. */
const maskedScheme = (value: string): string => {
  const scheme = /^([A-Za-z][A-Za-z0-9-]*)\s+\S/.exec(value)?.[1];
  return scheme === undefined ? MASK : `${scheme} ${MASK}`;
};

/** A challenge (RFC 9110, 11.6.1) with its parameters, among which nothing but a token68 or a nonce could be secret. */
const maskedChallenge = (value: string): string =>
  value
    .replace(/https?:\/\/[^\s",]+/gi, maskedUrl)
    .replace(/(^|[\s,])(nonce|opaque|token)\s*=\s*("[^"]*"|[^\s,]+)/gi, (_all, before: string, name: string) => `${before}${name}=${MASK}`)
    .replace(/\b(Negotiate|NTLM|Basic|Bearer)\s+([A-Za-z0-9+/._~-]{16,}=*)(?=$|,)/g, (_all, scheme: string) => `${scheme} ${MASK}`);

/** An address without a login and without the values of parameters that look like secrets. Relative ones stay relative. */
export function maskedUrl(url: string): string {
  const [, before = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? [];
  const place = before.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*@/i, (_all, scheme: string | undefined) => `${scheme ?? ''}//${MASK}@`);
  const shown = query === undefined ? '' : `?${query.split('&').map(maskedParameter).join('&')}`;
  return `${place}${shown}${fragment === undefined || fragment === '' ? '' : `#${MASK}`}`;
}

function maskedParameter(parameter: string): string {
  const at = parameter.indexOf('=');
  if (at < 0) return parameter;
  const name = parameter.slice(0, at);
  return SECRET_NAME.test(decoded(name)) ? `${name}=${MASK}` : parameter;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What of a message its exchange is found by: the id of a request, the id that a cancel names. */
export function carriedBy(message: unknown): { readonly id?: RequestId; readonly cancels?: RequestId } {
  if (typeof message !== 'object' || message === null) return {};
  const { id, method, params } = message as { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown };
  if (typeof method !== 'string') return {};
  if (isId(id)) return { id };
  if (method !== 'notifications/cancelled' || typeof params !== 'object' || params === null) return {};
  const { requestId } = params as { readonly requestId?: unknown };
  return isId(requestId) ? { cancels: requestId } : {};
}

const isId = (value: unknown): value is RequestId => typeof value === 'string' || typeof value === 'number';
