// A list of any length that draws only what is in view, follows its end while it is scrolled there, and can be walked
// with the keyboard.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

interface Props {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  /** Index of the selected row, −1 for none. */
  readonly selected: number;
  readonly onSelect: (index: number) => void;
  /** Told which rows are in view. */
  readonly onRange?: (first: number, last: number) => void;
  readonly row: (index: number) => ReactNode;
  readonly empty: ReactNode;
}

const NEAR_END = 8;

export function VirtualList({ label, count, rowHeight, selected, onSelect, onRange, row, empty }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const [tail, setTail] = useState(true);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // Whoever scrolls must not see an empty list; whoever follows its end sees the next rows a moment later anyway.
    useFlushSync: !tail,
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;

  useEffect(() => {
    if (last >= first) onRange?.(first, last);
  }, [first, last, onRange]);

  useEffect(() => {
    // Set, not asked of the virtualizer: that measures the page again and again until the place is reached.
    if (tail && scroller.current) scroller.current.scrollTop = count * rowHeight;
  }, [tail, count, rowHeight]);

  // A selection made elsewhere comes into view; it ends following, or the end would take it away again.
  useEffect(() => {
    if (selected < 0) return;
    setTail(false);
    virtualizer.scrollToIndex(selected, { align: 'auto' });
  }, [selected, virtualizer]);

  const atEnd = (): boolean => {
    const box = scroller.current;
    return box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < rowHeight;
  };
  const walk = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: NEAR_END,
      PageUp: -NEAR_END,
      Home: -count,
      End: count,
    };
    const step = steps[event.key];
    if (step === undefined || count === 0) return;
    event.preventDefault();
    const from = selected >= 0 ? selected : step > 0 ? -1 : count;
    onSelect(Math.min(count - 1, Math.max(0, from + step)));
  };

  if (count === 0) return <div className="list-empty">{empty}</div>;
  return (
    <div className="list-frame">
      <div
        ref={scroller}
        className="list"
        role="listbox"
        aria-label={label}
        aria-activedescendant={selected >= first && selected <= last && selected >= 0 ? `${id}-${selected}` : undefined}
        tabIndex={0}
        onKeyDown={walk}
        onWheel={(event) => event.deltaY < 0 && setTail(false)}
        onPointerDown={() => setTail(false)}
        onScroll={() => atEnd() && selected < 0 && setTail(true)}
      >
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {items.map((item) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox around it takes the keys
            <div
              key={item.key}
              id={`${id}-${item.index}`}
              role="option"
              tabIndex={-1}
              aria-selected={item.index === selected}
              className="list-row"
              style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
              onClick={() => onSelect(item.index)}
            >
              {row(item.index)}
            </div>
          ))}
        </div>
      </div>
      {!tail && (
        <button type="button" className="button small to-end" onClick={() => setTail(true)}>
          Follow the end
        </button>
      )}
    </div>
  );
}
