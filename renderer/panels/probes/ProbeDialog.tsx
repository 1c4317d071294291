// Adding a probe, or changing one: what kind, where it looks, whether it can look there; and for a kind that the server
// has to be told of, its address afterwards.
import { Activity, Cpu, Database, Folder, type LucideIcon, MessageSquareText, SquareTerminal, Webhook } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import type { ProbeStatus } from '../../../app/contract/host';
import { PROBE_KINDS, type ProbeKind, type ProbeSpec } from '../../../app/evidence/probe';
import { draftOf } from '../../actions';
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';
import { Addresses } from './Addresses';
import { draftOfSpec, emptyDraft, freeName, type ProbeDraft, proposedName, specOf } from './drafts';
import { Field, Tick } from './fields';
import { KindForm, MoreForm } from './KindForm';
import { type Suggestion, suggestProbe } from './suggest';
import './probes.css';

const ICONS: Readonly<Record<ProbeKind, LucideIcon>> = {
  folder: Folder,
  http: Webhook,
  sql: Database,
  read: MessageSquareText,
  command: SquareTerminal,
  process: Cpu,
  otel: Activity,
};

const KINDS = Object.keys(PROBE_KINDS) as ProbeKind[];

interface CardsProps {
  readonly kind: ProbeKind;
  readonly suggested: ProbeKind | undefined;
  readonly onChoose: (kind: ProbeKind) => void;
}

function Cards({ kind, suggested, onChoose }: CardsProps) {
  return (
    <div className="kinds" role="radiogroup" aria-label="Kind of probe">
      {KINDS.map((each) => {
        const { title, fits } = PROBE_KINDS[each];
        const Icon = ICONS[each];
        return (
          <label key={each} className="kind" data-chosen={each === kind} title={`Watches ${PROBE_KINDS[each].watches}`}>
            <input
              type="radio"
              className="visually-hidden"
              name="probe-kind"
              value={each}
              checked={each === kind}
              data-autofocus={each === kind || undefined}
              onChange={() => onChoose(each)}
            />
            <span className="kind-title">
              <Icon size={14} aria-hidden />
              <b>{title}</b>
              {each === suggested && <span className="kind-fits">fits</span>}
            </span>
            <small>{fits}</small>
          </label>
        );
      })}
    </div>
  );
}

function Hint({ tool, suggestion }: { readonly tool: string; readonly suggestion: Suggestion | undefined }) {
  return (
    <p className="soft kind-hint" role="note">
      {suggestion ? (
        <>
          For <b>{tool}</b> a <b>{PROBE_KINDS[suggestion.kind].title}</b> probe may fit: {suggestion.because}. That is a guess; you know
          where it writes.
        </>
      ) : (
        <>
          Nothing that the server says of <b>{tool}</b> tells where it writes. Choose the place in which its effect would show.
        </>
      )}
    </p>
  );
}

/** Named after where it looks, as soon as that is said. */
function nameFor(draft: ProbeDraft, taken: readonly string[]): string {
  const proposed = proposedName(draft);
  return proposed === '' ? '' : freeName(proposed, taken);
}

/** A draft that begins with what is suggested for a tool. */
function begin(kind: ProbeKind, suggestion: Suggestion | undefined): ProbeDraft {
  const draft = emptyDraft(kind, '');
  return kind === 'read' && suggestion?.ask !== undefined ? { ...draft, tool: suggestion.ask } : draft;
}

type Test = { readonly state: 'none' } | { readonly state: 'running' } | { readonly state: 'done'; readonly why: string | undefined };

interface Props {
  /** The tool whose next call it will watch. */
  readonly tool: string | undefined;
  /** The probe to be changed; a new one when absent. */
  readonly edit: string | undefined;
}

