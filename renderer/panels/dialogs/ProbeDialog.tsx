// Adding a folder probe: where the effect would show.
import { Checkbox } from '@base-ui/react/checkbox';
import { Check } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { PROBE_KINDS } from '../../../app/evidence/probe';
import { draftOf } from '../../actions';
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';

export function ProbeDialog({ tool }: { readonly tool: string | undefined }) {
  const { actions, store } = useStopgap();
  const taken = useSelect((state) => state.status.probes);
  const [name, setName] = useState('');
  const [path, setPath] = useState('');
  const [match, setMatch] = useState('');
  const [shared, setShared] = useState(false);
  const clash = taken.some(({ spec }) => spec.name === name.trim());

  const browse = async (): Promise<void> => {
    const folder = await actions.chooseFolder('The folder to watch', path || undefined);
    if (folder === undefined) return;
    setPath(folder);
    if (name === '') setName((folder.split(/[\\/]/).filter(Boolean).at(-1) ?? '').slice(0, 40));
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const probe = {
      kind: 'folder' as const,
      name: name.trim(),
      path: path.trim(),
      shared,
      ...(match.trim() === '' ? {} : { match: match.trim() }),
    };
    const added = await actions.ask('probe.set', { probe });
    if (!added) return;
    const state = store.getState();
    const target = state.status.tools.find((candidate) => candidate.name === tool);
    if (target) actions.draft(target, { probes: [...new Set([...draftOf(state, target).probes, probe.name])] });
    if (added.state === 'failed') actions.say('warn', `The probe ${probe.name} cannot watch: ${added.why ?? 'no reason was given'}`);
    actions.closeDialog();
  };

  return (
    <Dialog
      title="Add a folder probe"
      description={`Watches ${PROBE_KINDS.folder.watches}. It proves that something appeared, and when; it never proves that nothing happened elsewhere.`}
      onClose={actions.closeDialog}
    >
      <form onSubmit={(event) => void submit(event)}>
        <label className="label">
          Folder
          <span className="row">
            <input
              className="field mono"
              value={path}
              spellCheck={false}
              placeholder="absolute path"
              onChange={(event) => setPath(event.target.value)}
            />
            <button type="button" className="button" onClick={() => void browse()}>
              Browse…
            </button>
          </span>
        </label>
        <div className="two">
          <label className="label">
            Name
            <input
              className="field"
              value={name}
              maxLength={40}
              placeholder="ledger"
              aria-invalid={clash}
              onChange={(event) => setName(event.target.value)}
            />
          </label>
          <label className="label">
            Files that match
            <input
              className="field mono"
              value={match}
              spellCheck={false}
              placeholder="everything, or *.jsonl"
              onChange={(event) => setMatch(event.target.value)}
            />
          </label>
        </div>
        {clash && <p className="error">There is a probe of this name already; it would be replaced.</p>}
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside, made by the component library */}
        <label className="row">
          <Checkbox.Root className="check" checked={shared} onCheckedChange={(next) => setShared(next)} aria-label="Others write there too">
            <Checkbox.Indicator>
              <Check size={11} strokeWidth={3} aria-hidden />
            </Checkbox.Indicator>
          </Checkbox.Root>
          <span>
            Others write there too <span className="hint">(what is seen is then inferred to be the call’s, never proved)</span>
          </span>
        </label>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={actions.closeDialog}>
            Cancel
          </button>
          <button type="submit" className="button go" disabled={name.trim() === '' || path.trim() === ''}>
            Watch it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
