// The spans come from the official SDK and its exporters, configured as servers are: by the environment.
import { hostname } from 'node:os';
import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, type TimeInput, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TraceContexts } from '../../app/evidence/probe';
import { startClock } from '../host/clock';
import { startOtelProbe } from './otel';
import { type Heard, hearing } from './probe.testing';
import { createTraceContexts } from './traces';

vi.setConfig({ testTimeout: 30_000 });

interface Scene extends Heard {
  readonly url: string;
  readonly traces: TraceContexts;
  readonly probe: Awaited<ReturnType<typeof startOtelProbe>>;
}

async function scene(more: { readonly done?: string } = {}): Promise<Scene> {
  const clock = startClock();
  const traces = createTraceContexts(clock);
  const heard = hearing(clock, { traces });
  const probe = await startOtelProbe({ kind: 'otel', name: 'spans', shared: false, port: 0, ...more }, heard.context);
  onTestFinished(() => probe.stop());
  return { ...heard, traces, probe, url: probe.variables?.['url'] ?? '' };
}

interface Made {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly failed?: boolean;
  readonly startTime?: TimeInput;
  readonly endTime?: TimeInput;
}

interface Server {
  /** Makes a span below a call's trace context and sends it. */
  span(traceparent: string, made: Made): Promise<void>;
}

/** A server with the official SDK. */
function instrumented(url: string, Exporter: typeof JsonExporter | typeof ProtobufExporter, resource: Attributes = {}): Server {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', 'gzip');
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource),
    spanProcessors: [new SimpleSpanProcessor({ exporter: new Exporter() })],
  });
  vi.unstubAllEnvs();
  onTestFinished(() => provider.shutdown());
  return {
    async span(traceparent, { name, kind = SpanKind.INTERNAL, attributes = {}, failed = false, startTime, endTime }) {
      const [, traceId = '', spanId = ''] = traceparent.split('-');
      const parent = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
      const options = { kind, attributes, ...(startTime === undefined ? {} : { startTime }) };
      const span = provider.getTracer('test').startSpan(name, options, parent);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endTime);
      await provider.forceFlush();
    },
  };
}

describe.each([
  ['JSON', JsonExporter],
  ['protobuf', ProtobufExporter],
] as const)('OTLP as %s', (_, Exporter) => {
  it('takes the start of a span for work of the call whose trace it names', async () => {
    const { all, clock, traces, url } = await scene();
    const server = instrumented(url, Exporter, { 'host.name': hostname() });
    const before = clock.now();
    const traceparent = traces.forCall('call-7');
    await server.span(traceparent, { name: 'tools/call charge_card' });
    const after = clock.now();
    const [work, ...others] = all('work');
    expect(others).toEqual([]);
    expect(work).toEqual({
      effect: 'work',
      probe: 'spans',
      sign: 'span',
      lo: expect.any(Number),
      hi: expect.any(Number),
      says: 'span “tools/call charge_card” started',
      subject: expect.stringMatching(/^span [0-9a-f]{16}$/),
      call: 'call-7',
    });
    expect(work?.lo).toBeGreaterThanOrEqual(before);
    expect(work?.hi).toBeGreaterThan(work?.lo ?? Number.NaN);
    expect(work?.hi).toBeLessThanOrEqual(after);
    expect([...all('seen'), ...all('gap'), ...all('stranger')]).toEqual([]);
  });

  it('sees a write in a span that says it is one, between its start and its end', async () => {
    const { all, clock, traces, url } = await scene();
    const server = instrumented(url, Exporter);
    const traceparent = traces.forCall(0);
    const startMs = Date.now() + 200;
    while (Date.now() < startMs + 300) await new Promise((resolve) => setTimeout(resolve, 10));
    await server.span(traceparent, {
      name: 'INSERT orders',
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'postgresql', 'db.query.text': 'INSERT INTO orders VALUES ($1)', 'db.collection.name': 'orders' },
      startTime: startMs,
      endTime: startMs + 50,
    });
    const offset = clock.now() / 1e6 - Date.now();
    const [seen] = all('seen');
    expect(seen).toEqual({
      effect: 'seen',
      probe: 'spans',
      lo: expect.any(Number),
      hi: expect.any(Number),
      says: 'postgresql INSERT orders (span “INSERT orders”)',
      subject: 'postgresql INSERT orders',
      sample: 'INSERT INTO orders VALUES ($1)',
      call: 0,
    });
    const start = (startMs + offset) * 1e6;
    expect(seen?.lo).toBeLessThanOrEqual(start);
    expect(seen?.lo).toBeGreaterThan(start - 100e6);
    expect(seen?.hi).toBeGreaterThanOrEqual(start + 50e6);
    expect(seen?.hi).toBeLessThan(start + 200e6);
    expect(all('work')).toHaveLength(1);
  });

  it('leaves undecided a write that says it failed', async () => {
    const { all, traces, url } = await scene();
    const attributes = { 'http.request.method': 'POST', 'url.full': 'https://api.example.com/orders?key=secret' };
    await instrumented(url, Exporter).span(traces.forCall(1), { name: 'POST', kind: SpanKind.CLIENT, attributes, failed: true });
    expect(all('seen')).toMatchObject([
      { says: 'POST api.example.com/orders, which failed (span “POST”)', subject: 'POST api.example.com/orders', undecided: true },
    ]);
  });

  it('knows of a span of another machine only that it is younger than the call and older than its arrival', async () => {
    const { all, clock, traces, url } = await scene();
    const server = instrumented(url, Exporter, { 'host.name': `not-${hostname()}` });
    const before = clock.now();
    const traceparent = traces.forCall(1);
    const given = clock.now();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const beforeSpan = clock.now();
    await server.span(traceparent, { name: 'work' });
    const [work] = all('work');
    expect(work?.says).toBe('span “work” started (its clock is not this machine’s)');
    expect(work?.lo).toBeGreaterThanOrEqual(before);
    expect(work?.lo).toBeLessThanOrEqual(given);
    expect(work?.hi).toBeGreaterThanOrEqual(beforeSpan);
    expect(work?.hi).toBeLessThanOrEqual(clock.now());
  });

  it('leaves spans of other traces alone', async () => {
    const { effects, traces, url } = await scene();
    traces.forCall(1);
    const attributes = { 'http.request.method': 'POST' };
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await instrumented(url, Exporter).span(traceparent, { name: 'heartbeat', kind: SpanKind.CLIENT, attributes });
    expect(effects.map(({ effect }) => effect)).toEqual(['watching']);
  });
});

