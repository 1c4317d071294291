// A server's process seen without any MCP library between: raw lines in, raw lines out, so that a test speaks of what
// was on the pipe and nothing else.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** How long to wait for something that must come: far longer than it takes, since nothing depends on it but a failing test. */
const PATIENCE_MS = 30_000;

/** A JSON-RPC message as parsed from a line; fields are looked at by tests only. */
export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface StdioServer {
  readonly child: ChildProcess;
  /** Every line of stdout that is a JSON object, in order. */
  readonly messages: readonly Message[];
  /** Every line of stdout that is not. */
  readonly noise: readonly string[];
  readonly stderr: readonly string[];
  /** Resolves with the process's exit code and signal. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  write(text: string): void;
  send(message: object): void;
  /** Sends initialize and initialized; resolves with initialize's answer. */
  open(): Promise<Message>;
  /** Sends tools/call; `_meta` carries a progress token where one is given. */
  call(id: string | number, name: string, args?: object, progressToken?: string | number): void;
  cancel(requestId: string | number, reason?: string): void;
  /** Resolves with the first message, past or to come, that satisfies the test. */
  message(test: (message: Message) => boolean): Promise<Message>;
  answer(id: string | number): Promise<Message>;
  /** Resolves when a ping has been answered: everything written before it has been read. */
  ping(): Promise<void>;
  /** Polls until the reading holds. */
  until(reading: () => boolean, what: string): Promise<void>;
  /** Ends stdin, and the process where that is not enough. */
  close(): Promise<void>;
}

/** Starts a program with its standard streams as pipes. */
export function startStdio(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): StdioServer {
  const child = spawn(command, args, { stdio: 'pipe', env });
  const messages: Message[] = [];
  const noise: string[] = [];
  const stderr: string[] = [];
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parse(line);
    if (message) messages.push(message);
    else noise.push(line);
  });
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
  child.stdin.on('error', () => undefined); // it may end while being written to: the tests look at `exited`

  const write = (text: string) => void child.stdin.write(text);
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = (id: string | number) => message((m) => m.id === id && m.method === undefined);
  let pings = 0;

  async function until(reading: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!reading()) {
      if (Date.now() > deadline) throw new Error(`Waited ${PATIENCE_MS} ms for ${what}. stderr: ${stderr.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async function message(test: (message: Message) => boolean): Promise<Message> {
    await until(() => messages.some(test), `a message with ${test}`);
    return messages.find(test) as Message;
  }

  return {
    child,
    messages,
    noise,
    stderr,
    exited,
    write,
    send,
    message,
    answer,
    until,
    async open() {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } };
      send({ id: 'initialize', method: 'initialize', params });
      const answered = await answer('initialize');
      send({ method: 'notifications/initialized' });
      return answered;
    },
    call(id, name, args = {}, progressToken) {
      const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
      send({ id, method: 'tools/call', params: { name, arguments: args, ...meta } });
    },
    cancel(requestId, reason = 'test') {
      send({ method: 'notifications/cancelled', params: { requestId, reason } });
    },
    async ping() {
      const id = `ping-${pings++}`;
      send({ id, method: 'ping' });
      await answer(id);
    },
    async close() {
      child.stdin.end();
      const slow = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await exited;
      clearTimeout(slow);
    },
  };
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}
