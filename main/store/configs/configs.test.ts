import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConfigForm, ConfiguredServer } from '../../../app/contract/server';
import { type Context, type Exported, readConfig, shown, withInputs, writeConfig } from './configs';
import { asked } from './holes';

const HOME = '/home/ada';
const FILES: Readonly<Record<string, string>> = {
  '/home/ada/shop/.env': 'LEVEL=debug\n# a comment\nQUOTED="a b"\n',
  '/run/secrets/figma': 'figd_1\n',
};
const context: Context = {
  home: HOME,
  cwd: '/here',
  env: { HOME, LINEAR_KEY: 'lin_1', LANG: 'C', FIGMA_TOKEN: 'figd_2', EMPTY: '' },
  file: (file) => FILES[file],
};

/** Where each form's file lies that a person has for everything. */
const OWN: Readonly<Record<ConfigForm, string>> = {
  'claude-desktop': `${HOME}/.config/Claude/claude_desktop_config.json`,
  'claude-code': `${HOME}/.claude.json`,
  vscode: `${HOME}/.config/Code/User/mcp.json`,
  cursor: `${HOME}/.cursor/mcp.json`,
  windsurf: `${HOME}/.codeium/windsurf/mcp_config.json`,
  zed: `${HOME}/.config/zed/settings.json`,
  codex: `${HOME}/.codex/config.toml`,
};

const sample = (name: string): string => readFileSync(path.join(import.meta.dirname, 'fixtures', name), 'utf8');
const read = (file: string, text: string, env: Context['env'] = context.env) => readConfig(file, text, { ...context, env });

/** Servers and what is wrong with others, as a person would tell them. */
function told(file: string, text: string): unknown {
  const { form, servers, broken } = read(file, text);
  const lines = servers.map(({ name, spec, inputs, disabled, problems }) => {
    const { title, importedFrom, ...rest } = spec;
    expect([title, importedFrom]).toEqual([name, file]);
    const { kind, ...fields } = rest.kind === 'stdio' ? { ...rest, watch: undefined } : rest;
    const there = Object.entries(fields).filter(([, value]) => value !== undefined && JSON.stringify(value) !== '{}');
    return {
      [`${kind} ${name}${disabled ? ' (disabled)' : ''}`]: Object.fromEntries(there),
      ...(inputs.length > 0 && { inputs }),
      ...(problems.length > 0 && { problems }),
    };
  });
  return { form, servers: lines, broken };
}

describe('files as people have them', () => {
  test.each([
    ['claude_desktop_config.json', OWN['claude-desktop']],
    ['claude-code.mcp.json', `${HOME}/shop/.mcp.json`],
    ['claude.json', OWN['claude-code']],
    ['vscode.mcp.json', `${HOME}/shop/.vscode/mcp.json`],
    ['cursor.mcp.json', `${HOME}/shop/.cursor/mcp.json`],
    ['windsurf.mcp_config.json', OWN.windsurf],
    ['zed.settings.json', OWN.zed],
    ['codex.config.toml', OWN.codex],
  ])('%s', (name, file) => {
    expect(told(file, sample(name))).toMatchSnapshot();
  });

  test('are known by what is in them, whatever they are called', () => {
    const forms = [
      'claude_desktop_config.json',
      'claude-code.mcp.json',
      'claude.json',
      'vscode.mcp.json',
      'cursor.mcp.json',
      'windsurf.mcp_config.json',
      'zed.settings.json',
      'codex.config.toml',
    ].map((name) => read('/tmp/servers', sample(name)).form);
    expect(forms).toEqual(['claude-desktop', 'claude-code', 'claude-code', 'vscode', 'cursor', 'windsurf', 'zed', 'codex']);
    expect(read('/x/settings.json', '{"mcp": {"servers": {"a": {"command": "a"}}}, "editor.tabSize": 2}')).toMatchObject({
      form: 'vscode',
      servers: [{ name: 'a' }],
    });
    expect(read('/x/.mcp.json', '{"servers": {"a": {"command": "a"}}}').form).toBe('vscode');
    expect(read(OWN['claude-desktop'], '{"globalShortcut": ""}')).toEqual({ form: 'claude-desktop', servers: [], broken: {} });
  });
});

