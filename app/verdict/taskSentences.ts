// What is said otherwise of a call that became a task: it is not answered, it comes out, and somebody has to ask.
import { minus, words } from '../base/time';
import { eraOf } from '../wire/era';
import { outcomeWord, refusedWords } from './overTasks';
import type { Headline } from './verdict';
import type { View } from './view';

const cap = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const late = (view: View): string => (view.reply.lateBy === undefined ? 'some time' : words(view.reply.lateBy));
const took = (view: View): string => (view.reply.at === undefined ? 'some time' : words(minus(view.reply.at, view.call.sent.t)));
const says = ({ first, call: { task } }: View): string => (first && task ? outcomeWord(first, task) : 'the task says nothing');
const nothingSeen = ({ effect }: View): string =>
  effect.state === 'not-seen' ? `; nothing was seen in ${effect.probes.join(', ')} so far` : '';

/** The sentence of a headline, where it is another one for a task. @param yourStop what the stop is called */
export function taskSentence(headline: Headline, view: View, yourStop: string): string | undefined {
  if (!view.call.task) return undefined;
  switch (headline) {
    case 'invalid-cancel':
      return 'This cancel was the wrong means for this call: it runs as a task, which only tasks/cancel stops, and the notification tells nobody to stop.';
    case 'late-result-write':
      return `The tool may write, and ${says(view)} ${late(view)} after ${yourStop}. No probe watched for an effect, so its word is all there is.`;
    case 'late-result':
    case 'late-error':
      return `${cap(says(view))} ${late(view)} after ${yourStop}${nothingSeen(view)}.`;
    case 'acknowledged':
      return `${cap(says(view))} ${late(view)} after ${yourStop}, as it has to, which proves nothing of its work${nothingSeen(view)}.`;
    case 'crossed':
      return `The end of the task and the cancel crossed: ${says(view)} when it was asked ${late(view)} after the cancel, and nobody saw it at work after that had been read.`;
    case 'finished-first':
      return `${cap(says(view))}: it had ended before ${view.stop.state === 'task-cancel' ? 'tasks/cancel was written' : yourStop}.`;
    case 'waiting':
      return waiting(view);
    case 'completed':
      return `Run as a task: ${says(view)} after ${took(view)}${view.effect.worst ? `; ${view.effect.worst.says} (probe ${view.effect.worst.probe})` : ''}. Nobody stopped it.`;
    case 'failed':
      return `Run as a task: ${says(view)} after ${took(view)}. Nobody stopped it from here.`;
    default:
      return undefined;
  }
}

function waiting({ call }: View): string {
  const status = call.task?.states.at(-1)?.status;
  if (status === 'input_required') return 'Its task waits for input (input_required), which is not given from here.';
  return status === undefined ? 'In flight as a task.' : `In flight as a task, which says “${status}”.`;
}

/** What there is to hear of a call that fell silent. */
export function silence(view: View): string {
  if (!view.call.task) return 'Nothing came back';
  return view.reply.state === 'acknowledged' ? cap(says(view)) : 'Nobody has heard what the task came to';
}

/** How the silence of a task is told that may have written. */
export function unknownTask(view: View, yourStop: string): string | undefined {
  if (!view.call.task) return undefined;
  if (view.reply.state === 'acknowledged') return `${cap(says(view))} ${late(view)} after ${yourStop}, which proves nothing.`;
  if (view.reply.state === 'none') return `Nobody has heard since ${yourStop} what the task came to.`;
  return `${cap(says(view))} ${late(view)} after ${yourStop}.`;
}

/** What has to be said beside: a refusal, a word that the world contradicts, a freedom that the revision gives. */
export function taskRemark(headline: Headline, view: View): string {
  const { taskCancel, reply, session } = view;
  if (!taskCancel || headline === 'finished-first') return '';
  if (taskCancel.refused !== undefined) return ` The tasks/cancel was ${refusedWords(taskCancel.refused)}.`;
  if (headline === 'write-after-cancel' && reply.state === 'acknowledged') return ' The task says “cancelled” all the same.';
  const free = eraOf(session.opened?.life.protocol).taskCancel === 'only-acknowledged';
  const ranOn = reply.state === 'late-result' || headline === 'still-working';
  return free && ranOn ? ' In this revision tasks/cancel is only acknowledged: a task may go on, and complete.' : '';
}

/** What a client built on the TypeScript SDK is told of a task that it polls; undefined where the call says it. */
export function taskCallerSaw(view: View): string | undefined {
  const { call, stop } = view;
  // It polls until the task says that it has ended, however that word is taken back later.
  const [first] = call.replies;
  // A client that times out has its own word for it.
  if (!call.task || stop.state === 'killed' || stop.how?.means === 'timeout') return undefined;
  if (stop.state === 'sent' && view.reply.state !== 'in-time')
    return `Error -32603${stop.reason ? `, “${stop.reason}”` : ''}: the same as a failure.`;
  if (stop.state === 'not-sent' && stop.how?.means !== 'drop') return 'Nothing: it has stopped polling.';
  if (!first) return view.reply.state === 'lost' ? undefined : 'Nothing yet: it polls on.';
  if (first.saysCancelled) return `${failure(call.task.id, 'was cancelled')}, at its next poll: the same as a failure.`;
  if (first.shape === 'error') return `${failure(call.task.id, 'failed')}, at its next poll.`;
  return first.isError ? 'The result, as it came: it says isError.' : 'The result, as it came.';
}

const failure = (id: string, what: string): string => `Error -32603, “Task ${id} ${what}”`;
