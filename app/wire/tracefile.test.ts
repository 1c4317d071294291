import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ns } from '../base/time';
import type { Act, Body, Effect, Frame, Life, Raw } from './frame';
import { NOISE } from './frame';
import {
  decodeHeader,
  decodeLine,
  encodeFrame,
  encodeHeader,
  messageMiddle,
  rawOf,
  readLine,
  TraceFileError,
  VERSION,
  writtenMessage,
} from './tracefile';

const time = fc.integer({ min: 0, max: 2 ** 53 - 1 }).map((n) => n as Ns);
const anyText = fc.string({ unit: 'binary' });
const id = fc.oneof(fc.constantFrom(0, '', '5', 5, -1, 1.5), fc.integer(), anyText);

/** JSON as other programs write it: odd spaces, a carriage return, escapes of half a character, the format's own words. */
const space = fc.constantFrom('', ' ', '\t', '\r', '  \r\t');
const member = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '"\\ud800"',
    '"\\uDFFF\\ud83d"',
    '"\\u2028 \u2028 é 🙂"',
    '{"kind":"message","raw":{}}',
    '"}"',
    '"\\"raw\\":"',
    '1e-7',
    '0',
    '""',
  ),
);
const rawMessage = fc
  .tuple(space, space, space, space, member, fc.boolean())
  .map(([a, b, c, d, value, feed]) => `${a}{${b}"jsonrpc"${c}:"2.0",${feed ? '\n' : d}"method":"x","params":${value}${b}}${d}`);

const raw: fc.Arbitrary<Raw> = fc.oneof(
  anyText.map((text) => ({ text })),
  fc.base64String().map((base64) => ({ base64 })),
);
const means = fc.oneof(
  fc.constantFrom({ means: 'cancel' as const }, { means: 'abandon' as const }, { means: 'kill' as const }),
  fc.boolean().map((silent) => ({ means: 'timeout' as const, silent })),
  id.map((other) => ({ means: 'cancel-id' as const, id: other })),
);
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record(
    {
      act: fc.constant('call' as const),
      id,
      tool: anyText,
      probes: fc.array(anyText),
      settle: time,
      fence: fc.boolean(),
      normally: time,
      retryOf: id,
    },
    { requiredKeys: ['act', 'id', 'tool', 'probes', 'settle', 'fence'] },
  ),
  // The order of keys is the writer's, not the schema's.
  fc.record({ wrote: fc.boolean(), late: fc.boolean(), reason: anyText, how: means, id, act: fc.constant('stop' as const) }),
  fc.record({ act: fc.constant('undelivered' as const), id, why: anyText }),
  fc.record({ act: fc.constant('fence' as const), id, ping: id }),
  fc.record({ act: fc.constant('idle' as const), ping: id }),
);
const life: fc.Arbitrary<Life> = fc.oneof(
  fc.record({ event: fc.constant('started' as const), pid: fc.nat(), command: anyText, args: fc.array(anyText) }),
  fc.record({ event: fc.constant('exited' as const), code: fc.integer(), asked: fc.constantFrom('nobody' as const, 'kill' as const) }),
  fc.record({
    event: fc.constant('opened' as const),
    transport: fc.constant('stdio' as const),
    protocol: anyText,
    server: fc.record({ name: anyText, version: anyText }),
  }),
  fc.constant({ event: 'closed' as const }),
);
const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({ effect: fc.constant('watching' as const), probe: anyText, kind: anyText, place: anyText, shared: fc.boolean() }),
  fc.record(
    {
      effect: fc.constant('seen' as const),
      probe: anyText,
      lo: time,
      hi: time,
      says: anyText,
      subject: anyText,
      sample: anyText,
      undecided: fc.boolean(),
    },
    { requiredKeys: ['effect', 'probe', 'lo', 'hi', 'says', 'subject'] },
  ),
  fc.record({ effect: fc.constant('reverted' as const), probe: anyText, lo: time, hi: time, says: anyText, of: fc.array(fc.nat()) }),
  fc.record({ effect: fc.constant('gap' as const), probe: anyText, lo: time, hi: time, why: anyText }),
);
const body: fc.Arbitrary<Body> = fc.oneof(
  rawMessage.map((text) => ({ kind: 'message' as const, raw: text })),
  fc.record({ kind: fc.constant('noise' as const), why: fc.constantFrom(...NOISE), raw }),
  fc.record({ kind: fc.constant('stderr' as const), raw }),
  act.map((one) => ({ kind: 'act' as const, act: one })),
  life.map((one) => ({ kind: 'life' as const, life: one })),
  effect.map((one) => ({ kind: 'effect' as const, effect: one })),
);
const frame: fc.Arbitrary<Frame> = fc
  .tuple(
    fc.record({
      seq: fc.nat(),
      t: time,
      wall: anyText,
      session: fc.integer({ min: 0, max: 255 }),
      dir: fc.constantFrom('-' as const, 'c2s' as const, 's2c' as const),
    }),
    body,
  )
  .map(([head, rest]) => ({ ...head, ...rest }));

