// The demo over HTTP is a server of our own making that has to be started before it can be spoken to: as a child process,
// which ends with us.
import type { DemoWire } from '../../app/contract/server';
import { stdio } from '../transports/stdio';
import { startClock } from './clock';
import { AS_NODE, type DemoPlace, freshDemoState } from './commands';

export interface DemoHttp {
  /** Where it listens, on loopback. */
  readonly url: string;
  readonly pid: number;
  /** Ends it with everything that it started. Resolves when none of it is left. */
  close(): Promise<void>;
}

const WORDS: Readonly<Record<DemoWire, readonly string[]>> = {
  http: [],
  'http-json': ['--json'],
  'http-stateless': ['--stateless'],
  sse: ['--sse'],
};

/**
 * Starts the demo on a free port, with a state folder made anew.
 * @throws Error in plain words when it does not come up
 */
export async function startDemoHttp(over: DemoWire, demo: DemoPlace): Promise<DemoHttp> {
  const args = [demo.script, '--state', freshDemoState(over, demo), '--http', '0', '--end-with-stdin', ...WORDS[over]];
  const program = stdio({ command: process.execPath, args, env: AS_NODE, clock: startClock() });
  const said: string[] = [];
  const url = new Promise<string>((resolve, reject) => {
    const listener = {
      line: (_t: number, text: string) => resolve(text.trim()),
      broken: () => undefined,
      stderr: (_t: number, bytes: Buffer) => void said.push(bytes.toString()),
      busy: () => false,
      outputEnded: () => undefined,
      exited: () => reject(new Error(`Expected the demo server to come up, but it ended: ${said.join(' ').trim()}`)),
    };
    program.start(listener).catch(reject);
  });
  return {
    url: await url,
    pid: program.pid ?? 0,
    close: async () => void (await program.close()),
  };
}
