// Whether a call runs as a task: a choice where the tool leaves one, said where it leaves none, and why. On a server that knows
// no tasks nothing is said: it would be the same under every tool.
import type { TaskAbilities, Tool } from '../../../app/contract/host';
import { useSelect } from '../../context';
import type { Draft } from '../../store/state';
import { runsAsTask } from '../../tools';
import { Check } from '../../ui/Check';
import { Milliseconds } from './Milliseconds';

interface Props {
  readonly tool: Tool;
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** What the choice means, in a sentence. */
export function taskHint({ taskSupport }: Pick<Tool, 'taskSupport'>, { form }: TaskAbilities): string {
  switch (taskSupport) {
    case 'forbidden':
      return 'This tool forbids it (taskSupport): it can be called plainly only.';
    case 'required':
      return 'This tool demands it (taskSupport): a plain call of it is to be refused.';
    case 'optional':
      return form === 'extension'
        ? 'The call says that it can be a task; the server decides. Stop then is tasks/cancel.'
        : 'The answer is a task that is asked after until it is over. Stop then is tasks/cancel.';
  }
}

export function TaskChoice({ tool, draft, onChange }: Props) {
  const abilities = useSelect(({ status }) => status.tasks);
  if (!abilities?.calls) return null;
  const asTask = runsAsTask(tool, draft.task);
  return (
    <fieldset className="task-choice">
      <legend className="visually-hidden">As a task</legend>
      <Check
        checked={asTask}
        disabled={tool.taskSupport !== 'optional'}
        label="Run as a task"
        onChange={(task) => onChange({ task: task || undefined })}
      >
        Run as a task
      </Check>
      <p className="hint">{taskHint(tool, abilities)}</p>
      {asTask && abilities.form === 'experimental' && (
        <Milliseconds label="Keep it for" value={draft.ttlMs} hint="as the server likes" onChange={(ttlMs) => onChange({ ttlMs })} />
      )}
    </fieldset>
  );
}

/** Misuse, on purpose: a plain call of a tool that demands a task. */
export function PlainAnyway({ tool, draft, onChange }: Props) {
  const calls = useSelect(({ status }) => status.tasks?.calls);
  if (!calls || tool.taskSupport !== 'required') return null;
  return (
    <Check
      checked={draft.task === false}
      label="Call it plainly all the same"
      onChange={(plain) => onChange({ task: plain ? false : undefined })}
    >
      <span>
        Call it plainly all the same <span className="faint">(misuse: a server is to refuse it)</span>
      </span>
    </Check>
  );
}
