import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as base, expect } from 'vitest';
import { findConfigs, openConfig, readFound } from './find';

const test = base.extend<{ home: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
  home: async ({}, use) => {
    const home = await mkdtemp(path.join(tmpdir(), 'stopgap-configs-'));
    await use(home);
    await rm(home, { recursive: true, force: true });
  },
});

async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

test('the usual places, on each platform', async () => {
  const places = async (where: Parameters<typeof findConfigs>[0]) => (await findConfigs(where)).map(({ form, path }) => `${form} ${path}`);
  expect({
    linux: await places({ home: '/home/ada', platform: 'linux', env: {}, folders: ['/srv/shop'] }),
    moved: await places({
      home: '/home/ada',
      platform: 'linux',
      env: { XDG_CONFIG_HOME: '/cfg', CODEX_HOME: '/codex', CLAUDE_CONFIG_DIR: '/claude' },
      folders: [],
    }),
    mac: await places({ home: '/Users/ada', platform: 'darwin', env: {}, folders: [] }),
    windows: await places({
      home: 'C:\\Users\\ada',
      platform: 'win32',
      env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
      folders: ['D:\\shop'],
    }),
  }).toMatchSnapshot();
});

test('what is found is read, without values of secrets; what is broken is said; what is not there is not', async ({ home }) => {
  const shop = path.join(home, 'shop');
  await put(path.join(home, '.cursor/mcp.json'), '{"mcpServers": {"a": {"command": "a", "env": {"KEY": "s3cret"}}}}');
  await put(path.join(home, '.codex/config.toml'), '[mcp_servers.b]\ncommand = ');
  await put(path.join(home, '.config/zed/settings.json'), '{"theme": "One Dark"}');
  await put(path.join(shop, '.vscode/mcp.json'), '{"servers": {"c": {"command": "c", "envFile": ".env"}}}');
  await put(path.join(shop, '.env'), 'LEVEL=debug\n');
  const found = await findConfigs({ home, platform: 'linux', env: {}, folders: [shop] });
  expect(found.filter(({ exists }) => exists).map(({ form }) => form)).toEqual(['vscode', 'cursor', 'zed', 'codex']);
  const read = await readFound(found, { home, cwd: home, env: {} });
  expect(JSON.stringify(read)).not.toContain('s3cret');
  expect(
    read.map(({ form, servers, problems }) => [
      form,
      servers.map(({ spec }) => spec.kind === 'stdio' && [spec.command, spec.env]),
      problems,
    ]),
  ).toEqual([
    ['vscode', [['c', { LEVEL: '' }]], []],
    ['cursor', [['a', { KEY: '' }]], []],
    ['codex', [], [expect.stringMatching(/config\.toml:2: mcp_servers\.b\.command: expected TOML/)]],
  ]);
});

test('a file that cannot be read is said in one line', async ({ home }) => {
  const file = path.join(home, 'none.json');
  await expect(openConfig(file, { home, cwd: home, env: {} })).rejects.toThrow(
    `${file}: expected a configuration that can be read, but it is not there.`,
  );
});
