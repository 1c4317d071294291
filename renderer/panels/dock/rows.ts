// Which frames a list shows, kept step by step: a trace only grows, so a list is filtered once and then only its new end.
import type { Calls } from '../../../app/trace/calls';
import type { Trace } from '../../../app/trace/trace';
import type { Seq } from '../../../app/wire/frame';
import type { Finds } from '../../searching';

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

/** So many of the newest frames are shown by what is known of them without their bodies, until they have been searched. */
const UNSEARCHED = 2000;

/** The frames that a search has found and that pass otherwise; behind them the newest that it has not come to. */
export function foundRows(trace: Trace, finds: Finds, passes: (seq: Seq, found?: boolean) => boolean): () => readonly Seq[] {
  const found = finds.seqs.filter((seq) => seq < trace.length && passes(seq, true));
  return () => {
    if (finds.full) return found;
    const rest: Seq[] = [];
    for (let seq = Math.max(finds.searched, trace.length - UNSEARCHED); seq < trace.length; seq++) if (passes(seq)) rest.push(seq);
    return rest.length === 0 ? found : [...found, ...rest];
  };
}

/** What a probe asks of the server under test, and its answers. */
export function isProbeTraffic(trace: Trace, calls: Calls, seq: Seq): boolean {
  switch (trace.kind(seq)) {
    case 'message':
      return calls.ofFrame(seq)?.purpose === 'probe';
    case 'act': {
      const extra = trace.extra(seq);
      return extra?.about === 'act' && extra.act.act === 'probe';
    }
    default:
      return false;
  }
}

const probes = new WeakMap<Trace, () => readonly Seq[]>();

/** How many frames of a trace are traffic of probes. */
export function probeFrames(trace: Trace, calls: Calls): number {
  let rows = probes.get(trace);
  if (!rows) {
    rows = growingRows(trace, (seq) => isProbeTraffic(trace, calls, seq));
    probes.set(trace, rows);
  }
  return rows().length;
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
