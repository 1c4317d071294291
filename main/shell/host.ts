// The session host's process, seen from the shell: started, joined to the page by a port, told to end, and mourned when it
// dies by itself. Requests and events of the host never pass through here, which go straight from process to page; what the
// host itself asks of the shell does.
import { MessageChannelMain, type MessagePortMain, safeStorage, shell, type UtilityProcess, utilityProcess } from 'electron';
import type { ShellEvents } from '../../app/contract/shell';
import type { Init, ShellToHost } from '../host/shell-to-host';
import { answerHost } from './questions';

/** Ending every server politely takes the host up to four seconds (stdin, SIGTERM, SIGKILL); what lasts longer hangs. */
const END_MS = 5000;

/** How a host ended: its exit code, and whether that was wanted. */
export type Ended = ShellEvents['host.ended'];

export interface HostProcess {
  /** Set once it is gone. */
  readonly ended: Ended | undefined;
  /** Makes a new channel: one end goes to the host, the other is returned, for the page. */
  connect(): MessagePortMain;
  /** Shows a trace file. */
  open(file: string): void;
  /** Asks the host to end its servers and itself; kills it when that takes too long. Resolves when it is gone. */
  end(): Promise<void>;
}

/**
 * Starts the host.
 * @param script absolute path of dist/main/host.js
 * @param onEnd called once
 */
export function startHost(script: string, init: Init, onEnd: (ended: Ended) => void): HostProcess {
  const child = utilityProcess.fork(script, [], { serviceName: 'stopgap host', stdio: 'pipe' });
  let wanted = false;
  let ended: Ended | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      ended = { code, wanted };
      onEnd(ended); // First: the page hears of the end before whoever awaits it starts another.
      resolve();
    });
  });
  forward(child);
  child.on('message', (message: unknown) => void reply(child, message));
  tell(child, init);
  return {
    get ended() {
      return ended;
    },
    connect() {
      const { port1, port2 } = new MessageChannelMain();
      tell(child, { type: 'port' }, [port1]);
      return port2;
    },
    open: (file) => tell(child, { type: 'open', path: file }),
    async end() {
      wanted = true;
      tell(child, { type: 'end' });
      const slow = setTimeout(() => kill(child.pid), END_MS);
      await exited;
      clearTimeout(slow);
    },
  };
}

const tell = (child: UtilityProcess, message: ShellToHost, ports?: MessagePortMain[]): void => child.postMessage(message, ports);

/** `openExternal` is looked up each time: a test puts a browser of its own in its place. */
async function reply(child: UtilityProcess, message: unknown): Promise<void> {
  const openExternal: typeof shell.openExternal = (address) => shell.openExternal(address);
  const answer = await answerHost({ keychain: safeStorage, openExternal, platform: process.platform }, message);
  if (answer) tell(child, answer);
}

/** The host has no terminal of its own: what it prints is for whoever started the app. */
function forward(child: UtilityProcess): void {
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => void process.stderr.write(chunk));
}

/** `UtilityProcess.kill` asks with SIGTERM, which a hanging process need not hear. */
function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was quicker and is gone.
  }
}
