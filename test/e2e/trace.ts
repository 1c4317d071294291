// What a run has recorded, read from the trace file as anybody else would read it: the wire is the witness in these tests,
// not what the window says of it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Life } from '../../app/wire/frame';
import { decodeHeader, decodeLine, EXTENSION } from '../../app/wire/tracefile';

/** A JSON-RPC message of the trace, with its frame. */
export interface Sent {
  readonly frame: Frame;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The trace files in a folder, oldest first. */
export function traceFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(EXTENSION));
  return files.map((name) => path.join(folder, name)).sort((a, b) => statSync(a).birthtimeMs - statSync(b).birthtimeMs);
}

/** Every whole frame of a trace file; a torn last line, as a kill leaves it, is left out. */
export function readFrames(file: string): readonly Frame[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  lines.pop(); // what follows the last line end
  const [first, ...rest] = lines;
  if (first === undefined) return [];
  const { version } = decodeHeader(first);
  return rest.map((line) => decodeLine(line, version));
}

/** The messages that went one way. */
export const messages = (frames: readonly Frame[], dir: 'c2s' | 's2c'): readonly Sent[] =>
  frames.flatMap((frame) => (frame.kind === 'message' && frame.dir === dir ? [{ frame, ...JSON.parse(frame.raw) }] : []));

/** The tool calls that were sent, oldest first. */
export const calls = (frames: readonly Frame[]): readonly Sent[] => messages(frames, 'c2s').filter(({ method }) => method === 'tools/call');

/** The cancels that were sent, oldest first. */
export const cancels = (frames: readonly Frame[]): readonly Sent[] =>
  messages(frames, 'c2s').filter(({ method }) => method === 'notifications/cancelled');

/** Replies to the request with this id, by the server. */
export const replies = (frames: readonly Frame[], id: string | number | undefined): readonly Sent[] =>
  messages(frames, 's2c').filter((message) => message.method === undefined && message.id === id);

/** The events of processes and sessions. */
export const lives = (frames: readonly Frame[]): readonly Life[] => frames.flatMap((frame) => (frame.kind === 'life' ? [frame.life] : []));
