// What can be run: the lessons, the person's own files, what they have just done, a sweep.
import { FilePlus, FolderOpen, History } from 'lucide-react';
import { useSelect, useStopgap, useVersion } from '../../context';
import { isToolCall } from '../../inFlight';
import { lastPart } from '../probes/drafts';
import { LESSONS } from './lessons';

/** The first sentence of a paragraph. */
const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;

function Lessons() {
  const { actions } = useStopgap();
  return (
    <section>
      <h3 className="heading">Lessons, on the demo server</h3>
      <ul className="lab-list">
        {LESSONS.map(({ id, name, about, text }) => (
          <li key={id}>
            <button type="button" className="lab-item" onClick={() => actions.lab.openLesson(id, text)}>
              <b>{name}</b>
              <span className="soft lab-short">{firstSentence(about)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Files() {
  const { actions } = useStopgap();
  const recent = useSelect((state) => state.settings.recentScenarios);
  return (
    <section>
      <h3 className="heading">Your scenarios</h3>
      {recent.length === 0 ? (
        <p className="hint">None yet. Open a file, or drop one on the window; what is saved here runs on the command line as it is.</p>
      ) : (
        <ul className="lab-list">
          {recent.slice(0, 8).map((file) => (
            <li key={file}>
              <button type="button" className="lab-item" title={file} onClick={() => void actions.lab.openFile(file)}>
                <b className="clip">{lastPart(file)}</b>
                <span className="mono faint clip">{file}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The sweep that ran last, or runs. */
function LastSweep() {
  const { actions } = useStopgap();
  const lab = useSelect((state) => state.lab);
  if (lab?.kind !== 'sweep') return null;
  return (
    <section>
      <h3 className="heading">Sweep</h3>
      <button type="button" className="lab-item" onClick={() => actions.lab.show('sweep')}>
        <b>{lab.tool}</b>
        <span className="soft">
          {lab.attempts.length} of {lab.planned} attempts
        </span>
      </button>
    </section>
  );
}

export function Gallery() {
  const { actions, feed } = useStopgap();
  useVersion(500);
  const live = useSelect((state) => state.view?.source !== 'file');
  const some = live && feed.calls.all.some(isToolCall);
  return (
    <div className="lab-page">
      <div className="lab-buttons">
        <button type="button" className="button small" onClick={() => void actions.lab.openFile()}>
          <FolderOpen size={13} aria-hidden /> Open…
        </button>
        <button type="button" className="button small" onClick={() => actions.lab.openNew()}>
          <FilePlus size={13} aria-hidden /> New
        </button>
        <button
          type="button"
          className="button small"
          disabled={!some}
          title={some ? 'The calls of this recording as a scenario' : 'Call something first: what you did becomes a scenario'}
          onClick={() => actions.openDialog({ kind: 'record' })}
        >
          <History size={13} aria-hidden /> From what I did…
        </button>
      </div>
      <div className="lab-scroll">
        <Lessons />
        <Files />
        <LastSweep />
      </div>
    </div>
  );
}
