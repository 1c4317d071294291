// The scenario that is open: what it shows, how to run it, its steps as they are done, what was expected and what was seen.
import { Tabs } from '@base-ui/react/tabs';
import { ArrowLeft, Play, Save, Square, StepForward } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { MOST_ROUNDS, type ScenarioStatus } from '../../../app/contract/lab';
import { heldText, verdictsText } from '../../../app/report/repeat';
import type { ScenarioText } from '../../../app/scenario/file';
import { useKeyText, useSelect, useStopgap } from '../../context';
import type { OpenScenario } from '../../store/state';
import { Kbd } from '../../ui/signs';
import { lastPart } from '../probes/drafts';
import { checkOpen } from './check';
import { Expected } from './Expected';
import { Problems } from './Problems';
import { Steps } from './Steps';

const Editor = lazy(() => import('./Editor'));

/** The run of what is open, as it is or as it was; undefined where something else ran. */
function useRun({ text, path }: OpenScenario): ScenarioStatus | undefined {
  const lab = useSelect((state) => state.lab);
  return lab?.kind === 'scenario' && (lab.text === text || (path !== undefined && lab.path === path)) ? lab : undefined;
}

function Head({ open, read }: { readonly open: OpenScenario; readonly read: ScenarioText }) {
  const { actions } = useStopgap();
  const title = titleOf(open, read);
  const changed = open.text !== open.saved;
  return (
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
      <h2 className="clip grow" title={open.path}>
        {title}
      </h2>
      {changed && <span className="faint">not saved</span>}
      <button
        type="button"
        className="button small"
        disabled={!changed && open.path !== undefined}
        onClick={() => void actions.lab.save()}
        title={open.path ?? 'Nothing is on the disk yet'}
      >
        <Save size={13} aria-hidden /> {open.path === undefined ? 'Save as…' : 'Save'}
      </button>
    </div>
  );
}

/** What a file that cannot be read at the moment calls itself is still its name. */
const titleOf = ({ path, text }: OpenScenario, { scenario }: ScenarioText): string =>
  scenario?.name ?? /^name: *(.+)$/m.exec(text)?.[1] ?? (path === undefined ? 'A scenario' : lastPart(path));

/** How often it is to be run in a row. */
function Repeat({ value, onChange }: { readonly value: number; readonly onChange: (value: number) => void }) {
  return (
    <label className="row lab-repeat soft">
      times
      <input
        className="field"
        inputMode="numeric"
        aria-label="How many times it is run in a row"
        value={value}
        onChange={(event) => onChange(Math.min(MOST_ROUNDS, Math.max(1, Number(event.target.value.replace(/\D/g, '')) || 1)))}
      />
    </label>
  );
}

function RunBar({ broken, run }: { readonly broken: boolean; readonly run: ScenarioStatus | undefined }) {
  const { actions } = useStopgap();
  const [times, setTimes] = useState(1);
  const lab = useSelect((state) => state.lab);
  const linked = useSelect((state) => state.link.state === 'ready');
  const key = useKeyText('lab.run');
  const busy = lab !== undefined && lab.state !== 'over';
  const can = linked && !broken && !busy;
  const paused = run?.state === 'paused';
  return (
    <div className="lab-run">
      <div className="row">
        {busy ? (
          <button
            type="button"
            className="button lab-stop grow"
            disabled={lab.state === 'stopping'}
            onClick={() => void actions.lab.stop()}
          >
            <Square size={11} fill="currentColor" aria-hidden /> {lab.state === 'stopping' ? 'Stopping…' : 'Stop the run'}
          </button>
        ) : (
          <button type="button" className="button go grow" disabled={!can} onClick={() => void actions.lab.run({ repeat: times })}>
            <Play size={12} fill="currentColor" aria-hidden /> Run
            <Kbd keys={key} />
          </button>
        )}
        <button
          type="button"
          className="button"
          disabled={!(paused || can)}
          title={paused ? 'Do this step' : 'Run it step by step. Time goes on meanwhile: what is in flight is not held'}
          onClick={() => void actions.lab.step()}
        >
          <StepForward size={13} aria-hidden /> Step
        </button>
        {paused ? (
          <button type="button" className="button" onClick={() => void actions.lab.runOn()}>
            Run on
          </button>
        ) : (
          <Repeat value={times} onChange={setTimes} />
        )}
      </div>
      <RunState run={run} elsewhere={busy && run === undefined} broken={broken} />
    </div>
  );
}

interface RunStateProps {
  readonly run: ScenarioStatus | undefined;
  readonly elsewhere: boolean;
  readonly broken: boolean;
}

