// The form of one tool: what it says it does, its arguments as a form or as JSON, what watches the call, and Call.
import { Tabs } from '@base-ui/react/tabs';
import { History, Play, RotateCcw } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, lazy, Suspense, useState } from 'react';
import type { Tool } from '../../../app/contract/host';
import { draftOf } from '../../actions';
import { useSelect, useStopgap } from '../../context';
import type { Draft } from '../../store/state';
import { mayWrite, writeWarning } from '../../tools';
import { Menu, MenuGroup, MenuItem } from '../../ui/Menu';
import { Milliseconds } from './Milliseconds';
import { Probes } from './Probes';
import { PlainAnyway, TaskChoice } from './TaskChoice';
import { check, type Wrong } from './validator';

// Both are large, and neither is needed for the first picture of the window.
const JsonEditor = lazy(() => import('./JsonEditor'));
const SchemaForm = lazy(() => import('./SchemaForm'));

function HistoryMenu({ tool }: { readonly tool: Tool }) {
  const { actions } = useStopgap();
  const used = useSelect((state) => state.settings.history[state.status.key]?.[tool.name]);
  if (!used || used.length === 0) return null;
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="icon-button quiet" aria-label="Arguments used before" title="Arguments used before">
          <History size={14} aria-hidden />
        </button>
      }
    >
      <MenuGroup label="Arguments used before">
        {used.slice(0, 12).map((entry) => (
          <MenuItem key={JSON.stringify(entry)} onPress={() => actions.draft(tool, { arguments: entry })}>
            <span className="mono">{shortly(entry)}</span>
          </MenuItem>
        ))}
      </MenuGroup>
    </Menu>
  );
}

const shortly = (entry: unknown): string => {
  const text = JSON.stringify(entry);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
};

/** About four lines of the column. */
const SHORT = 150;

function Description({ text }: { readonly text: string }) {
  const [open, setOpen] = useState(false);
  const long = text.length > SHORT || text.split('\n').length > 4;
  return (
    <>
      <p className="soft description selectable" data-short={long && !open}>
        {text}
      </p>
      {long && (
        <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Less' : 'More'}
        </button>
      )}
    </>
  );
}

function Hint({ tool, draft }: { readonly tool: Tool; readonly draft: Draft }) {
  const { actions } = useStopgap();
  const dismissed = useSelect((state) => state.status.setups[tool.name]?.hintDismissed === true);
  if (!mayWrite(tool) || draft.probes.length > 0 || dismissed) return null;
  return (
    <div className="probe-hint" role="note">
      <p>Nothing watches what this tool may write: after a Stop it will not be known whether it did.</p>
      <div className="row">
        <button type="button" className="link" onClick={() => actions.openDialog({ kind: 'probe', tool: tool.name })}>
          Add a probe…
        </button>
        <span className="grow" />
        <button
          type="button"
          className="link faint"
          onClick={() => void actions.setup(tool.name, { probes: [...draft.probes], hintDismissed: true })}
        >
          Not for this tool
        </button>
      </div>
    </div>
  );
}

/** What is set once for a tool, if ever. */
function More({
  tool,
  draft,
  onChange,
}: {
  readonly tool: Tool;
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}) {
  const { actions } = useStopgap();
  const undo = useSelect((state) => state.status.setups[tool.name]?.undo);
  const settle = useSelect((state) => state.settings.settleMs);
  return (
    <details className="more">
      <summary>More</summary>
      <div className="stack">
        <Milliseconds
          label="Watched after a stop for"
          value={draft.settleMs}
          hint={String(settle)}
          onChange={(settleMs) => onChange({ settleMs })}
        />
        <PlainAnyway tool={tool} draft={draft} onChange={onChange} />
        <div className="row">
          <span className="soft grow">When does Stop come too late?</span>
          <button type="button" className="button small" onClick={() => actions.openDialog({ kind: 'sweep', tool: tool.name })}>
            Sweep…
          </button>
        </div>
        {mayWrite(tool) && (
          <div className="row">
            <span className="soft grow clip">{undo ? `Undone by ${undo.tool}` : 'Nothing is known to undo it'}</span>
            <button type="button" className="button small" onClick={() => actions.openDialog({ kind: 'undo-tool', tool: tool.name })}>
              {undo ? 'Change…' : 'Bind an undo…'}
            </button>
          </div>
        )}
      </div>
    </details>
  );
}

function Problems({ wrong }: { readonly wrong: readonly Wrong[] }) {
  if (wrong.length === 0) return null;
  return (
    <ul className="problems error">
      {wrong.slice(0, 5).map(({ at, says }) => (
        <li key={`${at} ${says}`}>
          {at && <code className="mono">{at.slice(1)}: </code>}
          {says}
        </li>
      ))}
    </ul>
  );
}

