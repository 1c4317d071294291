// Bodies of frames stay in the trace file; the window asks for those that somebody looks at, in one request per moment,
// and keeps the newest few thousand.
import type { FrameBody } from '../app/contract/host';
import type { Kind, Seq } from '../app/wire/frame';
import type { Feed } from './feed';

const KEEP = 4000;
const AT_ONCE = 500;

export interface Bodies {
  /** The body when it is here; undefined while it is not. Does not ask. */
  get(seq: Seq): FrameBody | undefined;
  /** Asks for bodies that are not here yet; subscribers hear when they are. */
  want(seqs: Iterable<Seq>): void;
  /** Asks and waits. @throws what the host answers */
  read(seqs: readonly Seq[]): Promise<readonly (FrameBody | undefined)[]>;
  subscribe(subscriber: () => void): () => void;
  /** Grows whenever bodies arrived. */
  readonly version: () => number;
}

/** The text of a raw body; undefined when the trace file no longer has it. Bytes that are not UTF-8 are said to be so. */
export function textOf(body: FrameBody | undefined): string | undefined {
  if (!body?.raw) return undefined;
  return 'text' in body.raw ? body.raw.text : `not UTF-8, base64: ${body.raw.base64}`;
}

/** Whether a frame of a kind has a text of its own that is worth asking for. */
export const hasBody = (kind: Kind): boolean => kind === 'message' || kind === 'noise' || kind === 'http';

/** A cache over the feed; empties itself when another view begins. */
export function bodies(feed: Feed): Bodies {
  const known = new Map<Seq, FrameBody>();
  const wanted = new Set<Seq>();
  const asked = new Set<Seq>();
  const subscribers = new Set<() => void>();
  let version = 0;
  let timer = false;

  const changed = (): void => {
    version++;
    for (const subscriber of subscribers) subscriber();
  };
  const keep = (list: readonly FrameBody[]): void => {
    for (const body of list) {
      known.delete(body.seq);
      known.set(body.seq, body);
    }
    for (const seq of known.keys()) {
      if (known.size <= KEEP) break;
      known.delete(seq);
    }
  };
  const fetch = async (seqs: readonly Seq[]): Promise<void> => {
    const view = feed.view?.id;
    for (const seq of seqs) asked.add(seq);
    try {
      const list = await feed.bodies(seqs);
      if (feed.view?.id === view) keep(list);
    } finally {
      for (const seq of seqs) asked.delete(seq);
    }
    changed();
  };
  const flush = (): void => {
    timer = false;
    // Newest first: those are looked at while the others are on their way.
    const seqs = [...wanted].sort((a, b) => b - a).slice(0, KEEP);
    wanted.clear();
    // Nobody waits for these answers: a host that is gone is shown elsewhere.
    for (let i = 0; i < seqs.length; i += AT_ONCE) void fetch(seqs.slice(i, i + AT_ONCE)).catch(() => undefined);
  };

  feed.on('view', () => {
    known.clear();
    wanted.clear();
    changed();
  });

  return {
    get: (seq) => known.get(seq),
    want(seqs) {
      for (const seq of seqs) if (!known.has(seq) && !asked.has(seq)) wanted.add(seq);
      if (wanted.size === 0 || timer) return;
      timer = true;
      setTimeout(flush, 30);
    },
    async read(seqs) {
      const missing = seqs.filter((seq) => !known.has(seq));
      for (let i = 0; i < missing.length; i += AT_ONCE) await fetch(missing.slice(i, i + AT_ONCE));
      return seqs.map((seq) => known.get(seq));
    },
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    version: () => version,
  };
}
