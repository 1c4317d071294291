// What the window says about a tool before it is called, from nothing but the server's own hints. Absent hints have the
// defaults of the specification (2025-11-25, ToolAnnotations): not read-only, destructive, not idempotent, open world.
import type { Tool } from '../app/contract/host';
import type { ToolHints } from '../app/wire/jsonrpc';

export type Badge = 'R' | 'W' | 'D' | '?';

/** R: declared read-only. W: declared not destructive. D: destructive, declared so or by default. ?: no hints at all. */
export function badgeOf(tool: ToolHints): Badge {
  if (tool.readOnly === true) return 'R';
  const annotated = [tool.readOnly, tool.destructive, tool.idempotent, tool.openWorld].some((hint) => hint !== undefined);
  if (!annotated) return '?';
  return tool.destructive === false ? 'W' : 'D';
}

export const BADGE_WORDS: Readonly<Record<Badge, string>> = {
  R: 'declared read-only (a hint, not a proof)',
  W: 'writes; declared not destructive',
  D: 'writes; destructive, declared so or by default',
  '?': 'no annotations: treated as a destructive write',
};

export const mayWrite = (tool: ToolHints): boolean => tool.readOnly !== true;

export const WRITE_WARNING = 'This tool writes. Stop asks; it does not undo.';

/** The same before the press, for a tool that only may write. */
export const writeWarning = (tool: ToolHints): string | undefined => {
  if (!mayWrite(tool)) return undefined;
  return badgeOf(tool) === '?' ? 'This tool declares nothing, so it may write. Stop asks; it does not undo.' : WRITE_WARNING;
};

/** Whether a call of a tool runs as a task. @param task what was chosen; undefined: as the tool demands */
export function runsAsTask({ taskSupport }: Pick<Tool, 'taskSupport'>, task: boolean | undefined): boolean {
  switch (taskSupport) {
    case 'forbidden':
      return false;
    case 'optional':
      return task === true;
    case 'required':
      return task !== false;
  }
}
