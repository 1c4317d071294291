// @vitest-environment happy-dom
// The race laboratory as a person meets it in the window, over a fake host: the gallery, a run and what it came to, the yes
// before a command, a scenario of what was done, a sweep.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { ScenarioStatus, SweepStatus } from '../app/contract/lab';
import { tallyOf } from '../app/report/repeat';
import type { Attempt } from '../app/scenario/sweep';
import { fakeVerdict } from './fakeHost.testing';
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
  open = await openWindow((host) => {
    host.answers['scenario.run'] = () => ({ run: 1 });
    host.answers['sweep.run'] = () => ({ run: 1 });
    prepare?.(host);
  });
  return open;
};

/** Opens the laboratory's side. */
async function lab(): Promise<HTMLElement> {
  fireEvent.click(await screen.findByRole('tab', { name: /^Scenarios/ }));
  const side = await screen.findByRole('complementary', { name: 'Scenarios' });
  await within(side).findByText('Lessons, on the demo server');
  return side;
}

async function openLesson(name: string): Promise<HTMLElement> {
  const side = await lab();
  fireEvent.click(within(side).getByRole('button', { name: new RegExp(`^${name}`) }));
  await within(side).findByRole('heading', { name });
  return side;
}

const status = (text: string, more: Partial<ScenarioStatus> = {}): ScenarioStatus => ({
  kind: 'scenario',
  run: 1,
  title: 'Too late',
  state: 'running',
  why: undefined,
  text,
  path: undefined,
  repeat: 1,
  round: 1,
  steps: ['done', 'armed', 'waiting'],
  calls: [{ name: 'charge', call: 0, verdict: undefined, severity: undefined }],
  says: [],
  expectations: [],
  surprises: [],
  tally: tallyOf([]),
  ...more,
});

const textOf = ({ stopgap }: FakeWindow): string => stopgap.store.getState().scenario?.text ?? '';

test('a lesson is opened with its paragraph, run, and shows its steps and what was seen instead of what was expected', async () => {
  const window = await start();
  const side = await openLesson('Too late');
  expect(within(side).getByText(/The race that this program is about/)).toBeTruthy();
  fireEvent.click(within(side).getByRole('button', { name: /^Run/ }));
  await waitFor(() => expect(window.asked('scenario.run')).toEqual([{ text: textOf(window), repeat: 1 }]));
  const { host } = window;
  host.call(1, 1, 'charge_card', { amount: 1 });
  host.flush();
  host.push('lab', status(textOf(window)));
  expect(await within(side).findByRole('img', { name: 'set up; its moment has not come' })).toBeTruthy();
  expect(within(side).getByRole('button', { name: /Stop the run/ })).toBeTruthy();
  expect(window.stopgap.store.getState().call).toBe(0);
  window.stopgap.actions.selectCall(undefined);
  const expected = 'charge: verdict write-after-cancel';
  const saw = 'charge: verdict stopped';
  const expectations = [{ index: 0, ok: false, expected, saw, call: 0, seq: undefined }];
  const tally = tallyOf([{ ok: false, calls: [{ name: 'charge', verdict: 'stopped' }], expectations, surprises: [] }]);
  host.push('lab', status(textOf(window), { state: 'over', steps: ['done', 'done', 'done'], expectations, tally }));
  expect(await within(side).findByText(`saw ${saw}`)).toBeTruthy();
  expect(within(side).getByRole('status').textContent).toBe('0 of 1 run as expected.');
  // It leads to the call.
  fireEvent.click(within(side).getByRole('button', { name: new RegExp(`not as expected ?${expected}`) }));
  expect(window.stopgap.store.getState().call).toBe(0);
});

