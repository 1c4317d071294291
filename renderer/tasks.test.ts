// @vitest-environment happy-dom
// Tasks in the window, over a fake host: whether a call runs as one, what Stop is then, and the server's list with its orphans.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { fromMs } from '../app/base/time';
import type { ListedTask, TaskAbilities, Tool } from '../app/contract/host';
import { COMMANDS, can } from './commands';
import { FAKE_STATUS, FAKE_TOOLS, type FakeHost } from './fakeHost.testing';
import { type FakeWindow, openWindow } from './window.testing';

vi.mock('./timeline/Timeline', () => ({ Timeline: ({ empty }: { readonly empty?: unknown }) => empty ?? null }));
vi.mock('./timeline/Legend', () => ({ Legend: () => null }));
vi.mock('./timeline/Overview', () => ({ Overview: () => null }));

let open: FakeWindow | undefined;
afterEach(() => {
  open?.close();
  open = undefined;
});

const ABILITIES: TaskAbilities = { form: 'experimental', calls: true, list: true, cancel: true };
/** The same tools with what each allows. */
const TOOLS: readonly Tool[] = FAKE_TOOLS.map((tool) => ({
  ...tool,
  taskSupport: tool.name === 'deploy' ? 'required' : tool.name === 'charge_card' ? 'optional' : 'forbidden',
}));

const start = async (prepare: (host: FakeHost) => void = () => undefined): Promise<FakeWindow> => {
  open = await openWindow((host) => {
    host.status = { ...FAKE_STATUS, tools: TOOLS, tasks: ABILITIES };
    prepare(host);
  });
  return open;
};

const choose = async (tool: string): Promise<HTMLElement> => {
  const tools = await screen.findByRole('complementary', { name: 'Tools' });
  fireEvent.click(await within(tools).findByText(tool));
  return tools;
};
const box = (within_: HTMLElement): HTMLElement => within(within_).getByRole('checkbox', { name: 'Run as a task' });
/** By its words: a simulated page ticks a box twice that is pressed itself. */
const tick = (words: HTMLElement): boolean => fireEvent.click(words);
const isTicked = (element: HTMLElement): boolean => element.getAttribute('aria-checked') === 'true';
const isOff = (element: HTMLElement): boolean => element.getAttribute('aria-disabled') === 'true' || element.hasAttribute('disabled');

const task = (id: string, change: Partial<ListedTask> = {}): ListedTask => ({
  id,
  status: 'working',
  message: undefined,
  ttlMs: 60_000,
  pollIntervalMs: undefined,
  created: '2026-01-01T10:00:00Z',
  updated: undefined,
  call: undefined,
  polled: false,
  ...change,
});

test('a choice where the tool leaves one, forced where it demands one, explained where it forbids one', async () => {
  await start();
  const tools = await choose('charge_card');
  expect([isTicked(box(tools)), isOff(box(tools))]).toEqual([false, false]);
  await choose('deploy');
  expect([isTicked(box(tools)), isOff(box(tools))]).toEqual([true, true]);
  expect(within(tools).getByText(/demands it \(taskSupport\)/)).toBeTruthy();
  await choose('search_orders');
  expect([isTicked(box(tools)), isOff(box(tools))]).toEqual([false, true]);
  expect(within(tools).getByText(/forbids it \(taskSupport\)/)).toBeTruthy();
});

test('on a server without tasks there is nothing to choose, and the list says why', async () => {
  const window = await start((host) => {
    host.status = FAKE_STATUS;
  });
  const tools = await choose('charge_card');
  expect(within(tools).queryByRole('checkbox', { name: 'Run as a task' })).toBeNull();
  fireEvent.click(screen.getByRole('tab', { name: /^Tasks/ }));
  expect(await screen.findByText(/says nothing of tasks/)).toBeTruthy();
  expect(window.asked('tasks.list')).toEqual([]);
});

test('the wish goes with the call, and how long the task is to be kept', async () => {
  const window = await start();
  const tools = await choose('charge_card');
  tick(within(tools).getByText('Run as a task'));
  fireEvent.change(await within(tools).findByLabelText(/Keep it for/), { target: { value: '60000' } });
  fireEvent.click(screen.getByRole('button', { name: /^Call charge_card/ }));
  await waitFor(() => expect(window.asked('tool.call')).toHaveLength(1));
  expect(window.asked('tool.call')[0]).toMatchObject({ tool: 'charge_card', task: { ttlMs: 60_000 } });

  await choose('deploy');
  fireEvent.click(screen.getByRole('button', { name: /^Call deploy/ }));
  await waitFor(() => expect(window.asked('tool.call')).toHaveLength(2));
  expect(window.asked('tool.call')[1]).not.toHaveProperty('task');
  fireEvent.click(within(tools).getByText('More', { selector: 'summary' }));
  tick(within(tools).getByText(/^Call it plainly all the same/));
  fireEvent.click(screen.getByRole('button', { name: /^Call deploy/ }));
  await waitFor(() => expect(window.asked('tool.call')).toHaveLength(3));
  expect(window.asked('tool.call')[2]).toMatchObject({ tool: 'deploy', task: false });
});

