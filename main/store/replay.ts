// Opens a trace file: the same columns that the recording filled, filled again line by line, bodies left where they are.
// A recording that was killed ends in the middle of a line; that line is left out, and said.
import { constants } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { float64, uint32 } from '../../app/base/columns';
import type { Ns } from '../../app/base/time';
import type { FrameBody } from '../../app/contract/host';
import { type Facts, Trace } from '../../app/trace/trace';
import type { Seq } from '../../app/wire/frame';
import { decodeHeader, type Header, readLine, TraceFileError, VERSION, writtenMessage } from '../../app/wire/tracefile';
import { bodyOf, textOf } from './bodies';
import { plain } from './disk';
import { rowOf, rowOfMessage } from './row';
import { readSpans } from './spans';

export interface OpenTrace {
  readonly path: string;
  readonly header: Header;
  readonly trace: Trace;
  /** What was left out, as a sentence; undefined when the file is whole, and as long as its end has not been read. */
  readonly repaired: string | undefined;
  /** Time of the last frame that has been read. */
  readonly end: Ns;
  /** Bodies in the order asked for; frames that do not exist are left out. */
  bodies(seqs: readonly Seq[]): Promise<FrameBody[]>;
  /** Raw texts of frames that exist, in the order asked for; undefined where a body is no text. */
  texts(seqs: readonly Seq[]): Promise<(string | undefined)[]>;
  /** Lets go of the file; bodies are no longer served. */
  close(): Promise<void>;
}

/** A trace file of which the first frames are there, and the rest is being read. */
export interface TraceInReading extends OpenTrace {
  /** Bytes that have been read, of `size`. */
  readonly read: number;
  readonly size: number;
  /** Resolves when the whole file has been read; rejects as {@link openTrace} does. What was read before stays. */
  readonly whole: Promise<void>;
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
  const reading = await readTrace(path, options);
  try {
    await reading.whole;
    return reading;
  } catch (error) {
    await reading.close();
    throw error;
  }
}

/**
 * Begins to read a trace file: the first frames are there when this resolves, and the others come. A file of one piece is whole
 * by then.
 * @throws as {@link openTrace}, for what is wrong with the beginning
 */
