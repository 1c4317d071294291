// The one box to tick, with its words. The component library makes it, so it looks the same in both themes and on every
// system; a press on the words ticks it too.
import { Checkbox } from '@base-ui/react/checkbox';
import { Check as CheckMark } from 'lucide-react';
import type { ReactNode } from 'react';

interface Props {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  /** What it is called where its words say more or less than that. */
  readonly label?: string;
  readonly id?: string;
  readonly disabled?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Check({ checked, onChange, label, id, disabled = false, className = 'row', children }: Props) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box is inside, made by the component library
    <label className={className}>
      <Checkbox.Root
        className="check"
        checked={checked}
        disabled={disabled}
        onCheckedChange={(next) => onChange(next)}
        {...(label === undefined ? {} : { 'aria-label': label })}
        {...(id === undefined ? {} : { id })}
      >
        <Checkbox.Indicator>
          <CheckMark size={11} strokeWidth={3} aria-hidden />
        </Checkbox.Indicator>
      </Checkbox.Root>
      {children}
    </label>
  );
}
