import { expect, test } from 'vitest';
import type { Tool } from '../../../app/contract/host';
import { idempotencyKeyOf } from './idempotency';
import { proposedMapping } from './UndoToolDialog';

const tool = (name: string, ...args: readonly string[]): Tool => ({
  name,
  title: undefined,
  description: undefined,
  taskSupport: 'forbidden',
  inputSchema: { type: 'object', properties: Object.fromEntries(args.map((arg) => [arg, {}])) },
});

test('an idempotency key is known by the names that servers give it', () => {
  expect(
    [
      'idempotency_key',
      'idempotencyKey',
      'Idempotency-Key',
      'request_id',
      'clientRequestId',
      'client_token',
      'dedup_key',
      'order_id',
      'key',
    ].map((name) => idempotencyKeyOf(tool('pay', 'amount', name))),
  ).toEqual([
    'idempotency_key',
    'idempotencyKey',
    'Idempotency-Key',
    'request_id',
    'clientRequestId',
    'client_token',
    'dedup_key',
    undefined,
    undefined,
  ]);
});

test('an undo takes over the arguments of the same name', () => {
  expect(proposedMapping(tool('charge_card', 'amount', 'idempotency_key'), tool('refund', 'charge_id', 'idempotency_key'))).toEqual({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: how a template is written
    idempotency_key: '${arguments.idempotency_key}',
  });
  expect(proposedMapping(tool('a', 'x'), undefined)).toEqual({});
});
