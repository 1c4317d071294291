// What a sweep finds, while it finds it: the sentence, how sure it is, and a row for each attempt with the cancel, the write
// and the boundary. A row leads to its call.
import { ArrowLeft, Download, Square } from 'lucide-react';
import { useEffect } from 'react';
import type { SweepStatus } from '../../../app/contract/lab';
import { sweepReportOf } from '../../../app/report/sweep';
import { type Attempt, boundarySentence, confidenceSentence, type Outcome } from '../../../app/scenario/sweep';
import { useSelect, useStopgap } from '../../context';
import { headlineText } from '../details/words';
import { type Strip, type StripRow, stripOf } from './strip';

const SIGNS: Readonly<Record<Outcome, string>> = { prevented: '·', landed: '◆', unknown: '?' };
const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  prevented: 'the write was prevented',
  landed: 'the write landed',
  unknown: 'the outcome is not known',
};

const momentText = ({ cancelAt }: Attempt, sweep: SweepStatus): string =>
  sweep.axis === 'time' ? `${Math.round(cancelAt)} ms` : `progress ${cancelAt}`;

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

function Track({ row, band }: { readonly row: StripRow; readonly band: Strip['band'] }) {
  const { attempt, cancel, landed, before } = row;
  return (
    <span className="strip-track" data-outcome={attempt.outcome} aria-hidden>
      {band && (
        <i className="strip-band" data-varies={band.varies} style={{ left: percent(band.from), width: percent(band.to - band.from) }} />
      )}
      <i className="strip-bar" style={{ width: percent(cancel) }} />
      <i className="strip-cancel" style={{ left: percent(cancel) }} />
      {landed !== undefined && <i className="strip-landed" data-before={before} style={{ left: percent(landed) }} />}
    </span>
  );
}

function Row({ row, strip, sweep }: { readonly row: StripRow; readonly strip: Strip; readonly sweep: SweepStatus }) {
  const { actions, timeline } = useStopgap();
  const { attempt } = row;
  const selected = useSelect((state) => state.call === attempt.call);
  return (
    <li>
      <button
        type="button"
        className="strip-row"
        aria-current={selected}
        title={`Cancel at ${momentText(attempt, sweep)}: ${OUTCOME_WORDS[attempt.outcome]}. Show the call`}
        onClick={() => {
          actions.selectCall(attempt.call);
          timeline.reveal(attempt.call);
        }}
      >
        <span className="mono strip-moment">{momentText(attempt, sweep)}</span>
        <span className="strip-sign" data-outcome={attempt.outcome} role="img" aria-label={OUTCOME_WORDS[attempt.outcome]}>
          {SIGNS[attempt.outcome]}
        </span>
        <Track row={row} band={strip.band} />
        <span className="soft clip strip-verdict">{headlineText(attempt.verdict)}</span>
      </button>
    </li>
  );
}

function Axis({ strip }: { readonly strip: Strip }) {
  return (
    <div className="strip-row strip-axis" aria-hidden>
      <span />
      <span />
      <span className="strip-track">
        {strip.ticks.map(({ at, says }) => (
          <span key={at} style={{ left: percent(at) }}>
            {says}
          </span>
        ))}
      </span>
      <span />
    </div>
  );
}

function Actions({ sweep }: { readonly sweep: SweepStatus }) {
  const { actions } = useStopgap();
  const over = sweep.state === 'over';
  const save = (): void => {
    const { tool, axis, attempts, tieMs, planned } = sweep;
    const report = sweepReportOf({ tool, axis, attempts, tieMs, interrupted: attempts.length < planned });
    void actions.lab.exportSweep(tool, `${JSON.stringify(report, undefined, 2)}\n`);
  };
  return (
    <div className="row">
      {over ? (
        <button type="button" className="button grow" onClick={() => actions.openDialog({ kind: 'sweep', tool: sweep.tool })}>
          Sweep again…
        </button>
      ) : (
        <button
          type="button"
          className="button lab-stop grow"
          disabled={sweep.state === 'stopping'}
          onClick={() => void actions.lab.stop()}
        >
          <Square size={11} fill="currentColor" aria-hidden /> {sweep.state === 'stopping' ? 'Stopping…' : 'Stop the sweep'}
        </button>
      )}
      <button type="button" className="button" disabled={sweep.attempts.length === 0} onClick={save}>
        <Download size={13} aria-hidden /> JSON…
      </button>
    </div>
  );
}

function stateText({ state, why, attempts, planned, says }: SweepStatus): string {
  const done = `${attempts.length} of ${planned} attempts`;
  return state === 'over' ? `${done}.${why === undefined ? '' : ` ${why}`}` : `${done}. ${says ?? ''}`;
}

export function SweepPage() {
  const sweep = useSelect((state) => (state.lab?.kind === 'sweep' ? state.lab : undefined));
  if (!sweep) return null;
  return <Swept sweep={sweep} />;
}

/** The newest attempt is the one whose details are shown. */
function useFollow({ attempts, state }: SweepStatus): void {
  const { actions } = useStopgap();
  const last = state === 'over' ? undefined : attempts.at(-1)?.call;
  useEffect(() => {
    if (last !== undefined) actions.selectCall(last);
  }, [last, actions]);
}

function Swept({ sweep }: { readonly sweep: SweepStatus }) {
  const { actions } = useStopgap();
  const { attempts, axis, tieMs, tool } = sweep;
  useFollow(sweep);
  const strip = stripOf(attempts, axis, tieMs);
  const sure = confidenceSentence(attempts, axis, tieMs);
  return (
    <div className="lab-page">
      <div className="row lab-head">
        <button
          type="button"
          className="icon-button quiet"
          aria-label="All scenarios"
          title="All scenarios"
          onClick={() => actions.lab.show('gallery')}
        >
          <ArrowLeft size={15} aria-hidden />
        </button>
        <h2 className="clip grow">Sweep of {tool}</h2>
      </div>
      <div className="lab-run">
        <Actions sweep={sweep} />
        <p className="hint" role="status">
          {stateText(sweep)}
        </p>
      </div>
      <div className="lab-scroll">
        {attempts.length > 0 && (
          <div className="lab-found">
            <p className="sentence selectable">{boundarySentence(attempts, axis, tieMs)}</p>
            {sure !== undefined && <p className="soft selectable">{sure}</p>}
          </div>
        )}
        {strip.rows.length > 0 && (
          <>
            <div>
              <Axis strip={strip} />
              <ol className="strip" aria-label="Attempts, by the moment of their cancel">
                {strip.rows.map((row) => (
                  <Row key={row.attempt.call} row={row} strip={strip} sweep={sweep} />
                ))}
              </ol>
            </div>
            <p className="strip-legend hint" aria-hidden>
              <span>
                <i className="strip-cancel" /> cancel
              </span>
              <span>
                <i className="strip-landed" /> write landed after it
              </span>
              <span>
                <i className="strip-landed" data-before /> before it
              </span>
              <span>
                <i className="strip-band" /> not sure in between
              </span>
            </p>
          </>
        )}
      </div>
    </div>
  );
}
