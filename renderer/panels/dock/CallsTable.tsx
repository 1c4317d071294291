// The accessible twin of the timeline: the same calls, the same selection, in a table that a screen reader and a keyboard
// can walk. It begins in the timeline's order; a press on a heading sorts.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { minus, words } from '../../../app/base/time';
import type { Call } from '../../../app/trace/calls';
import { SEVERITIES, type Verdict } from '../../../app/verdict/verdict';
import { idText } from '../../../app/wire/jsonrpc';
import { useFinds, useSelect, useStopgap, useVersion } from '../../context';
import { showsCall } from '../../filter';
import { isToolCall } from '../../inFlight';
import { whoseOf } from '../../servers';
import { passes } from '../../timeline/facets';
import { useView } from '../../timeline/view';
import { SeveritySign } from '../../ui/signs';
import { at, effectText, headlineText, replyText, stopText } from '../details/words';

interface Entry {
  readonly call: Call;
  readonly verdict: Verdict | undefined;
  /** The server's name, where several were connected at the same time. */
  readonly whose: string | undefined;
}

interface ColumnSpec {
  readonly id: string;
  readonly title: string;
  readonly text: (entry: Entry) => string;
  readonly order: (entry: Entry) => number | string;
}

const took = ({ call }: Entry): number => (call.replies[0] ? minus(call.replies[0].t, call.sent.t) : Number.POSITIVE_INFINITY);

const COLUMNS: readonly ColumnSpec[] = [
  { id: 'id', title: 'Call', text: ({ call }) => idText(call.key), order: ({ call }) => call.index },
  {
    id: 'tool',
    title: 'Tool',
    text: ({ call, whose }) => [call.tool ?? call.method, call.task && 'task', whose].filter((part) => part !== undefined).join(' · '),
    order: ({ call }) => call.tool ?? '',
  },
  {
    id: 'verdict',
    title: 'Verdict',
    text: ({ verdict }) => (verdict ? headlineText(verdict.verdict) : '—'),
    order: ({ verdict }) => -SEVERITIES.indexOf(verdict?.severity ?? 'ok'),
  },
  {
    id: 'stop',
    title: 'Stop',
    text: ({ call, verdict }) => (verdict ? stopText(call, verdict.stop) : '—'),
    order: ({ verdict }) => verdict?.stop.state ?? '',
  },
  {
    id: 'reply',
    title: 'Reply',
    text: ({ call, verdict }) => (verdict ? replyText(call, verdict.reply) : '—'),
    order: ({ verdict }) => verdict?.reply.state ?? '',
  },
  {
    id: 'effect',
    title: 'Effect',
    text: ({ verdict }) => (verdict ? effectText(verdict.effect) : '—'),
    order: ({ verdict }) => verdict?.effect.state ?? '',
  },
  { id: 'sent', title: 'Sent', text: ({ call }) => at(call.sent.t), order: ({ call }) => call.sent.t },
  { id: 'took', title: 'Took', text: (entry) => (Number.isFinite(took(entry)) ? words(took(entry) as never) : '—'), order: took },
];

const FIRST = COLUMNS[0] as ColumnSpec;

interface Sorting {
  readonly column: string;
  readonly down: boolean;
}

function sorted(entries: readonly Entry[], { column, down }: Sorting): readonly Entry[] {
  const { order } = COLUMNS.find(({ id }) => id === column) ?? FIRST;
  const sign = down ? -1 : 1;
  return [...entries].sort((a, b) => {
    const [x, y] = [order(a), order(b)];
    return (x < y ? -1 : x > y ? 1 : a.call.index - b.call.index) * sign;
  });
}

export function CallsTable() {
  const { feed, searching, actions, timeline } = useStopgap();
  const facets = useView(timeline.view, (viewport) => viewport.facets);
  const selected = useSelect((state) => state.call);
  const text = useSelect((state) => state.filter);
  const signs = useSelect((state) => state.signs);
  const [sorting, setSorting] = useState<Sorting>({ column: 'id', down: false });
  const scroller = useRef<HTMLDivElement>(null);
  useVersion(250);
  useFinds();
  const whose = whoseOf(feed.calls);
  const entries = feed.calls.all
    .filter(isToolCall)
    .map((call) => ({ call, verdict: feed.verdict(call.index), whose: whose(call) }))
    .filter(({ call, verdict }) => passes(facets, call, feed) && showsCall({ text, signs }, call, verdict, searching.hasCall(call.index)));
  const list = sorted(entries, sorting);
  const at = list.findIndex(({ call }) => call.index === selected);
  const virtualizer = useVirtualizer({
    count: list.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 26,
    overscan: 10,
  });

  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' });
  }, [at, virtualizer]);

  const choose = (index: number): void => {
    const entry = list[Math.min(list.length - 1, Math.max(0, index))];
    if (!entry) return;
    actions.selectCall(entry.call.index);
    timeline.reveal(entry.call.index);
  };
  const walk = (event: KeyboardEvent): void => {
    const target: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? list.length - 1 : at - 1,
      Home: 0,
      End: list.length - 1,
      PageDown: at + 8,
      PageUp: at - 8,
    };
    const next = target[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  };
  const sort = (column: string): void => setSorting((now) => ({ column, down: now.column === column ? !now.down : false }));

  if (list.length === 0)
    return (
      <p className="list-empty">
        {feed.calls.all.some(isToolCall) ? 'No call passes the filter.' : 'Nothing has been called yet. Choose a tool and press Call.'}
      </p>
    );
  return (
    // biome-ignore lint/a11y/useSemanticElements: only the rows in view exist, which a table element cannot say
    <div
      className="calls"
      role="grid"
      aria-label="Calls"
      aria-rowcount={list.length + 1}
      tabIndex={0}
      onKeyDown={walk}
      aria-activedescendant={at < 0 ? undefined : `call-row-${list[at]?.call.index}`}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: part of the grid above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
      <div className="calls-row calls-head" role="row" aria-rowindex={1}>
        {COLUMNS.map(({ id, title }) => (
          // biome-ignore lint/a11y/useSemanticElements: part of the grid above
          // biome-ignore lint/a11y/useFocusableInteractive: the button in it has the focus
          <span key={id} role="columnheader" aria-sort={sorting.column !== id ? 'none' : sorting.down ? 'descending' : 'ascending'}>
            <button type="button" className="sort" onClick={() => sort(id)}>
              {title}
              <span aria-hidden>{sorting.column === id ? (sorting.down ? ' ↓' : ' ↑') : ''}</span>
            </button>
          </span>
        ))}
      </div>
      <div ref={scroller} className="calls-body">
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map((item) => {
            const entry = list[item.index];
            if (!entry) return null;
            const { call, verdict } = entry;
            return (
              // biome-ignore lint/a11y/useSemanticElements: part of the grid above
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
              <div
                key={call.index}
                id={`call-row-${call.index}`}
                className="calls-row"
                role="row"
                tabIndex={-1}
                aria-rowindex={item.index + 2}
                aria-selected={call.index === selected}
                style={{ transform: `translateY(${item.start}px)` }}
                onClick={() => choose(item.index)}
              >
                {COLUMNS.map((column) => (
                  // biome-ignore lint/a11y/useSemanticElements: part of the grid above
                  // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
                  <span
                    key={column.id}
                    role="gridcell"
                    className="clip"
                    data-column={column.id}
                    data-sign={verdict?.severity}
                    title={column.text(entry)}
                  >
                    {column.id === 'verdict' && verdict && <SeveritySign severity={verdict.severity} />} {column.text(entry)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
