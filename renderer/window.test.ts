// @vitest-environment happy-dom
// The window as a person meets it, over a fake host: what it shows, what it asks for, and where Escape goes.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { fromMs } from '../app/base/time';
import { FAKE_STATUS, fakeVerdict } from './fakeHost.testing';
import { type FakeWindow, openWindow } from './window.testing';

// A simulated page has no canvas; what stands in for the timeline shows what it is given for an empty one.
vi.mock('./timeline/Timeline', () => ({ Timeline: ({ empty }: { readonly empty?: unknown }) => empty ?? null }));
vi.mock('./timeline/Legend', () => ({ Legend: () => null }));
vi.mock('./timeline/Overview', () => ({ Overview: () => null }));

let open: FakeWindow | undefined;
afterEach(() => {
  open?.close();
  open = undefined;
});

const start = async (prepare?: Parameters<typeof openWindow>[0]): Promise<FakeWindow> => {
  open = await openWindow(prepare);
  return open;
};

/** The simulated page's events do not know of modifiers; a browser's do. */
function press(key: string, { shiftKey = false, ctrlKey = false } = {}, target: Element = document.body): void {
  const event = new KeyboardEvent('keydown', { key, shiftKey, ctrlKey, bubbles: true, cancelable: true });
  Object.defineProperty(event, 'getModifierState', {
    value: (name: string) => (name === 'Shift' && shiftKey) || (name === 'Control' && ctrlKey),
  });
  fireEvent(target, event);
}

const inFlight = async ({ host }: FakeWindow, ...ids: readonly number[]): Promise<void> => {
  for (const id of ids) host.call(id, id, id % 2 === 0 ? 'search_orders' : 'charge_card', { amount: id });
  host.flush();
  await waitFor(() => expect(document.getElementById('stop-button')?.dataset['ghost']).toBe('false'));
};

test('tools stand with their badges; the chosen one shows its form, its probes and its warning', async () => {
  await start();
  const tools = await screen.findByRole('complementary', { name: 'Tools' });
  expect(
    within(tools)
      .getAllByRole('option')
      .filter((option) => option.className === 'tool')
      .map((option) => option.textContent),
  ).toEqual(['Rsearch_orders', 'Dcharge_card', '?deploy']);
  // The demo begins with the race that the product is about.
  expect((await within(tools).findByLabelText<HTMLInputElement>(/Amount in cents/)).value).toBe('4200');
  expect(
    within(tools)
      .getByRole('checkbox', { name: /ledger/ })
      .getAttribute('aria-checked'),
  ).toBe('true');
  expect(within(tools).getByText('This tool writes. Stop asks; it does not undo.')).toBeTruthy();
  fireEvent.click(within(tools).getByText('search_orders'));
  expect(await within(tools).findByText('Declared read-only. That is a hint, not a proof.')).toBeTruthy();
});

test('Call sends the draft: arguments, probes, normal duration', async () => {
  const window = await start();
  fireEvent.change(await screen.findByLabelText(/Amount in cents/), { target: { value: '99' } });
  fireEvent.change(screen.getByLabelText(/Stop after/), { target: { value: '300 ms' } });
  fireEvent.click(screen.getByRole('button', { name: /^Call charge_card/ }));
  await waitFor(() => expect(window.asked('tool.call')).toHaveLength(1));
  expect(window.asked('tool.call')).toEqual([
    {
      connection: 1,
      tool: 'charge_card',
      arguments: { amount: 99 },
      probes: ['ledger'],
      normallyMs: 400,
      stopAfterMs: 300,
      stopReason: 'user pressed stop',
    },
  ]);
});

