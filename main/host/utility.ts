// The host as a utility process of Electron: told by the shell where everything lies, handed a port for each page that is
// loaded, and gone when the shell says so. A page that is reloaded gets another port and everything again.
import path from 'node:path';
import type { ToHost } from '../../app/contract/host';
import { judge } from '../../app/verdict/judge';
import { checkProbe, startProbe } from '../probes';
import { sealedSecrets } from '../store/secrets';
import { loadSettings } from '../store/settings';
import { createHost, type Host } from './host';
import { shellLink } from './host-to-shell';
import { movePasswords } from './server-secrets';
import type { Init, ShellToHost } from './shell-to-host';

/** What of Electron is used here, so that the host needs none of its modules. */
interface MessagePort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
  on(event: 'close', listener: () => void): void;
  postMessage(message: unknown): void;
  start(): void;
}
interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: ShellToHost; readonly ports: readonly MessagePort[] }) => void): void;
  postMessage(message: unknown): void;
}

/** The exit code that says that a program is at fault, not its input (sysexits.h: EX_SOFTWARE). */
const OUR_FAULT = 70;

const { parentPort } = process as unknown as { readonly parentPort: ParentPort | undefined };
if (!parentPort) throw new Error('Expected to be a utility process of Electron. To start Stopgap, run "npm start".');

const shell = shellLink((question) => parentPort.postMessage(question));
let host: Promise<Host> | undefined;

parentPort.on('message', ({ data, ports }) => {
  switch (data.type) {
    case 'init':
      host = begin(data);
      break;
    case 'port': {
      const [port] = ports;
      if (port) void host?.then((it) => join(it, port));
      break;
    }
    case 'open':
      void host?.then((it) => it.open(data.path));
      break;
    case 'answer':
      shell.answered(data);
      break;
    case 'end':
      end();
      break;
  }
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

async function begin({ traces, userData, demoPath, version, open }: Init): Promise<Host> {
  const settings = await loadSettings(path.join(userData, 'settings.json'));
  const demo = { script: demoPath, state: path.join(userData, 'demo-state') };
  const secrets = sealedSecrets(path.join(userData, 'secrets.json'), shell.cipher);
  await movePasswords(settings, secrets);
  const it = createHost({ traces, demo, version, settings, secrets, browse: shell.browse, judge, startProbe, checkProbe });
  if (open !== undefined) it.open(open);
  else whenAsked = () => it.connectLast();
  return it;
}

/** What waits for the first window to have its answer: a server that starts meanwhile would make the window late. */
let whenAsked: (() => void) | undefined;

function join(it: Host, port: MessagePort): void {
  const leave = it.attach({
    post: (message) => port.postMessage(message),
    onMessage: (listener) =>
      port.on('message', ({ data }) => {
        const message = data as ToHost;
        listener(message);
        if (message.request !== 'hello') return;
        whenAsked?.();
        whenAsked = undefined;
      }),
  });
  port.on('close', leave);
  port.start();
}

let ending = false;

/** Ends the servers, then this process. */
function end(): void {
  if (ending) return;
  ending = true;
  void Promise.resolve(host)
    .then((it) => it?.close())
    .then(() => process.exit(0));
}

/** An error of our own: said, and nothing that was recorded is lost. The servers see their stdin end. */
function fail(error: unknown): void {
  console.error('The session host failed:', error);
  void Promise.resolve(host)
    .then((it) => it?.flush())
    .finally(() => process.exit(OUR_FAULT));
}
