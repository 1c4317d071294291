// The window: header, banners, the three columns with the dock beneath the middle one, footer, and what lies on top.
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { Group, type Layout, Panel, type PanelImperativeHandle, Separator } from 'react-resizable-panels';
import { useFinds, useKeyTexts, useSelect, useStopgap, useTimelineModel, useVersion } from './context';
import { isFiltering, showsCall } from './filter';
import { isToolCall } from './inFlight';
import { OnTop } from './OnTop';
import { DropTarget } from './panels/configs/DropTarget';
import { Details } from './panels/details/Details';
import { Dock } from './panels/dock/Dock';
import { FlightStrip } from './panels/flight/FlightStrip';
import { Header } from './panels/header/Header';
import { Side } from './panels/Side';
import { Announcer } from './panels/states/Announcer';
import { Banners } from './panels/states/Banners';
import { Footer } from './panels/states/Footer';
import { ServerState } from './panels/states/ServerState';
import { Toasts } from './panels/states/Toasts';
import { Welcome } from './panels/welcome/Welcome';
import { Overview } from './timeline/Overview';
import { Timeline } from './timeline/Timeline';

/** A group's sizes, remembered once the person has moved something. */
function useLayout(id: string) {
  const { store } = useStopgap();
  const onLayoutChanged = useCallback(
    (layout: Layout, meta: { readonly isUserInteraction: boolean }) => {
      if (meta.isUserInteraction) store.setState(({ panels }) => ({ panels: { ...panels, [id]: layout } }));
    },
    [store, id],
  );
  const defaultLayout = useSelect((state) => state.panels[id]);
  return { id, onLayoutChanged, ...(defaultLayout ? { defaultLayout } : {}) };
}

function Middle() {
  const { store, timeline, feed, searching, actions } = useStopgap();
  const model = useTimelineModel();
  const call = useSelect((state) => state.call);
  const frame = useSelect((state) => state.frame);
  const density = useSelect((state) => state.settings.density);
  const text = useSelect((state) => state.filter);
  const signs = useSelect((state) => state.signs);
  const keyText = useKeyTexts();
  useVersion(250);
  const finds = useFinds();
  const filter = { text, signs };
  const dimmed = (index: number): boolean => {
    const row = feed.calls.all[index];
    return row !== undefined && !showsCall(filter, row, feed.verdict(index), searching.hasCall(index));
  };
  return (
    <main className="middle" aria-label="Timeline">
      <div className="overview-slot">
        <Overview model={model} controller={timeline} onSelect={(selection) => actions.selectCall(selection.call)} />
      </div>
      <FlightStrip />
      <div className="timeline-slot">
        <Timeline
          model={model}
          controller={timeline}
          selection={call === undefined ? undefined : { call, seq: frame }}
          onSelect={(selection) => store.setState({ call: selection?.call, frame: selection?.seq })}
          density={density}
          keyText={keyText}
          onCopied={(told, failed) => actions.say(failed ? 'error' : 'info', told)}
          {...(isFiltering(filter) ? { dimmed } : {})}
          {...(finds.text === '' ? {} : { found: finds.seqs })}
          {...(feed.calls.all.some(isToolCall) ? {} : { empty: <ServerState /> })}
        />
      </div>
    </main>
  );
}

/** What a scenario needs to be read, in pixels: the column makes room when it is shown, and gives it back. */
const LAB_WIDTH = 400;

function useRoomForLab(panel: RefObject<PanelImperativeHandle | null>): void {
  const lab = useSelect((state) => state.side === 'lab');
  const before = useRef<number | undefined>(undefined);
  useEffect(() => {
    const width = panel.current?.getSize().inPixels;
    if (width === undefined) return;
    if (lab && width < LAB_WIDTH) {
      before.current = width;
      panel.current?.resize(LAB_WIDTH);
    } else if (!lab && before.current !== undefined) {
      panel.current?.resize(before.current);
      before.current = undefined;
    }
  }, [lab, panel]);
}

function Workbench() {
  const left = useRef<PanelImperativeHandle | null>(null);
  useRoomForLab(left);
  return (
    <Group orientation="horizontal" className="workbench" {...useLayout('columns')}>
      <Panel id="tools" panelRef={left} defaultSize={272} minSize={210} maxSize="50%" groupResizeBehavior="preserve-pixel-size">
        <Side />
      </Panel>
      <Separator className="split-x" />
      <Panel id="middle" minSize={300}>
        <Group orientation="vertical" {...useLayout('rows')}>
          <Panel id="timeline" minSize={180}>
            <Middle />
          </Panel>
          <Separator className="split-y" />
          <Panel id="dock" defaultSize={190} minSize={80} groupResizeBehavior="preserve-pixel-size">
            <Dock />
          </Panel>
        </Group>
      </Panel>
      <Separator className="split-x" />
      <Panel id="details" defaultSize={348} minSize={264} maxSize="50%">
        <Details />
      </Panel>
    </Group>
  );
}

export function App() {
  // Sizes are read once, when the host has told what was remembered; nothing is drawn twice.
  const settled = useSelect((state) => state.settled);
  // Somebody can press something from the next frame on: what the bench measures the start by.
  const [usable, setUsable] = useState(false);
  useEffect(() => {
    if (!settled) return;
    requestAnimationFrame(() => {
      performance.mark('usable');
      setUsable(true);
    });
  }, [settled]);
  return (
    <>
      <div className="app">
        <Header />
        <Banners />
        {settled ? <Workbench /> : <div className="workbench" aria-busy="true" />}
        <Footer />
      </div>
      <OnTop ready={usable} />
      <DropTarget />
      <Welcome />
      <Toasts />
      <Announcer />
    </>
  );
}