/** One span as JSON, as the specification of OTLP has it. */
const payload = (traceId: string, more: object = {}): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: {},
        scopeSpans: [
          {
            spans: [
              {
                traceId,
                spanId: 'eee19b7ec3c1b174',
                name: 'work',
                kind: 1,
                startTimeUnixNano: `${Date.now()}000000`,
                endTimeUnixNano: `${Date.now()}000000`,
                ...more,
              },
            ],
          },
        ],
      },
    ],
  });

const post = (url: string, body: string, type = 'application/json'): Promise<Response> =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': type } });
const traceOf = (traceparent: string): string => traceparent.split('-')[1] ?? '';

it('takes a span once, however often it is sent', async () => {
  const { all, traces, url } = await scene();
  const body = payload(traceOf(traces.forCall(1)));
  for (let n = 0; n < 3; n++) {
    const answer = await post(`${url}/v1/traces`, body);
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);
  }
  expect(all('work')).toHaveLength(1);
});

it('trusts no clock that contradicts the call or the arrival', async () => {
  const { all, clock, traces, url } = await scene();
  const hour = 3_600_000n * 1_000_000n;
  for (const off of [-hour, hour]) {
    const at = String(BigInt(Date.now()) * 1_000_000n + off);
    const traceparent = traces.forCall(1);
    await post(`${url}/v1/traces`, payload(traceOf(traceparent), { startTimeUnixNano: at, endTimeUnixNano: at }));
    const work = all('work').at(-1);
    expect(work?.says).toBe('span “work” started (its clock is not this machine’s)');
    expect(work?.lo).toBe(traces.callOf(traceOf(traceparent))?.since);
    expect(work?.hi).toBeLessThanOrEqual(clock.now());
  }
});

it('says what it could not read, and since when', async () => {
  const { all, clock, traces, url } = await scene();
  await post(`${url}/v1/traces`, payload(traceOf(traces.forCall(1))));
  const before = clock.now();
  expect((await post(`${url}/v1/traces`, '{"resourceSpans":7}')).status).toBe(400);
  expect((await post(`${url}/v1/traces`, '\u0007\u0007\u0007', 'application/x-protobuf')).status).toBe(400);
  expect((await post(`${url}/v1/traces`, 'x', 'text/plain')).status).toBe(400);
  const gaps = all('gap');
  expect(gaps.map(({ why }) => why.replace(/: .*?(expected|invalid|Invalid|index)/, ': … $1'))).toEqual([
    expect.stringMatching(/^spans came that cannot be read: /),
    expect.stringMatching(/^spans came that cannot be read: /),
    'spans came that cannot be read: … expected OTLP as application/x-protobuf or application/json, got text/plain',
  ]);
  expect(gaps[0]?.lo).toBeLessThanOrEqual(before);
  expect(gaps[0]?.hi).toBeGreaterThanOrEqual(before);
  expect(gaps[1]?.lo).toBe(gaps[0]?.hi);
});

it('does no harm to the other signals, nor to other addresses', async () => {
  const { effects, url } = await scene();
  expect((await post(`${url}/v1/metrics`, '{}')).status).toBe(200);
  expect((await post(`${url}/v1/logs`, '{}')).status).toBe(200);
  expect((await post(url, '{}')).status).toBe(404);
  expect(effects.map(({ effect }) => effect)).toEqual(['watching']);
});

it('takes nothing without the token, whatever trace it names', async () => {
  const { effects, traces, url } = await scene();
  const { origin } = new URL(url);
  expect((await post(`${origin}/v1/traces`, payload(traceOf(traces.forCall(1))))).status).toBe(404);
  expect(effects.slice(1)).toEqual([
    { effect: 'stranger', probe: 'spans', says: 'POST /v1/traces came without the token and was answered with 404' },
  ]);
});

it('never says that there was nothing new: a span arrives when it has ended', async () => {
  const { effects, probe } = await scene();
  await probe.read();
  await Promise.all([probe.stop(), probe.stop()]);
  expect(effects.map(({ effect }) => effect)).toEqual(['watching', 'ended']);
});

it('knows a whole effect by its pattern', async () => {
  const { all, traces, url } = await scene({ done: 'INSERT INTO charges' });
  const attributes = [{ key: 'db.query.text', value: { stringValue: 'INSERT INTO charges VALUES (1)' } }];
  await post(`${url}/v1/traces`, payload(traceOf(traces.forCall(1)), { kind: 3, attributes }));
  expect(all('seen')).toMatchObject([{ subject: 'INSERT', done: true }]);
});

it('refuses to run where nobody tells which trace is whose', async () => {
  const { context } = hearing(startClock());
  await expect(startOtelProbe({ kind: 'otel', name: 'spans', shared: false, port: 0 }, context)).rejects.toThrow(
    /^Expected calls that carry a trace context/,
  );
});
