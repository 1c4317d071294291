// What the errors of revision 2026-07-28 say, and what is left unsaid where their data lack it.
import { expect, test } from 'vitest';
import { refusalSays, supportedIn } from './refusals';

test.each([
  [-32022, { supported: ['2027-01-01'], requested: '2026-07-28' }, /does not speak .*; it speaks 2027-01-01$/],
  [-32022, undefined, /does not speak the revision that was asked for$/],
  [-32021, { requiredCapabilities: { elicitation: {}, sampling: {} } }, /has not declared \(elicitation, sampling\)$/],
  [-32021, 'odd', /has not declared$/],
  [-32020, { mismatch: { header: 'a', body: 'the body names b' } }, /do not say the same: the body names b$/],
  [-32020, { mismatch: [] }, /do not say the same$/],
])('%i %j', (code, data, says) => {
  expect(refusalSays(code, data)).toMatch(says);
});

test('any other code means what its server says', () => {
  for (const code of [-32601, 0, undefined, 'x']) expect(refusalSays(code, {})).toBeUndefined();
});

test('the revisions that are spoken are read where the error is of that kind, and from nothing else', () => {
  expect(supportedIn({ code: -32022, data: { supported: ['a', 1, 'b'] } })).toEqual(['a', 'b']);
  expect(supportedIn({ code: -32601, data: { supported: ['a'] } })).toBeUndefined();
  expect(supportedIn(undefined)).toBeUndefined();
});
