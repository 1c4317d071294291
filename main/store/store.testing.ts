// What the tests of the store share: a folder that goes away, a clock that stands still, a disk that refuses on command.
import fs, { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock, Ns } from '../../app/base/time';
import type { Seq } from '../../app/wire/frame';
import { factsOf } from '../../app/wire/jsonrpc';
import type { Disk } from './disk';
import type { Recorder } from './recorder';

export const BEGAN = '2026-03-01T09:30:05.000Z';
export const BY = 'stopgap test';

/** A folder of the test's own. */
export function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const STILL: Clock = { now: () => 0 as Ns, wallMs: () => Date.parse(BEGAN) };

/** Records one message that came at `t`. */
export function message(recorder: Recorder, raw: string, t = 1000): Seq {
  const facts = factsOf(JSON.parse(raw));
  if (!facts) throw new Error(`not a message: ${raw}`);
  return recorder.message({ session: 1, dir: 's2c', t: t as Ns, wall: BEGAN, raw, size: Buffer.byteLength(raw), facts });
}

export const ping = (id: number | string): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

export const failure = (code: string): NodeJS.ErrnoException => Object.assign(new Error(`${code}: said the disk`), { code });

/** The real disk, except that writing does what `write` says: an error code, a number of bytes to take, or all of it. */
export function moodyDisk(write: () => string | number | 'all'): Disk {
  const moody = ((
    fd: number,
    bytes: Buffer,
    from: number,
    length: number,
    at: number,
    done: (error: Error | null, count: number) => void,
  ) => {
    const mood = write();
    if (typeof mood === 'string' && mood !== 'all') setImmediate(() => done(failure(mood), 0));
    else fs.write(fd, bytes, from, mood === 'all' ? length : Math.min(length, Number(mood)), at, done);
  }) as typeof fs.write;
  return { ...fs, write: moody };
}
