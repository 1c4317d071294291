// @vitest-environment happy-dom
// Probes, retries and undo as a person meets them in the window, over a fake host.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { fromMs } from '../app/base/time';
import type { ProbeStatus } from '../app/contract/host';
import { PROBE_KINDS } from '../app/evidence/probe';
import type { Verdict } from '../app/verdict/verdict';
import { FAKE_STATUS, FAKE_TOOLS, fakeVerdict } from './fakeHost.testing';
import { type FakeWindow, openWindow } from './window.testing';

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

const type = (field: HTMLElement, value: string): void => void fireEvent.change(field, { target: { value } });

/** Opens the dialog for the chosen tool, and picks a kind. */
async function adding(tool: string, kind?: string): Promise<HTMLElement> {
  fireEvent.click(await screen.findByText(tool));
  fireEvent.click(await screen.findByRole('button', { name: 'Add a probe' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add a probe' });
  if (kind !== undefined) fireEvent.click(within(dialog).getByRole('radio', { name: new RegExp(`^${kind}`) }));
  return dialog;
}

const added = async (window: FakeWindow): Promise<unknown> => {
  await waitFor(() => expect(window.asked('probe.set')).toHaveLength(1));
  return (window.asked('probe.set')[0] as { readonly probe: unknown }).probe;
};

const watchIt = (dialog: HTMLElement): void => void fireEvent.click(within(dialog).getByRole('button', { name: 'Watch it' }));

test('the dialog begins with every kind as a card, says which may fit the tool and why, and that it is a guess', async () => {
  await start();
  const dialog = await adding('charge_card');
  expect(within(dialog).getAllByRole('radio')).toHaveLength(Object.keys(PROBE_KINDS).length);
  expect(within(dialog).getByRole('note').textContent).toBe(
    'For charge_card a Folder probe may fit: it speaks of “ledger”. That is a guess; you know where it writes.',
  );
  expect(within(dialog).getByRole('radio', { name: /^Folder/ })).toHaveProperty('checked', true);
});

test('a folder: chosen in the system’s dialog, named after it, and it watches the tool’s next call', async () => {
  const window = await start();
  window.shell.answers['dialog.folder'] = '/var/spool/out';
  const dialog = await adding('deploy', 'Folder');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Browse…' }));
  await waitFor(() => expect(within(dialog).getByLabelText('Name')).toHaveProperty('value', 'out'));
  watchIt(dialog);
  expect(await added(window)).toEqual({ kind: 'folder', name: 'out', path: '/var/spool/out', shared: false });
  await waitFor(() => expect(window.stopgap.store.getState().drafts['deploy']?.probes).toEqual(['out']));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a database: its password is masked, and a pasted address is taken apart at once', async () => {
  const window = await start();
  const dialog = await adding('deploy', 'SQL query');
  type(within(dialog).getByLabelText('Address'), 'mysql://ada:s3cret@db:3306/shop');
  expect(within(dialog).getByLabelText('Address')).toHaveProperty('value', 'ada@db:3306/shop');
  expect(within(dialog).getByLabelText('Password')).toMatchObject({ type: 'password', value: 's3cret' });
  type(within(dialog).getByLabelText(/^Query/), 'select id from orders');
  watchIt(dialog);
  expect(await added(window)).toEqual({
    kind: 'sql',
    name: 'orders',
    dsn: 'mysql://ada:s3cret@db:3306/shop',
    query: 'select id from orders',
    everyMs: 50,
    shared: false,
  });
});

test.each([
  [
    'Read tool or resource',
    { Tool: 'search_orders' },
    { kind: 'read', read: { tool: 'search_orders', arguments: {} }, name: 'search_orders' },
  ],
  ['Command', { 'Command whose output would change': 'git log -1' }, { kind: 'command', command: ['git', 'log', '-1'], name: 'git' }],
  ['Processes', {}, { kind: 'process', name: 'processes' }],
  ['OpenTelemetry', {}, { kind: 'otel', port: 0, name: 'spans' }],
] as const)('a probe of kind %s', async (kind, fields, expected) => {
  const window = await start();
  const dialog = await adding('deploy', kind);
  for (const [label, value] of Object.entries(fields)) type(within(dialog).getByLabelText(label), value);
  watchIt(dialog);
  expect(await added(window)).toMatchObject(expected);
});

test('a test says in place whether the place can be watched; what is typed afterwards has not been tested', async () => {
  const window = await start((host) => {
    host.answers['probe.check'] = ({ probe }) => ({ why: 'path' in probe && probe.path === '/no' ? 'there is no such folder' : undefined });
  });
  const dialog = await adding('deploy', 'Folder');
  const answer = within(dialog).getByRole('status');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Test' }));
  expect(answer.textContent).toBe('Choose the folder to watch.');
  type(within(dialog).getByLabelText('Folder'), '/no');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Test' }));
  await waitFor(() => expect(answer.textContent).toBe('It cannot be watched: there is no such folder'));
  type(within(dialog).getByLabelText('Folder'), '/yes');
  expect(answer.textContent).toBe('');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Test' }));
  await waitFor(() => expect(answer.textContent).toBe('✓ It can be watched.'));
  expect(window.asked('probe.set')).toEqual([]);
});

test('a sink shows its address and how to give it to the server, afterwards and whenever it is asked for', async () => {
  const hook: ProbeStatus = {
    spec: { kind: 'http', name: 'hook', port: 0, status: 200, delayMs: 0, shared: false },
    state: 'watching',
    why: undefined,
    builtIn: false,
    variables: { url: 'http://127.0.0.1:4711/t0ken' },
  };
  const window = await start((host) => {
    host.answers['probe.set'] = () => hook;
  });
  const dialog = await adding('deploy', 'HTTP sink');
  watchIt(dialog);
  const listening = await screen.findByRole('dialog', { name: 'hook is listening' });
  expect(within(listening).getByText('http://127.0.0.1:4711/t0ken')).toBeTruthy();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: how a variable is written
  expect(within(listening).getByText('${probes.hook.url}')).toBeTruthy();
  fireEvent.click(within(listening).getByRole('button', { name: 'Done' }));
  window.host.push('servers', [{ ...FAKE_STATUS, probes: [...FAKE_STATUS.probes, hook] }]);
  fireEvent.click(await screen.findByRole('button', { name: 'Address of probe hook' }));
  expect(await screen.findByRole('dialog', { name: 'Address of hook' })).toBeTruthy();
});

test('a probe that fails says why where it is listed, and so does one that missed something; a probe can be changed', async () => {
  const [ledger] = FAKE_STATUS.probes;
  if (!ledger) throw new Error('expected a probe');
  const window = await start((host) => {
    host.status = {
      ...FAKE_STATUS,
      probes: [
        ledger,
        { ...ledger, spec: { ...ledger.spec, name: 'orders' }, state: 'failing', why: 'the connection was lost', builtIn: false },
      ],
    };
  });
  window.host.effect(0, { effect: 'watching', probe: 'ledger', kind: 'folder', place: '/state', shared: false });
  window.host.effect(1, { effect: 'gap', probe: 'ledger', lo: fromMs(0), hi: fromMs(1), why: 'the folder was away' });
  window.host.flush();
  expect(await screen.findByText('the connection was lost')).toBeTruthy();
  expect(await screen.findByTitle('A gap in its watch: the folder was away')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Change probe orders' }));
  const dialog = await screen.findByRole('dialog', { name: 'Change the probe orders' });
  expect(within(dialog).queryByRole('radio')).toBeNull();
  type(within(dialog).getByLabelText('Files that match'), '*.json');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  expect(await added(window)).toEqual({ kind: 'folder', name: 'orders', path: '/state', match: '*.json', shared: false });
});

/** A charge that was stopped, and wrote all the same. */
async function stoppedCharge(window: FakeWindow, change: Partial<Verdict> = {}): Promise<void> {
  window.host.effect(0, { effect: 'watching', probe: 'ledger', kind: 'folder', place: '/state', shared: false });
  window.host.call(10, 1, 'charge_card', { amount: 42 }, ['ledger']);
  window.host.cancel(300, 1);
  const seq = window.host.effect(400, {
    effect: 'seen',
    probe: 'ledger',
    lo: fromMs(380),
    hi: fromMs(390),
    says: '1 line appended',
    subject: 'ledger.jsonl',
  });
  window.host.flush();
  const verdict = fakeVerdict(0);
  const seen = {
    seq,
    probe: 'ledger',
    lo: fromMs(380),
    hi: fromMs(390),
    says: '1 line appended',
    state: 'after',
    reverted: false,
    done: false,
    certainty: 'proved',
  } as const;
  window.host.judged([
    {
      ...verdict,
      stop: { ...verdict.stop, state: 'sent', at: fromMs(300) },
      effect: { ...verdict.effect, state: 'after', observations: [seen], worst: seen },
      verdict: 'write-after-cancel',
      ifRetried: 'The effect is there, and a retry may do it again.',
      ...change,
    },
  ]);
  window.stopgap.actions.selectCall(0);
  await screen.findByRole('button', { name: /^Verify now/ });
}

const press = (key: string): void => void fireEvent.keyDown(document.body, { key });

test('R asks before a tool that writes is called again, shows the call, and sends it as the retry', async () => {
  const window = await start();
  await stoppedCharge(window);
  press('r');
  const dialog = await screen.findByRole('dialog', { name: 'Retry charge_card #1?' });
  expect(within(dialog).getByText('The effect is there, and a retry may do it again.')).toBeTruthy();
  await within(dialog).findByText(/"amount": 42/);
  expect(window.asked('tool.call')).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Retry it' }));
  await waitFor(() =>
    expect(window.asked('tool.call')).toEqual([
      { connection: 1, tool: 'charge_card', arguments: { amount: 42 }, probes: ['ledger'], settleMs: 3000, fence: true, retryOf: 0 },
    ]),
  );
});

test('a tool declared read-only is retried without a question; a call that nobody stopped is not retried', async () => {
  const window = await start();
  window.host.call(1, 1, 'search_orders', { text: 'x' });
  window.host.cancel(5, 1);
  window.host.call(6, 2, 'search_orders');
  window.host.flush();
  const verdict = fakeVerdict(0);
  window.host.judged([{ ...verdict, stop: { ...verdict.stop, state: 'sent', at: fromMs(5) } }, fakeVerdict(1)]);
  window.stopgap.actions.selectCall(1);
  await screen.findByRole('button', { name: /^Copy/ });
  press('r');
  window.stopgap.actions.selectCall(0);
  await screen.findByRole('button', { name: /^Retry/ });
  press('r');
  await waitFor(() => expect(window.asked('tool.call')).toHaveLength(1));
  expect(window.asked('tool.call')[0]).toMatchObject({ tool: 'search_orders', arguments: { text: 'x' }, retryOf: 0 });
});

test('a tool declared read-only that was seen to write is asked about like any other', async () => {
  const tools = FAKE_TOOLS.map((tool) => (tool.name === 'charge_card' ? { ...tool, readOnly: true } : tool));
  const window = await start((host) => {
    host.status = { ...FAKE_STATUS, tools };
  });
  await stoppedCharge(window);
  press('r');
  await screen.findByRole('dialog', { name: /^Retry charge_card/ });
  expect(window.asked('tool.call')).toEqual([]);
});

test('an idempotency key in the tool’s schema is pointed at: missing, or going along', async () => {
  const keyed = FAKE_TOOLS.map((tool) =>
    tool.name === 'charge_card' ? { ...tool, inputSchema: { type: 'object', properties: { amount: {}, idempotency_key: {} } } } : tool,
  );
  const window = await start((host) => {
    host.status = { ...FAKE_STATUS, tools: keyed };
  });
  await stoppedCharge(window);
  press('r');
  expect(await screen.findByText(/this call had none: the server cannot tell/)).toBeTruthy();
  window.stopgap.actions.closeDialog();
  window.host.answers['call.arguments'] = () => ({
    tool: 'charge_card',
    arguments: { amount: 42, idempotency_key: 'k-1' },
    probes: ['ledger'],
    settleMs: undefined,
    normallyMs: undefined,
    fence: undefined,
    task: undefined,
  });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  press('r');
  expect(await screen.findByText(/goes along: a server that honours it/)).toBeTruthy();
});

test('a double write is said of the retry, and linked from the call that it repeats', async () => {
  const window = await start();
  await stoppedCharge(window);
  window.host.call(5000, 14, 'charge_card', { amount: 42 }, ['ledger'], { retryOf: 1 });
  window.host.flush();
  window.host.judged([fakeVerdict(1, { verdict: 'double-write', severity: 'breach', sentence: 'It happened twice.' })]);
  expect(await screen.findByText('double write')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'charge_card #14' }));
  await screen.findByText('It happened twice.');
  expect(screen.getByRole('button', { name: 'charge_card #1' })).toBeTruthy();
});

test('Undo shows the call that it makes, makes it, and only the probe’s look confirms it', async () => {
  const window = await start((host) => {
    const refund = {
      name: 'refund',
      title: undefined,
      description: undefined,
      taskSupport: 'forbidden' as const,
      inputSchema: { type: 'object', properties: { amount: {}, note: {} } },
    };
    host.status = {
      ...FAKE_STATUS,
      tools: [...FAKE_TOOLS, refund],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: how a template is written
      setups: { charge_card: { probes: ['ledger'], undo: { tool: 'refund', arguments: { amount: '${arguments.amount}' } } } },
    };
    host.answers['tool.call'] = () => ({ seq: 0, call: 1 });
  });
  await stoppedCharge(window);
  fireEvent.click(screen.getByRole('button', { name: 'Undo: refund…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Undo charge_card #1?' });
  await within(dialog).findByText(/"amount": 42/);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Call refund' }));
  await waitFor(() =>
    expect(window.asked('tool.call')).toEqual([
      { connection: 1, tool: 'refund', arguments: { amount: 42 }, probes: ['ledger'], undoOf: 0 },
    ]),
  );
  window.host.call(5000, 2, 'refund', { amount: 42 }, ['ledger'], { undoOf: 1 });
  window.host.flush();
  expect(await screen.findByText(/waiting for its answer/)).toBeTruthy();
  expect(window.asked('probe.read')).toEqual([]);
  window.host.reply(5200, 2);
  window.host.flush();
  await waitFor(() => expect(window.asked('probe.read')).toEqual([{ connection: 1, call: 0 }]));
  window.host.effect(5300, { effect: 'clear', probe: 'ledger', since: fromMs(400), lo: fromMs(5250), hi: fromMs(5260) });
  window.host.flush();
  expect(await screen.findByText('not confirmed: ledger still sees it.')).toBeTruthy();
  const seen = window.host.trace.length - 5;
  expect(window.host.trace.kind(seen)).toBe('effect');
  window.host.effect(5400, { effect: 'reverted', probe: 'ledger', lo: fromMs(5300), hi: fromMs(5390), says: 'gone', of: [seen] });
  window.host.flush();
  expect(await screen.findByText('confirmed by ledger: taken back')).toBeTruthy();
});

test('an undo is bound to a tool by hand, arguments of the same name taken over', async () => {
  const window = await start();
  fireEvent.click(await screen.findByText('charge_card'));
  fireEvent.click(screen.getByRole('button', { name: 'Bind an undo…' }));
  const dialog = await screen.findByRole('dialog', { name: 'What undoes charge_card?' });
  fireEvent.change(within(dialog).getByLabelText('Tool'), { target: { value: 'deploy' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(window.asked('tool.setup')).toEqual([
      { connection: 1, tool: 'charge_card', setup: { probes: ['ledger'], normallyMs: 400, undo: { tool: 'deploy', arguments: {} } } },
    ]),
  );
});

test('Verify now says what the probes found, at the edge and in the details', async () => {
  const window = await start();
  await stoppedCharge(window);
  press('p');
  await waitFor(() => expect(window.asked('probe.read')).toEqual([{ connection: 1, call: 0 }]));
  expect(await screen.findAllByText(/ledger: nothing new since the baseline/)).toHaveLength(2);
});

test('a probe’s own requests are no calls, and stay out of the wire log until they are asked for', async () => {
  const window = await start();
  window.host.act(1, { act: 'probe', id: 'p-1', probe: 'tickets' });
  window.host.message(1, 'c2s', { id: 'p-1', method: 'tools/call', params: { name: 'search_orders' } });
  window.host.message(2, 's2c', { id: 'p-1', result: {} });
  window.host.flush();
  const toggle = await screen.findByRole('button', { name: 'probe traffic (3)' });
  expect(screen.getByText('Nothing has gone over the wire yet.')).toBeTruthy();
  expect(screen.getByRole('tab', { name: 'Calls' })).toBeTruthy();
  fireEvent.click(toggle);
  await waitFor(() => expect(screen.queryByText('Nothing has gone over the wire yet.')).toBeNull());
  expect(toggle.getAttribute('aria-pressed')).toBe('true');
});
