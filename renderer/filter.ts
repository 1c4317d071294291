// The filter box and the severity toggles: which calls, frames and findings are shown. Words are matched without regard
// to case, all of them, anywhere in what a person can read of the row. Bodies are searched by the host (searching.ts).

import { hasWords, textsOfFrame, wordsOf } from '../app/report/find';
import type { Call } from '../app/trace/calls';
import type { Trace } from '../app/trace/trace';
import type { Finding, Severity, Verdict } from '../app/verdict/verdict';
import type { Seq } from '../app/wire/frame';
import { idText } from '../app/wire/jsonrpc';

/** The four signs of severity: ok and info share one. */
export const SIGNS = ['quiet', 'note', 'warn', 'breach'] as const;
export type Sign = (typeof SIGNS)[number];

export const signOf = (severity: Severity): Sign => (severity === 'ok' || severity === 'info' ? 'quiet' : severity);

export interface Filter {
  readonly text: string;
  /** Signs to show; empty shows all. */
  readonly signs: readonly Sign[];
}

export const isFiltering = (filter: Filter): boolean => filter.text.trim() !== '' || filter.signs.length > 0;

const says = (filter: Filter, texts: readonly (string | undefined)[]): boolean => hasWords(wordsOf(filter.text), texts);

const hasSign = (filter: Filter, severity: Severity | undefined): boolean =>
  filter.signs.length === 0 || filter.signs.includes(signOf(severity ?? 'info'));

/** @param found whether the words stand in one of the call's frames, as far as these have been searched */
export function showsCall(filter: Filter, call: Call, verdict: Verdict | undefined, found = false): boolean {
  if (!hasSign(filter, verdict?.severity)) return false;
  return found || says(filter, [call.tool, call.method, idText(call.key), verdict?.verdict, verdict?.sentence]);
}

/** @param found whether the words stand in the frame, body and all; undefined where it has not been searched */
export function showsFrame(
  filter: Filter,
  trace: Trace,
  seq: Seq,
  call: Call | undefined,
  verdict: Verdict | undefined,
  found?: boolean,
): boolean {
  if (!hasSign(filter, verdict?.severity)) return false;
  return found ?? says(filter, textsOfFrame(trace, seq, call, verdict));
}

export function showsFinding(filter: Filter, finding: Finding): boolean {
  if (!hasSign(filter, finding.severity)) return false;
  return says(filter, [finding.finding, finding.sentence]);
}
