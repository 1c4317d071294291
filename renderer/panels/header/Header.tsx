// The top line: which server and how it is, the filter, how bad it has been, and how the window looks.
import { CircleHelp, Moon, Sun, SunMoon } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ServerState } from '../../../app/contract/host';
import { useFinds, useKeyText, useLayer, useSelect, useStopgap, useTick, useVersion } from '../../context';
import { SIGNS, type Sign, signOf } from '../../filter';
import { isToolCall } from '../../inFlight';
import { searchText } from '../../searching';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../../ui/Menu';
import { Popover } from '../../ui/Popover';
import { Kbd, SIGN_SHAPES, SIGN_WORDS } from '../../ui/signs';
import { FaultsMenu } from '../faults/FaultsMenu';
import { connectionFacts, connectionLine } from './connection';
import { ServerMenu } from './ServerMenu';
import './header.css';

function Mark() {
  return (
    <svg className="app-mark" viewBox="0 0 20 20" aria-hidden="true">
      <rect x="2" y="4" width="7" height="12" rx="1.5" fill="var(--request)" />
      <path d="M11.5 2v16" stroke="var(--cancel)" strokeWidth="2" />
      <path d="M16.5 6.5 20 10l-3.5 3.5L13 10z" fill="var(--breach)" />
    </svg>
  );
}

const STATE_TEXT: Readonly<Record<ServerState, string>> = {
  none: '',
  starting: 'starting',
  connected: '',
  closing: 'closing…',
  failed: 'did not connect',
  ended: 'ended',
};

/** Starting can take long, or for ever: how long it has, and a way out. */
function Starting() {
  const { actions, store } = useStopgap();
  const text = useRef<HTMLSpanElement>(null);
  useTick(true, () => {
    const since = store.getState().startingSince;
    if (text.current && since !== undefined) text.current.textContent = `${((performance.now() - since) / 1000).toFixed(1)} s`;
  });
  return (
    <>
      <span ref={text} className="mono connection" />
      <button type="button" className="button small" onClick={() => void actions.disconnect()}>
        Cancel
      </button>
    </>
  );
}

/** The connection in a line; a press says it at length: what was offered, what was chosen, and what Stop is here. */
function Connected() {
  const { actions } = useStopgap();
  const status = useSelect((all) => all.status);
  const { fellBack, spec } = status;
  return (
    <Popover
      title={`The connection to ${status.title}`}
      align="start"
      trigger={
        <button type="button" className="connection connection-button" aria-label={`The connection: ${connectionLine(status)}`}>
          <span className="clip" title={fellBack && `Streamable HTTP was refused: ${fellBack.why}`}>
            {connectionLine(status)}
          </span>
        </button>
      }
    >
      {(close) => (
        <>
          <dl className="facts selectable">
            {connectionFacts(status).map(({ name, says, hint }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {says}
                  {hint !== undefined && <small>{hint}</small>}
                </dd>
              </div>
            ))}
          </dl>
          {spec && spec.kind !== 'demo' && (
            <button
              type="button"
              className="button"
              onClick={() => {
                close();
                actions.openDialog({ kind: 'connect' });
              }}
            >
              Connect with another revision…
            </button>
          )}
        </>
      )}
    </Popover>
  );
}

function Connection() {
  const state = useSelect(({ status }) => status.state);
  if (state === 'connected') return <Connected />;
  return (
    <>
      <span className="connection clip">{STATE_TEXT[state]}</span>
      {state === 'starting' && <Starting />}
    </>
  );
}

/** How far the search for the filter's words is: a list that is short because it is not done says so. */
function SearchStatus() {
  const { feed } = useStopgap();
  const finds = useFinds();
  useVersion(500);
  const says = searchText(finds, feed.trace.length);
  if (says === undefined) return null;
  return (
    <output className="search-status clip" title={says}>
      {says}
    </output>
  );
}

