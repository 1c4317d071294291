// From a line of a trace file to what a person is shown of it: the raw text, as it was on the wire. Frames that Stopgap
// itself made (a press of Stop, an observation) show what was recorded.

import { unreachable } from '../../app/base/unreachable';
import type { FrameBody } from '../../app/contract/host';
import type { Frame, Raw, Seq } from '../../app/wire/frame';
import { decodeLine, rawOf, TraceFileError } from '../../app/wire/tracefile';

/**
 * @param line undefined where it is no longer kept; `wall` is then ''. A line that is not this frame's (somebody wrote into
 *   the file) counts as no longer kept.
 */
export function bodyOf(seq: Seq, line: string | undefined, version?: number): FrameBody {
  const frame = line === undefined ? undefined : frameOf(line, version);
  return frame?.seq === seq ? { seq, wall: frame.wall, raw: rawOfFrame(frame) } : { seq, wall: '', raw: undefined };
}

/** The raw text of a line's frame, for searching: a message's is cut out of the line. Undefined where it is no text. */
export function textOf(line: string | undefined, version?: number): string | undefined {
  if (line === undefined) return undefined;
  const embedded = rawOf(line);
  if (embedded !== undefined) return embedded;
  const frame = frameOf(line, version);
  const raw = frame && rawOfFrame(frame);
  return raw && 'text' in raw ? raw.text : undefined;
}

function frameOf(line: string, version: number | undefined): Frame | undefined {
  try {
    return decodeLine(line, version);
  } catch (error) {
    if (error instanceof TraceFileError) return undefined;
    throw error;
  }
}

function rawOfFrame(frame: Frame): Raw {
  switch (frame.kind) {
    case 'message':
      return { text: frame.raw };
    case 'noise':
    case 'stderr':
      return frame.raw;
    case 'http':
      return { text: JSON.stringify(frame.http) };
    case 'life':
      return { text: JSON.stringify(frame.life) };
    case 'act':
      return { text: JSON.stringify(frame.act) };
    case 'effect':
      return { text: JSON.stringify(frame.effect) };
    default:
      return unreachable(frame);
  }
}
