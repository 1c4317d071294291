// Why a connection did not come about, or ended, in words that help: what was expected, what was seen, what to try.
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Life } from '../../app/wire/frame';
import { StartError } from '../transports/stdio';
import { type Outlived, UndeliveredError } from '../transports/wire';
import { RevisionRefused } from './modern';

/** How a process ended. */
export interface Ending {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** How long it had lived. */
  readonly afterMs: number;
}

/** What the server had said beside messages. */
export interface Seen {
  /** The first line on stdout that was no message. */
  readonly noise: string | undefined;
  /** The line of stderr that tells most. */
  readonly stderr: string | undefined;
}

/** `initialize` had no answer in time. */
export class Unanswered extends Error {
  readonly afterMs: number;
  /** How far things had come by then, where that is known. */
  readonly awaiting: string | undefined;
  constructor(afterMs: number, awaiting?: string) {
    super(`no answer within ${afterMs} ms`);
    this.afterMs = afterMs;
    this.awaiting = awaiting;
  }
}

/** An answer that no client can read. The message is the answer. */
export class OddAnswer extends Error {}

export interface Handshake {
  readonly error: unknown;
  readonly command: string;
  readonly seen: Seen;
  readonly ending: Ending | undefined;
  /** The request that the server was to answer first. */
  readonly asked: string;
}

/** Why the handshake failed. */
export function handshakeWhy({ error, command, seen, ending, asked }: Handshake): string {
  if (error instanceof StartError || error instanceof RevisionRefused) return error.message;
  if (ending)
    return `Expected an answer to ${asked}, but the process ${endedHow(ending)} ${duration(ending.afterMs)} after its start. ${said(seen)} Run the command in a terminal to see what it needs${seen.stderr === undefined && seen.noise === undefined ? `, and check that “${command}” starts an MCP server over stdio` : ''}.`;
  if (error instanceof Unanswered)
    return `Expected an answer to ${asked} within ${duration(error.afterMs)}, but none came. ${said(seen)} ${seen.noise === undefined ? 'Check that the command starts an MCP server over stdio, and that it does not wait for anything else.' : 'A server speaks nothing but MCP on its standard output: check that this is one, and that it logs to stderr.'}`;
  const answered = answerWhy(error, asked);
  if (answered !== undefined) return answered;
  if (error instanceof UndeliveredError)
    return `Expected the server to read ${asked}, but ${plain(error)}: it closes its standard input, or has ended already.${heard(seen)} Run the command in a terminal to see what it needs, and check that “${command}” starts an MCP server over stdio.`;
  return `The handshake failed: ${plain(error)}.${heard(seen)} What the server sent is in the wire log.`;
}

/** What is the matter with an answer that came to the first request; undefined for any other error. */
export function answerWhy(error: unknown, asked: string): string | undefined {
  if (error instanceof OddAnswer)
    return `Expected an answer to ${asked} as JSON-RPC 2.0, but got ${quoted(error.message)}. Check that the server speaks MCP.`;
  if (error instanceof McpError)
    return `Expected the server to accept ${asked}, but it answered with an error: ${quoted(error.message)}. Its documentation may say what it needs.`;
  if (isSchemaError(error))
    return `Expected an answer to ${asked} with protocolVersion, capabilities and serverInfo, but it lacked or spoilt ${missing(error)}. The answer is in the wire log; the server has to be mended.`;
  return undefined;
}

/** What is the matter with a connected server that answers in a way of its own. */
export const unreadableWhy = (answer: string): string =>
  `Expected an answer as JSON-RPC 2.0, but got ${quoted(answer)}, which no client can read. It is kept in the wire log; the server has to be mended.`;

/** What is lost when a server has ended the request by which its news come (2026-07-28). @param why as it goes on after “but” */
export const unheardWhy = (why: string): string =>
  `Expected the server to tell when its tools or resources change (subscriptions/listen), but ${why}. Changes are not heard of any more; connect again to see what there is.`;

/** Why a connected server is no longer there; undefined when that was wanted. */
export function endedWhy(asked: Extract<Life, { event: 'exited' }>['asked'], ending: Ending, seen: Seen): string | undefined {
  switch (asked) {
    case 'nobody':
      return `The server ${endedHow(ending)} by itself. ${said(seen)} Connect starts it again; everything received before is kept.`;
    case 'kill':
      return 'The server was killed, as asked. Connect starts it again.';
    case 'disconnect':
    case 'restart':
    case 'quit':
      return undefined;
  }
}

/** Of so many processes that outlived their server's end a sentence names each. */
const NAMED = 5;
const COMMAND = 120;

/** What lived on when the server had been told to end. */
export function outlivedSays({ afterMs, server, processes }: Outlived): string {
  const after = `${duration(afterMs)} after its stdin had been closed`;
  const by = (signal: 'SIGTERM' | 'SIGKILL'): string => named(processes.filter((one) => one.signal === signal));
  const [termed, killed] = [by('SIGTERM'), by('SIGKILL')];
  const ended =
    termed === '' ? `${killed} had to be ended by SIGKILL` : `${termed} had to be ended by SIGTERM${killed && `, ${killed} by SIGKILL`}`;
  if (server) return `The server did not end ${after}: ${ended}.`;
  return `The server had ended, but ${after} processes that it had started were still there: ${ended}.`;
}

function named(processes: Outlived['processes']): string {
  const names = processes
    .slice(0, NAMED)
    .map(({ pid, command }) => `pid ${pid} ${command.length > COMMAND ? `${command.slice(0, COMMAND)}…` : command}`.trim());
  const more = processes.length > NAMED ? [`${processes.length - NAMED} more`] : [];
  const all = [...names, ...more];
  return all.length < 2 ? all.join() : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

const endedHow = ({ code, signal }: Ending): string =>
  signal === undefined ? `ended with exit code ${code ?? 'unknown'}` : `was ended by the signal ${signal}`;

const said = (seen: Seen): string => heard(seen).trimStart() || 'It had printed nothing.';

/** What has been heard so far: more may be on its way, so that nothing is said where it is nothing. */
function heard({ noise, stderr }: Seen): string {
  return `${noise === undefined ? '' : ` On stdout it said ${quoted(noise)}.`}${stderr === undefined ? '' : ` On stderr it said ${quoted(stderr)}.`}`;
}

/** The SDK checks with a zod of its own, whose errors are no instances of ours. */
interface SchemaError {
  readonly issues: readonly { readonly path: readonly PropertyKey[] }[];
}
const isSchemaError = (error: unknown): error is SchemaError => error instanceof Error && 'issues' in error && Array.isArray(error.issues);

const missing = (error: SchemaError): string =>
  [...new Set(error.issues.map((issue) => issue.path.map(String).join('.') || 'the whole'))].join(', ');

export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toPrecision(3))} s`);

const QUOTE = 160;
export const quoted = (text: string): string => {
  const line = text.trim();
  return `“${line.length > QUOTE ? `${line.slice(0, QUOTE)}…` : line}”`;
};

/** An error's own words, in one line. */
export const plain = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');

/** Keeps the first line that is not empty. */
export const seenNoise = (seen: Seen, text: string): Seen =>
  seen.noise === undefined && text.trim() !== '' ? { ...seen, noise: text } : seen;

const TELLING = /error|fatal|cannot|not found|denied|exception|required|missing/i;

/** Keeps the first line, until one comes that speaks of an error. */
export function seenStderr(seen: Seen, text: string): Seen {
  if (text.trim() === '') return seen;
  if (seen.stderr === undefined || (TELLING.test(text) && !TELLING.test(seen.stderr))) return { ...seen, stderr: text };
  return seen;
}
