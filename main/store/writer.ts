// Appends lines to a trace file without ever making the recording wait for the disk. Lines gather in memory for a few
// milliseconds and are handed to the kernel in order, one write at a time, so that killing the process loses no more than
// those. When the disk refuses, what it has not taken stays in memory, is still served, and is tried again.
import fs from 'node:fs';
import path from 'node:path';
import { codeOf, type Disk, plain } from './disk';
import { readSpans, type Span } from './spans';

/** Something that a person should know about the file, in plain words. `info`: the trouble is over. */
export interface Trouble {
  readonly level: 'error' | 'info';
  readonly says: string;
}

export interface WriterOptions {
  readonly folder: string;
  /** File name without its extension; a number is added where the name is taken. */
  readonly name: string;
  readonly extension: string;
  readonly disk?: Disk;
  /** How long to wait before a refused write is tried again, in ms. */
  readonly retryMs?: number;
  /** How many bytes are kept that the disk refuses. */
  readonly keepBytes?: number;
}

/** Lines that the disk has not yet taken, from a place in the file on. */
interface Chunk {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** How long lines gather, in ms: a write for every line costs more than the line. */
const GATHER_MS = 8;
const WRITE_AT = 64 * 1024;
const MB = 1024 * 1024;
/** Lines are put together in pages of this size; a longer line gets a page of its own. */
const PAGE = MB;
const RETRY_MS = 2000;
const KEEP_BYTES = 64 * MB;
const LOOK_MS = 1000;
const TRIES = 1000;

const LINE_FEED = 10;
const BRACE = 125;
const ZERO_CODE = 48;
const OPENING = Buffer.from('{"seq":');
const TIME = Buffer.from(',"t":');

/** How many digits a whole number has that is not negative. */
export function digitsOf(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  return digits;
}

export class Writer {
  readonly path: string;
  readonly #options: WriterOptions;
  readonly #disk: Disk;
  #fd: number | undefined;
  /** The bytes of the lines that gather, from `#from` up to `#fill` of the page, and where in the file they begin. */
  #page = Buffer.allocUnsafe(PAGE);
  #from = 0;
  #fill = 0;
  #gatheredAt = 0;
  /** Where the next line will stand: the length of the whole file once everything is written. */
  #end = 0;
  /** How much of the file the disk has taken. */
  #written = 0;
  #held: Chunk[] = [];
  /** From here on nothing was kept: the disk refused and the memory set aside was full. */
  #lostFrom = Number.POSITIVE_INFINITY;
  #writing = false;
  /** Somebody was in a hurry while a write was under way: another follows at once. */
  #hurried = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** The disk has refused; only a later try may write. */
  #stalled = false;
  #retry: NodeJS.Timeout | undefined;
  #lookAt = 0;
  #trouble: Trouble | undefined;
  #listeners: ((trouble: Trouble) => void)[] = [];
  #waiting: { readonly upTo: number; readonly done: () => void }[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#disk = options.disk ?? fs;
    this.path = this.#create();
  }

  /** Length of the file once everything is written, in bytes. */
  get bytes(): number {
    return this.#end;
  }

  /** Bytes that the disk has not yet taken. */
  get backlog(): number {
    return Math.min(this.#end, this.#lostFrom) - this.#written;
  }

  /**
   * Appends one line.
   * @param line without its line end
   * @param length bytes of the line in UTF-8
   * @returns where it stands in the file
   */
  append(line: string, length: number): number {
    this.#reserve(length);
    this.#put(line, length);
    return this.#finish(length);
  }

  /**
   * Appends the line of a frame: `{"seq":` + seq + `,"t":` + t + middle + body + `}`, put together in the page itself.
   * @param middle what many lines share, as bytes
   * @param size bytes of `body` in UTF-8
   * @returns where the line stands in the file
   */
  appendFrame(seq: number, t: number, middle: Uint8Array, body: string, size: number): number {
    const digits = digitsOf(seq);
    const timeDigits = digitsOf(t);
    const length = OPENING.length + digits + TIME.length + timeDigits + middle.length + size + 1;
    this.#reserve(length);
    this.#copy(OPENING);
    this.#number(seq, digits);
    this.#copy(TIME);
    this.#number(t, timeDigits);
    this.#copy(middle);
    this.#put(body, size);
    this.#page[this.#fill++] = BRACE;
    return this.#finish(length);
  }

  #copy(bytes: Uint8Array): void {
    this.#page.set(bytes, this.#fill);
    this.#fill += bytes.length;
  }

