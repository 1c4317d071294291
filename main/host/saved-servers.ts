// Servers that the person has saved: each has an id, under which its secrets, probes, arrangements and arguments are kept.
// What a description knew before it had one comes along.
import { randomUUID } from 'node:crypto';
import type { Settings, SettingsPatch } from '../../app/contract/host';
import { type ServerSpec, secretsOf, serverKey } from '../../app/contract/server';
import { forgetServer as forgetSecrets, type Secrets, secretKey } from '../store/secrets';

export type SavedSpec = Exclude<ServerSpec, { kind: 'demo' }> & { readonly id: string };

/** What is kept by the key of a server. */
const BY_KEY = ['probes', 'tools', 'history'] as const satisfies readonly (keyof Settings)[];

/**
 * Gives a description its id, and keeps its secrets.
 * @param like key of the server that it is a copy of; the description itself, before it had an id, when absent
 * @returns the description as it is saved, and what becomes of the settings
 */
export async function saved(
  given: Exclude<ServerSpec, { kind: 'demo' }>,
  like: string | undefined,
  { settings, secrets }: { readonly settings: Settings; readonly secrets: Secrets },
): Promise<{ readonly spec: SavedSpec; readonly patch: SettingsPatch }> {
  const spec: SavedSpec = { ...given, id: given.id ?? randomUUID() };
  const from = like ?? (given.id === undefined ? serverKey(given) : spec.id);
  await keepSecrets(secrets, spec, from);
  const same = (other: ServerSpec): boolean => serverKey(other) === spec.id;
  const place = settings.savedServers.findIndex(same);
  // What was used under its command line or address is found under its name from now on.
  const replaced = like === undefined && from !== spec.id;
  if (replaced) await moveGrant(secrets, from, spec.id);
  return {
    spec,
    patch: {
      ...(from === spec.id ? {} : alike(settings, from, spec.id)),
      savedServers: place < 0 ? [...settings.savedServers, spec] : settings.savedServers.with(place, spec),
      recentServers: settings.recentServers.map((recent) => (same(recent) || (replaced && serverKey(recent) === from) ? spec : recent)),
    },
  };
}

/** Takes a saved server off the list with everything that was kept for it. */
export async function forgotten(id: string, settings: Settings, secrets: Secrets): Promise<SettingsPatch> {
  await forgetSecrets(secrets, id);
  const others = (spec: ServerSpec): boolean => serverKey(spec) !== id;
  return {
    ...Object.fromEntries(BY_KEY.map((part) => [part, Object.fromEntries(Object.entries(settings[part]).filter(([key]) => key !== id))])),
    savedServers: settings.savedServers.filter(others),
    recentServers: settings.recentServers.filter(others),
  };
}

/** Values that are given stand; those that are not are what they were for the server that this one is like. */
async function keepSecrets(secrets: Secrets, spec: SavedSpec, from: string): Promise<void> {
  const before = await secrets.get(secretKey('server', from));
  const values = Object.entries(secretsOf(spec)).map(([name, value]) => [name, value || (before[name] ?? '')] as const);
  await secrets.set(secretKey('server', spec.id), Object.fromEntries(values.filter(([, value]) => value !== '')));
  if (from !== spec.id) await secrets.set(secretKey('probes', spec.id), await secrets.get(secretKey('probes', from)));
}

/** What was granted has one holder: of two that renew the same token, one would have it taken back. */
async function moveGrant(secrets: Secrets, from: string, to: string): Promise<void> {
  await secrets.set(secretKey('oauth', to), await secrets.get(secretKey('oauth', from)));
  await secrets.forget(secretKey('oauth', from));
}

/** Probes, arrangements and arguments of one server, for another one too. */
const alike = (settings: Settings, from: string, to: string): SettingsPatch =>
  Object.fromEntries(
    BY_KEY.filter((part) => settings[part][from]).map((part) => [part, { ...settings[part], [to]: settings[part][from] }]),
  );