test('Stop of a task says tasks/cancel, and the other choice tells nobody', async () => {
  const window = await start();
  const { host } = window;
  host.act(1, { act: 'call', id: 7, tool: 'charge_card', probes: [], settle: fromMs(3000), fence: false, task: {} });
  host.message(1, 'c2s', { id: 7, method: 'tools/call', params: { name: 'charge_card', arguments: {}, task: {} } });
  host.message(2, 's2c', { id: 7, result: { task: { taskId: 'T', status: 'working', ttl: 60_000 } } });
  host.flush();
  await waitFor(() => expect(document.querySelector('#stop-button small')?.textContent).toBe('Send tasks/cancel'));
  fireEvent.click(screen.getByRole('button', { name: 'Other ways to stop' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: /^Stop polling \(tells nobody\)/ }));
  await waitFor(() => expect(window.asked('call.stop')).toHaveLength(1));
  expect(window.asked('call.stop')[0]).toMatchObject({ how: { means: 'stop-polling' } });
});

test('the commands know tasks: to stop polling the selected one, and to ask the server for its list', async () => {
  const window = await start((host) => {
    host.answers['tasks.list'] = () => ({ tasks: [], says: undefined });
  });
  const { host, stopgap, shell } = window;
  const polling = COMMANDS.find(({ id }) => id === 'call.stop-polling');
  if (!polling) throw new Error('expected a command');
  host.message(1, 'c2s', { id: 7, method: 'tools/call', params: { name: 'charge_card', arguments: {}, task: {} } });
  host.flush();
  await waitFor(() => expect(stopgap.feed.calls.all).toHaveLength(1));
  stopgap.actions.selectCall(0);
  expect(can(polling, stopgap)).toBe(false);
  host.message(2, 's2c', { id: 7, result: { task: { taskId: 'T', status: 'working', ttl: 60_000 } } });
  host.flush();
  await waitFor(() => expect(can(polling, stopgap)).toBe(true));
  shell.emit('command', 'call.stop-polling');
  await waitFor(() => expect(window.asked('call.stop')).toMatchObject([{ call: 0, how: { means: 'stop-polling' } }]));
  shell.emit('command', 'server.tasks');
  await waitFor(() => expect(window.asked('tasks.list').length).toBeGreaterThan(0));
  expect(stopgap.store.getState().tab).toBe('tasks');
});

test('the list begins with the orphans, and one is cancelled only after a yes that said what it is worth', async () => {
  const listed = [task('done', { status: 'completed' }), task('mine', { polled: true }), task('orphan', { message: 'page 3' })];
  const window = await start((host) => {
    host.answers['tasks.list'] = () => ({ tasks: listed, says: undefined });
    host.answers['tasks.cancel'] = () => ({ outcome: 'sent', says: 'tasks/cancel was answered: cancelled.', task: undefined });
  });
  fireEvent.click(await screen.findByRole('tab', { name: /^Tasks/ }));
  const table = await screen.findByRole('table');
  expect(
    within(table)
      .getAllByRole('row')
      .map((row) => row.textContent?.replace(/since.*/, '')),
  ).toEqual([
    'TaskStateWhat it saysMade byTimesActions',
    '△ Running, and polled by nobody here (1)',
    'orphan workingpage 3orphan: made by no call of this session',
    'Running, and asked after (1)',
    'mine workingorphan: made by no call of this session',
    'Over, and still kept by the server (1)',
    'done completedmade by no call of this session',
  ]);
  expect(screen.getByRole('tab', { name: /^Tasks/ }).textContent).toBe('Tasks1');
  fireEvent.click(within(table).getByRole('button', { name: 'Cancel task orphan…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Cancel a task that nobody here has made?' });
  expect(dialog.textContent).toContain('only a probe can show it');
  expect(window.asked('tasks.cancel')).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Send tasks/cancel' }));
  await waitFor(() => expect(window.asked('tasks.cancel')).toEqual([{ connection: 1, task: 'orphan' }]));
  await waitFor(() => expect(window.asked('tasks.list')).toHaveLength(2));
});

test('an empty list, and a server that refuses, say so', async () => {
  let refuse = false;
  await start((host) => {
    host.answers['tasks.list'] = () => {
      if (refuse) throw new Error('The server refused tasks/list: -32601.');
      return { tasks: [], says: 'This server lists no tasks.' };
    };
  });
  fireEvent.click(await screen.findByRole('tab', { name: /^Tasks/ }));
  expect(await screen.findByText(/^No tasks\./)).toBeTruthy();
  expect(screen.getByText(/This server lists no tasks\./)).toBeTruthy();
  refuse = true;
  fireEvent.click(screen.getByRole('button', { name: 'Ask again' }));
  expect((await screen.findByRole('alert')).textContent).toContain('refused tasks/list');
});
