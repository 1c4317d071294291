// The task that a call was made into: its id, how long the server keeps it, and every state that it was in, each with the
// frame that said so and with what said it.
import { FOREVER, words } from '../../../app/base/time';
import type { Call } from '../../../app/trace/calls';
import { useStopgap } from '../../context';
import { SAID_BY_WORDS, statusMeans, statusWords, timesText } from '../../taskWords';
import { taskPicture } from '../../timeline/tasks';
import { TaskSign } from '../tasks/TaskSign';
import { FrameLink } from './FrameLink';
import { at } from './words';

export function TaskSection({ call }: { readonly call: Call }) {
  const { feed } = useStopgap();
  const { task } = call;
  const picture = taskPicture(call, feed.calls);
  if (!task || !picture) return null;
  const { ttl, pollInterval } = task;
  const facts = [
    ttl === undefined ? undefined : ttl === FOREVER ? 'kept without end' : `kept for ${words(ttl)}`,
    pollInterval === undefined ? undefined : `wants to be asked every ${words(pollInterval)}`,
    `asked for ${timesText(picture.polls.length)}`,
    picture.news.length > 0 ? `told of unasked ${timesText(picture.news.length)}` : undefined,
    task.updates.length > 0 ? `given input ${timesText(task.updates.length)}` : undefined,
  ];
  return (
    <section aria-label="Task">
      <h3 className="heading">Task</h3>
      <p className="mono soft clip selectable" title={task.id}>
        {task.id}
      </p>
      <p className="hint">{facts.filter(Boolean).join(' · ')}</p>
      <ol className="because task-states" aria-label="States of the task">
        {picture.segments.map(({ seq, t, status, by, says, told, last }) => (
          <li key={seq}>
            <FrameLink seq={seq} call={call.index} />
            <span title={statusMeans(status)}>
              <TaskSign status={status} /> <b>{statusWords(status)}</b> <span className="mono faint">{at(t)}</span>
              <small>
                {SAID_BY_WORDS[by]}
                {told > 1 && `; said ${timesText(told)}, last at ${at(last)}`}
                {says !== undefined && `: “${says}”`}
              </small>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