describe('what is wrong is said in one line: file, line, field', () => {
  const says = (file: string, text: string): string => {
    try {
      return Object.values(read(file, text).broken).flat().join('\n');
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : 'not an error';
    }
  };

  test.each([
    [
      'm.json',
      '{\n "mcpServers": {\n  "a": { "command": "x" "args": [] }\n }\n}',
      'ConfigError: m.json:3: mcpServers.a: expected JSON, got no comma between two entries',
    ],
    [
      'm.json',
      '{\n "mcpServers": {\n  "a": { "command": "C:\\users" }\n }\n}',
      'ConfigError: m.json:3: mcpServers.a.command: expected JSON, got a broken \\u escape',
    ],
    [
      'm.json',
      '{"mcpServers": {"a": {"command": "x"}}',
      'ConfigError: m.json:1: mcpServers: expected JSON, got no } at the end of an object',
    ],
    ['m.json', '[]', 'ConfigError: m.json:1: expected a JSON object with servers in it, got something else'],
    ['m.json', '', 'ConfigError: m.json:1: expected JSON, got something else where a value belongs'],
    [
      'p.json',
      '{"name": "shop", "version": "1.0.0"}',
      'ConfigError: p.json:1: expected servers by name under mcpServers, servers, context_servers, or in TOML [mcp_servers.NAME], got the keys name, version',
    ],
    ['m.json', '{\n "mcpServers": ["a"]\n}', 'm.json:2: mcpServers: expected servers by name'],
    ['m.json', '{"mcpServers": {\n"a": "npx x"}}', 'm.json:2: mcpServers.a: expected a server, got a text'],
    [
      'm.json',
      '{"mcpServers": {"a": {"command": "x",\n"args": "-y"}}}',
      'm.json:2: mcpServers.a.args: expected a list of texts, got a text',
    ],
    [
      'm.json',
      '{"mcpServers": {"a": {"command": "x",\n"args": ["-y",\n{}]}}}',
      'm.json:3: mcpServers.a.args[1]: expected a text, got an object',
    ],
    [
      'm.json',
      '{"mcpServers": {"a": {"command": "x", "env": {\n"K": ["s3cret"]}}}}',
      'm.json:2: mcpServers.a.env.K: expected a text, got a list',
    ],
    ['m.json', '{"mcpServers": {"a": {"command": ""}}}', 'm.json:1: mcpServers.a.command: expected a text, got an empty one'],
    [
      'm.json',
      '{"mcpServers": {"a": {"type": "ws", "url": "wss://x"}}}',
      'm.json:1: mcpServers.a.type: expected stdio, http or sse, got a transport that is not spoken here\nm.json:1: mcpServers.a.url: expected an http:// or https:// address',
    ],
    ['m.json', '{"mcpServers": {"a": {"args": []}}}', 'm.json:1: mcpServers.a: expected the key command or url, got neither'],
    [
      'c.toml',
      'model = "x"\n[mcp_servers.a]\ncommand = "x\nargs = []',
      'ConfigError: c.toml:3: mcp_servers.a.command: expected TOML, but control characters are not allowed in strings',
    ],
    [
      'c.toml',
      '[mcp_servers.a]\nurl = "https://x"\n\n[mcp_servers.b]\nargs = [1]\ncommand = 5',
      'c.toml:6: mcp_servers.b.command: expected a text, got a number',
    ],
    ['c.toml', '[mcp_servers.a]\ncommand = "x"\nenv_vars = "K"', 'c.toml:3: mcp_servers.a.env_vars: expected a list of names of variables'],
    ['c.toml', '[mcp_servers.a.env]\nK = "v"', 'c.toml:1: mcp_servers.a: expected the key command or url, got neither'],
  ])('%s: %j', (file, text, expected) => {
    expect(says(file, text)).toBe(expected);
  });

  test('one broken server leaves the others', () => {
    const { servers, broken } = read('m.json', '{"mcpServers": {"a": {"args": 1}, "b": {"command": "b"}}}');
    expect([servers.map(({ name }) => name), Object.keys(broken)]).toEqual([['b'], ['a']]);
  });
});

