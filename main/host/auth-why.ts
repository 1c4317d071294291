// Why a step of an authorization failed, in words that help: what was expected, what was seen, what to try.
import { OAuthError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { z } from 'zod';
import type { AuthStep } from '../../app/wire/frame';
import { clauseOf, HttpError, statusText } from '../transports/http-problem';
import { duration, plain, quoted } from './why';

/** A step that failed, in a whole sentence. */
export class AuthError extends Error {
  override readonly name = 'AuthError';
}

/** The SDK could not renew a token, and goes on without saying why: the last answer does. */
export class NotRenewed extends Error {
  override readonly name = 'NotRenewed';
}

/** What came of the last request of an authorization. */
export interface LastAnswer {
  /** Address without a query. */
  readonly place: string;
  readonly status?: number;
  readonly failure?: unknown;
}

type Asking = Extract<AuthStep, 'discovery' | 'registration' | 'token' | 'refresh'>;

const EXPECTED: Readonly<Record<Asking, (place: string) => string>> = {
  discovery: (place) => `Expected ${place} to say how to authorize`,
  registration: (place) => `Expected ${place} to register Stopgap as a client`,
  token: (place) => `Expected ${place} to give a token for the code that the browser brought`,
  refresh: (place) => `Expected ${place} to renew the access token`,
};
const ADVICE: Readonly<Record<Asking, string>> = {
  discovery: 'Check the address of the server. If you have a token, give it as an Authorization header.',
  registration: 'If clients are registered by hand there, get a token from it and give that as an Authorization header.',
  token: 'Authorize once more: a code is good once, and for a short time.',
  refresh: 'It is tried again with the next message; if that does not help, authorize again.',
};

/** Why a request of a step came to nothing. */
export function stepWhy(step: Asking, error: unknown, last: LastAnswer | undefined): string {
  if (error instanceof AuthError) return error.message;
  const place = last?.place ?? 'the authorization server';
  return `${EXPECTED[step](place)}, but ${clause(error, last)}. ${ADVICE[step]}`;
}

function clause(error: unknown, last: LastAnswer | undefined): string {
  if (error instanceof NotRenewed) return last?.failure === undefined ? answered(last) : clause(last.failure, last);
  if (error instanceof HttpError) return clauseOf(error.problem);
  if (error instanceof OAuthError) return oauthClause(error, last);
  const status = last?.status === undefined ? '' : ` (${statusText(last.status)})`;
  if (error instanceof SyntaxError) return `what it answered is no JSON${status}`;
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `what it answered is not what it should be${status}: ${issue?.path.join('.') || 'the answer'}: ${issue?.message ?? 'invalid'}`;
  }
  return plain(error).replace(/\.$/, '');
}

const answered = (last: LastAnswer | undefined): string =>
  `it answered with ${last?.status === undefined ? 'an error' : statusText(last.status)}`;

/** The SDK puts whole bodies into the errors that it makes of answers that are none. */
function oauthClause(error: OAuthError, last: LastAnswer | undefined): string {
  if (/Raw body:/.test(error.message)) return `${answered(last)}, and not with an error of OAuth`;
  return `it refused: ${error.errorCode}${error.message === '' ? '' : `, ${quoted(error.message)}`}`;
}

/** The browser came back without a code. */
export function broughtWhy(error: string, description: string | undefined): string {
  if (error === 'access_denied')
    return 'The authorization was refused in the browser. Nothing was granted. Authorize once more if that was not meant.';
  const said = description === undefined ? '' : `, ${quoted(description)}`;
  return `Expected the browser to come back with a code, but it brought an error: ${quoted(error)}${said}. Authorize once more; the log of the authorization server may say more.`;
}

export const neverCameWhy = (ms: number): string =>
  `Expected the browser to come back within ${duration(ms)}, but it did not. Nothing was granted. Authorize once more when you have the time.`;

export const GIVEN_UP = 'The authorization was given up. Nothing was granted.';

export const ISSUER_ADVICE = 'Nothing was sent there. One server may pose as another: ask whoever runs it.';
