// Lengths of time as a person reads them.
import { expect, test } from 'vitest';
import { asNs, words } from './time';

test.each([
  [0, '0 ns'],
  [999, '999 ns'],
  [12_340, '12.3 µs'],
  [999_600, '1 ms'],
  [87e6, '87 ms'],
  [412.4e6, '412 ms'],
  [999.6e6, '1 s'],
  [1.244e9, '1.24 s'],
  [59.96e9, '1 min 0 s'],
  [125e9, '2 min 5 s'],
  [-3.1e9, '-3.1 s'],
])('%d ns is %s', (t, text) => expect(words(asNs(t))).toBe(text));
