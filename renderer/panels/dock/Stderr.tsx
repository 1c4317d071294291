// What the server wrote to stderr, line by line, as text.
import { useCallback } from 'react';
import { toMs } from '../../../app/base/time';
import { textOf } from '../../bodies';
import { useBodiesVersion, useSelect, useStopgap, useVersion } from '../../context';
import { stderrRows } from './rows';
import { VirtualList } from './VirtualList';

export function Stderr() {
  const { feed, bodies, store } = useStopgap();
  const frame = useSelect((state) => state.frame);
  useVersion(250);
  useBodiesVersion();
  const list = stderrRows(feed.trace);
  const want = useCallback((first: number, last: number) => bodies.want(stderrRows(feed.trace).slice(first, last + 1)), [bodies, feed]);
  return (
    <VirtualList
      label="stderr"
      count={list.length}
      rowHeight={20}
      selected={frame === undefined ? -1 : list.indexOf(frame)}
      onSelect={(index) => store.setState({ frame: list[index] })}
      onRange={want}
      row={(index) => {
        const seq = list[index];
        if (seq === undefined) return null;
        return (
          <span className="wire-row mono" data-role="plain">
            <span className="wire-time">{toMs(feed.trace.t(seq)).toFixed(3)}</span>
            <span className="wire-sign" />
            <span className="wire-text clip">{textOf(bodies.get(seq)) ?? '…'}</span>
          </span>
        );
      }}
      empty="The server has written nothing to stderr."
    />
  );
}
