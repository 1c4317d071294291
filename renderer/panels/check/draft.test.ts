// What the page proposes: tools that can be called, with what was typed for them, and never one that may write unasked.
import { expect, test } from 'vitest';
import { FAKE_STATUS } from '../../fakeHost.testing';
import { initialState, type State } from '../../store/state';
import { argumentsOf, candidatesOf } from './draft';

const state = (more: Partial<State> = {}): State => ({ ...initialState, status: FAKE_STATUS, ...more });
const find = (of: State, name: string) => candidatesOf(of).find(({ tool }) => tool.name === name);

test('a tool that only reads can be called with what its schema gives', () => {
  expect(find(state(), 'search_orders')).toMatchObject({ writes: false, given: undefined, plan: { called: true, arguments: {} } });
});

test('a tool that may write needs a probe, and says so', () => {
  expect(find(state(), 'deploy')).toMatchObject({
    writes: true,
    plan: { called: false, why: expect.stringContaining('no probe watches') },
  });
  expect(find(state(), 'charge_card')).toMatchObject({
    writes: true,
    probes: ['ledger'],
    plan: { called: true, arguments: { amount: 4200 } },
  });
});

test('what was typed goes before what it was called with, and an example that comes with the server before that', () => {
  const typed = {
    arguments: { amount: 1 },
    stopAfterMs: undefined,
    normallyMs: undefined,
    settleMs: undefined,
    probes: [],
    task: undefined,
    ttlMs: undefined,
  };
  const settings = { ...initialState.settings, history: { demo: { charge_card: [{ amount: 2 }] } } };
  expect(find(state({ settings }), 'charge_card')?.given).toEqual({ amount: 2 });
  expect(find(state({ settings, drafts: { charge_card: typed } }), 'charge_card')?.given).toEqual({ amount: 1 });
  const setups = { charge_card: { probes: ['ledger'], example: { arguments: { amount: 3 }, normallyMs: 700 } } };
  const known = find(state({ settings, status: { ...FAKE_STATUS, setups } }), 'charge_card');
  expect(known).toMatchObject({ given: undefined, normallyMs: 700, plan: { arguments: { amount: 3 } } });
});

test('arguments go along for the tools that are chosen', () => {
  const settings = { ...initialState.settings, history: { demo: { charge_card: [{ amount: 2 }], search_orders: [{ text: 'ada' }] } } };
  expect(argumentsOf(candidatesOf(state({ settings })), ['search_orders'])).toEqual({ search_orders: { text: 'ada' } });
});
