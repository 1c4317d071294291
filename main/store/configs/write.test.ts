import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigForm } from '../../../app/contract/server';
import { type Exported, readConfig, writeConfig } from './configs';
import { asked } from './holes';

const sample = (name: string): string => readFileSync(path.join(import.meta.dirname, 'fixtures', name), 'utf8');

const files: Exported = {
  name: 'files',
  spec: { kind: 'stdio', command: 'node', args: ['files.mjs'], cwd: '/srv', env: { API_KEY: 's3cret', LEVEL: 'debug' }, watch: [] },
};
const shop: Exported = {
  name: 'my-shop',
  spec: { kind: 'http', url: 'https://shop.example/mcp', transport: 'auto', headers: { Authorization: 'Bearer s3cret', 'X-Team': '7' } },
};
const older: Exported = { name: 'older', spec: { kind: 'http', url: 'http://127.0.0.1:3001/sse', transport: 'sse', headers: {} } };
const asking: Exported = {
  name: 'asking',
  spec: { kind: 'stdio', command: 'ask', args: ['--region', asked('region')], env: { KEY: asked('my-key') }, watch: [] },
  inputs: [
    { id: 'region', description: 'Region', password: false, default: 'eu' },
    { id: 'my-key', description: 'The key', password: true, default: undefined },
  ],
};

test.each<ConfigForm>(['claude-desktop', 'claude-code', 'vscode', 'cursor', 'windsurf', 'zed', 'codex'])(
  'a new file, for others to read: %s',
  (form) => {
    const { text, ...rest } = writeConfig(form, [files, shop, older, asking]);
    expect(`${text}\n${JSON.stringify(rest, null, 2)}`).toMatchSnapshot();
  },
);

describe('into a file that is there', () => {
  test('comments, other keys, other servers, and indentation stay', () => {
    const before = '{\n\t// mine\n\t"inputs": [],\n\t"servers": {\n\t\t"a": { "command": "a" }, // first\n\t},\n\t"other": [1,2]\n}\n';
    const { text } = writeConfig('vscode', [files], { into: before });
    expect(text).toMatchSnapshot();
    expect(readConfig('mcp.json', text, { home: '/home/ada', cwd: '/', env: {} }).servers.map(({ name }) => name)).toEqual(['a', 'files']);
  });

  test.each([
    ['{"mcpServers": {"a": {"command": "a"}}}', '{"mcpServers": {"a": {"command": "a"},\n    "b": {\n      "command": "b"\n    }\n  }}'],
    [
      '{\r\n    "x": 1 // one\r\n}',
      '{\r\n    "x": 1, // one\r\n    "mcpServers": {\r\n        "b": {\r\n            "command": "b"\r\n        }\r\n    }\r\n}',
    ],
    ['{\n  "mcpServers": {}\n}', '{\n  "mcpServers": {\n    "b": {\n      "command": "b"\n    }\n  }\n}'],
    [
      '{\n  "mcpServers": {\n    "a": {"command": "a"} /* , */, // c\n    // d\n  }\n}',
      '{\n  "mcpServers": {\n    "a": {"command": "a"} /* , */, // c\n    // d\n    "b": {\n      "command": "b"\n    },\n  }\n}',
    ],
  ])('laid out like the rest: %j', (before, after) => {
    expect(
      writeConfig('cursor', [{ name: 'b', spec: { kind: 'stdio', command: 'b', args: [], env: {}, watch: [] } }], { into: before }).text,
    ).toBe(after);
  });

  test('of a server that is there only what is written changes: what the client keeps of its own stays', () => {
    const before =
      '{"mcpServers": {"files": {"command": "old", "args": ["x"], "env": {"GONE": "1"}, "timeout": 60, "alwaysAllow": ["read"]}}}';
    const after: unknown = JSON.parse(writeConfig('claude-desktop', [files], { into: before, secrets: true }).text);
    expect(after).toEqual({
      mcpServers: {
        files: { command: 'node', args: ['files.mjs'], env: { API_KEY: 's3cret', LEVEL: 'debug' }, timeout: 60, alwaysAllow: ['read'] },
      },
    });
  });

  test.each([
    ['claude.json', 'claude-code'],
    ['zed.settings.json', 'zed'],
    ['codex.config.toml', 'codex'],
  ] as const)('%s: one server is added, one is replaced, nothing else differs', (name, form) => {
    const before = sample(name);
    const context = { home: '/home/ada', cwd: '/', env: {} };
    const known = readConfig(name, before, context).servers;
    const [first] = known;
    if (!first) throw new Error('not in the sample');
    const { text } = writeConfig(form, [files, { ...files, name: first.name }], { into: before, secrets: true });
    const gone = before.split('\n').filter((line) => !text.split('\n').includes(line));
    expect(gone).toMatchSnapshot();
    const after = readConfig(name, text, context).servers;
    const command = { kind: 'stdio', command: 'node', args: ['files.mjs'], env: { API_KEY: 's3cret', LEVEL: 'debug' } };
    expect(after.find((one) => one.name === 'files')?.spec).toMatchObject(command);
    expect(after.find((one) => one.name === first.name)?.spec).toMatchObject(command);
    expect(after.filter((one) => one.name !== 'files' && one.name !== first.name)).toEqual(
      known.slice(1).map((one) => expect.objectContaining({ name: one.name, spec: one.spec })),
    );
  });

  test('an inline table of servers is left alone, and said', () => {
    const before = 'mcp_servers = { files = { command = "old" }, b = { command = "b" } }\n';
    expect(() => writeConfig('codex', [files], { into: before })).toThrow(/^Codex: expected a table \[mcp_servers.NAME\] for each server/);
    expect(() => writeConfig('codex', [shop], { into: before })).toThrow(/got another way to keep my-shop/);
  });

  test('a broken file is not written to', () => {
    expect(() => writeConfig('cursor', [files], { into: '{"mcpServers": {', path: 'mcp.json' })).toThrow(
      /^mcp.json:1: mcpServers: expected JSON/,
    );
    expect(() => writeConfig('cursor', [files], { into: '{"mcpServers": []}', path: 'mcp.json' })).toThrow(
      'mcp.json:1: mcpServers: expected servers by name',
    );
    expect(() => writeConfig('vscode', [files], { into: '{\n"inputs": "none"}', path: 'mcp.json' })).toThrow(
      'mcp.json:2: inputs: expected a list',
    );
    expect(() => writeConfig('codex', [files], { into: '[mcp_servers' })).toThrow(/expected TOML/);
  });
});

test('a value that nobody knows is referred to and named, also when values are asked for', () => {
  const unknown: Exported = { name: 'x', spec: { kind: 'stdio', command: 'x', args: [], env: { KNOWN: '1', LOST: '' }, watch: [] } };
  const { text, lacking } = writeConfig('claude-code', [unknown], { secrets: true });
  expect([JSON.parse(text), lacking]).toEqual([
    { mcpServers: { x: { type: 'stdio', command: 'x', env: { KNOWN: '1', LOST: '${' + 'LOST}' } } } },
    ['LOST'],
  ]);
});
