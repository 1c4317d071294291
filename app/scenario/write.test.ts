// What is written is what is read: any scenario, and the files that people have.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProbeSpec } from '../evidence/probe';
import { CERTAINTIES, EFFECTS, FINDINGS, HEADLINES, REPLIES, STOPS } from '../verdict/verdict';
import { DEMO_WIRES, type Means } from '../wire/frame';
import { FAULT_SUBJECTS, type FaultRule, PRESET_NAMES, PRESETS, type Until } from './faults';
import { readScenarioText } from './file';
import type { Expectation, Scenario, ScenarioServer, Step } from './scenario';
import type { When } from './stops';
import { writeScenario } from './write';

const same = (path: string): string => path;
const ms = fc.integer({ min: 0, max: 86_000 });
/** Texts as people type them, and as they break YAML. */
const text = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 30 }),
    fc.constantFrom('yes', '1', '- a', 'a: b', '#x', "it's", '"', '{', 'null', ' two\n lines '),
  )
  .filter((one) => one.length > 0);
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).filter((one) => one !== 'all');
const word = fc.string({ maxLength: 20 });
const words = fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), word, { maxKeys: 3 });
const json = fc.dictionary(
  fc.stringMatching(/^[a-z_]{1,8}$/),
  fc.oneof(fc.integer(), text, fc.boolean(), fc.array(fc.integer(), { maxLength: 3 })),
  {
    maxKeys: 4,
  },
);
const protocol = fc.option(fc.constantFrom('2025-11-25', 'auto'), { nil: undefined });

const server: fc.Arbitrary<ScenarioServer> = fc.oneof(
  fc.record({ kind: fc.constant('demo' as const), over: fc.option(fc.constantFrom(...DEMO_WIRES), { nil: undefined }), protocol }),
  fc.record({
    kind: fc.constant('stdio' as const),
    command: text,
    args: fc.array(word, { maxLength: 4 }),
    env: words,
    cwd: fc.constant('/work'),
    protocol,
  }),
  fc.record({
    kind: fc.constant('http' as const),
    url: fc.constant('http://127.0.0.1:3000/mcp'),
    transport: fc.constantFrom('auto' as const, 'http' as const, 'sse' as const),
    headers: words,
    protocol,
  }),
);

const common = { shared: fc.boolean(), done: fc.option(text, { nil: undefined }), owns: fc.option(text, { nil: undefined }) };
const everyMs = fc.integer({ min: 10, max: 60_000 });
const probe = (called: string): fc.Arbitrary<ProbeSpec> => {
  const its = { name: fc.constant(called), ...common };
  return fc
    .oneof<fc.Arbitrary<ProbeSpec>[]>(
      fc.record({ kind: fc.constant('folder' as const), ...its, path: fc.constant('/out'), match: fc.option(text, { nil: undefined }) }),
      fc.record({
        kind: fc.constant('http' as const),
        ...its,
        port: fc.nat(65_535),
        status: fc.integer({ min: 200, max: 599 }),
        delayMs: ms,
      }),
      fc.record({ kind: fc.constant('sql' as const), ...its, dsn: fc.constant('postgres://ada@db/shop'), query: text, everyMs }),
      fc.record({ kind: fc.constant('read' as const), ...its, read: fc.record({ tool: name, arguments: json }), everyMs }),
      fc.record({ kind: fc.constant('read' as const), ...its, read: fc.constant({ resource: 'orders://all' }), everyMs }),
      fc.record({
        kind: fc.constant('command' as const),
        ...its,
        command: fc.array(word, { minLength: 1, maxLength: 4 }),
        cwd: fc.constant('/work'),
        everyMs,
      }),
      fc.record({ kind: fc.constant('process' as const), ...its, everyMs }),
      fc.record({ kind: fc.constant('otel' as const), ...its, port: fc.nat(65_535) }),
    )
    .map((made) => JSON.parse(JSON.stringify(made)) as ProbeSpec);
};

const when: fc.Arbitrary<When> = fc.oneof(
  ms.map((afterMs): When => ({ on: 'time', afterMs })),
  fc.integer({ min: 1, max: 99 }).map((count): When => ({ on: 'progress', count })),
  fc.constantFrom<When[]>({ on: 'effect' }, { on: 'reply' }),
);
const how: fc.Arbitrary<Means> = fc.oneof(
  fc.constantFrom<Means[]>(
    { means: 'cancel' },
    { means: 'abandon' },
    { means: 'drop' },
    { means: 'kill' },
    { means: 'stop-polling' },
    { means: 'notify' },
  ),
  fc.boolean().map((silent): Means => ({ means: 'timeout', silent })),
  fc.oneof(fc.integer(), word).map((id): Means => ({ means: 'cancel-id', id })),
);
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const task = optional(fc.record({ ttlMs: optional(ms) }));

