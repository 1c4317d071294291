// The folder of trace files: what lies there and how large it is. A path that comes from outside is believed only when it
// leads to a file of this folder.
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { TraceFile } from '../../app/contract/host';
import { EXTENSION } from '../../app/wire/tracefile';
import { codeOf, plain } from './disk';

export interface TraceFolder {
  readonly folder: string;
  /** Bytes of all files together. */
  readonly bytes: number;
  /** Newest first. */
  readonly files: readonly TraceFile[];
}

/**
 * Lists the trace files of a folder; none when it does not exist.
 * @param current path of the file that is being recorded
 * @throws Error in plain words when the folder cannot be read
 */
export async function listTraces(folder: string, current?: string): Promise<TraceFolder> {
  const names = (await namesIn(folder)).filter((name) => name.endsWith(EXTENSION));
  const found = await Promise.all(names.map((name) => describe(path.join(folder, name), current)));
  const files = found
    .filter((file) => file !== undefined)
    .sort((a, b) => b.modified.localeCompare(a.modified) || b.name.localeCompare(a.name));
  return { folder, bytes: files.reduce((sum, file) => sum + file.bytes, 0), files };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw new Error(`The folder of traces ${folder} could not be read: ${plain(error)}`, { cause: error });
  }
}

/** Undefined for what is no file, or was gone before it could be looked at. */
async function describe(file: string, current: string | undefined): Promise<TraceFile | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  return { path: file, name: path.basename(file), bytes: stats.size, modified: stats.mtime.toISOString(), current: file === current };
}

/**
 * The real path of a trace file that somebody asks to be shown, links followed.
 * @throws Error when it is not a trace file inside the folder
 */
export async function traceInside(folder: string, asked: string): Promise<string> {
  const real = await realOf(path.resolve(folder, asked));
  const inside = path.dirname(real) === (await realpath(folder).catch(() => undefined));
  if (inside && real.endsWith(EXTENSION)) return real;
  throw new Error(`Expected a trace file in ${folder}, got ${asked}.`);
}

async function realOf(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    throw new Error(`${file} could not be found: ${plain(error)}`, { cause: error });
  }
}
