// The recording: facts of every frame in the columns of a trace, bodies in a trace file, found again by offset. A flooding
// server passes through here message by message, so a message costs one row, one text and one number more.

import path from 'node:path';
import { float64, uint32 } from '../../app/base/columns';
import type { Clock, Ns } from '../../app/base/time';
import type { FrameBody } from '../../app/contract/host';
import { messageFacts, Trace } from '../../app/trace/trace';
import type { Body, Dir, ExchangeNumber, Frame, Seq, SessionNumber } from '../../app/wire/frame';
import type { MessageFacts } from '../../app/wire/jsonrpc';
import { EXTENSION, embeddable, encodeFrame, encodeHeader, messageMiddle } from '../../app/wire/tracefile';
import { bodyOf, textOf } from './bodies';
import type { Disk } from './disk';
import { rowOf } from './row';
import { type Trouble, Writer } from './writer';

export interface RecorderOptions {
  /** Where trace files lie; made when missing, for this user's eyes only. */
  readonly folder: string;
  /** Name of the file, with its extension; by the time at which it began when absent. A number is added where it is taken. */
  readonly file?: string;
  readonly clock: Clock;
  /** ISO wall time at which the clock was 0. */
  readonly began: string;
  /** What writes: `stopgap 0.1.0`. */
  readonly by: string;
  readonly disk?: Disk;
  readonly retryMs?: number;
  readonly keepBytes?: number;
}

/** One JSON-RPC message, parsed by the caller, who has read its facts off it. */
export interface RecordedMessage {
  readonly session: SessionNumber;
  readonly dir: Exclude<Dir, '-'>;
  readonly t: Ns;
  /** ISO 8601. */
  readonly wall: string;
  /** As it was on the wire, without its line end. */
  readonly raw: string;
  /** Bytes of the raw text on the wire. */
  readonly size: number;
  readonly facts: MessageFacts;
  /** The HTTP exchange that it came or went with. */
  readonly exchange?: ExchangeNumber | undefined;
}

/** Any other frame. Its wall time is taken from the clock. */
export interface RecordedFrame {
  readonly session: SessionNumber;
  readonly dir: Dir;
  readonly t: Ns;
  readonly body: Exclude<Body, { kind: 'message' }>;
}

export interface Recorder {
  readonly trace: Trace;
  /** The trace file; also when it could not be created (yet). */
  readonly path: string;
  readonly began: string;
  /** Length of the trace file in bytes once everything is written. */
  readonly bytes: number;
  /** Bytes that the disk has not yet taken: who reads from a flooding server may wait while they are many. */
  readonly backlog: number;
  /** Appends a message. @returns its `seq` */
  message(message: RecordedMessage): Seq;
  /**
   * Appends a frame that is not a message. Acts and the life of processes are handed to the kernel at once.
   * @returns its `seq`
   * @throws TypeError for one that the format cannot hold (a time that is not finite); nothing is recorded then
   */
  frame(frame: RecordedFrame): Seq;
  /** Bodies in the order asked for. `raw` is undefined where it is no longer kept; frames that do not exist are left out. */
  bodies(seqs: readonly Seq[]): Promise<FrameBody[]>;
  /** Raw texts of frames that exist, in the order asked for; undefined where a body is no text, or no longer kept. */
  texts(seqs: readonly Seq[]): Promise<(string | undefined)[]>;
  /** Resolves when everything recorded so far has been handed to the kernel, or the disk has refused it. */
  flush(): Promise<void>;
  /** Writes the rest and lets go of the file; the trace stays, bodies are no longer served. */
  close(): Promise<void>;
  /** Calls back about the file's troubles, at once when there is one. @returns stops it */
  onTrouble(listener: (trouble: Trouble) => void): () => void;
}

