// Without a mouse, and without sight of the canvas: every command is found by typing, and a breach is called, stopped,
// heard of, found and read by keys and by what assistive technology is told.
import { afterEach, expect, test } from 'vitest';
import { COMMANDS } from '../../renderer/commands';
import { cleanUp, launch, PATIENT } from './app';
import { driver, textOf } from './window';

afterEach(cleanUp);

test('every command stands in the palette by its title, and one of them is run from there by keys alone', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await app.page.keyboard.press('Control+k');
  const options = app.page.getByRole('option');
  await options.first().waitFor();
  const titles = await app.page.locator('[cmdk-item] > span').allTextContents();
  expect(COMMANDS.filter(({ id, title }) => id !== 'palette' && !titles.includes(title)).map(({ id }) => id)).toEqual([]);
  await app.page.keyboard.type('show findings');
  await app.page.keyboard.press('Enter');
  await app.page.getByRole('tab', { name: /^Findings/, selected: true }).waitFor();
  await app.close();
});

test('a breach is made, heard of, found and read by the keyboard alone', async () => {
  const app = await launch();
  const { page } = app;
  const window = driver(app);
  await window.connected();
  // The demo begins with charge_card chosen.
  await expect.poll(() => window.chosenTool(), PATIENT).toBe('charge_card');
  await page.keyboard.press('Control+Enter');
  await window.flight.getByRole('button', { name: 'Stop charge_card' }).waitFor();
  await expect.poll(() => textOf(window.flight.locator('.elapsed').first()), PATIENT).toMatch(/^0\.[23]/);
  await page.keyboard.press('Escape');
  const announced = page.locator('[aria-live=assertive]');
  await expect.poll(() => textOf(announced), PATIENT).toMatch(/^Breach: charge_card #\d+\. The write landed/);

  // Escape with nothing in flight puts the selection away; N finds the breach again, Enter goes to its details.
  await expect.poll(() => textOf(window.flight), PATIENT).toContain('Nothing is in flight');
  await page.keyboard.press('Escape');
  await page.getByText('Choose a call.').waitFor();
  await page.keyboard.press('n');
  await window.verdict('write-after-cancel');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id), PATIENT).toBe('call-details');
  const read = await window.details.ariaSnapshot();
  const parts = ['The write landed', 'img "breach"', 'after the stop', 'client to server: cancel', 'button "Retry', 'button "Undo: refund'];
  expect(parts.filter((part) => !read.includes(part))).toEqual([]);

  // The table says the same, and is walked with the arrows.
  await window.show('Calls');
  await window.callsTable.focus();
  await page.keyboard.press('Home');
  const row = window.callsTable.getByRole('row', { selected: true });
  await expect.poll(() => textOf(row), PATIENT).toMatch(/charge_card.*write after cancel/);
  await app.close();
});

test('the window at twice the text size, and at its narrowest: everything can still be reached', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await app.electron.evaluate(({ BrowserWindow }) => {
    const [first] = BrowserWindow.getAllWindows();
    first?.setContentSize(900, 700);
    first?.webContents.setZoomFactor(2);
  });
  await expect.poll(() => app.page.evaluate(() => innerWidth), PATIENT).toBeLessThan(500);
  for (const part of [window.tools, window.details, window.flight, window.timeline, app.page.getByRole('contentinfo')]) {
    await part.scrollIntoViewIfNeeded();
    // How much of it is in view then, in its own pixels.
    const [width, height] = await part.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return [Math.min(right, innerWidth) - Math.max(left, 0), Math.min(bottom, innerHeight) - Math.max(top, 0)] as const;
    });
    expect(width).toBeGreaterThan(100);
    expect(height).toBeGreaterThan(20);
  }
  await app.close();
});
