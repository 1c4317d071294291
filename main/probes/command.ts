// The command probe: runs a program again and again, without a shell, and compares what it prints, line by line. It is for
// places that no other probe knows: a git repository, a cluster, a queue.
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import spawn from 'cross-spawn';
import { masked } from '../../app/evidence/dsn';
import type { Probe, ProbeContext, SpecOf } from '../../app/evidence/probe';
import { codeOf, plain } from '../store/disk';
import type { Item } from './changes';
import { checkByReading, type Reading, type Source, startPolled } from './polled';

type CommandSpec = SpecOf<'command'>;

/** More output than this is not a question any more, in bytes. */
const MOST = 1024 * 1024;
const QUOTE = 300;

interface Ran {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/**
 * Starts running a command.
 * @throws Error in plain words when it cannot be run, fails, or does not print the same twice
 */
export const startCommandProbe = async (spec: CommandSpec, context: ProbeContext): Promise<Probe> =>
  startPolled(spec, context, commandSource(spec));

/** Says whether a command can be run. @returns undefined when it can, else why not and what to try */
export const checkCommand = (spec: CommandSpec): Promise<string | undefined> => checkByReading(spec, () => commandSource(spec));

/**
 * An exit code other than 0 is a failure, unless the command ends with it from the start, every time and without a word on
 * stderr (`grep` that finds nothing, `test -e`).
 */
function commandSource(spec: CommandSpec): Source {
  let usual: number | undefined;
  return {
    async read(signal) {
      const ran = await run(spec, signal);
      const first = usual === undefined;
      if (ran.code === undefined || (ran.code !== 0 && (first ? ran.err.trim() !== '' : ran.code !== usual))) throw failed(spec, ran);
      if (first) usual = ran.code;
      return reading(ran);
    },
    close: async () => undefined,
  };
}

function failed({ command }: CommandSpec, { code, err }: Ran): Error {
  const how = code === undefined ? 'was ended by a signal' : `ended with exit code ${code}`;
  const said = err.trim() === '' ? 'It says nothing on stderr.' : `It says: ${masked(err.trim()).slice(0, QUOTE)}`;
  return new Error(`Expected ${command[0]} to succeed, but it ${how}. ${said}`);
}

function reading({ code, out }: Ran): Reading {
  const lines = out.split(/\r?\n/).filter((line) => line !== '');
  const exit: Item = { id: `exit ${code}`, text: String(code), noun: 'exit code', key: 'exit code', name: 'the exit code', quiet: true };
  return { items: [...lines.map((line) => lineOf(line, lines.length === 1)), exit] };
}

/** One line is a value that changes; of several it cannot be known which became which. */
const lineOf = (line: string, alone: boolean): Item => ({
  id: `line ${line}`,
  text: line,
  noun: 'line',
  ...(alone ? { key: 'the output', name: 'the output' } : {}),
});

function run({ command: [program = '', ...args], cwd }: CommandSpec, signal: AbortSignal): Promise<Ran> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      // A process group of its own, so that what the command has started ends with it.
      detached: process.platform !== 'win32',
      ...(cwd === undefined ? {} : { cwd }),
    }) as ChildProcessByStdio<null, Readable, Readable>;
    const giveUp = (why: unknown): void => {
      end(child);
      reject(why);
    };
    const abort = (): void => giveUp(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const out = collect(child.stdout, () =>
      giveUp(new Error(`Expected less than ${MOST / 1024} KiB of output from ${program}. Narrow it.`)),
    );
    const err = collect(child.stderr, () => undefined);
    child.once('error', (error) => reject(notStarted(program, cwd, error)));
    child.once('close', (code) => {
      signal.removeEventListener('abort', abort);
      resolve({ code: code ?? undefined, out: out(), err: err() });
    });
  });
}

/** Keeps what a stream says, up to a limit. @param tooMuch called once the limit is passed */
function collect(stream: Readable, tooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST) chunks.push(chunk);
    else tooMuch();
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function end(child: ChildProcessByStdio<null, Readable, Readable>): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

function notStarted(program: string, cwd: string | undefined, error: Error): Error {
  if (codeOf(error) !== 'ENOENT') return new Error(`The command ${program} cannot be run: ${plain(error)}`);
  const place = cwd === undefined ? '' : `, and that the folder ${cwd} is there`;
  return new Error(`Expected a program called ${program}, but there is none. Give its full path, or check that it is installed${place}.`);
}
