// Looks for words in all frames of a trace, bodies and all. It answers after a moment with what it has found and where it
// is; whoever wants the rest asks again from there, and whoever no longer wants it does not: so nothing has to be called
// off, and a running race never waits for a search.
import { hasWords, textsOfFrame, wordsOf } from '../../app/report/find';
import type { Calls } from '../../app/trace/calls';
import type { Trace } from '../../app/trace/trace';
import type { Verdict } from '../../app/verdict/verdict';
import type { Seq } from '../../app/wire/frame';

/** What is searched. */
export interface Searched {
  readonly trace: Trace;
  readonly calls: Calls;
  verdict(call: number): Verdict | undefined;
  /** Raw texts of frames, in the order asked for; undefined where a body is no text, or no longer kept. */
  texts(seqs: readonly Seq[]): Promise<readonly (string | undefined)[]>;
}

/** Frames that were found, ascending, and the first frame that has not been looked at. */
export interface Found {
  readonly seqs: readonly Seq[];
  readonly next: Seq;
}

/** Bodies read in one go: about a millisecond's work. */
const AT_ONCE = 512;
/** How long one answer may take, in ms. */
const ANSWER_MS = 60;
/** The most that one answer brings; the rest comes with the next. */
export const MOST = 10_000;

/** @param text words, all of which a frame must have @param from the first frame to look at */
export async function search(searched: Searched, text: string, from: Seq): Promise<Found> {
  const words = wordsOf(text);
  const { trace } = searched;
  const until = performance.now() + ANSWER_MS;
  const seqs: Seq[] = [];
  let next = from;
  while (next < trace.length && seqs.length + AT_ONCE <= MOST) {
    const end = Math.min(trace.length, next + AT_ONCE);
    const range = Array.from({ length: end - next }, (_, index) => next + index);
    for (const [index, body] of (await searched.texts(range)).entries()) {
      const seq = next + index;
      if (hasAll(searched, words, seq, body)) seqs.push(seq);
    }
    next = end;
    if (performance.now() >= until) break;
  }
  return { seqs, next };
}

function hasAll({ trace, calls, verdict }: Searched, words: readonly string[], seq: Seq, body: string | undefined): boolean {
  const small = body?.toLowerCase() ?? '';
  const missing = words.filter((word) => !small.includes(word));
  if (missing.length === 0) return true;
  const call = calls.ofFrame(seq);
  return hasWords(missing, textsOfFrame(trace, seq, call, call && verdict(call.index)));
}
