// Finding by words: every word, anywhere in what a person can read of a row, capitals or not. The host asks it of every
// frame with its body, the window of what it knows without bodies; both ask the same.
import type { Call } from '../trace/calls';
import type { Trace } from '../trace/trace';
import type { Verdict } from '../verdict/verdict';
import type { Seq } from '../wire/frame';
import { idText } from '../wire/jsonrpc';

/** The words of what somebody typed, in small letters. */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether all words stand somewhere in the texts. */
export function hasWords(words: readonly string[], texts: readonly (string | undefined)[]): boolean {
  const hay = texts.filter(Boolean).join('\n').toLowerCase();
  return words.every((word) => hay.includes(word));
}

/** What can be read of a frame's row beside its body. */
export function textsOfFrame(
  trace: Trace,
  seq: Seq,
  call: Call | undefined,
  verdict: Verdict | undefined,
): readonly (string | undefined)[] {
  const key = trace.key(seq);
  return [trace.name(seq), trace.kind(seq), trace.shape(seq), key && idText(key), call?.tool, call?.method, verdict?.verdict];
}
