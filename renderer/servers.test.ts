// @vitest-environment happy-dom
// Several servers in the window: which one is in focus, whose tools, probes and half typed calls are shown, and where a call
// of another one is stopped, repeated and looked after.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { ServerStatus } from '../app/contract/host';
import { FAKE_STATUS, type FakeHost, fakeVerdict, until } from './fakeHost.testing';
import { type FakeWindow, openWindow } from './window.testing';

// A simulated page has no canvas; the timeline is tested by itself.
vi.mock('./timeline/Timeline', () => ({ Timeline: ({ empty }: { readonly empty?: unknown }) => empty ?? null }));
vi.mock('./timeline/Legend', () => ({ Legend: () => null }));
vi.mock('./timeline/Overview', () => ({ Overview: () => null }));

const SHOP: ServerStatus = {
  ...FAKE_STATUS,
  connection: 2,
  session: 2,
  sessions: [2],
  key: 'shop',
  title: 'Shop',
  command: 'node shop.mjs',
  spec: { kind: 'stdio', command: 'node', args: ['shop.mjs'], env: {}, watch: [] },
  tools: [
    { name: 'order', title: undefined, description: undefined, taskSupport: 'forbidden', inputSchema: { type: 'object' } },
    { name: 'charge_card', title: undefined, description: undefined, taskSupport: 'forbidden', inputSchema: { type: 'object' } },
  ],
  probes: [],
  setups: {},
};

let opened: FakeWindow;
afterEach(() => opened.close());

const start = async (prepare: (host: FakeHost) => void = () => undefined): Promise<FakeWindow> => {
  opened = await openWindow((host) => {
    host.others = [SHOP];
    host.settings = { ...host.settings, lastServer: { kind: 'demo' } };
    prepare(host);
  });
  return opened;
};

const toolNames = (): readonly (string | null)[] =>
  within(screen.getByRole('listbox', { name: 'Tools' }))
    .getAllByRole('option')
    .map((option) => option.textContent);
const whose = (): HTMLElement => screen.getByRole('group', { name: 'Server whose tools are shown' });

test('the server of the last time is in focus; a press or a key puts another one there, with its tools', async () => {
  const window = await start();
  expect(window.stopgap.store.getState().status.connection).toBe(1);
  expect(
    within(whose())
      .getByRole('button', { name: /Demo server/ })
      .getAttribute('aria-pressed'),
  ).toBe('true');
  fireEvent.click(within(whose()).getByRole('button', { name: /Shop/ }));
  await waitFor(() => expect(toolNames().join()).toContain('order'));
  window.shell.emit('command', 'server.next');
  expect(window.stopgap.store.getState().status.title).toBe('Demo server');
  window.shell.emit('command', 'server.previous');
  expect(window.stopgap.store.getState().status.title).toBe('Shop');
});

test('the server of the last time is in focus also where it comes after another, until somebody chooses', async () => {
  const window = await start((host) => {
    host.others = [];
    host.settings = { ...host.settings, lastServer: { kind: 'http', url: 'http://127.0.0.1:9/mcp', transport: 'auto', headers: {} } };
  });
  const { actions, store } = window.stopgap;
  const last = { ...SHOP, key: 'http://127.0.0.1:9/mcp' };
  const pushed = async (...servers: ServerStatus[]): Promise<void> => {
    window.host.push('servers', servers);
    await until(() => store.getState().servers.length === servers.length);
  };
  expect(store.getState().status.connection).toBe(1);
  await pushed(FAKE_STATUS, last);
  expect(store.getState().status.connection).toBe(2);
  actions.focusOn(1);
  await pushed(FAKE_STATUS, last, { ...SHOP, connection: 3 });
  expect(store.getState().status.connection).toBe(1);
});

test('one server needs no choice', async () => {
  await start((host) => {
    host.others = [];
  });
  expect(screen.queryByRole('group', { name: 'Server whose tools are shown' })).toBeNull();
});

