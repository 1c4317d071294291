// Sessions with every kind of secret in them, and then a look at everything that was written, told to the window and printed:
// no secret is there. What is kept for the next start is sealed.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ServerStatus, ToHost } from '../../app/contract/host';
import type { ServerSpec } from '../../app/contract/server';
import { judge } from '../../app/verdict/judge';
import { createHost, type Host } from '../../main/host/host';
import { checkProbe, startProbe } from '../../main/probes';
import { type Cipher, sealedSecrets } from '../../main/store/secrets';
import { loadSettings } from '../../main/store/settings';
import { buildEntry } from '../build.testing';
import { serve, sound } from '../fixtures/http/mcp';
import { browser, type OAuthOptions, oauthServer } from '../oauth.testing';

const PATIENCE_MS = 60_000;
const SECRETS = { env: 'S3cretOfTheEnvironment', header: 'S3cretOfAHeader', password: 'S3cretOfADatabase' };

/** A keychain of this test's own. */
function keychain(): Cipher {
  const [key, iv] = [randomBytes(32), randomBytes(16)];
  return {
    seal: async (text) => {
      const cipher = createCipheriv('aes-256-cbc', key, iv);
      return Buffer.concat([cipher.update(text), cipher.final()]).toString('base64');
    },
    open: async (sealed) => {
      const cipher = createDecipheriv('aes-256-cbc', key, iv);
      return Buffer.concat([cipher.update(sealed, 'base64'), cipher.final()]).toString();
    },
  };
}

let folder: string;
let closing: (() => Promise<unknown>)[] = [];
const printed: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stopgap-secrets-'));
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.reverse()) await close();
  closing = [];
  printed.length = 0;
  await rm(folder, { recursive: true, force: true });
});

interface Window {
  readonly host: Host;
  /** Everything that was told to the window. */
  readonly told: string[];
  ask(request: ToHost['request'], params: unknown): Promise<unknown>;
  /** Resolves with the first server of which this holds. */
  server(holds: (status: ServerStatus) => boolean): Promise<ServerStatus>;
}

/** A host as the app has it, and all that a window sees of it. */
async function opened(cipher: Cipher): Promise<Window> {
  const host = createHost({
    traces: path.join(folder, 'traces'),
    demo: { script: await buildEntry('main/demo/server.ts'), state: path.join(folder, 'demo') },
    version: '0.0.0-test',
    settings: await loadSettings(path.join(folder, 'settings.json')),
    secrets: sealedSecrets(path.join(folder, 'secrets.json'), cipher),
    browse: async (address) => void browser(address, 'consent'),
    judge,
    startProbe,
    checkProbe,
  });
  closing.push(() => host.close());
  const told: string[] = [];
  const answers = new Map<number, (answer: unknown) => void>();
  const watchers = new Set<() => void>();
  let servers: readonly ServerStatus[] = [];
  let toHost: (message: ToHost) => void = () => undefined;
  host.attach({
    onMessage: (listener) => {
      toHost = listener;
    },
    post: (message) => {
      told.push(JSON.stringify(message));
      if ('id' in message) answers.get(message.id)?.(message.ok ? message.result : new Error(message.error));
      else if (message.event === 'servers') servers = message.payload;
      for (const look of watchers) look();
    },
  });
  const ask: Window['ask'] = (request, params) =>
    new Promise((resolve) => {
      const id = answers.size + 1;
      answers.set(id, resolve);
      toHost({ id, request, params });
    });
  await ask('hello', {});
  return {
    host,
    told,
    ask,
    server: (holds) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`waited in vain: ${JSON.stringify(servers)}`)), PATIENCE_MS);
        const look = (): void => {
          const found = servers.find(holds);
          if (!found) return;
          clearTimeout(late);
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
  };
}

const isHere =
  (key: string, state: ServerStatus['state'] = 'connected') =>
  (status: ServerStatus): boolean =>
    status.key.includes(key) && status.state === state;

/** Everything that a person, or somebody else, could read afterwards. */
async function readable({ told }: Window): Promise<readonly (readonly [where: string, text: string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const));
  return [...texts, ['told to the window', told.join('\n')], ['printed', printed.join('')]];
}

