// Tests that want one of our programs as a process of its own need it as JavaScript, without a build of the whole
// product: this makes one self-contained Node script of one entry, as the product's own build would.
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { WITH_BINARIES } from '../vite.config';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const cache = path.join(root, 'node_modules', '.cache', 'stopgap');

const built = new Map<string, Promise<string>>();

/**
 * Bundles an entry for Node, everything included but `electron`, Node's own modules and packages with binaries. Built once per test process.
 * @param entry relative to the repository, such as `main/demo/server.ts`
 * @returns the absolute path of the script
 */
export function buildEntry(entry: string): Promise<string> {
  const known = built.get(entry);
  if (known) return known;
  const script = bundle(entry).then((code) => keep(path.basename(path.dirname(entry)), code));
  built.set(entry, script);
  return script;
}

async function bundle(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    resolve: { conditions: ['node'] },
    ssr: { noExternal: true },
    build: {
      ssr: path.join(root, entry),
      write: false,
      minify: false,
      target: 'node20.18',
      rolldownOptions: {
        external: ['electron', /^node:/, ...builtinModules, WITH_BINARIES],
        output: { format: 'es', codeSplitting: false },
      },
    },
  });
  const chunks = (result as Rolldown.RolldownOutput).output.filter((output) => output.type === 'chunk');
  const [chunk] = chunks;
  if (!chunk || chunks.length > 1) throw new Error(`Expected one script of ${entry}, got ${chunks.length}.`);
  return chunk.code;
}

/** Several test processes may build the same entry at once: the file is named by what is in it and appears whole. */
function keep(name: string, code: string): string {
  const script = path.join(cache, `${name}-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.mjs`);
  const partial = `${script}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  writeFileSync(partial, code);
  renameSync(partial, script);
  return script;
}
