// A server is rarely one process: launchers start it, it starts tools, tools start daemons. Whoever ends a server must
// end all of them, also those that have left their parent and their process group. On Linux they are found by their
// parents, their group and an inherited environment variable; elsewhere by their parents, remembered from look to look.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import psList from 'ps-list';
import type { ServerProcess } from '../../app/evidence/probe';

/** Inherited by every process that a server starts: its value is the mark by which they are found again. */
export const MARK_VARIABLE = 'STOPGAP_SESSION';

/** The processes of one server. */
export interface Family {
  /** Ids of the processes that live now, the server's own included. */
  alive(): Promise<readonly number[]>;
  /**
   * What each of them is and has done, the server's own process first.
   * @throws Error when the system does not tell
   */
  processes(): Promise<readonly ServerProcess[]>;
  /**
   * Sends a signal to all of them at once.
   * @param before called when they have been found and nothing was sent yet
   * @returns the ids of those that it was sent to
   */
  signal(signal: 'SIGTERM' | 'SIGKILL', before?: () => void): Promise<readonly number[]>;
}

/**
 * @param root process id of the server, which leads a process group of its own (not on Windows)
 * @param mark value of {@link MARK_VARIABLE} in its environment
 */
export function family(root: number, mark: string): Family {
  if (process.platform === 'win32') return windowsFamily(root);
  const system: System = process.platform === 'linux' ? linux : others;
  const born = system.born(root);
  /** Who lived at the last look. Once nobody does, the numbers may be given to others and mean nothing any more. */
  let known: ReadonlySet<number> = new Set([root]);
  const find = async (): Promise<readonly number[]> => {
    known = members(await system.census(`${MARK_VARIABLE}=${mark}`, born), known, known.size > 0 ? root : undefined);
    return [...known];
  };
  return {
    alive: find,
    processes: async () => rootFirst(await system.details(await find()), root),
    async signal(signal, before) {
      const found = await find();
      before?.();
      return found.filter((pid) => send(pid, signal));
    },
  };
}

/** How processes are looked up. */
interface System {
  /** When a process was started, in a unit of the system's own; 0 where that is not known. */
  born(pid: number): number;
  /**
   * Every living process.
   * @param mark the variable and its value that a marked one has
   * @param since when the server was started: what is older cannot have inherited its mark
   */
  census(mark: string, since: number): Promise<readonly Process[]> | readonly Process[];
  /** Those that have gone meanwhile are left out. */
  details(pids: readonly number[]): Promise<readonly ServerProcess[]> | readonly ServerProcess[];
}

const rootFirst = (found: readonly ServerProcess[], root: number): readonly ServerProcess[] => [
  ...found.filter(({ pid }) => pid === root),
  ...found.filter(({ pid }) => pid !== root),
];

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

// ── Linux ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Clock ticks of the kernel in a second, as it shows them (USER_HZ): 100 on every architecture that Node runs on. */
const TICK_MS = 10;

/** Read synchronously: a kill must not wait for its own preparations. */
const linux: System = {
  born: (pid) => statOf(String(pid))?.bornTicks ?? 0,
  census: (mark, since) =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const stat = statOf(name);
        if (!stat || 'ZX'.includes(stat.state)) return [];
        const { parent, group, bornTicks } = stat;
        const marked = bornTicks >= since && readProc(name, 'environ').split('\0').includes(mark);
        return [{ pid: Number(name), parent, group, marked }];
      }),
  details(pids) {
    const uptime = Number(readProc('', 'uptime').split(' ')[0]) * 1000;
    return pids.flatMap((pid) => {
      const stat = statOf(String(pid));
      if (!stat) return [];
      const { parent, cpuTicks, bornTicks, name } = stat;
      const command = Buffer.from(readProc(String(pid), 'cmdline'), 'latin1')
        .toString('utf8')
        .split('\0')
        .join(' ')
        .trim();
      const ageMs = uptime - bornTicks * TICK_MS;
      // In some containers the uptime is that of the container, and says nothing about ages.
      return [
        {
          pid,
          parent,
          command: command || name,
          cpuMs: cpuTicks * TICK_MS,
          ...(ageMs >= -TICK_MS * 2 ? { ageMs: Math.max(0, ageMs) } : {}),
        },
      ];
    });
  },
};

