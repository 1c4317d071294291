// Servers of other clients in the real window: a file that is dropped on it, what its servers ask for, the yes before a
// command runs for the first time, and the way back into another client's file.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fixture } from '../fixtures/fixtures';
import { type App, cleanUp, launch, PATIENT, temporaryFolder } from './app';
import { driver } from './window';

afterEach(cleanUp);

const SECRET = 'hunter2-in-the-open';
const odd = fixture('answers-odd');

/** A home of somebody who uses other clients, and a project of theirs. */
function homeWithConfigs(): { readonly home: string; readonly project: string } {
  const home = temporaryFolder('home');
  const project = path.join(home, 'shop');
  mkdirSync(path.join(home, '.cursor'));
  mkdirSync(path.join(project, '.vscode'), { recursive: true });
  writeFileSync(path.join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { docs: { url: 'https://docs.test/mcp' } } }));
  writeFileSync(
    path.join(project, '.vscode/mcp.json'),
    JSON.stringify({
      inputs: [{ type: 'promptString', id: 'api-key', description: 'The key of the shop', password: true }],
      servers: { shop: { command: odd.command, args: [...odd.args, 'a b'], env: { API_KEY: `\${input:api-key}` } } },
    }),
  );
  return { home, project };
}

/** Drops a file on the middle of the window, as the file manager does. */
async function drop({ page }: App, file: string): Promise<void> {
  await page.evaluate(() => {
    const input = document.createElement('input');
    input.type = 'file';
    input.id = 'dropped';
    input.hidden = true;
    document.body.append(input);
  });
  await page.locator('#dropped').setInputFiles(file);
  await page.evaluate(() => {
    const input = document.querySelector<HTMLInputElement>('#dropped');
    const [dropped] = input?.files ?? [];
    if (!input || !dropped) throw new Error('Expected a file to drop.');
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(dropped);
    for (const type of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    input.remove();
  });
}

test('a dropped configuration is imported with what it asks for; its command runs only after a yes', async () => {
  const { home, project } = homeWithConfigs();
  const app = await launch({ env: { HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '' } });
  const window = driver(app);
  await window.connected();
  const file = path.join(project, '.vscode/mcp.json');
  await drop(app, file);

  const dialog = app.page.getByRole('dialog', { name: 'Import servers' });
  await dialog.getByText(odd.args[0] ?? '').waitFor();
  expect(await dialog.getByRole('checkbox', { name: 'Import shop' }).getAttribute('aria-checked')).toBe('true');
  const take = dialog.getByRole('button', { name: 'Import', exact: true });
  expect(await take.isDisabled()).toBe(true);
  const key = dialog.getByLabel('api-key');
  expect(await key.getAttribute('type')).toBe('password');
  await key.fill(SECRET);
  await take.click();

  const done = app.page.getByRole('dialog', { name: '1 server imported' });
  await done.waitFor();
  expect(app.settings().savedServers).toMatchObject([{ title: 'shop', importedFrom: file, env: { API_KEY: '' } }]);
  expect(app.settings().approvedCommands).toEqual([]);
  const sessions = (): number => app.frames().filter((frame) => frame.kind === 'life' && frame.life.event === 'started').length;
  const before = sessions();

  await done.getByRole('button', { name: 'Connect to shop' }).click();
  const question = app.page.getByRole('dialog', { name: 'Run this command?' });
  await question.getByText(`${odd.args[0]} "a b"`).waitFor();
  for (const part of [project, 'API_KEY', file]) await question.getByText(part, { exact: true }).waitFor();
  // Neither Escape nor Enter is a yes.
  await app.page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await done.waitFor({ state: 'detached' });
  await connectSaved(app, 'shop');
  const no = question.getByRole('button', { name: 'Do not run it' });
  await expect.poll(() => no.evaluate((button) => button === document.activeElement), PATIENT).toBe(true);
  await app.page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  expect([sessions(), app.settings().approvedCommands]).toEqual([before, []]);

  await connectSaved(app, 'shop');
  await question.getByRole('button', { name: 'Run it', exact: true }).click();
  await app.page.locator('#server-menu', { hasText: 'shop' }).getByRole('img', { name: 'connected' }).waitFor();
  await expect.poll(() => app.settings().approvedCommands, PATIENT).toHaveLength(1);
  expect(sessions()).toBe(before + 1);
  for (const kept of [JSON.stringify(app.settings()), readFileSync(app.traceFile(), 'utf8'), app.printed()])
    expect(kept).not.toContain(SECRET);
  await app.close();
});

async function connectSaved({ page }: App, title: string): Promise<void> {
  await page.locator('#server-menu').click();
  await page.getByRole('menuitem', { name: title }).first().click();
}

test('what was found is imported by keyboard alone, and exported into another client’s file', async () => {
  const { home } = homeWithConfigs();
  const app = await launch({ env: { HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '' } });
  const window = driver(app);
  await window.connected();
  const { page } = app;
  await page.keyboard.press('Control+i');
  const dialog = page.getByRole('dialog', { name: 'Import servers' });
  await dialog.getByText('https://docs.test/mcp').waitFor();
  const box = dialog.getByRole('checkbox', { name: 'Import docs' });
  for (let i = 0; i < 8 && !(await box.evaluate((it) => it === document.activeElement)); i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await dialog.getByText('1 server chosen.').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const done = page.getByRole('dialog', { name: '1 server imported' });
  await done.waitFor();
  await page.keyboard.press('Enter');
  await done.waitFor({ state: 'detached' });

  const target = path.join(home, 'claude.json');
  writeFileSync(target, '{\n  // mine\n  "mcpServers": {}\n}\n');
  await window.command('servers.export');
  const form = page.getByRole('dialog', { name: 'Export servers' });
  await form.getByRole('region', { name: 'The whole text' }).getByText('https://docs.test/mcp').waitFor();
  await form.getByRole('textbox', { name: 'File' }).fill(target);
  await form
    .getByRole('region', { name: /^What changes, from line 3 of/ })
    .getByText('https://docs.test/mcp')
    .waitFor();
  expect(readFileSync(target, 'utf8')).not.toContain('docs');
  await form.getByRole('button', { name: 'Write', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  const written = readFileSync(target, 'utf8');
  expect([written.includes('// mine'), written.includes('https://docs.test/mcp')]).toEqual([true, true]);
  expect(existsSync(path.join(home, '.claude.json'))).toBe(false);
  await app.close();
});
