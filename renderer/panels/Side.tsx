// The left column: the tools of the server in focus, or the race laboratory.
import { Tabs } from '@base-ui/react/tabs';
import { useSelect, useStopgap } from '../context';
import type { Side as Which } from '../store/state';
import { Lab } from './lab/Lab';
import { Tools } from './tools/Tools';
import './lab/lab.css';

/** Something runs while the person is elsewhere. */
function Running() {
  const on = useSelect(({ lab }) => lab !== undefined && lab.state !== 'over');
  return on ? <span className="lab-live" role="img" aria-label="running" /> : null;
}

export function Side() {
  const { store } = useStopgap();
  const side = useSelect((state) => state.side);
  return (
    <Tabs.Root className="side-frame" value={side} onValueChange={(chosen: Which) => store.setState({ side: chosen })}>
      <Tabs.List className="tabs side-tabs" aria-label="Tools, laboratory">
        <Tabs.Tab value="tools" className="tab">
          Tools
        </Tabs.Tab>
        <Tabs.Tab value="lab" className="tab" id="lab-tab">
          Scenarios <Running />
        </Tabs.Tab>
        <Tabs.Indicator className="tab-indicator" />
      </Tabs.List>
      <Tabs.Panel value="tools" className="side-panel">
        <Tools />
      </Tabs.Panel>
      <Tabs.Panel value="lab" className="side-panel">
        <Lab />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
