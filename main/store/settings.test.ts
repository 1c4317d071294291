import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { REQUESTS, settings } from '../../app/contract/host';
import { loadSettings } from './settings';
import { tempFolder } from './store.testing';

const DEFAULTS = settings.parse({});
const fileIn = (folder: string): string => path.join(folder, 'config', 'settings.json');
const saved = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

function fileWith(text: string): string {
  const file = path.join(tempFolder(), 'settings.json');
  writeFileSync(file, text);
  return file;
}

describe('settings', () => {
  it('begin with the defaults and leave nothing behind until something is set', async () => {
    const folder = tempFolder();
    const store = await loadSettings(fileIn(folder));
    expect([store.current, store.notices, readdirSync(folder)]).toEqual([DEFAULTS, [], []]);
  });

  it('are changed one by one, and found again', async () => {
    const file = fileIn(tempFolder());
    const store = await loadSettings(file);
    expect(await store.patch({ theme: 'dark' })).toEqual({ ...DEFAULTS, theme: 'dark' });
    await store.patch({ window: { tab: 'wire' }, density: undefined });
    expect(store.current).toEqual({ ...DEFAULTS, theme: 'dark', window: { tab: 'wire' } });
    expect((await loadSettings(file)).current).toEqual(store.current);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(path.dirname(file))).toEqual(['settings.json']);
  });

  it('are asked for by a patch that carries nothing but what it changes', () => {
    expect(REQUESTS['settings.set'].parse({ patch: { fence: false } })).toEqual({ patch: { fence: false } });
  });

  it('end as the last of many patches at once', async () => {
    const file = fileIn(tempFolder());
    const store = await loadSettings(file);
    await Promise.all(Array.from({ length: 30 }, (_, n) => store.patch({ settleMs: n, window: { [n]: n } })));
    expect(saved(file)).toMatchObject({ settleMs: 29, window: { 29: 29 } });
  });

  it('keep the names of environment variables and not their values', async () => {
    const file = fileIn(tempFolder());
    const store = await loadSettings(file);
    const server = { kind: 'stdio' as const, command: 'node', args: [], watch: [], env: { TOKEN: 'hunter2' } };
    const kept = await store.patch({ lastServer: server, recentServers: [{ kind: 'demo' }, server] });
    expect(kept).toMatchObject({ lastServer: { env: { TOKEN: '' } }, recentServers: [{ kind: 'demo' }, { env: { TOKEN: '' } }] });
    expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
  });

  it('lose only what cannot be understood, and say so', async () => {
    const text = JSON.stringify({ theme: 'dark', settleMs: -1, colour: 'red', toString: 1, recentServers: [{ kind: 'tape' }] });
    const file = fileWith(text);
    const store = await loadSettings(file);
    expect(store.current).toEqual({ ...DEFAULTS, theme: 'dark' });
    expect(store.notices).toEqual([
      'The setting "settleMs" is not what it should be; its default is used.',
      'The setting "colour" is not known to this version and was left out.',
      'The setting "toString" is not known to this version and was left out.',
      'The setting "recentServers" is not what it should be; its default is used.',
      `The file as it was is kept as ${file}.broken.`,
    ]);
    expect(readFileSync(`${file}.broken`, 'utf8')).toBe(text);
    expect((await loadSettings(file)).notices).toEqual([]);
  });

  it.each(['', '{', '[]', 'null', '"x"'])('fall back as a whole when the file is %j', async (text) => {
    const file = fileWith(text);
    const store = await loadSettings(file);
    expect(store.current).toEqual(DEFAULTS);
    expect(store.notices).toEqual([
      `The settings ${file} are not a JSON object. Defaults are used.`,
      `The file as it was is kept as ${file}.broken.`,
    ]);
    expect(readFileSync(`${file}.broken`, 'utf8')).toBe(text);
  });

  it('hold although they cannot be saved, and that is said', async () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, 'config'), '');
    const store = await loadSettings(fileIn(folder));
    await expect(store.patch({ theme: 'light' })).rejects.toThrow(/could not be saved: .* They hold until Stopgap is closed\./);
    expect(store.current.theme).toBe('light');
  });

  it('are saved again after a save that failed', async () => {
    const file = fileIn(tempFolder());
    const store = await loadSettings(file);
    mkdirSync(file, { recursive: true });
    await expect(store.patch({ theme: 'light' })).rejects.toThrow('could not be saved');
    expect(readdirSync(path.dirname(file))).toEqual(['settings.json']);
    rmdirSync(file);
    await store.patch({ density: 'compact' });
    expect(saved(file)).toMatchObject({ theme: 'light', density: 'compact' });
  });
});
