// What watches the next call of a tool: the server's probes, each to be chosen, and a way to add one. A probe that cannot
// watch, or that missed something, says so here, before the call that would rely on it.
import { Link2, Pencil, Plus, X } from 'lucide-react';
import type { ProbeStatus, Tool } from '../../../app/contract/host';
import { PROBE_KINDS, placeOf } from '../../../app/evidence/probe';
import { useSelect, useStopgap, useVersion } from '../../context';
import { Check } from '../../ui/Check';
import { lastPart } from '../probes/drafts';

export const STATE_WORDS: Readonly<Record<ProbeStatus['state'], string>> = {
  off: 'being started',
  watching: 'watching',
  failing: 'cannot watch at the moment',
  failed: 'cannot watch',
};

interface Props {
  readonly tool: Tool;
  readonly chosen: readonly string[];
  readonly onChoose: (probes: readonly string[]) => void;
}

/** What the probe's present watch has missed so far. */
function useGaps(probe: string): string | undefined {
  const { feed } = useStopgap();
  const live = useSelect((state) => state.view?.source !== 'file');
  useVersion(500);
  const session = useSelect((state) => state.status.session);
  const gaps = live ? (feed.world.of(session, probe)?.gaps ?? []) : [];
  const last = gaps.at(-1);
  return last && `${gaps.length === 1 ? 'A gap' : `${gaps.length} gaps`} in its watch: ${last.why}`;
}

function Trouble({ probe }: { readonly probe: ProbeStatus }) {
  const gaps = useGaps(probe.spec.name);
  switch (probe.state) {
    case 'failed':
    case 'failing':
      return <p className="error probe-why">{probe.why ?? STATE_WORDS[probe.state]}</p>;
    case 'off':
    case 'watching':
      return gaps === undefined ? null : (
        <p className="probe-why probe-gaps clip" title={gaps}>
          <span aria-hidden>△</span> {gaps}
        </p>
      );
    default:
      return null;
  }
}

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
  const connection = useSelect((state) => state.status.connection);
  const { spec, state, why, builtIn, variables = {} } = probe;
  const whole = placeOf(spec);
  const place = spec.kind === 'folder' ? `${lastPart(spec.path)}${spec.match ? `/${spec.match}` : ''}` : whole;
  return (
    <li className="probe">
      <Check className="row grow" checked={checked} onChange={onCheck} label={`Probe ${spec.name} watches the call`}>
        <span className="dot small" data-state={state} role="img" aria-label={STATE_WORDS[state]} title={why ?? STATE_WORDS[state]} />
        <span className="probe-name clip">{spec.name}</span>
        <span className="mono faint clip" title={`${PROBE_KINDS[spec.kind].title}: ${whole}`}>
          {place}
        </span>
        {spec.shared && <span className="faint">shared</span>}
      </Check>
      {Object.keys(variables).length > 0 && (
        <button
          type="button"
          className="icon-button quiet tiny"
          aria-label={`Address of probe ${spec.name}`}
          title="Its address, for the server"
          onClick={() => actions.openDialog({ kind: 'probe-address', probe: spec.name })}
        >
          <Link2 size={13} aria-hidden />
        </button>
      )}
      {!builtIn && (
        <>
          <button
            type="button"
            className="icon-button quiet tiny"
            aria-label={`Change probe ${spec.name}`}
            title="Change it"
            onClick={() => actions.openDialog({ kind: 'probe', edit: spec.name })}
          >
            <Pencil size={12} aria-hidden />
          </button>
          <button
            type="button"
            className="icon-button quiet tiny"
            aria-label={`Remove probe ${spec.name}`}
            title="Remove it"
            onClick={() => void actions.ask('probe.remove', { connection, name: spec.name })}
          >
            <X size={12} aria-hidden />
          </button>
        </>
      )}
      <Trouble probe={probe} />
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
        <p className="hint">None yet. A probe watches one place in the world, so that an effect is seen and not guessed.</p>
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
