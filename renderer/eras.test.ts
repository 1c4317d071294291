// @vitest-environment happy-dom
// Revisions of the protocol in the window, over a fake host: what was offered and chosen, and a breach of the rule after a cancel.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { fromMs } from '../app/base/time';
import { MODERN } from '../app/wire/era';
import { FAKE_STATUS, type FakeHost, fakeVerdict } from './fakeHost.testing';
import { type FakeWindow, openWindow } from './window.testing';

vi.mock('./timeline/Timeline', () => ({ Timeline: ({ empty }: { readonly empty?: unknown }) => empty ?? null }));
vi.mock('./timeline/Legend', () => ({ Legend: () => null }));
vi.mock('./timeline/Overview', () => ({ Overview: () => null }));

let open: FakeWindow | undefined;
afterEach(() => {
  open?.close();
  open = undefined;
});

const start = async (prepare: (host: FakeHost) => void): Promise<FakeWindow> => {
  open = await openWindow(prepare);
  return open;
};

test('the header says what was chosen; a press says what was offered, why it was chosen, and what Stop is there', async () => {
  await start((host) => {
    const spec = { kind: 'http', url: 'http://127.0.0.1:9/mcp', transport: 'auto', headers: {}, protocol: MODERN } as const;
    host.status = { ...FAKE_STATUS, spec, transport: 'http', protocol: MODERN, offered: [MODERN, '2025-11-25'], pid: undefined };
  });
  fireEvent.click(await screen.findByRole('button', { name: 'The connection: HTTP · 2026-07-28 of 2 offered' }));
  const facts = await screen.findByRole('dialog', { name: 'The connection to Demo server' });
  const said = Array.from(facts.querySelectorAll('dt')).map((term) => `${term.textContent}: ${term.nextElementSibling?.textContent}`);
  expect(said).toEqual(
    expect.arrayContaining([
      'Offered: 2026-07-28, 2025-11-25',
      'Chosen: 2026-07-28Pinned: no other one is spoken with this server.',
      expect.stringContaining('Stop: closes the response stream'),
    ]),
  );
  fireEvent.click(within(facts).getByRole('button', { name: 'Connect with another revision…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Connect to a server' });
  const choice = within(dialog).getByRole<HTMLSelectElement>('combobox', { name: 'Revision of the protocol' });
  expect(choice.value).toBe(MODERN);
  expect(dialog.textContent).toContain('Stop closes the response stream of a call here, which is the cancel');
});

test('what a server still sends after a cancel stands with its call and among the findings, with the rule that it breaks', async () => {
  const { host, stopgap } = await start(() => undefined);
  host.call(1, 7, 'charge_card');
  host.cancel(100, 7);
  const seq = host.message(900, 's2c', { method: 'notifications/progress', params: { progressToken: 7, progress: 2 } });
  host.flush();
  const sentence = 'The server sent progress for charge_card #7 800 ms after its cancel.';
  const finding = { finding: 'cancel-ignored-by-revision', severity: 'warn', seq, call: 0, sentence, count: 3 } as const;
  host.judged([fakeVerdict(0, { stop: { ...fakeVerdict(0).stop, state: 'sent', at: fromMs(100) } })], [finding]);
  await waitFor(() => expect(stopgap.feed.findings).toHaveLength(1));
  stopgap.actions.selectCall(0);
  const noticed = await screen.findByRole('region', { name: 'Also noticed' });
  expect(noticed.textContent).toContain(`${sentence} × 3`);
  expect(noticed.textContent).toContain('since 2026-07-28 it must not send anything further for it, progress included');
  fireEvent.click(screen.getByRole('tab', { name: /^Findings/ }));
  const findings = await screen.findByRole('list', { name: 'Findings' });
  expect(findings.textContent).toContain('it must not send anything further');
  fireEvent.click(within(noticed).getByRole('button', { name: `frame ${seq}` }));
  expect(stopgap.store.getState().frame).toBe(seq);
});
