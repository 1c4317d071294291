// Saying which tool takes back what another one does, and where its arguments come from.
import { type FormEvent, useState } from 'react';
import type { Tool } from '../../../app/contract/host';
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';
import { Choice, Field } from '../probes/fields';

const UNDOES = /^(?:undo|refund|revert|cancel|delete|remove|rollback|restore|release|void)/i;

const argumentsOf = (tool: Tool | undefined): readonly string[] => {
  const properties = tool?.inputSchema['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
};

/** Arguments of the same name are taken over. */
export function proposedMapping(tool: Tool, undo: Tool | undefined): Readonly<Record<string, string>> {
  const given = new Set(argumentsOf(tool));
  return Object.fromEntries(argumentsOf(undo).flatMap((name) => (given.has(name) ? [[name, `\${arguments.${name}}`]] : [])));
}

export function UndoToolDialog({ tool: name }: { readonly tool: string }) {
  const { actions } = useStopgap();
  const tools = useSelect((state) => state.status.tools);
  const known = useSelect((state) => state.status.setups[name]?.undo);
  const tool = tools.find((candidate) => candidate.name === name);
  const others = tools.filter((other) => other.name !== name && other.readOnly !== true);
  const [chosen, setChosen] = useState(known?.tool ?? others.find((other) => UNDOES.test(other.name))?.name ?? '');
  const [typed, setTyped] = useState<Readonly<Record<string, string>> | undefined>(known?.arguments);
  const undo = tools.find((candidate) => candidate.name === chosen);
  const mapping = typed ?? (tool ? proposedMapping(tool, undo) : {});
  const set = async (setup: { readonly tool: string; readonly arguments: Record<string, string> } | undefined): Promise<void> => {
    await actions.setup(name, { undo: setup });
    actions.closeDialog();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void set({ tool: chosen, arguments: Object.fromEntries(Object.entries(mapping).filter(([, text]) => text.trim() !== '')) });
  };
  return (
    <Dialog
      title={`What undoes ${name}?`}
      description="Stopgap calls it only when you press Undo, and the probe that saw the effect says whether it is gone."
      onClose={actions.closeDialog}
    >
      <form onSubmit={submit}>
        <Choice
          label="Tool"
          value={chosen}
          choices={[{ value: '', text: 'Choose…' }, ...others.map((other) => ({ value: other.name, text: other.name }))]}
          onChange={(next) => {
            setChosen(next);
            setTyped(undefined);
          }}
        />
        {argumentsOf(undo).map((argument) => (
          <Field
            key={argument}
            label={argument}
            mono
            value={mapping[argument] ?? ''}
            placeholder="left out"
            onChange={(text) => setTyped({ ...mapping, [argument]: text })}
          />
        ))}
        {tool && undo && (
          <p className="hint">
            Write texts as they are, arguments of the call as{' '}
            {argumentsOf(tool)
              .slice(0, 3)
              .map((argument) => `\${arguments.${argument}}`)
              .join(', ') || 'it has none'}
            . What the call did not have is left out.
          </p>
        )}
        <div className="dialog-actions">
          {known && (
            <button type="button" className="button quiet" onClick={() => void set(undefined)}>
              Nothing undoes it
            </button>
          )}
          <span className="grow" />
          <button type="button" className="button" onClick={actions.closeDialog}>
            Cancel
          </button>
          <button type="submit" className="button go" disabled={chosen === ''}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
