// Tasks in the real window, with the demo's export_report: one row with its states, Stop that is tasks/cancel, a cancelled task
// that works on, one that nobody polls any more, and the server's list, in which it is found and cancelled.
import { afterEach, expect, test } from 'vitest';
import { type App, cleanUp, launch, PATIENT } from './app';
import { calls, messages } from './trace';
import { driver, textOf } from './window';

afterEach(cleanUp);

/** So many pages that a test decides when a task ends, not the machine. */
const LONG = 400;

/** The demo with export_report chosen, to be run as a task. */
async function begin() {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('export_report');
  await window.tools.getByRole('checkbox', { name: 'Run as a task' }).click();
  return { app, window };
}

const methods = (app: App): readonly string[] => messages(app.frames(), 'c2s').map(({ method = '' }) => method);
const polls = (app: App): number => methods(app).filter((method) => method === 'tasks/get').length;

test('an honest task: one row with its states, tasks/cancel, and nothing is filed', async () => {
  const { app, window } = await begin();
  await window.fill({ pages: LONG });
  await window.call();
  await expect.poll(() => textOf(app.page.locator('#stop-button small')), PATIENT).toBe('Send tasks/cancel');
  await expect.poll(() => polls(app), PATIENT).toBeGreaterThan(1);
  expect(await window.sentence()).toContain('In flight as a task, which says “working”');
  await window.stop();
  await expect.poll(() => window.state('stop'), PATIENT).toBe('task-cancel');
  await expect.poll(() => window.state('reply'), PATIENT).toBe('acknowledged');
  expect(methods(app)).not.toContain('notifications/cancelled');

  const states = window.details.getByRole('list', { name: 'States of the task' }).getByRole('listitem');
  await expect.poll(() => states.count(), PATIENT).toBe(2);
  expect(await states.first().textContent()).toMatch(/frame \d+ working.*by the answer that made the task/);
  expect(await states.last().textContent()).toMatch(/frame \d+ cancelled.*by the answer to tasks\/cancel/);
  // Its marks, one after the other: the call, the answer that made the task, tasks/cancel, the task that says cancelled.
  const walked = await window.walkMarks();
  expect(walked.map((row) => /tools\/call|tasks\/cancel|a task|progress|task/.exec(row)?.[0])).toEqual(
    expect.arrayContaining(['tools/call', 'a task', 'tasks/cancel', 'task']),
  );
  const sequence = window.details.getByRole('figure', { name: /^Sequence/ });
  expect(await textOf(sequence)).toContain('client to server: tasks/cancel');
  await window.show('Calls');
  expect(await window.callsTable.textContent()).toContain('task cancelled');
  await app.close();
});

test('a dishonest task says cancelled, works on, and the probe sees what it files', async () => {
  const { app, window } = await begin();
  await window.fill({ pages: 24, when_cancelled: 'pretend' });
  await window.call();
  await expect.poll(() => polls(app), PATIENT).toBeGreaterThan(0);
  await window.stop();
  await window.verdict('write-after-cancel');
  expect([await window.state('stop'), await window.state('reply'), await window.state('effect')]).toEqual([
    'task-cancel',
    'acknowledged',
    'after',
  ]);
  expect(await window.sentence()).toContain('The task says “cancelled” all the same.');
  expect((await window.drawn('breach')).pixels).toBeGreaterThan(20);
  await app.close();
});

test('polling that is stopped tells nobody; the orphan is on the list, and can be cancelled there after a yes', async () => {
  const { app, window } = await begin();
  await window.fill({ pages: LONG });
  await window.call();
  await expect.poll(() => polls(app), PATIENT).toBeGreaterThan(0);
  await window.stopBy('Stop polling (tells nobody)');
  await window.verdict('never-told');
  await window.show('Tasks');
  const table = app.page.getByRole('table').filter({ hasText: 'polled by nobody here' });
  await table.waitFor();
  const cancel = table.getByRole('button', { name: /^Cancel task/ });
  expect(await cancel.count()).toBe(1);
  await cancel.click();
  const dialog = app.page.getByRole('dialog', { name: 'Cancel the task of export_report?' });
  expect(await textOf(dialog)).toContain('only a probe can show it');
  expect(methods(app)).not.toContain('tasks/cancel');
  await dialog.getByRole('button', { name: 'Send tasks/cancel' }).click();
  await expect.poll(() => methods(app).filter((method) => method === 'tasks/cancel'), PATIENT).toHaveLength(1);
  await app.page.getByRole('table').filter({ hasText: 'Over, and still kept by the server (1)' }).waitFor();
  await app.close();
});

test('the notification for a task is a misuse, and judged as one', async () => {
  const { app, window } = await begin();
  await window.fill({ pages: LONG });
  await window.call();
  await expect.poll(() => polls(app), PATIENT).toBeGreaterThan(0);
  await window.stopBy('Send the notification anyway');
  await expect.poll(() => calls(app.frames()).length, PATIENT).toBe(1);
  await expect.poll(() => textOf(window.details), PATIENT).toContain('wrong-means');
  expect(methods(app)).toContain('notifications/cancelled');
  await app.close();
});
