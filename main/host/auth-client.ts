// One run of the SDK's authorization (client/auth.js) as its provider: what the SDK asks to be kept goes to the grants, and what
// the specification wants checked beyond the SDK's own checks is checked here (2025-11-25, Authorization).
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationFull,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { checkResourceAllowed } from '@modelcontextprotocol/sdk/shared/auth-utils.js';
import type { AuthStep } from '../../app/wire/frame';
import { maskedUrl } from '../transports/http-headers';
import type { Grants } from './auth-grants';
import { AuthError, ISSUER_ADVICE, NotRenewed } from './auth-why';

export interface AuthClientOptions {
  readonly server: URL;
  readonly grants: Grants;
  /** Where the browser comes back to, and the state that it has to bring; undefined when a token is renewed and nobody asked. */
  readonly redirect: { readonly url: string; readonly state: string } | undefined;
  readonly discovery: OAuthDiscoveryState | undefined;
  /** What to ask for; undefined for what the server's metadata list (Scope Selection Strategy). */
  readonly scope: string | undefined;
  /** Wall time in ms. */
  readonly now: () => number;
  /** A step has succeeded. */
  readonly stepped: (step: AuthStep, says: string) => void;
}

/** The steps that consist of requests. */
export type RequestStep = Extract<AuthStep, 'discovery' | 'registration' | 'token' | 'refresh'>;

/** Nobody is sent to a browser for it; it has to be there for the SDK to renew a token. */
const NOWHERE = 'http://127.0.0.1/callback';

export class AuthClient implements OAuthClientProvider {
  /** What is being done. */
  step: RequestStep = 'discovery';
  discovery: OAuthDiscoveryState | undefined;
  /** The page to send the browser to. */
  address: URL | undefined;
  /** The code verifier (RFC 7636), once there is one. */
  verifier = '';
  /** The code that the browser brought, once it has. */
  code = '';
  readonly #options: AuthClientOptions;
  /** A new registration. It is kept with the tokens that it leads to: those from before belong to the one from before. */
  #registered: OAuthClientInformationFull | undefined;

  constructor(options: AuthClientOptions) {
    this.#options = options;
    this.discovery = options.discovery;
    if (options.discovery) this.step = 'refresh';
  }

