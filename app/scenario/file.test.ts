// Where a problem stands in the text: what an editor marks, and the line that the command line names.
import { expect, test } from 'vitest';
import { checkScenarioText } from './file';

const FILE = `version: 1
server: { demo: true }
steps:
  - call: charge
    tol: charge_card
  - stop: chage
expect:
  - { call: charge, verdict: write-after-cancle }
`;

const check = (text: string, builtIn: readonly string[] = ['ledger']) => checkScenarioText(text, (path) => path, builtIn);
const marked = (text: string) => check(text).problems.map(({ line, field, from, to }) => [line, field, text.slice(from, to)]);

test('every problem is marked where it stands', () => {
  expect(marked(FILE)).toEqual([
    [5, 'steps[0].tol', 'tol'],
    [8, 'expect[0].verdict', 'verdict'],
  ]);
});

test('what refers to nothing is found without a server', () => {
  const text = FILE.replace('tol:', 'tool:').replace('cancle', 'cancel');
  expect(marked(text)).toEqual([[6, 'steps[1].stop', 'stop']]);
  expect(check(text).problems[0]?.says).toContain('did you mean “charge”?');
});

test('text that is no YAML is marked where it breaks', () => {
  const [problem] = check('version: 1\nserver: { demo: true\n').problems;
  expect(problem).toMatchObject({ field: undefined, says: expect.stringMatching(/^expected YAML, got /) });
  expect(problem?.line).toBeGreaterThan(1);
});

test('an empty text is a problem at its beginning, not an error', () => {
  expect(check('').problems).toMatchObject([{ line: 1, from: 0 }]);
});

test('steps know their lines', () => {
  const { lineOfStep } = check(FILE);
  expect([0, 1, 2].map(lineOfStep)).toEqual([4, 6, undefined]);
});
