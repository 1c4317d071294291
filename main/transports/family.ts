// A server is rarely one process: launchers start it, it starts tools, tools start daemons. Whoever ends a server must
// end all of them, also those that have left their parent and their process group. On Linux they are found by their
// parents, their group and an inherited environment variable; elsewhere by their parents, remembered from look to look.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import psList from 'ps-list';

/** Inherited by every process that a server starts: its value is the mark by which they are found again. */
export const MARK_VARIABLE = 'STOPGAP_SESSION';

/** The processes of one server. */
export interface Family {
  /** Ids of the processes that live now, the server's own included. */
  alive(): Promise<readonly number[]>;
  /**
   * Sends a signal to all of them at once.
   * @param before called when they have been found and nothing was sent yet
   * @returns how many there were
   */
  signal(signal: 'SIGTERM' | 'SIGKILL', before?: () => void): Promise<number>;
}

/**
 * @param root process id of the server, which leads a process group of its own (not on Windows)
 * @param mark value of {@link MARK_VARIABLE} in its environment
 */
export function family(root: number, mark: string): Family {
  if (process.platform === 'win32') return windowsFamily(root);
  /** Who lived at the last look. Once nobody does, the numbers may be given to others and mean nothing any more. */
  let known: ReadonlySet<number> = new Set([root]);
  const find = async (): Promise<readonly number[]> => {
    const all = process.platform === 'linux' ? census(`${MARK_VARIABLE}=${mark}`) : await listed();
    known = members(all, known, known.size > 0 ? root : undefined);
    return [...known];
  };
  return {
    alive: find,
    async signal(signal, before) {
      const found = await find();
      before?.();
      for (const pid of found) send(pid, signal);
      return found.length;
    },
  };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Process group; 0 where it is not known. */
  readonly group: number;
  /** Bears the mark in its environment. */
  readonly marked: boolean;
}

/** Those that were known and live, whatever bears the mark or is in the server's group, and all descendants of these. */
function members(all: readonly Process[], known: ReadonlySet<number>, group: number | undefined): ReadonlySet<number> {
  const found = new Set(all.filter((one) => one.marked || known.has(one.pid) || one.group === group).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  found.delete(process.pid);
  return found;
}

/** Every living process of a Linux machine. Read synchronously: a kill must not wait for its own preparations. */
function census(mark: string): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readProc(name, 'stat');
      // The second field is a name in brackets that may hold anything; the rest is plain.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === undefined || state === '' || 'ZX'.includes(state)) return [];
      const marked = readProc(name, 'environ').split('\0').includes(mark);
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), marked }];
    });
}

/** '' for a process that has gone, or that is another person's. */
function readProc(pid: string, file: 'stat' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

async function listed(): Promise<readonly Process[]> {
  return (await psList()).map(({ pid, ppid }) => ({ pid, parent: ppid, group: 0, marked: false }));
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It was quicker and is gone.
  }
}

/** Windows knows no groups and no SIGTERM; `taskkill /T` walks down from the server while that lives. */
function windowsFamily(root: number): Family {
  const alive = async (): Promise<readonly number[]> => {
    try {
      process.kill(root, 0);
      return [root];
    } catch {
      return [];
    }
  };
  return {
    alive,
    async signal(signal, before) {
      before?.();
      const force = signal === 'SIGKILL' ? ['/F'] : [];
      await new Promise<void>((resolve) =>
        execFile('taskkill', ['/PID', String(root), '/T', ...force], { windowsHide: true }, () => resolve()),
      );
      return (await alive()).length;
    },
  };
}
