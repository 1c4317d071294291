// The one table of commands. Keys, the palette, the help dialog and the application's menu are all made of it; nothing in
// the window listens to a key in any other way, but for what a field or a list does by itself.

import { type AuthStatus, demoTitle, demoWord, type ServerSpec } from '../app/contract/server';
import { PRESET_NAMES, PRESETS, toggled } from '../app/scenario/faults';
import type { Call } from '../app/trace/calls';
import { DEMO_WIRES } from '../app/wire/frame';
import { currentTool } from './actions';
import { canRetry, retry, undoOf } from './again';
import type { Stopgap } from './context';
import { SIGNS, type Sign } from './filter';
import { copyCommandLine, copyJson, copyReport } from './panels/details/copy';
import { TABS } from './store/state';
import { NO_FACETS } from './timeline/facets';

export const GROUPS = ['Call', 'Laboratory', 'Look', 'Timeline', 'Server', 'Window'] as const;
export type Group = (typeof GROUPS)[number];

export interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: Group;
  /** In tinykeys' notation; every one of them runs the command. The first is shown. */
  readonly keys: readonly string[];
  /** How the first key is written where people read it, when it is not the key itself. */
  readonly shown?: string;
  /** Whether it can do anything now. */
  readonly when?: (stopgap: Stopgap) => boolean;
  readonly run: (stopgap: Stopgap) => void;
}

const connected = ({ store }: Stopgap): boolean => store.getState().status.state === 'connected';
const live = ({ store }: Stopgap): boolean => store.getState().view?.source !== 'file';
const selected = ({ store }: Stopgap): boolean => store.getState().call !== undefined;
const hasCalls = ({ feed }: Stopgap): boolean => feed.calls.all.length > 0;
const spec = ({ store }: Stopgap): boolean => store.getState().status.spec !== undefined;
const several = ({ store }: Stopgap): boolean => store.getState().servers.length > 1;
const isAuth = ({ store }: Stopgap, states: readonly AuthStatus['state'][]): boolean => {
  const state = store.getState().status.auth?.state;
  return state !== undefined && states.includes(state);
};
const hasScenario = ({ store }: Stopgap): boolean => store.getState().scenario !== undefined;
const inLab = ({ store }: Stopgap): boolean => (store.getState().lab?.state ?? 'over') !== 'over';
/** The server in focus, where it is not saved yet. */
function unsaved({ store }: Stopgap): ServerSpec | undefined {
  const { spec } = store.getState().status;
  return spec && spec.kind !== 'demo' && spec.id === undefined ? spec : undefined;
}

/** Escape with nothing open: Stop while something is in flight, else put away the selection and the filter. */
function stopOrClear({ actions, store }: Stopgap): void {
  if (actions.stopNewest()) return;
  store.setState({ filter: '', signs: [], call: undefined, frame: undefined });
}

function toggleSign({ store }: Stopgap, sign: Sign): void {
  const { signs } = store.getState();
  store.setState({ signs: signs.includes(sign) ? signs.filter((other) => other !== sign) : [...signs, sign] });
}

const selectedCall = ({ feed, store }: Stopgap): Call | undefined => feed.calls.all[store.getState().call ?? -1];

/** A task that has not come out, and that nobody has stopped. */
const isPolled = (call: Call | undefined): boolean =>
  call?.task !== undefined && call.replies.length === 0 && call.stops.length === 0 && call.task.cancels.length === 0;

const COPIES = { 'command-line': copyCommandLine, report: copyReport, json: copyJson } as const;

function copy(stopgap: Stopgap, as: keyof typeof COPIES): void {
  const call = selectedCall(stopgap);
  if (call) void COPIES[as](stopgap, call);
}

function callSelectedTool({ store, actions }: Stopgap): void {
  const tool = currentTool(store.getState());
  if (tool) void actions.callTool(tool);
}

const focus = (id: string): void => document.getElementById(id)?.focus();