export async function readTrace(path: string, options: OpenOptions = {}): Promise<TraceInReading> {
  const file = await opened(path);
  try {
    const { size } = await file.stat();
    const reading = new Reading(path, file, size, options);
    await reading.begin();
    return reading;
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
class Reading implements TraceInReading {
  readonly path: string;
  readonly trace = new Trace();
  readonly #file: FileHandle;
  readonly #lines: Lines;
  readonly #options: OpenOptions;
  readonly #size: number;
  readonly #offsets = float64();
  readonly #lengths = uint32();
  #header: Header | undefined;
  #end = 0 as Ns;
  #whole: Promise<void> = Promise.resolve();
  #ended = false;
  /** A line that could not be read. Forgiven when it turns out to be the last. */
  #broken: { readonly number: number; readonly length: number; readonly error: TraceFileError } | undefined;

  constructor(path: string, file: FileHandle, size: number, options: OpenOptions) {
    this.path = path;
    this.#file = file;
    this.#size = size;
    this.#options = options;
    this.#lines = new Lines(file, (line) => this.#take(line));
  }

  get header(): Header {
    if (!this.#header) throw new TraceFileError(`${this.path} is empty: expected a trace file, which begins with a header line`);
    return this.#header;
  }

  get end(): Ns {
    return this.#end;
  }

  get read(): number {
    return this.#lines.read;
  }

  /** It may grow while it is being read: another process may be recording. */
  get size(): number {
    return Math.max(this.#size, this.#lines.read);
  }

  get whole(): Promise<void> {
    return this.#whole;
  }

  /** Reads until there is something to show; the rest is read without anybody waiting for it. */
  async begin(): Promise<void> {
    while (await this.#piece()) {
      if (this.trace.length === 0 || this.read >= this.#size) continue;
      this.#whole = this.#rest();
      // Whoever wants to know asks for it; nobody has to.
      this.#whole.catch(() => undefined);
      return;
    }
    this.#done();
  }

  async #rest(): Promise<void> {
    while (await this.#piece());
    this.#done();
  }

  /** @returns whether there may be more */
  async #piece(): Promise<boolean> {
    this.#options.signal?.throwIfAborted();
    const more = await this.#lines.next();
    if (more) this.#options.progress?.(this.read, this.size);
    return more;
  }

  #done(): void {
    // An empty file has no header.
    void this.header;
    this.#ended = true;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #take(line: Line): void {
    if (!this.#header) this.#header = this.#named(() => decodeHeader(lineOf(line)));
    else if (this.#broken) throw new TraceFileError(`Line ${this.#broken.number} of ${this.path} is broken: ${this.#broken.error.message}`);
    else this.#frame(line, this.#header.version);
  }

  #frame(line: Line, version: number): void {
    const length = line.end - line.start;
    try {
      this.#push(rowIn(line, version));
      this.#offsets.push(line.offset);
      this.#lengths.push(length);
    } catch (error) {
      if (!(error instanceof TraceFileError)) throw error;
      this.#broken = { number: this.trace.length + 2, length, error };
    }
  }

  #push({ seq, facts }: { readonly seq: Seq; readonly facts: Facts }): void {
    if (seq !== this.trace.length)
      throw new TraceFileError(`expected the frame with "seq" ${this.trace.length}, saw ${seq}: a line is missing or stands twice`);
    this.trace.push(facts);
    if (facts.t > this.#end) this.#end = facts.t;
  }

  get repaired(): string | undefined {
    if (!this.#broken || !this.#ended) return undefined;
    const { number, length } = this.#broken;
    return `The last line (line ${number}, ${length} bytes) is not whole and was left out: the recording was cut off while it was being written. Everything before it is here.`;
  }

  async bodies(seqs: readonly Seq[]): Promise<FrameBody[]> {
    const known = seqs.filter((seq) => seq >= 0 && seq < this.trace.length);
    const lines = await this.#linesOf(known);
    return known.map((seq, index) => bodyOf(seq, lines[index], this.#header?.version));
  }

  async texts(seqs: readonly Seq[]): Promise<(string | undefined)[]> {
    return (await this.#linesOf(seqs)).map((line) => textOf(line, this.#header?.version));
  }

  #linesOf(seqs: readonly Seq[]): Promise<(string | undefined)[]> {
    return readSpans(
      this.#file.fd,
      seqs.map((seq) => ({ offset: this.#offsets.at(seq), length: this.#lengths.at(seq) })),
    );
  }

  #named<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof TraceFileError) throw new TraceFileError(`${this.path} cannot be opened: ${error.message}`, { cause: error });
      throw error;
    }
  }
}

/** @throws TraceFileError when the line is no frame */
function rowIn(line: Line, version: number): { readonly seq: Seq; readonly facts: Facts } {
  const written = version === VERSION ? writtenMessage(line.bytes, line.start, line.end) : undefined;
  const message = written && parsed(lineOf(line, written.rawFrom, line.end - 1));
  if (written && message !== undefined) return { seq: written.seq, facts: rowOfMessage(written, line.end - 1 - written.rawFrom, message) };
  const { frame, message: read } = readLine(lineOf(line), version);
  return { seq: frame.seq, facts: rowOf(frame, read) };
}

/** @returns undefined for a text that is no JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const PIECE = 256 * 1024;
const LINE_FEED = 10;

/** A line in a piece of a file, its line end not included. */
interface Line {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Where in the file it begins. */
  readonly offset: number;
}

/** The lines of a file, piece by piece, what stands behind the last line feed included. */
class Lines {
  readonly #file: FileHandle;
  readonly #take: (line: Line) => void;
  #bytes: Buffer = Buffer.allocUnsafe(PIECE);
  /** Bytes that wait for the rest of their line, and where in the file they begin. */
  #have = 0;
  #base = 0;

  constructor(file: FileHandle, take: (line: Line) => void) {
    this.#file = file;
    this.#take = take;
  }

  /** Bytes so far. */
  get read(): number {
    return this.#base + this.#have;
  }

  /** Reads the next piece and calls back with its lines. @returns false at the end of the file */
  async next(): Promise<boolean> {
    const { bytesRead } = await readPiece(this.#file, this.#bytes, this.#have);
    if (bytesRead === 0) {
      if (this.#have > 0) this.#take({ bytes: this.#bytes, start: 0, end: this.#have, offset: this.#base });
      return false;
    }
    const filled = this.#have + bytesRead;
    const start = this.#cut(filled);
    this.#bytes.copy(this.#bytes, 0, start, filled);
    this.#have = filled - start;
    this.#base += start;
    if (this.#have === this.#bytes.length) this.#bytes = grown(this.#bytes);
    return true;
  }

  /** @returns where the line begins that is not whole yet */
  #cut(filled: number): number {
    const bytes = this.#bytes;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED, this.#have); end >= 0 && end < filled; end = bytes.indexOf(LINE_FEED, start)) {
      this.#take({ bytes, start, end, offset: this.#base + start });
      start = end + 1;
    }
    return start;
  }
}

const lineOf = ({ bytes, start, end }: Line, from = start, to = end): string => bytes.toString('utf8', from, to);

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
