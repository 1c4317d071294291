// Searching in words. Bodies lie in the trace file, so the host looks for them, a moment at a time, from the first frame to
// the last and on with every frame that comes; here is kept what it has found. Other words, or another view, begin anew, and
// what is still answered for the old ones is forgotten.
import type { Seq } from '../app/wire/frame';
import type { Feed } from './feed';

/** The most frames that are kept of a search: what lies behind them is not searched. */
export const FOUND_MOST = 100_000;
/** Words are looked for when nobody has typed for so long, in ms. */
const TYPED_MS = 150;

export interface Finds {
  /** What is looked for; '' for nothing. */
  readonly text: string;
  /** Frames that have the words, ascending. */
  readonly seqs: readonly Seq[];
  /** Frames that have been looked at: all before this one. */
  readonly searched: Seq;
  /** {@link FOUND_MOST} have been found: there may be more. */
  readonly full: boolean;
  /** Why the search went no further, in the host's words. */
  readonly failed: string | undefined;
}

export interface Searching {
  /** Looks for words from now on; '' ends it. */
  look(text: string): void;
  /** A new object whenever something in it has changed. */
  readonly finds: () => Finds;
  /** Whether one of a call's frames has been found. */
  hasCall(call: number): boolean;
  subscribe(subscriber: () => void): () => void;
  /** Grows whenever `finds` changes. */
  readonly version: () => number;
}

const NOTHING: Finds = { text: '', seqs: [], searched: 0, full: false, failed: undefined };

/** A search over the feed's view. */
export function searching(feed: Feed): Searching {
  const subscribers = new Set<() => void>();
  let finds = NOTHING;
  let version = 0;
  let asking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Calls of the frames found, as far as these are here. */
  let calls = new Set<number>();
  let counted = 0;

  const set = (next: Finds): void => {
    finds = next;
    version++;
    for (const subscriber of subscribers) subscriber();
  };
  const restart = (text: string): void => {
    calls = new Set();
    counted = 0;
    set({ ...NOTHING, text });
    clearTimeout(timer);
    timer = text === '' ? undefined : setTimeout(goOn, TYPED_MS);
  };
  /** Asks for the next part, unless it has been asked for, or there is none. */
  const goOn = (): void => {
    const { view } = feed;
    const { text, searched, full, failed } = finds;
    if (asking || !view || text === '' || full || failed !== undefined || searched >= feed.trace.length) return;
    const mine = finds.text;
    asking = true;
    feed
      .request('frame.search', { view: view.id, text, from: searched })
      .then(
        ({ seqs, next }) => {
          if (feed.view?.id !== view.id || finds.text !== mine || finds.searched !== searched) return;
          const all = seqs.length === 0 ? finds.seqs : [...finds.seqs, ...seqs].slice(0, FOUND_MOST);
          set({ ...finds, seqs: all, searched: next, full: all.length === FOUND_MOST });
        },
        (error: unknown) => {
          if (finds.text === mine) set({ ...finds, failed: error instanceof Error ? error.message : String(error) });
        },
      )
      .finally(() => {
        asking = false;
        goOn();
      });
  };
  feed.on('view', () => restart(finds.text));
  // Whatever comes is looked at as well.
  feed.subscribe(() => {
    if (timer !== undefined) goOn();
  });

  return {
    look(text) {
      const words = text.trim();
      if (words !== finds.text) restart(words);
    },
    finds: () => finds,
    hasCall(call) {
      for (; counted < finds.seqs.length; counted++) {
        const seq = finds.seqs[counted] ?? 0;
        if (seq >= feed.calls.folded) break;
        const owner = feed.calls.ofFrame(seq);
        if (owner) calls.add(owner.index);
      }
      return calls.has(call);
    },
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    version: () => version,
  };
}

/** How far a search is, as a sentence; undefined where nothing is looked for. */
export function searchText({ text, seqs, searched, full, failed }: Finds, frames: number): string | undefined {
  if (text === '') return undefined;
  const found = `${seqs.length.toLocaleString('en')} ${seqs.length === 1 ? 'frame has' : 'frames have'} it`;
  if (failed !== undefined) return `bodies could not be searched: ${failed}`;
  if (full) return `the first ${found}, there may be more`;
  if (searched < frames) return `${found}, searched ${searched.toLocaleString('en')} of ${frames.toLocaleString('en')} frames`;
  return found;
}
