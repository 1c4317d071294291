// What every tool of the demo needs, and the two ways in which a tool can speak where the SDK would keep it silent.
// The SDK drops a handler's result and its notifications once the call's signal is aborted; servers that are not built
// on it do not, so some tools write to the transport beneath it.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, ProgressNotification, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { DemoTasks } from './tasks';

/**
 * `folder` is the state folder; `program` the path of the script that runs, for the tool that starts a child; `tasks` those of
 * the whole process.
 */
export interface Demo {
  readonly server: McpServer;
  readonly transport: Transport;
  readonly folder: string;
  readonly program: string;
  readonly tasks: DemoTasks;
}

/** The call that a tool's handler is answering: its id, its signal, its progress token. */
export type Call = RequestHandlerExtra<ServerRequest, ServerNotification>;

export const says = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

export const fails = (text: string): CallToolResult => ({ ...says(text), isError: true });

/**
 * Answers whether or not the call was cancelled: the SDK sends the result that is returned from here as long as the
 * signal is not aborted, and drops it afterwards; then, and only then, it goes out beneath.
 */
export async function answerAnyway(demo: Demo, call: Call, result: CallToolResult): Promise<CallToolResult> {
  if (call.signal.aborted) await demo.transport.send({ jsonrpc: '2.0', id: call.requestId, result });
  return result;
}

/** "11 of 40 pages" for the call's progress token; undefined when the caller asked for no progress. */
export function pagesDone(call: Call, done: number, total: number): ProgressNotification | undefined {
  const progressToken = call._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  const message = `${done} of ${total} pages`;
  return { method: 'notifications/progress', params: { progressToken, progress: done, total, message } };
}
