// What the disk says when it refuses, in words that a person can do something with.
import type fs from 'node:fs';
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** What writing a trace asks of the file system; tests put a disk in its place that is full. */
export type Disk = Pick<typeof fs, 'mkdirSync' | 'openSync' | 'write' | 'fstat' | 'fsync' | 'close'>;

/** The code of a file system error (`ENOSPC`), '' for any other error. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const PLAIN: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Make room on it.',
  EDQUOT: 'your quota on the disk is used up. Make room on it.',
  EROFS: 'the disk can only be read. Choose another folder.',
  EACCES: 'access is denied. Check who owns it.',
  EPERM: 'access is denied. Check who owns it.',
  EIO: 'the disk reports an error. Check the disk.',
  ENOENT: 'it is not there.',
  ENOTDIR: 'a part of the path is a file, not a folder.',
  EISDIR: 'it is a folder, not a file.',
  EEXIST: 'something of that name is there already.',
  EMFILE: 'too many files are open at once.',
  ENFILE: 'too many files are open at once.',
};

/** Why the disk refused, and what to try; a sentence without its beginning. */
export const plain = (error: unknown): string => PLAIN[codeOf(error)] ?? `${error instanceof Error ? error.message : String(error)}.`;

/**
 * Writes a new file, readable by its owner only, and puts it in the old one's place: a crash leaves one or the other.
 * @throws Error of the file system
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const partial = `${file}.${process.pid}.partial`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(partial, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Keeps a copy of a file that could not be understood. @returns a sentence that says where it is */
export async function keepAside(file: string): Promise<string> {
  try {
    await copyFile(file, `${file}.broken`);
    return `The file as it was is kept as ${file}.broken.`;
  } catch (error) {
    return `The file as it was could not be kept aside: ${plain(error)}`;
  }
}
