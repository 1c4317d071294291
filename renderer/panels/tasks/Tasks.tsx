// The server's tasks, and above all the orphans: tasks that run and that nobody here asks after. The list is what the server
// says when it is asked; it is asked when somebody wants to see it and not by itself, because it is traffic that it sees.
import { useEffect } from 'react';
import type { ListedTask, TaskAbilities } from '../../../app/contract/host';
import { useSelect, useStopgap } from '../../context';
import type { TaskList } from '../../store/state';
import { statusWords } from '../../taskWords';
import { TaskSign } from './TaskSign';
import { abilitiesText, CARE_TITLES, careOf, groupsOf, timesText } from './taskList';
import './tasks.css';

/** Which call made a task: a link where it is known. */
function Maker({ task }: { readonly task: ListedTask }) {
  const { feed, actions, timeline } = useStopgap();
  const call = task.call === undefined ? undefined : feed.calls.all[task.call];
  if (!call)
    return (
      <span className="task-orphan">
        {careOf(task) === 'over' ? 'made by no call of this session' : 'orphan: made by no call of this session'}
      </span>
    );
  return (
    <button
      type="button"
      className="link clip"
      onClick={() => {
        actions.selectCall(call.index);
        timeline.reveal(call.index);
      }}
    >
      {call.tool ?? call.method}
    </button>
  );
}

function Row({ task, abilities }: { readonly task: ListedTask; readonly abilities: TaskAbilities }) {
  const { actions } = useStopgap();
  const connection = useSelect(({ status }) => status.connection);
  return (
    <tr title={task.id}>
      <td className="mono selectable" title={task.id}>
        {task.id}
      </td>
      <td className="task-status" data-status={task.status} title={task.message}>
        <TaskSign status={task.status} /> {statusWords(task.status)}
      </td>
      <td className="soft task-says" title={task.message}>
        {task.message}
      </td>
      <td>
        <Maker task={task} />
      </td>
      <td className="soft task-times">{timesText(task)}</td>
      <td className="row-actions">
        {careOf(task) !== 'over' && abilities.cancel && (
          <button
            type="button"
            className="button small"
            aria-label={`Cancel task ${task.id}…`}
            onClick={() => actions.openDialog({ kind: 'cancel-task', connection, task })}
          >
            Cancel…
          </button>
        )}
      </td>
    </tr>
  );
}

function List({ list, abilities }: { readonly list: TaskList; readonly abilities: TaskAbilities }) {
  const groups = groupsOf(list.tasks ?? []);
  return (
    <table className="plain-table task-table">
      <thead className="visually-hidden">
        <tr>
          <th>Task</th>
          <th>State</th>
          <th className="task-says">What it says</th>
          <th>Made by</th>
          <th className="task-times">Times</th>
          <th>Actions</th>
        </tr>
      </thead>
      {groups.map(({ care, tasks }) => (
        <tbody key={care} data-care={care}>
          <tr className="task-group">
            <th colSpan={6} scope="rowgroup">
              {care === 'nobody' && <span aria-hidden>△ </span>}
              {CARE_TITLES[care]} ({tasks.length})
            </th>
          </tr>
          {tasks.map((task) => (
            <Row key={task.id} task={task} abilities={abilities} />
          ))}
        </tbody>
      ))}
    </table>
  );
}

/** Why there is no list to be shown; undefined where there is one. */
function useNothing(): string | undefined {
  const { state, tasks, title } = useSelect(({ status }) => status);
  const file = useSelect(({ view }) => view?.source === 'file');
  if (file) return 'A trace file has no server to ask. What it holds of tasks stands on their rows of the timeline.';
  if (state !== 'connected') return 'No server is connected that could be asked for its tasks.';
  if (!tasks)
    return `${title} says nothing of tasks. A server that has some declares it (capabilities.tasks, or the extension io.modelcontextprotocol/tasks); then they are listed here.`;
  return undefined;
}

export function Tasks() {
  const { actions } = useStopgap();
  const { connection, session, tasks: abilities } = useSelect(({ status }) => status);
  const list = useSelect(({ taskLists }) => taskLists[session]);
  const nothing = useNothing();
  useEffect(() => {
    if (nothing === undefined && list === undefined) void actions.listTasks(connection);
  }, [actions, connection, nothing, list]);
  if (nothing !== undefined || !abilities) return <p className="list-empty">{nothing}</p>;
  const asking = list?.asking !== false;
  return (
    <div className="tasks" aria-busy={asking}>
      <div className="row traces-head">
        <p className="soft grow">
          {list?.at !== undefined && <span className="mono faint">{new Date(list.at).toLocaleTimeString('en-GB')} </span>}
          {list?.says ?? abilitiesText(abilities)}
        </p>
        <button type="button" className="button small" disabled={asking} onClick={() => void actions.listTasks(connection)}>
          {asking ? 'Asking…' : 'Ask again'}
        </button>
      </div>
      {list?.why !== undefined && (
        <p className="error" role="alert">
          {list.why}
        </p>
      )}
      {list?.tasks?.length === 0 && (
        <p className="list-empty">No tasks. A call that runs as a task appears here as soon as the server has made one of it.</p>
      )}
      {list?.tasks !== undefined && list.tasks.length > 0 && <List list={list} abilities={abilities} />}
    </div>
  );
}
