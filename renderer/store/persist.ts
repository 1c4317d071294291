// What the window wants to find again at the next start goes into the settings' `window` part, which the host keeps
// without looking into it. Everything read back is checked: an older or a broken value falls back to the beginning.
import { z } from 'zod';
import type { Feed } from '../feed';
import { DEFAULT_REASON, SIDES, type State, type Store, TABS } from './state';

const remembered = z.object({
  tab: z.enum(TABS).catch('wire'),
  side: z.enum(SIDES).catch('tools'),
  tool: z.string().optional().catch(undefined),
  reason: z.string().max(500).catch(DEFAULT_REASON),
  rawOpen: z.boolean().catch(false),
  panels: z.record(z.string(), z.record(z.string(), z.number())).catch({}),
});

const DEBOUNCE_MS = 400;

/** The part of the state that is remembered, as it was stored. */
export function restore(stored: Readonly<Record<string, unknown>>): Pick<State, 'tab' | 'side' | 'tool' | 'reason' | 'rawOpen' | 'panels'> {
  const { tab, side, tool, reason, rawOpen, panels } = remembered.parse(stored);
  return { tab, side, tool, reason, rawOpen, panels };
}

const part = ({ tab, side, tool, reason, rawOpen, panels }: State): Record<string, unknown> => ({
  tab,
  side,
  ...(tool === undefined ? {} : { tool }),
  reason,
  rawOpen,
  panels,
});

/** Writes the remembered part after it has rested for a moment. @returns stops */
export function persist(store: Store, feed: Feed): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = store.subscribe((state, before) => {
    if (!state.settled || !before.settled) return;
    if (JSON.stringify(part(state)) === JSON.stringify(part(before))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // A host that is gone is shown elsewhere; what was to be remembered is only the look of the window.
      void feed.request('settings.set', { patch: { window: part(store.getState()) } }).catch(() => undefined);
    }, DEBOUNCE_MS);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
