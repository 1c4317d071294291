// Which frames a list shows, kept step by step: a trace only grows, so a list is filtered once and then only its new end.
import type { Trace } from '../../../app/trace/trace';
import type { Seq } from '../../../app/wire/frame';

/**
 * A growing list of the frames that pass.
 * @param passes must not change its mind; make new rows when the filter changes
 */
export function growingRows(trace: Trace, passes: (seq: Seq) => boolean): () => readonly Seq[] {
  const list: Seq[] = [];
  let seen = 0;
  return () => {
    for (; seen < trace.length; seen++) if (passes(seen)) list.push(seen);
    return list;
  };
}

const stderr = new WeakMap<Trace, () => readonly Seq[]>();

/** Lines of stderr of a trace. */
export function stderrRows(trace: Trace): readonly Seq[] {
  let rows = stderr.get(trace);
  if (!rows) {
    rows = growingRows(trace, (seq) => trace.kind(seq) === 'stderr');
    stderr.set(trace, rows);
  }
  return rows();
}
