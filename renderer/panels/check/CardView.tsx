// A report card that is there: what failed, passed, is not known, was not tried, and the forms in which it can be taken along.
import { useState } from 'react';
import type { CheckStatus } from '../../../app/contract/check';
import { checkHtml } from '../../../app/report/check/html';
import { checkJunit } from '../../../app/report/check/junit';
import { checkMarkdown } from '../../../app/report/check/markdown';
import type { CheckReport } from '../../../app/report/check/schema';
import { sumsOf } from '../../../app/report/check/words';
import { useSelect, useStopgap } from '../../context';
import { Choice } from '../probes/fields';
import { Groups } from './Groups';

const FORMS = {
  markdown: { name: 'Markdown', ending: '.md', text: checkMarkdown },
  json: { name: 'JSON', ending: '.json', text: (report: CheckReport) => `${JSON.stringify(report, undefined, 2)}\n` },
  junit: { name: 'JUnit', ending: '.xml', text: checkJunit },
  html: { name: 'HTML', ending: '.html', text: checkHtml },
} as const;
type Form = keyof typeof FORMS;

const CHOICES = (Object.keys(FORMS) as Form[]).map((value) => ({ value, text: FORMS[value].name }));

/** The card as something to take along. */
function TakeAlong({ report }: { readonly report: CheckReport }) {
  const { actions, shell } = useStopgap();
  const [form, setForm] = useState<Form>('markdown');
  const { name, ending, text } = FORMS[form];
  const save = async (): Promise<void> => {
    const chosen = await shell.request('dialog.file', { kind: 'card', as: 'save', name: `report-card${ending}` });
    if (chosen === undefined) return;
    const file = chosen.toLowerCase().endsWith(ending) ? chosen : `${chosen}${ending}`;
    if (await actions.ask('check.write', { path: file, text: text(report) })) actions.say('info', `Saved as ${file}.`);
  };
  return (
    <span className="check-take row grow">
      <Choice label="As" value={form} choices={CHOICES} onChange={setForm} />
      <button type="button" className="button" onClick={() => void actions.copy(text(report), `the report card as ${name}`)}>
        Copy
      </button>
      <button type="button" className="button" onClick={() => void save()}>
        Save…
      </button>
    </span>
  );
}

export function CardView({ check, onAgain }: { readonly check: CheckStatus; readonly onAgain: () => void }) {
  const { actions } = useStopgap();
  const connected = useSelect((state) => state.status.state === 'connected');
  const { report, why } = check;
  return (
    <>
      <p className="check-sums" role="status">
        {report.interrupted && 'Ended early. '}
        <b>{sumsOf(report)}.</b>{' '}
        <span className="soft">
          {report.server.name} {report.server.version}, protocol {report.server.protocol}, {report.server.transport}.
        </span>
      </p>
      {why !== undefined && (
        <p className="error" role="alert">
          {why}
        </p>
      )}
      {report.lines.length === 0 ? <p className="hint">Nothing could be tried.</p> : <Groups report={report} />}
      <div className="dialog-actions">
        <TakeAlong report={report} />
        <button type="button" className="button" onClick={actions.closeDialog}>
          Close
        </button>
        <button type="button" className="button go" data-autofocus disabled={!connected} onClick={onAgain}>
          Make another…
        </button>
      </div>
    </>
  );
}
