// An event stream (text/event-stream, HTML Living Standard 9.2) from bytes to events, without losing one. The bytes are
// cut into events here, so that each has the time at which its last byte came, what is torn is known to be, and one that
// never ends does not fill the memory; what stands in an event is read by the parser that the SDK has.
import { isUtf8 } from 'node:buffer';
import { createParser } from 'eventsource-parser';
import type { Ns } from '../../app/base/time';
import type { Noise } from '../../app/wire/frame';
import { LINE_LIMIT } from './lines';

export interface StreamEvent {
  /** Undefined for the usual one, `message`. */
  readonly name: string | undefined;
  readonly id: string | undefined;
  /** How long to wait before the stream is resumed, in ms. */
  readonly retry: number | undefined;
  /** Undefined where the event has no line of data at all. */
  readonly data: string | undefined;
}

/** Takes what is found, in the order of the bytes. */
export interface EventSink {
  event(t: Ns, event: StreamEvent): void;
  /** Bytes that are no event; valid until the call returns. */
  broken(t: Ns, why: Extract<Noise, 'too-long' | 'unfinished' | 'not-utf-8'>, bytes: Buffer): void;
}

export interface EventReader {
  /** @param t when the chunk arrived: the time of every event that ends in it */
  push(chunk: Buffer, t: Ns): void;
  /** The stream is over: an event without its end is handed on as `unfinished`. */
  end(t: Ns): void;
}

const LF = 10;
const CR = 13;
/** Of an event that is too long, or was torn, so much is kept. */
const KEPT = 64 * 1024;

/** @param limit longest event in bytes; of a longer one only the beginning is kept */
export function eventReader(sink: EventSink, limit = LINE_LIMIT): EventReader {
  let held: Buffer[] = [];
  let heldSize = 0;
  let tooLong = false;
  /** No byte of a line has come since the last end of one: one more end is the end of the event. */
  let lineEmpty = true;
  /** The last byte was a carriage return: a line feed right behind it belongs to it. */
  let afterReturn = false;

  const hold = (part: Buffer): void => {
    if (part.length === 0) return;
    const room = tooLong ? 0 : limit - heldSize;
    if (part.length > room) tooLong = true;
    if (room > 0) held.push(Buffer.from(part.subarray(0, room)));
    heldSize += Math.min(part.length, Math.max(0, room));
  };

  const take = (): Buffer => {
    const [only] = held;
    const all = only && held.length === 1 ? only : Buffer.concat(held, heldSize);
    held = [];
    heldSize = 0;
    return all;
  };

  const finish = (t: Ns): void => {
    const bytes = take();
    if (tooLong) sink.broken(t, 'too-long', bytes.subarray(0, KEPT));
    else if (!isUtf8(bytes)) sink.broken(t, 'not-utf-8', bytes.subarray(0, KEPT));
    else read(bytes.toString('utf8'), t, sink);
    tooLong = false;
  };

  return {
    push(chunk, t) {
      let start = 0;
      let at = 0;
      while (at < chunk.length) {
        const byte = chunk[at];
        if (byte === LF && afterReturn) {
          afterReturn = false;
          at++;
          continue;
        }
        afterReturn = byte === CR;
        if (byte !== LF && byte !== CR) {
          lineEmpty = false;
          at = endOfLine(chunk, at);
          continue;
        }
        at++;
        if (!lineEmpty) {
          lineEmpty = true;
          continue;
        }
        hold(chunk.subarray(start, at));
        start = at;
        finish(t);
      }
      hold(chunk.subarray(start));
    },
    end(t) {
      const bytes = take();
      if (bytes.toString('latin1').trim() !== '') sink.broken(t, tooLong ? 'too-long' : 'unfinished', bytes.subarray(0, KEPT));
      tooLong = false;
    },
  };
}

/** The next line feed or carriage return; the length of the chunk when there is none. */
function endOfLine(chunk: Buffer, from: number): number {
  const feed = chunk.indexOf(LF, from);
  const end = feed < 0 ? chunk.length : feed;
  const back = chunk.subarray(from, end).indexOf(CR);
  return back < 0 ? end : from + back;
}

/** Reads one whole event. Comments, which keep connections alive, are none. */
function read(text: string, t: Ns, sink: EventSink): void {
  const fields = text.startsWith(BOM) ? text.slice(1) : text;
  const event = parsed(fields);
  // Without a line of data an event is not dispatched, and its id and name count all the same for those who look on.
  const bare = event ?? parsed(`data:\n${fields}`);
  if (event) sink.event(t, event);
  else if (bare && (bare.id ?? bare.name ?? bare.retry) !== undefined) sink.event(t, { ...bare, data: undefined });
}

function parsed(text: string): StreamEvent | undefined {
  let retry: number | undefined;
  let found: StreamEvent | undefined;
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      found = { name: event === 'message' ? undefined : event, id, retry, data };
    },
    onRetry: (ms) => {
      retry = ms;
    },
  });
  // The event may end between the two halves of a line end: the parser would wait for the other one.
  parser.feed(`${text}\n`);
  return found;
}

const BOM = '\uFEFF';
