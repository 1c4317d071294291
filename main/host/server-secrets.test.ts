import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { serverSpec } from '../../app/contract/server';
import { probeSpec } from '../../app/evidence/probe';
import { memorySecrets } from '../store/secrets';
import { loadSettings } from '../store/settings';
import { completed, forgetProbe, keepProbe, lacking, movePasswords, wholeProbe } from './server-secrets';

const folder = mkdtempSync(path.join(os.tmpdir(), 'stopgap-server-secrets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const spec = (headers: Record<string, string>) => serverSpec.parse({ kind: 'http', url: 'https://mcp.example/', headers });
const sql = (dsn: string) => probeSpec.parse({ kind: 'sql', name: 'rows', dsn, query: 'select 1' });

test('what comes back empty is what it was before; what was never given is lacking', async () => {
  const secrets = memorySecrets();
  await completed(secrets, spec({ 'X-Key': 's3cret' }));
  const again = await completed(secrets, spec({ 'X-Key': '', 'X-Other': '' }));
  expect(again).toEqual(spec({ 'X-Key': 's3cret', 'X-Other': '' }));
  expect(lacking(again)).toEqual(['X-Other']);
  const changed = await completed(secrets, spec({ 'X-Key': 'new' }));
  expect(changed).toEqual(spec({ 'X-Key': 'new' }));
  expect(await completed(secrets, spec({ 'X-Key': '' }))).toEqual(changed);
});

test('a probe is kept without its password, changed without it, and started with it', async () => {
  const secrets = memorySecrets();
  const kept = await keepProbe(secrets, 'server', sql('postgres://ada:s3cret@db/shop'));
  expect(kept).toEqual(sql('postgres://ada:***@db/shop'));
  expect(await wholeProbe(secrets, 'server', kept)).toEqual(sql('postgres://ada:s3cret@db/shop'));
  const moved = await keepProbe(secrets, 'server', sql('postgres://ada:***@other:5433/shop'));
  expect(moved).toEqual(sql('postgres://ada:***@other:5433/shop'));
  expect(await wholeProbe(secrets, 'server', moved)).toEqual(sql('postgres://ada:s3cret@other:5433/shop'));
  await forgetProbe(secrets, 'server', 'rows');
  await expect(wholeProbe(secrets, 'server', moved)).rejects.toThrow(/password of this database, but it is not kept/);
});

test('a probe without a password needs none', async () => {
  const secrets = memorySecrets();
  const probe = sql('sqlite:/data/app.db');
  expect(await wholeProbe(secrets, 'server', await keepProbe(secrets, 'server', probe))).toBe(probe);
});

test('passwords of probes that an earlier version left in the settings are moved', async () => {
  const file = path.join(folder, 'settings.json');
  const probes = { server: [sql('mysql://ada:s3cret@db/shop')], other: [sql('sqlite:x.db')] };
  writeFileSync(file, JSON.stringify({ density: 'compact', probes }));
  const [settings, secrets] = [await loadSettings(file), memorySecrets()];
  await movePasswords(settings, secrets);
  expect(settings.current).toMatchObject({
    density: 'compact',
    probes: { server: [sql('mysql://ada:***@db/shop')], other: [sql('sqlite:x.db')] },
  });
  expect(readFileSync(file, 'utf8')).not.toContain('s3cret');
  expect(await wholeProbe(secrets, 'server', sql('mysql://ada:***@db/shop'))).toEqual(sql('mysql://ada:s3cret@db/shop'));
});
