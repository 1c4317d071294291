// A sweep before it begins: the moments, the arguments, what watches, what resets. It writes for real, many times, and says
// so where the button is that begins it.
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Tool } from '../../../app/contract/host';
import type { ResetBy } from '../../../app/contract/lab';
import { draftOf } from '../../actions';
import { useSelect, useStopgap } from '../../context';
import { mayWrite } from '../../tools';
import { Check } from '../../ui/Check';
import { Dialog } from '../../ui/Dialog';
import { firstDraft, RUN, readDraft, SWEEP_MEANS, type SweepDraft, variable, varied } from './sweepDraft';

type Change = (part: Partial<SweepDraft>) => void;
interface PartProps {
  readonly draft: SweepDraft;
  readonly change: Change;
  readonly tool: Tool;
}

function Field({
  label,
  value,
  onChange,
  hint,
  unit,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly hint?: string;
  readonly unit?: string;
}) {
  return (
    <label className="label">
      {label}
      <span className="with-unit">
        <input className="field" inputMode="numeric" value={value} placeholder={hint} onChange={(event) => onChange(event.target.value)} />
        {unit !== undefined && (
          <span className="unit" aria-hidden>
            {unit}
          </span>
        )}
      </span>
    </label>
  );
}

function Choice<T extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}) {
  return (
    <label className="label">
      {label}
      <select className="field" value={value} onChange={(event) => onChange(event.target.value as T)}>
        {choices.map(([choice, says]) => (
          <option key={choice} value={choice}>
            {says}
          </option>
        ))}
      </select>
    </label>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="sweep-group">
      <legend className="heading">{title}</legend>
      {children}
    </fieldset>
  );
}

function Moments({ draft, change }: PartProps) {
  const unit = draft.axis === 'time' ? 'ms' : '';
  return (
    <Group title="When Stop is pressed">
      <div className="sweep-row">
        <Choice
          label="Moments"
          value={draft.how}
          choices={[
            ['boundary', 'where the boundary is'],
            ['grid', 'at even distances'],
            ['random', 'by chance'],
          ]}
          onChange={(how) => change({ how })}
        />
        <Choice
          label="Counted in"
          value={draft.axis}
          choices={[
            ['time', 'time since the call'],
            ['progress', 'notifications of progress'],
          ]}
          onChange={(axis) => change({ axis, from: axis === 'progress' ? '1' : '0' })}
        />
        <Choice
          label="Stopped by"
          value={draft.means}
          choices={SWEEP_MEANS.map((word) => [word, word] as const)}
          onChange={(means) => change({ means })}
        />
      </div>
      <div className="sweep-row">
        <Field label="From" value={draft.from} unit={unit} onChange={(from) => change({ from })} />
        <Field label="To" value={draft.to} unit={unit} hint={draft.axis === 'time' ? 'its end' : ''} onChange={(to) => change({ to })} />
        <Field label="Attempts" value={draft.runs} onChange={(runs) => change({ runs })} />
      </div>
      <div className="sweep-row">
        <Field
          label="Normally takes"
          value={draft.normallyMs}
          unit="ms"
          hint="called once to see"
          onChange={(normallyMs) => change({ normallyMs })}
        />
        <Field label="Watched after each stop" value={draft.settleMs} unit="ms" onChange={(settleMs) => change({ settleMs })} />
      </div>
    </Group>
  );
}

function Arguments({ draft, change, tool }: PartProps) {
  const names = variable(tool);
  return (
    <Group title="Arguments of every call">
      <textarea
        className="field mono"
        rows={Math.min(7, draft.arguments.split('\n').length)}
        spellCheck={false}
        aria-label="Arguments as JSON"
        value={draft.arguments}
        onChange={(event) => change({ arguments: event.target.value })}
      />
      <div className="row sweep-vary">
        <span className="hint">
          <code className="mono">{RUN}</code> in a text is the number of the attempt.
        </span>
        {names.slice(0, 4).map((name) => (
          <button key={name} type="button" className="button small" onClick={() => change({ arguments: varied(draft.arguments, name) })}>
            Vary {name}
          </button>
        ))}
      </div>
    </Group>
  );
}

