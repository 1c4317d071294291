// The trace file: one header line, then one line of JSON per frame, appended as frames arrive. A message's raw text is
// embedded as it was on the wire, not escaped, so that a person can read the file, any JSON tool can take it apart, and
// the bytes can be cut out again exactly. The format and its change log are described in docs/tracefile.md.
import { z } from 'zod';
import type { Ns } from '../base/time';
import { unreachable } from '../base/unreachable';
import {
  act,
  type Body,
  DIRS,
  type Dir,
  type ExchangeNumber,
  effect,
  type Frame,
  http,
  life,
  NOISE,
  type Raw,
  type Seq,
  type SessionNumber,
} from './frame';

export const FORMAT = 'stopgap-trace';
/** The version that is written. Older ones are upgraded line by line when read, newer ones are refused. */
export const VERSION = 1;
export const EXTENSION = '.stopgap.ndjson';
/** A session's number fits one byte of the trace's columns. */
const MAX_SESSION = 255;

export interface Header {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** ISO wall time at which the trace's clock was 0. */
  readonly began: string;
  /** What wrote the file: `stopgap 0.1.0`. */
  readonly by: string;
}

/** A file, or a line of it, that is not what this format says. The message says what was expected and what was seen. */
export class TraceFileError extends Error {
  override readonly name = 'TraceFileError';
}

/** Turns a line of version n (the index plus 1) into one of version n + 1. Empty as long as there is one version only. */
const UPGRADERS: readonly ((line: string) => string)[] = [];

/** The first line, without its line end. */
export const encodeHeader = (began: string, by: string): string => JSON.stringify({ format: FORMAT, version: VERSION, began, by });

const header = z.object({ version: z.number().int().positive(), began: z.iso.datetime({ offset: true }), by: z.string() });

/**
 * Reads the first line.
 * @throws TraceFileError when the file is no trace, or one of a version that is newer than this program
 */
export function decodeHeader(line: string): Header {
  const value = parseLine(line, `expected the first line to be {"format":"${FORMAT}",…}`);
  if (value['format'] !== FORMAT) throw new TraceFileError(`expected a trace file ("format":"${FORMAT}"), saw ${show(value['format'])}`);
  const version = value['version'];
  if (typeof version === 'number' && version > VERSION)
    throw new TraceFileError(
      `expected a trace file of version ${VERSION} or older, saw version ${version}: a newer Stopgap wrote it; open it with that one`,
    );
  const read = header.safeParse(value);
  if (!read.success) throw new TraceFileError(`the header is not complete: ${problem(read.error)}`);
  return { format: FORMAT, ...read.data };
}

const MESSAGE = '"kind":"message","raw":';

/**
 * What stands between a message's time and its raw text. The same for all messages of a millisecond and a direction, so the
 * writer keeps it: a line is `{"seq":` + seq + `,"t":` + t + middle + raw + `}`.
 * @param wall ISO 8601
 * @throws TypeError for a session that the format has no room for
 */
export function messageMiddle(wall: string, session: SessionNumber, dir: Dir, exchange?: ExchangeNumber): string {
  return `${context(wall, session, dir)}${exchangeMember(exchange)}${MESSAGE}`;
}

const exchangeMember = (exchange: ExchangeNumber | undefined): string => (exchange === undefined ? '' : `"exchange":${exchange},`);

/** Whether a message's text can be embedded as it is. A text with a line feed (legal JSON, never so on stdio) is escaped instead. */
export const embeddable = (raw: string): boolean => !raw.includes('\n');

/**
 * One frame as a line, without its line end.
 * @throws TypeError for a frame that {@link decodeLine} would refuse: a file that cannot be opened again helps nobody
 */
export function encodeFrame(frame: Frame): string {
  const { seq, t, wall, session, dir } = frame;
  return `{"seq":${seq}${stamp(t, wall, session, dir)}${bodyText(frame)}}`;
}

function stamp(t: Ns, wall: string, session: SessionNumber, dir: Dir): string {
  if (!Number.isFinite(t)) throw new TypeError(`expected the time of a frame in nanoseconds, got ${t}`);
  return `,"t":${t}${context(wall, session, dir)}`;
}

