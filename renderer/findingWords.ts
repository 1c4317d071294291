// What is behind a finding whose name alone says little: the rule that it is measured by, in a sentence or two.
import type { FindingName } from '../app/verdict/verdict';

export const FINDING_HINTS: Readonly<Partial<Record<FindingName, string>>> = {
  'cancel-ignored-by-revision':
    'Up to 2025-11-25 a server should not reply to a cancelled request; since 2026-07-28 it must not send anything further for it, progress included. What comes so soon that the cancel need not have been read is excused.',
  'task-completed-after-cancel':
    'In 2025-11-25 a task is cancelled before tasks/cancel is answered, and stays so even if its work goes on. In the later extension the answer only acknowledges: a task that completes all the same breaks nothing, unless it had said “cancelled” itself.',
};
