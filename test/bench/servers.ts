// Where the bench's own servers lie: plain programs beside the sources, started as they are.
import path from 'node:path';

/** The project's folder, in which `npm run bench` runs. */
export const ROOT = process.cwd();

export const server = (name: 'echo' | 'flood' | 'steady', ...args: readonly string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [path.join(ROOT, 'test/bench/servers', `${name}.mjs`), ...args],
});
