// The golden traces of tasks: for every rule that reads a task one trace where it applies, one that is like it and where it
// does not, and one where the honest answer is that it cannot be known.
import { TaskBuild } from '../trace/buildTasks.testing';
import type { Golden } from './golden.testing';
import type { Certainty, EffectState, FindingName, Headline, ReplyState, Severity, StopState } from './verdict';

export const TASK_RULES = [
  'waiting',
  'completed',
  'failed',
  'lost',
  'task-cancel',
  'write-after-cancel',
  'late-result-write',
  'late-result',
  'late-error',
  'still-working',
  'acknowledged',
  'stopped',
  'quiet',
  'crossed',
  'finished-first',
  'never-told',
  'invalid-cancel',
  'unknown-write',
  'task-completed-after-cancel',
] as const;
export type TaskRule = (typeof TASK_RULES)[number];

export interface TaskGolden extends Omit<Golden, 'rule'> {
  readonly rule: TaskRule;
  readonly findings: readonly FindingName[];
  /** A part of the sentence. */
  readonly says: string;
}

type Lanes = readonly [Headline, Severity, Certainty, StopState, ReplyState, EffectState];

interface Told {
  readonly lanes: Lanes;
  readonly says: string;
  readonly findings?: readonly FindingName[];
}

const golden = (rule: TaskRule, answer: Golden['answer'], story: string, build: TaskBuild, told: Told): TaskGolden => {
  const [verdict, severity, certainty, stop, reply, effect] = told.lanes;
  return {
    rule,
    answer,
    story,
    frames: build.frames,
    until: 12_000,
    key: 'n:3',
    expect: { verdict, severity, certainty, stop, reply, effect },
    findings: told.findings ?? [],
    says: told.says,
  };
};

const WRITER = { name: 'export' };
const READER = { name: 'search', annotations: { readOnlyHint: true } };
const begin = (extension: boolean): TaskBuild => new TaskBuild(extension).openedTasks([WRITER, READER]).at(5).watching('disk').at(10);
const watched = { probes: ['disk'], normally: 2000 };

/** A task that is at work, by the rules of 2025-11-25 and by those of the extension. */
const running = (tool = 'export', options = {}): TaskBuild => begin(false).callTask(3, tool, options).at(12).created(3, 'T');
const runningExtension = (tool = 'export', options = {}): TaskBuild => begin(true).callTask(3, tool, options).at(12).created(3, 'T');
/** Stopped, and acknowledged. */
const stopped = (tool = 'export', options = {}): TaskBuild =>
  running(tool, options).at(200).poll('T', 'working').at(310).cancelTask(3, 'T').at(312).acknowledged('T');
const stoppedExtension = (tool = 'export', options = {}): TaskBuild =>
  runningExtension(tool, options).at(200).poll('T', 'working').at(310).cancelTask(3, 'T').at(312).acknowledged('T');

