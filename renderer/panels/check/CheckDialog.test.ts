// @vitest-environment happy-dom
// The report card as a person meets it in the window, over a fake host: what is asked for before anything is called, how far it
// is, what came of it, and where that is taken.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { CheckStatus } from '../../../app/contract/check';
import type { CheckReport } from '../../../app/report/check/schema';
import { FAKE_STATUS } from '../../fakeHost.testing';
import { type FakeWindow, openWindow } from '../../window.testing';

vi.mock('../../timeline/Timeline', () => ({ Timeline: ({ empty }: { readonly empty?: unknown }) => empty ?? null }));
vi.mock('../../timeline/Legend', () => ({ Legend: () => null }));
vi.mock('../../timeline/Overview', () => ({ Overview: () => null }));

let open: FakeWindow | undefined;
afterEach(() => {
  open?.close();
  open = undefined;
});

const REPORT: CheckReport = {
  format: 'stopgap-check',
  version: 1,
  server: { name: 'demo', version: '1', protocol: '2025-11-25', transport: 'stdio' },
  lines: [
    {
      check: 'honours-cancel',
      tool: 'charge_card',
      status: 'fail',
      sentence: 'It wrote <b>after</b> it.',
      source: 'S',
      because: [{ seq: 3, says: 'a line' }],
    },
    { check: 'keeps-silent-after-cancel', tool: 'charge_card', status: 'unknown', sentence: 'Not known.', source: 'S', because: [] },
  ],
  interrupted: false,
};

const status = (more: Partial<CheckStatus> = {}): CheckStatus => ({
  run: 1,
  title: 'Demo server',
  state: 'running',
  why: undefined,
  done: 3,
  of: 12,
  doing: 'charge_card: cancelled at work',
  report: REPORT,
  ...more,
});

async function begin(prepare?: Parameters<typeof openWindow>[0]): Promise<{ readonly window: FakeWindow; readonly dialog: HTMLElement }> {
  const window = await openWindow((host) => {
    host.answers['check.start'] = () => ({ run: 1 });
    prepare?.(host);
  });
  open = window;
  window.stopgap.actions.openDialog({ kind: 'check' });
  return { window, dialog: await screen.findByRole('dialog') };
}

test('a tool that may write is called only after a yes that names it', async () => {
  const { window, dialog } = await begin();
  // One that may write and that nobody watches cannot be chosen, and it is said why.
  expect(within(dialog).getByRole('checkbox', { name: 'Try deploy' }).getAttribute('aria-disabled')).toBe('true');
  expect(within(dialog).getByText(/no probe watches where/)).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Make the report card' }));
  await waitFor(() => expect(window.asked('check.start')).toHaveLength(1));
  expect(window.asked('check.start')[0]).toMatchObject({
    connection: FAKE_STATUS.connection,
    tools: ['search_orders'],
    allowWrites: false,
  });
  // The words are the box's own: a press on them ticks it.
  expect(within(dialog).getByRole('checkbox', { name: 'Call charge_card for real' })).toBeTruthy();
  fireEvent.click(within(dialog).getByText(/for real, several times each/));
  await within(dialog).findByText('2 of 3 tools are tried.');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Make the report card' }));
  await waitFor(() => expect(window.asked('check.start')).toHaveLength(2));
  expect(window.asked('check.start')[1]).toMatchObject({ tools: ['search_orders', 'charge_card'], allowWrites: true });
});

test('a refusal is shown in the host’s own words', async () => {
  const { dialog } = await begin((host) => {
    host.answers['check.start'] = () => {
      throw new Error('Something is running already.');
    };
  });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Make the report card' }));
  expect((await within(dialog).findByRole('alert')).textContent).toBe('Something is running already.');
});

test('while it is made it says how far it is, and can be ended', async () => {
  const { window, dialog } = await begin();
  window.host.push('check', status());
  await within(dialog).findByText('3 of 12: charge_card: cancelled at work');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Stop' }));
  await waitFor(() => expect(window.asked('check.stop')).toEqual([{ run: 1 }]));
});

test('a card that is there is read line by line, as text, and taken along', async () => {
  const { window, dialog } = await begin();
  window.shell.answers['dialog.file'] = '/work/card';
  window.host.push('check', status({ state: 'over', doing: '' }));
  await within(dialog).findByText('1 failed, 1 not known.');
  expect(within(dialog).getByText('It wrote <b>after</b> it.')).toBeTruthy();
  expect(within(dialog).getAllByRole('img', { name: 'failed' }).length).toBeGreaterThan(0);
  fireEvent.change(within(dialog).getByRole('combobox', { name: 'As' }), { target: { value: 'junit' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save…' }));
  await waitFor(() => expect(window.asked('check.write')).toHaveLength(1));
  expect(window.asked('check.write')[0]).toMatchObject({ path: '/work/card.xml', text: expect.stringContaining('<testsuites') });
  // The evidence leads out of the dialog, to its frame.
  fireEvent.click(within(dialog).getByRole('button', { name: '3' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(window.stopgap.store.getState().frame).toBe(3);
});

test('without a server there is nothing to check', async () => {
  const { dialog } = await begin((host) => {
    host.status = { ...FAKE_STATUS, state: 'ended' };
  });
  expect(within(dialog).getByText(/No server is connected/)).toBeTruthy();
});
