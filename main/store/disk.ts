// What the disk says when it refuses, in words that a person can do something with.
import type fs from 'node:fs';

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
