// Short words for what a verdict holds, for whoever has room for a label only: the timeline of the window, its picture in
// a report, and the one in characters. They stand here once, so that all three say the same.
import type { StopState } from './verdict';

/** What an effect came after: `after cancel`. A client that told nobody has not cancelled anything. */
export const AFTER: Readonly<Record<StopState, string>> = {
  sent: 'after cancel',
  'stream-closed': 'after cancel',
  'task-cancel': 'after cancel',
  'not-sent': 'after giving up',
  misaddressed: 'after giving up',
  undelivered: 'after stop',
  killed: 'after kill',
  'too-late': 'after stop',
  none: 'after stop',
};