test('what is half typed for a tool of one server is not another’s, and is still there when it is in focus again', async () => {
  const window = await start();
  const { actions, store } = window.stopgap;
  const charge = store.getState().status.tools.find(({ name }) => name === 'charge_card');
  if (!charge) throw new Error('expected the tool');
  actions.draft(charge, { arguments: { amount: 7 } });
  actions.focusOn(2);
  expect(store.getState().drafts).toEqual({});
  actions.focusOn(1);
  expect(store.getState().drafts['charge_card']?.arguments).toEqual({ amount: 7 });
});

test('a call goes to the server in focus; one of another server is stopped without a change of focus, and repeated there', async () => {
  const window = await start();
  const { actions, feed, store } = window.stopgap;
  actions.focusOn(2);
  window.host.call(10, 5, 'charge_card');
  window.host.flush();
  await until(() => feed.calls.all.length === 1);
  await actions.stop(0);
  expect(window.asked('call.stop')).toMatchObject([{ call: 0 }]);
  expect(store.getState().status.title).toBe('Shop');
  window.host.judged([fakeVerdict(0, { verdict: 'quiet' })]);
  const call = feed.calls.all[0];
  if (!call) throw new Error('expected the call');
  await actions.retry(call);
  expect(window.asked('tool.call')).toMatchObject([{ connection: 1, tool: 'charge_card', retryOf: 0 }]);
  await actions.readProbes(0);
  expect(window.asked('probe.read')).toEqual([{ connection: 1, call: 0 }]);
});

test('a call of a server that is gone is not repeated at another one', async () => {
  const window = await start((host) => {
    host.others = [SHOP, { ...SHOP, connection: 3, session: 3, sessions: [3], title: 'Third' }];
  });
  const { actions, feed } = window.stopgap;
  window.host.call(10, 5, 'charge_card');
  window.host.flush();
  await until(() => feed.calls.all.length === 1);
  window.host.push('servers', window.host.others);
  await until(() => window.stopgap.store.getState().servers.every(({ connection }) => connection !== 1));
  const call = feed.calls.all[0];
  if (!call) throw new Error('expected the call');
  await actions.retry(call);
  expect(window.asked('tool.call')).toEqual([]);
  expect(await screen.findByText(/The server of this call is not connected any more/)).toBeTruthy();
});

test('a tool that was chosen stays chosen, however often another server takes the place of the one in focus', async () => {
  const window = await start((host) => {
    host.others = [];
  });
  const { store } = window.stopgap;
  const placed = async (connection: number): Promise<void> => {
    window.host.push('servers', []);
    await until(() => store.getState().status.connection === 0);
    window.host.push('servers', [{ ...SHOP, connection }]);
    await until(() => store.getState().status.connection === connection);
  };
  store.setState({ tool: 'charge_card' });
  await placed(2);
  expect(store.getState().tool).toBe('charge_card');
  store.setState({ tool: 'order' });
  await placed(3);
  expect(store.getState().tool).toBe('order');
});

test('a session that is lost offers to begin a new one, and a fallback is said with its reason', async () => {
  const spec = { kind: 'http', url: 'http://127.0.0.1:9/mcp', transport: 'auto', headers: {} } as const;
  const window = await start((host) => {
    host.others = [];
  });
  const over = { ...SHOP, spec, transport: 'sse', fellBack: { from: 'http', why: 'it was answered with 405' } } as const;
  window.host.push('servers', [over]);
  const said = await screen.findByText(/fallen back/);
  expect(said.getAttribute('title')).toBe('Streamable HTTP was refused: it was answered with 405');
  window.host.push('servers', [{ ...over, state: 'ended', sessionLost: true, why: 'The server answered 404.' }]);
  expect(await screen.findByRole('heading', { name: 'Shop lost its session' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Show stderr' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Begin a new session' }));
  await waitFor(() => expect(window.asked('server.connect')).toEqual([{ spec }]));

  window.host.call(10, 5, 'charge_card');
  window.host.flush();
  const banner = await screen.findByText(/Shop lost its session\./);
  expect(within(banner.closest('.banner') as HTMLElement).getByRole('button', { name: 'Begin a new session' })).toBeTruthy();
});

