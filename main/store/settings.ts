// What is remembered between starts: one JSON file for this user's eyes only, replaced as a whole so that a crash leaves
// either the old or the new one. A setting that cannot be understood costs that setting, never all of them.
// Values of servers' environments and headers and passwords of databases are secrets: none of them is written here.
import { readFile } from 'node:fs/promises';
import { type Settings, type SettingsPatch, settings as schema } from '../../app/contract/host';
import { withoutSecrets } from '../../app/contract/server';
import { maskedDsn } from '../../app/evidence/dsn';
import type { ProbeSpec } from '../../app/evidence/probe';
import { codeOf, keepAside, plain, replaceFile } from './disk';

export interface SettingsStore {
  readonly path: string;
  /** As long as nothing was patched, with the passwords of probes that an earlier version had left in the file. */
  readonly current: Settings;
  /** What was found wrong when the file was read, as sentences. */
  readonly notices: readonly string[];
  /**
   * Replaces whole settings by name and saves; saves happen in the order in which they were asked for.
   * @returns all settings
   * @throws Error in plain words when the file cannot be written; the change holds until the program ends
   */
  patch(patch: SettingsPatch): Promise<Settings>;
}

/**
 * Reads the settings, or begins with the defaults when there is no file yet. It never fails: what cannot be read falls back
 * to its default, is said in `notices`, and the file as it was is kept beside it as `.broken`.
 */
export async function loadSettings(file: string): Promise<SettingsStore> {
  const { settings, notices } = await read(file);
  let current = settings;
  let saving: Promise<void> = Promise.resolve();

  const save = (): Promise<void> => {
    const next = saving.then(() => write(file, current));
    saving = next.catch(() => undefined);
    return next;
  };
  if (notices.length > 0) notices.push(await keepAside(file), ...(await save().then(() => [], sentence)));

  return {
    path: file,
    get current() {
      return current;
    },
    notices,
    async patch(patch) {
      current = withoutPasswords(withoutValues({ ...current, ...defined(patch) }));
      await save();
      return current;
    },
  };
}

interface Read {
  readonly settings: Settings;
  readonly notices: string[];
}

async function read(file: string): Promise<Read> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const notices = codeOf(error) === 'ENOENT' ? [] : [`The settings ${file} could not be read: ${plain(error)} Defaults are used.`];
    return { settings: schema.parse({}), notices };
  }
  const value = parsed(text);
  if (!value) return { settings: schema.parse({}), notices: [`The settings ${file} are not a JSON object. Defaults are used.`] };
  return understood(value);
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Each setting by itself: a broken or unknown one is left out and named. */
function understood(value: object): Read {
  const notices: string[] = [];
  const kept = Object.entries(value).filter(([name, content]) => {
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name as keyof Settings] : undefined;
    if (!field) notices.push(`The setting "${name}" is not known to this version and was left out.`);
    else if (!field.safeParse(content).success) notices.push(`The setting "${name}" is not what it should be; its default is used.`);
    else return true;
    return false;
  });
  return { settings: withoutValues(schema.parse(Object.fromEntries(kept))), notices };
}

const sentence = (error: unknown): readonly string[] => [error instanceof Error ? error.message : String(error)];

async function write(file: string, settings: Settings): Promise<void> {
  try {
    await replaceFile(file, `${JSON.stringify(settings, undefined, 2)}\n`);
  } catch (error) {
    throw new Error(`The settings ${file} could not be saved: ${plain(error)} They hold until Stopgap is closed.`, { cause: error });
  }
}

/** A patch names settings; one that is undefined names none. */
const defined = (patch: SettingsPatch): Partial<Settings> =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Settings>;

function withoutValues(settings: Settings): Settings {
  const { lastServer, lastServers, recentServers, savedServers, ...rest } = settings;
  return {
    ...rest,
    ...(lastServer ? { lastServer: withoutSecrets(lastServer) } : {}),
    ...(lastServers ? { lastServers: lastServers.map(withoutSecrets) } : {}),
    recentServers: recentServers.map(withoutSecrets),
    savedServers: savedServers.map(withoutSecrets),
  };
}

function withoutPasswords(settings: Settings): Settings {
  const shown = (probe: ProbeSpec): ProbeSpec => (probe.kind === 'sql' ? { ...probe, dsn: maskedDsn(probe.dsn) } : probe);
  const probes = Object.fromEntries(Object.entries(settings.probes).map(([server, own]) => [server, own.map(shown)]));
  return { ...settings, probes };
}
