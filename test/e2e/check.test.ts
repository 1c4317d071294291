// The report card in the real window, on the demo: chosen, agreed to, watched, read, followed to its evidence, taken along, and
// ended early.
import { afterEach, expect, test } from 'vitest';
import { checkReport } from '../../app/report/check/schema';
import { type App, cleanUp, launch, PATIENT } from './app';
import { driver, textOf } from './window';

afterEach(cleanUp);

/** How long a report card of two tools may take on a busy machine. */
const CARD = { timeout: 90_000 };

async function begun() {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.tools.getByText('charge_card').first().waitFor();
  const dialog = app.page.getByRole('dialog');
  const open = async (): Promise<void> => {
    await window.command('server.check');
    await dialog.waitFor();
  };
  /** Chooses these tools and no others, and says yes where one of them may write. */
  const choose = async (...tools: readonly string[]): Promise<void> => {
    await dialog.getByRole('button', { name: 'None', exact: true }).click();
    for (const tool of tools) await dialog.getByRole('checkbox', { name: `Try ${tool}` }).click();
  };
  const line = (tool: string, check: string) =>
    dialog
      .locator('details')
      .filter({ has: app.page.locator('summary', { hasText: tool }) })
      .locator(`[data-check="${check}"]`);
  return { app, window, dialog, open, choose, line };
}

const clipboard = ({ electron }: App): Promise<string> => electron.evaluate(({ clipboard: board }) => board.readText());

test('a card is agreed to by name, made, followed to its evidence, and copied', async () => {
  const { app, window, dialog, open, choose, line } = await begun();
  await open();
  await choose('charge_card', 'search_orders');
  // Without a yes that names it, a tool that may write is not among those that are tried.
  await dialog.getByText('1 of ').waitFor();
  await dialog.getByRole('checkbox', { name: 'Call charge_card for real' }).click();
  await dialog.getByText('2 of ').waitFor();
  await dialog.getByRole('button', { name: 'Make the report card' }).click();
  await dialog.getByRole('progressbar').waitFor();
  await dialog.getByRole('status').filter({ hasText: 'charge_card: cancelled at work' }).waitFor(CARD);
  await dialog.getByText(/^2 failed, /).waitFor(CARD);

  expect(await line('charge_card', 'honours-cancel').getAttribute('data-status')).toBe('fail');
  expect(await line('charge_card', 'repeat-after-cancel').getAttribute('data-status')).toBe('fail');
  expect(await textOf(line('charge_card', 'honours-cancel'))).toContain('It wrote after it had been cancelled');

  await dialog.getByRole('combobox', { name: 'As' }).selectOption('json');
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => textOf(app.page.locator('.toasts')), PATIENT).toContain('Copied the report card as JSON.');
  const report = checkReport.parse(JSON.parse(await clipboard(app)));
  expect(report.lines.filter(({ status }) => status === 'fail').map(({ tool, check }) => `${tool}: ${check}`)).toEqual([
    'charge_card: honours-cancel',
    'charge_card: repeat-after-cancel',
  ]);

  // The evidence leads to its frame; the card is there again afterwards, and the server as it was.
  await line('charge_card', 'honours-cancel').getByRole('button').first().click();
  await dialog.waitFor({ state: 'detached' });
  await window.wire.locator('[aria-selected=true]').first().waitFor();
  await window.connected();
  await open();
  await dialog.getByText(/^2 failed, /).waitFor();
  await app.close();
});

test('a card that is stopped keeps what it has, and says so', async () => {
  const { app, dialog, open, choose, line, window } = await begun();
  await open();
  await choose('search_orders', 'huge_search');
  await dialog.getByRole('button', { name: 'Make the report card' }).click();
  await dialog.getByRole('status').filter({ hasText: 'huge_search' }).waitFor(CARD);
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
  await dialog.getByText('Ended early.').waitFor(CARD);
  await dialog.locator('summary', { hasText: 'search_orders' }).click();
  expect(await line('search_orders', 'keeps-silent-after-cancel').getAttribute('data-status')).toBe('pass');
  await app.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await window.connected();
  await app.close();
});