const subject = fc.constantFrom(...FAULT_SUBJECTS);
const dir = fc.constantFrom('c2s' as const, 's2c' as const);
const about = {
  on: subject,
  dir: optional(dir),
  method: optional(text),
  tool: optional(text),
  call: optional(name),
  times: optional(fc.integer({ min: 1, max: 9 })),
};
const positive = fc.integer({ min: 1, max: 86_000 });
const until: fc.Arbitrary<Until> = fc.oneof(
  fc.constant<Until>({ until: 'key' }),
  fc.record({ until: fc.constant('time' as const), ms: positive }),
  fc.record({ until: fc.constant('frame' as const), on: subject, dir: optional(dir), method: optional(text) }),
);
/** Without keys that hold nothing, as they are read. */
const fault: fc.Arbitrary<FaultRule> = fc
  .oneof<fc.Arbitrary<FaultRule>[]>(
    fc.record({ fault: fc.constant('delay' as const), ...about, ms: positive }),
    fc.record({ fault: fc.constant('hold' as const), ...about, until }),
    fc.record({ fault: fc.constantFrom('drop' as const, 'duplicate' as const, 'reorder' as const, 'cut' as const), ...about }),
    fc.constantFrom(...PRESET_NAMES).map((preset) => PRESETS[preset].rules[0]),
  )
  .map((made) => JSON.parse(JSON.stringify(made)) as FaultRule);

/** Steps whose names refer to something: reading alone does not ask for it, running does. */
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    step: fc.constant('call' as const),
    name,
    tool: text,
    arguments: json,
    probes: optional(fc.array(name, { maxLength: 2 })),
    normallyMs: optional(ms),
    settleMs: optional(ms),
    task,
  }),
  fc.record({ step: fc.constant('stop' as const), call: name, when, how, reason: optional(text), fence: optional(fc.boolean()) }),
  fc.record({ step: fc.constant('settle' as const), call: fc.oneof(name, fc.constant('all')) }),
  fc.record({ step: fc.constant('retry' as const), of: name, as: name, arguments: optional(json) }),
  fc.record({ step: fc.constant('wait' as const), ms }),
  fc.record({ step: fc.constant('faults' as const), rules: fc.array(fault, { maxLength: 2 }) }),
  fc.constant<Step>({ step: 'release' }),
);
const some = <T extends string>(of: readonly T[]) => optional(fc.subarray([...of], { minLength: 1, maxLength: 3 }));
const expectation: fc.Arbitrary<Expectation> = fc.oneof(
  fc.record({
    about: fc.constant('call' as const),
    call: name,
    verdict: some(HEADLINES),
    certainty: some(CERTAINTIES),
    stop: some(STOPS),
    reply: some(REPLIES),
    effect: some(EFFECTS),
  }),
  fc.record({ about: fc.constant('finding' as const), finding: fc.constantFrom(...FINDINGS), absent: fc.boolean() }),
);

const scenario: fc.Arbitrary<Scenario> = fc.record({
  name: optional(text),
  about: optional(text),
  server,
  settleMs: ms,
  probes: fc.uniqueArray(name, { maxLength: 3 }).chain((names) => fc.tuple(...names.map(probe))),
  faults: fc.array(fault, { maxLength: 2 }),
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  expect: fc.array(expectation, { maxLength: 3 }),
});

test('any scenario that is written is the same when it is read', () => {
  fc.assert(
    fc.property(scenario, (given) => {
      const { scenario: read, problems } = readScenarioText(writeScenario(given), same);
      expect(problems).toEqual([]);
      expect(read).toEqual(given);
    }),
    { numRuns: 300 },
  );
});

test('it is written as people write it', () => {
  const given: Scenario = {
    name: 'charge, then stop',
    about: 'A paragraph.',
    server: { kind: 'stdio', command: 'node', args: ['server.mjs'], env: { TOKEN: `\${env.TOKEN}` }, cwd: '/work', protocol: undefined },
    settleMs: 3000,
    probes: [{ kind: 'folder', name: 'ledger', path: '/work/out', match: '*.jsonl', shared: false }],
    faults: [],
    steps: [
      {
        step: 'call',
        name: 'charge',
        tool: 'charge_card',
        arguments: { amount: 4200 },
        probes: ['ledger'],
        normallyMs: 400,
        settleMs: undefined,
        task: undefined,
      },
      {
        step: 'stop',
        call: 'charge',
        when: { on: 'time', afterMs: 300 },
        how: { means: 'cancel' },
        reason: 'pressed stop',
        fence: undefined,
      },
      { step: 'settle', call: 'all' },
    ],
    expect: [
      {
        about: 'call',
        call: 'charge',
        verdict: ['write-after-cancel'],
        certainty: undefined,
        stop: ['sent'],
        reply: ['none'],
        effect: ['after'],
      },
    ],
  };
  const inWork = (path: string): string => (path === '/work' ? '.' : path.replace('/work/', './'));
  expect(writeScenario(given, inWork, ['Recorded.'])).toBe(`# Recorded.

version: 1
name: charge, then stop
about: >-
  A paragraph.
server: { command: node, args: [ server.mjs ], env: { TOKEN: "\${env.TOKEN}" } }
probes:
  ledger: { folder: ./out, match: "*.jsonl" }
steps:
  - call: charge
    tool: charge_card
    arguments: { amount: 4200 }
    probes: [ ledger ]
    normally: 400ms
  - stop: charge
    when: 300ms
    reason: pressed stop
  - settle: all
expect:
  - { call: charge, verdict: write-after-cancel, stop: sent, reply: none, effect: after }
`);
});