describe('values that are asked for', () => {
  const [perplexity, local, remote] = read(`${HOME}/shop/.vscode/mcp.json`, sample('vscode.mcp.json')).servers;

  test('are filled in; a default stands in for one that is not given', () => {
    if (!perplexity || !remote) throw new Error('not in the sample');
    expect(withInputs(perplexity, {})).toMatchObject({
      spec: { args: ['-y', 'server-perplexity-ask', '--region', 'eu'] },
      missing: [{ id: 'perplexity-key' }],
    });
    expect(withInputs(remote, { region: 'us', 'perplexity-key': 'pk_$&' })).toMatchObject({
      spec: { url: 'https://us.example.com/mcp', headers: { Authorization: 'Bearer pk_$&' } },
      missing: [],
    });
  });

  test('an environment variable that is not set is one of them; one that is set is none', () => {
    expect(local?.inputs.map(({ id }) => id)).toEqual(['TOKEN']);
    const set = read(`${HOME}/shop/.vscode/mcp.json`, sample('vscode.mcp.json'), { ...context.env, TOKEN: 't_1' }).servers[1];
    expect([set?.inputs, set?.spec.kind === 'stdio' && set.spec.env['TOKEN']]).toEqual([[], 't_1']);
  });

  test('an address that is none with them is refused', () => {
    const [server] = read('m.json', `{"servers": {"a": {"type": "http", "url": "${asked('where')}"}}}`).servers;
    if (!server) throw new Error('not read');
    expect(() => withInputs(server, { where: 'ftp://x' })).toThrow(/a: expected an http:\/\/ or https:\/\/ address/);
  });

  test('addresses that probes offer are left for them', () => {
    const hole = '${' + 'probes.hook.url}';
    const { servers } = read('m.json', JSON.stringify({ mcpServers: { a: { command: 'a', env: { HOOK: hole } } } }));
    expect(servers).toMatchObject([{ spec: { env: { HOOK: hole } }, inputs: [], problems: [] }]);
  });
});

test('a window is told no value of a secret', () => {
  for (const [name, file] of [
    ['zed.settings.json', OWN.zed],
    ['cursor.mcp.json', OWN.cursor],
    ['codex.config.toml', OWN.codex],
    ['windsurf.mcp_config.json', OWN.windsurf],
  ] as const) {
    const text = JSON.stringify(shown(file, read(file, sample(name))));
    expect(text).not.toMatch(/abc123|lin_1|figd_|us-east-1|"docs"|debug/);
  }
});

test('a secret that becomes a word of a command line is pointed out', () => {
  const config = JSON.stringify({ mcpServers: { a: { command: 'a', args: ['--key', '${' + 'LINEAR_KEY}', '${' + 'LANG}'] } } });
  expect(read(`${HOME}/.claude.json`, config).servers[0]?.problems).toEqual([
    `${HOME}/.claude.json:1: mcpServers.a.args[1]: the value of LINEAR_KEY becomes a word of the command line, which is shown and kept in traces`,
  ]);
});

const FORMS = Object.keys(OWN) as readonly ConfigForm[];

/** What a server is after a form has held it: some hold no working directory, some only one transport. */
function held(form: ConfigForm, { name, spec }: Exported): ConfiguredServer['spec'] | undefined {
  const common = { title: name, importedFrom: OWN[form] };
  if (spec.kind === 'stdio') return { ...spec, ...common, cwd: form === 'vscode' || form === 'codex' ? spec.cwd : undefined };
  const as = { http: 'http', auto: 'http', sse: 'sse' } as const;
  switch (form) {
    case 'claude-desktop':
      return undefined;
    case 'claude-code':
      return { ...spec, ...common, transport: as[spec.transport] };
    case 'vscode':
      return { ...spec, ...common, transport: spec.transport === 'sse' ? 'sse' : 'auto' };
    case 'cursor':
    case 'windsurf':
      return { ...spec, ...common, transport: 'auto' };
    case 'zed':
    case 'codex':
      return { ...spec, ...common, transport: 'http' };
  }
}

const noHoles = (text: string): boolean => !text.includes('${');
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter(noHoles);
const some = text.filter((value) => value !== '' && !/^<[^<>]+>$/.test(value));
const name = fc.oneof(some, fc.constantFrom('__proto__', 'a.b', 'a b', '"q"', 'constructor', '1'));
const variable = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,9}$/);
const header = fc.constantFrom('Authorization', 'X-Api-Key', 'Cookie', 'x-trace');
const stdio = fc.record({
  kind: fc.constant('stdio' as const),
  command: some,
  args: fc.array(text, { maxLength: 4 }),
  cwd: fc.option(fc.constantFrom('/srv/app', '/srv/a b'), { nil: undefined }),
  env: fc.dictionary(fc.oneof(variable, some), some, { maxKeys: 3 }),
  watch: fc.constant<string[]>([]),
});
const http = fc.record({
  kind: fc.constant('http' as const),
  url: fc.constantFrom('https://example.com/mcp', 'http://127.0.0.1:3000/mcp?key=a%20b'),
  transport: fc.constantFrom('auto' as const, 'http' as const, 'sse' as const),
  headers: fc.dictionary(
    header,
    fc.oneof(
      some,
      some.map((token) => `Bearer ${token}`),
    ),
    { maxKeys: 3 },
  ),
});
const server: fc.Arbitrary<Exported> = fc.record({ name, spec: fc.oneof(stdio, http), disabled: fc.boolean() });
const servers = fc.uniqueArray(server, { selector: (one) => one.name, maxLength: 4 });

