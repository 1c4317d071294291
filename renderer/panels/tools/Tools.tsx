// The left column: the server's tools with what they declare, and beneath them the form of the selected one.

import { type KeyboardEvent, useCallback } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import type { Tool } from '../../../app/contract/host';
import { currentTool } from '../../actions';
import { useSelect, useStopgap } from '../../context';
import { badgeOf } from '../../tools';
import { ToolBadge } from '../../ui/signs';
import { Whose } from '../servers/Whose';
import { ToolForm } from './ToolForm';
import './tools.css';

const matches = (tool: Tool, search: string): boolean => {
  const hay = `${tool.name} ${tool.title ?? ''} ${tool.description ?? ''}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
};

function ToolList() {
  const { store } = useStopgap();
  const tools = useSelect((state) => state.status.tools);
  const selected = useSelect((state) => state.tool);
  const search = useSelect((state) => state.toolSearch);
  const shown = tools.filter((tool) => matches(tool, search));
  const choose = (name: string): void => store.setState({ tool: name });
  const walk = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = shown.findIndex((tool) => tool.name === selected);
    const next = shown[Math.min(shown.length - 1, Math.max(0, at + step))];
    if (!next) return;
    choose(next.name);
    document.getElementById(`tool-${next.name}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div className="tool-list-frame">
      <Whose />
      <div className="tool-search">
        <input
          id="tool-search"
          className="field"
          type="search"
          value={search}
          spellCheck={false}
          placeholder={`Search ${tools.length} tools`}
          aria-label="Search tools"
          onChange={(event) => store.setState({ toolSearch: event.target.value })}
          onKeyDown={walk}
        />
      </div>
      <div
        className="tool-list"
        role="listbox"
        aria-label="Tools"
        tabIndex={0}
        onKeyDown={walk}
        aria-activedescendant={selected === undefined ? undefined : `tool-${selected}`}
      >
        {shown.map((tool) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox around it takes the keys
          <div
            key={tool.name}
            id={`tool-${tool.name}`}
            role="option"
            tabIndex={-1}
            aria-selected={tool.name === selected}
            className="tool"
            title={tool.title ?? tool.name}
            onClick={() => choose(tool.name)}
          >
            <ToolBadge badge={badgeOf(tool)} />
            <span className="clip">{tool.name}</span>
          </div>
        ))}
        {tools.length > 0 && shown.length === 0 && <p className="list-empty">No tool has these words.</p>}
      </div>
    </div>
  );
}

/** Instead of a list without tools and a form without fields: why there are none, and what to do. */
function Nothing() {
  const file = useSelect((state) => state.view?.source === 'file');
  const state = useSelect(({ status }) => status.state);
  const [title, says] = file
    ? ['A trace file', 'Nothing can be called here. Go back to live to call tools.']
    : state === 'connected'
      ? ['No tools', 'This server offers none, so there is nothing to call.']
      : state === 'starting'
        ? ['No tools yet', 'The tools that the server offers will be listed here.']
        : ['No server', 'Connect to one, and its tools are listed here, each with a form to call it.'];
  return (
    <div className="tools-nothing">
      <p className="sentence">{title}</p>
      <p className="soft">{says}</p>
    </div>
  );
}

export function Tools() {
  const { store } = useStopgap();
  const tool = useSelect(currentTool);
  const file = useSelect((state) => state.view?.source === 'file');
  const layout = useSelect((state) => state.panels['left']);
  const onLayoutChanged = useCallback(
    (sizes: Record<string, number>, meta: { readonly isUserInteraction: boolean }) => {
      if (meta.isUserInteraction) store.setState(({ panels }) => ({ panels: { ...panels, left: sizes } }));
    },
    [store],
  );
  const none = useSelect((state) => state.status.tools.length === 0);
  if (file || none)
    return (
      <aside className="side" aria-label="Tools">
        <Nothing />
      </aside>
    );
  return (
    <aside className="side" aria-label="Tools">
      <Group orientation="vertical" id="left" onLayoutChanged={onLayoutChanged} {...(layout ? { defaultLayout: layout } : {})}>
        <Panel id="tool-list" defaultSize="40%" minSize={110}>
          <ToolList />
        </Panel>
        <Separator className="split-y" />
        <Panel id="tool-form" minSize={160}>
          {tool ? <ToolForm key={tool.name} tool={tool} /> : <p className="list-empty">The form of the selected tool will be here.</p>}
        </Panel>
      </Group>
    </aside>
  );
}
