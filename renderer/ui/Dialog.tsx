// A modal dialog. It counts as a layer for Escape; focus is kept inside and given back by the component library.
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { useLayer } from '../context';
import './ui.css';

interface Props {
  readonly title: string;
  readonly description?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

export function Dialog({ title, description, onClose, children, wide = false }: Props) {
  useLayer(true, onClose);
  const popup = useRef<HTMLDivElement>(null);
  const firstField = (): HTMLElement | null =>
    popup.current?.querySelector<HTMLElement>('[data-autofocus]') ??
    popup.current?.querySelector<HTMLElement>('input, textarea') ??
    popup.current;
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup ref={popup} initialFocus={firstField} tabIndex={-1} className={wide ? 'dialog wide' : 'dialog'}>
          <header>
            <Base.Title className="dialog-title">{title}</Base.Title>
            <Base.Close className="icon-button" aria-label="Close">
              <X size={16} aria-hidden />
            </Base.Close>
          </header>
          {description !== undefined && <Base.Description className="dialog-description">{description}</Base.Description>}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
