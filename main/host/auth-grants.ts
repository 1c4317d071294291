// What an authorization has brought for one server: the client's registration and the tokens. It is kept with the secrets,
// under the server's key, and nowhere else.
import {
  type OAuthClientInformationFull,
  OAuthClientInformationFullSchema,
  type OAuthTokens,
  OAuthTokensSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { type Secrets, secretKey } from '../store/secrets';

export interface Grant {
  readonly client?: OAuthClientInformationFull | undefined;
  readonly tokens?: OAuthTokens | undefined;
  /** When the access token runs out, in ms of wall time; undefined where the server did not say. */
  readonly expires?: number | undefined;
  /** What was granted, separated by spaces; undefined where nobody has named anything. */
  readonly scope?: string | undefined;
}

export interface Grants {
  read(): Promise<Grant>;
  /** Changes what is named and leaves the rest; undefined takes it away. */
  change(change: Grant): Promise<void>;
  forget(): Promise<void>;
  /** One after the other, whoever asks: two that renew the same token at once would have each other's taken back. */
  alone<T>(task: () => Promise<T>): Promise<T>;
}

/** By place and key: the last task that was to be alone. */
const turns = new WeakMap<Secrets, Map<string, Promise<unknown>>>();

/**
 * @param server the server's key (see `serverKey`)
 * @param url its address: what was granted for another one, before the description was changed, counts for nothing
 */
export function grantsOf(secrets: Secrets, server: string, url: string): Grants {
  const key = secretKey('oauth', server);
  const all = turns.get(secrets) ?? new Map<string, Promise<unknown>>();
  turns.set(secrets, all);
  const read = async (): Promise<Grant> => {
    const values = await secrets.get(key);
    return values['url'] === url ? grantOf(values) : {};
  };
  return {
    read,
    change: async (change) => secrets.set(key, { url, ...valuesOf({ ...(await read()), ...change }) }),
    forget: () => secrets.forget(key),
    alone(task) {
      const result = (all.get(key) ?? Promise.resolve()).then(task);
      const over = result.catch(() => undefined);
      all.set(key, over);
      return result;
    },
  };
}

function grantOf({ client, tokens, expires, scope }: Readonly<Record<string, string>>): Grant {
  return {
    client: client === undefined ? undefined : OAuthClientInformationFullSchema.parse(JSON.parse(client)),
    tokens: tokens === undefined ? undefined : OAuthTokensSchema.parse(JSON.parse(tokens)),
    expires: expires === undefined ? undefined : Number(expires),
    scope,
  };
}

function valuesOf({ client, tokens, expires, scope }: Grant): Record<string, string> {
  return {
    ...(client === undefined ? {} : { client: JSON.stringify(client) }),
    ...(tokens === undefined ? {} : { tokens: JSON.stringify(tokens) }),
    ...(expires === undefined ? {} : { expires: String(expires) }),
    ...(scope === undefined ? {} : { scope }),
  };
}
