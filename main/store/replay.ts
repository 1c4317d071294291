// Opens a trace file: the same columns that the recording filled, filled again line by line, bodies left where they are.
// A recording that was killed ends in the middle of a line; that line is left out, and said.
import { constants } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { float64, uint32 } from '../../app/base/columns';
import type { Ns } from '../../app/base/time';
import type { FrameBody } from '../../app/contract/host';
import { Trace } from '../../app/trace/trace';
import type { Seq } from '../../app/wire/frame';
import { decodeHeader, type Header, readLine, TraceFileError } from '../../app/wire/tracefile';
import { bodyOf } from './bodies';
import { plain } from './disk';
import { rowOf } from './row';
import { readSpans } from './spans';

export interface OpenTrace {
  readonly path: string;
  readonly header: Header;
  readonly trace: Trace;
  /** What was left out, as a sentence; undefined when the file is whole. */
  readonly repaired: string | undefined;
  /** Time of the last frame. */
  readonly end: Ns;
  /** Bodies in the order asked for; frames that do not exist are left out. */
  bodies(seqs: readonly Seq[]): Promise<FrameBody[]>;
  /** Lets go of the file; bodies are no longer served. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Called as the file is read: bytes so far, and of the whole file. */
  readonly progress?: (read: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Reads a trace file from end to end, in pieces that leave the process time for other things. The file is not changed.
 * @throws TraceFileError when the file is no trace, of a newer version, or broken before its last line (which one, and what is
 *   wrong with it); the signal's reason when aborted; Error in plain words when the file cannot be read
 */
export async function openTrace(path: string, options: OpenOptions = {}): Promise<OpenTrace> {
  const file = await opened(path);
  try {
    const reading = new Reading(path);
    await eachLine(file, options, (line, offset, length) => reading.take(line, offset, length));
    return { ...reading.done(), bodies: reading.bodies(file.fd), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw new Error(`The trace file ${path} could not be opened: ${plain(error)}`, { cause: error });
  }
}

/** The file as far as it has been read. */
class Reading {
  readonly #path: string;
  readonly #trace = new Trace();
  readonly #offsets = float64();
  readonly #lengths = uint32();
  #header: Header | undefined;
  #end = 0 as Ns;
  /** A line that could not be read. Forgiven when it turns out to be the last. */
  #broken: { readonly number: number; readonly length: number; readonly error: TraceFileError } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  take(line: string, offset: number, length: number): void {
    if (!this.#header) this.#header = this.#named(() => decodeHeader(line));
    else if (this.#broken)
      throw new TraceFileError(`Line ${this.#broken.number} of ${this.#path} is broken: ${this.#broken.error.message}`);
    else this.#frame(line, offset, length, this.#header.version);
  }

  #frame(line: string, offset: number, length: number, version: number): void {
    try {
      const { frame, message } = readLine(line, version);
      if (frame.seq !== this.#trace.length)
        throw new TraceFileError(
          `expected the frame with "seq" ${this.#trace.length}, saw ${frame.seq}: a line is missing or stands twice`,
        );
      this.#trace.push(rowOf(frame, message));
      this.#offsets.push(offset);
      this.#lengths.push(length);
      if (frame.t > this.#end) this.#end = frame.t;
    } catch (error) {
      if (!(error instanceof TraceFileError)) throw error;
      this.#broken = { number: this.#trace.length + 2, length, error };
    }
  }

  done(): Omit<OpenTrace, 'bodies' | 'close'> {
    const header = this.#header;
    if (!header) throw new TraceFileError(`${this.#path} is empty: expected a trace file, which begins with a header line`);
    return { path: this.#path, header, trace: this.#trace, repaired: this.#repaired(), end: this.#end };
  }

  #repaired(): string | undefined {
    if (!this.#broken) return undefined;
    const { number, length } = this.#broken;
    return `The last line (line ${number}, ${length} bytes) is not whole and was left out: the recording was cut off while it was being written. Everything before it is here.`;
  }

  bodies(fd: number): OpenTrace['bodies'] {
    return async (seqs) => {
      const known = seqs.filter((seq) => seq >= 0 && seq < this.#trace.length);
      const lines = await readSpans(
        fd,
        known.map((seq) => ({ offset: this.#offsets.at(seq), length: this.#lengths.at(seq) })),
      );
      return known.map((seq, index) => bodyOf(seq, lines[index], this.#header?.version));
    };
  }

  #named<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof TraceFileError) throw new TraceFileError(`${this.#path} cannot be opened: ${error.message}`, { cause: error });
      throw error;
    }
  }
}

const PIECE = 256 * 1024;
const LINE_FEED = 10;

/** Calls back with each line of a file, what stands behind the last line feed included. */
async function eachLine(
  file: FileHandle,
  options: OpenOptions,
  take: (line: string, offset: number, length: number) => void,
): Promise<void> {
  const { size } = await file.stat();
  let bytes: Buffer = Buffer.allocUnsafe(PIECE);
  /** Bytes that wait for the rest of their line, and where in the file they begin. */
  let have = 0;
  let base = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const { bytesRead } = await readPiece(file, bytes, have);
    if (bytesRead === 0) break;
    const filled = have + bytesRead;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED, have); end >= 0 && end < filled; end = bytes.indexOf(LINE_FEED, start)) {
      take(bytes.toString('utf8', start, end), base + start, end - start);
      start = end + 1;
    }
    bytes.copy(bytes, 0, start, filled);
    have = filled - start;
    base += start;
    if (have === bytes.length) bytes = grown(bytes);
    options.progress?.(base + have, Math.max(size, base + have));
  }
  if (have > 0) take(bytes.toString('utf8', 0, have), base, have);
}

async function readPiece(file: FileHandle, bytes: Buffer, have: number): Promise<{ readonly bytesRead: number }> {
  try {
    return await file.read(bytes, have, bytes.length - have, null);
  } catch (error) {
    throw new Error(`The trace file could not be read: ${plain(error)}`, {
      cause: error,
    });
  }
}

function grown(bytes: Buffer): Buffer {
  if (bytes.length * 2 > constants.MAX_STRING_LENGTH)
    throw new TraceFileError(`expected lines shorter than ${constants.MAX_STRING_LENGTH} bytes, saw a longer one: this is no trace file`);
  const next = Buffer.allocUnsafe(bytes.length * 2);
  bytes.copy(next);
  return next;
}
