// Faults of one's own: the rules that are on, in their order, and a form for one more.
import { type FormEvent, useId, useState } from 'react';
import { type FaultRule, ruleKey, ruleText } from '../../../app/scenario/faults';
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';
import { FAULT_CHOICES, type FaultDraft, NEW_FAULT, needsTime, ruleOf, SUBJECT_CHOICES, UNTIL_CHOICES } from './draft';
import './faults.css';

const DIRECTIONS = [
  { value: 'both', label: 'in both directions' },
  { value: 'c2s', label: 'to the server' },
  { value: 's2c', label: 'from the server' },
] as const;

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly { readonly value: T; readonly label: string }[];
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ label, value, choices, onChoose }: ChoiceProps<T>) {
  return (
    <label className="label">
      {label}
      <select
        className="field"
        value={value}
        onChange={(event) => {
          const chosen = choices.find((choice) => choice.value === event.target.value);
          if (chosen) onChoose(chosen.value);
        }}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly wrong?: string | undefined;
  readonly onChange: (value: string) => void;
}

function Text({ label, value, hint, wrong, onChange }: TextProps) {
  const id = useId();
  return (
    <label className="label">
      {label}
      <input
        className="field mono"
        value={value}
        placeholder={hint}
        spellCheck={false}
        aria-invalid={wrong !== undefined}
        aria-describedby={wrong === undefined ? undefined : id}
        onChange={(event) => onChange(event.target.value)}
      />
      {wrong !== undefined && (
        <span id={id} className="hint" role="alert">
          {wrong}
        </span>
      )}
    </label>
  );
}

function Rules({ rules }: { readonly rules: readonly FaultRule[] }) {
  const { actions } = useStopgap();
  if (rules.length === 0) return <p className="hint">No fault is on.</p>;
  return (
    <ol className="fault-rules" aria-label="Faults that are on">
      {rules.map((rule) => (
        <li key={ruleKey(rule)}>
          <span>
            {rule.title !== undefined && <b>{rule.title}: </b>}
            {ruleText(rule)}
          </span>
          <button type="button" className="button small" onClick={() => void actions.setFaults(rules.filter((other) => other !== rule))}>
            Remove
          </button>
        </li>
      ))}
    </ol>
  );
}

export function FaultDialog() {
  const { actions } = useStopgap();
  const rules = useSelect(({ status }) => status.faults.rules);
  const [draft, setDraft] = useState<FaultDraft>(NEW_FAULT);
  const [tried, setTried] = useState(false);
  const change = (to: Partial<FaultDraft>): void => setDraft((before) => ({ ...before, ...to }));
  const made = ruleOf(draft);
  const wrong = (field: 'ms' | 'times'): string | undefined => (tried && 'field' in made && made.field === field ? made.says : undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (!('rule' in made)) return;
    void actions.setFaults([...rules, made.rule]);
    actions.closeDialog();
  };
  return (
    <Dialog
      title="Faults of your own"
      description="What is done on purpose to messages between client and server. The first rule that names a message decides. The trace keeps what the server really sent, and marks the rest as ours."
      onClose={actions.closeDialog}
    >
      <Rules rules={rules} />
      <form className="fault-form" onSubmit={submit}>
        <div className="fault-row">
          <Choice label="What to do" value={draft.fault} choices={FAULT_CHOICES} onChoose={(fault) => change({ fault })} />
          <Choice label="With" value={draft.on} choices={SUBJECT_CHOICES} onChoose={(on) => change({ on })} />
        </div>
        <div className="fault-row">
          <Choice label="Direction" value={draft.dir} choices={DIRECTIONS} onChoose={(dir) => change({ dir })} />
          {draft.fault === 'hold' && (
            <Choice label="Until" value={draft.until} choices={UNTIL_CHOICES} onChoose={(until) => change({ until })} />
          )}
          {needsTime(draft) && (
            <Text label="Milliseconds" value={draft.ms} hint="500" wrong={wrong('ms')} onChange={(ms) => change({ ms })} />
          )}
        </div>
        <div className="fault-row">
          <Text label="Only this method" value={draft.method} hint="tools/call" onChange={(method) => change({ method })} />
          <Text label="Only this tool" value={draft.tool} hint="any" onChange={(tool) => change({ tool })} />
        </div>
        <div className="fault-row">
          <Text label="Only the call with this id" value={draft.call} hint="#7" onChange={(call) => change({ call })} />
          <Text
            label="So many times"
            value={draft.times}
            hint="every time"
            wrong={wrong('times')}
            onChange={(times) => change({ times })}
          />
        </div>
        <p className="hint">{'rule' in made ? `It will ${ruleText(made.rule)}.` : ' '}</p>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={actions.closeDialog}>
            Close
          </button>
          <button type="submit" className="button go">
            Turn it on
          </button>
        </div>
      </form>
    </Dialog>
  );
}
