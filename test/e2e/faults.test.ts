// Faults in the real window: turned on from the menu, not to be overlooked while they are on, marked as ours on the timeline,
// and what they hold let go by a key.
import { afterEach, expect, test } from 'vitest';
import { type App, cleanUp, launch, PATIENT } from './app';
import { calls, cancels, replies } from './trace';
import { driver, textOf } from './window';

afterEach(cleanUp);

/** Says across the window that faults are on, and what they hold. */
const strip = ({ page }: App) => page.getByRole('region', { name: 'Faults' });

async function fromMenu({ page }: App, item: RegExp): Promise<void> {
  await page.getByRole('button', { name: /^Faults/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('the perfect crossing: the answer is held, Stop is pressed, and the two have crossed', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await fromMenu(app, /The perfect crossing/);
  await strip(app)
    .getByText(/Faults are on/)
    .waitFor();
  await window.choose('search_orders');
  await window.call();
  await strip(app)
    .getByText(/held: the reply to search_orders/)
    .waitFor();
  expect(await window.headline()).toBe('waiting');
  await window.stop('Escape');
  await window.verdict('crossed');

  expect([await window.state('stop'), await window.state('reply')]).toEqual(['sent', 'crossed']);
  expect(await window.sentence()).toContain('A fault of ours (the perfect crossing) held the reply back');
  const [call] = calls(app.frames());
  const [cancel] = cancels(app.frames());
  const [reply] = replies(app.frames(), call?.id);
  // The trace has the answer where it came: before the cancel left.
  expect(reply?.frame.seq).toBeLessThan(cancel?.frame.seq ?? 0);

  // Ours, in a colour of its own, and among the marks that the keyboard walks through.
  await expect.poll(async () => (await window.drawn('fault')).pixels, PATIENT).toBeGreaterThan(40);
  expect((await window.walkMarks()).some((mark) => mark.includes('fault: hold'))).toBe(true);

  await strip(app).getByRole('button', { name: 'Turn off' }).click();
  await strip(app).waitFor({ state: 'detached' });
  await window.call();
  await window.verdict('completed');
  await app.close();
});

test('a fault of one’s own holds until a key lets go', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await fromMenu(app, /Faults of your own/);
  const dialog = app.page.getByRole('dialog', { name: 'Faults of your own' });
  await dialog.getByRole('combobox', { name: 'What to do' }).selectOption('hold');
  await dialog.getByRole('combobox', { name: /^With/ }).selectOption('replies');
  await dialog.getByRole('textbox', { name: 'Only this tool' }).fill('search_orders');
  await dialog.getByText('It will hold replies (search_orders) until they are let go.').waitFor();
  await dialog.getByRole('button', { name: 'Turn it on' }).click();
  await dialog.waitFor({ state: 'detached' });

  await window.choose('search_orders');
  await window.call();
  await strip(app)
    .getByText(/held: the reply/)
    .waitFor();
  await window.timeline.focus();
  await app.page.keyboard.press('u');
  await window.verdict('completed');
  expect(await textOf(strip(app))).not.toContain('held:');
  expect(await window.sentence()).toContain('held the reply back');
  expect(cancels(app.frames())).toEqual([]);
  await app.close();
});
