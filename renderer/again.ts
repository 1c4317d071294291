// Doing a call once more, and taking one back: when each can be done, and when somebody has to be asked first. Buttons
// and keys go through here, so that no way leads around the question.
import type { ServerStatus, Undo } from '../app/contract/host';
import type { Call } from '../app/trace/calls';
import type { Stopgap } from './context';
import { isToolCall } from './inFlight';
import { serverOf } from './servers';

/** The server of a call, while it can be asked for something. */
function reachable({ store }: Stopgap, call: Call): ServerStatus | undefined {
  const state = store.getState();
  const server = serverOf(state, call);
  return server?.state === 'connected' && state.view?.source !== 'file' ? server : undefined;
}

/** A call that was stopped, or lost with its session, while the server is there to take it again. */
export function canRetry(stopgap: Stopgap, call: Call | undefined): boolean {
  if (!call || !isToolCall(call)) return false;
  const verdict = stopgap.feed.verdict(call.index);
  return verdict !== undefined && (verdict.stop.at !== undefined || verdict.reply.state === 'lost') && toolOf(stopgap, call) !== undefined;
}

const toolOf = (stopgap: Stopgap, call: Call) => reachable(stopgap, call)?.tools.find(({ name }) => name === call.tool);

/**
 * Retries a stopped call; asks first unless its tool is declared read-only and nothing that the call did says otherwise. An
 * idempotent tool is asked about too: the hint is no proof, and the specification gives it a meaning only for tools that
 * write (2025-11-25, ToolAnnotations).
 */
export function retry(stopgap: Stopgap, call: Call | undefined): void {
  if (!call || !canRetry(stopgap, call)) return;
  const wrote = (stopgap.feed.verdict(call.index)?.effect.observations.length ?? 0) > 0;
  if (toolOf(stopgap, call)?.readOnly === true && !wrote) void stopgap.actions.retry(call);
  else stopgap.actions.openDialog({ kind: 'retry', call: call.index });
}

/** The undo that can be called for a call now. */
export function undoOf(stopgap: Stopgap, call: Call | undefined): Undo | undefined {
  if (!call || !isToolCall(call)) return undefined;
  return reachable(stopgap, call)?.setups[call.tool ?? '']?.undo;
}
