// The small words of the command line and the scenario file, both ways.
import { describe, expect, test } from 'vitest';
import { durationMs } from './duration';
import { meansOf, meansWord } from './means';
import { nearest } from './nearest';

test('durations', () => {
  expect(['250ms', '1.5s', '2m', '0ms', '24000m', '5', 's', '-1s', '1h', ''].map(durationMs)).toEqual([
    250,
    1500,
    120_000,
    0,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

describe('means', () => {
  test.each(['cancel', 'abandon', 'timeout', 'timeout:silent', 'drop', 'kill', 'cancel-id:99', 'cancel-id:"5"', 'cancel-id:""'])(
    '%s',
    (word) => {
      const how = meansOf(word);
      expect(how && meansWord(how)).toBe(word);
    },
  );
  test('an id that is no JSON is a text', () => expect(meansOf('cancel-id:abc')).toEqual({ means: 'cancel-id', id: 'abc' }));
  test('others are none', () =>
    expect(['', 'dropped', 'cancel-id:', 'silent'].map(meansOf)).toEqual([undefined, undefined, undefined, undefined]));
});

test('the nearest word, where one is near enough', () => {
  const known = ['arguments', 'call', 'tool'];
  expect(['argumnets', 'tol', 'Call', 'zebra', 'x'].map((word) => nearest(word, known))).toEqual([
    'arguments',
    'tool',
    'call',
    undefined,
    undefined,
  ]);
});