export function ProbeDialog({ tool: name, edit }: Props) {
  const { actions, store } = useStopgap();
  const probes = useSelect((state) => state.status.probes);
  const tools = useSelect((state) => state.status.tools);
  const connection = useSelect((state) => state.status.connection);
  const tool = tools.find((candidate) => candidate.name === name);
  const [suggestion] = useState(() => (tool && edit === undefined ? suggestProbe(tool, tools) : undefined));
  const [draft, setDraft] = useState<ProbeDraft>(() => {
    const known = probes.find(({ spec }) => spec.name === edit)?.spec;
    return known ? draftOfSpec(known) : begin(suggestion?.kind ?? 'folder', suggestion);
  });
  const [named, setNamed] = useState(edit !== undefined);
  const [test, setTest] = useState<Test>({ state: 'none' });
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const [added, setAdded] = useState<ProbeStatus | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const asked = useRef(0);

  const taken = probes.map(({ spec }) => spec.name).filter((other) => other !== edit);
  const whole: ProbeDraft = named ? draft : { ...draft, name: nameFor(draft, taken) };
  const read = specOf(whole);
  const clash = taken.includes(whole.name.trim());

  const change = (part: Partial<ProbeDraft>): void => {
    setDraft((now) => ({ ...now, ...part }));
    setRefused(undefined);
    asked.current++;
    setTest({ state: 'none' });
  };
  const choose = (kind: ProbeKind): void =>
    change(kind === 'read' && draft.tool === '' ? { ...begin(kind, suggestion), name: draft.name } : { kind });

  const tryIt = async (): Promise<void> => {
    if ('why' in read) return setRefused(read.why);
    const turn = ++asked.current;
    setTest({ state: 'running' });
    const answer = await actions.ask('probe.check', { connection, probe: read.spec });
    // What was typed meanwhile has not been tested.
    if (turn === asked.current) setTest(answer ? { state: 'done', why: answer.why } : { state: 'none' });
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if ('why' in read) return setRefused(read.why);
    setBusy(true);
    const status = await actions.ask('probe.set', { connection, probe: read.spec });
    setBusy(false);
    if (!status) return;
    watchWith(read.spec);
    if (status.state === 'failed') setRefused(`It cannot watch: ${status.why ?? 'no reason was given'}`);
    else if (status.variables && Object.keys(status.variables).length > 0) setAdded(status);
    else actions.closeDialog();
  };
  /** The next call of the tool is watched by it. */
  const watchWith = ({ name: probe }: ProbeSpec): void => {
    const state = store.getState();
    const target = state.status.tools.find((candidate) => candidate.name === name);
    if (target && edit === undefined) actions.draft(target, { probes: [...new Set([...draftOf(state, target).probes, probe])] });
  };

  if (added) {
    return (
      <Dialog title={`${added.spec.name} is listening`} onClose={actions.closeDialog}>
        <Addresses probe={added} />
        <div className="dialog-actions">
          <button type="button" className="button go" onClick={actions.closeDialog}>
            Done
          </button>
        </div>
      </Dialog>
    );
  }
  const { title, watches } = PROBE_KINDS[draft.kind];
  return (
    <Dialog
      title={edit === undefined ? 'Add a probe' : `Change the probe ${edit}`}
      wide={edit === undefined}
      description={`A probe proves that something appeared in its place, and when. It never proves that nothing happened elsewhere.`}
      onClose={actions.closeDialog}
    >
      {edit === undefined && (
        <>
          {tool && <Hint tool={tool.name} suggestion={suggestion} />}
          <Cards kind={draft.kind} suggested={suggestion?.kind} onChoose={choose} />
        </>
      )}
      <form className="probe-form" aria-label={`${title} probe`} onSubmit={(event) => void submit(event)}>
        <p className="soft">
          <b>{title}</b> watches {watches}.
        </p>
        <KindForm draft={draft} onChange={change} />
        <Field
          label="Name"
          value={whole.name}
          placeholder="what verdicts and reports call it"
          invalid={clash}
          disabled={edit !== undefined}
          onChange={(text) => {
            setNamed(true);
            change({ name: text.slice(0, 40) });
          }}
        />
        {clash && <p className="error">There is a probe of this name already; it would be replaced.</p>}
        <Tick
          label="Others write there too"
          hint="(what is seen is then inferred to be the call’s, never proved)"
          checked={draft.shared}
          onChange={(shared) => change({ shared })}
        />
        <details className="more" open={edit !== undefined && (draft.done !== '' || draft.owns !== '')}>
          <summary>More</summary>
          <div className="stack">
            <MoreForm draft={draft} onChange={change} />
          </div>
        </details>
        <div className="dialog-actions probe-actions">
          <button type="button" className="button" disabled={test.state === 'running'} onClick={() => void tryIt()}>
            Test
          </button>
          <p className="grow test-answer" role="status">
            {refused !== undefined ? <span className="error">{refused}</span> : <TestAnswer test={test} />}
          </p>
          <button type="button" className="button" onClick={actions.closeDialog}>
            Cancel
          </button>
          <button type="submit" className="button go" disabled={busy}>
            {edit === undefined ? 'Watch it' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function TestAnswer({ test }: { readonly test: Test }) {
  switch (test.state) {
    case 'none':
      return null;
    case 'running':
      return <span className="soft">Looking…</span>;
    case 'done':
      return test.why === undefined ? (
        <span className="test-good">✓ It can be watched.</span>
      ) : (
        <span className="error">It cannot be watched: {test.why}</span>
      );
    default:
      return null;
  }
}