function FilterBox() {
  const { store } = useStopgap();
  const text = useSelect((state) => state.filter);
  const [typing, setTyping] = useState(false);
  const key = useKeyText('filter');
  const input = useRef<HTMLInputElement>(null);
  useLayer(typing, () => {
    store.setState({ filter: '' });
    input.current?.blur();
  });
  return (
    <label className="filter">
      <Kbd keys={key} />
      <input
        id="filter"
        ref={input}
        type="text"
        value={text}
        aria-label="Filter calls, text, verdicts"
        placeholder="filter calls, text, verdicts"
        spellCheck={false}
        onChange={(event) => store.setState({ filter: event.target.value })}
        onFocus={() => setTyping(true)}
        onBlur={() => setTyping(false)}
      />
    </label>
  );
}

/** How many calls and findings carry each sign; a press shows only those. */
function Counts() {
  const { feed, store } = useStopgap();
  const signs = useSelect((state) => state.signs);
  useVersion(250);
  const counts: Record<Sign, number> = { quiet: 0, note: 0, warn: 0, breach: 0 };
  for (const verdict of feed.verdicts.values()) {
    const call = feed.calls.all[verdict.call];
    if (call && isToolCall(call)) counts[signOf(verdict.severity)]++;
  }
  for (const finding of feed.findings) counts[signOf(finding.severity)]++;
  const toggle = (sign: Sign): void =>
    store.setState({ signs: signs.includes(sign) ? signs.filter((other) => other !== sign) : [...signs, sign] });
  return (
    <fieldset className="counts">
      <legend className="visually-hidden">Show only calls and findings of these severities</legend>
      {SIGNS.filter((sign) => sign !== 'quiet')
        .reverse()
        .map((sign) => (
          <button
            key={sign}
            type="button"
            className="count"
            data-sign={sign}
            data-some={counts[sign] > 0}
            aria-pressed={signs.includes(sign)}
            onClick={() => toggle(sign)}
          >
            <span aria-hidden>{SIGN_SHAPES[sign]}</span> {counts[sign].toLocaleString('en')}{' '}
            <span className="visually-hidden">{SIGN_WORDS[sign]}</span>
          </button>
        ))}
    </fieldset>
  );
}

const THEMES = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;
const DENSITIES = [
  { value: 'comfortable', label: 'Comfortable' },
  { value: 'compact', label: 'Compact' },
] as const;

const FENCE_HINT =
  'Over stdio a ping follows every cancel (server/discover in 2026-07-28), to see when the server has read past it. Over HTTP nothing could show that.';

function LookMenu() {
  const { actions, store } = useStopgap();
  const { theme, density, fence } = useSelect((state) => state.settings);
  const Icon = theme === 'dark' ? Moon : theme === 'light' ? Sun : SunMoon;
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className="icon-button" aria-label="Theme, density and more">
          <Icon size={15} aria-hidden />
        </button>
      }
    >
      <MenuChoice label="Theme" value={theme} choices={THEMES} onChoose={(chosen) => void actions.settings({ theme: chosen })} />
      <MenuLine />
      <MenuChoice label="Density" value={density} choices={DENSITIES} onChoose={(chosen) => void actions.settings({ density: chosen })} />
      <MenuLine />
      <MenuItem onPress={() => void actions.settings({ fence: !fence })} hint={fence ? FENCE_HINT : 'Nothing follows a cancel.'}>
        Fence: {fence ? 'on' : 'off'}
      </MenuItem>
      <MenuItem onPress={() => actions.openDialog({ kind: 'keys' })}>Keys…</MenuItem>
      <MenuItem onPress={() => store.setState({ welcome: true })}>Show the first race again</MenuItem>
    </Menu>
  );
}

export function Header() {
  const { actions } = useStopgap();
  const help = useKeyText('help');
  return (
    <header className="header">
      <Mark />
      <ServerMenu />
      <Connection />
      <span className="grow" />
      <FilterBox />
      <SearchStatus />
      <Counts />
      <FaultsMenu />
      <LookMenu />
      <button
        type="button"
        className="icon-button"
        aria-label="Keys and marks"
        title={help === undefined ? 'Keys and marks' : `Keys and marks (${help})`}
        onClick={() => actions.openDialog({ kind: 'help' })}
      >
        <CircleHelp size={15} aria-hidden />
      </button>
    </header>
  );
}
