// The sequence of one call, drawn: three lifelines, a row for each step, in order. The same steps stand beside it as a
// list for those who do not see the drawing; a press on a step shows its frame.
import type { Call } from '../../../app/trace/calls';
import { useStopgap } from '../../context';
import { type Line, type Step, sequenceOf } from './sequence';

const WIDTH = 330;
const X: Readonly<Record<Line, number>> = { client: 84, server: 208, world: 314 };
const ROW = 34;
const HEAD = 22;
const GAP = 16;
const NAMES: Readonly<Record<Line, string>> = { client: 'client', server: 'server', world: 'world' };
const LINES = Object.keys(X) as Line[];

/** Where each step stands, idle time before it given room of its own. */
function places(steps: readonly Step[]): readonly number[] {
  let y = HEAD + 8;
  return steps.map(({ after }) => {
    y += ROW + (after === undefined ? 0 : GAP);
    return y - 8;
  });
}

function Lifeline({ line, until, end }: { readonly line: Line; readonly until: number; readonly end: number }) {
  const x = X[line];
  return (
    <>
      <path d={`M${x} ${HEAD}V${until}`} className="sequence-line" />
      {until < end && <path d={`M${x} ${until}V${end}`} className="sequence-line" data-dashed />}
    </>
  );
}

function Arrow({ step, y }: { readonly step: Step; readonly y: number }) {
  const from = X[step.from];
  const to = X[step.to];
  const dash = { 'data-dashed': step.dashed || undefined };
  const thin = { 'data-thin': step.thin || undefined };
  if (from === to) return <path d={`M${from - 5} ${y - 5}h10v10h-10z`} className="sequence-mark" {...thin} />;
  const way = Math.sign(to - from);
  const head = `M${to - way * 8} ${y - 4}L${to - way} ${y}L${to - way * 8} ${y + 4}`;
  return (
    <>
      <path d={`M${from + way} ${y}H${to - way * 2}`} className="sequence-arrow" {...dash} {...thin} />
      {step.to === 'world' ? (
        <path d={`M${to} ${y - 6}l6 6l-6 6l-6 -6z`} className="sequence-diamond" data-hollow={step.role !== 'breach' || undefined} />
      ) : (
        <path d={head} className="sequence-head" {...thin} />
      )}
    </>
  );
}

/** A step's words stand over its arrow, beginning where the arrow begins. */
function Words({ step, y }: { readonly step: Step; readonly y: number }) {
  const left = Math.min(X[step.from], X[step.to]);
  const toWorld = step.to === 'world';
  const x = toWorld ? X.world - 12 : left + 7;
  const room = toWorld ? 36 : 40;
  const text = step.says.length > room ? `${step.says.slice(0, room - 1)}…` : step.says;
  return (
    <text x={x} y={y - 6} className="sequence-says" textAnchor={toWorld ? 'end' : 'start'}>
      {text}
    </text>
  );
}

export function Sequence({ call }: { readonly call: Call }) {
  const { feed, actions } = useStopgap();
  const verdict = feed.verdict(call.index);
  const { steps, clientUntil, serverUntil } = sequenceOf(call, { trace: feed.trace, calls: feed.calls, world: feed.world, verdict });
  const at = places(steps);
  const end = (at.at(-1) ?? HEAD) + 16;
  const until: Readonly<Record<Line, number>> = {
    client: at[clientUntil] ?? end,
    server: at[serverUntil - 1] ?? end,
    world: end,
  };
  return (
    <figure className="sequence" aria-label="Sequence of the call between client, server and world">
      <svg viewBox={`0 0 ${WIDTH} ${end}`} aria-hidden="true">
        {LINES.map((line) => (
          <g key={line}>
            <text
              x={X[line]}
              y={13}
              textAnchor={line === 'world' ? 'end' : 'middle'}
              dx={line === 'world' ? 14 : 0}
              className="sequence-name"
            >
              {NAMES[line]}
            </text>
            <Lifeline line={line} until={until[line]} end={end} />
          </g>
        ))}
        {steps.map((step, i) => {
          const y = at[i] ?? 0;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the drawing is hidden from assistive technology, which has the list below
            <g
              key={`${step.seq} ${step.says}`}
              data-step={step.role}
              className="sequence-step"
              onClick={() => actions.selectFrame(step.seq, call.index)}
            >
              <title>{`${step.when}: ${step.says}, frame ${step.seq}`}</title>
              <rect x={0} y={y - 18} width={WIDTH} height={26} className="sequence-hit" />
              {step.after !== undefined && (
                <text x={X.client} y={y - 24} textAnchor="middle" className="sequence-idle">
                  ≈ {step.after}
                </text>
              )}
              <text x={X.client - 10} y={y + 3} textAnchor="end" className="sequence-when">
                {step.when.replace(' ms', '')}
              </text>
              <Arrow step={step} y={y} />
              <Words step={step} y={y} />
            </g>
          );
        })}
      </svg>
      <ol className="visually-hidden">
        {steps.map((step) => (
          <li key={`${step.seq} ${step.says}`}>
            {step.when}: {step.from === step.to ? NAMES[step.from] : `${NAMES[step.from]} to ${NAMES[step.to]}`}: {step.says}
            {step.dashed ? ', inferred' : ''}
          </li>
        ))}
      </ol>
    </figure>
  );
}
