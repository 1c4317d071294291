// The composition as components see it: one object made in main.tsx and handed down, no singletons. The hooks below are
// the only ways in which a component is told of anything: a slice of the store, or the feed's version, no more often
// than it asks for.
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { ShellBridge } from '../app/contract/shell';
import type { Actions } from './actions';
import type { Bodies } from './bodies';
import { type Command, keyText } from './commands';
import type { Feed } from './feed';
import type { InFlight } from './inFlight';
import { keymap } from './keymap';
import type { Layers } from './layers';
import type { Finds, Searching } from './searching';
import type { State, Store } from './store/state';
import type { TimelineModel } from './timeline/model';
import type { TimelineController } from './timeline/TimelineController';

export interface Stopgap {
  readonly feed: Feed;
  readonly bodies: Bodies;
  readonly searching: Searching;
  readonly store: Store;
  readonly shell: ShellBridge;
  readonly layers: Layers;
  readonly flight: InFlight;
  readonly actions: Actions;
  /** Drives the mounted timeline and owns its viewport. */
  readonly timeline: TimelineController;
}

export const StopgapContext = createContext<Stopgap | undefined>(undefined);

export function useStopgap(): Stopgap {
  const stopgap = useContext(StopgapContext);
  if (!stopgap) throw new Error('rendered outside of StopgapContext');
  return stopgap;
}

export const useSelect = <T>(selector: (state: State) => T): T => useStore(useStopgap().store, selector);

/** The table of commands with the keys that are in force. */
export function useKeymap(): readonly Command[] {
  const keys = useSelect((state) => state.settings.keys);
  return useMemo(() => keymap(keys), [keys]);
}

/** Tells a command's key as people read it here, by the command's id. */
export function useKeyTexts(): (id: string) => string | undefined {
  const { shell } = useStopgap();
  const commands = useKeymap();
  return useCallback(
    (id) => {
      const command = commands.find((candidate) => candidate.id === id);
      return command && keyText(command, shell.platform === 'darwin');
    },
    [commands, shell],
  );
}

/** A command's key as people read it here. */
export const useKeyText = (id: string): string | undefined => useKeyTexts()(id);

/** A version that grows, at most every `everyMs` (0: whenever it is told of), the last one never left out. */
function useEvery(everyMs: number, subscribe: (subscriber: () => void) => () => void, read: () => number): number {
  const [version, setVersion] = useState(read);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    const show = (): void => {
      timer = undefined;
      last = performance.now();
      setVersion(read());
    };
    const off = subscribe(() => {
      const rest = last + everyMs - performance.now();
      if (timer !== undefined) return;
      if (rest <= 0) show();
      else timer = setTimeout(show, rest);
    });
    show();
    return () => {
      clearTimeout(timer);
      off();
    };
  }, [everyMs, subscribe, read]);
  return version;
}

/** The feed's version; whoever shows lists and counts asks for it a few times a second. */
export function useVersion(everyMs: number): number {
  const { feed } = useStopgap();
  return useEvery(
    everyMs,
    feed.subscribe,
    useCallback(() => feed.version, [feed]),
  );
}

const BODIES_MS = 100;

/** Renders again when bodies that were asked for have arrived. */
export const useBodiesVersion = (): number => {
  const { bodies } = useStopgap();
  return useEvery(BODIES_MS, bodies.subscribe, bodies.version);
};

const FINDS_MS = 250;

/** What the search has found, told anew a few times a second while it goes on. */
export const useFinds = (): Finds => {
  const { searching } = useStopgap();
  useEvery(FINDS_MS, searching.subscribe, searching.version);
  return searching.finds();
};

/** Counts as an open layer for Escape while `open`. */
export function useLayer(open: boolean, close: () => void): void {
  const { layers } = useStopgap();
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => (open ? layers.open(() => latest.current()) : undefined), [open, layers]);
}

/** Calls back about ten times a second while `active`: for elapsed times written into a ref, not rendered. */
export function useTick(active: boolean, tick: () => void, everyMs = 100): void {
  const latest = useRef(tick);
  latest.current = tick;
  useEffect(() => {
    latest.current();
    if (!active) return undefined;
    const timer = setInterval(() => latest.current(), everyMs);
    return () => clearInterval(timer);
  }, [active, everyMs]);
}

/** The feed as the timeline wants it: a new object for each view, which reads the newest data when asked. */
export function useTimelineModel(): TimelineModel {
  const { feed } = useStopgap();
  const view = useSelect((state) => state.view);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the feed's columns are replaced exactly when a view begins
  return useMemo<TimelineModel>(
    () => ({
      trace: feed.trace,
      calls: feed.calls,
      world: feed.world,
      verdict: feed.verdict,
      get version() {
        return feed.version;
      },
      now: feed.now,
      get live() {
        return feed.live;
      },
      get running() {
        return feed.live && feed.running;
      },
      get began() {
        return feed.view && feed.view.path !== '' ? Date.parse(feed.view.began) : undefined;
      },
      subscribe: feed.subscribe,
    }),
    [feed, view],
  );
}