interface Stat {
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly cpuTicks: number;
  /** Since the machine was started. */
  readonly bornTicks: number;
}

/** `/proc/PID/stat`, see proc(5). Its second field is a name in brackets that may hold anything; the rest is plain. */
function statOf(pid: string): Stat | undefined {
  const text = readProc(pid, 'stat');
  const close = text.lastIndexOf(')');
  if (close < 0) return undefined;
  // From the third field on.
  const fields = text.slice(close + 2).split(' ');
  const number = (field: number): number => Number(fields[field - 3]);
  return {
    name: text.slice(text.indexOf('(') + 1, close),
    state: fields[0] ?? 'X',
    parent: number(4),
    group: number(5),
    cpuTicks: number(14) + number(15),
    bornTicks: number(22),
  };
}

/** '' for a process that has gone, or that is another person's. @param pid '' for what is about the machine */
function readProc(pid: string, file: 'stat' | 'environ' | 'cmdline' | 'uptime'): string {
  try {
    return readFileSync(pid === '' ? `/proc/${file}` : `/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

// ── macOS and its kin ───────────────────────────────────────────────────────────────────────────────────────────────

const run = promisify(execFile);

const others: System = {
  born: () => 0,
  census: async () => (await psList()).map(({ pid, ppid }) => ({ pid, parent: ppid, group: 0, marked: false })),
  async details(pids) {
    if (pids.length === 0) return [];
    // Exits with 1 when one of them has gone meanwhile, and lists the others all the same.
    const { stdout } = await run('ps', ['-wwo', 'pid=,ppid=,time=,args=', '-p', pids.join(',')]).catch((error: { stdout?: string }) => {
      if (typeof error.stdout === 'string') return { stdout: error.stdout };
      throw error;
    });
    return processesOfPs(stdout);
  },
};

/** What `ps -o pid=,ppid=,time=,args=` prints. The time is `[[days-]hours:]minutes:seconds[.hundredths]`. */
export function processesOfPs(text: string): readonly ServerProcess[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, days = '0', time = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(?:(\d+)-)?([\d:.]+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) return [];
    const seconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    return [
      { pid: Number(pid), parent: Number(parent), command: command.trim(), cpuMs: Math.round((Number(days) * 86_400 + seconds) * 1000) },
    ];
  });
}

/** @returns whether it was still there to be sent to */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

// ── Windows ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Times come in units of 100 ns. */
const QUERY =
  'Get-CimInstance Win32_Process | Select-Object ProcessId,ParentProcessId,Name,CommandLine,KernelModeTime,UserModeTime | ConvertTo-Json -Compress';
/** What it prints of all processes may be large. */
const MOST_BYTES = 64 * 1024 * 1024;

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
    async processes() {
      const { stdout } = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', QUERY], {
        windowsHide: true,
        maxBuffer: MOST_BYTES,
      });
      const all = processesOfCim(stdout);
      const found = members(
        all.map(({ pid, parent }) => ({ pid, parent, group: 0, marked: false })),
        new Set([root]),
        undefined,
      );
      return rootFirst(
        all.filter(({ pid }) => found.has(pid)),
        root,
      );
    },
    async signal(signal, before) {
      const found = await alive();
      before?.();
      const force = signal === 'SIGKILL' ? ['/F'] : [];
      await new Promise<void>((resolve) =>
        execFile('taskkill', ['/PID', String(root), '/T', ...force], { windowsHide: true }, () => resolve()),
      );
      return found;
    },
  };
}

interface CimProcess {
  readonly ProcessId: number;
  readonly ParentProcessId: number;
  readonly Name: string;
  readonly CommandLine: string | null;
  readonly KernelModeTime: number;
  readonly UserModeTime: number;
}

/** What PowerShell prints of `Win32_Process`. */
export const processesOfCim = (json: string): readonly ServerProcess[] =>
  (JSON.parse(json) as readonly CimProcess[]).map((one) => ({
    pid: one.ProcessId,
    parent: one.ParentProcessId,
    command: one.CommandLine ?? one.Name,
    cpuMs: Math.round((one.KernelModeTime + one.UserModeTime) / 10_000),
  }));
