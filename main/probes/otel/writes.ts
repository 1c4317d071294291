// Which spans are writes, by the semantic conventions (OpenTelemetry semantic conventions 1.x: database, messaging and HTTP
// client spans, in their stable and their older names). A span is only taken for a write when its own words say so: the
// statement's first word, the operation's type, the request's method. Procedures, remote calls and unknown verbs are work.
import type { Span } from './decode';

export interface Write {
  /** What was written to, in a few words: `postgresql INSERT orders`. */
  readonly what: string;
  /** The statement, where there is one. */
  readonly sample: string | undefined;
}

const CLIENT = 3;
const PRODUCER = 4;
const SAMPLE_CHARS = 2000;

/** First words of statements, and names of operations, that write. */
const WRITING = new Set(
  [
    'insert update delete merge replace upsert truncate create alter drop grant revoke',
    // Documents: MongoDB, DynamoDB, Elasticsearch and their like.
    'insertone insertmany updateone updatemany deleteone deletemany replaceone bulkwrite findandmodify findoneandupdate',
    'findoneandreplace findoneanddelete putitem updateitem deleteitem batchwriteitem transactwriteitems index bulk',
  ].flatMap((line) => line.split(' ')),
);
/** Commands that write where the database is Redis or speaks its language; `SET` means something else in SQL. */
const REDIS_WRITING = new Set(
  [
    'set setex setnx psetex mset msetnx append incr incrby incrbyfloat decr decrby getset getdel del unlink expire persist rename',
    'hset hsetnx hmset hincrby hdel lpush rpush lpop rpop lset lrem ltrim linsert sadd srem smove spop zadd zincrby zrem',
    'xadd xdel xtrim xack publish pfadd setbit setrange geoadd copy move flushdb flushall',
  ].flatMap((line) => line.split(' ')),
);
const REDIS = new Set(['redis', 'valkey']);
/** A query with a leading `WITH` writes when one of these stands in it. */
const WITHIN = /\b(insert\s+into|(?<!\bfor\s+(?:no\s+key\s+)?)update|delete\s+from|merge\s+into)\b/i;
const WRITING_METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** What a span has written, or undefined when its words do not say that it has. */
export const writeOf = (span: Span): Write | undefined => statement(span) ?? message(span) ?? request(span);

/** The first of these attributes that is there. */
function first({ attributes }: Span, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    if (value !== undefined && value !== '') return String(value);
  }
  return undefined;
}

const joined = (...words: readonly (string | undefined)[]): string => words.filter((word) => word !== undefined).join(' ');

function statement(span: Span): Write | undefined {
  const system = first(span, 'db.system.name', 'db.system');
  const text = first(span, 'db.query.text', 'db.statement');
  const operation = first(span, 'db.operation.name', 'db.operation')?.replace(/^BATCH\s+/i, '');
  const verb = text === undefined ? operation : (verbOf(text) ?? operation);
  if (verb === undefined) return undefined;
  const word = verb.toLowerCase().split(/\s/)[0] ?? '';
  const writes = REDIS.has(system ?? '')
    ? REDIS_WRITING.has(word)
    : WRITING.has(word) || (word === 'with' && WITHIN.test(unquoted(text ?? '')));
  if (!writes) return undefined;
  const target = first(span, 'db.collection.name', 'db.sql.table', 'db.mongodb.collection', 'db.namespace', 'db.name');
  return { what: joined(system, verb.toUpperCase(), target), sample: text?.slice(0, SAMPLE_CHARS) };
}

/** The first word of a statement, behind comments and brackets. */
const verbOf = (text: string): string | undefined => /^(?:\s|\(|--[^\n]*\n|\/\*[\s\S]*?\*\/)*([a-z]+)/i.exec(text)?.[1];

const unquoted = (text: string): string => text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '');

function message(span: Span): Write | undefined {
  const system = first(span, 'messaging.system');
  if (system === undefined) return undefined;
  const operation = first(span, 'messaging.operation.type', 'messaging.operation');
  const sends = operation === undefined ? span.kind === PRODUCER : operation === 'send' || operation === 'publish';
  if (!sends) return undefined;
  return {
    what: joined(system, operation ?? 'send', first(span, 'messaging.destination.name', 'messaging.destination')),
    sample: undefined,
  };
}

/** A request that a client has made. Its address may hold secrets: the host and the path are told, never the query. */
function request(span: Span): Write | undefined {
  if (span.kind !== CLIENT) return undefined;
  const method = first(span, 'http.request.method_original', 'http.request.method', 'http.method')?.toUpperCase();
  if (method === undefined || !WRITING_METHODS.has(method)) return undefined;
  const full = first(span, 'url.full', 'http.url');
  const address = full !== undefined && URL.canParse(full) ? new URL(full) : undefined;
  const host = address?.host ?? first(span, 'server.address', 'net.peer.name', 'http.host');
  const path = address?.pathname ?? first(span, 'url.path')?.split('?')[0];
  return { what: joined(method, `${host ?? ''}${path ?? ''}` || undefined), sample: undefined };
}

/** Whether a span says that what it did went wrong: whether it took effect is then not known. */
export function isUndecided(span: Span): boolean {
  const status = Number(first(span, 'http.response.status_code', 'http.status_code') ?? 0);
  return span.failed || status >= 400;
}
