// An address may hold a password: a database's, or any that stands in a command line. It is masked here, in one place,
// before anybody sees the address or what a driver says about it. Passwords that people forget to encode (`p@ss/word`) are
// masked as well.

/** Parameters whose values are nobody's business: `password`, `sslpassword`, `authToken`, `api_key`. */
const SECRET = /pass|pwd|secret|token|key/i;

/** What stands in the place of a secret. */
export const MASK = '***';

/** A host, with its port, that nobody logs in to (RFC 3986, 3.2): an `@` behind it belongs to the path. */
const NO_LOGIN = /^[^/?#@:]*(?::\d*)?(?:[/?#]|$)/;

/** An address somewhere in a text. */
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi;

interface Parts {
  /** `postgres://`. */
  readonly scheme: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly place: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

function partsOf(dsn: string): Parts | undefined {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(dsn)?.[0];
  if (scheme === undefined) return undefined;
  const at = NO_LOGIN.test(dsn.slice(scheme.length)) ? -1 : dsn.lastIndexOf('@');
  const login = at < 0 ? '' : dsn.slice(scheme.length, at);
  const colon = login.indexOf(':');
  const [place = '', ...query] = dsn.slice(Math.max(scheme.length, at + 1)).split('?');
  const parameters = query
    .join('?')
    .split('&')
    .filter((one) => one !== '')
    .map((one): [string, string] => {
      const equals = one.indexOf('=');
      return equals < 0 ? [one, ''] : [one.slice(0, equals), one.slice(equals + 1)];
    });
  return {
    scheme,
    user: colon < 0 ? login : login.slice(0, colon),
    password: colon < 0 ? undefined : login.slice(colon + 1),
    place,
    parameters,
  };
}

/** An address as a person may read it: `postgres://ada:***@db/shop`. A path (`sqlite:`) is left as it is. */
export function maskedDsn(dsn: string): string {
  const parts = partsOf(dsn);
  if (!parts) return dsn;
  return addressOf({
    ...parts,
    password: parts.password === undefined ? undefined : MASK,
    parameters: parts.parameters.map(([name, value]) => [name, SECRET.test(name) ? MASK : value]),
  });
}

function addressOf({ scheme, user, password, place, parameters }: Parts): string {
  const login = password === undefined ? user : `${user}:${password}`;
  const query = parameters.map(([name, value]) => `${name}=${value}`).join('&');
  return `${scheme}${login === '' ? '' : `${login}@`}${place}${query === '' ? '' : `?${query}`}`;
}

/** Whether an address has a place for a secret: filled or masked. */
export const hasSecrets = (dsn: string): boolean => maskedDsn(dsn).includes(MASK);

/** A masked address with what is masked in it taken from one that is whole: what a person has changed of it stays changed. */
export function unmaskedDsn(dsn: string, whole: string): string {
  if (dsn === maskedDsn(whole)) return whole;
  const [parts, known] = [partsOf(dsn), partsOf(whole)];
  if (!parts || !known) return dsn;
  const values = new Map(known.parameters);
  return addressOf({
    ...parts,
    password: parts.password === MASK ? known.password : parts.password,
    parameters: parts.parameters.map(([name, value]) => [name, value === MASK ? (values.get(name) ?? value) : value]),
  });
}

/** A text (a command line) in which no address shows its secrets. */
export const masked = (text: string): string => text.replace(ADDRESS, maskedDsn);

/** A text about an address (a driver's error) without the secrets of the address, encoded or not. */
export function withoutSecretsOf(dsn: string, text: string): string {
  const parts = partsOf(dsn);
  if (!parts) return text;
  const raw = [parts.password ?? '', ...parts.parameters.filter(([name]) => SECRET.test(name)).map(([, value]) => value)];
  const secrets = [...new Set(raw.flatMap((secret) => [secret, decoded(secret)]))].filter((secret) => secret !== '');
  // The whole address first: a short password may occur in it by chance.
  const masked = text.replaceAll(dsn, maskedDsn(dsn));
  return secrets.sort((a, b) => b.length - a.length).reduce((left, secret) => left.replaceAll(secret, MASK), masked);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
