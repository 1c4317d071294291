// The window's main states, in both themes, as an accessibility checker sees them. Each test looks at a few of them, so that
// one that is slow or fails says which.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { cleanUp, launch } from './app';
import { driver } from './window';

afterEach(cleanUp);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical violations, one line each. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(() => (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

const THEMES = ['light', 'dark'] as const;

/** The app in a theme, connected to the demo, and a checker of its states: `serious` says what all of them together have. */
async function begin(theme: (typeof THEMES)[number], welcomeDismissed = true) {
  const app = await launch({ settings: { theme, welcomeDismissed } });
  const window = driver(app);
  const found = new Set<string>();
  const check = async (state: string): Promise<void> => {
    for (const violation of await violations(app.page)) found.add(`${state}: ${violation}`);
  };
  const dialog = app.page.getByRole('dialog');
  /** Opens something, looks at it, and puts it away again. */
  const glance = async (state: string, open: () => Promise<void>): Promise<void> => {
    await open();
    await dialog.waitFor();
    await check(state);
    await app.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  await window.connected();
  return { app, window, dialog, check, glance, serious: () => [...found] };
}

describe.each(THEMES)('nothing serious in the %s theme', (theme) => {
  test('from the guided race to no server and a host that is gone', async () => {
    const { app, window, check, serious } = await begin(theme, false);
    await window.welcome.waitFor();
    await check('guided race');
    await window.dismissWelcome();
    await window.tools.getByText('charge_card').first().waitFor();
    await check('connected');
    await window.command('server.disconnect');
    await window.server('no server');
    await check('no server');
    process.kill(await app.hostPid(), 'SIGKILL');
    await window.hostGone.waitFor();
    await check('host gone');
    expect(serious()).toEqual([]);
    await app.kill();
  });

  test('a call in flight, a breach, and every tab and dialog that it leads to', async () => {
    const { app, window, check, glance, serious } = await begin(theme);
    await window.choose('charge_card');
    await window.fill({ amount: 4200, currency: 'EUR', commit_ms: 0, write_ms: 15_000 });
    await window.call();
    await window.flight.getByRole('button', { name: 'Stop charge_card' }).waitFor();
    await check('in flight');
    await window.stop();
    await window.verdict('write-after-cancel');
    await check('a breach');
    for (const tab of ['Calls', 'Findings', 'stderr', 'Traces'] as const) {
      await window.show(tab);
      await check(tab);
    }
    await glance('retry', () => window.details.getByRole('button', { name: /^Retry/ }).click());
    await glance('undo', () => window.details.getByRole('button', { name: /^Undo/ }).click());
    await glance('what undoes it', async () => {
      await window.tools.getByText('More', { exact: true }).last().click();
      await window.tools.getByRole('button', { name: 'Change…' }).click();
    });
    expect(serious()).toEqual([]);
    await app.kill();
  });

  test('a task in flight, one that nobody polls, and the question before it is cancelled', async () => {
    const { app, window, check, glance, serious } = await begin(theme);
    await window.choose('export_report');
    await window.tools.getByRole('checkbox', { name: 'Run as a task' }).click();
    await window.fill({ pages: 400 });
    await window.call();
    await window.flight.getByRole('button', { name: 'Stop export_report' }).waitFor();
    await app.page.getByRole('list', { name: 'States of the task' }).waitFor();
    await check('a task in flight');
    await window.stopBy('Stop polling (tells nobody)');
    await window.verdict('never-told');
    await window.show('Tasks');
    const cancel = app.page.getByRole('button', { name: /^Cancel task/ });
    await cancel.waitFor();
    await check('tasks');
    await glance('cancel a task', () => cancel.click());
    await glance('the connection', () => app.page.getByRole('button', { name: /^The connection/ }).click());
    expect(serious()).toEqual([]);
    await app.kill();
  });

  test('the form of every kind of probe', async () => {
    const { app, window, dialog, glance, serious } = await begin(theme);
    for (const kind of ['Folder', 'HTTP sink', 'SQL query', 'Read tool or resource', 'Command', 'Processes', 'OpenTelemetry']) {
      await glance(`a ${kind} probe`, async () => {
        await window.tools.getByRole('button', { name: 'Add a probe', exact: true }).click();
        await dialog.getByText(kind, { exact: true }).first().click();
        await dialog.getByText('More', { exact: true }).click();
      });
    }
    await glance('the address of a sink', async () => {
      await window.tools.getByRole('button', { name: 'Add a probe', exact: true }).click();
      await dialog.getByText('HTTP sink', { exact: true }).first().click();
      await dialog.getByRole('button', { name: 'Watch it' }).click();
      await app.page.getByRole('dialog', { name: 'hook is listening' }).waitFor();
    });
    expect(serious()).toEqual([]);
    await app.kill();
  });

  test('the report card: chosen, made, read', async () => {
    const { app, window, dialog, check, serious } = await begin(theme);
    await window.tools.getByText('charge_card').first().waitFor();
    await window.command('server.check');
    await dialog.waitFor();
    await check('the tools to be tried');
    await dialog.getByRole('button', { name: 'None', exact: true }).click();
    await dialog.getByRole('checkbox', { name: 'Try export_report' }).click();
    await dialog.getByRole('checkbox', { name: 'Call export_report for real' }).click();
    await dialog.getByRole('button', { name: 'Make the report card' }).click();
    await dialog.getByRole('progressbar').waitFor();
    await check('a report card that is made');
    await dialog.getByText(/^3 failed, /).waitFor({ timeout: 90_000 });
    await check('a report card');
    expect(serious()).toEqual([]);
    await app.kill();
  });

  test('help, keys, legend, filter and the command line of a server', async () => {
    const { app, window, dialog, glance, serious } = await begin(theme);
    await glance('help', () => window.command('help'));
    await glance('keys', async () => {
      await window.command('help');
      await dialog.getByRole('button', { name: 'Change keys…' }).click();
      await app.page.getByRole('dialog', { name: 'Keys', exact: true }).waitFor();
    });
    await glance('legend', () => app.page.locator('.timeline-tool', { hasText: 'Legend' }).click());
    await glance('import', () => window.command('servers.import'));
    await glance('export', () => window.command('servers.export'));
    await glance('filter', () => app.page.locator('.timeline-tool', { hasText: 'Filter' }).click());
    await glance('command line', () => window.command('server.connect'));
    expect(serious()).toEqual([]);
    await app.kill();
  });

  test('the laboratory: gallery, a lesson and its run, a file that is wrong, what was done, a sweep', async () => {
    const { app, window, check, glance, serious } = await begin(theme);
    const { page } = app;
    await page.getByRole('tab', { name: /^Scenarios/ }).click();
    const side = page.getByRole('complementary', { name: 'Scenarios' });
    await side.getByText('Lessons, on the demo server').waitFor();
    await check('gallery');
    await side.getByRole('button', { name: /^Wrote, then answered/ }).click();
    await side.getByRole('button', { name: /^Step/ }).click();
    await side.getByRole('button', { name: 'Run on' }).waitFor();
    await check('a run that waits');
    await side.getByRole('button', { name: 'Run on' }).click();
    await side.getByText('1 of 1 run as expected.').waitFor();
    await check('a run that is over');
    await side.getByRole('tab', { name: /^File/ }).click();
    await side.getByRole('textbox', { name: 'Scenario file' }).press('Control+Home');
    await page.keyboard.type('vers: 2');
    await page.keyboard.press('Enter');
    await side.getByRole('list', { name: 'What is wrong' }).waitFor();
    await side.locator('.cm-lint-marker-error').first().waitFor();
    await check('a file that is wrong');
    await glance('what was done', () => window.command('lab.record'));
    await glance('sweep', () => window.command('tool.sweep'));
    await window.command('tool.sweep');
    const dialog = page.getByRole('dialog', { name: /^Sweep/ });
    await dialog.getByRole('textbox', { name: 'Attempts' }).fill('2');
    await dialog.getByRole('button', { name: 'Call it 2 times' }).click();
    await side.getByText('2 of 2 attempts.').waitFor();
    await check('what a sweep found');
    expect(serious()).toEqual([]);
    await app.kill();
  });
});
