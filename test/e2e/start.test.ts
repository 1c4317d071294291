// The start: connected to the demo, the guided race on the first one, and everything found again on the next.
import { afterEach, expect, test } from 'vitest';
import { cleanUp, launch, PATIENT } from './app';
import { lives } from './trace';
import { driver } from './window';

afterEach(cleanUp);

test('the app starts connected to the demo, says when it was usable, and leaves nothing running', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.tools.getByText('charge_card').first().waitFor();
  await expect.poll(() => app.page.evaluate(() => performance.getEntriesByName('usable').length), PATIENT).toBe(1);
  expect(lives(app.frames()).map(({ event }) => event)).toEqual(['started', 'opened']);
  await app.close();
  expect(lives(app.frames()).at(-1)).toMatchObject({ event: 'closed' });
  expect(lives(app.frames())).toContainEqual(expect.objectContaining({ event: 'exited', asked: 'quit' }));
});

test('the guided race leads from Call over Stop to what really happened', async () => {
  const app = await launch({ settings: {} });
  const window = driver(app);
  await window.connected();
  await window.welcome.filter({ hasText: 'Charge 42 €' }).waitFor();
  await window.call();
  await window.welcome.filter({ hasText: 'Now press Stop' }).waitFor();
  await window.stop();
  await window.welcome.filter({ hasText: 'That is what really happened' }).waitFor();
  await window.verdict('write-after-cancel');
  await window.welcome.getByRole('button', { name: 'Done' }).click();
  await window.welcome.waitFor({ state: 'detached' });
  await expect.poll(() => app.settings().welcomeDismissed, PATIENT).toBe(true);
  await app.close();
});

test('the guided race is shown at the first start and, once put away, never again', async () => {
  const app = await launch({ settings: {} });
  const window = driver(app);
  await window.connected();
  await window.welcome.waitFor();
  await window.dismissWelcome();
  await window.welcome.waitFor({ state: 'detached' });
  await app.close();

  const again = await launch({ userData: app.userData });
  const second = driver(again);
  await second.connected();
  await second.tools.getByText('charge_card').first().waitFor();
  expect(await second.welcome.count()).toBe(0);
  await again.close();
});

test('theme, selected tool and place of the window are found again', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('book_seat');
  await window.theme('Light');
  await expect.poll(() => app.page.evaluate(() => document.documentElement.dataset['theme']), PATIENT).toBe('light');
  await app.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 40, y: 50, width: 1300, height: 820 }),
  );
  const bounds = () => app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getNormalBounds());
  await expect.poll(bounds, PATIENT).toMatchObject({ width: 1300, height: 820 });
  const placed = await bounds();
  await expect.poll(() => app.settings().window['tool'], PATIENT).toBe('book_seat');
  await app.close();

  const again = await launch({ userData: app.userData });
  const second = driver(again);
  await second.connected();
  await expect.poll(() => again.page.evaluate(() => document.documentElement.dataset['theme']), PATIENT).toBe('light');
  expect(await again.electron.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('light');
  await expect.poll(() => second.chosenTool(), PATIENT).toBe('book_seat');
  expect(await again.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getNormalBounds())).toEqual(placed);
  await again.close();
});

test('a second start on the same data brings the first window forward and ends', async () => {
  const app = await launch();
  await driver(app).connected();
  await expect(launch({ userData: app.userData })).rejects.toThrow(/running already/);
  expect(app.electron.windows()).toHaveLength(1);
  await app.close();
});
