// The Electron app: one window, one host process, and the few things that only Electron can do for them. It sees no
// frame and no server. Started where another instance runs on the same data, it hands its arguments over and ends.
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  app,
  type BrowserWindow,
  dialog,
  type IpcMainEvent,
  type IpcMainInvokeEvent,
  ipcMain,
  nativeTheme,
  protocol,
  session,
} from 'electron';
import type { ShellEventName, ShellEvents } from '../../app/contract/shell';
import { EVENT, LISTENING, PORT, REQUEST } from './channels';
import { createHandlers } from './handlers';
import { type HostProcess, startHost } from './host';
import { installMenu } from './menu';
import { isTrusted, SCHEME, type Sender } from './page';
import { answer } from './requests';
import { servePage } from './serve';
import { traceArgument } from './trace-argument';
import { openWindow, refusePermissions } from './window';
import { readWindowState, type WindowState, writeWindowState } from './window-state';

const here = import.meta.dirname;
const pageFolder = path.join(here, '../renderer');

const elsewhere = process.env['STOPGAP_USER_DATA'];
if (elsewhere) app.setPath('userData', path.resolve(elsewhere));
protocol.registerSchemesAsPrivileged([
  { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
]);

if (!app.requestSingleInstanceLock()) {
  process.stderr.write(`Stopgap is running already on ${app.getPath('userData')}: its window was brought forward.\n`);
  app.quit();
} else if (!existsSync(path.join(pageFolder, 'index.html'))) {
  fail(`Expected the built page in ${pageFolder}, found none. Run "npm run build", then start again.`);
} else {
  let asked = traceArgument(process.argv.slice(1), process.cwd());
  app.once('open-file', (_, file) => {
    asked = file;
  });
  // Not a top-level await: Electron holds `ready` back until this module has been evaluated.
  void app.whenReady().then(() => run(asked));
}

/** @param asked a trace file to show at first */
function run(asked: string | undefined): void {
  const userData = app.getPath('userData');
  const traces = path.join(userData, 'traces');
  const stateFile = path.join(userData, 'window.json');
  let state = readWindowState(stateFile);
  const remember = (change: Partial<WindowState>): void => {
    state = { ...state, ...change };
    writeWindowState(stateFile, state);
  };
  const setTheme = (theme: WindowState['theme']): void => {
    nativeTheme.themeSource = theme;
  };
  setTheme(state.theme);

  const init = { type: 'init', traces, userData, demoPath: path.join(here, 'demo.js'), version: app.getVersion() } as const;
  const start = (open?: string): HostProcess =>
    startHost(path.join(here, 'host.js'), open === undefined ? init : { ...init, open }, (ended) => push('host.ended', ended));
  // Before the window: the host connects to the server while the page loads.
  let host = start(asked);

  servePage(pageFolder);
  refusePermissions(session.defaultSession);
  const window: BrowserWindow = openWindow(state, {
    onClose: remember,
    onLost: (why) => fail(`The window's own process ended twice in a row (${why}). What was recorded is kept in ${traces}.`),
  });
  const page = window.webContents;

  function push<E extends ShellEventName>(event: E, payload: ShellEvents[E]): void {
    // Posted, not sent, as the port is: the two stay in order.
    if (!window.isDestroyed()) page.postMessage(EVENT, { event, payload });
  }
  function join(): void {
    // It may have ended before this page was there to hear of it.
    if (host.ended) push('host.ended', host.ended);
    else page.postMessage(PORT, undefined, [host.connect()]);
  }
  async function restartHost(): Promise<void> {
    const old = host;
    await old.end();
    if (host !== old) return; // Asked twice.
    host = start();
    join();
  }
  function show(file: string | undefined): void {
    if (file !== undefined) host.open(file);
    if (window.isMinimized()) window.restore();
    window.focus();
  }

  const handlers = createHandlers({
    window,
    traces,
    restartHost,
    setTheme(theme) {
      setTheme(theme);
      remember({ theme });
    },
  });
  const senderOf = ({ sender, senderFrame: frame }: IpcMainEvent | IpcMainInvokeEvent): Sender | undefined =>
    frame ? { url: frame.url, top: sender === page && frame === page.mainFrame } : undefined;
  ipcMain.handle(REQUEST, (event, name: unknown, params: unknown) => answer(handlers, senderOf(event), name, params));
  // For the first time, or once more because the page was loaded again.
  ipcMain.on(LISTENING, (event) => {
    if (isTrusted(senderOf(event))) join();
  });
  installMenu((command) => push('command', command));

  app.on('second-instance', (_, args, folder) => show(traceArgument(args, folder)));
  app.on('open-file', (_, file) => show(file));
  // On every system: the servers are processes, and nobody should leave them running unseen.
  app.on('window-all-closed', () => app.quit());
  endBeforeQuit(() => host.end());
}

/** The window goes at once; the process stays until the servers are gone. */
function endBeforeQuit(end: () => Promise<void>): void {
  app.once('will-quit', (event) => {
    event.preventDefault();
    void end().finally(() => app.quit());
  });
}

function fail(text: string): void {
  dialog.showErrorBox('Stopgap cannot go on', text);
  app.exit(1);
}
