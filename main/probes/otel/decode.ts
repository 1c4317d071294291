// What an exporter posts, as spans. Both of OTLP's encodings over HTTP lead to one shape, which is checked before anything
// is made of it: a payload that is not what it says it is has to be seen to be lost.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import protobuf from 'protobufjs/light.js';
import { z } from 'zod';
import { DESCRIPTOR } from './descriptor';

export type Value = string | number | boolean;

/** A span that has ended. */
export interface Span {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  /** OTLP's number: 3 is a client, 4 a producer. */
  readonly kind: number;
  /** Wall time of the machine that made it, in ms since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: ReadonlyMap<string, Value>;
  /** It says that it failed. */
  readonly failed: boolean;
  /** `host.name` of the machine that made it, where it says so. */
  readonly host: string | undefined;
}

/** Unpacked payloads are not read beyond this. */
const UNPACKED_BYTES = 64 * 1024 * 1024;
const FAILED = 2;

const request = protobuf.Root.fromJSON(DESCRIPTOR).lookupType('ExportTraceServiceRequest');

/** JSON has ids as hexadecimal digits (OTLP 1.x, "JSON Protobuf Encoding"), protobuf as bytes. */
const id = (bytes: number) =>
  z
    .union([z.string(), z.instanceof(Uint8Array)])
    .transform((value) => (typeof value === 'string' ? value.toLowerCase() : Buffer.from(value).toString('hex')))
    .pipe(z.string().length(2 * bytes));
const integer = z.union([z.string().regex(/^-?\d+$/), z.number()]).transform(Number);
/** Nanoseconds are more than a double holds; microseconds are exact enough, and are. */
const wallMs = z
  .union([z.string().regex(/^\d+$/), z.number().int().nonnegative()])
  .transform((nanos) => Number(BigInt(nanos) / 1000n) / 1000);
const anyValue = z
  .object({ stringValue: z.string(), boolValue: z.boolean(), intValue: integer, doubleValue: z.number() })
  .partial()
  .transform(({ stringValue, boolValue, intValue, doubleValue }) => stringValue ?? boolValue ?? intValue ?? doubleValue);
const attributes = z
  .array(z.object({ key: z.string().default(''), value: anyValue.optional() }))
  .default([])
  .transform((list) => new Map(list.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as const]))));
const span = z.object({
  traceId: id(16),
  spanId: id(8),
  name: z.string().default(''),
  kind: z.number().default(0),
  startTimeUnixNano: wallMs,
  endTimeUnixNano: wallMs,
  attributes,
  status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
});
const payload = z.object({
  resourceSpans: z
    .array(
      z.object({
        resource: z.object({ attributes }).optional(),
        scopeSpans: z.array(z.object({ spans: z.array(span).default([]) })).default([]),
      }),
    )
    .default([]),
});

export const JSON_TYPE = 'application/json';
export const PROTOBUF_TYPE = 'application/x-protobuf';

const unpacked = promisify(gunzip);

/**
 * The spans of one payload.
 * @param type media type, without parameters
 * @param packing content encoding, '' when there is none
 * @throws Error that says what was expected and what came
 */
export async function decodeSpans(body: Buffer, type: string, packing: string): Promise<readonly Span[]> {
  const bytes = packing === 'gzip' ? await unpacked(body, { maxOutputLength: UNPACKED_BYTES }) : body;
  if (packing !== '' && packing !== 'gzip' && packing !== 'identity')
    throw new Error(`expected a payload that is packed with gzip or not at all, got ${packing}`);
  const { resourceSpans } = payload.parse(read(bytes, type));
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const host = resource?.attributes.get('host.name');
    return scopeSpans.flatMap(({ spans }) => spans.map((one) => spanOf(one, typeof host === 'string' ? host : undefined)));
  });
}

function read(bytes: Buffer, type: string): unknown {
  if (type === PROTOBUF_TYPE) return request.toObject(request.decode(bytes), { longs: String });
  if (type === JSON_TYPE) return JSON.parse(bytes.toString('utf8'));
  throw new Error(`expected OTLP as ${PROTOBUF_TYPE} or ${JSON_TYPE}, got ${type === '' ? 'no content type' : type}`);
}

const spanOf = (one: z.infer<typeof span>, host: string | undefined): Span => ({
  traceId: one.traceId,
  spanId: one.spanId,
  name: one.name,
  kind: one.kind,
  startMs: one.startTimeUnixNano,
  endMs: one.endTimeUnixNano,
  attributes: one.attributes,
  failed: one.status.code === FAILED,
  host,
});