/** Where the run is, in a line. */
function RunState({ run, elsewhere, broken }: RunStateProps) {
  if (elsewhere) return <p className="hint">Something else is running.</p>;
  if (broken && run === undefined) return <p className="hint">It cannot run yet: what is wrong is marked in its file.</p>;
  return (
    <p className="hint" role="status">
      {run === undefined ? 'Each run starts a server of its own, in this recording.' : stateText(run)}
    </p>
  );
}

function stateText(run: ScenarioStatus): string {
  const many = run.repeat > 1 ? `run ${run.round} of ${run.repeat}, ` : '';
  const held = run.tally.runs > 0 ? `. ${sentence(heldText(run.tally))}` : '';
  switch (run.state) {
    case 'starting':
      return `${sentence(many)}${many ? 'the server is being started' : 'The server is being started'}${held}`;
    case 'running':
      return `${sentence(many)}${run.says.at(-1)?.text ?? 'running'}${held}`;
    case 'paused':
      return `Waiting before the marked step. Press Step for it.${held}`;
    case 'stopping':
      return 'Stopping…';
    case 'over':
      return run.why ?? `${sentence(heldText(run.tally))}.`;
  }
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** How often each verdict came, once there is more than one run. */
function Counts({ run }: { readonly run: ScenarioStatus }) {
  const { runs, calls, misses } = run.tally;
  if (runs < 2) return null;
  return (
    <section>
      <h3 className="heading">{sentence(heldText(run.tally))}</h3>
      <dl className="lab-counts">
        {calls.map(({ name, verdicts }) => (
          <div key={name}>
            <dt className="clip">{name}</dt>
            <dd>{verdictsText(verdicts)}</dd>
          </div>
        ))}
      </dl>
      {misses.length > 0 && (
        <ul className="problems error">
          {misses.slice(-5).map(({ run: number, says }) => (
            <li key={`${number} ${says}`}>
              run {number}: {says}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Body({ open, read, run }: { readonly open: OpenScenario; readonly read: ScenarioText; readonly run: ScenarioStatus | undefined }) {
  const { scenario } = read;
  if (!scenario) return <p className="list-empty">It cannot be read as a scenario yet. Its file says where.</p>;
  const warnings = run?.says.filter(({ level }) => level === 'warn') ?? [];
  return (
    <div className="lab-scroll">
      {scenario.about !== undefined && <p className="lab-about selectable">{scenario.about}</p>}
      <Steps scenario={scenario} run={run?.text === open.text ? run : undefined} />
      <Expected scenario={scenario} run={run} />
      {run && <Counts run={run} />}
      {warnings.length > 0 && (
        <ul className="lab-warnings">
          {warnings.map(({ text }) => (
            <li key={text}>
              <span aria-hidden>△</span> {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function ScenarioPage() {
  const open = useSelect((state) => state.scenario);
  return open ? <Opened key={open.id} open={open} /> : null;
}

type View = 'steps' | 'file';

function Opened({ open }: { readonly open: OpenScenario }) {
  const read = useMemo(() => checkOpen(open.text), [open.text]);
  const broken = read.problems.length > 0;
  const [view, setView] = useState<View>(broken ? 'file' : 'steps');
  const run = useRun(open);
  const goTo = useRef<((offset: number) => void) | undefined>(undefined);
  useFollow(run);
  return (
    <div className="lab-page">
      <Head open={open} read={read} />
      <RunBar broken={broken} run={run} />
      <Tabs.Root className="lab-views" value={view} onValueChange={(chosen: View) => setView(chosen)}>
        <Tabs.List className="segmented" aria-label="Scenario as">
          <Tabs.Tab value="steps">Steps</Tabs.Tab>
          <Tabs.Tab value="file">File{broken ? ` (${read.problems.length})` : ''}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="steps" className="lab-view">
          <Body open={open} read={read} run={run} />
        </Tabs.Panel>
        <Tabs.Panel value="file" className="lab-view">
          <Suspense fallback={<p className="hint">Opening the editor…</p>}>
            <Editor text={open.text} goTo={goTo} />
          </Suspense>
          <Problems problems={read.problems} onGo={(offset) => goTo.current?.(offset)} />
        </Tabs.Panel>
      </Tabs.Root>
    </div>
  );
}

/** The newest call of a run is the one whose details are shown. */
function useFollow(run: ScenarioStatus | undefined): void {
  const { actions } = useStopgap();
  const last = run?.state === 'running' || run?.state === 'paused' ? run.calls.at(-1)?.call : undefined;
  useEffect(() => {
    if (last !== undefined) actions.selectCall(last);
  }, [last, actions]);
}
