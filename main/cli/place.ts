// Where the command line lives: the built folder it runs from, and the checkout or package around it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const here = import.meta.dirname;

/** Script of the demo server, beside this one in every build. */
export const demoScript = path.join(here, 'demo.js');

const root = path.resolve(here, '../..');

/** What opens the window in a checkout; undefined elsewhere. */
export function startScript(): string | undefined {
  const script = path.join(root, 'scripts/start.mjs');
  return existsSync(script) ? script : undefined;
}

/** The version in the manifest around the build. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

/** What is at a path; undefined for nothing, and for what cannot be looked at. */
export function kindOf(at: string): 'file' | 'folder' | undefined {
  try {
    const stats = statSync(at);
    return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : undefined;
  } catch {
    return undefined;
  }
}
