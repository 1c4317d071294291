// What an import comes to: which servers of which files were chosen, what they ask for, and what the host is asked to do.
// Nothing here draws anything.
import type { Params } from '../../../app/contract/host';
import type { ConfigFile, ConfigInput, ConfiguredServer, ServerSpec } from '../../../app/contract/server';
import { masked } from '../../../app/evidence/dsn';
import { quote } from '../../commandLine';

/** A configuration as the list shows it. One that was chosen and could not be read is of no form. */
export type Listed = Pick<ConfigFile, 'path' | 'servers' | 'problems'> & { readonly form: ConfigFile['form'] | undefined };

export const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;

/** A server of a file, among those of all files. */
export const keyOf = (file: Pick<Listed, 'path'>, server: Pick<ConfiguredServer, 'name'>): string => `${file.path}\n${server.name}`;

/** A file that was chosen stands first; read again, it takes its own place. */
export const withFile = (files: readonly Listed[], file: Listed): readonly Listed[] => [
  file,
  ...files.filter(({ path }) => path !== file.path),
];

/** Files that were found stand before those that are there; these stay, since they may have been chosen anywhere. */
export const withFound = (files: readonly Listed[], found: readonly Listed[]): readonly Listed[] => [
  ...found.filter(({ path }) => !files.some((file) => file.path === path)),
  ...files.map((file) => found.find(({ path }) => path === file.path) ?? file),
];

/** What is chosen of a file that somebody has picked out: what its own client would start. */
export const chosenOf = (file: Listed): readonly string[] =>
  file.servers.filter(({ disabled }) => !disabled).map((server) => keyOf(file, server));

/** The whole command or address of a server, nothing cut, without the password of an address. */
export const reachedBy = (spec: ConfiguredServer['spec']): string =>
  visible(spec.kind === 'http' ? masked(spec.url) : [spec.command, ...spec.args].map((word) => quote(masked(word), 'posix')).join(' '));

/** Characters that are not seen, or that turn the reading round, as what they are: a command is to be seen as it runs. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** Whether a server was taken over from this file before, under this name. */
export const isSaved = (server: ConfiguredServer, saved: readonly ServerSpec[]): boolean =>
  saved.some(
    (spec) => spec.kind !== 'demo' && spec.importedFrom === server.spec.importedFrom && (spec.title ?? '') === (server.spec.title ?? ''),
  );

/** A value that is asked for once, whichever of the servers want it. */
export interface Asked extends ConfigInput {
  readonly key: string;
  /** The servers that want it, by name. */
  readonly of: readonly string[];
}

interface Chosen {
  readonly file: Listed;
  readonly server: ConfiguredServer;
}

const chosenIn = (files: readonly Listed[], chosen: ReadonlySet<string>): readonly Chosen[] =>
  files.flatMap((file) => file.servers.filter((server) => chosen.has(keyOf(file, server))).map((server) => ({ file, server })));

/** Two files may mean different things by one name, and then they describe it differently. */
const askedKey = ({ id, description, password }: ConfigInput): string => JSON.stringify([id, description, password]);

/** What the chosen servers ask for. */
export function askedOf(files: readonly Listed[], chosen: ReadonlySet<string>): readonly Asked[] {
  const asked = new Map<string, Asked>();
  for (const { server } of chosenIn(files, chosen))
    for (const input of server.inputs) {
      const key = askedKey(input);
      const { of = [] } = asked.get(key) ?? {};
      asked.set(key, { ...input, ...asked.get(key), key, of: [...of, server.name] });
    }
  return [...asked.values()];
}

/** What stands in the field of a value: what was typed, else what the file has, but for a password. */
export const fieldText = (input: ConfigInput, typed: string | undefined): string => typed ?? (input.password ? '' : (input.default ?? ''));

/** Values that nobody has given and the file does not have. */
export const lackingOf = (asked: readonly Asked[], typed: Readonly<Record<string, string>>): readonly Asked[] =>
  asked.filter((input) => input.default === undefined && fieldText(input, typed[input.key]) === '');

/** What the host is asked for, file by file. A password that was left empty stays what the file has. */
export function importsOf(
  files: readonly Listed[],
  chosen: ReadonlySet<string>,
  typed: Readonly<Record<string, string>>,
): readonly Params<'config.import'>[] {
  return files.flatMap((file) => {
    const servers = chosenIn([file], chosen).map(({ server }) => server);
    if (servers.length === 0) return [];
    const values = servers
      .flatMap(({ inputs }) => inputs)
      .map((input) => [input, fieldText(input, typed[askedKey(input)])] as const)
      .filter(([input, value]) => value !== '' || !input.password);
    return {
      path: file.path,
      names: servers.map(({ name }) => name),
      inputs: Object.fromEntries(values.map(([{ id }, value]) => [id, value])),
    };
  });
}
