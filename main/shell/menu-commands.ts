// The page's commands that stand in the application's menu, apart from Electron so that a test can read them.

export interface MenuCommand {
  /** An id of the page's table of commands. */
  readonly id: string;
  readonly label: string;
}

export const MENU_COMMANDS = {
  File: [
    { id: 'server.connect', label: 'Connect…' },
    { id: 'trace.open', label: 'Open trace…' },
  ],
  Call: [
    { id: 'call.stop', label: 'Stop' },
    { id: 'call.stop-all', label: 'Stop all' },
  ],
  View: [{ id: 'palette', label: 'Commands…' }],
  Help: [{ id: 'help', label: 'Keys and marks' }],
} as const satisfies Readonly<Record<string, readonly MenuCommand[]>>;