/** Some forms keep a server that is switched off. */
const SWITCHES: readonly ConfigForm[] = ['windsurf', 'zed', 'codex'];

const byName = (list: readonly { readonly name: string }[]) => [...list].sort((a, b) => (a.name < b.name ? -1 : 1));

describe.each(FORMS)('%s', (form) => {
  const expected = (list: readonly Exported[]) =>
    list.flatMap((one) => {
      const spec = held(form, one);
      return spec ? [{ name: one.name, spec, inputs: [], disabled: SWITCHES.includes(form) && one.disabled === true, problems: [] }] : [];
    });

  test('what was written is what is read', () => {
    fc.assert(
      fc.property(servers, (list) => {
        const written = writeConfig(form, list, { secrets: true });
        if (list.length === 0) return;
        const config = read(OWN[form], written.text);
        expect([config.form, config.broken, written.lacking]).toEqual([form, {}, []]);
        expect(byName(config.servers)).toEqual(byName(expected(list)));
      }),
    );
  });

  test('written over others, these are as they are written, and the rest is as it was', () => {
    fc.assert(
      fc.property(servers, servers, (before, list) => {
        const first = writeConfig(form, before, { secrets: true }).text;
        const { text: both } = writeConfig(form, list, { secrets: true, into: first });
        if (before.length + list.length === 0) return;
        const there = expected(list);
        const rest = expected(before).filter((one) => !list.some((other) => other.name === one.name && held(form, other)));
        expect(byName(read(OWN[form], both).servers)).toEqual(byName([...rest, ...there]));
      }),
    );
  });

  test('without secrets, no value of one is in the text; with the values at hand the same is read', () => {
    const secret = fc.stringMatching(/^s3cret[a-z0-9]{4}$/);
    const guarded = fc.record({
      name: fc.constantFrom('files', 'my-server', 'a b'),
      spec: fc.oneof(
        stdio.chain((spec) => fc.dictionary(variable, secret, { maxKeys: 3 }).map((env) => ({ ...spec, env }))),
        http.chain((spec) =>
          fc
            .dictionary(
              header,
              fc.oneof(
                secret,
                secret.map((s) => `Bearer ${s}`),
              ),
              { maxKeys: 3 },
            )
            .map((headers) => ({ ...spec, headers })),
        ),
      ),
    });
    fc.assert(
      fc.property(guarded, (one) => {
        const written = writeConfig(form, [one]);
        expect(written.text).not.toContain('s3cret');
        const spec = held(form, one);
        if (!spec) return;
        const values = Object.values(spec.kind === 'stdio' ? spec.env : spec.headers);
        const refers = form !== 'claude-desktop' && form !== 'zed';
        expect(written.lacking.length + written.refersTo.length).toBe(values.length);
        expect(written.lacking.length).toBe(refers ? 0 : values.length);
        const [back] = read(OWN[form], written.text, {}).servers;
        if (!back) throw new Error('not read');
        expect(back.inputs.map(({ id }) => id).sort()).toEqual(refers ? [...written.refersTo].sort() : []);
        if (refers) expect(withInputs(back, answers(back, spec))).toEqual({ spec, missing: [] });
      }),
    );
  });
});

/** What a person would answer who knows the values. */
function answers(asking: ConfiguredServer, known: ConfiguredServer['spec']): Record<string, string> {
  const [holes, values] = [asking.spec, known].map((spec) => (spec.kind === 'stdio' ? spec.env : spec.headers));
  const found = Object.entries(holes ?? {}).map(([key, hole]) => {
    const [, prefix = '', id = ''] = /^(.*)\$\{input:(.*)\}$/.exec(hole) ?? [];
    return [id, (values?.[key] ?? '').slice(prefix.length)];
  });
  return Object.fromEntries(found);
}