export const COMMANDS: readonly Command[] = [
  {
    id: 'call.stop',
    title: 'Stop the selected call in flight, else the newest',
    group: 'Call',
    keys: ['Escape'],
    shown: 'Esc',
    when: live,
    run: stopOrClear,
  },
  {
    id: 'call.stop-all',
    title: 'Stop all calls in flight',
    group: 'Call',
    keys: ['Shift+Escape'],
    shown: 'Shift Esc',
    when: live,
    run: ({ actions }) => void actions.stopAll(),
  },
  {
    id: 'call.stop-polling',
    title: 'Stop polling the selected task (tells nobody)',
    group: 'Call',
    keys: [],
    when: (s) => live(s) && isPolled(selectedCall(s)),
    run: (s) => {
      const call = selectedCall(s);
      if (call) void s.actions.stop(call.index, { means: 'stop-polling' });
    },
  },
  {
    id: 'tool.call',
    title: 'Call the selected tool (again)',
    group: 'Call',
    keys: ['$mod+Enter'],
    when: (s) => connected(s) && live(s),
    run: callSelectedTool,
  },
  {
    id: 'call.retry',
    title: 'Retry the stopped call…',
    group: 'Call',
    keys: ['r'],
    when: (s) => canRetry(s, selectedCall(s)),
    run: (s) => retry(s, selectedCall(s)),
  },
  {
    id: 'call.undo',
    title: 'Undo what the call has done…',
    group: 'Call',
    keys: [],
    when: (s) => undoOf(s, selectedCall(s)) !== undefined,
    run: ({ actions, store }) => actions.openDialog({ kind: 'undo', call: store.getState().call ?? 0 }),
  },
  {
    id: 'probe.read',
    title: 'Verify now: read the probes once more',
    group: 'Call',
    keys: ['p'],
    when: (s) => connected(s) && live(s),
    run: ({ actions, store }) => void actions.readProbes(store.getState().call),
  },
  {
    id: 'probe.add',
    title: 'Add a probe…',
    group: 'Call',
    keys: [],
    when: connected,
    run: ({ actions, store }) => actions.openDialog({ kind: 'probe', tool: store.getState().tool }),
  },
  ...PRESET_NAMES.map(
    (name): Command => ({
      id: `fault.${name}`,
      title: `Fault on or off: ${PRESETS[name].title}`,
      group: 'Call',
      keys: [],
      when: (s) => connected(s) && live(s),
      run: ({ actions, store }) => void actions.setFaults(toggled(store.getState().status.faults.rules, name)),
    }),
  ),
  {
    id: 'fault.add',
    title: 'Add a fault…',
    group: 'Call',
    keys: [],
    when: (s) => connected(s) && live(s),
    run: ({ actions }) => actions.openDialog({ kind: 'fault' }),
  },
  {
    id: 'fault.release',
    title: 'Let go of what faults hold',
    group: 'Call',
    keys: ['u'],
    when: ({ store }) => store.getState().status.faults.heldCount > 0,
    run: ({ actions }) => void actions.releaseFaults(),
  },
  {
    id: 'fault.off',
    title: 'Turn all faults off',
    group: 'Call',
    keys: [],
    when: ({ store }) => store.getState().status.faults.rules.length > 0,
    run: ({ actions }) => void actions.setFaults([]),
  },
  {
    id: 'call.copy-command-line',
    title: 'Copy the call as a command line',
    group: 'Call',
    keys: [],
    when: selected,
    run: (s) => copy(s, 'command-line'),
  },
  {
    id: 'call.copy-json',
    title: 'Copy the verdict and raw messages as JSON',
    group: 'Call',
    keys: [],
    when: selected,
    run: (s) => copy(s, 'json'),
  },
  {
    id: 'call.copy-report',
    title: 'Copy the call as a report',
    group: 'Call',
    keys: [],
    when: selected,
    run: (s) => copy(s, 'report'),
  },

  {
    id: 'tool.sweep',
    title: 'Sweep the selected tool: when does Stop come too late?…',
    group: 'Laboratory',
    keys: [],
    when: (s) => connected(s) && live(s) && currentTool(s.store.getState()) !== undefined,
    run: ({ actions, store }) => actions.openDialog({ kind: 'sweep', tool: currentTool(store.getState())?.name ?? '' }),
  },
  {
    id: 'lab',
    title: 'Scenarios and lessons, or the tools again',
    group: 'Laboratory',
    keys: ['$mod+l'],
    run: ({ store }) => store.setState(({ side }) => ({ side: side === 'lab' ? 'tools' : 'lab' })),
  },
  {
    id: 'lab.run',
    title: 'Run the scenario that is open',
    group: 'Laboratory',
    keys: ['$mod+Shift+Enter'],
    when: (s) => hasScenario(s) && !inLab(s),
    run: ({ actions }) => void actions.lab.run(),
  },
  {
    id: 'lab.step',
    title: 'Do the next step of the scenario',
    group: 'Laboratory',
    keys: [],
    when: (s) => (inLab(s) ? s.store.getState().lab?.state === 'paused' : hasScenario(s)),
    run: ({ actions }) => void actions.lab.step(),
  },
  {
    id: 'lab.stop',
    title: 'Stop the run, or the sweep',
    group: 'Laboratory',
    keys: [],
    when: inLab,
    run: ({ actions }) => void actions.lab.stop(),
  },
  { id: 'lab.open', title: 'Open a scenario file…', group: 'Laboratory', keys: [], run: ({ actions }) => void actions.lab.openFile() },
  { id: 'lab.new', title: 'New scenario', group: 'Laboratory', keys: [], run: ({ actions }) => actions.lab.openNew() },
  {
    id: 'lab.save',
    title: 'Save the scenario',
    group: 'Laboratory',
    keys: [],
    when: hasScenario,
    run: ({ actions }) => void actions.lab.save(),
  },
  {
    id: 'lab.record',
    title: 'Make a scenario of what was called…',
    group: 'Laboratory',
    keys: [],
    when: (s) => hasCalls(s) && live(s),
    run: ({ actions }) => actions.openDialog({ kind: 'record' }),
  },

  { id: 'filter', title: 'Filter calls, text, verdicts', group: 'Look', keys: ['/', 'Shift+/'], run: () => focus('filter') },
  { id: 'tools.search', title: 'Search tools', group: 'Look', keys: ['$mod+f'], when: connected, run: () => focus('tool-search') },
  {
    id: 'row.previous',
    title: 'Previous call',
    group: 'Look',
    keys: ['ArrowUp'],
    shown: '↑',
    when: hasCalls,
    run: ({ timeline }) => timeline.previousRow(),
  },
  {
    id: 'row.next',
    title: 'Next call',
    group: 'Look',
    keys: ['ArrowDown'],
    shown: '↓',
    when: hasCalls,
    run: ({ timeline }) => timeline.nextRow(),
  },
  {
    id: 'verdict.next',
    title: 'Next verdict with something to say',
    group: 'Look',
    keys: ['n'],
    when: hasCalls,
    run: ({ timeline }) => timeline.nextVerdict(),
  },
  {
    id: 'details',
    title: 'Go to the details',
    group: 'Look',
    keys: ['Enter'],
    shown: 'Enter',
    when: selected,
    run: () => focus('call-details'),
  },
  ...SIGNS.map((sign, i) => ({
    id: `severity.${sign}`,
    title: `Show or hide: ${sign === 'quiet' ? 'fine and plain news' : sign === 'note' ? 'notes' : sign === 'warn' ? 'warnings' : 'breaches'}`,
    group: 'Look' as const,
    keys: [String(i + 1)],
    run: (s: Stopgap) => toggleSign(s, sign),
  })),
  {
    id: 'wire.probes',
    title: 'Show or hide the probes’ own requests in the wire log',
    group: 'Look',
    keys: [],
    run: ({ store }) => store.setState(({ probeTraffic }) => ({ probeTraffic: !probeTraffic })),
  },
  ...TABS.map((tab) => ({
    id: `tab.${tab}`,
    title: `Show ${tab === 'wire' ? 'the wire log' : tab === 'tasks' ? 'the server’s tasks' : tab}`,
    group: 'Look' as const,
    keys: [],
    run: ({ actions }: Stopgap) => actions.showTab(tab),
  })),

  { id: 'zoom.in', title: 'Zoom in', group: 'Timeline', keys: ['w'], when: hasCalls, run: ({ timeline }) => timeline.zoomIn() },
  { id: 'zoom.out', title: 'Zoom out', group: 'Timeline', keys: ['s'], when: hasCalls, run: ({ timeline }) => timeline.zoomOut() },
  { id: 'pan.left', title: 'Pan left', group: 'Timeline', keys: ['a'], when: hasCalls, run: ({ timeline }) => timeline.panLeft() },
  { id: 'pan.right', title: 'Pan right', group: 'Timeline', keys: ['d'], when: hasCalls, run: ({ timeline }) => timeline.panRight() },
  { id: 'fit', title: 'Fit everything', group: 'Timeline', keys: ['0'], when: hasCalls, run: ({ timeline }) => timeline.fit() },
  {
    id: 'fit.selection',
    title: 'Fit the selected call',
    group: 'Timeline',
    keys: ['f'],
    when: selected,
    run: ({ timeline }) => timeline.fitSelection(),
  },
  {
    id: 'scale',
    title: 'Clock or order: linear time, or room for every frame',
    group: 'Timeline',
    keys: ['o'],
    when: hasCalls,
    run: ({ timeline }) => timeline.toggleScale(),
  },
  {
    id: 'times',
    title: 'Count times from the start, by the clock on the wall, from the call',
    group: 'Timeline',
    keys: ['t'],
    when: hasCalls,
    run: ({ timeline }) => timeline.nextTimes(),
  },
  {
    id: 'measure',
    title: 'Measure between two marks',
    group: 'Timeline',
    keys: ['m'],
    when: hasCalls,
    run: ({ timeline }) => timeline.toggleRuler(),
  },
  {
    id: 'edge.previous',
    title: 'What happened before the mark, and is known to',
    group: 'Timeline',
    keys: ['['],
    when: selected,
    run: ({ timeline }) => timeline.previousEdge(),
  },
  {
    id: 'edge.next',
    title: 'What happened after the mark, and is known to',
    group: 'Timeline',
    keys: [']'],
    when: selected,
    run: ({ timeline }) => timeline.nextEdge(),
  },
  {
    id: 'filtered',
    title: 'Hide or dim what the filter leaves out',
    group: 'Timeline',
    keys: [],
    when: hasCalls,
    run: ({ timeline }) => timeline.view.set({ filtered: timeline.view.get().filtered === 'hide' ? 'dim' : 'hide' }),
  },
  {
    id: 'facets.clear',
    title: 'Show every tool, method, server, direction and verdict again',
    group: 'Timeline',
    keys: [],
    run: ({ timeline }) => timeline.view.set({ facets: NO_FACETS }),
  },
  ...(['png', 'svg'] as const).map((format) => ({
    id: `picture.${format}`,
    title: `Copy picture as ${format.toUpperCase()}`,
    group: 'Timeline' as const,
    keys: [],
    run: ({ timeline }: Stopgap) => timeline.copyPicture(format),
  })),
  { id: 'live', title: 'Follow now', group: 'Timeline', keys: ['l'], when: live, run: ({ timeline }) => timeline.toggleFollow() },
  {
    id: 'hold',
    title: 'Hold the drawing (capture goes on)',
    group: 'Timeline',
    keys: ['Space'],
    run: ({ timeline }) => timeline.toggleHold(),
  },
  {
    id: 'mark.previous',
    title: 'Previous mark of the call',
    group: 'Timeline',
    keys: ['ArrowLeft'],
    shown: '←',
    when: hasCalls,
    run: ({ timeline }) => timeline.previousMark(),
  },
  {
    id: 'mark.next',
    title: 'Next mark of the call',
    group: 'Timeline',
    keys: ['ArrowRight'],
    shown: '→',
    when: hasCalls,
    run: ({ timeline }) => timeline.nextMark(),
  },

  {
    id: 'server.connect',
    title: 'Connect to a server: a command line or an address…',
    group: 'Server',
    keys: [],
    run: ({ actions }) => actions.openDialog({ kind: 'connect' }),
  },
  {
    id: 'server.demo',
    title: 'Connect to the demo server',
    group: 'Server',
    keys: [],
    run: ({ actions }) => void actions.connect({ kind: 'demo' }),
  },
  ...DEMO_WIRES.map(
    (over): Command => ({
      id: `server.${demoWord(over)}`,
      title: `Connect to: ${demoTitle(over)}`,
      group: 'Server',
      keys: [],
      run: ({ actions }) => void actions.connect({ kind: 'demo', over }),
    }),
  ),
  {
    id: 'server.reconnect',
    title: 'Reconnect',
    group: 'Server',
    keys: [],
    when: (s) => spec(s) && !connected(s),
    run: ({ actions }) => void actions.reconnect(),
  },
  {
    id: 'server.next',
    title: 'Next server in focus',
    group: 'Server',
    keys: ['$mod+PageDown'],
    when: several,
    run: ({ actions }) => actions.focusNext(1),
  },
  {
    id: 'server.previous',
    title: 'Previous server in focus',
    group: 'Server',
    keys: ['$mod+PageUp'],
    when: several,
    run: ({ actions }) => actions.focusNext(-1),
  },
  {
    id: 'server.save',
    title: 'Save the server in the list of servers',
    group: 'Server',
    keys: [],
    when: (s) => unsaved(s) !== undefined,
    run: (s) => void s.actions.save(unsaved(s) ?? { kind: 'demo' }),
  },
  {
    id: 'server.restart',
    title: 'Restart the server',
    group: 'Server',
    keys: ['$mod+Shift+r'],
    when: connected,
    run: ({ actions }) => void actions.restart(),
  },
  {
    id: 'server.authorize',
    title: 'Authorize in the browser',
    group: 'Server',
    keys: [],
    when: (s) => isAuth(s, ['needed', 'failed']),
    run: ({ actions }) => void actions.authorize(),
  },
  {
    id: 'server.authorize-not',
    title: 'Give up the authorization',
    group: 'Server',
    keys: [],
    when: (s) => isAuth(s, ['waiting']),
    run: ({ actions }) => void actions.unauthorize(false),
  },
  {
    id: 'server.unauthorize',
    title: 'Forget the authorization',
    group: 'Server',
    keys: [],
    when: (s) => isAuth(s, ['granted']),
    run: ({ actions }) => void actions.unauthorize(true),
  },
  {
    id: 'server.tasks',
    title: 'Ask the server for its tasks',
    group: 'Server',
    keys: [],
    when: (s) => connected(s) && s.store.getState().status.tasks !== undefined,
    run: ({ actions, store }) => {
      actions.showTab('tasks');
      void actions.listTasks(store.getState().status.connection);
    },
  },
  {
    id: 'server.disconnect',
    title: 'Disconnect',
    group: 'Server',
    keys: [],
    when: (s) => !['none', 'closing'].includes(s.store.getState().status.state),
    run: ({ actions }) => void actions.disconnect(),
  },
  {
    id: 'servers.import',
    title: 'Import servers of other clients…',
    group: 'Server',
    keys: ['$mod+i'],
    run: ({ actions }) => actions.openDialog({ kind: 'import' }),
  },
  {
    id: 'servers.export',
    title: 'Export servers for other clients…',
    group: 'Server',
    keys: [],
    run: ({ actions }) => actions.openDialog({ kind: 'export' }),
  },
  {
    id: 'server.check',
    title: 'Report card: what does cancelling do on this server?',
    group: 'Server',
    keys: [],
    when: (s) => (connected(s) || s.store.getState().check !== undefined) && live(s),
    run: ({ actions }) => actions.openDialog({ kind: 'check' }),
  },
  { id: 'server.roots', title: 'Edit roots…', group: 'Server', keys: [], run: ({ actions }) => actions.openDialog({ kind: 'roots' }) },
  { id: 'trace.open', title: 'Open trace file…', group: 'Server', keys: ['$mod+o'], run: ({ actions }) => void actions.openTrace() },
  {
    id: 'trace.live',
    title: 'Back to the live recording',
    group: 'Server',
    keys: [],
    when: (s) => !live(s),
    run: ({ actions }) => void actions.liveTrace(),
  },

  {
    id: 'palette',
    title: 'Commands…',
    group: 'Window',
    keys: ['$mod+k'],
    run: ({ store }) => store.setState(({ palette }) => ({ palette: !palette })),
  },
  {
    id: 'help',
    title: 'Keys and marks',
    group: 'Window',
    keys: ['?', 'Shift+?'],
    run: ({ actions }) => actions.openDialog({ kind: 'help' }),
  },
  { id: 'keys', title: 'Change keys…', group: 'Window', keys: [], run: ({ actions }) => actions.openDialog({ kind: 'keys' }) },
  ...(['system', 'light', 'dark'] as const).map((theme) => ({
    id: `theme.${theme}`,
    title: `Theme: ${theme === 'system' ? 'as the system' : theme}`,
    group: 'Window' as const,
    keys: [],
    run: ({ actions }: Stopgap) => void actions.settings({ theme }),
  })),
  ...(['comfortable', 'compact'] as const).map((density) => ({
    id: `density.${density}`,
    title: `Density: ${density}`,
    group: 'Window' as const,
    keys: [],
    run: ({ actions }: Stopgap) => void actions.settings({ density }),
  })),
  { id: 'welcome', title: 'Show the first race again', group: 'Window', keys: [], run: ({ store }) => store.setState({ welcome: true }) },
];

export const can = (command: Command, stopgap: Stopgap): boolean => command.when?.(stopgap) ?? true;

/** Runs a command by its id, when it can do anything now. */
export function runCommand(id: string, stopgap: Stopgap): void {
  const command = COMMANDS.find((candidate) => candidate.id === id);
  if (command && can(command, stopgap)) command.run(stopgap);
}

/** A command's first key as people write it: `⌘K`, `Ctrl K`, `W`. */
export function keyText(command: Pick<Command, 'keys' | 'shown'>, mac: boolean): string | undefined {
  if (command.shown) return command.shown;
  return command.keys[0]
    ?.split('+')
    .map((part) => (part === '$mod' ? (mac ? '⌘' : 'Ctrl') : part === 'Enter' ? '⏎' : part.length === 1 ? part.toUpperCase() : part))
    .join(' ');
}
