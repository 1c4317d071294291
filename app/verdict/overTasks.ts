// What a task tells of a stop and of an outcome. Only `tasks/cancel` stops one, and its reply is an acknowledgement: that the
// server has read it, and no more. How the task came out is seen by asking, so when is known only as well as it was asked.
import type { Ns } from '../base/time';
import type { Call, Calls, Reply } from '../trace/calls';
import { requestKept, writtenAt } from '../trace/faults';
import { isTerminal, type Task, type TaskState } from '../trace/tasks';
import { idText } from '../wire/jsonrpc';
import { type Refusal, refusalOf } from './overHttp';
import type { Because } from './verdict';

/** The first `tasks/cancel` that may have been read, and what was answered: to one that was accepted, where one was. */
export interface TaskCancel {
  readonly asked: Call;
  readonly reply: Reply | undefined;
  /** The code of the error with which the server refused it. */
  readonly refused: number | undefined;
}

/** 2025-11-25, Tasks: what the server answers of a task that has ended already, or that it does not know. */
export const UNKNOWN_OR_OVER = -32602;

const cancelsOf = (call: Call, calls: Calls): readonly Call[] => (call.task?.cancels ?? []).flatMap((index) => calls.all[index] ?? []);

/** How the POST of a `tasks/cancel` came to nothing. */
const failedPost = ({ replies, exchanges }: Call): Refusal | undefined => (replies.length > 0 ? undefined : refusalOf(exchanges.at(-1)));

/** The `tasks/cancel` of a call's task that count: those that were written, and may have been read. */
export const heardTaskCancels = (call: Call, calls: Calls): readonly Call[] =>
  cancelsOf(call, calls).filter((asked) => asked.written && failedPost(asked) === undefined);

/** The first of them. */
export function taskCancelOf(call: Call, calls: Calls): TaskCancel | undefined {
  const heard = call.task ? heardTaskCancels(call, calls) : [];
  const first = heard[0];
  if (!first) return undefined;
  const asked = heard.reduce((a, b) => (writtenAt(b) < writtenAt(a) ? b : a), first);
  const accepted = heard.find(({ replies }) => replies[0]?.shape === 'result');
  const reply = (accepted ?? asked).replies[0];
  return { asked, reply, refused: reply?.shape === 'error' ? (reply.code ?? 0) : undefined };
}

/** How the first `tasks/cancel` of a task came to nothing, over HTTP or by a fault of ours, and when it was to leave. */
export function taskCancelRefusal(call: Call, calls: Calls): { readonly refusal: Refusal; readonly at: Ns } | undefined {
  for (const asked of cancelsOf(call, calls)) {
    const refusal = asked.written ? failedPost(asked) : dropped(asked);
    if (refusal) return { refusal, at: writtenAt(asked) };
  }
  return undefined;
}

function dropped(asked: Call): Refusal | undefined {
  const kept = requestKept(asked);
  if (kept?.fault !== 'drop') return undefined;
  return { seq: kept.seq, t: kept.t, sure: true, says: `a fault of ours (${kept.rule}) dropped the tasks/cancel` };
}

/** What was written, and what was answered to it. */
export function taskCancelBecause({ asked, reply, refused }: TaskCancel): readonly Because[] {
  const written = { seq: (asked.written ?? asked.sent).seq, says: `tasks/cancel ${idText(asked.key)} written` };
  if (!reply) return [written];
  const says = refused === undefined ? 'acknowledged: it was read, which proves nothing of the work' : refusedWords(refused);
  return [written, { seq: reply.seq, says }];
}

/** A refusal in words: what its code can mean. */
export const refusedWords = (code: number): string =>
  code === UNKNOWN_OR_OVER
    ? `refused with error ${code}: the task had ended already, or the server does not know it`
    : `refused with error ${code}`;

/** The outcome that counts: how the work came out, and before anybody knows that the word that it was cancelled. */
export function outcomeOf(call: Call): Reply | undefined {
  const { replies } = call;
  if (replies.length < 2) return replies[0];
  const first = (list: readonly Reply[]): Reply | undefined =>
    list.reduce<Reply | undefined>((a, b) => (a && a.t <= b.t ? a : b), undefined);
  return (call.task && first(replies.filter(({ saysCancelled }) => !saysCancelled))) ?? first(replies);
}

/** An outcome in words. */
export function outcomeWord(reply: Reply, task: Task): string {
  if (reply.saysCancelled) return 'the task says “cancelled”';
  if (reply.shape === 'error') return `the task says “failed”${reply.code === undefined ? '' : ` (error ${reply.code})`}`;
  if (reply.isError) return 'the task has a result that says isError';
  // A result that was fetched, of a task that may say something else of itself.
  return task.states.some(({ seq, by }) => seq === reply.seq && by === 'result') ? 'the task gave a result' : 'the task says “completed”';
}