test('a run is stepped, run on, stopped, and repeated so often as was asked', async () => {
  const window = await start();
  const side = await openLesson('Too late');
  fireEvent.click(within(side).getByRole('button', { name: /^Step/ }));
  await waitFor(() => expect(window.asked('scenario.run')).toEqual([{ text: textOf(window), step: true }]));
  window.host.push('lab', status(textOf(window), { state: 'paused', steps: ['waiting', 'waiting', 'waiting'], calls: [] }));
  expect(await within(side).findByRole('img', { name: 'next' })).toBeTruthy();
  fireEvent.click(within(side).getByRole('button', { name: /^Step/ }));
  fireEvent.click(within(side).getByRole('button', { name: 'Run on' }));
  fireEvent.click(within(side).getByRole('button', { name: /Stop the run/ }));
  await waitFor(() => expect(window.asked('lab.stop')).toEqual([{ run: 1 }]));
  expect(window.asked('scenario.step')).toEqual([
    { run: 1, to: 'next' },
    { run: 1, to: 'end' },
  ]);
  window.host.push('lab', status(textOf(window), { state: 'over', why: 'Stopped.' }));
  fireEvent.change(await within(side).findByRole('textbox', { name: /How many times/ }), { target: { value: '50' } });
  fireEvent.click(within(side).getByRole('button', { name: /^Run/ }));
  await waitFor(() => expect(window.asked('scenario.run')).toHaveLength(2));
  expect(window.asked('scenario.run')[1]).toMatchObject({ repeat: 50 });
});

