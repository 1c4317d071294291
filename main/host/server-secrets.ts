// The secrets in what a server and its probes are described by. Settings, statuses and the window have the descriptions
// without them; they are put in at the last moment, where a server is connected or a probe starts.
import { type ServerSpec, secretsOf, serverKey, withSecrets } from '../../app/contract/server';
import { hasSecrets, maskedDsn, unmaskedDsn } from '../../app/evidence/dsn';
import type { ProbeSpec } from '../../app/evidence/probe';
import { type Secrets, secretKey } from '../store/secrets';
import type { SettingsStore } from '../store/settings';

/** A description with its secrets: those that came with it are kept, those that came empty are what they were before. */
export async function completed<S extends ServerSpec>(secrets: Secrets, spec: S): Promise<S> {
  const given = Object.entries(secretsOf(spec));
  if (given.length === 0) return spec;
  const key = secretKey('server', serverKey(spec));
  const known = await secrets.get(key);
  const values = Object.fromEntries(given.map(([name, value]) => [name, value || (known[name] ?? '')]));
  if (given.some(([name, value]) => value !== '' && value !== known[name])) await secrets.set(key, values);
  return withSecrets(spec, values);
}

/** Names of secrets without a value: they were not kept, or never given. */
export const lacking = (spec: ServerSpec): readonly string[] =>
  Object.entries(secretsOf(spec)).flatMap(([name, value]) => (value === '' ? [name] : []));

/** Keeps the password in a probe's address. @returns the probe without it */
export async function keepProbe(secrets: Secrets, server: string, probe: ProbeSpec): Promise<ProbeSpec> {
  if (probe.kind !== 'sql' || !hasSecrets(probe.dsn)) return probe;
  const key = secretKey('probes', server);
  const known = await secrets.get(key);
  const whole = unmaskedDsn(probe.dsn, known[probe.name] ?? '');
  if (whole !== known[probe.name]) await secrets.set(key, { ...known, [probe.name]: whole });
  return { ...probe, dsn: maskedDsn(whole) };
}

/**
 * A probe with the password of its address.
 * @throws Error in plain words when that was not kept
 */
export async function wholeProbe(secrets: Secrets, server: string, probe: ProbeSpec): Promise<ProbeSpec> {
  if (probe.kind !== 'sql' || !isMasked(probe.dsn)) return probe;
  const { [probe.name]: known } = await secrets.get(secretKey('probes', server));
  const dsn = known === undefined ? probe.dsn : unmaskedDsn(probe.dsn, known);
  if (isMasked(dsn))
    throw new Error('Expected the password of this database, but it is not kept any more. Change the probe and enter it again.');
  return { ...probe, dsn };
}

const isMasked = (dsn: string): boolean => hasSecrets(dsn) && maskedDsn(dsn) === dsn;
const hasPassword = (probe: ProbeSpec): boolean => probe.kind === 'sql' && maskedDsn(probe.dsn) !== probe.dsn;

export async function forgetProbe(secrets: Secrets, server: string, name: string): Promise<void> {
  const key = secretKey('probes', server);
  const { [name]: gone, ...others } = await secrets.get(key);
  if (gone !== undefined) await secrets.set(key, others);
}

/** Earlier versions had the passwords of probes in the settings: they are moved, and the settings saved without them. */
export async function movePasswords({ current, patch }: SettingsStore, secrets: Secrets): Promise<void> {
  const all = Object.entries(current.probes);
  if (!all.some(([, probes]) => probes.some(hasPassword))) return;
  const moved: Record<string, ProbeSpec[]> = {};
  for (const [server, probes] of all) {
    moved[server] = [];
    for (const probe of probes) moved[server].push(await keepProbe(secrets, server, probe));
  }
  await patch({ probes: moved });
}