export const TASK_GOLDEN: readonly TaskGolden[] = [
  golden('waiting', 'yes', 'created and at work: a creation is no reply', running().at(200).poll('T', 'working'), {
    lanes: ['waiting', 'info', 'proved', 'none', 'waiting', 'not-probed'],
    says: 'In flight as a task, which says “working”.',
  }),
  golden(
    'waiting',
    'no',
    'asked to be a task, and answered at once: an ordinary call',
    begin(false).callTask(3, 'export').at(50).result(3),
    {
      lanes: ['completed', 'ok', 'proved', 'none', 'in-time', 'not-probed'],
      says: 'Answered after 40 ms.',
    },
  ),
  golden('waiting', 'unknown', 'it waits for input', runningExtension().at(200).poll('T', 'input_required'), {
    lanes: ['waiting', 'info', 'proved', 'none', 'waiting', 'not-probed'],
    says: 'waits for input',
  }),
  golden(
    'completed',
    'yes',
    'a poll says completed, and the result is fetched',
    running().at(200).poll('T', 'working').at(700).poll('T', 'completed').at(710).fetch('T').at(712).fetched('T'),
    { lanes: ['completed', 'ok', 'proved', 'none', 'in-time', 'not-probed'], says: 'the task says “completed” after 691 ms' },
  ),
  golden(
    'completed',
    'no',
    'a poll says completed, and the result that is fetched says isError',
    running().at(700).poll('T', 'completed').at(710).fetch('T').at(712).fetched('T', true),
    { lanes: ['failed', 'note', 'proved', 'none', 'in-time', 'not-probed'], says: 'a result that says isError' },
  ),
  golden(
    'completed',
    'unknown',
    'news of its end came before its creation',
    begin(false).callTask(3, 'export').at(11).news('T', 'completed').at(12).created(3, 'T'),
    {
      lanes: ['completed', 'ok', 'proved', 'none', 'in-time', 'not-probed'],
      says: 'the task says “completed” after 1 ms',
    },
  ),
  golden('failed', 'yes', 'a failed task brings its error along', runningExtension().at(700).poll('T', 'failed', { code: -32603 }), {
    lanes: ['failed', 'note', 'proved', 'none', 'in-time', 'not-probed'],
    says: 'the task says “failed” (error -32603)',
  }),
  golden(
    'failed',
    'no',
    'a poll that is refused is no failure of the task',
    runningExtension().at(700).ask('T').at(701).refused(-32603, 'busy'),
    {
      lanes: ['waiting', 'info', 'proved', 'none', 'waiting', 'not-probed'],
      says: 'which says “working”',
    },
  ),
  golden('failed', 'unknown', 'cancelled, and nobody here asked for it', running().at(700).poll('T', 'cancelled'), {
    lanes: ['failed', 'note', 'proved', 'none', 'in-time', 'not-probed'],
    says: 'Nobody stopped it from here',
  }),
  golden('lost', 'yes', 'the server forgets it', running().at(700).ask('T').at(701).refused(-32602, 'Task not found'), {
    lanes: ['lost', 'warn', 'unknown', 'none', 'lost', 'not-probed'],
    says: 'The server does not know the task any more (error -32602 to tasks/get)',
  }),
  golden(
    'lost',
    'no',
    'forgotten, after it had come out',
    running().at(700).poll('T', 'completed').at(900).ask('T').at(901).refused(-32602, 'Task has expired'),
    {
      lanes: ['completed', 'ok', 'proved', 'none', 'in-time', 'not-probed'],
      says: 'the task says “completed”',
    },
  ),
  golden('lost', 'unknown', 'the server dies with the task in it', running().at(700).life({ event: 'exited', code: 1, asked: 'nobody' }), {
    lanes: ['lost', 'warn', 'unknown', 'none', 'lost', 'not-probed'],
    says: 'ended by itself',
  }),
  golden('task-cancel', 'yes', 'tasks/cancel is written', stopped('search'), {
    lanes: ['acknowledged', 'note', 'proved', 'task-cancel', 'acknowledged', 'none-expected'],
    says: 'The task says “cancelled” 2 ms after your cancel, as it has to, which proves nothing of its work.',
  }),
  golden(
    'task-cancel',
    'no',
    'the cancel of another task',
    begin(false)
      .callTask(3, 'search')
      .at(11)
      .created(3, 'T')
      .at(12)
      .callTask(4, 'search')
      .at(13)
      .created(4, 'U')
      .at(310)
      .cancelTask(4, 'U')
      .at(312)
      .acknowledged('U'),
    { lanes: ['waiting', 'info', 'proved', 'none', 'waiting', 'none-expected'], says: 'which says “working”' },
  ),
  golden(
    'task-cancel',
    'unknown',
    'tasks/cancel is written and not answered: whether it was read is not known',
    running().at(310).cancelTask(3, 'T').at(900).poll('T', 'working'),
    {
      lanes: ['unknown-write', 'warn', 'unknown', 'task-cancel', 'none', 'not-probed'],
      says: 'The tasks/cancel was not answered, so whether it was read is not known',
    },
  ),
  golden('write-after-cancel', 'yes', 'the task says cancelled, and the file appears', stopped('export', watched).seen('disk', 700, 710), {
    lanes: ['write-after-cancel', 'breach', 'proved', 'task-cancel', 'acknowledged', 'after'],
    says: 'The task says “cancelled” all the same.',
  }),
  golden(
    'write-after-cancel',
    'no',
    'the file was there before',
    running('export', watched).seen('disk', 100, 110).at(310).cancelTask(3, 'T').at(312).acknowledged('T'),
    {
      lanes: ['write-before-cancel', 'warn', 'proved', 'task-cancel', 'acknowledged', 'before'],
      says: 'before your cancel',
    },
  ),
  golden(
    'write-after-cancel',
    'unknown',
    'the cancel is refused, and the file appears: it was told all the same',
    running('export', watched).at(310).cancelTask(3, 'T').at(312).refused(-32601, 'Method not found').seen('disk', 700, 710),
    {
      lanes: ['write-after-cancel', 'breach', 'proved', 'task-cancel', 'none', 'after'],
      says: 'The tasks/cancel was refused with error -32601.',
    },
  ),
  golden(
    'late-result-write',
    'yes',
    'the extension: acknowledged, seen at work, and completed',
    stoppedExtension().at(600).poll('T', 'working').at(1200).poll('T', 'completed'),
    {
      lanes: ['late-result-write', 'warn', 'inferred', 'task-cancel', 'late-result', 'claimed'],
      says: 'In this revision tasks/cancel is only acknowledged: a task may go on, and complete.',
    },
  ),
  golden(
    'late-result-write',
    'no',
    'the same of a tool that only reads',
    stoppedExtension('search').at(600).poll('T', 'working').at(1200).poll('T', 'completed'),
    {
      lanes: ['late-result', 'note', 'proved', 'task-cancel', 'late-result', 'none-expected'],
      says: 'The task says “completed” 891 ms after your cancel.',
    },
  ),
  golden(
    'late-result-write',
    'unknown',
    'completed at the first poll after the cancel: it may have been before',
    stoppedExtension().at(1200).poll('T', 'completed'),
    { lanes: ['late-result-write', 'warn', 'inferred', 'task-cancel', 'crossed', 'claimed'], says: 'The tool may write' },
  ),
  golden(
    'late-result',
    'yes',
    'a result is fetched of a task that says cancelled',
    stopped('search').at(900).fetch('T').at(901).fetched('T'),
    {
      lanes: ['late-result', 'note', 'proved', 'task-cancel', 'late-result', 'none-expected'],
      says: 'The task gave a result 591 ms after your cancel.',
      findings: ['task-completed-after-cancel'],
    },
  ),
  golden(
    'late-result',
    'no',
    'there is no result of a cancelled task to fetch',
    stopped('search').at(900).fetch('T').at(901).refused(-32603, 'no result'),
    {
      lanes: ['acknowledged', 'note', 'proved', 'task-cancel', 'acknowledged', 'none-expected'],
      says: 'The task says “cancelled”',
    },
  ),
  golden(
    'late-result',
    'unknown',
    'it had been waited for since before the cancel: then it is known to have come after',
    running('search')
      .at(20)
      .fetch('T')
      .at(310)
      .act({ act: 'stop', id: 3, how: { means: 'cancel' }, wrote: true, late: false })
      .c2s({ id: 'C', method: 'tasks/cancel', params: { taskId: 'T' } })
      .at(312)
      .s2c({ id: 'C', result: {} })
      .at(900)
      .fetched('T'),
    {
      lanes: ['late-result', 'note', 'proved', 'task-cancel', 'late-result', 'none-expected'],
      says: 'The task gave a result 590 ms after your cancel.',
      findings: ['task-completed-after-cancel'],
    },
  ),
  golden(
    'late-error',
    'yes',
    'seen at work after the cancel, and failed',
    stoppedExtension('search').at(600).poll('T', 'working').at(1200).poll('T', 'failed'),
    {
      lanes: ['late-error', 'note', 'proved', 'task-cancel', 'late-error', 'none-expected'],
      says: 'The task says “failed” 891 ms after your cancel.',
    },
  ),
  golden(
    'late-error',
    'no',
    'failed before',
    running('search').at(200).poll('T', 'failed').at(310).cancelTask(3, 'T').at(312).refused(-32602, 'terminal'),
    {
      lanes: ['finished-first', 'info', 'proved', 'task-cancel', 'in-time', 'none-expected'],
      says: 'it had ended before tasks/cancel was written',
    },
  ),
  golden(
    'late-error',
    'unknown',
    'news of the failure came with the acknowledgement',
    stoppedExtension('search').at(313).news('T', 'failed'),
    {
      lanes: ['crossed', 'info', 'unknown', 'task-cancel', 'crossed', 'none-expected'],
      says: 'crossed',
    },
  ),
  golden('still-working', 'yes', 'acknowledged, and it still says working', stoppedExtension().at(600).poll('T', 'working'), {
    lanes: ['still-working', 'warn', 'proved', 'task-cancel', 'none', 'not-probed'],
    says: 'the task still says “working”, 291 ms after the stop',
  }),
  golden(
    'still-working',
    'no',
    'it said working once more, and then cancelled',
    stoppedExtension('search').at(600).poll('T', 'working').at(900).poll('T', 'cancelled'),
    {
      lanes: ['acknowledged', 'note', 'proved', 'task-cancel', 'acknowledged', 'none-expected'],
      says: 'The task says “cancelled” 591 ms after your cancel',
    },
  ),
  golden(
    'still-working',
    'unknown',
    'it had been asked before the cancel was read',
    runningExtension('search')
      .at(309)
      .ask('T')
      .at(310)
      .act({ act: 'stop', id: 3, how: { means: 'cancel' }, wrote: true, late: false })
      .c2s({ id: 'C', method: 'tasks/cancel', params: { taskId: 'T' } })
      .at(312)
      .s2c({ id: 'C', result: {} })
      .at(500)
      .says('T', 'working'),
    {
      lanes: ['unknown-read', 'info', 'unknown', 'task-cancel', 'none', 'none-expected'],
      says: 'The tool says it only reads',
    },
  ),
  golden(
    'acknowledged',
    'yes',
    'cancelled, and the watch has not outlasted it',
    stopped('export', { probes: ['disk'] }).clear('disk', 6, 3320),
    {
      lanes: ['acknowledged', 'note', 'proved', 'task-cancel', 'acknowledged', 'not-seen'],
      says: 'nothing was seen in disk so far',
    },
  ),
  golden('acknowledged', 'no', 'cancelled, and it had completed', stopped('search').at(900).poll('T', 'completed'), {
    lanes: ['late-result', 'note', 'proved', 'task-cancel', 'late-result', 'none-expected'],
    says: 'The task says “completed”',
    findings: ['task-completed-after-cancel'],
  }),
  golden('acknowledged', 'unknown', 'cancelled, and nobody watched a tool that may write', stopped(), {
    lanes: ['unknown-write', 'warn', 'unknown', 'task-cancel', 'acknowledged', 'not-probed'],
    says: 'which proves nothing.',
  }),
  golden(
    'stopped',
    'yes',
    'cancelled, and watched for longer than it would have needed',
    stopped('export', watched).clear('disk', 6, 4000),
    {
      lanes: ['stopped', 'ok', 'inferred', 'task-cancel', 'acknowledged', 'not-seen'],
      says: 'The task says “cancelled”, and nothing was seen in disk for longer than the call would still have needed',
    },
  ),
  golden(
    'stopped',
    'no',
    'watched as long, and it still says working',
    stoppedExtension('export', watched).at(3000).poll('T', 'working').clear('disk', 6, 4000),
    {
      lanes: ['still-working', 'warn', 'proved', 'task-cancel', 'none', 'not-seen'],
      says: 'still says “working”',
    },
  ),
  golden(
    'stopped',
    'unknown',
    'cancelled, and the watch had a gap',
    stopped('export', watched).gap('disk', 400, 600).clear('disk', 600, 4000),
    {
      lanes: ['unknown-write', 'warn', 'unknown', 'task-cancel', 'acknowledged', 'watch-gap'],
      says: 'The watch had a gap',
      findings: ['probe-gap'],
    },
  ),
  golden(
    'quiet',
    'yes',
    'the extension: acknowledged, and nobody asks any more',
    stoppedExtension('export', { probes: ['disk'] }).clear('disk', 6, 3320),
    {
      lanes: ['quiet', 'info', 'unknown', 'task-cancel', 'none', 'not-seen'],
      says: 'Nobody has heard what the task came to, and nothing was seen in disk so far',
    },
  ),
  golden('quiet', 'no', 'and watched for longer than it would have needed', stoppedExtension('export', watched).clear('disk', 6, 4000), {
    lanes: ['stopped', 'ok', 'inferred', 'task-cancel', 'none', 'not-seen'],
    says: 'for longer than',
  }),
  golden(
    'quiet',
    'unknown',
    'watched as long, but the cancel was refused',
    running('export', watched).at(310).cancelTask(3, 'T').at(312).refused(-32601, 'Method not found').clear('disk', 6, 4000),
    {
      lanes: ['quiet', 'info', 'unknown', 'task-cancel', 'none', 'not-seen'],
      says: 'but it was refused to stop',
    },
  ),
  golden(
    'crossed',
    'yes',
    'refused because it has ended, as the next poll shows',
    running('search')
      .at(200)
      .poll('T', 'working')
      .at(310)
      .cancelTask(3, 'T')
      .at(312)
      .refused(-32602, 'Cannot cancel task in terminal status: completed')
      .at(700)
      .poll('T', 'completed'),
    {
      lanes: ['crossed', 'info', 'unknown', 'task-cancel', 'crossed', 'none-expected'],
      says: 'The end of the task and the cancel crossed: the task says “completed”',
    },
  ),
  golden('crossed', 'no', 'the cancel was acknowledged: so it had not ended', stopped('search').at(700).poll('T', 'completed'), {
    lanes: ['late-result', 'note', 'proved', 'task-cancel', 'late-result', 'none-expected'],
    says: 'The task says “completed” 391 ms after your cancel.',
    findings: ['task-completed-after-cancel'],
  }),
  golden(
    'crossed',
    'unknown',
    'the extension: completed at the next poll, and nobody saw it at work since',
    stoppedExtension('search').at(700).poll('T', 'completed'),
    {
      lanes: ['crossed', 'info', 'unknown', 'task-cancel', 'crossed', 'none-expected'],
      says: 'nobody saw it at work after that had been read',
    },
  ),
  golden(
    'finished-first',
    'yes',
    'completed, and then cancelled',
    running().at(200).poll('T', 'completed').at(310).cancelTask(3, 'T').at(312).refused(-32602, 'terminal'),
    {
      lanes: ['finished-first', 'info', 'proved', 'task-cancel', 'in-time', 'not-probed'],
      says: 'The task says “completed”: it had ended before tasks/cancel was written.',
    },
  ),
  golden(
    'finished-first',
    'no',
    'its end was seen only after the cancel',
    running('search').at(310).cancelTask(3, 'T').at(312).refused(-32602, 'terminal').at(400).poll('T', 'completed'),
    {
      lanes: ['crossed', 'info', 'unknown', 'task-cancel', 'crossed', 'none-expected'],
      says: 'crossed',
    },
  ),
  golden(
    'finished-first',
    'unknown',
    'Stop was pressed when its end had been seen: nothing was sent',
    running().at(200).poll('T', 'completed').at(310).stopAct(3, { means: 'cancel' }, false, true),
    {
      lanes: ['finished-first', 'info', 'proved', 'too-late', 'in-time', 'not-probed'],
      says: 'it had ended before your stop',
    },
  ),
  golden(
    'never-told',
    'yes',
    'the client stops polling, and the file appears',
    running('export', watched).at(310).stopPolling(3).seen('disk', 700, 710),
    {
      lanes: ['never-told', 'breach', 'proved', 'not-sent', 'none', 'after'],
      says: 'The server was never told to stop: the client stopped asking for the state of the task and told the server nothing.',
    },
  ),
  golden(
    'never-told',
    'no',
    'it stops polling, and cancels it later from the list',
    running('export', watched).at(310).stopPolling(3).at(900).cancelTask(3, 'T').at(902).acknowledged('T').clear('disk', 6, 4500),
    {
      lanes: ['stopped', 'ok', 'inferred', 'task-cancel', 'acknowledged', 'not-seen'],
      says: 'for longer than',
    },
  ),
  golden(
    'never-told',
    'unknown',
    'it stops polling, nobody watches, and a list shows it at work',
    running().at(310).stopPolling(3).at(900).list({ T: 'working' }),
    {
      lanes: ['never-told', 'warn', 'proved', 'not-sent', 'none', 'not-probed'],
      says: 'never told',
    },
  ),
  golden(
    'invalid-cancel',
    'yes',
    'the notification for a task',
    running().at(310).stopAct(3, { means: 'notify' }, true).cancelled(3).at(900).poll('T', 'working'),
    {
      lanes: ['invalid-cancel', 'warn', 'proved', 'sent', 'none', 'not-probed'],
      says: 'it runs as a task, which only tasks/cancel stops',
    },
  ),
  golden(
    'invalid-cancel',
    'no',
    'the extension: the notification, before anybody knew that it would be a task',
    begin(true).callTask(3, 'search').at(11).stopAct(3, { means: 'notify' }, true).cancelled(3).at(12).created(3, 'T'),
    {
      lanes: ['unknown-read', 'info', 'unknown', 'sent', 'none', 'none-expected'],
      says: 'The tool says it only reads',
    },
  ),
  golden(
    'invalid-cancel',
    'unknown',
    'the notification for a task, and the write follows: nobody was told',
    running('export', watched).at(310).stopAct(3, { means: 'notify' }, true).cancelled(3).seen('disk', 700, 710),
    {
      lanes: ['invalid-cancel', 'warn', 'proved', 'sent', 'none', 'after'],
      says: 'tells nobody to stop',
    },
  ),
  golden(
    'unknown-write',
    'yes',
    'refused, and nobody watched',
    running().at(310).cancelTask(3, 'T').at(312).refused(-32602, 'Task not found'),
    {
      lanes: ['unknown-write', 'warn', 'unknown', 'task-cancel', 'none', 'not-probed'],
      says: 'the task had ended already, or the server does not know it',
    },
  ),
  golden(
    'unknown-write',
    'no',
    'a tool that only reads',
    running('search').at(310).cancelTask(3, 'T').at(312).refused(-32602, 'Task not found'),
    {
      lanes: ['unknown-read', 'info', 'unknown', 'task-cancel', 'none', 'none-expected'],
      says: 'The tool says it only reads',
    },
  ),
  golden(
    'unknown-write',
    'unknown',
    'failed after the cancel: what it had written by then is not known',
    stopped().at(900).poll('T', 'failed'),
    {
      lanes: ['unknown-write', 'warn', 'unknown', 'task-cancel', 'late-error', 'not-probed'],
      says: 'The task says “failed” 591 ms after your cancel.',
      findings: ['task-completed-after-cancel'],
    },
  ),
  golden('task-completed-after-cancel', 'yes', 'cancelled, and then completed', stopped('search').at(900).poll('T', 'completed'), {
    lanes: ['late-result', 'note', 'proved', 'task-cancel', 'late-result', 'none-expected'],
    says: 'The task says “completed”',
    findings: ['task-completed-after-cancel'],
  }),
  golden(
    'task-completed-after-cancel',
    'no',
    'the extension: only acknowledged, and then completed',
    stoppedExtension('search').at(600).poll('T', 'working').at(900).poll('T', 'completed'),
    {
      lanes: ['late-result', 'note', 'proved', 'task-cancel', 'late-result', 'none-expected'],
      says: 'a task may go on, and complete',
    },
  ),
  golden(
    'task-completed-after-cancel',
    'unknown',
    'a poll that had been asked before the cancel says completed after it: it may be late',
    running('search')
      .at(305)
      .ask('T')
      .at(310)
      .act({ act: 'stop', id: 3, how: { means: 'cancel' }, wrote: true, late: false })
      .c2s({ id: 'C', method: 'tasks/cancel', params: { taskId: 'T' } })
      .at(312)
      .s2c({ id: 'C', result: { taskId: 'T', status: 'cancelled' } })
      .at(320)
      .says('T', 'completed'),
    {
      lanes: ['crossed', 'info', 'unknown', 'task-cancel', 'crossed', 'none-expected'],
      says: 'crossed',
    },
  ),
];