const found = async (window: Window, secrets: readonly string[]): Promise<readonly string[]> =>
  (await readable(window)).flatMap(([where, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${where}`),
  );

async function guarded(options?: OAuthOptions): ReturnType<typeof oauthServer> {
  const server = await oauthServer(options);
  closing.push(server.close);
  return server;
}

const atAddress = (url: string, headers: Record<string, string> = {}): ServerSpec => ({ kind: 'http', url, transport: 'auto', headers });

test('environment, headers, database passwords and tokens are in nothing that is written, told or printed', async () => {
  const cipher = keychain();
  const window = await opened(cipher);
  const script = await buildEntry('main/demo/server.ts');
  const stdio: ServerSpec = { kind: 'stdio', command: process.execPath, args: [script], env: { API_KEY: SECRETS.env }, watch: [] };
  await window.ask('server.connect', { spec: stdio });
  const first = await window.server(isHere(script));
  const dsn = `postgres://ada:${SECRETS.password}@127.0.0.1:1/shop`;
  const probe = { kind: 'sql', name: 'rows', dsn, query: 'select 1' };
  await window.ask('probe.check', { probe });
  await window.ask('probe.set', { connection: first.connection, probe });
  await window.server((status) => status.probes.some(({ spec, state }) => spec.name === 'rows' && state === 'failed'));

  const plain = await serve(sound);
  closing.push(plain.close);
  await window.ask('server.connect', { spec: atAddress(plain.url, { 'X-Api-Key': SECRETS.header, Cookie: `id=${SECRETS.header}` }) });
  await window.server(isHere(plain.url));

  const notes = await guarded();
  await window.ask('server.connect', { spec: atAddress(notes.url) });
  const { connection } = await window.server(isHere(notes.url, 'failed'));
  await window.ask('server.authorize', { connection });
  await window.server((status) => isHere(notes.url)(status) && status.tools.length === 2);
  await notes.expire();
  await window.ask('tool.call', { connection, tool: 'read_notes', arguments: {}, probes: [] });
  await expect.poll(() => notes.tokens.length, { timeout: PATIENCE_MS }).toBeGreaterThan(3);
  await window.host.close();

  // They were all used: what is looked for did exist.
  expect(plain.asked.every(({ headers }) => headers['x-api-key'] === SECRETS.header)).toBe(true);
  expect(await found(window, ['X-Api-Key', '***'])).not.toEqual([]);
  expect(await found(window, [SECRETS.env, SECRETS.header, SECRETS.password, ...notes.tokens])).toEqual([]);

  const again = await opened(cipher);
  await again.ask('server.connect', { spec: atAddress(plain.url, { 'X-Api-Key': '', Cookie: '' }) });
  await again.server(isHere(plain.url));
  expect(plain.asked.at(-1)?.headers['x-api-key']).toBe(SECRETS.header);
  await again.ask('server.connect', { spec: atAddress(notes.url) });
  await again.server((status) => isHere(notes.url)(status) && status.auth?.state === 'granted');
  await again.host.close();
  expect(await found(again, [SECRETS.env, SECRETS.header, SECRETS.password, ...notes.tokens])).toEqual([]);
});

test('an authorization server that repeats what it was sent has it repeated nowhere', async () => {
  let code = '';
  const server = await guarded({
    instead: (target, body) => {
      if (target !== '/token') return undefined;
      code = new URLSearchParams(body).get('code') ?? '';
      return { status: 400, body: { error: 'invalid_request', error_description: `what is ${body}?` } };
    },
  });
  const window = await opened(keychain());
  await window.ask('server.connect', { spec: atAddress(server.url) });
  const { connection } = await window.server(isHere(server.url, 'failed'));
  await window.ask('server.authorize', { connection });
  const { auth } = await window.server(({ auth }) => auth?.state === 'failed');
  await window.host.close();
  expect(auth?.says).toContain('it refused: invalid_request');
  expect(code).not.toBe('');
  expect(await found(window, [code])).toEqual([]);
});
