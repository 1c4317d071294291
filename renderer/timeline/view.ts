// What part of time and of the rows is in view, and how it is looked at. It changes on every frame while following or
// panning, so it is no React state: timeline, toolbar and overview share this object and subscribe to it.
import { useSyncExternalStore } from 'react';
import { asNs, fromMs, type Ns, ZERO } from '../../app/base/time';
import type { Grouping } from '../../app/layout/lanes';
import { type Facets, NO_FACETS } from './facets';
import type { Range } from './scale';

/** `order` gives every frame room; `clock` gives every nanosecond the same. */
export type ScaleName = 'clock' | 'order';

/** What times are counted from: the beginning of the trace, the time of day, or the selected call's request. */
export const TIMES = ['relative', 'wall', 'call'] as const;
export type Times = (typeof TIMES)[number];

/** The way from one scale to the other. */
export interface Change {
  readonly from: ScaleName;
  /** What was in view before. */
  readonly range: Range;
  /** How much of the way is done, 0 to 1. */
  readonly share: number;
}

/** One end of the ruler: a time, and what stands there. */
export interface Point {
  readonly t: Ns;
  readonly at: string;
}

/** The ruler while somebody measures: nothing fixed yet, one end, or both. */
export interface Ruler {
  readonly from: Point | undefined;
  readonly to: Point | undefined;
  /** The second end no longer follows the pointer. */
  readonly fixed: boolean;
}

export interface Viewport {
  /** Time at the left edge of the plot. */
  readonly from: Ns;
  /** Time at the right edge. */
  readonly to: Ns;
  /** Pixels by which the rows are scrolled up. */
  readonly top: number;
  /** What happens now is kept in view. */
  readonly follow: boolean;
  /** The drawing stands still at this time while the recording goes on. */
  readonly heldAt: Ns | undefined;
  readonly scale: ScaleName;
  readonly change: Change | undefined;
  readonly times: Times;
  /** `auto`: a row for each call, packed by server once there are too many of them. */
  readonly grouping: Grouping | 'auto';
  readonly ruler: Ruler | undefined;
  /** What the timeline's own filter leaves out. */
  readonly facets: Facets;
  /** Whether what is filtered out keeps its place, faint, or gives it up. */
  readonly filtered: 'dim' | 'hide';
}

export interface TimelineView {
  get(): Viewport;
  set(change: Partial<Viewport>): void;
  subscribe(listener: () => void): () => void;
}

/** The length of time that a new view shows. */
const FIRST_SPAN = fromMs(4000);

const FIRST: Viewport = {
  from: ZERO,
  to: asNs(FIRST_SPAN),
  top: 0,
  follow: true,
  heldAt: undefined,
  scale: 'clock',
  change: undefined,
  times: 'relative',
  grouping: 'auto',
  ruler: undefined,
  facets: NO_FACETS,
  filtered: 'dim',
};

/** A view of the beginning that follows what happens. */
export function timelineView(initial: Partial<Viewport> = {}): TimelineView {
  let viewport: Viewport = { ...FIRST, ...initial };
  const listeners = new Set<() => void>();
  return {
    get: () => viewport,
    set(change) {
      const next = { ...viewport, ...change };
      if (same(next, viewport)) return;
      viewport = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const same = (a: Viewport, b: Viewport): boolean => Object.keys(a).every((key) => a[key as keyof Viewport] === b[key as keyof Viewport]);

/** One fact of the view as React state. Choose something that does not change on every frame, such as `follow`. */
export const useView = <T extends string | number | boolean | object | undefined>(
  view: TimelineView,
  choose: (viewport: Viewport) => T,
): T => useSyncExternalStore(view.subscribe, () => choose(view.get()));
