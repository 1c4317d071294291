// What a call was made with, read from its own request in the trace: so that it can be made once more even when the window
// has forgotten what was typed.
import { toMs } from '../../app/base/time';
import type { CallArguments } from '../../app/contract/host';
import { requestText } from '../../app/trace/faults';
import type { Recording } from './recording';

/** @throws Error in plain words when it is no call of a tool, or its request is no longer kept */
export async function argumentsOf({ judge, recorder }: Recording, index: number): Promise<CallArguments> {
  const call = judge.calls.all[index];
  if (call?.method !== 'tools/call' || call.sender !== 'client') throw new Error(`Expected a call of a tool, but ${index} is none.`);
  const [body] = await recorder.bodies([(call.written ?? call.sent).seq]);
  const request = body?.raw && 'text' in body.raw ? requestText(body.raw.text) : undefined;
  if (request === undefined) throw new Error('The request of this call is no longer in the trace file: its arguments are not known.');
  const { params } = JSON.parse(request) as {
    readonly params: { readonly name: string; readonly arguments?: Record<string, unknown> };
  };
  const { arrangement } = call;
  return {
    tool: params.name,
    arguments: params.arguments ?? {},
    probes: arrangement?.probes ?? [],
    settleMs: arrangement && toMs(arrangement.settle),
    normallyMs: arrangement?.normally === undefined ? undefined : toMs(arrangement.normally),
    fence: arrangement?.fence,
    task: arrangement?.task && { ttlMs: arrangement.task.ttl === undefined ? undefined : toMs(arrangement.task.ttl) },
  };
}
