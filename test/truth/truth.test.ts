// The truth set: what Stopgap says of servers that write down what they really did. No lie, ever; no verdict that contradicts
// what is known. That it cannot be known is an honest answer, and counted.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CASES } from './cases';
import { playAll, type Result } from './play';

const only = process.env['STOPGAP_TRUTH_ONLY'] ?? '';
const AT_ONCE = 6;
/** Read by the scripts that ran this. */
const report = path.resolve('dist/test/truth-results.json');

const cases = CASES.filter(({ name, server, class: of }) => `${name} [${of}] ${server}`.includes(only));
const playing = playAll(cases, AT_ONCE);
// Whoever is not waited for yet must not end the process.
for (const one of playing) one.catch(() => undefined);
const results: Result[] = [];

test.each(cases.map((one, index) => ({ title: `${one.name} [${one.class}] ${one.server}`, index })))('$title', async ({ index }) => {
  const result = await playing[index];
  if (!result) throw new Error('expected the case to have been played');
  results.push(result);
  expect(result.kind === 'lie' || result.kind === 'disagreement' ? `${result.kind}: ${result.says}` : '').toBe('');
});

test('case names are unique', () => {
  const titles = CASES.map(({ name, server }) => `${name} ${server}`);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

afterAll(() => {
  mkdirSync(path.dirname(report), { recursive: true });
  writeFileSync(report, JSON.stringify({ results }));
});
