// What is read off a message, and that ids keep their type.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BIT, factsOf, idOf, idText, keyOf } from './jsonrpc';

test('an id and its key are the same thing, type included', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer()), (id) => {
      expect(idOf(keyOf(id))).toBe(id);
    }),
  );
  expect(keyOf(5)).not.toBe(keyOf('5'));
  expect([idText(keyOf(0)), idText(keyOf('')), idText(keyOf('5'))]).toEqual(['#0', '#""', '#"5"']);
});

test.each([
  [{ id: 0, method: 'ping' }, ['request', 'ping', 'n:0', 0, 0]],
  [{ id: null, method: 'ping' }, ['invalid', 'ping', '', 0, 0]],
  [
    { method: 'notifications/progress', params: { progressToken: 'a', progress: 11, total: 40 } },
    ['notification', 'notifications/progress', 's:a', 275000, 0],
  ],
  [
    { method: 'notifications/progress', params: { progressToken: 1, progress: 3 } },
    ['notification', 'notifications/progress', 'n:1', -1, 0],
  ],
  [{ method: 'notifications/cancelled', params: { requestId: '' } }, ['notification', 'notifications/cancelled', 's:', 0, 0]],
  [{ id: 3, result: {} }, ['result', '', 'n:3', 0, 0]],
  [{ id: 3, result: { isError: true, content: [] } }, ['result', '', 'n:3', 0, BIT.isError]],
  [{ id: null, result: null }, ['result', '', '', 0, BIT.withoutId]],
  [{ id: 3, error: { code: -32800, message: '' } }, ['error', '', 'n:3', -32800, BIT.saysCancelled]],
  [{ id: 3, error: { code: 0, message: 'context canceled' } }, ['error', '', 'n:3', 0, BIT.saysCancelled]],
  [{ id: 3, error: { code: -32603, message: 'disk full' } }, ['error', '', 'n:3', -32603, 0]],
])('%j', (message, [shape, method, key, num, bits]) => {
  expect(factsOf({ jsonrpc: '2.0', ...message })).toMatchObject({ shape, method, key, num, bits });
});

const says = (text: string) => ((factsOf({ id: 1, result: { content: [{ type: 'text', text }] } })?.bits ?? 0) & BIT.saysCancelled) !== 0;

test('a result says "cancelled" only when it speaks of the call, not of the tool’s own business', () => {
  expect(
    ['Request cancelled', 'Patch …: context canceled', 'Cancelled by the client', 'AbortError: This operation was aborted'].map(says),
  ).toEqual([true, true, true, true]);
  expect(['Subscription 12 has been cancelled', 'Your flight is not cancelled', `${'x'.repeat(400)} request cancelled`].map(says)).toEqual([
    false,
    false,
    false,
  ]);
});

const state = { taskId: 'T', status: 'working', statusMessage: 'page 3', createdAt: '', lastUpdatedAt: '' };
const facts = { id: 'T', status: 'working', says: 'page 3' };

test.each([
  [
    'a task of 2025-11-25 is made',
    { id: 1, result: { task: { ...state, ttl: 60_000, pollInterval: 500 } } },
    { ...facts, ttl: 60_000, pollInterval: 500 },
    true,
  ],
  [
    'a task of the extension is made',
    { id: 1, result: { resultType: 'task', ...state, ttlMs: null, pollIntervalMs: 5 } },
    { ...facts, ttl: 'unlimited', pollInterval: 5 },
    true,
  ],
  ['a task is asked for', { id: 1, result: { ...state } }, facts, false],
  [
    'a task of the extension came out',
    { id: 1, result: { ...state, status: 'completed', result: { isError: true } } },
    { ...facts, status: 'completed', isError: true },
    false,
  ],
  [
    'a task of the extension failed',
    { id: 1, result: { ...state, status: 'failed', error: { code: -32603 } } },
    { ...facts, status: 'failed', code: -32603 },
    false,
  ],
  [
    'a result names the task that it is of',
    { id: 1, result: { content: [], _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'T' } } } },
    { id: 'T' },
    false,
  ],
  ['news', { method: 'notifications/tasks/status', params: state }, facts, false],
  ['news of the extension', { method: 'notifications/tasks', params: state }, facts, false],
])('%s', (_, message, task, makes) => {
  const read = factsOf({ jsonrpc: '2.0', ...message });
  expect(read?.extra).toEqual({ about: 'task', task });
  expect(((read?.bits ?? 0) & BIT.makesTask) !== 0).toBe(makes);
});

test('a list of tasks, and requests about them', () => {
  expect(factsOf({ id: 1, result: { tasks: [state, {}, null] } })?.extra).toEqual({ about: 'tasks', tasks: [facts] });
  expect(factsOf({ id: 1, method: 'tasks/get', params: { taskId: 'T' } })?.extra).toEqual({ about: 'request', task: 'T' });
  const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'T' } } };
  expect(factsOf({ id: 1, method: 'elicitation/create', params: related })?.extra).toEqual({ about: 'request', task: 'T' });
});

test.each([{ task: 'Buy milk' }, { task: { title: 'x' } }, { taskId: 5 }, { tasks: 3 }, { resultType: 'task' }])(
  'a result that only speaks of tasks makes none: %j',
  (result) => {
    const read = factsOf({ id: 1, result });
    expect([read?.extra, read?.bits]).toEqual([undefined, 0]);
  },
);

test('tools keep the hints that were given and no others', () => {
  const facts = factsOf({
    id: 1,
    result: { tools: [{ name: 'a', annotations: { readOnlyHint: true, destructiveHint: 'no' } }, { name: 'b' }, {}, null] },
  });
  expect(facts?.extra).toEqual({ about: 'tools', tools: [{ name: 'a', readOnly: true }, { name: 'b' }] });
});

test('anything at all may come over the wire', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const facts = factsOf(value);
      if (facts) expect(Number.isInteger(facts.num)).toBe(true);
    }),
  );
  expect([factsOf([]), factsOf('x'), factsOf({ jsonrpc: '2.0' }), factsOf(null)]).toEqual([undefined, undefined, undefined, undefined]);
});
