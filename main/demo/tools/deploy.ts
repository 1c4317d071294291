// Work handed to another process: a cancel reaches the server, which stops waiting; nobody tells the child.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { type Demo, fails, says } from '../demo';
import { freshId, writeWhole } from '../state';

const RELEASE_MS = 2500;

/** A release as handed to the child on its command line; `due` in ms since 1970, so that its start-up time does not count. */
const Release = z.object({ id: z.string(), service: z.string(), version: z.string(), due: z.number() });

export function deploy({ server, folder, program }: Demo): void {
  server.registerTool(
    'deploy',
    {
      title: 'Deploy',
      description:
        'Starts a process of its own that writes releases/….json 2.5 s later, and waits for it. Cancelling stops the waiting at once, and nothing is answered; the process runs on and releases all the same.',
      inputSchema: {
        service: z.enum(['shop', 'search', 'mail']).default('shop').meta({ title: 'Service' }),
        version: z
          .string()
          .regex(/^[0-9A-Za-z.-]{1,32}$/)
          .default('1.4.0')
          .meta({ title: 'Version', description: 'Letters, digits, dots and dashes.' }),
      },
      // No annotations, on purpose: most servers have none, and what is not declared may write.
    },
    async ({ service, version }, { signal }) => {
      const release = { id: freshId('r_'), service, version, due: Date.now() + RELEASE_MS };
      const args = [program, '--release', JSON.stringify(release), '--state', folder];
      const child = spawn(process.execPath, args, { stdio: 'ignore', windowsHide: true });
      const [code] = await once(child, 'exit', { signal });
      return code === 0
        ? says(`Released ${service} ${version} as ${release.id}`)
        : fails(`The release process ended with code ${code}; released nothing.`);
    },
  );
}

/**
 * What the child does.
 * @param text a release in JSON, as `deploy` puts it on the command line
 * @throws SyntaxError or ZodError when it is anything else
 */
export async function runRelease(text: string, folder: string): Promise<void> {
  const { id, service, version, due } = Release.parse(JSON.parse(text));
  await rest(Math.max(0, due - Date.now()));
  const release = { id, at: new Date().toISOString(), service, version };
  writeWhole(folder, path.join('releases', `${service}-${version}-${id}.json`), `${JSON.stringify(release)}\n`);
}
