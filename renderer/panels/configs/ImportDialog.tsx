// Taking servers over from the configurations of other clients: what was found or chosen, file by file, and what the chosen
// servers ask for. Importing starts nothing.
import { FileInput, FolderSearch } from 'lucide-react';
import { type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ServerSpec } from '../../../app/contract/server';
import { messageOf } from '../../actions';
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';
import { Field } from '../probes/fields';
import { FileGroup, NothingFound } from './Found';
import { type Asked, askedOf, count, fieldText, importsOf, lackingOf, visible } from './importing';
import { useConfigs } from './useConfigs';
import './configs.css';

interface ValuesProps {
  readonly asked: readonly Asked[];
  readonly typed: Readonly<Record<string, string>>;
  readonly onType: (key: string, value: string) => void;
}

const placeholderOf = ({ default: preset, password }: Asked): string => {
  if (preset === undefined) return 'not set here';
  return password ? 'as the file has it' : 'empty';
};

function Values({ asked, typed, onType }: ValuesProps) {
  return (
    <section className="found-values" aria-label="Values that these servers ask for">
      <h3>These servers ask for</h3>
      {asked.map((input) => (
        <Field
          key={input.key}
          label={input.id}
          secret={input.password}
          mono={!input.password}
          value={fieldText(input, typed[input.key])}
          placeholder={placeholderOf(input)}
          onChange={(value) => onType(input.key, value)}
          hint={visible(`${input.description} · for ${input.of.join(', ')}`)}
        />
      ))}
      <p className="hint">What becomes a variable or a header is kept as a secret, in no file of settings.</p>
    </section>
  );
}

/** What was taken over, and that it stands still. */
function Imported({ ids }: { readonly ids: readonly string[] }) {
  const { actions } = useStopgap();
  const saved = useSelect((state) => state.settings.savedServers);
  const close = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone.
  useLayoutEffect(() => close.current?.focus(), []);
  const taken = saved.filter((spec): spec is Exclude<ServerSpec, { kind: 'demo' }> => spec.kind !== 'demo' && ids.includes(spec.id ?? ''));
  const connect = (spec: ServerSpec): void => {
    actions.closeDialog();
    void actions.connect(spec);
  };
  return (
    <div className="stack">
      <ul className="imported">
        {taken.map((spec) => (
          <li key={spec.id} className="row">
            <b className="grow">{visible(spec.title ?? '')}</b>
            <button type="button" className="button small" onClick={() => connect(spec)}>
              Connect<span className="visually-hidden"> to {spec.title}</span>
            </button>
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <button ref={close} type="button" className="button" onClick={actions.closeDialog}>
          Close
        </button>
      </div>
    </div>
  );
}

/** What is chosen, and what stands in the way. */
function standing(chosen: number, lacking: readonly Asked[]): string {
  if (lacking.length > 0) return `Still lacking: ${lacking.map(({ id }) => id).join(', ')}. Enter it, or leave out what asks for it.`;
  return chosen === 0 ? 'Nothing is chosen yet.' : `${count(chosen, 'server')} chosen.`;
}

interface ChoosingProps {
  readonly path: string | undefined;
  readonly onImported: (ids: readonly string[]) => void;
}

function Choosing({ path, onImported }: ChoosingProps) {
  const { actions, feed } = useStopgap();
  const configs = useConfigs(path);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const { files, looked, chosen } = configs;
  const asked = askedOf(files, chosen);
  const lacking = lackingOf(asked, typed);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (chosen.size === 0 || lacking.length > 0) return;
    try {
      const ids: string[] = [];
      for (const request of importsOf(files, chosen, typed)) ids.push(...(await feed.request('config.import', request)).ids);
      onImported(ids);
    } catch (error) {
      setRefused(messageOf(error));
    }
  };

  return (
    <form className="fills" onSubmit={(event) => void submit(event)}>
      <div className="row">
        <button type="button" className="button" data-autofocus onClick={() => void configs.chooseFile()}>
          <FileInput size={14} aria-hidden /> Choose a file…
        </button>
        <button type="button" className="button" onClick={() => void configs.chooseFolder()}>
          <FolderSearch size={14} aria-hidden /> Look in a project’s folder…
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section className="found" aria-label="Configurations" aria-busy={looked === undefined} tabIndex={0}>
        {looked === undefined && <p className="hint">Looking in the usual places…</p>}
        {looked !== undefined && files.length === 0 && <NothingFound looked={looked} />}
        {files.map((file) => (
          <FileGroup key={file.path} file={file} chosen={chosen} onChoose={configs.choose} />
        ))}
      </section>
      {asked.length > 0 && <Values asked={asked} typed={typed} onType={(key, value) => setTyped({ ...typed, [key]: value })} />}
      {refused !== undefined && (
        <p className="error whole-line" role="alert">
          {visible(refused)}
        </p>
      )}
      <div className="dialog-actions">
        <span className="hint grow" role="status">
          {standing(chosen.size, lacking)}
        </span>
        <button type="button" className="button" onClick={actions.closeDialog}>
          Cancel
        </button>
        <button type="submit" className="button go" disabled={chosen.size === 0 || lacking.length > 0}>
          Import
        </button>
      </div>
    </form>
  );
}

/** @param path a file that was dropped or named; without one, it is looked in the usual places */
export function ImportDialog({ path }: { readonly path: string | undefined }) {
  const { actions } = useStopgap();
  const [imported, setImported] = useState<readonly string[] | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another file it begins anew
  useEffect(() => setImported(undefined), [path]);
  return (
    <Dialog
      title={imported ? `${count(imported.length, 'server')} imported` : 'Import servers'}
      description={
        imported
          ? 'Nothing was started. They are in the server menu from now on; a command is shown whole before it runs for the first time.'
          : 'From the configurations of other clients. Importing starts nothing and reaches nothing.'
      }
      wide={!imported}
      onClose={actions.closeDialog}
    >
      {imported ? <Imported ids={imported} /> : <Choosing path={path} onImported={setImported} />}
    </Dialog>
  );
}
