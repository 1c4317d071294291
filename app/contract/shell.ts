// What crosses between the window and Electron's main process: dialogs, the file manager, the clipboard's neighbours, the
// theme, and the hand-over of the port to the session host. Everything about servers and traces goes to the host instead.
import { z } from 'zod';

/** Every request of the window to the shell: its parameters' schema. */
export const SHELL_REQUESTS = {
  /** Asks for a folder. Answers its path, or undefined when the person thought better of it. */
  'dialog.folder': z.object({ title: z.string(), from: z.string().optional() }),
  /** Asks for a trace file to open. */
  'dialog.trace': z.object({ from: z.string().optional() }),
  /** Asks for a configuration of a client: one to read, or where one is to be written. */
  'dialog.config': z.object({ as: z.enum(['open', 'save']), from: z.string().optional() }),
  /** Asks for a scenario, or where one is to be saved; or where what a sweep found is, or a report card. */
  'dialog.file': z.object({ kind: z.enum(['scenario', 'sweep', 'card']), as: z.enum(['open', 'save']), name: z.string().optional() }),
  /** Shows a file of the traces' folder in the file manager. */
  'show.trace': z.object({ path: z.string() }),
  'theme.set': z.object({ theme: z.enum(['system', 'light', 'dark']) }),
  /** Ends the host and starts another; what was recorded stays on disk. */
  'host.restart': z.object({}),
} as const;

export type ShellRequest = keyof typeof SHELL_REQUESTS;
export type ShellParams<R extends ShellRequest> = z.input<(typeof SHELL_REQUESTS)[R]>;

export interface ShellResults {
  'dialog.folder': string | undefined;
  'dialog.trace': string | undefined;
  'dialog.config': string | undefined;
  'dialog.file': string | undefined;
  'show.trace': undefined;
  'theme.set': undefined;
  'host.restart': undefined;
}

/** What the shell pushes to the page. `command` is the id of a command chosen in the application's menu. */
export interface ShellEvents {
  command: string;
  /** The host's process ended: its exit code, and whether that was wanted. */
  'host.ended': { readonly code: number; readonly wanted: boolean };
}
export type ShellEventName = keyof ShellEvents;

/** What the preload script puts on `window.stopgap`. The host's port arrives as a `message` event with the data 'stopgap-port'. */
export interface ShellBridge {
  readonly platform: string;
  /** Where a file that was dropped on the page lies; empty for one that lies nowhere. @param file a `File` of the page */
  pathOf(file: object): string;
  request<R extends ShellRequest>(request: R, params: ShellParams<R>): Promise<ShellResults[R]>;
  on<E extends ShellEventName>(event: E, listener: (payload: ShellEvents[E]) => void): () => void;
}

export const PORT_MESSAGE = 'stopgap-port';
