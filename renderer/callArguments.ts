// A call's arguments as they went over the wire: read from the body of its request, never from what a form may hold by now.
import type { Call } from '../app/trace/calls';
import { requestText } from '../app/trace/faults';
import { textOf } from './bodies';
import type { Stopgap } from './context';

/** @returns undefined when the trace file no longer has the request, or it is not a call with arguments */
export async function callArguments(
  { bodies }: Pick<Stopgap, 'bodies'>,
  call: Call,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [body] = await bodies.read([(call.written ?? call.sent).seq]);
  const first = textOf(body);
  const text = first === undefined ? undefined : requestText(first);
  if (text === undefined) return undefined;
  const message = JSON.parse(text) as { readonly params?: { readonly arguments?: Readonly<Record<string, unknown>> } };
  return message.params?.arguments ?? {};
}
