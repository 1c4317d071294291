// The configurations in the import's list: which client's, where, what is wrong with them, and their servers with all that
// somebody has to know before they take one over.
import { CONFIG_TITLES, type ConfiguredServer } from '../../../app/contract/server';
import { useSelect } from '../../context';
import { Check } from '../../ui/Check';
import { count, isSaved, keyOf, type Listed, visible } from './importing';
import { ServerFacts } from './ServerFacts';

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

/** A configuration with its servers, or with what is wrong with it. */
export function FileGroup({ file, chosen, onChoose }: FileProps) {
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

/** Nothing was found: where was looked, and what else can be done. */
export function NothingFound({ looked }: { readonly looked: readonly string[] }) {
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
