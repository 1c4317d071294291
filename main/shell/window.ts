// The one window: sandboxed, isolated, going nowhere, opening nothing. Whatever a server sends is shown in it as text; should
// any of it become a link all the same, nothing follows it.
import path from 'node:path';
import { BrowserWindow, nativeTheme, type Session, screen } from 'electron';
import { isTrusted, PAGE } from './page';
import { placeWindow, SMALLEST, type WindowState } from './window-state';

/** The page's own colour (renderer/theme), shown until it has painted. */
const pageColour = (): string => (nativeTheme.shouldUseDarkColors ? '#12151A' : '#FFFFFF');

/** A page that dies again within this time would die for ever. */
const RELAPSE_MS = 10_000;

export interface WindowEvents {
  /** The window is about to close: where it stands. */
  readonly onClose: (place: Pick<WindowState, 'bounds' | 'maximized'>) => void;
  /** The page's process died twice in a row. */
  readonly onLost: (why: string) => void;
}

/** Opens the window and loads the page; it shows itself once painted. */
export function openWindow(state: WindowState, events: WindowEvents): BrowserWindow {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id);
  const window = new BrowserWindow({
    ...placeWindow(
      state.bounds,
      [primary, ...others].map((display) => display.workArea),
    ),
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    title: 'Stopgap',
    backgroundColor: pageColour(),
    autoHideMenuBar: true,
    webPreferences: {
      preload: path.join(import.meta.dirname, '../preload/preload.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  if (state.maximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  window.on('close', () => events.onClose({ bounds: window.getNormalBounds(), maximized: window.isMaximized() }));
  nativeTheme.on('updated', () => !window.isDestroyed() && window.setBackgroundColor(pageColour()));
  confine(window);
  revive(window, events.onLost);
  void window.loadURL(PAGE);
  return window;
}

/** No other window, no other page, no embedded one. */
function confine({ webContents }: BrowserWindow): void {
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  webContents.on('will-frame-navigate', (event) => {
    if (!(event.isMainFrame && event.url === PAGE)) event.preventDefault();
  });
  webContents.on('will-redirect', (event) => event.preventDefault());
}

/** The recording lives in the host, so a page whose process died is simply loaded again. */
function revive({ webContents }: BrowserWindow, onLost: WindowEvents['onLost']): void {
  let last = Number.NEGATIVE_INFINITY;
  webContents.on('render-process-gone', (_, { reason, exitCode }) => {
    if (reason === 'clean-exit') return;
    const relapsed = performance.now() - last < RELAPSE_MS;
    last = performance.now();
    if (relapsed) onLost(`${reason}, code ${exitCode}`);
    else webContents.reload();
  });
}

/** The only permission that the page has is to write text to the clipboard when somebody asks it to copy. */
export function refusePermissions(session: Session): void {
  const granted = (permission: string, url: string): boolean => permission === 'clipboard-sanitized-write' && isTrusted({ url, top: true });
  session.setPermissionRequestHandler((contents, permission, decide) => decide(granted(permission, contents.getURL())));
  session.setPermissionCheckHandler((contents, permission) => granted(permission, contents?.getURL() ?? ''));
  session.setDevicePermissionHandler(() => false);
}
