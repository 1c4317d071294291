// The authorization that a server over HTTP asks for (2025-11-25, Authorization), across the sessions of one connection. Tokens
// are added where a request leaves, and renewed there, for both HTTP transports alike. Nobody is sent to a browser before the
// person wants it. The SDK does the steps by itself (client/auth.js); its transports are not let in on it, because they would
// send a server's configured headers to the authorization server too, and renew a token that has too few rights for ever.
import { auth, extractWWWAuthenticateParams, type OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { AuthStatus } from '../../app/contract/server';
import type { AuthStep } from '../../app/wire/frame';
import { MASK } from '../transports/http-headers';
import { AuthClient, isSameIssuer, shown } from './auth-client';
import type { Grants } from './auth-grants';
import { listenForRedirect, type Redirect } from './auth-redirect';
import { broughtWhy, GIVEN_UP, ISSUER_ADVICE, type LastAnswer, neverCameWhy, stepWhy } from './auth-why';
import { plain } from './why';

/** The session in whose name something is done: there it is recorded. */
export interface AuthLine {
  life(step: AuthStep, ok: boolean, says: string): void;
  /** Lends a fetch whose exchanges are recorded without bodies; also when the session is over. */
  exchanging<T>(task: (fetch: FetchLike) => Promise<T>): Promise<T>;
}

export interface AuthorizationOptions {
  /** The server's (see `serverKey`). */
  readonly key: string;
  readonly url: string;
  readonly grants: Grants;
  /** Opens the system's browser. @throws Error in plain words when that did not work */
  readonly browse: (address: string) => Promise<void>;
  /** The status has changed. */
  readonly onChange: () => void;
  /** Wall time in ms. */
  readonly now?: () => number;
  /** How long the browser is waited for, in ms. */
  readonly patienceMs?: number;
}

/** What a server asked for when it refused a request. */
interface Challenge {
  readonly resourceMetadataUrl: URL | undefined;
  readonly scope: string | undefined;
  /** In addition to what was granted. */
  readonly more: boolean;
}

const PATIENCE_MS = 300_000;
/** How long one request to an authorization server may take, in ms. */
const ANSWER_MS = 30_000;
/** A token is renewed that long before it runs out, in ms: it has to be good when it arrives. */
const MARGIN_MS = 10_000;

const NEEDED = 'This server lets nobody in without an authorization (401).';
const AUTHORIZED = 'Authorized.';
const OUT = 'The authorization has run out, and it cannot be renewed. Authorize again.';
const FORGOTTEN = 'What was granted is forgotten. The authorization server may still list Stopgap among the applications that you let in.';
const STRANGER =
  'An answer came whose state is not the one that was sent (RFC 6749, 10.12). It was not accepted; the right one is waited for.';

export class Authorization {
  status: AuthStatus | undefined;
  readonly #options: AuthorizationOptions;
  readonly #url: URL;
  #line: AuthLine | undefined;
  #challenge: Challenge = { resourceMetadataUrl: undefined, scope: undefined, more: false };
  #discovery: OAuthDiscoveryState | undefined;
  #last: LastAnswer | undefined;
  #attempt: { readonly abort: AbortController; readonly over: Promise<boolean> } | undefined;

  constructor(options: AuthorizationOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
  }

  /** Whether this is that server's. */
  isFor(key: string, url: string): boolean {
    return this.#options.key === key && this.#options.url === url;
  }

  // ── on the way of every message ───────────────────────────────────────────────────────────────────────────────────

  /** A fetch that carries the token, to this server and nowhere else, and sends a request again once its token was renewed. */
  through(line: AuthLine, fetch: FetchLike): FetchLike {
    this.#line = line;
    return async (url, init) => {
      if (new URL(url).origin !== this.#url.origin) return fetch(url, init);
      const token = await this.#usable(line, fetch);
      const response = await fetch(url, bearing(init, token));
      if (response.status === 403) this.#forbidden(line, response);
      if (response.status !== 401) return this.#passed(token, response);
      this.#challenged(line, response, token);
      const renewed = token === undefined ? undefined : await this.#renewed(line, fetch, token);
      if (renewed === undefined) return response;
      await response.body?.cancel();
      const again = await fetch(url, bearing(init, renewed));
      if (again.status === 401)
        this.#tell('needed', 'The server does not accept the token that it was sent. Authorize again, or ask whoever runs it.');
      return again;
    };
  }

  /** The access token, renewed where it is about to run out. */
  async #usable(line: AuthLine, fetch: FetchLike): Promise<string | undefined> {
    const { tokens, expires } = await this.#options.grants.read();
    const isGood = expires === undefined || expires - this.#now() > MARGIN_MS;
    if (isGood || !tokens?.refresh_token) return tokens?.access_token;
    return (await this.#renewed(line, fetch, tokens.access_token)) ?? tokens.access_token;
  }

  /** @returns a new access token, also one that somebody else has got meanwhile; undefined when there is none to be had */
  #renewed(line: AuthLine, fetch: FetchLike, old: string): Promise<string | undefined> {
    const { grants } = this.#options;
    return grants.alone(async () => {
      const { tokens } = await grants.read();
      if (tokens && tokens.access_token !== old) return tokens.access_token;
      if (!tokens?.refresh_token) {
        line.life('refresh', false, OUT);
        this.#tell('needed', OUT);
        return undefined;
      }
      const client = this.#client(line, undefined, undefined);
      try {
        await this.#ask(client, fetch, {});
        this.#tell('granted', AUTHORIZED);
        return (await grants.read()).tokens?.access_token;
      } catch (error) {
        await this.#failed(line, error, client);
        return undefined;
      }
    });
  }

  #passed(token: string | undefined, response: Response): Response {
    if (token !== undefined && this.status === undefined) this.#tell('granted', AUTHORIZED);
    return response;
  }

  /** Says once, and not for each of a dozen messages, that the server wants to know who asks. */
  #challenged(line: AuthLine, response: Response, token: string | undefined): void {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    this.#challenge = { resourceMetadataUrl, scope, more: false };
    const where = resourceMetadataUrl === undefined ? '' : ` Its metadata are at ${shown(resourceMetadataUrl.href)}.`;
    if (token !== undefined) line.life('challenge', true, `The server answered 401: it does not take the access token any more.${where}`);
    if (token !== undefined || (this.status !== undefined && this.status.state !== 'granted')) return;
    line.life('challenge', true, `The server answered 401 and asks for an authorization.${where}`);
    this.#tell('needed', NEEDED);
  }

  #forbidden(line: AuthLine, response: Response): void {
    const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
    if (error !== 'insufficient_scope') return;
    this.#challenge = { resourceMetadataUrl, scope, more: true };
    const what = scope === undefined ? 'more rights' : `the rights “${scope}”`;
    line.life('step-up', true, `The server answered 403: what was asked of it needs ${what}, which were not granted.`);
    this.#tell('needed', `The server asks for ${what} in addition to what was granted. Authorize, then repeat what was refused.`);
  }

  // ── when the person wants it ──────────────────────────────────────────────────────────────────────────────────────

  /**
   * Goes through the steps and waits for the browser; a second time, waits for the same. How it goes is `status`.
   * @returns whether something was granted
   * @throws Error when the server was never asked anything
   */
  authorize(): Promise<boolean> {
    if (this.#attempt) return this.#attempt.over;
    const line = this.#line;
    if (!line) throw new Error('Expected a server that asks for an authorization. Connect it first.');
    const abort = new AbortController();
    const over = this.#authorize(line, abort.signal).finally(() => {
      this.#attempt = undefined;
    });
    this.#attempt = { abort, over };
    return over;
  }

  /** Stops waiting for the browser. Resolves when nothing of it goes on. */
  async giveUp(): Promise<void> {
    this.#attempt?.abort.abort();
    await this.#attempt?.over;
  }

  /** Forgets what was granted, and the registration. */
  async forget(): Promise<void> {
    await this.giveUp();
    await this.#options.grants.forget();
    this.#tell('needed', FORGOTTEN);
  }

  async #authorize(line: AuthLine, signal: AbortSignal): Promise<boolean> {
    this.#tell('waiting', 'Asking the server where to authorize.');
    const { client } = await this.#options.grants.read();
    let redirect: Redirect;
    try {
      redirect = await listenForRedirect(portOf(client?.redirect_uris[0]), () => this.#strangerCame(line));
    } catch (error) {
      this.#fail(line, 'redirect', `Expected to listen on 127.0.0.1 for the browser to come back, but that did not work: ${plain(error)}.`);
      return false;
    }
    try {
      return await this.#steps(line, redirect, signal);
    } finally {
      redirect.close();
    }
  }

  async #steps(line: AuthLine, redirect: Redirect, signal: AbortSignal): Promise<boolean> {
    const client = this.#client(line, redirect, await this.#scope());
    const ask = (code?: string): Promise<void> => line.exchanging((fetch) => this.#ask(client, fetch, { code, signal }));
    try {
      await ask();
      await this.#sendBrowser(line, client);
      client.code = await this.#codeFrom(redirect, client.discovery, signal);
      line.life('redirect', true, 'The browser came back with a code.');
      this.#tell('waiting', 'The browser came back. Asking for a token.');
      await ask(client.code);
      this.#tell('granted', AUTHORIZED);
      return true;
    } catch (error) {
      if (!signal.aborted) await this.#failed(line, error, client);
      else {
        line.life('redirect', false, GIVEN_UP);
        this.#tell('needed', GIVEN_UP);
      }
      return false;
    }
  }

  async #sendBrowser(line: AuthLine, { address }: AuthClient): Promise<void> {
    if (!address) throw new Error('expected the SDK to have an address for the browser');
    this.#tell('waiting', `Waiting for your answer in the browser, at ${address.host}.`, address.href);
    try {
      await this.#options.browse(address.href);
      line.life('browser', true, `The browser was sent to ${shown(address.href)}.`);
    } catch (error) {
      const says = `The browser could not be opened: ${plain(error)}. Open the address yourself; the answer is waited for.`;
      line.life('browser', false, says);
      this.#tell('waiting', says, address.href);
    }
  }

  /** Waits for the browser. @throws RedirectError when it brings no code, or does not come */
  async #codeFrom({ brought }: Redirect, discovery: OAuthDiscoveryState | undefined, signal: AbortSignal): Promise<string> {
    const { patienceMs = PATIENCE_MS } = this.#options;
    const late = AbortSignal.timeout(patienceMs);
    const what = await Promise.race([brought, aborted(AbortSignal.any([signal, late]))]);
    if (what === undefined) throw new RedirectError(neverCameWhy(patienceMs));
    const why = senderWhy(what.iss, discovery);
    if (why !== undefined) throw new RedirectError(why);
    if (what.kind === 'error') throw new RedirectError(broughtWhy(what.error, what.description));
    return what.code;
  }

  #strangerCame(line: AuthLine): void {
    line.life('redirect', false, STRANGER);
    if (this.status?.state === 'waiting') this.#tell('waiting', STRANGER, this.status.address);
  }

  // ── steps ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #client(line: AuthLine, redirect: Redirect | undefined, scope: string | undefined): AuthClient {
    return new AuthClient({
      server: this.#url,
      grants: this.#options.grants,
      redirect,
      scope,
      // Who authorizes anew may do so because something has moved.
      discovery: redirect ? undefined : this.#discovery,
      now: () => this.#now(),
      stepped: (step, says) => line.life(step, true, says),
    });
  }

  /** Has the SDK do steps: up to the address for the browser, from a code to tokens, or from old tokens to new ones. */
  async #ask(
    client: AuthClient,
    fetch: FetchLike,
    { code, signal }: { readonly code?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<void> {
    const { resourceMetadataUrl } = this.#challenge;
    const { scope } = client;
    this.#last = undefined;
    await auth(client, {
      serverUrl: this.#url,
      fetchFn: this.#watched(fetch, signal),
      ...(code === undefined ? {} : { authorizationCode: code }),
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope }),
    });
    this.#discovery = client.discovery;
  }

  /** What to ask for; undefined for what the server's metadata list (2025-11-25, Scope Selection Strategy). */
  async #scope(): Promise<string | undefined> {
    const { scope, more } = this.#challenge;
    if (!more) return scope;
    const { scope: granted = '' } = await this.#options.grants.read();
    const all = new Set(`${granted} ${scope ?? ''}`.split(' ').filter((one) => one !== ''));
    return all.size === 0 ? undefined : [...all].join(' ');
  }

  /** Every request has an end, and what came of the last one is known when something fails. */
  #watched(fetch: FetchLike, signal: AbortSignal | undefined): FetchLike {
    return async (url, init) => {
      const place = shown(String(url));
      const late = AbortSignal.timeout(ANSWER_MS);
      try {
        const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, late]) : late });
        this.#last = { place, status: response.status };
        return response;
      } catch (error) {
        const failure = late.aborted ? new Error('it did not answer in time') : error;
        this.#last = { place, failure };
        throw failure;
      }
    };
  }

  async #failed(line: AuthLine, error: unknown, client: AuthClient): Promise<void> {
    const says = error instanceof RedirectError ? error.message : stepWhy(client.step, error, this.#last);
    const { client: registered, tokens } = await this.#options.grants.read();
    // Whatever a server says about what it was sent may repeat it.
    const secrets = [tokens?.access_token, tokens?.refresh_token, registered?.client_secret, ...client.secrets];
    const concealed = secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, MASK) : text), says);
    this.#fail(line, error instanceof RedirectError ? 'redirect' : client.step, concealed);
  }

  #fail(line: AuthLine, step: AuthStep, says: string): void {
    line.life(step, false, says);
    this.#tell('failed', says);
  }

  #tell(state: AuthStatus['state'], says: string, address?: string): void {
    this.status = { state, says, address };
    this.#options.onChange();
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

/** The browser brought no code, or did not come. The message is a whole sentence. */
class RedirectError extends Error {
  override readonly name = 'RedirectError';
}

function bearing(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

/** The port that a registration names; undefined where there is none. */
const portOf = (redirect: string | undefined): number | undefined =>
  redirect === undefined ? undefined : Number(new URL(redirect).port) || undefined;

/** Resolves when a signal is aborted. */
const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

/** Why an answer is not the authorization server's own (RFC 9207, 2.4); undefined when nothing speaks against it. */
function senderWhy(iss: string | undefined, discovery: OAuthDiscoveryState | undefined): string | undefined {
  const { issuer = '', ...metadata } = discovery?.authorizationServerMetadata ?? {};
  const isPromised = (metadata as Readonly<Record<string, unknown>>)['authorization_response_iss_parameter_supported'] === true;
  if (iss === undefined ? !isPromised : isSameIssuer(iss, issuer)) return undefined;
  const seen = iss === undefined ? 'does not say who sent it' : `says that it comes from ${shown(iss)}`;
  return `Expected the answer to come from ${shown(issuer)}, but it ${seen} (RFC 9207). It was not accepted. ${ISSUER_ADVICE}`;
}
