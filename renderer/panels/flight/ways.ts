// The ways in which a call can be stopped, by the wire that it went over, by the revision that its session speaks, and by
// whether it runs as a task: what Stop does there, what other clients do instead, and what is wrong on purpose. A label says what will happen, never more.
import type { Call, Session } from '../../../app/trace/calls';
import { closesToCancel } from '../../../app/verdict/overHttp';
import type { Means, TransportName } from '../../../app/wire/frame';

export interface Way {
  readonly how: Means;
  readonly title: string;
  /** What will happen, and what it is worth. */
  readonly hint: string;
}

/** What Stop does: also in a word or two, where there is no room for more. */
export interface StopWay extends Way {
  readonly briefly: string;
}

export interface Ways {
  readonly stop: StopWay;
  /** What other clients do. */
  readonly others: readonly Way[];
  /** Breaches of the revision, to see what the server makes of them. */
  readonly misuse: readonly Way[];
  /** Why no reason can go along with Stop; undefined where one does. */
  readonly keepsReason?: string;
}

const CANCEL: StopWay = {
  how: { means: 'cancel' },
  title: 'Send cancel',
  hint: 'notifications/cancelled for this request, as the specification says',
  briefly: 'send cancel',
};
const POST_CANCEL: StopWay = {
  ...CANCEL,
  title: 'Send cancel (POST)',
  hint: 'notifications/cancelled by a POST of its own; its status says that something received it',
};
const CLOSE: StopWay = {
  how: { means: 'cancel' },
  title: 'Close stream (this is the cancel here)',
  hint: 'In this revision closing the response stream is the cancel; no message is sent, and nothing can be heard afterwards',
  briefly: 'close stream',
};

const GIVE_UP: Way = {
  how: { means: 'abandon' },
  title: 'Give up silently',
  hint: 'Stop waiting and tell the server nothing, as some clients do',
};
const TIME_OUT: Way = {
  how: { means: 'timeout', silent: false },
  title: 'Time out, with a cancel',
  hint: 'As a client whose patience ended: sends a cancel with the SDK’s reason',
};
const TIME_OUT_SILENTLY: Way = {
  how: { means: 'timeout', silent: true },
  title: 'Time out, silently',
  hint: 'As a client whose patience ended and that tells nobody',
};
const DROP = { how: { means: 'drop' }, title: 'Drop the connection' } as const;
const KILL: Way = {
  how: { means: 'kill' },
  title: 'Kill the server',
  hint: 'Ends its whole process tree; every other call in flight is lost too',
};
const GIVING_UP: readonly Way[] = [GIVE_UP, TIME_OUT, TIME_OUT_SILENTLY];

/** By wire, where a cancel is a message. Over HTTP there is no process of ours to kill. */
const BY_MESSAGE: Readonly<Record<TransportName, Ways>> = {
  stdio: {
    stop: CANCEL,
    others: [...GIVING_UP, { ...DROP, hint: 'Closes the pipe without a cancel; every other call in flight is lost too' }, KILL],
    misuse: [],
  },
  http: {
    stop: POST_CANCEL,
    others: [...GIVING_UP, { ...DROP, hint: 'Closes this call’s response. A disconnect is not a cancel here: most servers go on' }],
    misuse: [],
  },
  sse: {
    stop: POST_CANCEL,
    others: [
      ...GIVING_UP,
      { ...DROP, hint: 'Closes the session’s one stream, with every other call that is on it. A disconnect is not a cancel here' },
    ],
    misuse: [],
  },
};

/** Where closing the stream is the cancel, dropping the connection is no other way: it is the same. */
const BY_CLOSING: Ways = {
  stop: CLOSE,
  others: [
    { ...GIVE_UP, hint: 'Stop waiting, leave the stream open and tell the server nothing' },
    {
      ...TIME_OUT,
      title: 'Time out, and close the stream',
      hint: 'As a client whose patience ended: closes the stream, which is the cancel here',
    },
    { ...TIME_OUT_SILENTLY, hint: 'As a client whose patience ended and that leaves the stream open' },
  ],
  misuse: [
    {
      how: { means: 'notify' },
      title: 'Send the notification anyway (wrong means here)',
      hint: 'notifications/cancelled over HTTP tells nobody to stop in this revision; the stream stays open. It is flagged wrong-means',
    },
  ],
  keepsReason: 'Closing the stream carries no message, so the server never sees it: it is kept in the recording only.',
};

const TASK_CANCEL: StopWay = {
  how: { means: 'cancel' },
  title: 'Send tasks/cancel',
  hint: 'A request that asks the task to stop. Its answer only acknowledges it',
  briefly: 'send tasks/cancel',
};
const AS_A_TASK: readonly Way[] = [
  {
    how: { means: 'stop-polling' },
    title: 'Stop polling (tells nobody)',
    hint: 'Asks no more for the task’s state. The task goes on, an orphan that nobody here looks after',
  },
  { ...TIME_OUT, title: 'Time out, with tasks/cancel', hint: 'As a client whose patience ended and that cancels the task' },
];
/** What is true of a task over every wire. The request that made it has its answer: no connection of its own is left to be dropped. */
const OF_TASK: Ways = {
  stop: TASK_CANCEL,
  others: AS_A_TASK,
  misuse: [
    {
      how: { means: 'notify' },
      title: 'Send the notification anyway (wrong means here)',
      hint: 'notifications/cancelled for the request that made the task tells the task nothing: only tasks/cancel does. It is flagged wrong-means',
    },
  ],
  keepsReason: 'tasks/cancel carries no reason, so the server never sees it: it is kept in the recording only.',
};

/** Whether a call is a task, or is asked to be one and has not been answered yet. */
const isTask = ({ task, arrangement }: Call): boolean => task !== undefined || arrangement?.task !== undefined;

/** @param session the call's; undefined before anything of it is known: then as over a pipe */
export function waysOf(session: Session | undefined, call: Call): Ways {
  if (isTask(call)) return session?.transport === 'stdio' ? { ...OF_TASK, others: [...AS_A_TASK, KILL] } : OF_TASK;
  return session && closesToCancel(session) ? BY_CLOSING : BY_MESSAGE[session?.transport ?? 'stdio'];
}
