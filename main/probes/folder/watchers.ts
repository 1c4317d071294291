// Who is woken when something happens in a directory. A watcher says "look now" and nothing else; what happened is found
// by looking. Directories that cannot be watched (too many, too deep for the system's limits) are found by the next poll.
import type { Eyes } from './look';

/** Beyond so many directories the poll has to do. */
const MOST = 2000;

export interface Watchers {
  /** Watches a directory from now on. `identity` tells a directory from another of the same name. */
  keep(dir: string, identity: number): void;
  drop(dir: string): void;
  close(): void;
}

interface Watched {
  readonly identity: number;
  readonly watcher: { close(): void };
}

/**
 * @param changed called with the directory to look into, and the name in it where the system tells
 * @param failed called when a directory can no longer be watched; it is watched again when it is next kept
 */
export function watchers(
  eyes: Eyes,
  changed: (dir: string, name: string | undefined) => void,
  failed: (dir: string, error: Error) => void,
): Watchers {
  const watched = new Map<string, Watched>();
  const drop = (dir: string): void => {
    watched.get(dir)?.watcher.close();
    watched.delete(dir);
  };
  const lose = (dir: string, error: Error): void => {
    if (!watched.has(dir)) return;
    drop(dir);
    failed(dir, error);
  };
  return {
    keep(dir, identity) {
      const known = watched.get(dir);
      if (known?.identity === identity) return;
      drop(dir);
      if (watched.size >= MOST) return;
      try {
        const watcher = eyes.watch(
          dir,
          (name) => changed(dir, name),
          (error) => lose(dir, error),
        );
        watched.set(dir, { identity, watcher });
      } catch {
        // Not watched: the poll looks there all the same.
      }
    },
    drop,
    close() {
      for (const dir of [...watched.keys()]) drop(dir);
    },
  };
}
