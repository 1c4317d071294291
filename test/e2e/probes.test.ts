// Probes, retries and undo in the real window: a probe is added in a few clicks, a retry that writes twice is found out,
// and an undo is believed only when the probe has looked.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { type App, cleanUp, launch, PATIENT, temporaryFolder } from './app';
import { calls } from './trace';
import { driver, textOf } from './window';

afterEach(cleanUp);

const CHARGE = { amount: 4200, currency: 'EUR', commit_ms: 200, write_ms: 600 } as const;
/** Between the commit point and the write. */
const STOP_MS = 350;

/** Charges a card and stops it too late. */
async function charged(app: App, args: object = CHARGE): Promise<ReturnType<typeof driver>> {
  const window = driver(app);
  await window.connected();
  await window.choose('charge_card');
  await window.fill(args);
  await window.stopAfter(STOP_MS);
  await window.call();
  await window.verdict('write-after-cancel');
  return window;
}

/** Presses R where no field has the focus, waits until the question says what the call was made of, and says yes to it. */
async function retry({ page }: App, details: Locator, says: string): Promise<string> {
  await details.focus();
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: /^Retry charge_card/ });
  await expect.poll(() => textOf(dialog), PATIENT).toContain(says);
  const question = await textOf(dialog);
  await dialog.getByRole('button', { name: 'Retry it' }).click();
  return question;
}

