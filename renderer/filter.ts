// The filter box and the severity toggles: which calls, frames and findings are shown. Words are matched without regard
// to case, all of them, anywhere in what a person can read of the row.

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

const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

function says(filter: Filter, texts: readonly (string | undefined)[]): boolean {
  const hay = texts.filter(Boolean).join('\n').toLowerCase();
  return wordsOf(filter.text).every((word) => hay.includes(word));
}

/** @param bodies texts of the call's messages, as far as they are known already */
export function showsCall(filter: Filter, call: Call, verdict: Verdict | undefined, bodies: readonly (string | undefined)[] = []): boolean {
  if (filter.signs.length > 0 && !filter.signs.includes(signOf(verdict?.severity ?? 'info'))) return false;
  return says(filter, [call.tool, call.method, idText(call.key), verdict?.verdict, verdict?.sentence, ...bodies]);
}

/** @param body the frame's text, where it is known already */
export function showsFrame(
  filter: Filter,
  trace: Trace,
  seq: Seq,
  call: Call | undefined,
  verdict: Verdict | undefined,
  body?: string,
): boolean {
  if (filter.signs.length > 0 && !filter.signs.includes(signOf(verdict?.severity ?? 'info'))) return false;
  const key = trace.key(seq);
  return says(filter, [
    trace.name(seq),
    trace.kind(seq),
    trace.shape(seq),
    key && idText(key),
    call?.tool,
    call?.method,
    verdict?.verdict,
    body,
  ]);
}

export function showsFinding(filter: Filter, finding: Finding): boolean {
  if (filter.signs.length > 0 && !filter.signs.includes(signOf(finding.severity))) return false;
  return says(filter, [finding.finding, finding.sentence]);
}
