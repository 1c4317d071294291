// Scenario files as people write them: the documented example, and what is said when something in one is wrong.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the grammar
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ruleText } from '../../app/scenario/faults';
import { planOf } from '../../app/scenario/plan';
import { ScenarioError } from '../../app/scenario/schema';
import { CliError } from './exit';
import { openScenario, parseScenario } from './scenario-file';

const folder = path.resolve('/place');
const file = path.join(folder, 'x.yaml');

/** The example of docs/scenario.md. */
const EXAMPLE = `version: 1
name: charge, then stop
about: what it shows
server:
  command: node            # or  url: http://127.0.0.1:3000/mcp   or  demo: true
  args: [server.mjs]
  env: { LEDGER: ./ledger.jsonl }
  cwd: .
  protocol: 2025-11-25     # optional: a revision to insist on
settle: 3s                 # default for every call; a call may set its own
probes:
  ledger: { folder: ./out, match: '*.jsonl' }      # shared: true when others write there too
  rows:   { sql: 'postgres://…', query: select count(*) from orders, every: 50ms }
  hook:   { http: 127.0.0.1:0 }            # its address, token included, is \${probes.hook.url}
  tickets: { read: list_tickets, arguments: {}, every: 100ms }
  jobs:   { command: [git, -C, ./repo, rev-parse, HEAD], every: 100ms }
  procs:  { process: true }
  spans:  { otel: 127.0.0.1:0 }            # \${probes.spans.url}
steps:
  - call: charge
    tool: charge_card
    arguments: { amount: 4200 }
    probes: [ledger]
    normally: 400ms                        # how long it takes when nobody stops it; allows the verdict stopped
    settle: 2s
    task: false                            # run as a task
  - stop: charge
    when: 300ms                            # since the call was sent; or { progress: 2 } · { on: first-progress } · { on: effect } · { on: reply }
    how: cancel
    reason: user pressed stop
    fence: true
  - settle: charge                         # or  all
  - retry: charge                          # the same call again, named charge-retry; long form { of: charge, as: again, arguments: {…} }
  - settle: all
  - wait: 1s
expect:
  - { call: charge, verdict: [write-after-cancel, write-order-unknown], certainty: proved }
  - { call: charge, stop: sent, reply: none, effect: after }
  - { finding: noise-on-stdout, absent: true }
`;

test('the documented example is understood to the last field', () => {
  const { scenario } = parseScenario(EXAMPLE, file);
  expect(scenario).toEqual({
    name: 'charge, then stop',
    about: 'what it shows',
    server: {
      kind: 'stdio',
      command: 'node',
      args: ['server.mjs'],
      env: { LEDGER: './ledger.jsonl' },
      cwd: folder,
      protocol: '2025-11-25',
    },
    settleMs: 3000,
    probes: [
      { kind: 'folder', name: 'ledger', path: path.join(folder, 'out'), match: '*.jsonl', shared: false },
      { kind: 'sql', name: 'rows', dsn: 'postgres://…', query: 'select count(*) from orders', everyMs: 50, shared: false },
      { kind: 'http', name: 'hook', port: 0, status: 200, delayMs: 0, shared: false },
      { kind: 'read', name: 'tickets', read: { tool: 'list_tickets', arguments: {} }, everyMs: 100, shared: false },
      { kind: 'command', name: 'jobs', command: ['git', '-C', './repo', 'rev-parse', 'HEAD'], cwd: folder, everyMs: 100, shared: false },
      { kind: 'process', name: 'procs', everyMs: 100, shared: false },
      { kind: 'otel', name: 'spans', port: 0, shared: false },
    ],
    faults: [],
    steps: [
      {
        step: 'call',
        name: 'charge',
        tool: 'charge_card',
        arguments: { amount: 4200 },
        probes: ['ledger'],
        normallyMs: 400,
        settleMs: 2000,
      },
      {
        step: 'stop',
        call: 'charge',
        when: { on: 'time', afterMs: 300 },
        how: { means: 'cancel' },
        reason: 'user pressed stop',
        fence: true,
      },
      { step: 'settle', call: 'charge' },
      { step: 'retry', of: 'charge', as: 'charge-retry', arguments: undefined },
      { step: 'settle', call: 'all' },
      { step: 'wait', ms: 1000 },
    ],
    expect: [
      {
        about: 'call',
        call: 'charge',
        verdict: ['write-after-cancel', 'write-order-unknown'],
        certainty: ['proved'],
        stop: undefined,
        reply: undefined,
        effect: undefined,
      },
      { about: 'call', call: 'charge', verdict: undefined, certainty: undefined, stop: ['sent'], reply: ['none'], effect: ['after'] },
      { about: 'finding', finding: 'noise-on-stdout', absent: true },
    ],
  });
  expect(planOf(scenario).calls).toEqual(['charge', 'charge-retry']);
});

