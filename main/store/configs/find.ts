// Configurations on this disk: where each client keeps them, and what is in them.
import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { ConfigFile, ConfigForm } from '../../../app/contract/server';
import { plain } from '../disk';
import { ConfigError, type Context, FORMS, type ReadConfig, readConfig, shown, type Where } from './configs';

export interface FoundConfig {
  readonly form: ConfigForm;
  readonly path: string;
  readonly exists: boolean;
}

/** The usual places of every client, whether there is a file or not. */
export function findConfigs(where: Where): Promise<readonly FoundConfig[]> {
  const places = FORMS.flatMap(({ form, places }) => [...new Set(places(where))].map((path) => ({ form, path })));
  return Promise.all(
    places.map(async ({ form, path }) => ({
      form,
      path,
      exists: await stat(path).then(
        (file) => file.isFile(),
        () => false,
      ),
    })),
  );
}

/**
 * What is in a file, with the values of secrets.
 * @throws ConfigError in one line when it cannot be read, or is no configuration
 */
export async function openConfig(path: string, context: Omit<Context, 'file'>): Promise<ReadConfig> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${path}: expected a configuration that can be read, but ${plain(error)}`);
  });
  return readConfig(path, text, { ...context, file: textOf });
}

/** The text of a file, undefined where it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** What a window is told of the files that were found: those with servers in them, and those that are broken. */
export async function readFound(found: readonly FoundConfig[], context: Omit<Context, 'file'>): Promise<readonly ConfigFile[]> {
  const files = await Promise.all(
    found
      .filter(({ exists }) => exists)
      .map(async ({ form, path }): Promise<ConfigFile> => {
        try {
          return shown(path, await openConfig(path, context));
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          return { form, path, servers: [], problems: [error.message] };
        }
      }),
  );
  return files.filter(({ servers, problems }) => servers.length > 0 || problems.length > 0);
}
