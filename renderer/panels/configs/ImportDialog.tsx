// Taking servers over from the configurations of other clients: what was found or chosen, file by file, and what the chosen
// servers ask for. Importing starts nothing.
import { FileInput, FolderSearch } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { CONFIG_TITLES, type ConfiguredServer, type ServerSpec } from '../../../app/contract/server';
import { useSelect, useStopgap } from '../../context';
import { Check } from '../../ui/Check';
import { Dialog } from '../../ui/Dialog';
import { Field } from '../probes/fields';
import { type Asked, askedOf, fieldText, importsOf, isSaved, keyOf, type Listed, lackingOf, visible } from './importing';
import { ServerFacts } from './ServerFacts';
import { useConfigs } from './useConfigs';
import './configs.css';

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;

interface ServerProps {
  readonly server: ConfiguredServer;
  readonly saved: boolean;
  readonly chosen: boolean;
  readonly onChoose: (chosen: boolean) => void;
}

function ServerRow({ server, saved, chosen, onChoose }: ServerProps) {
  return (
    <li className="found-server">
      <Check checked={chosen} onChange={onChoose} label={`Import ${server.name}`} className="row found-name">
        <b>{visible(server.name)}</b>
        {server.disabled && <span className="found-tag">switched off there</span>}
        {saved && <span className="found-tag">imported before: replaces it</span>}
      </Check>
      <ServerFacts spec={server.spec} />
      {server.problems.map((problem) => (
        <p key={problem} className="found-problem">
          {visible(problem)}
        </p>
      ))}
    </li>
  );
}

interface FileProps {
  readonly file: Listed;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (keys: readonly string[], chosen: boolean) => void;
}

function FileGroup({ file, chosen, onChoose }: FileProps) {
  const saved = useSelect((state) => state.settings.savedServers);
  const keys = file.servers.map((server) => keyOf(file, server));
  const all = keys.every((key) => chosen.has(key));
  const title = file.form === undefined ? 'Not read' : CONFIG_TITLES[file.form];
  return (
    <section className="found-file" aria-label={`${title}, ${file.path}`}>
      <header className="row">
        <h3>{title}</h3>
        <span className="mono found-path grow">{file.path}</span>
        <span className="faint">{count(file.servers.length, 'server')}</span>
        {keys.length > 1 && (
          <button type="button" className="button small quiet" onClick={() => onChoose(keys, !all)}>
            {all ? 'None' : 'All'}
            <span className="visually-hidden"> of {file.path}</span>
          </button>
        )}
      </header>
      {file.problems.map((problem) => (
        <p key={problem} className="error found-broken">
          {visible(problem)}
        </p>
      ))}
      <ul>
        {file.servers.map((server) => {
          const key = keyOf(file, server);
          return (
            <ServerRow
              key={key}
              server={server}
              saved={isSaved(server, saved)}
              chosen={chosen.has(key)}
              onChoose={(next) => onChoose([key], next)}
            />
          );
        })}
      </ul>
    </section>
  );
}

function NothingFound({ looked }: { readonly looked: readonly string[] }) {
  return (
    <div className="found-nothing">
      <p>
        <b>No configuration of another client was found.</b> Choose a file, look in the folder of a project, or drop a file on the window.
      </p>
      <p className="hint">Looked for:</p>
      <ul className="mono">
        {looked.map((place) => (
          <li key={place}>{place}</li>
        ))}
      </ul>
    </div>
  );
}

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
  const taken = saved.filter((spec): spec is Exclude<ServerSpec, { kind: 'demo' }> => spec.kind !== 'demo' && ids.includes(spec.id ?? ''));
  const connect = (spec: ServerSpec): void => {
    actions.closeDialog();
    void actions.connect(spec);
  };
  return (
    <Dialog
      title={`${count(taken.length, 'server')} imported`}
      description="Nothing was started. They are in the server menu from now on; a command is shown whole before it runs for the first time."
      onClose={actions.closeDialog}
    >
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
        <button type="button" className="button" data-autofocus onClick={actions.closeDialog}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

export function ImportDialog({ path }: { readonly path: string | undefined }) {
  const { actions } = useStopgap();
  const configs = useConfigs(path);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [imported, setImported] = useState<readonly string[] | undefined>(undefined);
  const { files, looked, chosen } = configs;
  const asked = askedOf(files, chosen);
  const lacking = lackingOf(asked, typed);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (chosen.size === 0 || lacking.length > 0) return;
    const ids: string[] = [];
    for (const request of importsOf(files, chosen, typed)) {
      const answer = await actions.ask('config.import', request);
      if (!answer) return;
      ids.push(...answer.ids);
    }
    setImported(ids);
  };

  if (imported) return <Imported ids={imported} />;
  return (
    <Dialog
      title="Import servers"
      description="From the configurations of other clients. Importing starts nothing and reaches nothing."
      wide
      onClose={actions.closeDialog}
    >
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
        <div className="dialog-actions">
          <span className="hint grow" role="status">
            {lacking.length > 0
              ? `Still lacking: ${lacking.map(({ id }) => id).join(', ')}. Enter it, or leave out what asks for it.`
              : chosen.size === 0
                ? 'Nothing is chosen yet.'
                : `${count(chosen.size, 'server')} chosen.`}
          </span>
          <button type="button" className="button" onClick={actions.closeDialog}>
            Cancel
          </button>
          <button type="submit" className="button go" disabled={chosen.size === 0 || lacking.length > 0}>
            Import
          </button>
        </div>
      </form>
    </Dialog>
  );
}