/**
 * Starts a recording in a new file of the folder. It never fails: without a file it records in memory and says so
 * through `onTrouble`.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const { clock, began, file } = options;
  const name =
    file === undefined ? { name: fileName(began), extension: EXTENSION } : { name: path.parse(file).name, extension: path.extname(file) };
  const writer = new Writer({ ...options, ...name });
  const trace = new Trace();
  const offsets = float64();
  const lengths = uint32();

  const header = encodeHeader(began, options.by);
  writer.append(header, Buffer.byteLength(header));

  const append = (line: string): void => {
    const length = Buffer.byteLength(line);
    offsets.push(writer.append(line, length));
    lengths.push(length);
  };

  const linesOf = (seqs: readonly Seq[]): Promise<(string | undefined)[]> =>
    writer.read(seqs.map((seq) => ({ offset: offsets.at(seq), length: lengths.at(seq) })));

  // Requests and replies take turns, so each direction has a middle of its own.
  const middles = { c2s: middle(), s2c: middle() };

  return {
    trace,
    path: writer.path,
    began,
    get bytes() {
      return writer.bytes;
    },
    get backlog() {
      return writer.backlog;
    },
    message(message) {
      const { t, wall, session, dir, raw, facts, size, exchange } = message;
      const kept = middles[dir];
      if (wall !== kept.wall || session !== kept.session || exchange !== kept.exchange) {
        kept.bytes = Buffer.from(messageMiddle(wall, session, dir, exchange));
        kept.wall = wall;
        kept.session = session;
        kept.exchange = exchange;
      }
      const seq = trace.length;
      if (isWhole(t) && embeddable(raw)) {
        const before = writer.bytes;
        offsets.push(writer.appendFrame(seq, t, kept.bytes, raw, Buffer.byteLength(raw)));
        // Without the line feed.
        lengths.push(writer.bytes - before - 1);
      } else append(encodeFrame({ seq, t, wall, session, dir, kind: 'message', raw, ...(exchange === undefined ? {} : { exchange }) }));
      return trace.push(messageFacts({ t, session, dir, kind: 'message', size, exchange: exchange ?? 0 }, facts));
    },
    frame({ session, dir, t, body }) {
      const frame: Frame = { seq: trace.length, t, wall: new Date(clock.wallMs()).toISOString(), session, dir, ...body };
      append(encodeFrame(frame));
      const seq = trace.push(rowOf(frame));
      if (isUrgent(body)) writer.hurry();
      return seq;
    },
    async bodies(seqs) {
      const known = seqs.filter((seq) => seq >= 0 && seq < trace.length);
      const lines = await linesOf(known);
      return known.map((seq, index) => bodyOf(seq, lines[index]));
    },
    texts: async (seqs) => (await linesOf(seqs)).map((line) => textOf(line)),
    flush: () => writer.flush(),
    close: () => writer.close(),
    onTrouble: (listener) => writer.onTrouble(listener),
  };
}

/** What many lines of one direction share between their time and their raw text, and what it was made for. */
interface Middle {
  bytes: Uint8Array;
  wall: string;
  session: SessionNumber;
  exchange: ExchangeNumber | undefined;
}

const middle = (): Middle => ({ bytes: Buffer.alloc(0), wall: '', session: -1, exchange: undefined });

/** `2026-03-01 09-30-05`, in local time: a name that every file system takes and that sorts by age. */
function fileName(began: string): string {
  const at = new Date(began);
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[two(at.getHours()), two(at.getMinutes()), two(at.getSeconds())].join('-')}`;
}

/** What must not be lost when the process is killed in the next moment: that somebody pressed Stop, that a server ended. */
const isUrgent = (body: RecordedFrame['body']): boolean =>
  body.kind === 'life' || (body.kind === 'act' && (body.act.act === 'stop' || body.act.act === 'undelivered'));

/** The clock counts whole nanoseconds; whatever else is given as a time takes the longer way, on which it is checked. */
const isWhole = (t: Ns): boolean => t >= 0 && Number.isSafeInteger(t);
