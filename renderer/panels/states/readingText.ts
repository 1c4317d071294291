// What is said of a trace file that is still being read.
import type { Events } from '../../../app/contract/host';

/** How far the reading is, as a sentence. Verdicts need all frames, so they are promised, not shown. */
export const readingText = ({ frames, bytes, size }: Pick<Events['reading'], 'frames' | 'bytes' | 'size'>): string =>
  `${frames.toLocaleString('en')} frames of the trace read so far (${Math.floor((100 * bytes) / Math.max(1, size))} %); verdicts follow when all are.`;