export function ToolForm({ tool }: { readonly tool: Tool }) {
  const { actions, store } = useStopgap();
  const draft = useSelect((state) => state.drafts[tool.name]) ?? draftOf(store.getState(), tool);
  const asJson = useSelect((state) => state.rawOpen);
  const connected = useSelect((state) => state.status.state === 'connected');
  const linked = useSelect((state) => state.link.state === 'ready');
  const repeatable = useSelect((state) => (state.settings.history[state.status.key]?.[tool.name]?.length ?? 0) > 0);
  const last = useSelect((state) => state.settings.history[state.status.key]?.[tool.name]?.[0]);
  const [broken, setBroken] = useState<string | undefined>(undefined);
  const [pressed, setPressed] = useState(false);
  const wrong = check(tool.inputSchema, draft.arguments);
  const warning = writeWarning(tool);
  const can = connected && linked && broken === undefined;
  const change = (part: Partial<Draft>): void => actions.draft(tool, part);

  /** Arguments against the schema are shown first, and sent at the second press: a server's answer to them is worth seeing too. */
  const call = (): void => {
    if (!can) return;
    if (wrong.length > 0 && !pressed) setPressed(true);
    else {
      setPressed(false);
      void actions.callTool(tool);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    call();
  };
  const enter = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    const field = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox';
    if (!event.ctrlKey && !event.metaKey && !field) return;
    event.preventDefault();
    event.stopPropagation();
    call();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in any of its fields calls, as in any form
    <div className="tool-form" onKeyDown={enter}>
      <div className="tool-form-scroll">
        <div className="row tool-form-head">
          <b className="clip grow selectable">{tool.title ?? tool.name}</b>
          <HistoryMenu tool={tool} />
          <Tabs.Root value={asJson ? 'json' : 'form'} onValueChange={(side) => store.setState({ rawOpen: side === 'json' })}>
            <Tabs.List className="segmented" aria-label="Arguments as">
              <Tabs.Tab value="form" disabled={broken !== undefined}>
                Form
              </Tabs.Tab>
              <Tabs.Tab value="json">JSON</Tabs.Tab>
            </Tabs.List>
          </Tabs.Root>
        </div>
        {tool.description && <Description text={tool.description} />}
        {asJson ? (
          <Suspense fallback={<p className="hint">Opening the editor…</p>}>
            <JsonEditor value={draft.arguments} onChange={(value) => change({ arguments: value })} onBroken={setBroken} />
            {broken === undefined ? <Problems wrong={wrong} /> : <p className="error">{broken}</p>}
          </Suspense>
        ) : (
          <Suspense fallback={<p className="hint">Opening the form…</p>}>
            <SchemaForm
              schema={tool.inputSchema}
              value={draft.arguments}
              onChange={(value) => change({ arguments: value })}
              showErrors={pressed}
            />
          </Suspense>
        )}
        <div className="two">
          <Milliseconds label="Stop after" value={draft.stopAfterMs} hint="by hand" onChange={(stopAfterMs) => change({ stopAfterMs })} />
          <Milliseconds
            label="Normally takes"
            value={draft.normallyMs}
            hint="not known"
            onChange={(normallyMs) => change({ normallyMs })}
          />
        </div>
        <TaskChoice tool={tool} draft={draft} onChange={change} />
        <Probes tool={tool} chosen={draft.probes} onChoose={(probes) => change({ probes })} />
        <Hint tool={tool} draft={draft} />
        <More tool={tool} draft={draft} onChange={change} />
      </div>
      <form className="tool-call" onSubmit={submit}>
        {pressed && !asJson && <Problems wrong={wrong} />}
        <div className="row">
          <button type="submit" id="call-button" className="button go grow" disabled={!can}>
            <Play size={12} fill="currentColor" aria-hidden />
            <span className="clip">{pressed && wrong.length > 0 ? 'Call anyway' : `Call ${tool.name}`}</span>
            <kbd aria-hidden>⏎</kbd>
          </button>
          <button
            type="button"
            className="icon-button"
            disabled={!can || !repeatable}
            aria-label="Repeat the last call of this tool"
            title="Repeat the last call of this tool"
            onClick={() => {
              if (last) change({ arguments: last });
              void actions.callTool(tool);
            }}
          >
            <RotateCcw size={14} aria-hidden />
          </button>
        </div>
        <p className="tool-warning" data-none={warning === undefined}>
          {connected ? (warning ?? 'Declared read-only. That is a hint, not a proof.') : 'Connect to call it.'}
        </p>
      </form>
    </div>
  );
}