  /** What must not be repeated: the code with its verifier, and the secret of a new registration. */
  get secrets(): readonly (string | undefined)[] {
    return [this.code, this.verifier, this.#registered?.client_secret];
  }

  get scope(): string | undefined {
    return this.#options.scope;
  }

  get redirectUrl(): string {
    return this.#options.redirect?.url ?? NOWHERE;
  }

  get clientMetadata(): OAuthClientMetadata {
    // A native application may listen on any port of loopback (RFC 8252, 7.3; OpenID Connect Registration, 2).
    const native = { application_type: 'native' };
    return {
      ...native,
      client_name: 'Stopgap',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    if (this.#options.redirect) return this.#options.redirect.state;
    // The SDK goes on to the browser when a token cannot be renewed; that is for the person to decide.
    throw new NotRenewed();
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovery;
  }

  saveDiscoveryState(found: OAuthDiscoveryState): void {
    const { server, stepped, redirect } = this.#options;
    const metadata = checkedMetadata(found);
    const { resourceMetadata, authorizationServerUrl } = found;
    if (resourceMetadata && !checkResourceAllowed({ requestedResource: server, configuredResource: resourceMetadata.resource }))
      throw new AuthError(
        `Expected the server to describe itself, but its metadata are about ${shown(resourceMetadata.resource)} (RFC 9728). ${ISSUER_ADVICE}`,
      );
    this.discovery = found;
    const how = resourceMetadata
      ? 'The server names'
      : 'The server has no metadata (RFC 9728), so its own host is taken for the authorization server, as in the revision of 2025-03-26:';
    const open = isEncrypted(metadata.token_endpoint) ? '' : ' The connection there is not encrypted.';
    stepped('discovery', `${how} ${shown(authorizationServerUrl)}.${open}`);
    this.step = redirect ? 'registration' : 'refresh';
  }

  async clientInformation(): Promise<OAuthClientInformationFull | undefined> {
    if (this.#registered) return this.#registered;
    const { client } = await this.#options.grants.read();
    if (!this.#options.redirect || (client && this.#fits(client))) return client;
    if (this.discovery?.authorizationServerMetadata?.registration_endpoint !== undefined) return undefined;
    throw new AuthError(
      `Expected ${shown(this.discovery?.authorizationServerUrl ?? 'the authorization server')} to register clients by itself (RFC 7591), but it does not. Get a token from it by hand, and give it as an Authorization header.`,
    );
  }

  /** Whether a registration is for this way back and for these rights: there are servers that hold it to both. */
  #fits({ redirect_uris: ways, scope }: OAuthClientInformationFull): boolean {
    const wanted = this.#options.scope?.split(' ') ?? this.discovery?.resourceMetadata?.scopes_supported ?? [];
    const registered = scope?.split(' ');
    return ways.includes(this.redirectUrl) && (registered === undefined || wanted.every((one) => registered.includes(one)));
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    if (this.step !== 'registration' || !('redirect_uris' in client)) return;
    this.#registered = client;
    this.#options.stepped('registration', `Registered as the client ${client.client_id}.`);
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    // Whoever goes to the browser wants to be asked there: a renewed token would have no more rights than the old one.
    return this.#options.redirect ? undefined : (await this.#options.grants.read()).tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    const { grants, now, stepped } = this.#options;
    const expires = tokens.expires_in === undefined ? undefined : now() + tokens.expires_in * 1000;
    // A server that does not say what it granted has granted what was asked for (RFC 6749, 5.1).
    const scope = tokens.scope ?? this.address?.searchParams.get('scope') ?? undefined;
    await grants.change({
      tokens,
      expires,
      ...(scope === undefined ? {} : { scope }),
      ...(this.#registered ? { client: this.#registered } : {}),
    });
    const long = tokens.expires_in === undefined ? '' : `, good for ${tokens.expires_in} s`;
    const renewable = tokens.refresh_token === undefined ? ', which cannot be renewed' : '';
    stepped(this.step, `${this.step === 'refresh' ? 'The access token was renewed' : 'An access token was granted'}${long}${renewable}.`);
  }

  redirectToAuthorization(address: URL): void {
    if (!/^https?:$/.test(address.protocol))
      throw new AuthError(
        `Expected the page for the browser to be at an http or https address, got ${shown(address.href)}. It was not opened.`,
      );
    this.address = address;
    this.step = 'token';
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  /** The server has refused what we had; the SDK would try again at once, and with a code that has been used. */
  async invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const { grants } = this.#options;
    if (what === 'all') await grants.forget();
    if (what === 'tokens') await grants.change({ tokens: undefined, expires: undefined });
    if (what === 'all' || what === 'client')
      throw new AuthError('The authorization server does not know this client any more. Authorize again: Stopgap registers anew.');
    if (what === 'tokens' && this.step === 'refresh')
      throw new AuthError('The authorization can be renewed no more: it has run out, or was taken back (invalid_grant). Authorize again.');
    if (what === 'tokens')
      throw new AuthError(
        'The authorization server did not accept the code that the browser brought (invalid_grant). Authorize once more: a code is good once, and for a short time.',
      );
  }
}

/** What RFC 8414 and the specification want of an authorization server. @throws AuthError */
function checkedMetadata({
  authorizationServerUrl,
  authorizationServerMetadata: metadata,
}: OAuthDiscoveryState): AuthorizationServerMetadata {
  const place = shown(authorizationServerUrl);
  if (!metadata)
    throw new AuthError(
      `Expected ${place} to describe itself as an authorization server (RFC 8414), but it does not. Check the address of the server; if you have a token, give it as an Authorization header.`,
    );
  if (!isSameIssuer(metadata.issuer, authorizationServerUrl))
    throw new AuthError(
      `Expected the metadata of ${place} to be its own, but they name ${shown(metadata.issuer)} as the issuer (RFC 8414, 3.3). ${ISSUER_ADVICE}`,
    );
  if (!metadata.code_challenge_methods_supported?.includes('S256'))
    throw new AuthError(
      `Expected ${place} to protect the code (PKCE with S256), but it does not say that it does, and then a client must not go on. If you have a token, give it as an Authorization header.`,
    );
  return metadata;
}

/** Identical, but for a slash at the end, which is lost and added on the way through address parsers. */
export const isSameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, '') === b.replace(/\/$/, '');

/** An address without its query, and without what is secret in it. */
export const shown = (address: string): string => maskedUrl(address).split('?')[0] ?? '';

/** Within this computer nobody listens. */
const isEncrypted = (address: string): boolean => {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
};
