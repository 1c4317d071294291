// Writing saved servers into another client's configuration: which, in which form, into which file, and what that comes to
// before anything is written.
import { type FormEvent, useState } from 'react';
import type { WrittenConfig } from '../../../app/contract/host';
import { CONFIG_FORMS, CONFIG_TITLES, type ConfigForm, type ServerSpec } from '../../../app/contract/server';
import { messageOf } from '../../actions';
import { useSelect, useStopgap } from '../../context';
import { Check } from '../../ui/Check';
import { Dialog } from '../../ui/Dialog';
import { Choice, Field } from '../probes/fields';
import { reachedBy, visible } from './importing';
import { type Preview, usePreview } from './usePreview';
import './configs.css';

type Saved = Exclude<ServerSpec, { kind: 'demo' }> & { readonly id: string };

const FORM_CHOICES = CONFIG_FORMS.map((form) => ({ value: form, text: CONFIG_TITLES[form] }));

const isSaved = (spec: ServerSpec): spec is Saved => spec.kind !== 'demo' && spec.id !== undefined;

interface ServersProps {
  readonly saved: readonly Saved[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

function Servers({ saved, chosen, onChoose }: ServersProps) {
  return (
    <fieldset className="exported">
      <legend className="heading">Servers</legend>
      {saved.map((spec) => (
        <Check
          key={spec.id}
          checked={chosen.includes(spec.id)}
          label={`Export ${spec.title ?? reachedBy(spec)}`}
          onChange={(on) => onChoose(on ? [...chosen, spec.id] : chosen.filter((id) => id !== spec.id))}
        >
          <span className="grow">
            {spec.title !== undefined && <b>{visible(spec.title)} </b>}
            <span className="mono soft whole-line">{reachedBy(spec)}</span>
          </span>
        </Check>
      ))}
    </fieldset>
  );
}

/** What is lost, what is lacking, what the reader of the file has to have: above the text, since it decides about it. */
function Remarks({ lost, lacking, refersTo }: WrittenConfig) {
  return (
    <ul className="remarks">
      {lost.map((says) => (
        <li key={says} className="found-problem">
          {visible(says)}
        </li>
      ))}
      {lacking.length > 0 && <li className="found-problem">Not in the text, to be filled in by hand: {visible(lacking.join(', '))}.</li>}
      {refersTo.length > 0 && (
        <li className="hint">
          The text refers to {visible(refersTo.join(', '))}: whoever uses it has to have {refersTo.length === 1 ? 'it' : 'them'}.
        </li>
      )}
    </ul>
  );
}

function Shown({ preview, path }: { readonly preview: Preview; readonly path: string }) {
  if (preview.state === 'none') return <p className="hint">Choose a server to see what would be written.</p>;
  if (preview.state === 'refused') return <p className="error">{visible(preview.why)}</p>;
  const { written } = preview;
  const title =
    written.line === undefined
      ? 'The whole text'
      : written.text === ''
        ? 'Nothing changes'
        : `What changes, from line ${written.line} of ${path}`;
  return (
    <>
      <Remarks {...written} />
      <h3 className="heading">{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section className="config-text" aria-label={title} tabIndex={0}>
        <pre>{written.text}</pre>
      </section>
    </>
  );
}

function Empty() {
  const { actions } = useStopgap();
  return (
    <Dialog title="Export servers" description="No server is saved yet, so there is nothing to export." onClose={actions.closeDialog}>
      <p className="hint">A server that is connected can be saved from the server menu. Servers of other clients can be imported.</p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={actions.closeDialog}>
          Close
        </button>
        <button type="button" className="button go" data-autofocus onClick={() => actions.openDialog({ kind: 'import' })}>
          Import servers…
        </button>
      </div>
    </Dialog>
  );
}

export function ExportDialog() {
  const { actions, feed } = useStopgap();
  const saved = useSelect((state) => state.settings.savedServers).filter(isSaved);
  const [chosen, setChosen] = useState<readonly string[]>(() => saved.map(({ id }) => id));
  const [form, setForm] = useState<ConfigForm>('claude-code');
  const [path, setPath] = useState('');
  const [secrets, setSecrets] = useState(false);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const file = path.trim();
  const preview = usePreview({ form, ids: chosen, path: file, secrets });
  if (saved.length === 0) return <Empty />;

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (preview.state !== 'written' || file === '') return;
    try {
      await feed.request('config.write', { form, ids: [...chosen], path: file, secrets });
      actions.closeDialog();
      actions.say('info', `Written: ${file}`);
    } catch (error) {
      setRefused(messageOf(error));
    }
  };
  const browse = async (): Promise<void> => {
    const where = await actions.chooseConfig('save', file || undefined);
    if (where !== undefined) setPath(where);
  };

  return (
    <Dialog title="Export servers" description="Saved servers, in the form of another client." wide onClose={actions.closeDialog}>
      <form className="fills" onSubmit={(event) => void submit(event)}>
        <Servers saved={saved} chosen={chosen} onChoose={setChosen} />
        <div className="two">
          <Choice label="For" value={form} choices={FORM_CHOICES} onChange={setForm} />
          <Field
            label="File"
            mono
            value={path}
            placeholder="the whole path"
            onChange={setPath}
            beside={
              <button type="button" className="button" onClick={() => void browse()}>
                Browse…
              </button>
            }
          />
        </div>
        <Check checked={secrets} onChange={setSecrets} label="Write the values of secrets">
          <span>
            Write the values of secrets{' '}
            {secrets ? (
              <span className="error">Whoever can read the file can read them. Do not put it under version control.</span>
            ) : (
              <span className="hint">else the file refers to variables of the environment</span>
            )}
          </span>
        </Check>
        <Shown preview={preview} path={file} />
        {refused !== undefined && (
          <p className="error whole-line" role="alert">
            {visible(refused)}
          </p>
        )}
        <div className="dialog-actions">
          <span className="hint grow" role="status">
            {file === '' ? 'Without a file nothing is written; the text can be copied.' : 'What else is in the file stays.'}
          </span>
          <button type="button" className="button" onClick={actions.closeDialog}>
            Cancel
          </button>
          <button
            type="button"
            className="button"
            disabled={preview.state !== 'written' || preview.written.line !== undefined}
            onClick={() => preview.state === 'written' && void actions.copy(preview.written.text, 'the configuration')}
          >
            Copy
          </button>
          <button type="submit" className="button go" disabled={preview.state !== 'written' || file === ''}>
            Write
          </button>
        </div>
      </form>
    </Dialog>
  );
}
