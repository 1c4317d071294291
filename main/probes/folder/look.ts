// One look into one directory: its names and what the file system says of each, with the trace times between which the
// look was taken. Links are looked at, never followed.
import type { Stats } from 'node:fs';
import fs from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock, Ns } from '../../../app/base/time';
import { codeOf } from '../../store/disk';
import { both, type WallOffset, wallOffset } from './narrow';

/** What is asked of the file system; tests put one in its place that fails. */
export interface Eyes {
  names(dir: string): Promise<readonly string[]>;
  /** Does not follow links. */
  stats(file: string): Promise<Stats>;
  /** Calls back whenever something in the directory (not below it) may have changed. @throws when it cannot be watched */
  watch(dir: string, changed: (name: string | undefined) => void, failed: (error: Error) => void): { close(): void };
}

export const EYES: Eyes = {
  names: (dir) => readdir(dir),
  stats: (file) => lstat(file),
  watch(dir, changed, failed) {
    const watcher = fs.watch(dir, { persistent: false }, (_event, name) => changed(name ?? undefined));
    watcher.on('error', failed);
    return watcher;
  },
};

export type Kind = 'file' | 'folder' | 'other';

export interface Listing {
  /** When the look began and ended. What is not listed was absent at some time in between. */
  readonly begin: Ns;
  readonly end: Ns;
  readonly offset: WallOffset;
  /** The directory itself, looked at last; undefined when it is not there. */
  readonly self: Stats | undefined;
  /** In the order of their names. */
  readonly entries: ReadonlyMap<string, Stats>;
}

/** So many at once, that the thread pool is left some room for those who write. */
const AT_ONCE = 32;

/**
 * Looks into a directory. A directory that is not there lists nothing; a name that is gone before it was looked at is absent.
 * @throws the file system's error in every other case
 */
export async function look(eyes: Eyes, clock: Clock, dir: string): Promise<Listing> {
  const first = wallOffset(clock);
  const begin = clock.now();
  const entries = new Map<string, Stats>();
  const names = [...((await gone(eyes.names(dir))) ?? [])].sort();
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const some = names.slice(from, from + AT_ONCE);
    const stats = await Promise.all(some.map((name) => gone(eyes.stats(path.join(dir, name)))));
    for (const [index, name] of some.entries()) {
      const found = stats[index];
      if (found) entries.set(name, found);
    }
  }
  const self = await gone(eyes.stats(dir));
  const end = clock.now();
  return { begin, end, offset: both(first, wallOffset(clock)), self, entries };
}

/** Undefined for what is not there (any more). */
async function gone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

export const kindOf = (stats: Stats): Kind => (stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other');
