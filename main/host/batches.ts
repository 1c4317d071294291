// Cuts what is new in a trace into batches for the window. A batch is small, so that neither process is ever busy with
// one for long, and brings exactly the names that its rows need and no earlier batch has brought.
import type { Extra, Trace, TraceBatch } from '../../app/trace/trace';
import type { Seq } from '../../app/wire/frame';

export const BATCH_BYTES = 64 * 1024;
const ROW_BYTES = 28;
/** What a text or an extra costs beside its own characters, roughly. */
const ITEM_BYTES = 16;

/** How far a trace has been sent. */
export interface Cursor {
  readonly frames: Seq;
  readonly names: number;
}

export const START: Cursor = { frames: 0, names: 0 };

/**
 * The next batch from a cursor on: as many rows as fit, one at least.
 * @returns undefined when everything has been sent
 */
export function nextBatch(
  trace: Trace,
  from: Cursor,
  limit = BATCH_BYTES,
): { readonly batch: TraceBatch; readonly cursor: Cursor } | undefined {
  if (from.frames >= trace.length) return undefined;
  let bytes = 0;
  let names = from.names;
  let end = from.frames;
  for (; end < trace.length; end++) {
    const needed = Math.max(names, trace.nameNumber(end) + 1, trace.keyNumber(end) + 1);
    let cost = ROW_BYTES;
    for (let name = names; name < needed; name++) cost += ITEM_BYTES + trace.names.text(name).length;
    const extra = trace.extra(end);
    if (extra) cost += ITEM_BYTES + sizeOf(extra);
    if (end > from.frames && bytes + cost > limit) break;
    bytes += cost;
    names = needed;
  }
  const batch = trace.batch(from.frames, end, from.names);
  return { batch: { ...batch, names: batch.names.slice(0, names - from.names) }, cursor: { frames: end, names } };
}

/** Most extras are a few short texts; only a list of tools is worth measuring. */
const sizeOf = (extra: Extra): number => (extra.about === 'tools' ? JSON.stringify(extra.tools).length : 200);
