// What a scenario expects, and what was seen instead: each leads to the call, or the frame, that it is about.
import type { ScenarioStatus } from '../../../app/contract/lab';
import { expectedText } from '../../../app/report/expectations';
import type { Scenario } from '../../../app/scenario/scenario';
import { useStopgap } from '../../context';

function Seen({ run }: { readonly run: ScenarioStatus }) {
  const { actions, timeline } = useStopgap();
  return (
    <ul className="lab-expected">
      {run.expectations.map(({ index, ok, expected, saw, call, seq }) => (
        <li key={index} data-ok={ok}>
          <button
            type="button"
            className="lab-expectation"
            disabled={call === undefined && seq === undefined}
            title="Show it on the timeline"
            onClick={() => {
              if (seq !== undefined) actions.selectFrame(seq, call);
              else actions.selectCall(call);
              if (call !== undefined) timeline.reveal(call);
            }}
          >
            <span className="lab-mark" role="img" aria-label={ok ? 'as expected' : 'not as expected'}>
              {ok ? '✓' : '✗'}
            </span>
            <span>
              {expected}
              <small>{ok ? 'seen' : `saw ${saw}`}</small>
            </span>
          </button>
        </li>
      ))}
      {run.surprises.map((line) => (
        <li key={line} data-ok={false}>
          <div className="lab-expectation">
            <span className="lab-mark" role="img" aria-label="not expected">
              ◆
            </span>
            <span>
              {line}
              <small>found, and expected by nobody</small>
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

export function Expected({ scenario, run }: { readonly scenario: Scenario; readonly run: ScenarioStatus | undefined }) {
  const over = run !== undefined && run.tally.runs > 0;
  if (scenario.expect.length === 0 && !over) return <p className="hint">It expects nothing: only a breach would make it fail.</p>;
  return (
    <section>
      <h3 className="heading">Expected</h3>
      {over ? (
        <Seen run={run} />
      ) : (
        <ul className="lab-expected">
          {scenario.expect.map((expectation, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: expectations have no other name than their place
            <li key={index}>
              <div className="lab-expectation">
                <span className="lab-mark faint" aria-hidden>
                  ·
                </span>
                <span>{expectedText(expectation)}</span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
