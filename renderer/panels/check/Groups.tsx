// The lines of a report card, by what they are about: the server first, then its tools. Each leads to its evidence on the
// timeline.
import type { CheckReport, ReportedLine } from '../../../app/report/check/schema';
import { checkOf, type Group, groupsOf, ownLines, STATUS_SIGNS, STATUS_WORDS } from '../../../app/report/check/words';
import { useSelect, useStopgap } from '../../context';

type Status = ReportedLine['status'];

/** The sign of a status, with its word for those who cannot see it. */
function StatusSign({ status }: { readonly status: Status }) {
  return (
    <span className="check-sign" data-status={status} role="img" aria-label={STATUS_WORDS[status]}>
      {STATUS_SIGNS[status]}
    </span>
  );
}

/** Frames that a line rests on. They are of the recording: a trace file that is looked at meanwhile has others. */
function Evidence({ because }: Pick<ReportedLine, 'because'>) {
  const { feed, actions } = useStopgap();
  const live = useSelect((state) => state.view?.source !== 'file');
  if (because.length === 0) return null;
  const show = (seq: number): void => {
    const call = [seq, ...because.map((one) => one.seq)].map((one) => feed.calls.ofFrame(one)).find((one) => one !== undefined);
    actions.closeDialog();
    actions.selectFrame(seq, call?.index);
  };
  return (
    <ul className="check-evidence">
      {because.map(({ seq, says }) => (
        <li key={seq}>
          <button type="button" className="link mono" disabled={!live} onClick={() => show(seq)} title="Show on the timeline">
            {seq}
          </button>{' '}
          <span className="hint">{says}</span>
        </li>
      ))}
    </ul>
  );
}

function Line({ line: { check, status, sentence, source, because } }: { readonly line: ReportedLine }) {
  const { title, fix } = checkOf(check);
  return (
    <li className="check-line" data-check={check} data-status={status}>
      <StatusSign status={status} />
      <div>
        <p className="check-title">
          {title} <span className="mono faint">{check}</span>
        </p>
        <p className="check-sentence">{sentence}</p>
        {status === 'fail' && <p className="hint">{fix}</p>}
        <Evidence because={because} />
        <p className="hint check-source">{source}</p>
      </div>
    </li>
  );
}

function GroupView({ group }: { readonly group: Group }) {
  const { tool, untried, lines } = group;
  const failed = lines.filter(({ status }) => status === 'fail').length;
  return (
    <details className="check-group" open={failed > 0 || undefined}>
      <summary>
        <b className={tool === null ? undefined : 'mono'}>{tool ?? 'The server'}</b>{' '}
        <span className="check-counts">
          {(['fail', 'pass', 'unknown', 'not-tried'] as const).map((status) => {
            const count = lines.filter((line) => line.status === status).length;
            return count === 0 ? null : (
              <span key={status}>
                <StatusSign status={status} /> {count}
              </span>
            );
          })}
        </span>
      </summary>
      {untried !== undefined && <p className="hint">Not tried: {untried}</p>}
      <ul>
        {ownLines(group).map((line) => (
          <Line key={line.check} line={line} />
        ))}
      </ul>
    </details>
  );
}

export function Groups({ report }: { readonly report: CheckReport }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section className="check-scroll" aria-label="Lines of the report card" tabIndex={0}>
      {groupsOf(report).map((group) => (
        <GroupView key={group.tool ?? ''} group={group} />
      ))}
    </section>
  );
}
