// The wire log: every frame but stderr, in the order of the trace, in step with the timeline's selection.
import { useCallback, useMemo } from 'react';
import type { Seq } from '../../../app/wire/frame';
import { hasBody, textOf } from '../../bodies';
import { useBodiesVersion, useFinds, useSelect, useStopgap, useVersion } from '../../context';
import { isFiltering, showsFrame } from '../../filter';
import { searchText } from '../../searching';
import { isFiltering as isLeavingOut, passes } from '../../timeline/facets';
import { useView } from '../../timeline/view';
import { foundRows, growingRows, isProbeTraffic } from './rows';
import { VirtualList } from './VirtualList';
import { type WireContext, wireRow } from './wireRow';

export function WireLog() {
  const { feed, bodies, store, timeline } = useStopgap();
  const facets = useView(timeline.view, (viewport) => viewport.facets);
  const text = useSelect((state) => state.filter);
  const signs = useSelect((state) => state.signs);
  const frame = useSelect((state) => state.frame);
  const probes = useSelect((state) => state.probeTraffic);
  const density = useSelect((state) => state.settings.density);
  useVersion(200);
  useBodiesVersion();
  const finds = useFinds();
  const { trace } = feed;
  const filter = useMemo(() => ({ text, signs }), [text, signs]);
  // Severities change their mind as verdicts do: with them the list is built anew now and then.
  const judged = signs.length > 0 || facets.verdict.size > 0 ? feed.verdicts.size : 0;
  const passesAll = useCallback(
    (seq: Seq, found?: boolean): boolean => {
      if (trace.kind(seq) === 'stderr') return false;
      if (!probes && isProbeTraffic(trace, feed.calls, seq)) return false;
      if (!isFiltering(filter) && !isLeavingOut(facets)) return true;
      const call = feed.calls.ofFrame(seq);
      if (call && !passes(facets, call, feed)) return false;
      return showsFrame(filter, trace, seq, call, call && feed.verdict(call.index), found);
    },
    [trace, filter, feed, probes, facets],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `judged` stands for the verdicts that the filter reads
  const rows = useMemo(
    () => (finds.text === '' ? growingRows(trace, (seq) => passesAll(seq)) : foundRows(trace, finds, passesAll)),
    [trace, finds, judged, passesAll],
  );
  const list = rows();
  const context: WireContext = { trace, calls: feed.calls, verdict: feed.verdict, text: (seq) => textOf(bodies.get(seq)) };
  const want = useCallback(
    (first: number, last: number) =>
      bodies.want(
        rows()
          .slice(first, last + 1)
          .filter((seq) => hasBody(trace.kind(seq))),
      ),
    [bodies, rows, trace],
  );
  const selected = frame === undefined ? -1 : indexOf(list, frame);
  const select = (index: number): void => {
    const seq = list[index];
    if (seq === undefined) return;
    const call = feed.calls.ofFrame(seq);
    // A fence's ping belongs to the call that it guards.
    const owner = call && feed.calls.all.find((other) => other.fence === call.index);
    store.setState({ frame: seq, ...(owner ? { call: owner.index } : call ? { call: call.index } : {}) });
  };
  return (
    <VirtualList
      label="Wire log"
      count={list.length}
      rowHeight={density === 'compact' ? 20 : 24}
      selected={selected}
      onSelect={select}
      onRange={want}
      row={(index) => {
        const seq = list[index];
        if (seq === undefined) return null;
        const row = wireRow(context, seq);
        return (
          <span className="wire-row mono" data-role={row.role}>
            <span className="wire-time">{row.time}</span>
            <span className="wire-sign">{row.sign}</span>
            <span className="wire-text clip">
              {row.head} {row.id && <span className="wire-id">{row.id}</span>} <span className="wire-tail">{row.tail}</span>
            </span>
            {row.exchange && <span className="wire-exchange">{row.exchange}</span>}
          </span>
        );
      }}
      empty={
        isFiltering(filter)
          ? `No frame passes the filter${finds.text === '' ? '' : ` (${searchText(finds, trace.length)})`}. Esc in the filter clears it.`
          : 'Nothing has gone over the wire yet.'
      }
    />
  );
}

/** The place of a frame in an ascending list, −1 when it is left out. */
function indexOf(list: readonly number[], seq: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return list[low] === seq ? low : -1;
}