test('what a scenario would start is shown whole, and runs only after a yes', async () => {
  const approval = 'node server.mjs\nin the folder /work';
  const window = await start((host) => {
    host.answers['scenario.run'] = (params) => (params.approved ? { run: 1 } : { approval });
    host.answers['scenario.read'] = ({ path }) => ({ path, text: 'version: 1\nserver: { command: node }\nsteps: [{ wait: 1ms }]\n' });
  });
  window.shell.answers['dialog.file'] = '/work/mine.yaml';
  const side = await lab();
  fireEvent.click(within(side).getByRole('button', { name: /^Open…/ }));
  fireEvent.click(await within(side).findByRole('button', { name: /^Run/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Run this scenario?' });
  expect(within(dialog).getByText(/node server\.mjs/).textContent).toBe(approval);
  expect(window.asked('scenario.run')).toHaveLength(1);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Run it' }));
  await waitFor(() => expect(window.asked('scenario.run')).toHaveLength(2));
  expect(window.asked('scenario.run')[1]).toMatchObject({ path: '/work/mine.yaml', approved: true });
});

test('a file that is wrong cannot run, and says where', async () => {
  const window = await start((host) => {
    host.answers['scenario.read'] = ({ path }) => ({ path, text: 'version: 1\nname: mine\nserver: { demo: true }\nsteps:\n  - cal: x\n' });
  });
  const side = await lab();
  await window.stopgap.actions.lab.openFile('/work/mine.yaml');
  expect(await within(side).findByRole('heading', { name: 'mine' })).toBeTruthy();
  const wrong = await within(side).findByRole('list', { name: 'What is wrong' });
  expect(within(wrong).getByRole('button').textContent).toMatch(/^line 5steps\[0\] expected a step .*did you mean “call”/);
  expect(within(side).getByRole('button', { name: /^Run/ })).toHaveProperty('disabled', true);
  // Saved where it lies, without being asked where.
  window.stopgap.actions.lab.edit('version: 1');
  await within(side).findByText('not saved');
  fireEvent.click(within(side).getByRole('button', { name: /^Save/ }));
  await waitFor(() => expect(window.asked('scenario.write')).toEqual([{ path: '/work/mine.yaml', text: 'version: 1' }]));
  expect(window.shell.asked.filter(({ request }) => request === 'dialog.file')).toEqual([]);
});

test('what was called becomes a scenario: the selected call and its retries first', async () => {
  const window = await start((host) => {
    host.answers['scenario.record'] = () => ({ text: 'version: 1\nname: recorded\nserver: { demo: true }\nsteps: [{ wait: 1ms }]\n' });
    host.call(1, 1, 'search_orders');
    host.call(2, 2, 'charge_card', { amount: 1 });
    host.call(3, 3, 'charge_card', { amount: 1 }, [], { retryOf: 2 });
  });
  window.host.judged([fakeVerdict(1)]);
  await waitFor(() => expect(window.stopgap.feed.calls.all).toHaveLength(3));
  window.stopgap.actions.selectCall(1);
  const side = await lab();
  fireEvent.click(within(side).getByRole('button', { name: /^From what I did/ }));
  const dialog = await screen.findByRole('dialog', { name: 'What you did, as a scenario' });
  expect(
    within(dialog)
      .getAllByRole('checkbox')
      .map((box) => box.getAttribute('aria-checked')),
  ).toEqual(['false', 'true', 'true']);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Make a scenario' }));
  await waitFor(() => expect(window.asked('scenario.record')).toEqual([{ calls: [1, 2] }]));
  expect(await within(side).findByRole('heading', { name: 'recorded' })).toBeTruthy();
  expect(within(side).getByText('not saved')).toBeTruthy();
});

const attempt = (cancelAt: number, outcome: Attempt['outcome'], call: number): Attempt => ({
  cancelAt,
  outcome,
  call,
  landed: outcome === 'landed' ? [390, 400] : undefined,
  verdict: outcome === 'landed' ? 'write-after-cancel' : 'stopped',
  effect: outcome === 'landed' ? 'after' : 'not-seen',
});

test('a sweep says that it writes for real before it begins, draws its attempts, and is saved as JSON', async () => {
  const window = await start();
  window.stopgap.actions.openDialog({ kind: 'sweep', tool: 'charge_card' });
  const dialog = await screen.findByRole('dialog', { name: 'Sweep charge_card' });
  expect(within(dialog).getByText(/This calls charge_card up to 12 times, for real/)).toBeTruthy();
  expect(window.asked('sweep.run')).toEqual([]);
  fireEvent.change(within(dialog).getByLabelText('Attempts'), { target: { value: '4' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Vary note' }));
  fireEvent.click(within(dialog).getByRole('button', { name: 'Call it 4 times' }));
  await waitFor(() => expect(window.asked('sweep.run')).toHaveLength(1));
  expect(window.asked('sweep.run')[0]).toMatchObject({
    tool: 'charge_card',
    probes: ['ledger'],
    agreed: true,
    arguments: { note: `note-\${run}` },
  });
  const sweep: SweepStatus = {
    kind: 'sweep',
    run: 1,
    title: 'Sweep of charge_card',
    state: 'running',
    why: undefined,
    tool: 'charge_card',
    axis: 'time',
    attempts: [attempt(100, 'prevented', 0), attempt(300, 'landed', 1)],
    planned: 4,
    tieMs: 10,
    says: undefined,
  };
  window.host.push('lab', sweep);
  const side = await screen.findByRole('complementary', { name: 'Scenarios' });
  expect(
    await within(side).findByText('Up to 90 ms Stop prevents the write; from 310 ms it does not; between, nothing is known.'),
  ).toBeTruthy();
  expect(within(side).getAllByRole('img', { name: /the write (landed|was prevented)/ })).toHaveLength(2);
  window.shell.answers['dialog.file'] = '/work/found';
  fireEvent.click(within(side).getByRole('button', { name: /^JSON/ }));
  await waitFor(() => expect(window.asked('sweep.write')).toHaveLength(1));
  const { path, text } = window.asked('sweep.write')[0] as { path: string; text: string };
  expect(path).toBe('/work/found.json');
  expect(JSON.parse(text)).toMatchObject({
    format: 'stopgap-sweep',
    interrupted: true,
    boundary: { preventedUpToMs: 90, landsFromMs: 310 },
  });
});

test('a scenario that is dropped on the window is opened', async () => {
  const window = await start((host) => {
    host.answers['scenario.read'] = ({ path }) => ({
      path,
      text: 'version: 1\nname: dropped\nserver: { demo: true }\nsteps: [{ wait: 1ms }]\n',
    });
  });
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], files: [new File([], 'mine.yml')] } });
  fireEvent(globalThis.window, event);
  expect(await screen.findByRole('heading', { name: 'dropped' })).toBeTruthy();
  expect(window.asked('scenario.read')).toEqual([{ path: '/dropped/mine.yml' }]);
});