test('a retry of a stopped charge asks first, ends double-write, and is linked from the call that it repeats', async () => {
  const app = await launch();
  const window = await charged(app);
  const question = await retry(app, window.details, 'this call had none: the server cannot tell the retry from a second order');
  expect(question).toContain('The effect is there, and a retry may do it again');
  await window.verdict('double-write');
  await window.details.getByRole('button', { name: /^charge_card #/ }).click();
  await window.verdict('write-after-cancel');
  await expect.poll(() => textOf(window.details), PATIENT).toMatch(/Its retry charge_card #\d+ wrote a second time: double write/);
  await app.close();
});

test('with an idempotency key the retry writes nothing more', async () => {
  const app = await launch();
  const window = await charged(app, { ...CHARGE, idempotency_key: 'order-7' });
  await retry(app, window.details, 'Its idempotency_key goes along');
  await window.verdict('completed');
  expect(calls(app.frames())).toHaveLength(2);
  await app.close();
});

test('Undo shows its call and makes it; the probe confirms that the effect is gone', async () => {
  const app = await launch();
  const window = await charged(app);
  await window.details.getByRole('button', { name: 'Undo: refund…' }).click();
  const dialog = app.page.getByRole('dialog', { name: /^Undo charge_card/ });
  expect(await textOf(dialog)).toContain('only that confirms that the effect is gone, not the answer of refund');
  await dialog.getByRole('button', { name: 'Call refund' }).click();
  await expect.poll(() => textOf(window.details), PATIENT).toContain('confirmed by ledger: taken back');
  expect(calls(app.frames()).map(({ params }) => params?.['name'])).toEqual(['charge_card', 'refund']);
  await app.close();
});

test('Verify now says what the probes found', async () => {
  const app = await launch();
  const window = await charged(app);
  await window.details.getByRole('button', { name: /^Verify now/ }).click();
  await expect.poll(() => textOf(window.details), PATIENT).toMatch(/Verified:\s*ledger: /);
  await app.page.locator('.toast', { hasText: 'ledger: ' }).waitFor();
  await app.close();
});

test('a folder probe is added in under five clicks, its folder chosen in the system’s dialog, and it sees the write', async () => {
  const app = await launch();
  const window = driver(app);
  const folder = path.join(temporaryFolder('watched'), 'state');
  mkdirSync(folder);
  await app.electron.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
  }, folder);
  await window.connected();
  await window.choose('export_report');
  let clicks = 0;
  const click = async (what: Locator): Promise<void> => {
    clicks++;
    await what.click();
  };
  const dialog = app.page.getByRole('dialog', { name: 'Add a probe' });
  await click(window.tools.getByRole('button', { name: 'Add a probe', exact: true }));
  await click(dialog.getByText('Folder', { exact: true }).first());
  await click(dialog.getByRole('button', { name: 'Browse…' }));
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Name' }).inputValue(), PATIENT).toBe('state');
  await click(dialog.getByRole('button', { name: 'Watch it' }));
  await dialog.waitFor({ state: 'detached' });
  expect(clicks).toBeLessThan(5);
  const listed = window.tools.getByRole('listitem').filter({ hasText: 'state' }).last();
  await listed.getByRole('img', { name: 'watching' }).waitFor();
  await window.call();
  await window.flight.getByRole('button', { name: 'Stop export_report' }).waitFor();
  writeFileSync(path.join(folder, 'somebody.txt'), 'here');
  await expect.poll(() => textOf(window.details), PATIENT).toContain('somebody.txt');
  await app.close();
});

test('a sink tells its address; what cannot be watched is said before and after', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('send_email');
  const add = window.tools.getByRole('button', { name: 'Add a probe', exact: true });
  const dialog = app.page.getByRole('dialog', { name: 'Add a probe' });
  await add.click();
  await dialog.getByText('HTTP sink', { exact: true }).first().click();
  await dialog.getByRole('button', { name: 'Watch it' }).click();
  const listening = app.page.getByRole('dialog', { name: 'hook is listening' });
  await listening.getByText(/^http:\/\/127\.0\.0\.1:\d+\//).waitFor();
  await listening.getByText(['$', '{probes.hook.url}'].join(''), { exact: true }).waitFor();
  await listening.getByRole('button', { name: 'Done' }).click();

  await add.click();
  await dialog.getByText('Folder', { exact: true }).first().click();
  const file = path.join(temporaryFolder('file'), 'no-folder.txt');
  writeFileSync(file, '');
  await dialog.getByRole('textbox', { name: /^Folder/ }).fill(file);
  await dialog.getByRole('button', { name: 'Test' }).click();
  await expect.poll(() => textOf(dialog.getByRole('status')), PATIENT).toContain('It cannot be watched');
  await dialog.getByRole('button', { name: 'Watch it' }).click();
  await expect.poll(() => textOf(dialog.getByRole('status')), PATIENT).toContain('It cannot watch');
  await app.page.keyboard.press('Escape');
  await window.tools.getByRole('img', { name: 'cannot watch', exact: true }).waitFor();
  await app.close();
});

test('a probe that reads a tool of the server asks without being seen among the calls', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('create_ticket');
  await window.tools.getByRole('button', { name: 'Add a probe', exact: true }).click();
  const dialog = app.page.getByRole('dialog', { name: 'Add a probe' });
  await dialog.getByText('Read tool or resource', { exact: true }).first().click();
  await dialog.getByLabel('Tool', { exact: true }).selectOption('search_orders');
  await dialog.getByRole('button', { name: 'Watch it' }).click();
  await dialog.waitFor({ state: 'detached' });
  const traffic = app.page.getByRole('button', { name: /^probe traffic/ });
  await traffic.waitFor();
  await window.wire.waitFor();
  expect(await window.wire.getByText('a probe asks').count()).toBe(0);
  await traffic.click();
  await window.wire.getByText('a probe asks').first().waitFor();
  await window.show('Calls');
  await app.page.getByText('Nothing has been called yet.').last().waitFor();
  await app.close();
});

test('keys of the settings’ file are in force', async () => {
  const app = await launch({ settings: { welcomeDismissed: true, keys: { help: ['F2'], palette: [] } } });
  const window = driver(app);
  await window.connected();
  await app.page.keyboard.press('Control+k');
  await app.page.keyboard.press('F2');
  const help = app.page.getByRole('dialog', { name: 'Keys and marks' });
  await help.waitFor();
  expect(await app.page.getByRole('combobox', { name: 'Commands' }).count()).toBe(0);
  expect(await textOf(help)).toMatch(/Keys and marksF2/);
  await app.close();
});
