// How a text report is set: painted by whoever knows the terminal, wrapped to its width.
import { fromMs, words } from '../base/time';
import type { Severity } from '../verdict/verdict';

/** What a piece of text stands for: the roles of the window's colours, and two weights. */
export type Role = 'request' | 'cancel' | 'late' | 'breach' | 'proof' | 'unknown' | 'fault' | 'faint' | 'strong';

/** Gives a text its colour. The identity where there are none: a mark means the same without. */
export type Paint = (role: Role, text: string) => string;

export const plainPaint: Paint = (_, text) => text;

/** The sign of a severity, the same as in the window's gutter. */
export const SIGNS = { ok: '·', info: '·', note: 'i', warn: '△', breach: '◆' } as const satisfies Record<Severity, string>;
export const SEVERITY_ROLES = { ok: 'proof', info: 'faint', note: 'strong', warn: 'cancel', breach: 'breach' } as const satisfies Record<
  Severity,
  Role
>;

/** What is added to the sentence of a finding that lasts; nothing to that of any other. */
export const lastedWords = (lastsMs: number | null): string => (lastsMs === null ? '' : ` It lasted ${words(fromMs(lastsMs))}.`);

/** A text in lines of at most `width` characters; a word that is longer has a line of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** Items in lines of at most `width` characters, none of them broken. */
export function listed(items: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const item of items) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 2 + item.length <= width) lines[lines.length - 1] = `${line}  ${item}`;
    else lines.push(item);
  }
  return lines;
}

/** A labelled paragraph: the label once, what follows hung behind it. */
export function hung(label: string, text: string, width: number, paint: Paint = plainPaint): readonly string[] {
  const indent = label.length;
  return wrapped(text, Math.max(20, width - indent)).map(
    (line, index) => (index === 0 ? paint('faint', label) : ' '.repeat(indent)) + line,
  );
}
