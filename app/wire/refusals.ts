// The errors that revision 2026-07-28 has a code of its own for, in words that a person can do something with. What the server
// says in its `message` is quoted elsewhere; this is what the code and its `data` say, whoever wrote the server.

/** The protocol's codes (2026-07-28, Basic: Error Codes). */
export const REFUSALS = { headerMismatch: -32020, missingCapability: -32021, unsupportedRevision: -32022 } as const;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an error means, as it goes on after “error -32022: ”; undefined for a code that is not one of these. */
export function refusalSays(code: unknown, data: unknown): string | undefined {
  const more = isObject(data) ? data : {};
  switch (code) {
    case REFUSALS.headerMismatch:
      return `a header of the request and its body do not say the same${mismatched(more['mismatch'])}`;
    case REFUSALS.missingCapability:
      return `it needs something that this client has not declared${named(isObject(more['requiredCapabilities']) ? Object.keys(more['requiredCapabilities']) : undefined)}`;
    case REFUSALS.unsupportedRevision:
      return `the server does not speak the revision that was asked for${spoken(more['supported'])}`;
    default:
      return undefined;
  }
}

/** The revisions that a server says it speaks, where it refuses another one. */
export function supportedIn(error: unknown): readonly string[] | undefined {
  if (!isObject(error) || error['code'] !== REFUSALS.unsupportedRevision || !isObject(error['data'])) return undefined;
  return texts(error['data']['supported']);
}

const texts = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : undefined;

/** The SDK's servers put a sentence where the body's part of the pair belongs. */
const mismatched = (value: unknown): string => {
  const pair = isObject(value) ? [value['body'], value['header']].find((one) => typeof one === 'string') : undefined;
  return typeof pair === 'string' && pair.length <= 300 ? `: ${pair}` : '';
};

const named = (names: readonly string[] | undefined): string => (names?.[0] === undefined ? '' : ` (${names.join(', ')})`);

const spoken = (value: unknown): string => {
  const supported = texts(value);
  return supported?.[0] === undefined ? '' : `; it speaks ${supported.join(', ')}`;
};