const HEAD = '{"seq":1,"t":2,"wall":"w","session":1,"dir":"s2c",';
const refusal = (line: string): string => {
  try {
    decodeLine(line);
  } catch (error) {
    if (error instanceof TraceFileError) return error.message;
    throw error;
  }
  return 'accepted';
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('a frame', () => {
  it('survives encoding, decoding and encoding again, as one line', () => {
    fc.assert(
      fc.property(frame, (original) => {
        const line = encodeFrame(original);
        const decoded = decodeLine(line);
        expect(line).not.toContain('\n');
        expect(encodeFrame(decoded)).toBe(line);
        expect(decoded).toEqual(original);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps a message byte for byte, and parses it once', () => {
    fc.assert(
      fc.property(rawMessage, (text) => {
        const line = encodeFrame({ seq: 0, t: 0 as Ns, wall: 'w', session: 1, dir: 's2c', kind: 'message', raw: text });
        expect(rawOf(line)).toBe(text.includes('\n') ? undefined : text);
        expect(readLine(line)).toEqual({ frame: expect.objectContaining({ raw: text }), message: JSON.parse(text) });
      }),
    );
  });

  it('is taken apart by its bytes as it is by parsing, or not at all, whatever is done to its line', () => {
    const iso = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((at) => at.toISOString());
    const change = fc.option(fc.tuple(fc.nat(), fc.constantFrom('', ' ', '0', '9', '"', ',', '}', '\\', 'x')), { nil: undefined });
    let taken = 0;
    fc.assert(
      fc.property(frame, iso, rawMessage, fc.boolean(), change, (any, wall, text, isMessage, changed) => {
        const { seq, session, dir } = any;
        const t = (any.t % 1e14) as Ns;
        const line = encodeFrame(isMessage ? { seq, t, wall, session, dir, kind: 'message', raw: text } : any);
        const at = changed ? changed[0] % line.length : 0;
        const altered = changed ? `${line.slice(0, at)}${changed[1]}${line.slice(at + 1)}` : line;
        const bytes = new TextEncoder().encode(`  ${altered}`);
        const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
        const spelled = decoder.decode(bytes.subarray(2));
        const written = writtenMessage(bytes, 2, bytes.length);
        const raw = written && decoder.decode(bytes.subarray(written.rawFrom, -1));
        if (!written || raw === undefined || !isJson(raw)) return;
        taken++;
        const { rawFrom: _, exchange, ...stamp } = written;
        expect(readLine(spelled)).toEqual({
          frame: { ...stamp, wall: expect.any(String), kind: 'message', raw, ...(exchange === 0 ? {} : { exchange }) },
          message: JSON.parse(raw),
        });
      }),
      { numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  it('is the same line by the fast path', () => {
    const raw = '{"jsonrpc":"2.0", "id":"","result":{}}';
    const line = encodeFrame({
      seq: 31,
      t: 420_391_000 as Ns,
      wall: '2026-03-01T09:30:05.123Z',
      session: 1,
      dir: 'c2s',
      kind: 'message',
      raw,
    });
    expect(`{"seq":31,"t":420391000${messageMiddle('2026-03-01T09:30:05.123Z', 1, 'c2s')}${raw}}`).toBe(line);
    expect(line).toBe(
      '{"seq":31,"t":420391000,"wall":"2026-03-01T09:30:05.123Z","session":1,"dir":"c2s","kind":"message","raw":{"jsonrpc":"2.0", "id":"","result":{}}}',
    );
  });

  it('keeps members that only a later version knows', () => {
    const line = `${HEAD}"kind":"life","life":{"event":"closed","mood":"calm"}}`;
    expect(encodeFrame(decodeLine(line))).toBe(line);
  });

  it('is refused when it could not be read again', () => {
    const head = { seq: 0, wall: 'w', session: 1, dir: '-' } as const;
    const closed = { kind: 'life', life: { event: 'closed' } } as const;
    const call: Act = { act: 'call', id: 1, tool: 'x', probes: [], settle: Number.POSITIVE_INFINITY as Ns, fence: true };
    expect(() => encodeFrame({ ...head, t: Number.NaN as Ns, ...closed })).toThrow('expected the time of a frame in nanoseconds, got NaN');
    expect(() => encodeFrame({ ...head, t: 0 as Ns, ...closed, session: 256 })).toThrow('expected a session number from 0 to 255, got 256');
    expect(() => encodeFrame({ ...head, t: 0 as Ns, kind: 'act', act: call })).toThrow(/this act cannot be recorded: .*settle/);
  });
});

describe('a line that is not what it should be', () => {
  it.each([
    ['', 'expected a frame as one line of JSON, saw ""'],
    ['{"seq":1,"t":2', 'expected a frame as one line of JSON, saw "{\\"seq\\":1,\\"t\\":2"'],
    ['[1]', 'expected a frame as one line of JSON, saw "[1]"'],
    ['{"seq":-1}', `expected "seq" to be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, saw -1`],
    ['{"seq":1,"t":"2"}', 'expected "t" to be a number of nanoseconds, saw "2"'],
    ['{"seq":1,"t":2}', 'expected "wall" to be a text, saw nothing'],
    ['{"seq":1,"t":2,"wall":"w","session":256}', 'expected "session" to be a whole number from 0 to 255, saw 256'],
    ['{"seq":1,"t":2,"wall":"w","session":1,"dir":"up"}', 'expected "dir" to be one of -, c2s, s2c, saw "up"'],
    [`${HEAD}"kind":"song"}`, 'expected "kind" to be message, noise, stderr, http, life, act or effect, saw "song"'],
    [`${HEAD}"kind":"message"}`, 'expected "text" to be a text, saw nothing'],
    [`${HEAD}"kind":"message","text":"{"}`, 'expected "text" of a message to be JSON, saw "{"'],
    [
      `${HEAD}"kind":"noise","why":"loud","text":""}`,
      'expected "why" to be one of not-json, not-json-rpc, too-long, unfinished, not-utf-8, saw "loud"',
    ],
    [
      `${HEAD}"kind":"stderr"}`,
      'expected "text" or "base64", saw neither in {"seq":1,"t":2,"wall":"w","session":1,"dir":"s2c","kind":"stderr"}',
    ],
  ])('%s', (line, message) => expect(refusal(line)).toBe(message));

  it('names what is wrong in an act, a life or an effect', () => {
    expect(refusal(`${HEAD}"kind":"life","life":{"event":"exited","asked":"me"}}`)).toMatch(
      /^"life" is not what it should be: .* at asked; saw \{"event":"exited"/,
    );
    expect(refusal(`${HEAD}"kind":"act"}`)).toMatch(/^"act" is not what it should be: .*; saw nothing$/);
  });
});

describe('the header', () => {
  it('survives encoding and decoding', () => {
    const line = encodeHeader('2026-03-01T09:30:05.123Z', 'stopgap 0.1.0');
    expect(line).toBe('{"format":"stopgap-trace","version":1,"began":"2026-03-01T09:30:05.123Z","by":"stopgap 0.1.0"}');
    expect(decodeHeader(line)).toEqual({
      format: 'stopgap-trace',
      version: VERSION,
      began: '2026-03-01T09:30:05.123Z',
      by: 'stopgap 0.1.0',
    });
  });

  it.each([
    ['hello', 'expected the first line to be {"format":"stopgap-trace",…}, saw "hello"'],
    ['{"a":1}', 'expected a trace file ("format":"stopgap-trace"), saw nothing'],
    [
      '{"format":"stopgap-trace","version":2}',
      'expected a trace file of version 1 or older, saw version 2: a newer Stopgap wrote it; open it with that one',
    ],
  ])('%s is refused', (line, message) => expect(() => decodeHeader(line)).toThrow(new TraceFileError(message)));

  it('is refused without its time', () => {
    expect(() => decodeHeader('{"format":"stopgap-trace","version":1,"by":"x"}')).toThrow(/^the header is not complete: .* at began$/);
  });
});
