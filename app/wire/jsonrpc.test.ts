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