function Watching({ draft, change }: PartProps) {
  const probes = useSelect((state) => state.status.probes);
  const toggle = (name: string, on: boolean): void =>
    change({ probes: on ? [...draft.probes, name] : draft.probes.filter((other) => other !== name) });
  return (
    <Group title="Watched by">
      {probes.length === 0 ? (
        <p className="hint">This server has no probe yet. Add one in the tool’s form: without one no outcome is known.</p>
      ) : (
        <div className="row sweep-probes">
          {probes.map(({ spec }) => (
            <Check key={spec.name} checked={draft.probes.includes(spec.name)} onChange={(on) => toggle(spec.name, on)}>
              {spec.name}
            </Check>
          ))}
        </div>
      )}
    </Group>
  );
}

function Resetting({ draft, change }: PartProps) {
  const tools = useSelect((state) => state.status.tools);
  return (
    <Group title="Before every attempt">
      <div className="sweep-row">
        <Choice<ResetBy['by']>
          label="Reset by"
          value={draft.resetBy}
          choices={[
            ['nothing', 'nothing: each attempt goes on'],
            ['tool', 'a tool of this server'],
            ['command', 'a command'],
          ]}
          onChange={(resetBy) => change({ resetBy })}
        />
        {draft.resetBy === 'tool' && (
          <Choice
            label="Tool"
            value={draft.resetTool}
            choices={[['', 'choose…'], ...tools.map(({ name }) => [name, name] as const)]}
            onChange={(resetTool) => change({ resetTool })}
          />
        )}
      </div>
      {draft.resetBy === 'tool' && (
        <label className="label">
          Its arguments as JSON
          <input className="field mono" value={draft.resetArguments} onChange={(event) => change({ resetArguments: event.target.value })} />
        </label>
      )}
      {draft.resetBy === 'command' && (
        <label className="label">
          Command line (no shell reads it)
          <input
            className="field mono"
            value={draft.resetLine}
            placeholder='psql shop -c "delete from orders"'
            onChange={(event) => change({ resetLine: event.target.value })}
          />
        </label>
      )}
    </Group>
  );
}

export function SweepDialog({ tool: name }: { readonly tool: string }) {
  const { actions } = useStopgap();
  const tool = useSelect((state) => state.status.tools.find((one) => one.name === name));
  return tool ? (
    <Dialog
      title={`Sweep ${tool.name}`}
      description="Calls it again and again and presses Stop at another moment each time, to find the point from which Stop comes too late."
      wide
      onClose={actions.closeDialog}
    >
      <SweepForm tool={tool} />
    </Dialog>
  ) : null;
}

function SweepForm({ tool }: { readonly tool: Tool }) {
  const { actions, store } = useStopgap();
  const connection = useSelect((state) => state.status.connection);
  const [draft, setDraft] = useState<SweepDraft>(() => {
    const { arguments: args, probes } = draftOf(store.getState(), tool);
    return firstDraft(args, probes);
  });
  const [pressed, setPressed] = useState(false);
  const read = readDraft(draft, tool, connection);
  const part: PartProps = { draft, tool, change: (changed) => setDraft((before) => ({ ...before, ...changed })) };
  const go = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setPressed(true);
    if ('request' in read && (await actions.lab.sweep({ ...read.request, agreed: true }))) actions.closeDialog();
  };
  return (
    <form className="sweep-form" onSubmit={(event) => void go(event)}>
      <Moments {...part} />
      <Arguments {...part} />
      <Watching {...part} />
      <Resetting {...part} />
      {pressed && 'why' in read && (
        <p className="error" role="alert">
          {read.why}
        </p>
      )}
      <div className="dialog-actions">
        <span className="sweep-warning grow">
          {mayWrite(tool)
            ? `This calls ${tool.name} up to ${draft.runs || '?'} times, for real: whatever it writes is written, as often as Stop comes too late.`
            : `${tool.name} is declared read-only. It is called up to ${draft.runs || '?'} times.`}
        </span>
        <button type="button" className="button" onClick={actions.closeDialog}>
          Cancel
        </button>
        <button type="submit" className="button go">
          Call it {draft.runs} times
        </button>
      </div>
    </form>
  );
}