test('when the server in focus is disconnected, another one is in focus', async () => {
  const window = await start();
  window.shell.emit('command', 'server.disconnect');
  await waitFor(() => expect(window.asked('server.disconnect')).toEqual([{ connection: 1 }]));
  window.host.push('servers', [SHOP]);
  await until(() => window.stopgap.store.getState().status.title === 'Shop');
});

test('the menu has what is connected, what is saved, and what can be connected beside; a copy keeps what it copies', async () => {
  const saved = { kind: 'http', url: 'http://127.0.0.1:9/mcp', transport: 'auto', headers: {}, id: 'x1', title: 'Books' } as const;
  const window = await start((host) => {
    host.settings = { ...host.settings, savedServers: [saved] };
  });
  fireEvent.click(screen.getByRole('button', { name: /Demo server and 1 more/ }));
  expect(await screen.findByRole('menuitemradio', { name: 'Shop' })).toBeTruthy();
  fireEvent.click(screen.getByRole('menuitem', { name: /^Books/ }));
  await waitFor(() => expect(window.asked('server.connect')).toEqual([{ spec: saved, instead: 1 }]));
  await window.stopgap.actions.connect(saved, true);
  expect(window.asked('server.connect')[1]).toEqual({ spec: saved });
  await window.stopgap.actions.duplicate(saved);
  const { id: _, ...copy } = saved;
  expect(window.asked('server.save')).toEqual([{ spec: { ...copy, title: 'Books, copied' }, like: 'x1' }]);
});

test('an address is described with its transport and masked headers, saved, and connected beside the others', async () => {
  const window = await start((host) => {
    host.answers['server.save'] = () => ({ id: 'new' });
  });
  window.shell.emit('command', 'server.connect');
  const dialog = await screen.findByRole('dialog', { name: 'Connect to a server' });
  fireEvent.click(within(dialog).getByRole('radio', { name: 'Address' }));
  const connect = within(dialog).getByRole('button', { name: 'Connect' }) as HTMLButtonElement;
  fireEvent.change(within(dialog).getByLabelText(/^Address of/), { target: { value: 'ftp://x' } });
  expect([connect.disabled, within(dialog).getByText(/begins with http/).textContent]).toEqual([
    true,
    'An address begins with http:// or https://.',
  ]);
  fireEvent.change(within(dialog).getByLabelText(/^Address of/), { target: { value: 'http://127.0.0.1:9/mcp' } });
  fireEvent.change(within(dialog).getByLabelText('Transport'), { target: { value: 'sse' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Header' }));
  fireEvent.change(within(dialog).getByLabelText('Name of the header'), { target: { value: 'Authorization' } });
  const value = within(dialog).getByLabelText('Value of Authorization') as HTMLInputElement;
  expect(value.type).toBe('password');
  fireEvent.change(value, { target: { value: 'Bearer x' } });
  fireEvent.click(within(dialog).getByRole('checkbox', { name: 'Save it in the list of servers' }));
  fireEvent.click(within(dialog).getByRole('checkbox', { name: 'Keep Demo server connected beside it' }));
  fireEvent.click(connect);
  const spec = { kind: 'http', url: 'http://127.0.0.1:9/mcp', transport: 'sse', headers: { Authorization: 'Bearer x' } };
  await waitFor(() => expect(window.asked('server.connect')).toEqual([{ spec: { ...spec, id: 'new' } }]));
  expect(window.asked('server.save')).toEqual([{ spec }]);
});

test('a saved server is renamed without being connected', async () => {
  const saved = { kind: 'stdio', command: 'node', args: ['a b.mjs'], env: { TOKEN: '' }, watch: [], id: 'x2', title: 'Old' } as const;
  const window = await start((host) => {
    host.answers['server.save'] = () => ({ id: 'x2' });
  });
  window.stopgap.actions.openDialog({ kind: 'connect', edit: { ...saved, args: [...saved.args], watch: [] } });
  const dialog = await screen.findByRole('dialog', { name: 'Change Old' });
  fireEvent.change(within(dialog).getByLabelText('Title'), { target: { value: 'New' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(window.asked('server.save')).toEqual([{ spec: { ...saved, title: 'New' } }]));
  expect(window.asked('server.connect')).toEqual([]);
});
