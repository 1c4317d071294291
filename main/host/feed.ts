// What the window is shown of one view, live or of a file: the frames in batches, in order and without holes, and after
// them the verdicts that changed. It knows neither recorder nor port; the host tells it when to send.
import type { Ns } from '../../app/base/time';
import type { Events, View } from '../../app/contract/host';
import type { Trace } from '../../app/trace/trace';
import type { Judge } from '../../app/verdict/judge';
import type { Finding, Verdict } from '../../app/verdict/verdict';
import type { Seq } from '../../app/wire/frame';
import { nextBatch, START } from './batches';

/** At most so many batches in one turn: a long trace reaches the window while both sides stay responsive. */
const BATCHES_AT_ONCE = 16;
const VERDICTS_AT_ONCE = 500;

export interface FeedOptions {
  readonly view: View;
  readonly trace: Trace;
  readonly judge: Judge;
  readonly now: () => Ns;
  readonly batch: (event: Events['batch']) => void;
  readonly verdicts: (event: Events['verdicts']) => void;
}

export interface Feed {
  readonly view: View;
  /** How many frames have been sent. */
  readonly frames: Seq;
  /** Notes verdicts that changed; they go out after the frames that changed them. */
  changed(verdicts: readonly Verdict[]): void;
  /** Sends what is new. @returns false when there is more than fits in one turn */
  send(): boolean;
}

/** A feed that begins at frame 0 and brings every verdict once. */
export function feed({ view, trace, judge, now, batch, verdicts }: FeedOptions): Feed {
  const changed = new Set(judge.calls.all.map((call) => call.index));
  let cursor = START;
  let findings: readonly Finding[] = [];

  const sendBatches = (): boolean => {
    for (let n = 0; n < BATCHES_AT_ONCE; n++) {
      const next = nextBatch(trace, cursor);
      if (!next) return true;
      cursor = next.cursor;
      batch({ view: view.id, batch: next.batch, now: now() });
    }
    return cursor.frames >= trace.length;
  };

  const sendVerdicts = (): boolean => {
    const calls = [...changed].slice(0, VERDICTS_AT_ONCE);
    for (const call of calls) changed.delete(call);
    // A file that is still being judged has no findings yet: they are about all of it, and cost a look at all of it.
    const now = judge.calls.folded === trace.length ? judge.findings : findings;
    const news = findings === now ? undefined : now;
    findings = now;
    if (calls.length > 0 || news) verdicts({ view: view.id, verdicts: calls.flatMap((call) => judge.verdict(call) ?? []), findings: news });
    return changed.size === 0;
  };

  return {
    view,
    get frames() {
      return cursor.frames;
    },
    changed(more) {
      for (const { call } of more) changed.add(call);
    },
    send: () => sendBatches() && sendVerdicts(),
  };
}
