// From a whole frame to its row in the trace, the same whether the frame is being recorded or read from a file.
import { type Facts, factsOfFrame, factsOfMessage } from '../../app/trace/trace';
import type { Frame, Raw } from '../../app/wire/frame';
import type { Written } from '../../app/wire/tracefile';

/** @param message the parsed text of a message, where it has been parsed already */
export const rowOf = (frame: Frame, message?: unknown): Facts => factsOfFrame(frame, sizeOf(frame), message);

/** The same for a message whose line was not taken for a frame first. @param size bytes of the raw text */
export const rowOfMessage = ({ t, session, dir, exchange }: Written, size: number, message: unknown): Facts =>
  factsOfMessage({ t, session, dir, kind: 'message', size, exchange }, message);

/** Bytes of a frame's raw text; 0 for frames that Stopgap itself made. */
function sizeOf(frame: Frame): number {
  if (!('raw' in frame)) return 0;
  return typeof frame.raw === 'string' ? Buffer.byteLength(frame.raw) : rawSize(frame.raw);
}

const rawSize = (raw: Raw): number => ('text' in raw ? Buffer.byteLength(raw.text) : Buffer.byteLength(raw.base64, 'base64'));
