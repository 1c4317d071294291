// The laboratory's pure parts: the gallery, what may be typed where, what a sweep asks for, the strip as numbers.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the grammar
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Attempt } from '../../../app/scenario/sweep';
import { DEMO_PROBES as OF_THE_DEMO } from '../../../main/demo/probes';
import { FAKE_TOOLS } from '../../fakeHost.testing';
import { checkOpen, DEMO_PROBES } from './check';
import { completionsAt } from './completion';
import { LESSONS } from './lessons';
import { stripOf } from './strip';
import { firstDraft, readDraft, variable, varied } from './sweepDraft';

describe('the gallery', () => {
  it('has every lesson that lies in assets, each with its paragraph, and nothing is wrong with any', () => {
    const files = readdirSync(path.resolve(import.meta.dirname, '../../../assets/lessons')).map((file) => path.parse(file).name);
    expect(LESSONS.map(({ id }) => id).sort()).toEqual(files.sort());
    for (const { id, about, text } of LESSONS) {
      expect(about.length, id).toBeGreaterThan(200);
      expect(checkOpen(text), id).toMatchObject({
        problems: [],
        scenario: { server: { kind: 'demo' }, expect: expect.arrayContaining([expect.anything()]) },
      });
    }
  });

  it('knows the probes that come with the demo', () => expect([...DEMO_PROBES]).toEqual(Object.keys(OF_THE_DEMO)));
});

describe('what may be written', () => {
  /** Completions at the `|` of a text. */
  const at = (text: string) => {
    const offset = text.indexOf('|');
    return completionsAt(text.replace('|', ''), offset, { tools: FAKE_TOOLS, probes: DEMO_PROBES })?.options.map(({ label }) => label);
  };
  const steps = (line: string) =>
    `version: 1\nserver: { demo: true }\nsteps:\n  - call: charge\n    tool: charge_card\n${line}\nexpect: []\n`;

  it.each([
    ['ver|', 'version'],
    ['server: { d| }', 'demo'],
    [steps('  - st|'), 'stop'],
    [steps('    nor|'), 'normally'],
    [steps('    tool: |'), 'search_orders'],
    [steps('    probes: [|'), 'ledger'],
    [steps('    probes: [ledger, |'), 'outbox'],
    [steps('  - stop: |'), 'charge'],
    [steps('  - stop: charge\n    how: |'), 'abandon'],
    [steps('  - settle: |'), 'all'],
    ['version: 1\nsteps:\n  - call: a\nexpect:\n  - { call: |', 'a'],
    ['version: 1\nexpect:\n  - { call: a, verdict: |', 'write-after-cancel'],
    ['version: 1\nexpect:\n  - { call: a, verdict: [stopped, |', 'quiet'],
    ['version: 1\nexpect:\n  - { call: a, |', 'effect'],
    ['version: 1\nprobes:\n  rows: { |', 'sql'],
  ])('%j offers %s', (text, label) => expect(at(text)).toContain(label));

  it.each(['# a comment |', 'name: |', steps('    arguments: { amount: |')])('%j offers nothing', (text) =>
    expect(at(text)).toBeUndefined(),
  );
});

describe('a sweep that is asked for', () => {
  const [, tool] = FAKE_TOOLS;
  if (!tool) throw new Error('expected the tool that charges');
  const draft = firstDraft({ amount: 4200 }, ['ledger']);

  it('has what was typed', () => {
    const typed = {
      ...draft,
      from: '50',
      to: '400',
      runs: '9',
      normallyMs: '',
      resetBy: 'tool',
      resetTool: 'deploy',
      resetArguments: '{"a":1}',
    } as const;
    expect(readDraft(typed, tool, 3)).toEqual({
      request: {
        connection: 3,
        tool: 'charge_card',
        arguments: { amount: 4200 },
        probes: ['ledger'],
        axis: 'time',
        strategy: { how: 'boundary', from: 50, to: 400, runs: 9 },
        how: { means: 'cancel' },
        settleMs: 1000,
        reset: { by: 'tool', tool: 'deploy', arguments: { a: 1 } },
      },
    });
  });

  it.each([
    [{ arguments: '{' }, 'JSON object'],
    [{ runs: '0' }, 'attempts'],
    [{ from: '10', to: '10' }, 'after the first'],
    [{ axis: 'progress', to: '' }, 'last count'],
    [{ probes: [] }, 'no outcome is known'],
    [{ resetBy: 'tool' }, 'tool that resets'],
    [{ resetBy: 'command' }, 'command that resets'],
  ] as const)('%j is refused', (change, why) =>
    expect(readDraft({ ...draft, ...change }, tool, 1)).toEqual({ why: expect.stringContaining(why) }),
  );

  it('offers arguments that vary', () => {
    expect(variable(tool)).toEqual(['note']);
    expect(JSON.parse(varied('{"amount": 1}', 'note'))).toEqual({ amount: 1, note: 'note-${run}' });
    expect(JSON.parse(varied('{"note": "x-${run}"}', 'note'))).toEqual({ note: 'x-${run}' });
  });
});

describe('the strip', () => {
  const attempt = (cancelAt: number, outcome: Attempt['outcome'], landed?: [number, number]): Attempt => ({
    cancelAt,
    outcome,
    landed,
    verdict: outcome === 'landed' ? 'write-after-cancel' : 'stopped',
    effect: outcome === 'landed' ? 'after' : 'not-seen',
    call: cancelAt,
  });

  test('has a row for each attempt in the order of the moments, and the boundary between them', () => {
    const { rows, band, ticks } = stripOf(
      [attempt(400, 'landed', [480, 500]), attempt(100, 'prevented'), attempt(300, 'landed', [480, 500])],
      'time',
      10,
    );
    expect(rows.map(({ attempt: { cancelAt } }) => cancelAt)).toEqual([100, 300, 400]);
    const most = 500 * 1.04;
    expect(band).toEqual({ from: 90 / most, to: 310 / most, varies: false });
    expect(rows.map(({ landed }) => landed)).toEqual([undefined, 500 / most, 500 / most]);
    expect(ticks.map(({ says }) => says)).toEqual(['0 ms', '200 ms', '400 ms']);
  });

  test('draws no boundary where none was found, and one that varies where it varies', () => {
    expect(stripOf([attempt(100, 'prevented')], 'time', 10).band).toBeUndefined();
    expect(stripOf([], 'time', 10)).toMatchObject({ rows: [], band: undefined });
    expect(stripOf([attempt(100, 'landed'), attempt(200, 'prevented')], 'progress', 0).band).toMatchObject({
      from: 0,
      to: 1,
      varies: true,
    });
  });
});
