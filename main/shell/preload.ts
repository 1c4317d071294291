// The one door between the sandboxed page and Electron: requests to the shell, its events, and the port to the host. The
// contract is imported as types only, which keeps its schemas out of this script; it is the shell that validates.
import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron';
import type { PORT_MESSAGE, ShellBridge, ShellEventName } from '../../app/contract/shell';
import { EVENT, LISTENING, PORT, REQUEST } from './channels';
import type { Answer } from './requests';

/** The few things of the page that are needed here; Node's side of the project has no DOM. */
declare const window: {
  postMessage(message: string, origin: string, ports: IpcRendererEvent['ports']): void;
  addEventListener(event: 'message', listener: (message: { readonly source: unknown; readonly data: unknown }) => void): void;
  readonly location: { readonly origin: string };
};

declare const document: {
  addEventListener(event: 'DOMContentLoaded', listener: () => void, options: { readonly once: true }): void;
};

const portMessage: typeof PORT_MESSAGE = 'stopgap-port';
/** Tells this script itself that the next event's turn has come. */
const NEXT_EVENT = 'stopgap-event';

/** What the page's scripts are told of; they hear of it once they have run, in the order in which it came. */
const listeners = new Set<(message: EventMessage) => void>();
type EventMessage = { readonly event: ShellEventName; readonly payload: never };

let scriptsHaveRun = false;
const kept: (() => void)[] = [];
document.addEventListener(
  'DOMContentLoaded',
  () => {
    scriptsHaveRun = true;
    for (const act of kept.splice(0)) act();
  },
  { once: true },
);

/** Now, or when the page's scripts have run: until then nobody in it listens. */
function whenScriptsHaveRun(act: () => void): void {
  if (scriptsHaveRun) act();
  else kept.push(act);
}

const bridge: ShellBridge = {
  platform: process.platform,
  pathOf: (file) => webUtils.getPathForFile(file as Parameters<typeof webUtils.getPathForFile>[0]),
  async request(request, params) {
    const answer = (await ipcRenderer.invoke(REQUEST, request, params)) as Answer;
    if (!answer.ok) throw new Error(answer.error);
    return answer.result as never; // The shell answers each request with its own result; this table cannot know which.
  },
  on(event, listener) {
    const heard = (message: EventMessage): void => {
      if (message.event === event) listener(message.payload);
    };
    listeners.add(heard);
    return () => void listeners.delete(heard);
  },
};

contextBridge.exposeInMainWorld('stopgap', bridge);
// A port cannot cross the context bridge, but it can be posted to the page. Only to our own page: a port is access to the host.
ipcRenderer.on(PORT, (event) => whenScriptsHaveRun(() => window.postMessage(portMessage, window.location.origin, event.ports)));
// Events go the same way round, so that the end of a host is never heard of before its port is there.
const events: EventMessage[] = [];
ipcRenderer.on(EVENT, (_, message: EventMessage) => {
  events.push(message);
  whenScriptsHaveRun(() => window.postMessage(NEXT_EVENT, window.location.origin, []));
});
window.addEventListener('message', ({ source, data }) => {
  const message = source === window && data === NEXT_EVENT ? events.shift() : undefined;
  if (message) for (const listener of listeners) listener(message);
});
// Asked for before the page's scripts have been read, so that it is here when they have run.
ipcRenderer.send(LISTENING);
