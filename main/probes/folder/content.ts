// What is in a file, as far as it helps to say what happened to it: a fingerprint to recognise a state again, and the
// text that is new.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** Files larger than this are known by size and time only. */
export const READ_UP_TO = 1024 * 1024;
/** Characters of a new text that are kept: enough to find the mark of a call in it. */
const SAMPLE = 2000;

/** A file as a look found it. */
interface Found {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

export interface Content {
  readonly bytes: Buffer;
  /** Whether these are certainly the bytes that the look found: the file is the same still, or has only grown. */
  readonly certain: boolean;
}

/** Bytes of a file from `from` up to the size that was found; undefined when it has fewer now, or cannot be read. */
export async function contentOf(file: string, found: Found, from = 0): Promise<Content | undefined> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return undefined;
  try {
    const bytes = Buffer.allocUnsafe(found.size - from);
    for (let have = 0; have < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, have, bytes.length - have, from + have);
      if (bytesRead === 0) return undefined;
      have += bytesRead;
    }
    const now = await handle.stat();
    const still = now.mtimeMs === found.mtimeMs && now.size === found.size;
    return { bytes, certain: now.ino === found.ino && (still || now.size > found.size) };
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/** What a content is recognised by; undefined where it is not certain. */
export const fingerprint = (content: Content | undefined): string | undefined => (content?.certain ? digest(content.bytes) : undefined);

export const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

/** Line feeds in a text; undefined for what is no text. */
export function lineFeeds(bytes: Uint8Array): number | undefined {
  if (bytes.includes(0)) return undefined;
  let count = 0;
  for (const byte of bytes) if (byte === 10) count++;
  return count;
}

/** The beginning of a text; undefined for what is no text, or empty. */
export function sample(bytes: Buffer): string | undefined {
  if (bytes.length === 0 || bytes.includes(0)) return undefined;
  return [...bytes.toString('utf8', 0, SAMPLE * 4)].slice(0, SAMPLE).join('');
}
