// The truth log, read: what a server of the set really did, on the trace's clock. Servers stamp with the machine's monotonic
// clock; the trace's clock runs from it, so pairs of readings tell the difference between the two, and how far it is known.
import { readFileSync } from 'node:fs';
import type { Clock, Ns } from '../../app/base/time';

/** Monotonic time of the machine less trace time, in ns: somewhere between the two. */
export interface Offset {
  readonly min: number;
  readonly max: number;
}

const SAMPLES = 20;

/** Monotonic time of the machine in ns; exact while it has been up for less than 104 days. */
const machineNs = (): number => Number(process.hrtime.bigint());

/** Reads both clocks, the trace's between two readings of the machine's, and keeps the narrowest of several such pairs. */
export function sampleOffset(clock: Clock): Offset {
  const samples = Array.from({ length: SAMPLES }, () => {
    const before = machineNs();
    const t = clock.now();
    return { min: before - t, max: machineNs() - t };
  });
  return samples.reduce((best, sample) => (sample.max - sample.min < best.max - best.min ? sample : best));
}

/** An effect that really happened: not there before `from`, there after `to`. Trace time. */
export interface Write {
  /** The name of the call that it belongs to; somebody else's has a name of its own. */
  readonly as: string;
  readonly file: string;
  readonly from: Ns;
  readonly to: Ns;
  /** Taken back later. */
  undone: boolean;
}

export interface Truth {
  readonly writes: readonly Write[];
  /** By call: when its server had read a cancel that named it; undefined where the server keeps no such log. */
  readonly cancelRead: ReadonlyMap<string, Ns>;
  /** Whether the server writes down which cancels it reads. */
  readonly tellsCancels: boolean;
  /** The bound of the error between the two clocks, in ns. */
  readonly error: number;
}

export type Entry =
  | { readonly entry: 'write'; readonly key: string; readonly as: string; readonly file: string; readonly from: string }
  | { readonly entry: 'written'; readonly key: string; readonly to: string }
  | { readonly entry: 'undo'; readonly as: string; readonly file: string; readonly from: string; readonly to: string }
  | { readonly entry: 'call'; readonly as: string; readonly id: unknown; readonly at: string }
  | { readonly entry: 'cancel'; readonly id: unknown; readonly as?: string; readonly at: string }
  | { readonly entry: 'reached'; readonly as: string; readonly name: string; readonly at: string }
  | { readonly entry: 'over'; readonly as: string; readonly at: string };

/** The entries of a log that may not have begun. A line that is still being written is not there yet. */
export function entriesOf(log: string): readonly Entry[] {
  let text = '';
  try {
    text = readFileSync(log, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}

/** The call that a cancel named which was read before it: nobody had used its id by then. */
function calledLater(entries: readonly Entry[], id: unknown, at: string): string | undefined {
  const first = entries.flatMap((one) => (one.entry === 'call' && one.id === id ? [one] : []))[0];
  return first && Number(first.at) > Number(at) ? first.as : undefined;
}

/**
 * The truth on the trace's clock.
 * @param offsets readings of the clocks from the beginning and the end of the run: what lies between them is the error
 */
export function truthOf(entries: readonly Entry[], offsets: readonly Offset[]): Truth {
  const min = Math.min(...offsets.map((offset) => offset.min));
  const max = Math.max(...offsets.map((offset) => offset.max));
  const middle = (min + max) / 2;
  const at = (stamp: string): Ns => (Number(stamp) - middle) as Ns;
  const ends = new Map<string, Ns>();
  for (const entry of entries) if (entry.entry === 'written') ends.set(entry.key, at(entry.to));
  const writes: Write[] = [];
  const cancelRead = new Map<string, Ns>();
  for (const entry of entries) {
    if (entry.entry === 'write') {
      // One that was never finished happened at some time after its beginning, or not at all.
      const to = ends.get(entry.key) ?? (Number.POSITIVE_INFINITY as Ns);
      writes.push({ as: entry.as, file: entry.file, from: at(entry.from), to, undone: false });
    }
    if (entry.entry === 'undo') for (const write of writes) if (write.as === entry.as && write.file === entry.file) write.undone = true;
    if (entry.entry !== 'cancel') continue;
    const as = entry.as ?? calledLater(entries, entry.id, entry.at);
    if (as !== undefined && !cancelRead.has(as)) cancelRead.set(as, at(entry.at));
  }
  const tellsCancels = entries.some(({ entry }) => entry === 'call' || entry === 'cancel');
  return { writes, cancelRead, tellsCancels, error: (max - min) / 2 };
}
