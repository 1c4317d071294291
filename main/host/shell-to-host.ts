// What the shell tells the host's process. It stands on the host's side, since nothing but the shell may know the shell.
import type { ShellAnswer } from './host-to-shell';

/** `init` comes first and once, `port` each time a page has been (re)loaded. */
export type ShellToHost =
  | {
      readonly type: 'init';
      /** Folder of the trace files. */
      readonly traces: string;
      readonly userData: string;
      /** Script of the demo server. */
      readonly demoPath: string;
      readonly version: string;
      /** A trace file to show at first, absolute. */
      readonly open?: string;
    }
  | { readonly type: 'port' }
  /** Shows a trace file, absolute, as the page's own request would. */
  | { readonly type: 'open'; readonly path: string }
  | ShellAnswer
  | { readonly type: 'end' };

export type Init = Extract<ShellToHost, { type: 'init' }>;
