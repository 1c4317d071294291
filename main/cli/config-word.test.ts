import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as base, expect } from 'vitest';
import type { ServerWordOptions } from './server-options';
import { serverOf } from './server-word';

const VSCODE = `{
  // asked for
  "inputs": [
    { "type": "promptString", "id": "api-key", "description": "Key of the shop", "password": true },
    { "type": "promptString", "id": "region", "description": "Region", "default": "eu" },
  ],
  "servers": {
    "files": { "command": "node", "args": ["files.mjs", "\${input:region}"], "env": { "API_KEY": "\${input:api-key}", "LEVEL": "info" } },
    "shop": { "type": "http", "url": "https://shop.example/mcp", "headers": { "Authorization": "Bearer \${input:api-key}" } },
    "my notes": { "command": "notes", "sandboxEnabled": true },
    "bad": { "command": 5, "args": "x" },
  }
}`;
const CODEX = '[mcp_servers.docs]\ncommand = "docs"\nenv_vars = ["STOPGAP_TEST_UNSET"]\n';

interface Here {
  readonly folder: string;
  word(name: string): string;
  server(name: string, options?: Partial<ServerWordOptions>): unknown;
  /** What is refused, the folder left out. */
  refused(name: string, options?: Partial<ServerWordOptions>): string;
  readonly lines: string[];
}

const test = base.extend<{ here: Here }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
  here: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-word-'));
    const lines: string[] = [];
    writeFileSync(path.join(folder, 'mcp.json'), VSCODE);
    writeFileSync(path.join(folder, 'config.toml'), CODEX);
    const word = (name: string): string => name.replace(/@(?=[^@]+$)/, () => `@${folder}/`);
    const said = { progress: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(`warning: ${line}`) };
    const server = (name: string, options: Partial<ServerWordOptions> = {}) =>
      serverOf(word(name), { env: {}, cwd: undefined, headers: {}, inputs: {}, said, ...options });
    const refused = (name: string, options?: Partial<ServerWordOptions>): string => {
      try {
        return `taken: ${JSON.stringify(server(name, options))}`;
      } catch (error) {
        return (error instanceof Error ? error.message : String(error)).replaceAll(`${folder}/`, '');
      }
    };
    await use({ folder, word, server, refused, lines });
    rmSync(folder, { recursive: true, force: true });
  },
});

test('a server of a configuration, with the values that it asks for', ({ here }) => {
  expect(here.server('files@mcp.json', { inputs: { 'api-key': 'k_1' }, env: { MORE: '2' } })).toEqual({
    kind: 'stdio',
    command: 'node',
    args: ['files.mjs', 'eu'],
    cwd: undefined,
    env: { API_KEY: 'k_1', LEVEL: 'info', MORE: '2' },
    watch: [],
    title: 'files',
    importedFrom: undefined,
  });
  expect(here.server('shop@mcp.json', { inputs: { 'api-key': 'k_1' }, headers: { 'X-Team': '7' } })).toMatchObject({
    kind: 'http',
    url: 'https://shop.example/mcp',
    transport: 'auto',
    headers: { Authorization: 'Bearer k_1', 'X-Team': '7' },
  });
  expect(here.lines).toEqual([`${here.folder}/mcp.json: files: node files.mjs \${input:region}`]);
});

test('a variable or a header that is given itself need not be asked for', ({ here }) => {
  expect(here.server('files@mcp.json', { env: { API_KEY: 'k_2' }, cwd: '/srv' })).toMatchObject({ env: { API_KEY: 'k_2' }, cwd: '/srv' });
  expect(here.server('shop@mcp.json', { headers: { Authorization: 'Basic x' } })).toMatchObject({ headers: { Authorization: 'Basic x' } });
});

test('names with spaces and files of Codex are taken; a command line with an @ stays one', ({ here }) => {
  expect(here.server('my notes@mcp.json')).toMatchObject({ command: 'notes' });
  expect(here.lines[0]).toMatch(/^warning: .*mcp\.json:10: servers\.my notes\.sandboxEnabled: the editor runs this server in a sandbox/);
  expect(here.server('docs@config.toml', { env: { STOPGAP_TEST_UNSET: '1' } })).toMatchObject({ env: { STOPGAP_TEST_UNSET: '1' } });
  const line = 'npx tool --config team@nowhere.json';
  expect(
    serverOf(line, { env: {}, cwd: undefined, headers: {}, inputs: {}, said: { progress: () => undefined, warn: () => undefined } }),
  ).toMatchObject({
    command: 'npx',
    args: ['tool', '--config', 'team@nowhere.json'],
  });
});

test('what is refused, in one line', ({ here }) => {
  expect([
    here.refused('files@mcp.json'),
    here.refused('shop@mcp.json'),
    here.refused('docs@config.toml'),
    here.refused('fils@mcp.json'),
    here.refused('bad@mcp.json'),
    here.refused('files@mcp.json', { inputs: { apikey: 'x' } }),
    here.refused('my notes@mcp.json', { inputs: { key: 'x' } }),
    here.refused('files@mcp.json', { inputs: { 'api-key': 'x' }, headers: { A: 'b' } }),
    here.refused('shop@mcp.json', { inputs: { 'api-key': 'x' }, cwd: '/srv' }),
    here.refused('files@none.json'),
  ]).toMatchInlineSnapshot(`
    [
      "mcp.json: files: expected a value for “api-key” (Key of the shop), got none: give it with --input api-key=VALUE or --env API_KEY=VALUE",
      "mcp.json: shop: expected a value for “api-key” (Key of the shop), got none: give it with --input api-key=VALUE or --header 'Authorization: VALUE'",
      "config.toml: docs: expected a value for “STOPGAP_TEST_UNSET” (environment variable STOPGAP_TEST_UNSET, which is not set), got none: give it with --input STOPGAP_TEST_UNSET=VALUE or --env STOPGAP_TEST_UNSET=VALUE",
      "mcp.json: expected one of its servers (files, shop, my notes), got “fils” (did you mean “files”?)",
      "mcp.json:11: servers.bad.command: expected a text, got a number",
      "--input: mcp.json: files asks for api-key, region, got “apikey” (did you mean “api-key”?)",
      "--input: mcp.json: my notes asks for no value, got “key”",
      "--header: expected it with an address (http://…), got a server that is spoken to over its pipes",
      "--env and --cwd: expected them with a command line, got an address",
      "none.json: expected a configuration that can be read, but it is not there.",
    ]
  `);
  const demo = () =>
    serverOf('demo', {
      env: {},
      cwd: undefined,
      headers: {},
      inputs: { a: 'b' },
      said: { progress: () => undefined, warn: () => undefined },
    });
  expect(demo).toThrow('--input: expected it with a server of a configuration');
});
