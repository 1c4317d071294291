// A small panel beside its button. It counts as a layer for Escape.
import { Popover as Base } from '@base-ui/react/popover';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useLayer } from '../context';
import './ui.css';

interface Props {
  readonly trigger: ReactElement;
  readonly title: string;
  readonly align?: 'start' | 'end';
  readonly children: (close: () => void) => ReactNode;
}

export function Popover({ trigger, title, align = 'end', children }: Props) {
  const [open, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  useLayer(open, close);
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align={align} className="positioner">
          <Base.Popup className="popover" tabIndex={0}>
            <Base.Title className="popover-title">{title}</Base.Title>
            {children(close)}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
