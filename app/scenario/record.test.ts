// What was done, as a scenario that does it again.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the grammar
import { expect, test } from 'vitest';
import { fromMs } from '../base/time';
import { Build } from '../trace/build.testing';
import { judge } from '../verdict/judge';
import { readScenarioText } from './file';
import { planOf } from './plan';
import { type Recorded, recordedScenario } from './record';
import { writeScenario } from './write';

/** The calls of a trace, judged at its end. */
function recordedOf(build: Build, args: readonly object[], until = 20_000): Recorded['calls'] {
  const court = judge(build.trace());
  court.advance(fromMs(until));
  return court.calls.all
    .filter(({ method, sender }) => method === 'tools/call' && sender === 'client')
    .map((call, index) => ({ call, verdict: court.verdict(call.index), arguments: { ...args[index] } }));
}

const DEMO = { kind: 'demo', over: undefined, protocol: undefined } as const;
const LEDGER = { kind: 'folder', name: 'ledger', path: '/work/out', shared: false } as const;

const stopped = (): Build =>
  new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger')
    .at(10)
    .call(3, 'charge', { probes: ['ledger'], normally: 400 })
    .at(310)
    .stop(3)
    .at(312)
    .pong(3)
    .seen('ledger', 387, 397);

test('a stopped call: its arguments, the moment of its stop, and what was seen', () => {
  const { scenario } = recordedScenario({ server: DEMO, probes: [LEDGER], faults: [], calls: recordedOf(stopped(), [{ amount: 4200 }]) });
  expect(scenario).toMatchObject({
    name: 'charge, then stop',
    probes: [LEDGER],
    faults: [],
    steps: [
      { step: 'call', name: 'charge', tool: 'charge', arguments: { amount: 4200 }, probes: ['ledger'], normallyMs: 400 },
      { step: 'stop', call: 'charge', when: { on: 'time', afterMs: 300 }, how: { means: 'cancel' }, reason: 'user pressed stop' },
      { step: 'settle', call: 'all' },
    ],
    expect: [{ call: 'charge', verdict: ['write-after-cancel'], stop: ['sent'], reply: ['none'], effect: ['after'] }],
  });
});

test('a retry is a retry, and the call before it was waited for', () => {
  const build = stopped()
    .at(5000)
    .call(4, 'charge', { probes: ['ledger'], normally: 400, retryOf: 3 })
    .at(5400)
    .result(4);
  const { scenario } = recordedScenario({ server: DEMO, probes: [], faults: [], calls: recordedOf(build, [{ amount: 1 }, { amount: 2 }]) });
  expect(scenario.steps.slice(2)).toEqual([
    { step: 'settle', call: 'charge' },
    { step: 'retry', of: 'charge', as: 'charge-retry', arguments: { amount: 2 } },
    { step: 'settle', call: 'all' },
  ]);
});

test('calls in flight together stay so, with the pause that was between them', () => {
  const build = new Build().opened([]).at(10).call(3, 'search').at(210).call(4, 'search').at(900).result(3).at(901).result(4);
  const { scenario } = recordedScenario({ server: DEMO, probes: [], faults: [], calls: recordedOf(build, []) });
  expect(scenario.steps.map((step) => (step.step === 'call' ? step.name : step.step))).toEqual(['search', 'wait', 'search-2', 'settle']);
  expect(scenario.steps[1]).toEqual({ step: 'wait', ms: 200 });
});

test('of a call that has not settled only what has been said of it is expected', () => {
  const at = (until: number) => recordedScenario({ server: DEMO, probes: [], faults: [], calls: recordedOf(stopped(), [], until) });
  expect(at(400).scenario.expect).toEqual([{ about: 'call', call: 'charge', verdict: ['write-after-cancel'] }]);
  const before = new Build().opened([]).at(10).call(3, 'charge').at(20).stop(3);
  expect(recordedScenario({ server: DEMO, probes: [], faults: [], calls: recordedOf(before, [], 30) }).scenario.expect).toEqual([]);
});

test('values of secrets are nowhere in it: variables of the environment stand for them, and are named above', () => {
  const recorded = (server: Recorded['server']): string => {
    const probes = [
      { kind: 'sql', name: 'rows', dsn: 'postgres://ada:***@db/shop', query: 'select 1', everyMs: 50, shared: false },
    ] as const;
    const build = new Build()
      .opened([])
      .at(10)
      .call(3, 'charge', { probes: ['rows'] })
      .at(20)
      .result(3);
    const { scenario, notes } = recordedScenario({ server, probes, faults: [], calls: recordedOf(build, []) });
    return writeScenario(scenario, undefined, notes);
  };
  const env = { TOKEN: 'hunter2' };
  const stdio = recorded({ kind: 'stdio', command: 'node', args: [], env, cwd: '/work', protocol: undefined });
  expect(stdio).toContain('TOKEN: "${env.TOKEN}"');
  expect(stdio).toContain('postgres://ada:${env.ROWS_PASSWORD}@db/shop');
  expect(stdio).toContain('It takes them from the environment: TOKEN, ROWS_PASSWORD.');
  expect(stdio).not.toContain('hunter2');
  const headers = { 'X-Api-Key': 'hunter2' };
  const http = recorded({ kind: 'http', url: 'https://shop.example/mcp', transport: 'auto', headers, protocol: undefined });
  expect(http).toContain('X-Api-Key: "${env.X_API_KEY}"');
  expect(http).not.toContain('hunter2');
});

test('what is recorded can be read, and planned', () => {
  const build = stopped()
    .at(5000)
    .call(4, 'charge', { probes: ['ledger'], retryOf: 3 })
    .at(5400)
    .result(4);
  const { scenario, notes } = recordedScenario({
    server: DEMO,
    probes: [LEDGER],
    faults: [],
    calls: recordedOf(build, [{ amount: 1 }, { amount: 1 }]),
  });
  const { scenario: read, problems } = readScenarioText(writeScenario(scenario, undefined, notes), (path) => path);
  expect(problems).toEqual([]);
  expect(read).toEqual(scenario);
  expect(() => planOf(scenario)).not.toThrow();
});
