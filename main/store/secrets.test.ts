import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Cipher, forgetServer, memorySecrets, NoKeychain, type Secrets, sealedSecrets, secretKey } from './secrets';

/** A keychain with a key of its own. */
function keychain(): Cipher {
  const key = randomBytes(32);
  return {
    async seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    async open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}

const refuse = (): Promise<never> => Promise.reject(new NoKeychain('there is none.'));
const none: Cipher = { seal: refuse, open: refuse };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'stopgap-secrets-'));
  file = path.join(folder, 'data', 'secrets.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function troubles(secrets: Secrets): string[] {
  const said: string[] = [];
  secrets.onTrouble((says) => said.push(says));
  return said;
}

test.each([
  ['memory', () => memorySecrets()],
  ['a sealed file', () => sealedSecrets(file, keychain())],
  ['no keychain', () => sealedSecrets(file, none)],
])('in %s, what was set is got until it is set anew or forgotten', async (_, make) => {
  const secrets = make();
  expect(await secrets.get('a')).toEqual({});
  await secrets.set('a', { TOKEN: 's3cret', EMPTY: '' });
  await secrets.set('b', { TOKEN: 'other' });
  expect(await secrets.get('a')).toEqual({ TOKEN: 's3cret', EMPTY: '' });
  await secrets.set('a', { KEY: 'new' });
  expect(await secrets.get('a')).toEqual({ KEY: 'new' });
  await secrets.forget('a');
  expect([await secrets.get('a'), await secrets.get('b')]).toEqual([{}, { TOKEN: 'other' }]);
});

describe('the file', () => {
  test('is found again after a start, for its owner only, with nothing readable in it', async () => {
    const cipher = keychain();
    const secrets = sealedSecrets(file, cipher);
    await secrets.set('https://mcp.example/', { Authorization: 'Bearer s3cret' });
    expect(secrets.kept).toBe('keychain');
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/s3cret|Authorization|example/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(path.dirname(file))).toEqual(['secrets.json']);
    expect(await sealedSecrets(file, cipher).get('https://mcp.example/')).toEqual({ Authorization: 'Bearer s3cret' });
  });

  test('is not written, and the keychain not asked, before there is a secret', async () => {
    const secrets = sealedSecrets(file, none);
    const said = troubles(secrets);
    await secrets.get('a');
    await secrets.forget('a');
    await secrets.set('a', {});
    expect([said, readdirSync(folder), secrets.kept]).toEqual([[], [], 'keychain']);
  });

  test('keeps all that are set at the same time', async () => {
    const cipher = keychain();
    const secrets = sealedSecrets(file, cipher);
    const keys = ['a', 'b', 'c', 'd'];
    await Promise.all(keys.map((key) => secrets.set(key, { value: key })));
    const again = sealedSecrets(file, cipher);
    expect(await Promise.all(keys.map((key) => again.get(key)))).toEqual(keys.map((value) => ({ value })));
  });

  test('of another keychain: said once, what is in it stays, and what is entered anew is kept beside it', async () => {
    const first = keychain();
    await sealedSecrets(file, first).set('a', { value: 'old' });
    await sealedSecrets(file, first).set('b', { value: 'old' });
    const elsewhere = sealedSecrets(file, keychain());
    const said = troubles(elsewhere);
    expect([await elsewhere.get('a'), await elsewhere.get('b')]).toEqual([{}, {}]);
    await elsewhere.set('a', { value: 'new' });
    expect(said).toEqual([expect.stringMatching(/^Some secrets in .* could not be read: they were sealed on another computer/)]);
    expect([await elsewhere.get('a'), elsewhere.kept]).toEqual([{ value: 'new' }, 'keychain']);
    expect(await sealedSecrets(file, first).get('b')).toEqual({ value: 'old' });
  });

  test('without a keychain: kept for this run, said once, nothing written, and what was sealed earlier stays', async () => {
    const cipher = keychain();
    await sealedSecrets(file, cipher).set('a', { value: 'old' });
    const before = readFileSync(file, 'utf8');
    const secrets = sealedSecrets(file, none);
    const said = troubles(secrets);
    expect(await secrets.get('a')).toEqual({});
    await secrets.set('b', { value: 's3cret' });
    await secrets.set('c', { value: 's3cret' });
    expect([await secrets.get('b'), secrets.kept, readFileSync(file, 'utf8')]).toEqual([{ value: 's3cret' }, 'memory', before]);
    expect(said).toEqual([
      expect.stringMatching(/^Secrets from earlier are in .* cannot be used now: there is none\./),
      'Secrets are kept until Stopgap is closed, and not on disk: there is none. After the next start they have to be entered again.',
    ]);
  });

  test.each(['{"version":1', '{"version":2,"sealed":{}}', '[]'])('%s is kept aside', async (text) => {
    const cipher = keychain();
    await sealedSecrets(file, cipher).set('a', { value: 'x' });
    writeFileSync(file, text);
    const secrets = sealedSecrets(file, cipher);
    const said = troubles(secrets);
    expect(await secrets.get('a')).toEqual({});
    expect(said).toEqual([
      `The file of secrets ${file} is not what it should be. They have to be entered again. The file as it was is kept as ${file}.broken.`,
    ]);
    expect(readFileSync(`${file}.broken`, 'utf8')).toBe(text);
  });

  test('that cannot be written: said, and they hold', async () => {
    writeFileSync(path.join(folder, 'data'), '');
    const secrets = sealedSecrets(file, keychain());
    const said = troubles(secrets);
    await secrets.set('a', { value: 's3cret' });
    expect(await secrets.get('a')).toEqual({ value: 's3cret' });
    expect(said.at(-1)).toMatch(/could not be written to .* They hold until Stopgap is closed\.$/);
    expect(said.join()).not.toContain('s3cret');
  });
});

test('whoever listens late hears what was said before', async () => {
  const secrets = sealedSecrets(file, none);
  await secrets.set('a', { value: 'x' });
  expect(troubles(secrets)).toHaveLength(1);
});

test('a server is forgotten with all its parts, and no other', async () => {
  const secrets = memorySecrets();
  for (const part of ['server', 'probes', 'oauth'] as const)
    for (const key of ['one', 'two']) await secrets.set(secretKey(part, key), { part });
  await forgetServer(secrets, 'one');
  expect(await secrets.get(secretKey('oauth', 'one'))).toEqual({});
  expect(await secrets.get(secretKey('probes', 'two'))).toEqual({ part: 'probes' });
});
