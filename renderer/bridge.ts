// The shell's bridge as the preload script hands it over. The only place that reads it off the global object.
import type { ShellBridge } from '../app/contract/shell';

declare global {
  interface Window {
    /** Put there by the preload script. */
    readonly stopgap: ShellBridge;
  }
}

export const bridge = (): ShellBridge => window.stopgap;
