// The race laboratory in the real window: a lesson run to its verdict, a file that is wrong, what was done as a scenario, and a
// small sweep, as a person does them.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { sweepReport } from '../../app/report/sweep';
import { readScenarioText } from '../../app/scenario/file';
import { type App, cleanUp, launch, PATIENT, temporaryFolder } from './app';
import { driver } from './window';

afterEach(cleanUp);

/** The laboratory's side of the left column, opened. */
async function lab(page: Page): Promise<Locator> {
  await page.getByRole('tab', { name: /^Scenarios/ }).click();
  const side = page.getByRole('complementary', { name: 'Scenarios' });
  await side.getByText('Lessons, on the demo server').waitFor();
  return side;
}

/** What the system's dialogs answer from now on: they are the one thing here that Playwright cannot reach. */
const answerDialogs = ({ electron }: App, file: string): Promise<void> =>
  electron.evaluate(({ dialog }, chosen) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath: chosen });
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
  }, file);

const text = async (of: Locator): Promise<string> => (await of.textContent()) ?? '';

test('a lesson runs to its verdict, live on the timeline, and its expectation leads to the call', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  const side = await lab(app.page);
  await side.getByRole('button', { name: /^Too late/ }).click();
  await side.getByText('The race that this program is about.').waitFor();
  await side.getByRole('button', { name: /^Run/ }).click();
  await side.getByRole('img', { name: 'set up; its moment has not come' }).waitFor();
  await side.getByText('1 of 1 run as expected.').waitFor();
  await window.verdict('write-after-cancel');
  await app.page.keyboard.press('Escape');
  await expect.poll(window.headline, PATIENT).toBeUndefined();
  await side.getByRole('button', { name: /as expected.*charge: verdict write-after-cancel/ }).click();
  await window.verdict('write-after-cancel');
  expect(app.frames().filter((frame) => frame.kind === 'life' && frame.life.event === 'started')).toHaveLength(2);
  await app.close();
});

test('a file that is wrong is marked in its line, put right with what is offered, and saved', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  const file = path.join(temporaryFolder('scenario'), 'mine.yaml');
  writeFileSync(
    file,
    'version: 1\nname: mine\nserver: { demo: true }\nsteps:\n  - call: orders\n    tol: search_orders\n  - settle: orders\n',
  );
  await answerDialogs(app, file);
  const side = await lab(app.page);
  await side.getByRole('button', { name: /^Open…/ }).click();
  await side.getByRole('heading', { name: 'mine' }).waitFor();
  const wrong = side.getByRole('list', { name: 'What is wrong' });
  await wrong.getByText('line 6').waitFor();
  expect(await text(wrong)).toContain('did you mean “tool”?');
  await expect.poll(() => side.locator('.cm-lintRange-error').allTextContents(), PATIENT).toEqual(['tol']);
  expect(await side.getByRole('button', { name: /^Run/ }).isDisabled()).toBe(true);
  // Its press puts the cursor there.
  await wrong.getByRole('button').click();
  await app.page.keyboard.press('Shift+End');
  await app.page.keyboard.type('tool: sea');
  await app.page.getByRole('option', { name: /search_orders/ }).waitFor();
  await app.page.keyboard.type('rch_orders');
  await side.getByText('Nothing is wrong with it.').waitFor();
  await side.getByRole('button', { name: /^Save/ }).click();
  await expect.poll(() => readFileSync(file, 'utf8'), PATIENT).toContain('    tool: search_orders\n');
  await side.getByRole('button', { name: /^Run/ }).click();
  await side.getByText('1 of 1 run as expected.').waitFor();
  expect(app.settings().recentScenarios).toEqual([file]);
  await app.close();
});

test('what was done becomes a scenario, is saved, and comes to the same end', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('charge_card');
  await window.fill({ amount: 4200, commit_ms: 0, write_ms: 2000 });
  await window.stopAfter(500);
  await window.call();
  await window.verdict('write-after-cancel');
  const file = path.join(temporaryFolder('scenario'), 'again.yaml');
  await answerDialogs(app, file);
  const side = await lab(app.page);
  await side.getByRole('button', { name: 'From what I did…' }).click();
  await app.page.getByRole('dialog', { name: 'What you did, as a scenario' }).getByRole('button', { name: 'Make a scenario' }).click();
  await side.getByRole('heading', { name: 'charge_card, then stop' }).waitFor();
  await side.getByRole('button', { name: 'Save as…' }).click();
  await expect.poll(() => app.settings().recentScenarios, PATIENT).toEqual([file]);
  expect(readScenarioText(readFileSync(file, 'utf8'), (at) => at)).toMatchObject({
    problems: [],
    scenario: { steps: [{ step: 'call' }, { step: 'stop' }, { step: 'settle' }] },
  });
  await side.getByRole('button', { name: /^Run/ }).click();
  await side.getByText('1 of 1 run as expected.').waitFor();
  await app.close();
});

test('a sweep asks first, draws a row for each attempt, and is saved', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('charge_card');
  const file = path.join(temporaryFolder('sweep'), 'found.json');
  await answerDialogs(app, file);
  await window.command('tool.sweep');
  const dialog = app.page.getByRole('dialog', { name: 'Sweep charge_card' });
  await dialog.getByText(/This calls charge_card up to 12 times, for real/).waitFor();
  await dialog.getByRole('textbox', { name: 'Arguments as JSON' }).fill('{"amount":1,"commit_ms":400,"write_ms":800}');
  await dialog.getByRole('textbox', { name: 'To', exact: true }).fill('700');
  await dialog.getByRole('textbox', { name: 'Attempts' }).fill('4');
  await dialog.getByRole('textbox', { name: 'Normally takes' }).fill('800');
  await dialog.getByRole('button', { name: 'Call it 4 times' }).click();
  const side = app.page.getByRole('complementary', { name: 'Scenarios' });
  await side.getByText('4 of 4 attempts.').waitFor();
  const rows = side.getByRole('list', { name: 'Attempts, by the moment of their cancel' }).getByRole('button');
  expect(await rows.count()).toBe(4);
  await rows.first().click();
  await window.verdict('stopped');
  await side.getByRole('button', { name: /^JSON/ }).click();
  await expect.poll(() => readFileSync(file, 'utf8'), PATIENT).not.toBe('');
  const { boundary, attempts } = sweepReport.parse(JSON.parse(readFileSync(file, 'utf8')));
  expect(attempts).toHaveLength(4);
  expect(boundary.preventedUpToMs ?? 0).toBeLessThan(400);
  expect(boundary.landsFromMs ?? 1e9).toBeGreaterThan(400);
  await app.close();
});
