// The rounds of a request: what is answered, what is left, and by which id the client knows it.
import { describe, expect, test } from 'vitest';
import { Rounds } from './rounds';

const ROOTS = [{ uri: 'file:///shop', name: 'shop' }, { uri: 'file:///b' }];
const CALL = { jsonrpc: '2.0' as const, id: 7, method: 'tools/call', params: { name: 'deploy', _meta: { progressToken: 7 } } };

function open(): Rounds {
  const rounds = new Rounds(() => ROOTS);
  rounds.sent(CALL);
  return rounds;
}

const asks = (id: number | string, inputRequests: object | undefined, requestState?: string) => ({
  jsonrpc: '2.0' as const,
  id,
  result: { resultType: 'input_required', inputRequests, requestState },
});
const roots = { where: { method: 'roots/list' } };

test('roots are given as they are set, the state as it came, under an id of its own', () => {
  const rounds = open();
  const next = rounds.after('n:7', asks(7, roots, 'opaque'));
  expect(next).toMatchObject({ of: 7, after: 0 });
  expect(next?.request).toEqual({
    ...CALL,
    id: 'stopgap-round-1',
    params: { ...CALL.params, inputResponses: { where: { roots: [ROOTS[0], { uri: 'file:///b' }] } }, requestState: 'opaque' },
  });
});

test('a third round says nothing of the second, and the client knows all of them by one id', () => {
  const rounds = open();
  rounds.after('n:7', asks(7, roots, 'one'));
  const third = rounds.after('s:stopgap-round-1', asks('stopgap-round-1', roots));
  expect(third?.request.params).toMatchObject({ inputResponses: { where: {} } });
  expect(third?.request.params).not.toHaveProperty('requestState');
  const answer = { jsonrpc: '2.0' as const, id: 'stopgap-round-2', result: { content: [] } };
  expect(rounds.after('s:stopgap-round-2', answer)).toBeUndefined();
  expect(rounds.given('s:stopgap-round-2', answer)).toEqual({ ...answer, id: 7 });
});

test('a server that only wants to be asked again is left alone for a while', () => {
  const next = open().after('n:7', asks(7, undefined, 'busy'));
  expect(next?.after).toBeGreaterThan(0);
  expect(next?.request.params).toMatchObject({ requestState: 'busy' });
});

describe('there is no further round', () => {
  test.each([
    ['for a question to the person', asks(7, { ask: { method: 'elicitation/create', params: {} } })],
    ['for a model’s answer beside the roots', asks(7, { ...roots, model: { method: 'sampling/createMessage' } })],
    ['for an answer that asks for nothing', asks(7, undefined)],
    ['for a result', { jsonrpc: '2.0', id: 7, result: { content: [] } }],
    ['for an error', { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'no' } }],
  ])('%s', (_, message) => {
    expect(open().after('n:7', message)).toBeUndefined();
  });

  test('for one that has been stopped, whose answer crossed that', () => {
    const rounds = open();
    rounds.last('n:7');
    expect(rounds.after('n:7', asks(7, roots))).toBeUndefined();
    expect(rounds.given('n:7', asks(7, roots))).toMatchObject({ id: 7 });
  });

  test('for a request that may not ask', () => {
    const rounds = new Rounds(() => ROOTS);
    rounds.sent({ jsonrpc: '2.0', id: 7, method: 'tools/list' });
    expect(rounds.after('n:7', asks(7, roots))).toBeUndefined();
  });

  test('for one that asks on and on', () => {
    const rounds = open();
    let key = 'n:7';
    let count = 0;
    for (let next = rounds.after(key, asks(7, roots)); next; next = rounds.after(key, asks(key, roots))) {
      key = `s:${next.request.id}`;
      count++;
    }
    expect(count).toBe(9);
  });
});
