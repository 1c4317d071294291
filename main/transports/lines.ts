// Bytes to lines, without losing one. A pipe gives chunks that end anywhere; a message is what stands between two line
// feeds. Lines are cut at byte level, so that the text is kept exactly as it was, carriage returns included; what is too
// long, not UTF-8 or never finished is handed on as such instead of being dropped.
import { isAscii, isUtf8 } from 'node:buffer';
import type { Ns } from '../../app/base/time';
import type { Noise, Raw } from '../../app/wire/frame';

/** Far longer than any message should be; a server that never ends its line must not fill the memory. */
export const LINE_LIMIT = 64 * 1024 * 1024;
/** An over-long line is handed on in pieces of this size once it is known to be one. */
const PIECE = 1024 * 1024;
const LINE_FEED = 10;

/** Takes what a splitter finds, in the order of the bytes. */
export interface LineSink {
  /** One whole line of valid UTF-8, without its line feed. `size` is its length in bytes. */
  line(t: Ns, text: string, size: number): void;
  /** Bytes that are not such a line; valid until the call returns. */
  broken(t: Ns, why: Extract<Noise, 'too-long' | 'unfinished' | 'not-utf-8'>, bytes: Buffer): void;
}

export interface LineSplitter {
  /** @param t when the chunk arrived: the time of every line that ends in it */
  push(chunk: Buffer, t: Ns): void;
  /** The stream is over: what has no line feed is handed on as `unfinished`. */
  end(t: Ns): void;
}

/** @param limit longest line in bytes; what is longer is handed on in pieces, so that memory stays bounded */
export function lineSplitter(sink: LineSink, limit = LINE_LIMIT): LineSplitter {
  const piece = Math.max(4, Math.min(PIECE, limit));
  let held: Buffer[] = [];
  let heldSize = 0;
  /** The line under way is over-long: it goes out in pieces. */
  let tooLong = false;

  const takeHeld = (): Buffer => {
    const [only] = held;
    const all = only && held.length === 1 ? only : Buffer.concat(held, heldSize);
    held = [];
    heldSize = 0;
    return all;
  };

  const keep = (part: Buffer): void => {
    held.push(part);
    heldSize += part.length;
  };

  const handOnPieces = (t: Ns): void => {
    if (heldSize < piece) return;
    let rest = takeHeld();
    while (rest.length >= piece) {
      const cut = characterStart(rest, piece);
      sink.broken(t, 'too-long', rest.subarray(0, cut));
      rest = rest.subarray(cut);
    }
    if (rest.length > 0) keep(Buffer.from(rest));
  };

  /** Keeps a part of the line under way; hands pieces on when there is too much of it. */
  const hold = (part: Buffer, t: Ns): void => {
    keep(part);
    tooLong ||= heldSize > limit;
    if (tooLong) handOnPieces(t);
  };

  /** A line that is complete and not too long. */
  const whole = (line: Buffer, t: Ns): void => {
    if (isUtf8(line)) sink.line(t, line.toString('utf8'), line.length);
    else sink.broken(t, 'not-utf-8', line);
  };

  /** The line feed has come for what is held. */
  const finish = (t: Ns): void => {
    if (!tooLong) whole(takeHeld(), t);
    else if (heldSize > 0) sink.broken(t, 'too-long', takeHeld());
    tooLong = false;
  };

  return {
    push(chunk, t) {
      let start = 0;
      let end = chunk.indexOf(LINE_FEED);
      if (end >= 0 && (heldSize > 0 || tooLong)) {
        hold(chunk.subarray(0, end), t);
        finish(t);
        start = end + 1;
        end = chunk.indexOf(LINE_FEED, start);
      }
      // Most chunks are plain ASCII throughout: one look at the chunk instead of one at every line.
      const ascii = end >= 0 && isAscii(chunk);
      while (end >= 0) {
        if (end - start > limit) {
          hold(chunk.subarray(start, end), t);
          finish(t);
        } else if (ascii) sink.line(t, chunk.toString('latin1', start, end), end - start);
        else whole(chunk.subarray(start, end), t);
        start = end + 1;
        end = chunk.indexOf(LINE_FEED, start);
      }
      if (start < chunk.length) hold(chunk.subarray(start), t);
    },
    end(t) {
      if (heldSize > 0) sink.broken(t, tooLong ? 'too-long' : 'unfinished', takeHeld());
      tooLong = false;
    },
  };
}

/** The last place at or before `cut` at which a UTF-8 character begins; `cut` itself where the bytes are none. */
function characterStart(bytes: Buffer, cut: number): number {
  for (let at = cut; at > cut - 4 && at > 0; at--) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  return cut;
}

/** Bytes as they can be kept in a trace: text where they are UTF-8, else base64. */
export const rawOf = (bytes: Buffer): Raw => (isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') });
