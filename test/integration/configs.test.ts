// Servers of other clients, from a home with their files to a session: found, read, taken over, agreed to, written back.
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Params, Results, Settings } from '../../app/contract/host';
import { type ServerSpec, secretsOf } from '../../app/contract/server';
import { fixture } from '../fixtures/fixtures';
import { blindProbe, type TestHost, testHost } from './host.testing';

const odd = fixture('answers-odd');
const [oddScript = ''] = odd.args;
const SECRET = 'hunter2-in-the-open';

let home: string;
let host: TestHost;

beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'stopgap-home-'));
  host = await testHost(blindProbe, { graceMs: 500 }, { configPlace: { home, platform: 'linux', cwd: home, env: { SHOP_REGION: 'eu' } } });
});
afterEach(async () => {
  await host.end();
  rmSync(home, { recursive: true, force: true });
});

function put(name: string, text: string): string {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const cursor = (servers: object): string => put('.cursor/mcp.json', JSON.stringify({ mcpServers: servers }, null, 2));
const known = async (): Promise<Settings> => (await host.fresh()).settings;
const onDisk = (): string => readFileSync(path.join(host.folder, 'settings.json'), 'utf8');

async function saved(title: string): Promise<Exclude<ServerSpec, { kind: 'demo' }>> {
  const found = (await known()).savedServers.find((spec) => spec.kind !== 'demo' && spec.title === title);
  if (!found || found.kind === 'demo') throw new Error(`expected ${title} to be saved`);
  return found;
}

async function imported(file: string, ...names: readonly string[]): Promise<readonly string[]> {
  return (await host.request('config.import', { path: file, names: [...names] })).ids;
}

async function approvalOf(spec: ServerSpec): Promise<string> {
  const answer = await host.request('server.connect', { spec });
  if (!('approval' in answer)) throw new Error('expected to be asked');
  return answer.approval;
}

describe('looking', () => {
  test('finds files in the usual places and in a project, says where it looked, and names no value of a secret', async () => {
    cursor({
      shop: { command: 'node', args: ['shop.mjs'], env: { API_KEY: SECRET } },
      docs: { url: 'https://docs.test/mcp', headers: { Authorization: `Bearer ${SECRET}` } },
    });
    put('project/.mcp.json', JSON.stringify({ mcpServers: { local: { command: './run' } } }));
    put('.codex/config.toml', '[mcp_servers.broken\ncommand = "x"\n');
    const { files, looked } = await host.request('config.find', { folders: [path.join(home, 'project')] });
    expect(files.map(({ form, path: file, servers }) => [form, path.relative(home, file), servers.map(({ name }) => name)])).toEqual([
      ['claude-code', 'project/.mcp.json', ['local']],
      ['cursor', '.cursor/mcp.json', ['shop', 'docs']],
      ['codex', '.codex/config.toml', []],
    ]);
    expect(files[2]?.problems[0]).toMatch(/config\.toml:1: /);
    expect(files[0]?.servers[0]?.spec).toMatchObject({
      cwd: path.join(home, 'project'),
      importedFrom: path.join(home, 'project/.mcp.json'),
    });
    expect(Object.keys(secretsOf(files[1]?.servers[0]?.spec ?? { kind: 'demo' }))).toEqual(['API_KEY']);
    expect(JSON.stringify(files)).not.toContain(SECRET);
    expect(looked).toContain(path.join(home, '.codeium/windsurf/mcp_config.json'));
    expect(host.servers).toEqual([]);
  });

  test('with nothing there says where, and a file that is none is refused with its line', async () => {
    const { files, looked } = await host.request('config.find', {});
    expect([files, looked.length > 7]).toEqual([[], true]);
    const broken = put('broken.json', '{\n  "mcpServers": {\n    "a": { "command" "x" }\n  }\n}\n');
    await expect(host.request('config.read', { path: broken })).rejects.toThrow(`${broken}:3: `);
    await expect(host.request('config.read', { path: path.join(home, 'nowhere.json') })).rejects.toThrow('it is not there');
    await expect(host.request('config.read', { path: 'mcp.json' })).rejects.toThrow('Expected the whole path of a file');
  });

  test('a password that a file has as a default stays there', async () => {
    const file = put(
      '.vscode/mcp.json',
      JSON.stringify({
        inputs: [{ type: 'promptString', id: 'pin', description: 'the pin', password: true, default: SECRET }],
        servers: { shop: { command: odd.command, args: odd.args, env: { PIN: `\${input:pin}` } } },
      }),
    );
    const read = await host.request('config.read', { path: file });
    expect(read.servers[0]?.inputs).toMatchObject([{ id: 'pin', default: '' }]);
    await imported(file, 'shop');
    const { text } = await host.request('config.write', { form: 'cursor', ids: [(await saved('shop')).id ?? ''], secrets: true });
    expect([text.includes('PIN'), text.includes(SECRET)]).toEqual([true, false]);
  });
});

describe('importing', () => {
  const asking = (): string =>
    put(
      'project/.vscode/mcp.json',
      JSON.stringify({
        inputs: [{ type: 'promptString', id: 'api-key', description: 'the key of the shop', password: true }],
        servers: {
          shop: { command: odd.command, args: odd.args, env: { API_KEY: `\${input:api-key}`, REGION: `\${env:SHOP_REGION}` } },
          plain: { command: odd.command, args: odd.args },
        },
      }),
    );

  test('fills in what is asked for, keeps it apart from the settings, and starts nothing', async () => {
    const file = asking();
    await expect(imported(file, 'plain', 'shop')).rejects.toThrow('shop: expected a value for “api-key” (the key of the shop), got none');
    expect((await known()).savedServers).toEqual([]);
    const { ids } = await host.request('config.import', { path: file, names: ['shop'], inputs: { 'api-key': SECRET } });
    const shop = await saved('shop');
    expect(shop).toMatchObject({ id: ids[0], importedFrom: file, env: { API_KEY: '', REGION: '' }, cwd: path.join(home, 'project') });
    expect([host.servers, host.view.path]).toEqual([[], '']);
    expect(onDisk()).toContain(file);
    expect(onDisk()).not.toContain(SECRET);
    await expect(imported(file, 'shpo')).rejects.toThrow('expected one of its servers (shop, plain), got “shpo”');
  });

  test('again takes the place of what was imported from there, and asks again when the command has changed', async () => {
    const file = cursor({ shop: { command: odd.command, args: odd.args } });
    const [id] = await imported(file, 'shop');
    await host.request('server.connect', { spec: await saved('shop'), approved: true });
    cursor({ shop: { command: odd.command, args: [...odd.args, '--other'] } });
    expect(await imported(file, 'shop')).toEqual([id]);
    expect((await known()).savedServers).toHaveLength(1);
    expect(await approvalOf(await saved('shop'))).toContain('--other');
  });
});

describe('a yes', () => {
  test('is asked for before an imported command runs, shows it whole, and is remembered for exactly this command', async () => {
    const file = cursor({
      shop: { command: odd.command, args: [...odd.args, 'a b', 'x'.repeat(3000)], env: { API_KEY: SECRET, ZONE: 'eu' } },
    });
    await imported(file, 'shop');
    const shop = await saved('shop');
    const approval = await approvalOf(shop);
    expect(approval).toContain(oddScript);
    expect(approval).toContain(`"a b" ${'x'.repeat(3000)}`);
    expect(approval).toContain('with values for API_KEY, ZONE');
    expect(approval).not.toContain(SECRET);
    expect([host.servers, host.view.path, (await known()).approvedCommands]).toEqual([[], '', []]);

    const answer = await host.request('server.connect', { spec: shop, approved: true });
    await host.until('the server', () => host.status.state === 'connected');
    if (!('connection' in answer)) throw new Error('expected a connection');
    expect((await known()).approvedCommands).toEqual([approval]);
    await host.request('server.restart', { connection: answer.connection });
    await host.until('the server anew', () => host.status.session === 2 && host.status.state === 'connected');
    expect(await host.request('server.connect', { spec: shop })).toHaveProperty('session', 3);
    await host.until('the server once more', () => host.status.session === 3 && host.status.state === 'connected');
    expect(onDisk()).not.toContain(SECRET);
    await host.host.flush();
    expect(readFileSync(host.view.path, 'utf8')).not.toContain(SECRET);

    if (shop.kind !== 'stdio') throw new Error('expected a command');
    const steered = (options: string) => approvalOf({ ...shop, env: { ...shop.env, NODE_OPTIONS: options } });
    expect(await steered('--require ./a.js')).toContain('NODE_OPTIONS="--require ./a.js"');
    expect(await steered('--require ./a.js')).not.toBe(await steered('--require ./b.js'));
    for (const change of [{ args: [...shop.args, '-y'] }, { cwd: home }, { env: { ...shop.env, NODE_OPTIONS: '' } }])
      expect(await approvalOf({ ...shop, ...change })).not.toBe(approval);
  });

  test('is not needed for an address: nothing runs here', async () => {
    await imported(cursor({ docs: { url: 'http://127.0.0.1:9/mcp' } }), 'docs');
    const docs = await saved('docs');
    expect(docs).toMatchObject({ kind: 'http', url: 'http://127.0.0.1:9/mcp' });
    expect(await host.request('server.connect', { spec: docs })).toHaveProperty('session');
  });
});

describe('writing', () => {
  const write = (params: Partial<Params<'config.write'>> & { readonly ids: string[] }): Promise<Results['config.write']> =>
    host.request('config.write', { form: 'cursor', ...params });
  let ids: string[];
  beforeEach(async () => {
    const file = put(
      'from.json',
      JSON.stringify({ mcpServers: { shop: { command: 'node', args: ['shop.mjs'], env: { API_KEY: SECRET } } } }),
    );
    ids = [...(await imported(file, 'shop'))];
  });

  test('keeps what else is in a file, shows only what changes, and writes nothing before it is told to', async () => {
    const before =
      '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "x", "env": { "T": "their-secret" } } // keep\n  },\n  "more": 1\n}\n';
    const file = put('dotfiles/cursor.json', before);
    mkdirSync(path.join(home, '.cursor'), { recursive: true });
    const link = path.join(home, '.cursor/mcp.json');
    symlinkSync(file, link);
    const preview = await write({ ids, path: link, preview: true });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(preview.text).toContain(`\${env:API_KEY}`);
    expect(preview.text).not.toContain('more');
    expect(preview).toMatchObject({ refersTo: ['API_KEY'], lacking: [], lost: [] });
    expect(
      before
        .split('\n')
        .slice(0, (preview.line ?? 0) - 1)
        .join('\n'),
    ).toContain('// mine');

    const mode = statSync(file).mode;
    expect(await write({ ids, path: link })).toEqual(preview);
    const after = readFileSync(file, 'utf8');
    expect(after).toContain('// mine');
    expect(after).toContain('// keep');
    expect(after).toContain('"more": 1');
    expect(after).not.toContain(SECRET);
    expect([lstatSync(link).isSymbolicLink(), statSync(file).mode]).toEqual([true, mode]);
    const again = await host.request('config.read', { path: link });
    expect(again.servers.map(({ name }) => name)).toEqual(['other', 'shop']);
  });

  test('writes values of secrets only where that is asked for, and never tells the window', async () => {
    const file = path.join(home, 'new/mcp.json');
    const said = await write({ ids, path: file, secrets: true });
    expect(said.line).toBeUndefined();
    expect(said.text).not.toContain(SECRET);
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.shop.env).toEqual({ API_KEY: SECRET });
    expect(statSync(file).mode & 0o077).toBe(0);
    expect((await write({ ids })).text).toContain('"shop"');
  });

  test('leaves a broken file alone, and says where it is broken', async () => {
    const file = put('broken.json', '{\n  "mcpServers": {,\n');
    await expect(write({ ids, path: file })).rejects.toThrow(`${file}:2`);
    expect(readFileSync(file, 'utf8')).toBe('{\n  "mcpServers": {,\n');
    await expect(write({ ids: ['gone'] })).rejects.toThrow('not saved any more');
  });

  test('says what a form cannot hold', async () => {
    const address = await imported(cursor({ docs: { url: 'https://docs.test/mcp' } }), 'docs');
    const { lost, text } = await write({ form: 'claude-desktop', ids: [...ids, ...address] });
    expect(lost).toEqual(['docs is left out: Claude Desktop reads no server with an address from this file.']);
    expect(text).toContain('<API_KEY>');
  });
});