function context(wall: string, session: SessionNumber, dir: Dir): string {
  if (!isSession(session)) throw new TypeError(`expected a session number from 0 to ${MAX_SESSION}, got ${session}`);
  return `,"wall":${JSON.stringify(wall)},"session":${session},"dir":"${dir}",`;
}

/** The members of a line after its stamp: kind and what belongs to it. */
function bodyText(body: Body): string {
  switch (body.kind) {
    case 'message':
      return `${exchangeMember(body.exchange)}${embeddable(body.raw) ? `${MESSAGE}${body.raw}` : `"kind":"message","text":${JSON.stringify(body.raw)}`}`;
    case 'noise':
      return `${exchangeMember(body.exchange)}"kind":"noise","why":"${body.why}",${rawText(body.raw)}`;
    case 'stderr':
      return `"kind":"stderr",${rawText(body.raw)}`;
    case 'http':
      return `"kind":"http","http":${sound('http', body.http)}`;
    case 'life':
      return `"kind":"life","life":${sound('life', body.life)}`;
    case 'act':
      return `"kind":"act","act":${sound('act', body.act)}`;
    case 'effect':
      return `"kind":"effect","effect":${sound('effect', body.effect)}`;
    default:
      return unreachable(body);
  }
}

const rawText = (raw: Raw): string => ('text' in raw ? `"text":${JSON.stringify(raw.text)}` : `"base64":${JSON.stringify(raw.base64)}`);

const SCHEMAS = { http, life, act, effect } as const;

function sound(kind: keyof typeof SCHEMAS, value: unknown): string {
  const read = SCHEMAS[kind].safeParse(value);
  if (!read.success) throw new TypeError(`this ${kind} cannot be recorded: ${problem(read.error)}`);
  return JSON.stringify(value);
}

/** A line taken apart, and the parsed message beside it, so that nobody has to parse it twice. */
export interface Decoded {
  readonly frame: Frame;
  /** The parsed text of a `message`; undefined for other kinds. */
  readonly message: unknown;
}

/**
 * Reads one line.
 * @param version of the file's header
 * @throws TraceFileError saying what was expected and what was seen
 */
export function readLine(line: string, version = VERSION): Decoded {
  const current = upgraded(line, version);
  const value = parseLine(current, 'expected a frame as one line of JSON');
  const seq: Seq = whole(value, 'seq', Number.MAX_SAFE_INTEGER);
  const t = time(value);
  const wall = text(value, 'wall');
  const session: SessionNumber = whole(value, 'session', MAX_SESSION);
  const dir = oneOf(value, 'dir', DIRS);
  const head = { seq, t, wall, session, dir };
  switch (value['kind']) {
    case 'message': {
      const embedded = rawOf(current);
      const raw = embedded ?? text(value, 'text');
      const message = embedded === undefined ? messageOf(raw) : value['raw'];
      // Spelled out: there may be a million of them, and a spread costs as much as the rest.
      const frame: Frame =
        value['exchange'] === undefined
          ? { seq, t, wall, session, dir, kind: 'message', raw }
          : { seq, t, wall, session, dir, kind: 'message', raw, exchange: exchangeOf(value) };
      return { frame, message };
    }
    case 'noise':
      return {
        frame: {
          ...head,
          kind: 'noise',
          why: oneOf(value, 'why', NOISE),
          raw: rawMember(value),
          ...(value['exchange'] === undefined ? {} : { exchange: exchangeOf(value) }),
        },
        message: undefined,
      };
    case 'stderr':
      return { frame: { ...head, kind: 'stderr', raw: rawMember(value) }, message: undefined };
    case 'http':
      return { frame: { ...head, kind: 'http', http: checked('http', value, http) }, message: undefined };
    case 'life':
      return { frame: { ...head, kind: 'life', life: checked('life', value, life) }, message: undefined };
    case 'act':
      return { frame: { ...head, kind: 'act', act: checked('act', value, act) }, message: undefined };
    case 'effect':
      return { frame: { ...head, kind: 'effect', effect: checked('effect', value, effect) }, message: undefined };
    default:
      throw new TraceFileError(`expected "kind" to be message, noise, stderr, http, life, act or effect, saw ${show(value['kind'])}`);
  }
}

