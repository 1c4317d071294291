// The sequence of one call, drawn: three lifelines, a row for each step, in order. The same steps stand beside it as a
// list for those who do not see the drawing; a press on a step shows its frame.
import { useLayoutEffect, useRef, useState } from 'react';
import type { Call } from '../../../app/trace/calls';
import { useStopgap } from '../../context';
import { type Line, type Step, sequenceOf } from './sequence';

const ROW = 34;
const HEAD = 22;
const GAP = 16;
const NAMES: Readonly<Record<Line, string>> = { client: 'client', server: 'server', world: 'world' };
const LINES = Object.keys(NAMES) as Line[];
/** In CSS pixels: the text is as large in a narrow panel as in a wide one, only the arrows are shorter. */
const LEAST = 200;
const MOST = 460;
/** Room for the diamond behind the last line. */
const END = 16;
/** Width of a letter of the times, all of which are the same. */
const DIGIT = 6.4;

type Places = Readonly<Record<Line, number>>;

/** Where the lines stand in a drawing so wide, behind room for the longest of these times. */
function placesOf(width: number, times: readonly string[]): Places {
  const client = 14 + DIGIT * Math.max(5, ...times.map((time) => time.length));
  const world = width - END;
  return { client, server: client + (world - client) * 0.54, world };
}

/** Times in ms need no unit: all but the longest are in it. */
const timeOf = ({ when }: Step): string => when.replace(' ms', '');

/** The width that an element has for a drawing; the least until it is known. */
function useWidth() {
  const element = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(LEAST);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(Math.min(MOST, Math.max(LEAST, entry?.contentRect.width ?? 0)))));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [element, width] as const;
}

/** Where each step stands, idle time before it given room of its own. */
function heights(steps: readonly Step[]): readonly number[] {
  let y = HEAD + 8;
  return steps.map(({ after }) => {
    y += ROW + (after === undefined ? 0 : GAP);
    return y - 8;
  });
}

interface LifelineProps {
  readonly x: number;
  readonly until: number;
  readonly end: number;
}

function Lifeline({ x, until, end }: LifelineProps) {
  return (
    <>
      <path d={`M${x} ${HEAD}V${until}`} className="sequence-line" />
      {until < end && <path d={`M${x} ${until}V${end}`} className="sequence-line" data-dashed />}
    </>
  );
}

interface StepProps {
  readonly step: Step;
  readonly y: number;
  readonly at: Places;
}

function Arrow({ step, y, at }: StepProps) {
  const from = at[step.from];
  const to = at[step.to];
  const dash = { 'data-dashed': step.dashed || undefined, 'data-thin': step.thin };
  if (from === to) return <path d={`M${from - 5} ${y - 5}h10v10h-10z`} className="sequence-mark" />;
  const way = Math.sign(to - from);
  const head = `M${to - way * 8} ${y - 4}L${to - way} ${y}L${to - way * 8} ${y + 4}`;
  if (step.cut) return <Cut from={from} to={to} y={y} />;
  return (
    <>
      <path d={`M${from + way} ${y}H${to - way * 2}`} className="sequence-arrow" {...dash} />
      {step.to === 'world' ? (
        <path d={`M${to} ${y - 6}l6 6l-6 6l-6 -6z`} className="sequence-diamond" data-hollow={step.role !== 'breach' || undefined} />
      ) : (
        <path d={head} className="sequence-head" data-thin={step.thin} />
      )}
    </>
  );
}

/** A line that is cut through on its way: it goes nowhere, and has no head. */
function Cut({ from, to, y }: { readonly from: number; readonly to: number; readonly y: number }) {
  const at = from + (to - from) * 0.3;
  return (
    <>
      <path d={`M${from} ${y}H${at - 4}`} className="sequence-arrow" />
      <path d={`M${at - 5} ${y + 6}l7 -12M${at + 1} ${y + 6}l7 -12`} className="sequence-head" />
      <path d={`M${at + 8} ${y}H${to}`} className="sequence-arrow" data-off />
    </>
  );
}

/** How wide a letter is, taken amply: what is cut off stands in the step's title. */
const LETTER = 5.8;

/** A step's words stand over its arrow, beginning where the arrow begins; those of the world end at its diamond. */
function Words({ step, y, at }: StepProps) {
  const toWorld = step.to === 'world';
  const x = toWorld ? at.world - 12 : Math.min(at[step.from], at[step.to]) + 7;
  const room = Math.floor((toWorld ? x - at.client - 5 : at.world + END - x) / LETTER);
  const text = step.says.length > room ? `${step.says.slice(0, room - 1)}…` : step.says;
  return (
    <text x={x} y={y - 6} className="sequence-says" textAnchor={toWorld ? 'end' : 'start'}>
      {text}
    </text>
  );
}

export function Sequence({ call }: { readonly call: Call }) {
  const { feed, actions } = useStopgap();
  const [figure, width] = useWidth();
  const verdict = feed.verdict(call.index);
  const { steps, clientUntil, serverUntil } = sequenceOf(call, { trace: feed.trace, calls: feed.calls, world: feed.world, verdict });
  const at = placesOf(width, steps.map(timeOf));
  const ys = heights(steps);
  const end = (ys.at(-1) ?? HEAD) + 16;
  const until: Readonly<Record<Line, number>> = {
    client: ys[clientUntil] ?? end,
    server: serverUntil === 0 ? HEAD : (ys[serverUntil - 1] ?? end),
    world: end,
  };
  return (
    <figure ref={figure} className="sequence" aria-label="Sequence of the call between client, server and world">
      <svg width={width} height={end} viewBox={`0 0 ${width} ${end}`} aria-hidden="true">
        {LINES.map((line) => (
          <g key={line}>
            <text
              x={at[line] + (line === 'world' ? END - 2 : 0)}
              y={13}
              textAnchor={line === 'world' ? 'end' : 'middle'}
              className="sequence-name"
            >
              {NAMES[line]}
            </text>
            <Lifeline x={at[line]} until={until[line]} end={end} />
          </g>
        ))}
        {steps.map((step, i) => {
          const y = ys[i] ?? 0;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the drawing is hidden from assistive technology, which has the list below
            <g
              key={`${step.seq} ${step.says}`}
              data-step={step.role}
              className="sequence-step"
              onClick={() => actions.selectFrame(step.seq, call.index)}
            >
              <title>{`${step.when}: ${step.says}, frame ${step.seq}`}</title>
              <rect x={0} y={y - 18} width={width} height={26} className="sequence-hit" />
              {step.after !== undefined && (
                <text x={at.client - 10} y={y - 24} textAnchor="end" className="sequence-idle">
                  ≈ {step.after}
                </text>
              )}
              <text x={at.client - 10} y={y + 3} textAnchor="end" className="sequence-when">
                {timeOf(step)}
              </text>
              <Arrow step={step} y={y} at={at} />
              <Words step={step} y={y} at={at} />
            </g>
          );
        })}
      </svg>
      <ol className="visually-hidden">
        {steps.map((step) => (
          <li key={`${step.seq} ${step.says}`}>
            {step.when}: {step.from === step.to || step.cut ? NAMES[step.from] : `${NAMES[step.from]} to ${NAMES[step.to]}`}: {step.says}
            {step.dashed ? ', inferred' : ''}
          </li>
        ))}
      </ol>
    </figure>
  );
}
