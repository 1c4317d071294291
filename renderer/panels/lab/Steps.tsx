// The steps of a scenario, and how far each is.
import { Check, CircleDashed, Clock, LoaderCircle, Minus } from 'lucide-react';
import type { ScenarioStatus, StepState } from '../../../app/contract/lab';
import type { Scenario, Step } from '../../../app/scenario/scenario';
import { stepText } from '../../../app/scenario/words';
import { useStopgap } from '../../context';

const WORDS: Readonly<Record<StepState, string>> = {
  waiting: 'not yet',
  running: 'running',
  armed: 'set up; its moment has not come',
  done: 'done',
  'given-up': 'its moment did not come; nobody stopped the call',
};

function Sign({ state, next }: { readonly state: StepState; readonly next: boolean }) {
  const props = { size: 14, 'aria-label': next ? 'next' : WORDS[state], role: 'img' } as const;
  switch (state) {
    case 'waiting':
      return <CircleDashed {...props} />;
    case 'running':
      return <LoaderCircle {...props} className="lab-turning" />;
    case 'armed':
      return <Clock {...props} />;
    case 'done':
      return <Check {...props} />;
    case 'given-up':
      return <Minus {...props} />;
  }
}

/** What is called with what, shortly. */
const argumentsText = (step: Step): string | undefined =>
  (step.step === 'call' || step.step === 'retry') && step.arguments && Object.keys(step.arguments).length > 0
    ? JSON.stringify(step.arguments)
    : undefined;

/** The call that a step made, while it can be looked at. */
function callOf(step: Step, run: ScenarioStatus | undefined): number | undefined {
  const name = step.step === 'call' ? step.name : step.step === 'retry' ? step.as : step.step === 'stop' ? step.call : undefined;
  return run?.calls.find((made) => made.name === name)?.call;
}

export function Steps({ scenario, run }: { readonly scenario: Scenario; readonly run: ScenarioStatus | undefined }) {
  const { actions, timeline } = useStopgap();
  const next = run?.state === 'paused' ? run.steps.indexOf('waiting') : -1;
  const show = (call: number): void => {
    actions.selectCall(call);
    timeline.reveal(call);
  };
  return (
    <section>
      <h3 className="heading">Steps</h3>
      <ol className="lab-steps">
        {scenario.steps.map((step, index) => {
          const state = run?.steps[index] ?? 'waiting';
          const call = callOf(step, run);
          const args = argumentsText(step);
          const inside = (
            <>
              <Sign state={state} next={index === next} />
              <span className="lab-step-says">
                {stepText(step)}
                {args !== undefined && <code className="mono soft clip">{args}</code>}
              </span>
            </>
          );
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other name than their place
            <li key={index} data-state={state} data-next={index === next} aria-current={index === next ? 'step' : undefined}>
              {call === undefined ? (
                <div className="lab-step">{inside}</div>
              ) : (
                <button type="button" className="lab-step" title="Show its call on the timeline" onClick={() => show(call)}>
                  {inside}
                </button>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
