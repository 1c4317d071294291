// From a server's description to what can be connected to. The demo over HTTP has to be started before: as a child process,
// which ends with its connection, and with us.
import type { ServerSpec } from '../../app/contract/server';
import type { DemoWire } from '../../app/wire/frame';
import { stdio } from '../transports/stdio';
import { startClock } from './clock';
import { AS_NODE, type DemoPlace, freshDemoState, targetOf } from './commands';
import type { Target } from './session';

/** What can be connected to. */
export interface Reached {
  readonly target: Target;
  /** Ends what had to be started for it, with everything that that started. Resolves when none of it is left. */
  close(): Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/**
 * What a description leads to; the state folder of the demo is made anew.
 * @throws Error in plain words when the demo does not come up
 */
export async function reach(spec: ServerSpec, demo: DemoPlace): Promise<Reached> {
  if (spec.kind !== 'demo') return { target: targetOf(spec), close: nothing };
  const { over } = spec;
  const args = [demo.script, '--state', freshDemoState(over, demo)];
  if (over === undefined) return { target: { kind: 'stdio', command: { command: process.execPath, args, env: AS_NODE } }, close: nothing };
  const { url, close } = await startDemoHttp([...args, '--http', '0', '--end-with-stdin', ...WORDS[over]]);
  return { target: { kind: 'http', address: { url, transport: over === 'sse' ? 'sse' : 'http', headers: {} } }, close };
}

const WORDS: Readonly<Record<DemoWire, readonly string[]>> = {
  http: [],
  'http-json': ['--json'],
  'http-stateless': ['--stateless'],
  sse: ['--sse'],
};

async function startDemoHttp(args: readonly string[]): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const program = stdio({ command: process.execPath, args, env: AS_NODE, clock: startClock() });
  const said: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
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
  return { url, close: async () => void (await program.close()) };
}
