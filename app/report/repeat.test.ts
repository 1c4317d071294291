// Many runs of one scenario, counted.
import { expect, test } from 'vitest';
import { heldText, type Round, tallyOf, verdictsText } from './repeat';

const round = (verdict: 'stopped' | 'quiet', ok: boolean, surprises: readonly string[] = []): Round => ({
  ok,
  calls: [{ name: 'ticket', verdict }],
  expectations: [{ index: 0, ok: verdict === 'stopped', expected: 'ticket: verdict stopped', saw: `ticket: verdict ${verdict}` }],
  surprises,
});

test('every verdict is counted, and what did not hold is named with its run', () => {
  const tally = tallyOf([round('stopped', true), round('quiet', false), round('stopped', false, ['other: lost (warn, unknown)'])]);
  expect(tally).toEqual({
    runs: 3,
    held: 1,
    calls: [{ name: 'ticket', verdicts: { stopped: 2, quiet: 1 } }],
    misses: [
      { run: 2, says: 'expected ticket: verdict stopped; saw ticket: verdict quiet' },
      { run: 3, says: 'found, and expected by nobody: other: lost (warn, unknown)' },
    ],
  });
  expect(heldText(tally)).toBe('1 of 3 runs as expected');
  expect(verdictsText(tally.calls[0]?.verdicts ?? {})).toBe('stopped 2, quiet 1');
});

test('no run is none', () => expect(tallyOf([])).toEqual({ runs: 0, held: 0, calls: [], misses: [] }));
