// Lines of a trace file, read back by where they stand in it. What somebody looks at is mostly neighbours, so spans that
// lie close together are read in one go.
import { read as readFd } from 'node:fs';

/** A line in a file: bytes from `offset`, `length` of them, line end not included. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

const NEAR = 16 * 1024;
const AT_ONCE = 1024 * 1024;

/**
 * Reads spans of a file, in any order.
 * @returns the lines in the order asked for; undefined where the file no longer has the bytes
 */
export async function readSpans(fd: number, spans: readonly Span[]): Promise<(string | undefined)[]> {
  const lines = new Array<string | undefined>(spans.length).fill(undefined);
  const order = spans.map((span, index) => ({ ...span, index })).sort((a, b) => a.offset - b.offset);
  for (let from = 0; from < order.length; ) {
    const first = order[from];
    if (!first) break;
    let end = first.offset + first.length;
    let to = from + 1;
    for (let next = order[to]; next && near(first.offset, end, next); next = order[++to]) end = Math.max(end, next.offset + next.length);
    const bytes = await readAt(fd, first.offset, end - first.offset);
    for (const { index, offset, length } of order.slice(from, to)) {
      const start = offset - first.offset;
      if (start + length <= bytes.length) lines[index] = bytes.toString('utf8', start, start + length);
    }
    from = to;
  }
  return lines;
}

const near = (start: number, end: number, next: Span): boolean => next.offset <= end + NEAR && next.offset + next.length - start <= AT_ONCE;

/** Reads up to `length` bytes; fewer at the end of the file, none when it cannot be read. */
function readAt(fd: number, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  return new Promise((resolve) => {
    const step = (have: number): void => {
      readFd(fd, bytes, have, length - have, offset + have, (error, count) => {
        const now = have + (error ? 0 : count);
        if (now === length || now === have) resolve(bytes.subarray(0, now));
        else step(now);
      });
    };
    step(0);
  });
}
