import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ns } from '../../app/base/time';
import { eventReader, type StreamEvent } from './event-stream';

/** Reads a stream in chunks; what is found, with the number of the chunk that completed it. */
function read(chunks: readonly (string | Buffer)[], limit?: number): readonly (readonly [number, StreamEvent | string])[] {
  const found: (readonly [number, StreamEvent | string])[] = [];
  const reader = eventReader(
    { event: (t, event) => found.push([t, event]), broken: (t, why, bytes) => found.push([t, `${why}: ${bytes.toString('latin1')}`]) },
    limit,
  );
  for (const [index, chunk] of chunks.entries()) reader.push(Buffer.from(chunk), index as Ns);
  reader.end(chunks.length as Ns);
  return found;
}
const events = (...chunks: readonly string[]): readonly (StreamEvent | string)[] => read(chunks).map(([, what]) => what);
const event = (data: string | undefined, more: Partial<StreamEvent> = {}): StreamEvent => ({
  name: undefined,
  id: undefined,
  retry: undefined,
  data,
  ...more,
});

test('an event is found when its last byte comes', () => {
  expect(read(['data: a\n', '\ndata: b\n\nda', 'ta: c', '\n', '\n'])).toEqual([
    [1, event('a')],
    [1, event('b')],
    [4, event('c')],
  ]);
});

test.each(['\n', '\r\n', '\r'])('lines may end in any of the three ways: %j', (end) => {
  const text = ['id: 7', 'event: note', 'retry: 50', 'data: one', 'data: two', '', 'data: b', '', ''].join(end);
  expect(events(text)).toEqual([event('one\ntwo', { id: '7', name: 'note', retry: 50 }), event('b')]);
});

test('how the bytes are cut into chunks changes nothing', () => {
  const line = fc.constantFrom('data: {"a":"ü"}', 'data:', 'id: 1', 'event: message', 'retry: 9', ': ping', '');
  const end = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end)), fc.array(fc.nat(400)), (lines, cuts) => {
      const bytes = Buffer.from(lines.map(([text, ending]) => text + ending).join(''));
      const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
      const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      const said = (found: ReturnType<typeof read>): readonly unknown[] => found.map(([, what]) => what);
      expect(said(read(pieces))).toEqual(said(read([bytes])));
    }),
  );
});

describe('an event without a message', () => {
  test.each<[string, StreamEvent]>([
    ['id: 7\ndata:\n\n', event('', { id: '7' })],
    ['id: 7\n\n', event(undefined, { id: '7' })],
    ['retry: 50\n\n', event(undefined, { retry: 50 })],
    ['event: ping\n\n', event(undefined, { name: 'ping' })],
    ['\uFEFFdata: a\n\n', event('a')],
  ])('%j', (text, found) => {
    expect(events(text)).toEqual([found]);
  });

  test('a comment is none', () => {
    expect(events(': keep-alive\n\n: keep-alive\n\n')).toEqual([]);
  });
});

describe('what is no event', () => {
  test('is unfinished where the stream breaks off, and empty lines are nothing', () => {
    expect(events('data: a\n\ndata: {"x')).toEqual([event('a'), 'unfinished: data: {"x']);
    expect(events('data: a\n\n\r\n')).toEqual([event('a')]);
  });

  test('is not UTF-8', () => {
    expect(read([Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a]), 'data: b\n\n'])).toEqual([
      [0, 'not-utf-8: data:ÿ\n\n'],
      [1, event('b')],
    ]);
  });

  test('is too long: its beginning is kept, and what follows it is read', () => {
    expect(read(['data: 0123', '456789\n\ndata: b\n\n'], 12)).toEqual([
      [1, 'too-long: data: 012345'],
      [1, event('b')],
    ]);
    expect(read(['data: 0123456789'], 12)).toEqual([[1, 'too-long: data: 012345']]);
  });
});
