// The window's requests to the shell: who asks is checked first, then what is asked, and only then is anything done.
// Nothing here knows Electron, so the checks can be tested without it.
import type { z } from 'zod';
import { SHELL_REQUESTS, type ShellRequest, type ShellResults } from '../../app/contract/shell';
import { isTrusted, type Sender } from './page';

type Parsed<R extends ShellRequest> = z.output<(typeof SHELL_REQUESTS)[R]>;

/** One function for each request. What they throw is shown to the person. */
export type Handlers = { readonly [R in ShellRequest]: (params: Parsed<R>) => Promise<ShellResults[R]> | ShellResults[R] };

/** What the preload script gets back. */
export type Answer = { readonly ok: true; readonly result: ShellResults[ShellRequest] } | { readonly ok: false; readonly error: string };

const isRequest = (name: unknown): name is ShellRequest => typeof name === 'string' && Object.hasOwn(SHELL_REQUESTS, name);

/** Answers one request; never rejects. `name` and `params` are whatever arrived. */
export async function answer(handlers: Handlers, sender: Sender | undefined, name: unknown, params: unknown): Promise<Answer> {
  if (!isTrusted(sender)) return refuse(`Expected a request of Stopgap's own page, got one of ${sender?.url || 'a page that is gone'}.`);
  if (!isRequest(name)) return refuse(`Expected one of ${Object.keys(SHELL_REQUESTS).join(', ')}; got ${JSON.stringify(name)}.`);
  return perform(handlers, name, params);
}

async function perform<R extends ShellRequest>(handlers: Handlers, name: R, params: unknown): Promise<Answer> {
  const parsed = SHELL_REQUESTS[name].safeParse(params);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the parameters'}: ${issue.message}`);
    return refuse(`The parameters of ${name} were not as expected: ${faults.join('; ')}.`);
  }
  try {
    return { ok: true, result: await handlers[name](parsed.data as Parsed<R>) };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

const refuse = (error: string): Answer => ({ ok: false, error });