test('arguments against the schema are shown before they are sent', async () => {
  const window = await start();
  fireEvent.change(await screen.findByLabelText(/Amount in cents/), { target: { value: '0' } });
  fireEvent.click(screen.getByRole('button', { name: /^Call charge_card/ }));
  const anyway = await screen.findByRole('button', { name: /Call anyway/ });
  expect(screen.getAllByText(/0 is less than 1/).length).toBeGreaterThan(0);
  expect(window.asked('tool.call')).toEqual([]);
  fireEvent.click(anyway);
  await waitFor(() => expect(window.asked('tool.call')).toHaveLength(1));
});

test('a tool that may write and is not watched says so, until that is put away', async () => {
  const window = await start();
  fireEvent.click(await screen.findByText('deploy'));
  expect(await screen.findByText(/it will not be known whether it did/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Not for this tool' }));
  await waitFor(() =>
    expect(window.asked('tool.setup')).toEqual([{ connection: 1, tool: 'deploy', setup: { probes: [], hintDismissed: true } }]),
  );
});

test('Escape stops the newest call in flight, the selected one when it is in flight, and Shift+Escape stops all', async () => {
  const window = await start();
  await inFlight(window, 1, 2, 3);
  press('Escape');
  await waitFor(() => expect(window.asked('call.stop')).toHaveLength(1));
  window.stopgap.actions.selectCall(1);
  press('Escape');
  await waitFor(() => expect(window.asked('call.stop')).toHaveLength(2));
  press('Escape', { shiftKey: true });
  await waitFor(() => expect(window.asked('call.stop-all')).toHaveLength(1));
  expect((window.asked('call.stop') as readonly { call: number }[]).map(({ call }) => call)).toEqual([2, 1]);
  expect(window.asked('call.stop')[0]).toMatchObject({ how: { means: 'cancel' }, reason: 'user pressed stop' });
});

test('Escape goes to the innermost open layer first, one layer a press, and to Stop only when none is open', async () => {
  const window = await start();
  await inFlight(window, 1);
  const { store, layers, actions } = window.stopgap;
  actions.openDialog({ kind: 'help' });
  await screen.findByRole('dialog', { name: 'Keys and marks' });
  store.setState({ palette: true });
  await screen.findByRole('combobox', { name: 'Commands' });
  expect(layers.depth()).toBe(2);
  press('Escape');
  await waitFor(() => expect(layers.depth()).toBe(1));
  expect([store.getState().palette, store.getState().dialog?.kind]).toEqual([false, 'help']);
  press('Escape');
  await waitFor(() => expect(layers.depth()).toBe(0));
  expect(window.asked('call.stop')).toEqual([]);
  press('Escape');
  await waitFor(() => expect(window.asked('call.stop')).toHaveLength(1));
});

test('a menu is a layer, and so is the filter while it is typed into; a plain field is none', async () => {
  const window = await start();
  await inFlight(window, 1);
  fireEvent.click(screen.getByRole('button', { name: /Demo server/ }));
  await screen.findByRole('menuitem', { name: /^Another server…/ });
  press('Escape');
  await waitFor(() => expect(screen.queryByRole('menuitem', { name: /^Another server…/ })).toBeNull());

  const filter = screen.getByLabelText('Filter calls, text, verdicts') as HTMLInputElement;
  filter.focus();
  fireEvent.change(filter, { target: { value: 'charge' } });
  await waitFor(() => expect(window.stopgap.layers.depth()).toBe(1));
  press('Escape', {}, filter);
  await waitFor(() => expect(window.stopgap.store.getState().filter).toBe(''));
  expect(window.asked('call.stop')).toEqual([]);

  const amount = await screen.findByLabelText(/Amount in cents/);
  amount.focus();
  press('Escape', {}, amount);
  await waitFor(() => expect(window.asked('call.stop')).toHaveLength(1));
});

test('keys never fire while typing, except Escape and chords', async () => {
  const window = await start();
  const amount = await screen.findByLabelText(/Amount in cents/);
  press('?', { shiftKey: true }, amount);
  press('4', {}, amount);
  expect([window.stopgap.store.getState().dialog, window.stopgap.store.getState().signs]).toEqual([undefined, []]);
  press('k', { ctrlKey: true }, amount);
  expect(await screen.findByRole('combobox', { name: 'Commands' })).toBeTruthy();
  press('Escape');
  press('4');
  expect(window.stopgap.store.getState().signs).toEqual(['breach']);
});

test('a key is changed by pressing another one; whoever had it is told of, and the old one does nothing any more', async () => {
  const window = await start();
  window.stopgap.actions.openDialog({ kind: 'keys' });
  const dialog = await screen.findByRole('dialog', { name: 'Keys' });
  const change = within(dialog).getByRole('button', { name: 'Change: Keys and marks' });
  fireEvent.click(change);
  press('k', { ctrlKey: true }, change);
  expect(await within(dialog).findByText('“Commands…” has lost that key.')).toBeTruthy();
  expect(window.asked('settings.set')).toContainEqual({ patch: { keys: { help: ['$mod+k'] } } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  press('?', { shiftKey: true });
  expect(window.stopgap.store.getState().dialog).toBeUndefined();
  press('k', { ctrlKey: true });
  expect(window.stopgap.store.getState().dialog).toEqual({ kind: 'help' });
});

test('Escape with nothing in flight and nothing open clears selection and filter', async () => {
  const window = await start();
  window.stopgap.store.setState({ filter: 'x', call: 0, signs: ['warn'] });
  press('Escape');
  const { filter, call, signs } = window.stopgap.store.getState();
  expect([filter, call, signs, window.asked('call.stop')]).toEqual(['', undefined, [], []]);
});

test('a press that comes too late goes to the host all the same, and what it says is shown', async () => {
  const window = await start((host) => {
    host.answers['call.stop'] = ({ call }) => ({ call, outcome: 'too-late', says: 'The reply was there already: nothing was sent.' });
  });
  await inFlight(window, 1);
  window.host.reply(20, 1);
  window.host.flush();
  await screen.findByText('Too late: nothing would be sent');
  press('Escape');
  expect(await screen.findByText('The reply was there already: nothing was sent.')).toBeTruthy();
});

test('the verdict is a sentence first, then three lanes, then evidence that leads to its frame; a breach is said aloud', async () => {
  const window = await start();
  await inFlight(window, 1);
  window.host.cancel(300, 1);
  window.host.flush();
  window.host.judged([
    fakeVerdict(0, {
      verdict: 'write-after-cancel',
      severity: 'breach',
      sentence: 'The write landed 87 ms after your cancel.',
      because: [{ seq: 3, says: 'cancel for request #1 written to the pipe' }],
      stop: {
        state: 'sent',
        certainty: 'proved',
        because: [],
        flags: [],
        how: { means: 'cancel' },
        reason: 'user pressed stop',
        at: fromMs(300),
      },
      ifRetried: 'A retry would charge again.',
    }),
  ]);
  window.stopgap.actions.selectCall(0);
  const details = await screen.findByRole('complementary', { name: 'Details of the selected call' });
  await within(details).findByText('The write landed 87 ms after your cancel.');
  expect(within(details).getByText('sent, “user pressed stop”')).toBeTruthy();
  expect(within(details).getByText('A retry would charge again.')).toBeTruthy();
  expect(await screen.findByRole('button', { name: '1 breach' })).toBeTruthy();
  expect(await screen.findByText('Breach: charge_card #1. The write landed 87 ms after your cancel.')).toBeTruthy();
  fireEvent.click(within(details).getByRole('button', { name: 'frame 3' }));
  expect([window.stopgap.store.getState().frame, window.stopgap.store.getState().tab]).toEqual([3, 'wire']);
});

test('Enter goes to the details of the selected call', async () => {
  const window = await start();
  await inFlight(window, 1);
  window.stopgap.actions.selectCall(0);
  press('Enter');
  expect(document.activeElement).toBe(screen.getByRole('complementary', { name: 'Details of the selected call' }));
});

test('a trace file says that it is one, what was repaired, and how to leave', async () => {
  const window = await start();
  window.host.push('view', {
    id: 2,
    source: 'file',
    path: '/traces/old.ndjson',
    began: '2026-01-01T00:00:00.000Z',
    repaired: 'The last line was torn and left out.',
  });
  expect(await screen.findByText('You are looking at a trace file')).toBeTruthy();
  expect(screen.getByText('The last line was torn and left out.')).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Calls in flight' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Back to live' }));
  await waitFor(() => expect(window.asked('trace.live')).toHaveLength(1));
});

test('a trace file that is being read says how far, and then what was left out of it', async () => {
  const window = await start();
  const view = { id: 2, source: 'file', path: '/traces/long.ndjson', began: '2026-01-01T00:00:00.000Z', repaired: undefined } as const;
  window.host.push('view', view);
  const reading = { view: 2, frames: 12_345, bytes: 25, size: 100, done: false, repaired: undefined };
  window.host.push('reading', reading);
  expect(await screen.findByText(/12,345 frames of the trace read so far \(25 %\)/)).toBeTruthy();
  window.host.push('reading', { ...reading, view: 1, frames: 7 });
  window.host.push('reading', { ...reading, frames: 40_000, bytes: 100, done: true, repaired: 'The last line is not whole.' });
  expect(await screen.findByText('The last line is not whole.')).toBeTruthy();
  expect(screen.queryByText(/read so far/)).toBeNull();
});

test('a server that failed says why and what to try; a host that ended offers a restart', async () => {
  const window = await start((host) => {
    host.status = { ...FAKE_STATUS, state: 'failed', tools: [], why: 'Expected an answer to initialize, the process ended with code 7.' };
  });
  expect(await screen.findByText(/ended with code 7/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(window.asked('server.connect')).toEqual([{ spec: { kind: 'demo' } }]));
  window.shell.emit('host.ended', { code: 70, wanted: false });
  expect(await screen.findByText(/exit code 70/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Restart the host' }));
  await waitFor(() => expect(window.shell.asked.map(({ request }) => request)).toContain('host.restart'));
});

test('a command line is parsed word by word, and its environment is masked', async () => {
  const window = await start();
  window.shell.emit('command', 'server.connect');
  const dialog = await screen.findByRole('dialog', { name: 'Connect to a server' });
  fireEvent.change(within(dialog).getByLabelText(/Command line/), { target: { value: 'node "my server.mjs" --x' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Variable' }));
  fireEvent.change(within(dialog).getByLabelText('Name of the variable'), { target: { value: 'TOKEN' } });
  const value = within(dialog).getByLabelText('Value of TOKEN') as HTMLInputElement;
  expect(value.type).toBe('password');
  fireEvent.change(value, { target: { value: 'secret' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Connect' }));
  await waitFor(() =>
    expect(window.asked('server.connect')).toEqual([
      { instead: 1, spec: { kind: 'stdio', command: 'node', args: ['my server.mjs', '--x'], env: { TOKEN: 'secret' }, watch: [] } },
    ]),
  );
});

test('the first race goes on by what really happens', async () => {
  const window = await start((host) => {
    host.settings = { ...host.settings, welcomeDismissed: false };
  });
  expect(await screen.findByRole('dialog', { name: 'Charge 42 €' })).toBeTruthy();
  window.host.call(10, 1, 'charge_card', {}, ['ledger']);
  window.host.flush();
  expect(await screen.findByRole('dialog', { name: 'Now press Stop' })).toBeTruthy();
  window.host.cancel(900, 1);
  window.host.flush();
  expect(await screen.findByRole('dialog', { name: 'See what happens' })).toBeTruthy();
  window.host.judged([fakeVerdict(0, { verdict: 'write-after-cancel', severity: 'breach' })]);
  expect(await screen.findByRole('dialog', { name: 'That is what really happened' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(window.asked('settings.set')).toContainEqual({ patch: { welcomeDismissed: true } }));
});
