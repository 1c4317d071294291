// What is to be tried: tools that say that they only read at once, those that may write only after a yes that had their names
// before it.
import { type FormEvent, useState } from 'react';
import { messageOf } from '../../actions';
import { useSelect, useStopgap } from '../../context';
import { badgeOf } from '../../tools';
import { Check } from '../../ui/Check';
import { ToolBadge } from '../../ui/signs';
import { argumentsOf, type Candidate, candidatesOf } from './draft';

interface RowProps {
  readonly of: Candidate;
  readonly chosen: boolean;
  readonly onChoose: (on: boolean) => void;
}

function Row({ of: { tool, plan, probes }, chosen, onChoose }: RowProps) {
  return (
    <Check
      className="check-tool row"
      checked={chosen && plan.called}
      disabled={!plan.called}
      label={`Try ${tool.name}`}
      onChange={(on) => onChoose(on)}
    >
      <ToolBadge badge={badgeOf(tool)} />
      <span className="grow">
        <b className="mono">{tool.name}</b>{' '}
        {plan.called ? (
          <span className="mono soft check-args">
            {JSON.stringify(plan.arguments)}
            {probes.length > 0 && ` · ${probes.join(', ')}`}
          </span>
        ) : (
          <span className="hint">{plan.why}</span>
        )}
      </span>
    </Check>
  );
}

interface ListProps {
  readonly title: string;
  readonly candidates: readonly Candidate[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

function List({ title, candidates, chosen, onChoose }: ListProps) {
  if (candidates.length === 0) return null;
  return (
    <fieldset className="check-tools">
      <legend className="heading">{title}</legend>
      {candidates.map((one) => {
        const { name } = one.tool;
        return (
          <Row
            key={name}
            of={one}
            chosen={chosen.includes(name)}
            onChoose={(on) => onChoose(on ? [...chosen, name] : chosen.filter((other) => other !== name))}
          />
        );
      })}
    </fieldset>
  );
}

interface Props {
  readonly onBegun: () => void;
  /** Back to the card that is there. */
  readonly onBack: (() => void) | undefined;
}

export function Choose({ onBegun, onBack }: Props) {
  const { actions, feed } = useStopgap();
  const status = useSelect((state) => state.status);
  const drafts = useSelect((state) => state.drafts);
  const settings = useSelect((state) => state.settings);
  const candidates = candidatesOf({ status, drafts, settings });
  const callable = candidates.filter(({ plan }) => plan.called);
  const [chosen, setChosen] = useState<readonly string[]>(() => callable.map(({ tool }) => tool.name));
  const [agreed, setAgreed] = useState(false);
  const [refused, setRefused] = useState<string | undefined>(undefined);
  const writing = callable.filter(({ tool, writes }) => writes && chosen.includes(tool.name)).map(({ tool }) => tool.name);
  const reading = callable.filter(({ tool, writes }) => !writes && chosen.includes(tool.name)).map(({ tool }) => tool.name);
  const tools = [...reading, ...(agreed ? writing : [])];

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    try {
      await feed.request('check.start', {
        connection: status.connection,
        tools,
        allowWrites: agreed,
        arguments: argumentsOf(candidates, tools),
      });
      onBegun();
    } catch (error) {
      setRefused(messageOf(error));
    }
  };

  return (
    <form className="check-choose" onSubmit={(event) => void submit(event)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section className="check-scroll" aria-label="Tools to try" tabIndex={0}>
        <List title="Declared to only read" candidates={candidates.filter(({ writes }) => !writes)} chosen={chosen} onChoose={setChosen} />
        <List title="May write" candidates={candidates.filter(({ writes }) => writes)} chosen={chosen} onChoose={setChosen} />
      </section>
      {writing.length > 0 && (
        <Check className="row check-agree" checked={agreed} onChange={setAgreed} label={`Call ${writing.join(', ')} for real`}>
          <span>
            Call <b className="mono">{writing.join(', ')}</b> for real, several times each: whatever they write is written.
          </span>
        </Check>
      )}
      <p className="hint">
        Arguments are those that come with the server, else those of the tool’s form, else what its schema gives. Each tool is called,
        cancelled at work and before it begins, and called again; then the server is restarted and sent cancels that name nobody.
      </p>
      {refused !== undefined && (
        <p className="error" role="alert">
          {refused}
        </p>
      )}
      <div className="dialog-actions">
        <button type="button" className="link" onClick={() => setChosen(callable.map(({ tool }) => tool.name))}>
          All
        </button>
        <button type="button" className="link" onClick={() => setChosen([])}>
          None
        </button>
        <span className="hint grow">
          {tools.length === 0
            ? 'No tool is chosen: only the server as a whole is tried.'
            : `${tools.length} of ${candidates.length} tools are tried.`}
        </span>
        <button type="button" className="button" onClick={onBack ?? actions.closeDialog}>
          {onBack ? 'Back' : 'Cancel'}
        </button>
        <button type="submit" className="button go" data-autofocus>
          Make the report card
        </button>
      </div>
    </form>
  );
}
