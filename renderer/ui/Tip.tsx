// A tooltip: more words for what is already named. Nothing is only in a tooltip.
import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import './ui.css';

export function Tip({ says, children }: { readonly says: ReactNode; readonly children: ReactElement }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="positioner">
          <Tooltip.Popup className="tip">{says}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