test('the documentation shows the same', () => {
  const docs = readFileSync(path.resolve(import.meta.dirname, '../../docs/scenario.md'), 'utf8');
  const [, shown = ''] = /```yaml\n(.*?)```/s.exec(docs) ?? [];
  expect(parseScenario(shown, file).scenario).toEqual(parseScenario(EXAMPLE, file).scenario);
});

/** A whole scenario around a few lines; the first of them is line 6. */
const around = (lines: string): string => `version: 1
server: { command: node }
steps:
  - call: charge
    tool: charge_card
${lines}`;

/** What is said of a file, without its name. */
function says(text: string): string {
  try {
    const parsed = parseScenario(text, file);
    try {
      planOf(parsed.scenario);
    } catch (error) {
      if (error instanceof ScenarioError) throw parsed.located(error);
      throw error;
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    expect(error.code).toBe(2);
    expect(error.message).not.toContain('\n');
    return error.message.replace(`${file}:`, '');
  }
  return 'nothing';
}

describe('an error names the line and the field, what was expected and what was seen', () => {
  test.each<readonly [string, string, string]>([
    [
      'an unknown key, and the nearest',
      around('    argumnets: {}'),
      '6: steps[0].argumnets: expected one of the keys call, tool, arguments, probes, normally, settle, task, got “argumnets” (did you mean “arguments”?)',
    ],
    [
      'an unknown key at the top',
      around('expct: []'),
      '6: expct: expected one of the keys version, name, about, server, settle, probes, faults, steps, expect, got “expct” (did you mean “expect”?)',
    ],
    [
      'a step of no kind',
      around('  - stpo: charge'),
      '6: steps[1]: expected a step with one of call, stop, settle, retry, wait, faults, release, got the keys stpo (did you mean “stop”?)',
    ],
    ['a step of two kinds', around('  - settle: charge\n    wait: 1s'), '7: steps[1].wait: expected the key settle, got “wait”'],
    [
      'a duration without a unit',
      around('    settle: 300'),
      '6: steps[0].settle: expected a duration such as 250ms, 1.5s or 2m (a day at most), got 300',
    ],
    ['a list that is none', around('    probes: ledger'), '6: steps[0].probes: expected a list, got “ledger”'],
    [
      'a probe that is not there',
      around('    probes: [ledger]'),
      '6: steps[0].probes[0]: expected the name of a probe (there is none), got “ledger”',
    ],
    [
      'a call that is not there',
      around('  - stop: charg'),
      '6: steps[1].stop: expected the name of an earlier call (charge), got “charg” (did you mean “charge”?)',
    ],
    [
      'a name used twice',
      around('  - call: charge\n    tool: t'),
      '6: steps[1].call: expected a name of its own for each call, got “charge” a second time',
    ],
    [
      'a call named all',
      around('  - call: all\n    tool: t'),
      '6: steps[1].call: expected a name other than “all”, which stands for every call, got “all”',
    ],
    [
      'a moment of no kind',
      around('  - stop: charge\n    when: { progres: 2 }'),
      '7: steps[1].when: expected a moment (300ms, say), or one with one of progress, on, got the keys progres (did you mean “progress”?)',
    ],
    [
      'an event of no kind',
      around('  - stop: charge\n    when: { on: answer }'),
      '7: steps[1].when.on: expected one of first-progress, effect, reply, got “answer”',
    ],
    [
      'progress that is no count',
      around('  - stop: charge\n    when: { progress: 0 }'),
      '7: steps[1].when.progress: expected 1 or more, got 0',
    ],
    [
      'a means of no kind',
      around('  - stop: charge\n    how: cancle'),
      '7: steps[1].how: expected one of cancel, abandon, timeout, drop, kill, stop-polling, got “cancle” (did you mean “cancel”?)',
    ],
    ['a verdict of no kind', around('expect:\n  - { call: charge, verdict: [stoped] }'), '7: expect[0].verdict[0]: expected one of'],
    [
      'an expectation of a call that is not there',
      around('expect:\n  - { call: chrage, verdict: stopped }'),
      '7: expect[0].call: expected the name of a call (charge), got “chrage” (did you mean “charge”?)',
    ],
    [
      'a variable that nobody offers',
      around('    arguments: { to: "${probes.hook.url}" }'),
      '6: steps[0].arguments: expected a variable that a probe offers (no probe here offers any), got “${probes.hook.url}”',
    ],
    [
      'a probe of no kind',
      around('probes:\n  ledger: { foldr: x }'),
      '7: probes.ledger: expected a probe with one of folder, http, sql, read, command, process, otel, got the keys foldr (did you mean “folder”?)',
    ],
    [
      'a setting of another probe',
      around('probes:\n  ledger: { folder: x, every: 1s }'),
      '7: probes.ledger.every: expected one of the keys folder, match, shared, done, owns, got “every”',
    ],
    [
      'a probe that reads too often',
      around('probes:\n  jobs: { command: [date], every: 1ms }'),
      '7: probes.jobs.every: expected 10 or more, got 1',
    ],
    [
      'a sink that is not on loopback',
      around('probes:\n  hook: { http: 0.0.0.0:80 }'),
      '7: probes.hook.http: expected an address on loopback such as 127.0.0.1:0, got “0.0.0.0:80”',
    ],
    ['a missing tool', 'version: 1\nserver: { demo: true }\nsteps:\n  - call: x\n', '4: steps[0].tool: expected a text, got nothing'],
    [
      'a demo over no wire',
      'version: 1\nserver: { demo: htp }\nsteps: [ { wait: 1s } ]\n',
      '2: server.demo: expected one of true, http, http-json, http-stateless, sse, got “htp” (did you mean “http”?)',
    ],
    ['a newer version', 'version: 2\nserver: { demo: true }\nsteps: [ { wait: 1s } ]\n', '1: version: expected 1, got 2'],
    ['no YAML', 'version: 1\nsteps: [\n', '3: expected YAML, got'],
    ['nothing', '', '1: the file: expected the keys version, name, about, server, settle, probes, faults, steps, expect, got nothing'],
  ])('%s', (_, text, said) => {
    expect(says(text)).toContain(said);
  });
});

describe('faults', () => {
  const rules = (yaml: string) => {
    const { faults, steps } = parseScenario(around(yaml), file).scenario;
    return { faults: faults.map(ruleText), steps: steps.map((step) => (step.step === 'faults' ? step.rules.map(ruleText) : step.step)) };
  };

  test('the documented rules are understood, at the top and as a step', () => {
    const docs = readFileSync(path.resolve(import.meta.dirname, '../../docs/scenario.md'), 'utf8');
    const [, shown = ''] = /## faults.*?```yaml\n(.*?)```/s.exec(docs) ?? [];
    expect(rules(`  - faults: []\n  - release: all\n${shown}`)).toEqual({
      faults: [
        'delay replies (tools/call) by 200 ms',
        'hold replies (call charge) until the cancel is out',
        'hold requests until a reply (tools/list) has passed',
        'drop cancels, once',
        'send twice requests (charge_card)',
        'swap replies',
        'cut the connection at notifications from the server',
      ],
      steps: ['call', [], 'release'],
    });
  });

  test('a ready one by its name, a word of the command line', () => {
    expect(rules('faults: [perfect-crossing, "delay:replies:200ms"]').faults).toEqual([
      'hold replies from the server (tools/call) until the cancel is out',
      'delay replies by 200 ms',
    ]);
  });

  test.each([
    ['faults: [perfect-crosing]', '(did you mean “perfect-crossing”?)'],
    [
      'faults: [{ hold: replies, until: soon }]',
      '6: faults[0].until: expected one of key, cancel, reply, request, notification, or a duration',
    ],
    ['faults: [{ delay: replies }]', '6: faults[0].by: expected a duration'],
    [
      'faults: [{ drop: everything }]',
      '6: faults[0].drop: expected one of all, requests, replies, cancels, notifications, got “everything”',
    ],
    [
      'faults: [{ lose: cancels }]',
      '6: faults[0]: expected a fault with one of delay, hold, drop, duplicate, reorder, cut, got the keys lose',
    ],
    [
      'faults: [{ drop: replies, call: chrge }]',
      '6: faults[0].call: expected the name of a call (charge), got “chrge” (did you mean “charge”?)',
    ],
    ['  - release: charge', '6: steps[1].release: expected all, got “charge”'],
  ])('%s', (yaml, said) => {
    expect(says(around(yaml))).toContain(said);
  });
});

describe('a call may be run as a task', () => {
  test.each([
    ['true', { ttlMs: undefined }],
    ['{ ttl: 60s }', { ttlMs: 60_000 }],
    ['{}', { ttlMs: undefined }],
    ['false', undefined],
  ])('task: %s', (text, task) => {
    expect(parseScenario(around(`    task: ${text}`), file).scenario.steps[0]).toHaveProperty('task', task);
  });

  test('and its polling may be stopped', () => {
    const { steps } = parseScenario(around('    task: true\n  - stop: charge\n    how: stop-polling'), file).scenario;
    expect(steps[1]).toMatchObject({ step: 'stop', how: { means: 'stop-polling' } });
  });

  test.each([
    ['yes', '6: steps[0].task: expected true or false, got “yes”'],
    ['{ tll: 60s }', '6: steps[0].task.tll: expected the key ttl, got “tll” (did you mean “ttl”?)'],
    ['{ ttl: 60 }', '6: steps[0].task.ttl: expected'],
  ])('task: %s is refused', (text, said) => {
    expect(says(around(`    task: ${text}`))).toContain(said);
  });
});

describe('what the grammar knows and this version cannot do is refused by name', () => {
  test.each<readonly [string, string, string]>([
    [
      'a revision that nobody knows',
      'version: 1\nserver: { demo: true, protocol: 2027-01-01 }\nsteps: [ { wait: 1s } ]\n',
      'expected one of the revisions that this version speaks, 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28, auto, got “2027-01-01”',
    ],
  ])('%s', (_, text, said) => {
    expect(says(text)).toContain(said);
  });
});

test('the demo, and the demo over another wire', () => {
  const serverIn = (demo: string) =>
    parseScenario(`version: 1\nserver: { demo: ${demo} }\nsteps: [ { wait: 1s } ]\n`, file).scenario.server;
  expect([serverIn('true'), serverIn('http-stateless')]).toEqual([
    { kind: 'demo', over: undefined, protocol: undefined },
    { kind: 'demo', over: 'http-stateless', protocol: undefined },
  ]);
});

test('every moment, every means, and the long form of a retry', () => {
  const { scenario } = parseScenario(
    around(`  - { stop: charge, when: { progress: 2 }, how: { timeout: silent } }
  - { stop: charge, when: { on: first-progress }, how: timeout }
  - { stop: charge, when: { on: effect }, how: { cancel-id: 99 } }
  - { stop: charge, when: { on: reply }, how: { cancel-id: "5" } }
  - { stop: charge, how: abandon, fence: false }
  - { retry: { of: charge, as: again, arguments: { amount: 1 } } }
`),
    file,
  );
  expect(scenario.steps.slice(1).map((step) => (step.step === 'stop' ? [step.when, step.how] : step))).toEqual([
    [
      { on: 'progress', count: 2 },
      { means: 'timeout', silent: true },
    ],
    [
      { on: 'progress', count: 1 },
      { means: 'timeout', silent: false },
    ],
    [{ on: 'effect' }, { means: 'cancel-id', id: 99 }],
    [{ on: 'reply' }, { means: 'cancel-id', id: '5' }],
    [{ on: 'time', afterMs: 0 }, { means: 'abandon' }],
    { step: 'retry', of: 'charge', as: 'again', arguments: { amount: 1 } },
  ]);
});

test('what a sink offers may stand in the server’s configuration and in arguments', () => {
  const { scenario } = parseScenario(
    `version: 1
server: { command: node, args: ["--hook", "\${probes.hook.url}"], env: { OTEL_EXPORTER_OTLP_ENDPOINT: "\${probes.spans.url}" } }
probes: { hook: { http: 127.0.0.1:0, status: 503, delay: 20ms, done: order \\d+ }, spans: { otel: 127.0.0.1:4318 } }
steps: [ { call: a, tool: t, arguments: { to: ["\${probes.hook.url}/x"] } } ]
`,
    file,
  );
  expect(planOf(scenario).calls).toEqual(['a']);
  expect(scenario.probes[0]).toMatchObject({ kind: 'http', port: 0, status: 503, delayMs: 20, done: 'order \\d+' });
});

test('a file that is not there', async () => {
  await expect(openScenario(file)).rejects.toThrow(/x\.yaml: expected a scenario file that can be read, got/);
});
