// What watches the next call of a tool: the server's probes, each to be chosen, and a way to add one.
import { Checkbox } from '@base-ui/react/checkbox';
import { Check, Plus, X } from 'lucide-react';
import type { ProbeStatus, Tool } from '../../../app/contract/host';
import { placeOf } from '../../../app/evidence/probe';
import { useSelect, useStopgap } from '../../context';

const STATE_WORDS = { off: 'not watching', watching: 'watching', failed: 'cannot watch' } as const;

interface Props {
  readonly tool: Tool;
  readonly chosen: readonly string[];
  readonly onChoose: (probes: readonly string[]) => void;
}

const lastPart = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;

function Probe({
  probe,
  checked,
  onCheck,
}: {
  readonly probe: ProbeStatus;
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
}) {
  const { actions } = useStopgap();
  const { spec, state, why, builtIn } = probe;
  const whole = placeOf(spec);
  const place = spec.kind === 'folder' ? `${lastPart(spec.path)}${spec.match ? `/${spec.match}` : ''}` : whole;
  return (
    <li className="probe">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside, made by the component library */}
      <label className="row grow">
        <Checkbox.Root
          className="check"
          checked={checked}
          onCheckedChange={(next) => onCheck(next)}
          aria-label={`Probe ${spec.name} watches the call`}
        >
          <Checkbox.Indicator>
            <Check size={11} strokeWidth={3} aria-hidden />
          </Checkbox.Indicator>
        </Checkbox.Root>
        <span className="dot small" data-state={state} role="img" aria-label={STATE_WORDS[state]} title={why ?? STATE_WORDS[state]} />
        <span>{spec.name}</span>
        <span className="mono faint clip" title={whole}>
          {place}
        </span>
        {spec.shared && <span className="faint">shared</span>}
      </label>
      {!builtIn && (
        <button
          type="button"
          className="icon-button quiet tiny"
          aria-label={`Remove probe ${spec.name}`}
          onClick={() => void actions.ask('probe.remove', { name: spec.name })}
        >
          <X size={12} aria-hidden />
        </button>
      )}
      {state === 'failed' && why !== undefined && <p className="error probe-why">{why}</p>}
    </li>
  );
}

export function Probes({ tool, chosen, onChoose }: Props) {
  const { actions } = useStopgap();
  const probes = useSelect((state) => state.status.probes);
  const toggle = (name: string, on: boolean): void => onChoose(on ? [...chosen, name] : chosen.filter((other) => other !== name));
  return (
    <section>
      <div className="row">
        <h3 className="heading grow">Probes of this call</h3>
        <button
          type="button"
          className="icon-button quiet tiny"
          aria-label="Add a probe"
          title="Add a probe"
          onClick={() => actions.openDialog({ kind: 'probe', tool: tool.name })}
        >
          <Plus size={14} aria-hidden />
        </button>
      </div>
      {probes.length === 0 ? (
        <p className="hint">None yet. A probe watches a folder, so that an effect is seen and not guessed.</p>
      ) : (
        <ul className="probes">
          {probes.map((probe) => (
            <Probe
              key={probe.spec.name}
              probe={probe}
              checked={chosen.includes(probe.spec.name)}
              onCheck={(on) => toggle(probe.spec.name, on)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
