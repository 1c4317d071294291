import type { ReactNode } from 'react';
import type { Density, Selection, TimelineModel } from './model';
import type { TimelineController } from './TimelineController';

export interface TimelineProps {
  readonly model: TimelineModel;
  readonly controller: TimelineController;
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection | undefined) => void;
  readonly density: Density;
  /** Calls whose rows are drawn faint, such as those that a filter leaves out. */
  readonly dimmed?: (call: number) => boolean;
  /** Shown in the middle while there are no calls. */
  readonly empty?: ReactNode;
}

export function Timeline(_: TimelineProps) {
  return <div className="timeline" />;
}
