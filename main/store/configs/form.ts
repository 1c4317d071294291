// What a form of configuration is: how its servers are read and written, and where its files usually lie.
import nodePath from 'node:path';
import type { ConfigForm, ConfigInput, ConfiguredServer } from '../../../app/contract/server';
import type { Outcome } from './entry';
import type { ConfigText } from './text';

/** What a configuration is read with. */
export interface Context {
  readonly home: string;
  /** Stands for the folder that a client would have opened, where the file belongs to none. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file that the configuration names (`envFile`); undefined where it cannot be read. Without it none is. */
  readonly file?: (path: string) => string | undefined;
}

/** Where configurations are looked for. */
export interface Where {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Projects, whose own configurations are looked for as well. */
  readonly folders: readonly string[];
}

/** A server to be written into a configuration, with the values of its secrets as far as they are known. */
export interface Exported {
  readonly name: string;
  readonly spec: ConfiguredServer['spec'];
  readonly inputs?: readonly ConfigInput[];
  readonly disabled?: boolean;
}

export interface WriteOptions {
  /** What the file holds now: its other content and its comments stay. Undefined for a new file. */
  readonly into: string | undefined;
  /** What that file is called, for messages. */
  readonly path: string;
  /** Writes the values of environment variables and headers out; else they are references. */
  readonly secrets: boolean;
}

export interface Written {
  readonly text: string;
  /** Names of values that had to be left out: not known, or the form has no way to refer to them. */
  readonly lacking: readonly string[];
  /** Names of the environment variables and inputs that the text refers to. */
  readonly refersTo: readonly string[];
  /** What this form cannot hold, one sentence each. */
  readonly lost: readonly string[];
}

export interface Form {
  readonly form: ConfigForm;
  /** Whether files of this form are called so. */
  named(path: string): boolean;
  /** Its usual places, those of the person first. */
  places(where: Where): readonly string[];
  read(config: ConfigText, context: Context): readonly Outcome[];
  /** @throws ConfigError when what is there cannot be added to */
  write(servers: readonly Exported[], options: WriteOptions): Written;
}

export const pathsOf = (platform: NodeJS.Platform): nodePath.PlatformPath => (platform === 'win32' ? nodePath.win32 : nodePath.posix);

/** The folder in which applications of this person keep what they remember. */
export function applicationData({ home, platform, env }: Where): string {
  const { join } = pathsOf(platform);
  switch (platform) {
    case 'win32':
      return env['APPDATA'] || join(home, 'AppData', 'Roaming');
    case 'darwin':
      return join(home, 'Library', 'Application Support');
    default:
      return configFolder({ home, env, platform });
  }
}

/** `~/.config`, or what stands for it. */
export const configFolder = ({ home, env, platform }: Pick<Where, 'home' | 'env' | 'platform'>): string =>
  env['XDG_CONFIG_HOME'] || pathsOf(platform).join(home, '.config');

const OF_PROJECTS = ['.vscode', '.cursor', '.zed', '.codex'];

/** The folder that a file configures: what holds `.vscode`, `.mcp.json` and the like; undefined for a person's own file. */
export function projectOf(file: string, home: string): string | undefined {
  const folder = nodePath.dirname(nodePath.resolve(file));
  if (nodePath.basename(file) === '.mcp.json') return folder;
  const above = nodePath.dirname(folder);
  return OF_PROJECTS.includes(nodePath.basename(folder)) && above !== nodePath.resolve(home) ? above : undefined;
}

/** The last folders and the name of a path, the same on every platform: `.vscode/mcp.json`. */
export const tail = (path: string, parts: number): string => path.split(/[\\/]/).slice(-parts).join('/');