  #number(value: number, digits: number): void {
    let rest = value;
    for (let at = this.#fill + digits - 1; at >= this.#fill; at--) {
      this.#page[at] = ZERO_CODE + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    this.#fill += digits;
  }

  /** Makes room for a line in the page; what has gathered in a full one is sealed. */
  #reserve(length: number): void {
    if (this.#fill + length + 1 <= this.#page.length) return;
    this.#seal();
    this.#page = Buffer.allocUnsafe(Math.max(PAGE, length + 1));
    this.#from = 0;
    this.#fill = 0;
  }

  #put(text: string, size: number): void {
    // As many bytes as characters: plain ASCII, which is copied, not encoded.
    this.#page.write(text, this.#fill, size, size === text.length ? 'latin1' : 'utf8');
    this.#fill += size;
  }

  #finish(length: number): number {
    const offset = this.#end;
    this.#page[this.#fill++] = LINE_FEED;
    this.#end = offset + length + 1;
    if (this.#end - this.#gatheredAt >= WRITE_AT) this.hurry();
    else if (!this.#writing) this.#timer ??= setTimeout(this.#gathered, GATHER_MS);
    return offset;
  }

  /** Hands to the kernel now what has gathered, rather than in a few milliseconds. */
  hurry(): void {
    if (this.#writing) this.#hurried = true;
    else if (!this.#stalled) this.#write();
  }

  /** Lines by where they stand; undefined where neither the disk nor memory has them. */
  async read(spans: readonly Span[]): Promise<(string | undefined)[]> {
    this.#seal();
    const lines = spans.map((span) => this.#fromMemory(span));
    if (this.#fd === undefined) return lines;
    const onDisk = ({ offset, length }: Span): boolean => offset + length < this.#written;
    const missing = spans.flatMap((span, index) => (lines[index] === undefined && onDisk(span) ? [index] : []));
    const found = await readSpans(
      this.#fd,
      missing.flatMap((index) => spans[index] ?? []),
    );
    for (const [at, index] of missing.entries()) lines[index] = found[at];
    return lines;
  }

  /** Resolves when what was appended so far has been handed to the kernel, or the disk has refused it. */
  flush(): Promise<void> {
    this.hurry();
    return this.#settled(this.#end);
  }

  /** Writes the rest, gives a disk that refused one more chance, and lets go of the file. Nothing can be read after it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.flush();
    if (this.#stalled) {
      this.#tryAgain();
      await this.#settled(this.#end);
    }
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#timer);
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd === undefined) return;
    await new Promise<void>((resolve) => this.#disk.fsync(fd, () => this.#disk.close(fd, () => resolve())));
  }

  /** Calls back about each trouble; at once when there is one already. @returns stops it */
  onTrouble(listener: (trouble: Trouble) => void): () => void {
    this.#listeners.push(listener);
    if (this.#trouble) listener(this.#trouble);
    return () => {
      this.#listeners = this.#listeners.filter((one) => one !== listener);
    };
  }

  readonly #gathered = (): void => {
    this.#timer = undefined;
    this.hurry();
  };

  /** Opens a file that nobody has; leaves it to a later try when the disk refuses. @returns its path */
  #create(): string {
    const { folder, name, extension } = this.#options;
    for (let n = 1; ; n++) {
      const tried = path.join(folder, n === 1 ? `${name}${extension}` : `${name} ${n}${extension}`);
      try {
        this.#open(tried);
        return tried;
      } catch (error) {
        if (codeOf(error) === 'EEXIST' && n < TRIES) continue;
        this.#refused(`The trace file could not be created in ${folder}: ${plain(error)}`);
        return tried;
      }
    }
  }

  /** @throws when the folder or the file cannot be made, or the file is there already */
  #open(file: string): void {
    this.#disk.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    this.#fd = this.#disk.openSync(file, 'wx+', 0o600);
  }

  /** Puts what has gathered in its place behind the bytes that wait for the disk. */
  #seal(): void {
    if (this.#fill === this.#from) return;
    const bytes = this.#page.subarray(this.#from, this.#fill);
    const offset = this.#gatheredAt;
    this.#from = this.#fill;
    this.#gatheredAt = offset + bytes.length;
    if (this.#lostFrom < Number.POSITIVE_INFINITY) return;
    const keep = this.#options.keepBytes ?? KEEP_BYTES;
    if (this.#stalled && offset + bytes.length - this.#written > keep) this.#lose(offset, keep);
    else this.#held.push({ offset, bytes });
  }

  #lose(offset: number, keep: number): void {
    this.#lostFrom = offset;
    this.#say({
      level: 'error',
      says: `The trace file ends here: the disk takes nothing, and the ${Math.round(keep / MB)} MB of memory kept for it are full. What happens from now on is still shown, but its raw text is not kept. Make room, then start a new recording.`,
    });
  }

  /** Writes the next chunk, and then the next, one at a time: the order in the file is the order of the trace. */
  #write(): void {
    if (this.#writing || this.#fd === undefined) return;
    this.#hurried = false;
    this.#seal();
    const [chunk] = this.#held;
    if (!chunk) return;
    this.#writing = true;
    const from = this.#written - chunk.offset;
    this.#disk.write(this.#fd, chunk.bytes, from, chunk.bytes.length - from, this.#written, (error, count) => {
      this.#writing = false;
      if (error) this.#refused(`The trace file ${this.path} could not be written: ${plain(error)}`);
      else this.#took(chunk, count);
    });
  }

  #took(chunk: Chunk, count: number): void {
    this.#written += count;
    if (this.#written >= chunk.offset + chunk.bytes.length) this.#held.shift();
    if (this.#stalled) {
      this.#stalled = false;
      if (this.#lostFrom === Number.POSITIVE_INFINITY)
        this.#say({ level: 'info', says: `The trace file ${this.path} is being written again, and nothing is missing from it.` });
    }
    this.#wake();
    this.#look();
    // What has come meanwhile gathers as well: else a write would follow on a write, each with a line or two.
    if (this.#hurried || this.#held.length > 0) this.#write();
    else if (this.#from < this.#fill) this.#timer ??= setTimeout(this.#gathered, GATHER_MS);
  }

  /** Says so once, and tries again after a while, again and again. */
  #refused(says: string): void {
    if (!this.#stalled) {
      this.#stalled = true;
      this.#say({ level: 'error', says: `${says} Recording goes on in memory, and the file is tried again every few seconds.` });
    }
    this.#wake();
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#tryAgain(), this.#options.retryMs ?? RETRY_MS);
    this.#retry.unref();
  }

  #tryAgain(): void {
    if (this.#fd === undefined) {
      try {
        this.#open(this.path);
      } catch (error) {
        this.#refused(plain(error));
        return;
      }
    }
    this.#write();
  }

  /** The file may have been deleted under the recording: writing to it still succeeds, and nobody will ever find it. */
  #look(): void {
    const now = performance.now();
    if (this.#fd === undefined || now < this.#lookAt) return;
    this.#lookAt = now + LOOK_MS;
    this.#disk.fstat(this.#fd, (error, stats) => {
      if (error || stats.nlink > 0 || this.#lookAt === Number.POSITIVE_INFINITY) return;
      this.#lookAt = Number.POSITIVE_INFINITY;
      this.#say({
        level: 'error',
        says: `The trace file ${this.path} was deleted while it was being written. Everything stays readable here until the recording ends, and is gone then. Start a new recording to keep what comes.`,
      });
    });
  }

  #fromMemory({ offset, length }: Span): string | undefined {
    const chunk = this.#held.find((held) => offset >= held.offset && offset < held.offset + held.bytes.length);
    return chunk?.bytes.toString('utf8', offset - chunk.offset, offset - chunk.offset + length);
  }

  /** Resolves when the disk has taken everything before `upTo`, or takes no more. */
  #settled(upTo: number): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ upTo, done });
      if (!this.#writing) this.#wake();
    });
  }

  #wake(): void {
    const over = (upTo: number): boolean => this.#stalled || this.#closed || this.#written >= Math.min(upTo, this.#lostFrom);
    const ready = this.#waiting.filter(({ upTo }) => over(upTo));
    this.#waiting = this.#waiting.filter(({ upTo }) => !over(upTo));
    for (const { done } of ready) done();
  }

  #say(trouble: Trouble): void {
    this.#trouble = trouble.level === 'info' ? undefined : trouble;
    for (const listener of this.#listeners) listener(trouble);
  }
}
