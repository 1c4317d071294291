// The few kinds of fields that the probe's form is made of.
import { type ReactNode, useId } from 'react';
import { Check } from '../../ui/Check';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly mono?: boolean;
  readonly secret?: boolean;
  readonly disabled?: boolean;
  readonly invalid?: boolean;
  readonly hint?: ReactNode;
  /** Stands after the field, on its line. */
  readonly beside?: ReactNode;
  readonly unit?: string;
}

export function Field(props: FieldProps) {
  const {
    label,
    value,
    onChange,
    placeholder,
    mono = false,
    secret = false,
    disabled = false,
    invalid = false,
    hint,
    beside,
    unit,
  } = props;
  const id = useId();
  const input = (
    <input
      id={id}
      className={mono ? 'field mono' : 'field'}
      type={secret ? 'password' : 'text'}
      autoComplete="off"
      spellCheck={false}
      value={value}
      placeholder={placeholder}
      disabled={disabled}
      aria-invalid={invalid}
      aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      {...(unit === undefined ? {} : { inputMode: 'numeric' as const })}
      onChange={(event) => onChange(event.target.value)}
    />
  );
  return (
    <div className="label">
      <label htmlFor={id}>{label}</label>
      <span className="row">
        {unit === undefined ? (
          input
        ) : (
          <span className="with-unit grow">
            {input}
            <span className="unit" aria-hidden>
              {unit}
            </span>
          </span>
        )}
        {beside}
      </span>
      {hint !== undefined && (
        <small id={`${id}-hint`} className="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

interface AreaProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly rows?: number;
}

export function Area({ label, value, onChange, placeholder, rows = 2 }: AreaProps) {
  const id = useId();
  return (
    <div className="label">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="field mono"
        rows={rows}
        spellCheck={false}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly text: string }[];
  readonly onChange: (value: T) => void;
}

export function Choice<T extends string>({ label, value, choices, onChange }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div className="label">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value as T)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface TickProps {
  readonly label: string;
  readonly hint: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Tick({ label, hint, checked, onChange }: TickProps) {
  return (
    <Check className="row tick" checked={checked} onChange={onChange} label={label}>
      <span>
        {label} <span className="hint">{hint}</span>
      </span>
    </Check>
  );
}
