import type { TimelineModel } from './model';
import type { TimelineController } from './TimelineController';

export interface OverviewProps {
  readonly model: TimelineModel;
  readonly controller: TimelineController;
  /** A verdict's sign was clicked. */
  readonly onSelect: (selection: { readonly call: number }) => void;
}

export function Overview(_: OverviewProps) {
  return <div className="overview" />;
}
