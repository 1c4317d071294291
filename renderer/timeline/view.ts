// What part of time and of the rows is in view. It changes on every frame while following or panning, so it is no React
// state: timeline and overview share this object and subscribe to it.
import { useSyncExternalStore } from 'react';
import { asNs, fromMs, type Ns, ZERO } from '../../app/base/time';

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
}

export interface TimelineView {
  get(): Viewport;
  set(change: Partial<Viewport>): void;
  subscribe(listener: () => void): () => void;
}

/** The length of time that a new view shows. */
const FIRST_SPAN = fromMs(4000);

/** A view of the beginning that follows what happens. */
export function timelineView(initial: Partial<Viewport> = {}): TimelineView {
  let viewport: Viewport = { from: ZERO, to: asNs(FIRST_SPAN), top: 0, follow: true, heldAt: undefined, ...initial };
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

const same = (a: Viewport, b: Viewport): boolean =>
  a.from === b.from && a.to === b.to && a.top === b.top && a.follow === b.follow && a.heldAt === b.heldAt;

/** One fact of the view as React state. Choose something that does not change on every frame, such as `follow`. */
export const useView = <T extends string | number | boolean | undefined>(view: TimelineView, choose: (viewport: Viewport) => T): T =>
  useSyncExternalStore(view.subscribe, () => choose(view.get()));
