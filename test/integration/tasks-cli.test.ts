// Tasks on the command line and in a scenario: how one is asked for, how it is stopped, and what is said where it cannot be one.
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Report, report as schema } from '../../app/report/schema';
import { fixture } from '../fixtures/fixtures';
import { type Cli, type Ended, example, installedCli } from './cli.testing';

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

const callIn = ({ out }: Ended): Report['calls'][number] => {
  const [call] = schema.parse(JSON.parse(out)).calls;
  if (!call) throw new Error('expected a call in the report');
  return call;
};
const exported = (args: object, ...words: readonly string[]): Promise<Ended> =>
  cli.run(['call', 'demo', 'export_report', '--args', JSON.stringify({ pages: 4, ...args }), '--json', '--quiet', ...words]);
const statuses = ({ task }: Report['calls'][number]): readonly string[] => (task?.states ?? []).map(({ status }) => status);

test('a task is waited for until it ends, and its result is fetched', async () => {
  const ended = await exported({}, '--task-ttl', '60s');
  const call = callIn(ended);
  expect([ended.code, call.verdict, statuses(call), call.task?.ttlMs]).toEqual([0, 'completed', ['working', 'completed'], 60_000]);
  expect(call.effect.state).toBe('observed');
});

test('Stop is tasks/cancel: the one that says so and the one that only says so differ by the probe alone', async () => {
  const stop = ['--task', '--stop-after', '300ms', '--settle', '2s'];
  const [honest, pretends] = await Promise.all([exported({}, ...stop), exported({ when_cancelled: 'pretend' }, ...stop)]);
  expect([callIn(honest), callIn(pretends)].map((call) => [call.stop.state, statuses(call).at(-1), call.effect.state])).toEqual([
    ['task-cancel', 'cancelled', 'not-seen'],
    ['task-cancel', 'cancelled', 'after'],
  ]);
  expect([honest.code, pretends.code, callIn(pretends).verdict]).toEqual([0, 1, 'write-after-cancel']);
});

test('a scenario of a task that nobody asks after any more, and of one that gets the notification', async () => {
  const file = path.join(cli.folder, 'tasks.yaml');
  await writeFile(
    file,
    `version: 1
server: { demo: true }
settle: 2s
steps:
  - { call: left, tool: export_report, task: true, arguments: { pages: 4 } }
  - { stop: left, when: 300ms, how: stop-polling }
  - { settle: left }
  - { call: told, tool: export_report, task: { ttl: 60s }, arguments: { pages: 4 } }
  - { stop: told, when: 300ms, how: { notify: true } }
expect:
  - { call: left, verdict: never-told, stop: not-sent, effect: after }
  - { call: told, verdict: invalid-cancel, stop: sent, effect: after }
`,
  );
  const ended = await cli.run(['run', file, '--json']);
  const { expectations } = schema.parse(JSON.parse(ended.out));
  expect(expectations.map(({ ok, saw }) => (ok ? 'ok' : saw))).toEqual(['ok', 'ok']);
  expect(ended.err).toContain('The task is asked after no more. Nobody was told');
});

test.each([
  ['2025-11-25', ['task-completed-after-cancel'], true],
  ['2026-07-28', [], false],
])(
  'one scenario, only its revision changed: in %s a task that completes after its cancel breaks the rules, or does not',
  async (protocol, findings, fetches) => {
    const folder = await mkdtemp(path.join(cli.folder, 'server-'));
    const [place = '', log = '', gates = ''] = ['place', 'log', 'gates'].map((name) => path.join(folder, name));
    await Promise.all([mkdir(place), mkdir(gates)]);
    const { command, args } = fixture('tasks', place, log, gates);
    const work = { as: 'work', cancelled: 'ignore', poll: 100, steps: [{ toldToStop: true }, { wait: 500 }, { write: 'late' }] };
    const steps = [{ call: 'work', tool: 'run', task: true, arguments: work }, { stop: 'work', when: '300ms' }, { settle: 'work' }];
    const file = path.join(folder, 'scenario.yaml');
    await writeFile(
      file,
      JSON.stringify({ version: 1, server: { command, args, protocol }, settle: '3s', probes: { place: { folder: place } }, steps }),
    );
    const trace = path.join(folder, 'trace.jsonl');
    const { out } = await cli.run(['run', file, '--json', '--quiet', '--trace', trace]);
    const report = schema.parse(JSON.parse(out));
    const [call] = report.calls;
    expect([call?.verdict, call?.stop.state, call?.effect.state, call && statuses(call)]).toEqual([
      'write-after-cancel',
      'task-cancel',
      'after',
      ['working', 'completed'],
    ]);
    expect(report.findings.map(({ finding }) => finding)).toEqual(findings);
    expect((await readFile(trace, 'utf8')).includes('tasks/result')).toBe(fetches);
  },
);

test('the example: a task that says cancelled, and writes', async () => {
  const ended = await cli.run(['run', example('export-report-task'), '--json', '--quiet']);
  const { expectations } = schema.parse(JSON.parse(ended.out));
  expect([ended.code, ...expectations.map(({ ok, saw }) => (ok ? 'ok' : saw))]).toEqual([0, 'ok']);
});

test('a call that cannot be a task is not made', async () => {
  const ended = await cli.run(['call', 'demo', 'charge_card', '--task', '--quiet']);
  expect([ended.code, ended.out]).toEqual([2, '']);
  expect(ended.err).toContain('--task: expected a tool that may be run as a task, but charge_card may not');
});
