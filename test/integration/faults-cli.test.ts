// Faults on the command line and in scenario files: the races that they make, in words and in JSON.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { report as schema } from '../../app/report/schema';
import { type Cli, example, installedCli } from './cli.testing';

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

test('the documented crossing: pressed when the answer has come, and crossed without a clock', async () => {
  const ended = await cli.run(['run', example('perfect-crossing')]);
  expect(ended.code).toBe(0);
  expect(ended.err).toContain('stopgap: faults: the perfect crossing');
  expect(ended.err).toContain('stopgap: faults are off');
  expect(ended.out).toContain('✓ search: verdict crossed, stop sent, reply crossed');
  expect(ended.out).toContain('▣');
  expect(ended.out).toMatch(/faults\s+a fault of ours \(the perfect crossing\) held the reply back for/);
});

test('a lost cancel by its option, and what is said of it in JSON', async () => {
  const ended = await cli.run([
    ...['call', 'demo', 'search_orders', '--args', '{"query":"ada"}', '--stop-after', '100ms', '--fault', 'lost-cancel'],
    ...['--settle', '500ms', '--json', '--quiet'],
  ]);
  const [call] = schema.parse(JSON.parse(ended.out)).calls;
  expect(call).toMatchObject({ verdict: 'never-told', stop: { state: 'undelivered' } });
  expect(call?.faults).toEqual([
    { atMs: expect.any(Number), seq: expect.any(Number), says: 'a fault of ours (lost cancel) dropped the cancel' },
  ]);
  expect(ended.code).toBe(0);
});

test('what is held at the end is said, and a step lets go', async () => {
  const file = path.join(cli.folder, 'held.yaml');
  const steps = [
    '{ call: a, tool: search_orders, arguments: { query: ada }, settle: 1200ms }',
    '{ settle: a }',
    '{ release: all }',
    '{ settle: a }',
    '{ call: b, tool: search_orders, arguments: { query: ada }, settle: 1200ms }',
  ];
  await writeFile(
    file,
    `version: 1\nserver: { demo: true }\nfaults: [{ hold: replies, method: tools/call }]\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}expect: [{ call: a, verdict: completed }]\n`,
  );
  const ended = await cli.run(['run', file]);
  expect(ended.err).toContain('released 1 held message');
  expect(ended.err).toMatch(/faults still held reply #\d+ at the end: it never got through/);
  expect(ended.code).toBe(0);
});

test('a word that is no fault is refused, and the nearest is named', async () => {
  const ended = await cli.run(['call', 'demo', 'search_orders', '--fault', 'lost-cancle']);
  expect(ended.code).toBe(2);
  expect(ended.err).toContain('did you mean “lost-cancel”?');
});
