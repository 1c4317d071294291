// What the shell does for the page, once a request has been found to be the page's own and well formed.
import { type BrowserWindow, dialog, shell } from 'electron';
import { traceInside } from '../store/traces';
import type { Handlers } from './requests';
import { TRACE_EXTENSION } from './trace-argument';
import type { WindowState } from './window-state';

export interface Means {
  readonly window: BrowserWindow;
  /** Folder of the trace files. */
  readonly traces: string;
  restartHost(): Promise<void>;
  setTheme(theme: WindowState['theme']): void;
}

export function createHandlers({ window, traces, restartHost, setTheme }: Means): Handlers {
  return {
    'dialog.folder': async ({ title, from }) => {
      const options = {
        title,
        properties: ['openDirectory', 'createDirectory'] as ('openDirectory' | 'createDirectory')[],
        ...startAt(from),
      };
      return (await dialog.showOpenDialog(window, options)).filePaths[0];
    },
    'dialog.trace': async ({ from }) => {
      const filters = [{ name: 'Traces', extensions: [TRACE_EXTENSION.slice(1)] }];
      return (await dialog.showOpenDialog(window, { title: 'Open a trace', properties: ['openFile'], filters, ...startAt(from ?? traces) }))
        .filePaths[0];
    },
    'dialog.config': async ({ as, from }) => {
      if (as === 'save') return (await dialog.showSaveDialog(window, { title: 'Export servers', ...startAt(from) })).filePath || undefined;
      const filters = [
        { name: 'Configurations', extensions: ['json', 'jsonc', 'toml'] },
        { name: 'All files', extensions: ['*'] },
      ];
      const properties = ['openFile', 'showHiddenFiles'] as ('openFile' | 'showHiddenFiles')[];
      return (await dialog.showOpenDialog(window, { title: 'Import servers', properties, filters, ...startAt(from) })).filePaths[0];
    },
    'dialog.file': async ({ kind, as, name }) => {
      const { title, filters } = fileDialog(kind, as, name);
      if (as === 'save') return (await dialog.showSaveDialog(window, { title, filters, ...startAt(name) })).filePath || undefined;
      return (await dialog.showOpenDialog(window, { title, filters, properties: ['openFile'] })).filePaths[0];
    },
    'show.trace': async ({ path }) => {
      shell.showItemInFolder(await traceInside(traces, path));
      return undefined;
    },
    'theme.set': ({ theme }) => {
      setTheme(theme);
      return undefined;
    },
    'host.restart': async () => {
      await restartHost();
      return undefined;
    },
  };
}

const startAt = (folder: string | undefined): { defaultPath?: string } => (folder === undefined ? {} : { defaultPath: folder });

/** What is asked for, and how the names of such files end. */
function fileDialog(kind: 'scenario' | 'sweep' | 'card', as: 'open' | 'save', name = '') {
  switch (kind) {
    case 'scenario':
      return {
        title: as === 'open' ? 'Open a scenario' : 'Save the scenario',
        filters: [{ name: 'Scenarios', extensions: ['yaml', 'yml'] }],
      };
    case 'sweep':
      return { title: 'Save what the sweep found', filters: [{ name: 'JSON', extensions: ['json'] }] };
    case 'card': {
      const extension = name.slice(name.lastIndexOf('.') + 1);
      return { title: 'Save the report card', filters: [{ name: extension.toUpperCase(), extensions: [extension] }] };
    }
  }
}
