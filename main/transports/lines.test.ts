import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ns } from '../../app/base/time';
import { lineSplitter, rawOf } from './lines';

interface Found {
  readonly t: number;
  readonly what: string;
  readonly bytes: Buffer;
}

/** Splits chunks that arrive at 1, 2, 3 …; the stream ends at 99. */
function split(chunks: readonly Buffer[], limit?: number): readonly Found[] {
  const found: Found[] = [];
  const lines = lineSplitter(
    {
      line: (t, text, size) => {
        expect(Buffer.byteLength(text)).toBe(size);
        found.push({ t, what: 'line', bytes: Buffer.from(text) });
      },
      broken: (t, what, bytes) => found.push({ t, what, bytes: Buffer.from(bytes) }),
    },
    limit,
  );
  for (const [index, chunk] of chunks.entries()) lines.push(chunk, (index + 1) as Ns);
  lines.end(99 as Ns);
  return found;
}

const texts = (found: readonly Found[]): readonly (readonly [number, string, string])[] =>
  found.map(({ t, what, bytes }) => [t, what, bytes.toString('latin1')]);

test('a line has the time of the chunk that brought its end, and keeps its carriage return', () => {
  expect(texts(split([Buffer.from('{"a":1}\r\n\n{"b"'), Buffer.from(':2}'), Buffer.from('\nrest')]))).toEqual([
    [1, 'line', '{"a":1}\r'],
    [1, 'line', ''],
    [3, 'line', '{"b":2}'],
    [99, 'unfinished', 'rest'],
  ]);
});

test('a character cut in two by the pipe is one character', () => {
  const bytes = Buffer.from('split – answer\n');
  expect(split([bytes.subarray(0, 7), bytes.subarray(7)]).map(({ bytes: line }) => line.toString())).toEqual(['split – answer']);
});

test('bytes that are not UTF-8 spoil their own line only', () => {
  const found = split([Buffer.concat([Buffer.from('é\n'), Buffer.from([0xff, 0xfe, 10]), Buffer.from('ok\n')])]);
  expect(found.map(({ what }) => what)).toEqual(['line', 'not-utf-8', 'line']);
  expect(rawOf(found[1]?.bytes ?? Buffer.alloc(0))).toEqual({ base64: '//4=' });
});

test('an over-long line comes in pieces that end between characters, and the next line is whole', () => {
  const found = split([Buffer.from('ééééééé'), Buffer.from('ééx\nok\n')], 5);
  expect(found.map(({ what, bytes }) => [what, bytes.toString()])).toEqual([
    ['too-long', 'éé'],
    ['too-long', 'éé'],
    ['too-long', 'éé'],
    ['too-long', 'éé'],
    ['too-long', 'éx'],
    ['line', 'ok'],
  ]);
});

test('however the pipe cuts them, the same bytes give the same lines, and none is lost', () => {
  const piece = fc.oneof(fc.constant('\n'), fc.string(), fc.constant('é'), fc.constant('{"x":1}\n')).map((text) => Buffer.from(text));
  const anything = fc.oneof(
    piece,
    fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(fc.array(anything), fc.array(fc.nat(40)), fc.constantFrom(7, 1000), (pieces, cuts, limit) => {
      const bytes = Buffer.concat(pieces);
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      const whole = split([bytes], limit);
      const inPieces = split(chunks, limit);
      // A too-long line's pieces may be cut elsewhere; what they make together may not differ.
      const joined = (found: readonly Found[]): string => Buffer.concat(found.map((one) => one.bytes)).toString('latin1');
      expect(joined(inPieces)).toBe(joined(whole));
      expect(joined(whole)).toBe(bytes.toString('latin1').replaceAll('\n', ''));
      const proper = (found: readonly Found[]): unknown =>
        texts(found.filter(({ what }) => what !== 'too-long')).map(([, ...rest]) => rest);
      expect(proper(inPieces)).toEqual(proper(whole));
    }),
  );
});
