// What a plan makes of steps.
import { expect, test } from 'vitest';
import { planOf } from './plan';
import { readScenario } from './scenario';

const plan = (steps: readonly unknown[], more: object = {}, builtIn: readonly string[] = []) =>
  planOf(
    readScenario({ version: 1, server: { demo: true }, steps, ...more }, (path) => path),
    builtIn,
  );

test('defaults are filled in, and everything is settled at the end', () => {
  const { ops } = plan(
    [
      { call: 'a', tool: 't', settle: '1s' },
      { call: 'b', tool: 't', arguments: { x: 1 }, probes: ['ledger'] },
      { stop: 'b', when: '300ms', fence: false },
      { settle: 'b' },
      { retry: 'b' },
    ],
    { settle: '2s' },
    ['ledger'],
  );
  const call = { tool: 't', normallyMs: undefined };
  const b = { ...call, name: 'b', arguments: { x: 1 }, probes: ['ledger'], settleMs: 2000, fence: false, retryOf: undefined };
  expect(ops).toEqual([
    {
      step: 0,
      op: 'call',
      call: { ...call, name: 'a', arguments: {}, probes: undefined, settleMs: 1000, fence: undefined, retryOf: undefined },
    },
    { step: 1, op: 'call', call: b },
    { step: 2, op: 'stop', call: 'b', when: { on: 'time', afterMs: 300 }, how: { means: 'cancel' }, reason: undefined },
    { step: 3, op: 'settle', calls: ['b'] },
    { step: 4, op: 'call', call: { ...b, name: 'b-retry', retryOf: 'b', fence: undefined } },
    { step: 4, op: 'settle', calls: ['a', 'b', 'b-retry'] },
  ]);
});

test('settle: all means the calls so far', () => {
  const { ops } = plan([{ call: 'a', tool: 't' }, { settle: 'all' }, { call: 'b', tool: 't' }]);
  expect(ops.flatMap((op) => (op.op === 'settle' ? [op.calls] : []))).toEqual([['a'], ['a', 'b']]);
});

test('a probe may not take the name of one that comes with the server', () => {
  expect(() => plan([{ wait: '1s' }], { probes: { ledger: { folder: 'x' } } }, ['ledger', 'outbox'])).toThrow(
    "probes.ledger: expected a name other than those of the server's own probes (ledger, outbox), got “ledger”",
  );
});

test('only a task has polling that can be stopped, and a retry of one is one', () => {
  const steps = (task: unknown) => [{ call: 'a', tool: 't', task }, { stop: 'a', how: 'stop-polling' }, { retry: 'a' }];
  expect(() => plan(steps(false))).toThrow('steps[1].how: expected a means that a call has which is no task, got stop-polling');
  const calls = plan(steps({ ttl: '60s' })).ops.flatMap((op) => (op.op === 'call' ? [op.call.task] : []));
  expect(calls).toEqual([{ ttlMs: 60_000 }, { ttlMs: 60_000 }]);
});

test('a server at an address has headers that may be filled in, and no process to kill', () => {
  const server = { url: 'http://127.0.0.1:3000/mcp', headers: { 'X-Hook': `\${probes.hook.url}` } };
  const stop = (how: string) => [
    { call: 'a', tool: 't' },
    { stop: 'a', how },
  ];
  expect(() => plan(stop('drop'), { server, probes: { hook: { http: '127.0.0.1:0' } } })).not.toThrow();
  expect(() => plan(stop('kill'), { server })).toThrow('steps[1].how: expected a means that a server at an address has, got kill');
  expect(() => plan(stop('drop'), { server })).toThrow('server.headers.X-Hook: expected a variable that a probe offers');
});
