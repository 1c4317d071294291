// The dock beneath the timeline: the wire, the calls as a table, findings, stderr, and where the traces lie.
import { Tabs } from '@base-ui/react/tabs';
import { useSelect, useStopgap, useVersion } from '../../context';
import { isToolCall } from '../../inFlight';
import type { Tab } from '../../store/state';
import { Tasks } from '../tasks/Tasks';
import { careOf } from '../tasks/taskList';
import { CallsTable } from './CallsTable';
import { Findings } from './Findings';
import { LeftOut } from './LeftOut';
import { probeFrames, stderrRows } from './rows';
import { Stderr } from './Stderr';
import { Traces } from './Traces';
import { WireLog } from './WireLog';
import './dock.css';

function Counted() {
  const { feed } = useStopgap();
  useVersion(250);
  // Of the server's tasks those that nobody looks after are news; of the others there is a row.
  const orphans = useSelect(
    ({ status, taskLists }) => taskLists[status.session]?.tasks?.filter((task) => careOf(task) === 'nobody').length,
  );
  const counts: Readonly<Record<Tab, number | undefined>> = {
    wire: undefined,
    calls: feed.calls.all.filter(isToolCall).length,
    findings: feed.findings.length,
    tasks: orphans,
    stderr: stderrRows(feed.trace).length,
    traces: undefined,
  };
  const names: Readonly<Record<Tab, string>> = {
    wire: 'Wire',
    calls: 'Calls',
    findings: 'Findings',
    tasks: 'Tasks',
    stderr: 'stderr',
    traces: 'Traces',
  };
  return (
    <Tabs.List className="tabs" aria-label="Wire, calls, findings, tasks, stderr, traces">
      {(Object.keys(names) as Tab[]).map((tab) => (
        <Tabs.Tab key={tab} value={tab} className="tab">
          {names[tab]}
          {counts[tab] ? <span className="tab-count">{counts[tab].toLocaleString('en')}</span> : null}
        </Tabs.Tab>
      ))}
      <Tabs.Indicator className="tab-indicator" />
    </Tabs.List>
  );
}

/** Requests of probes are kept out of the way; how many there are is not. */
function ProbeTraffic() {
  const { feed, store } = useStopgap();
  const shown = useSelect((state) => state.probeTraffic);
  useVersion(250);
  const count = probeFrames(feed.trace, feed.calls);
  if (count === 0) return null;
  return (
    <button
      type="button"
      className="button small"
      aria-pressed={shown}
      title="What probes ask of the server, and its answers"
      onClick={() => store.setState({ probeTraffic: !shown })}
    >
      probe traffic ({count.toLocaleString('en')})
    </button>
  );
}

export function Dock() {
  const { actions } = useStopgap();
  const tab = useSelect((state) => state.tab);
  return (
    <Tabs.Root className="dock" value={tab} onValueChange={(chosen: Tab) => actions.showTab(chosen)}>
      <div className="dock-head">
        <Counted />
        <span className="grow" />
        {(tab === 'wire' || tab === 'calls') && <LeftOut />}
        {tab === 'wire' && <ProbeTraffic />}
      </div>
      <Tabs.Panel value="wire" className="tab-panel">
        <WireLog />
      </Tabs.Panel>
      <Tabs.Panel value="calls" className="tab-panel">
        <CallsTable />
      </Tabs.Panel>
      <Tabs.Panel value="findings" className="tab-panel">
        <Findings />
      </Tabs.Panel>
      <Tabs.Panel value="tasks" className="tab-panel">
        <Tasks />
      </Tabs.Panel>
      <Tabs.Panel value="stderr" className="tab-panel">
        <Stderr />
      </Tabs.Panel>
      <Tabs.Panel value="traces" className="tab-panel">
        <Traces />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
