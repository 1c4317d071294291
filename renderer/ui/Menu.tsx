// A menu behind a button. It counts as a layer for Escape; everything else is the component library's.
import { Menu as Base } from '@base-ui/react/menu';
import { ChevronRight } from 'lucide-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useLayer } from '../context';
import './ui.css';

interface Props {
  /** The button; gets the menu's attributes. */
  readonly trigger: ReactElement;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
}

export function Menu({ trigger, children, align = 'start' }: Props) {
  const [open, setOpen] = useState(false);
  useLayer(open, () => setOpen(false));
  return (
    <Base.Root open={open} onOpenChange={setOpen} modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="positioner">
          <Base.Popup className="menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** A menu behind an item of a menu. */
export function MenuMore({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Base.SubmenuRoot>
      <Base.SubmenuTrigger className="menu-item">
        <span className="menu-label">{label}</span>
        <ChevronRight size={14} aria-hidden />
      </Base.SubmenuTrigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="positioner">
          <Base.Popup className="menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.SubmenuRoot>
  );
}

interface ItemProps {
  readonly children: ReactNode;
  readonly onPress: () => void;
  readonly disabled?: boolean;
  /** A second line: what will happen. */
  readonly hint?: ReactNode;
  readonly keys?: string | undefined;
}

export function MenuItem({ children, onPress, disabled = false, hint, keys }: ItemProps) {
  return (
    <Base.Item className="menu-item" onClick={onPress} disabled={disabled}>
      <span className="menu-label">
        {children}
        {hint !== undefined && <small>{hint}</small>}
      </span>
      {keys && <kbd>{keys}</kbd>}
    </Base.Item>
  );
}

export function MenuGroup({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Base.Group>
      <Base.GroupLabel className="menu-group">{label}</Base.GroupLabel>
      {children}
    </Base.Group>
  );
}

export const MenuLine = () => <Base.Separator className="menu-line" />;

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  readonly onChoose: (value: T) => void;
}

export function MenuChoice<T extends string>({ label, value, choices, onChoose }: ChoiceProps<T>) {
  return (
    <Base.Group>
      <Base.GroupLabel className="menu-group">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={(chosen: T) => onChoose(chosen)}>
        {choices.map((choice) => (
          <Base.RadioItem key={choice.value} value={choice.value} className="menu-item">
            <span className="menu-check">
              <Base.RadioItemIndicator>✓</Base.RadioItemIndicator>
            </span>
            <span className="menu-label">{choice.label}</span>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}