/** A message's line taken apart by its bytes: what the trace's columns need, and where the raw text stands. */
export interface Written {
  readonly seq: Seq;
  readonly t: Ns;
  readonly session: SessionNumber;
  readonly dir: Dir;
  /** 0 for none. */
  readonly exchange: ExchangeNumber;
  /** The raw text: from here up to the line's last byte, a brace. */
  readonly rawFrom: number;
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const SEQ = bytesOf('{"seq":');
const TIME = bytesOf(',"t":');
const WALL = bytesOf(',"wall":"');
const SESSION = bytesOf('","session":');
const DIR = bytesOf(',"dir":"');
const DIR_ENDS: readonly (readonly [Dir, Uint8Array])[] = [
  ['s2c', bytesOf('s2c",')],
  ['c2s', bytesOf('c2s",')],
  ['-', bytesOf('-",')],
];
const EXCHANGE = bytesOf('"exchange":');
const COMMA = bytesOf(',');
const RAW = bytesOf(MESSAGE);
const [ZERO, NINE, BRACE] = [48, 57, 125];
/** More digits than this may not be exact. */
const DIGITS = 15;

/**
 * Takes the line of a message apart without parsing it, when it is spelled exactly as this program spells it: nearly all lines
 * of a long trace are. The caller parses the raw text; if that is no JSON, the line is none either.
 * @param end where the line ends, its line end not included
 * @returns undefined for any other line, however little it differs: {@link readLine} reads it, and says what is wrong with it
 */
export function writtenMessage(bytes: Uint8Array, start: number, end: number): Written | undefined {
  if (bytes[end - 1] !== BRACE) return undefined;
  const seqFrom = after(bytes, start, SEQ);
  const seqTo = digitsFrom(bytes, seqFrom);
  const timeFrom = after(bytes, seqTo, TIME);
  const timeTo = digitsFrom(bytes, timeFrom);
  const sessionFrom = after(bytes, isoFrom(bytes, after(bytes, timeTo, WALL)), SESSION);
  const sessionTo = digitsFrom(bytes, sessionFrom);
  const dirFrom = after(bytes, sessionTo, DIR);
  const dir = DIR_ENDS.find(([, spelled]) => after(bytes, dirFrom, spelled) >= 0);
  if (dir === undefined) return undefined;
  const bodyFrom = dirFrom + dir[1].length;
  const exchangeFrom = after(bytes, bodyFrom, EXCHANGE);
  const exchangeTo = digitsFrom(bytes, exchangeFrom);
  const rawFrom = after(bytes, exchangeFrom < 0 ? bodyFrom : after(bytes, exchangeTo, COMMA), RAW);
  const session = numberOf(bytes, sessionFrom, sessionTo);
  if (rawFrom < 0 || rawFrom >= end || session > MAX_SESSION) return undefined;
  return {
    seq: numberOf(bytes, seqFrom, seqTo),
    t: numberOf(bytes, timeFrom, timeTo) as Ns,
    session,
    dir: dir[0],
    exchange: exchangeFrom < 0 ? 0 : numberOf(bytes, exchangeFrom, exchangeTo),
    rawFrom,
  };
}

/** The place behind a text that stands at `from`; −1 when it does not, or `from` is −1. */
function after(bytes: Uint8Array, from: number, text: Uint8Array): number {
  if (from < 0) return -1;
  for (let at = 0; at < text.length; at++) if (bytes[from + at] !== text[at]) return -1;
  return from + text.length;
}

/** The place behind a whole number without leading zeros; −1 when there is none. */
function digitsFrom(bytes: Uint8Array, from: number): number {
  if (from < 0) return -1;
  let at = from;
  while ((bytes[at] ?? 0) >= ZERO && (bytes[at] ?? 0) <= NINE) at++;
  const count = at - from;
  return count < 1 || count > DIGITS || (count > 1 && bytes[from] === ZERO) ? -1 : at;
}

/** The place behind a time as `toISOString` writes it: nothing in it that JSON would have to escape. */
function isoFrom(bytes: Uint8Array, from: number): number {
  if (from < 0) return -1;
  let at = from;
  while (isIso(bytes[at] ?? 0)) at++;
  return at;
}

/** A digit or a colon, `-`, `.`, `T`, `Z`. */
const isIso = (byte: number): boolean => (byte >= ZERO && byte <= 58) || byte === 45 || byte === 46 || byte === 84 || byte === 90;

function numberOf(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + ((bytes[at] ?? 0) - ZERO);
  return value;
}

/** The frame of a line: {@link readLine} without the parsed message. */
export const decodeLine = (line: string, version = VERSION): Frame => readLine(line, version).frame;

/**
 * A message's raw text, cut out of its line without parsing: from the first `"kind":"message","raw":` (what stands before
 * it is our own compact output) to the last brace. Undefined when the line embeds none.
 */
export function rawOf(line: string): string | undefined {
  const start = line.indexOf(MESSAGE);
  return start < 0 ? undefined : line.slice(start + MESSAGE.length, line.lastIndexOf('}'));
}

function upgraded(line: string, version: number): string {
  return version === VERSION ? line : UPGRADERS.slice(version - 1).reduce((older, upgrade) => upgrade(older), line);
}

type Json = Readonly<Record<string, unknown>>;

function parseLine(line: string, expected: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new TraceFileError(`${expected}, saw ${show(line)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TraceFileError(`${expected}, saw ${show(line)}`);
  return value as Json;
}

function messageOf(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new TraceFileError(`expected "text" of a message to be JSON, saw ${show(raw)}`);
  }
}

const isSession = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= MAX_SESSION;

function whole(value: Json, member: string, max: number): number {
  const seen = value[member];
  if (typeof seen === 'number' && Number.isInteger(seen) && seen >= 0 && seen <= max) return seen;
  throw new TraceFileError(`expected "${member}" to be a whole number from 0 to ${max}, saw ${show(seen)}`);
}

const exchangeOf = (value: Json): ExchangeNumber => whole(value, 'exchange', Number.MAX_SAFE_INTEGER);

function time(value: Json): Ns {
  const seen = value['t'];
  if (typeof seen === 'number') return seen as Ns;
  throw new TraceFileError(`expected "t" to be a number of nanoseconds, saw ${show(seen)}`);
}

function text(value: Json, member: string): string {
  const seen = value[member];
  if (typeof seen === 'string') return seen;
  throw new TraceFileError(`expected "${member}" to be a text, saw ${show(seen)}`);
}

function oneOf<T extends string>(value: Json, member: string, known: readonly T[]): T {
  const seen = value[member] as T;
  if (known.includes(seen)) return seen;
  throw new TraceFileError(`expected "${member}" to be one of ${known.join(', ')}, saw ${show(seen)}`);
}

function rawMember(value: Json): Raw {
  if (typeof value['base64'] === 'string') return { base64: value['base64'] };
  if (typeof value['text'] === 'string') return { text: value['text'] };
  throw new TraceFileError(`expected "text" or "base64", saw neither in ${show(value)}`);
}

/** Checks a member and returns it as it stands: the order of its keys, and keys that only a later version knows, are kept. */
function checked<T>(member: string, value: Json, schema: z.ZodType<T>): T {
  const read = schema.safeParse(value[member]);
  if (!read.success) throw new TraceFileError(`"${member}" is not what it should be: ${problem(read.error)}; saw ${show(value[member])}`);
  return value[member] as T;
}

function problem(error: z.ZodError): string {
  const [first] = error.issues;
  if (!first) return error.message;
  const at = first.path.length > 0 ? ` at ${first.path.join('.')}` : '';
  return `${first.message}${at}`;
}

/** A value as an error message quotes it: short. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const whole = typeof value === 'string' && value.length > 200 ? value.slice(0, 200) : value;
  const shown = JSON.stringify(whole);
  return shown.length > 100 ? `${shown.slice(0, 99)}…` : shown;
}
