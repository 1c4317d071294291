// The sign of a task's state: a shape for each, as on the timeline; the word stands beside it.
import { Ban, Check, CircleDashed, CircleQuestionMark, Loader, X } from 'lucide-react';

const SIGNS = { working: Loader, input_required: CircleQuestionMark, completed: Check, failed: X, cancelled: Ban } as const;
const isKnown = (status: string): status is keyof typeof SIGNS => status in SIGNS;

export function TaskSign({ status }: { readonly status: string }) {
  const Sign = isKnown(status) ? SIGNS[status] : CircleDashed;
  return <Sign size={13} aria-hidden className="task-sign" />;
}
