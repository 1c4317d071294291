// A field for a length of time in whole milliseconds, which may be left empty.

const DAY_MS = 86_400_000;

/** The digits of what was typed, at most a day. */
function wholeNumber(text: string): number | undefined {
  const digits = text.replace(/\D/g, '');
  return digits === '' ? undefined : Math.min(DAY_MS, Number(digits));
}

interface Props {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (ms: number | undefined) => void;
  readonly hint: string;
}

export function Milliseconds({ label, value, onChange, hint }: Props) {
  return (
    <label className="label">
      {label}
      <span className="with-unit">
        <input
          className="field"
          inputMode="numeric"
          value={value ?? ''}
          placeholder={hint}
          onChange={(event) => onChange(wholeNumber(event.target.value))}
        />
        <span className="unit" aria-hidden>
          ms
        </span>
      </span>
    </label>
  );
}