/** How a stop lies in time: c, when it had been read as far as is known, and what came too soon to have come after that. */
export interface StopTimes {
  readonly c: Ns;
  readonly read: Ns;
  readonly near: (t: Ns) => boolean;
}

/**
 * Whether a task is known to have been at work when its cancel had been read, before it came out so. A poll tells only that it
 * had come out by then: somebody has to have seen it at work after the stop. What the server sends by itself when the task ends
 * tells when that was, and so does the answer to a `tasks/result` that had been waiting for it since before the stop.
 */
export function endedAfter(call: Call, calls: Calls, outcome: Reply, stop: StopTimes): boolean {
  const { states = [], refusals = [] } = call.task ?? {};
  if (taskCancelOf(call, calls)?.refused === UNKNOWN_OR_OVER || stop.near(outcome.t)) return false;
  const state = states.find(({ seq }) => seq === outcome.seq);
  const asked = calls.all[(state ?? refusals.find(({ seq }) => seq === outcome.seq))?.asked ?? -1];
  const came = state === undefined || state.by === 'notification' || state.by === 'result';
  if (came && (asked === undefined || writtenAt(asked) < stop.c)) return true;
  return states.some((seen) => seen.t <= outcome.t && sawAtWork(seen, calls, stop));
}

/** States of a task that has not come out. That it is cancelled shows it as well; of a word that nobody knows nothing is known. */
const NOT_OUT: ReadonlySet<string> = new Set(['working', 'input_required', 'cancelled']);

/** Whether a state shows a task that had not come out when the cancel had been read. */
function sawAtWork({ status, by, asked, t }: TaskState, calls: Calls, { c, read, near }: StopTimes): boolean {
  if (t <= c || !NOT_OUT.has(status)) return false;
  if (by === 'notification') return !near(t);
  const asking = calls.all[asked ?? -1];
  return by === 'cancel' ? t >= read : asking !== undefined && writtenAt(asking) >= read;
}

/** A task that still says that it works, when it was asked after the stop had been read; its newest word counts. */
export function stillAtWork(call: Call, calls: Calls, stop: StopTimes): (Because & { readonly t: Ns }) | undefined {
  const last = call.task?.states.at(-1);
  if (last?.status !== 'working' || stop.near(last.t) || !sawAtWork(last, calls, stop)) return undefined;
  return { seq: last.seq, t: last.t, says: 'the task still says “working”' };
}

/** What an in-flight task says of itself, by the first frame that said it. */
export function taskSays(call: Call): Because | undefined {
  const { states = [] } = call.task ?? {};
  const last = states.at(-1);
  if (!last) return undefined;
  const since = states.findLastIndex(({ status }) => status !== last.status) + 1;
  return { seq: states[since]?.seq ?? last.seq, says: `the task says “${last.status}”` };
}

/** When the server has said that it does not know the task any more: nobody will learn what it came to. */
export function taskForgotten(call: Call, calls: Calls): (Because & { readonly t: Ns }) | undefined {
  const { refusals = [], states = [] } = call.task ?? {};
  const last = refusals.findLast(({ code, asked }) => code === UNKNOWN_OR_OVER && calls.all[asked]?.method === 'tasks/get');
  if (!last || call.replies.length > 0 || states.some(({ t }) => t > last.t)) return undefined;
  return { seq: last.seq, t: last.t, says: `the server does not know the task any more (error ${last.code} to tasks/get)` };
}

/** A task that was called cancelled and came out otherwise later. */
export interface Contradiction {
  readonly cancelled: Because & { readonly t: Ns };
  readonly later: Because & { readonly t: Ns };
}

/** The end of a task that was cancelled, where it is none: it came out after that had been said, or acknowledged for good. */
export function endedAllTheSame(call: Call, calls: Calls, stays: boolean): Contradiction | undefined {
  const { states = [] } = call.task ?? {};
  const said = states.find(({ status }) => status === 'cancelled');
  const heard = taskCancelOf(call, calls);
  const acknowledged = stays && heard?.reply && heard.refused === undefined ? heard.reply : undefined;
  const since = said ?? acknowledged;
  // A poll that had been asked before may have been answered before, and have come late.
  const asked = ({ asked: index = -1 }: TaskState): Ns | undefined => calls.all[index] && writtenAt(calls.all[index]);
  const later =
    since &&
    states.find(
      (state) =>
        state.t > since.t &&
        isTerminal(state.status) &&
        state.status !== 'cancelled' &&
        (state.by !== 'poll' || (asked(state) ?? since.t) >= since.t),
    );
  if (!since || !later) return undefined;
  const word = since === said ? 'said “cancelled”' : 'had its cancel acknowledged';
  return {
    cancelled: { seq: since.seq, t: since.t, says: word },
    later: { seq: later.seq, t: later.t, says: later.by === 'result' ? 'gave a result' : `said “${later.status}”` },
  };
}
