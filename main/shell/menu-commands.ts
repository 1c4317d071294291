// The page's commands that stand in the application's menu, apart from Electron so that a test can read them.

export interface MenuCommand {
  /** An id of the page's table of commands. */
  readonly id: string;
  readonly label: string;
}

export const MENU_COMMANDS = {
  File: [
    { id: 'server.connect', label: 'Connect to a server…' },
    { id: 'server.demo', label: 'Connect to the demo server' },
    { id: 'server.reconnect', label: 'Reconnect' },
    { id: 'server.next', label: 'Next server in focus' },
    { id: 'server.tasks', label: 'Tasks of the server' },
    { id: 'server.restart', label: 'Restart the server' },
    { id: 'server.disconnect', label: 'Disconnect' },
    { id: 'server.check', label: 'Report card…' },
    { id: 'servers.import', label: 'Import servers…' },
    { id: 'servers.export', label: 'Export servers…' },
    { id: 'trace.open', label: 'Open trace file…' },
    { id: 'trace.live', label: 'Back to the live recording' },
    { id: 'lab.open', label: 'Open a scenario…' },
    { id: 'lab.record', label: 'Make a scenario of what was called…' },
  ],
  Call: [
    { id: 'tool.call', label: 'Call the selected tool' },
    { id: 'call.stop', label: 'Stop' },
    { id: 'call.stop-all', label: 'Stop all' },
    { id: 'probe.read', label: 'Verify now' },
    { id: 'call.retry', label: 'Retry the stopped call…' },
    { id: 'tool.sweep', label: 'Sweep the selected tool…' },
  ],
  View: [
    { id: 'palette', label: 'Commands…' },
    { id: 'lab', label: 'Scenarios, or tools' },
    { id: 'theme.system', label: 'Theme as the system' },
    { id: 'theme.light', label: 'Light theme' },
    { id: 'theme.dark', label: 'Dark theme' },
  ],
  Help: [
    { id: 'help', label: 'Keys and marks' },
    { id: 'keys', label: 'Change keys…' },
    { id: 'welcome', label: 'Show the first race again' },
  ],
} as const satisfies Readonly<Record<string, readonly MenuCommand[]>>;
