// The one door between the sandboxed page and Electron: requests to the shell, its events, and the port to the host. The
// contract is imported as types only, which keeps its schemas out of this script; it is the shell that validates.
import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron';
import type { PORT_MESSAGE, ShellBridge, ShellEventName, ShellEvents } from '../../app/contract/shell';
import { EVENT, PORT, REQUEST } from './channels';
import type { Answer } from './requests';

/** The two things of the page's window that are needed here; Node's side of the project has no DOM. */
declare const window: {
  postMessage(message: string, origin: string, ports: IpcRendererEvent['ports']): void;
  readonly location: { readonly origin: string };
};

const portMessage: typeof PORT_MESSAGE = 'stopgap-port';

const bridge: ShellBridge = {
  platform: process.platform,
  pathOf: (file) => webUtils.getPathForFile(file as Parameters<typeof webUtils.getPathForFile>[0]),
  async request(request, params) {
    const answer = (await ipcRenderer.invoke(REQUEST, request, params)) as Answer;
    if (!answer.ok) throw new Error(answer.error);
    return answer.result as never; // The shell answers each request with its own result; this table cannot know which.
  },
  on(event, listener) {
    const heard = (_: IpcRendererEvent, message: { readonly event: ShellEventName; readonly payload: ShellEvents[typeof event] }) => {
      if (message.event === event) listener(message.payload);
    };
    ipcRenderer.on(EVENT, heard);
    return () => void ipcRenderer.off(EVENT, heard);
  },
};

contextBridge.exposeInMainWorld('stopgap', bridge);
// A port cannot cross the context bridge, but it can be posted to the page. Only to our own page: a port is access to the host.
ipcRenderer.on(PORT, (event) => window.postMessage(portMessage, window.location.origin, event.ports));
