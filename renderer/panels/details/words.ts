// The lanes' states in plain words. The names themselves are public and stay beside the words where somebody may look
// for them; nothing here says more than the state does.
import { type Ns, toMs, words } from '../../../app/base/time';
import type { Call } from '../../../app/trace/calls';
import { statusOf } from '../../../app/trace/exchanges';
import { isTerminal } from '../../../app/trace/tasks';
import { cancelPost } from '../../../app/verdict/overHttp';
import type {
  Certainty,
  EffectLane,
  EffectState,
  Headline,
  ReplyLane,
  ReplyState,
  StopLane,
  StopState,
} from '../../../app/verdict/verdict';
import { statusWords } from '../../taskWords';

const STOP_WORDS: Readonly<Record<StopState, string>> = {
  sent: 'sent',
  'stream-closed': 'stream closed: that is the cancel here',
  'task-cancel': 'tasks/cancel sent',
  'not-sent': 'the server was not told',
  misaddressed: 'named another id',
  undelivered: 'not delivered',
  killed: 'the server was killed',
  'too-late': 'too late: nothing was sent',
  none: 'nobody asked',
};

const REPLY_WORDS: Readonly<Record<ReplyState, string>> = {
  waiting: 'waiting',
  'in-time': 'in time',
  none: 'none so far (allowed)',
  crossed: 'crossed the cancel',
  acknowledged: 'an answer that says “cancelled”',
  'late-error': 'an error, late',
  'late-result': 'a result, late',
  lost: 'lost: no answer can come',
};

const EFFECT_WORDS: Readonly<Record<EffectState, string>> = {
  after: 'after the stop',
  straddles: 'before or after: order unknown',
  before: 'before the stop',
  observed: 'observed',
  'watch-gap': 'nothing seen, with gaps in the watch',
  'not-seen': 'nothing seen so far',
  claimed: 'claimed by a late result, not probed',
  'none-expected': 'none expected (declared read-only)',
  'not-probed': 'not probed',
};

export const CERTAINTY_WORDS: Readonly<Record<Certainty, string>> = {
  proved: 'proved',
  inferred: 'inferred',
  unknown: 'unknown',
};

/** What left the client; over HTTP with the status of the cancel's POST. */
export function stopText(call: Call, stop: StopLane): string {
  const post = cancelPost(call);
  const status = post && statusOf(post);
  return status === undefined ? STOP_WORDS[stop.state] : `${STOP_WORDS[stop.state]} · ${status}`;
}

const TASK_REPLIES: Readonly<Partial<Record<ReplyState, string>>> = {
  'in-time': 'in time',
  crossed: 'crossed the cancel',
  'late-result': 'late',
  'late-error': 'late',
};

/** What came back; of a task in which state it was then. */
export function replyText({ task }: Call, { state, at }: ReplyLane): string {
  const outcome = task?.states.find(({ t, status }) => t === at && isTerminal(status));
  if (outcome) return [`task ${statusWords(outcome.status)}`, TASK_REPLIES[state]].filter((part) => part !== undefined).join(', ');
  const last = task?.states.at(-1);
  return last && state === 'waiting' ? `waiting: task ${statusWords(last.status)}` : REPLY_WORDS[state];
}

/** A headline as a person reads it in a table: its public name without the dashes. */
export const headlineText = (verdict: Headline): string => verdict.replaceAll('-', ' ');

/** A moment on the trace's clock: `420.4 ms`, then seconds. */
export const at = (t: Ns): string => (t < 10e9 ? `${toMs(t).toFixed(1)} ms` : `${(toMs(t) / 1000).toFixed(3)} s`);

const signed = (t: number): string => `${t < 0 ? '−' : '+'}${words(Math.abs(t) as Ns)}`;

/** The effect lane in words. That nothing was seen is never said without the places that were watched. */
export function effectText({ state, probes }: Pick<EffectLane, 'state' | 'probes'>): string {
  return state === 'not-seen' ? `nothing seen so far in ${probes.join(', ')}` : EFFECT_WORDS[state];
}

/** When the stop left. */
export const stopTime = (lane: StopLane): string | undefined => (lane.at === undefined ? undefined : `at ${at(lane.at)}`);

/** When the reply came: how long after the stop, where there was one. */
export function replyTime(lane: ReplyLane): string | undefined {
  if (lane.at === undefined) return undefined;
  return lane.lateBy === undefined ? `at ${at(lane.at)}` : signed(lane.lateBy);
}

/** The interval of the worst observation, counted from the stop where there was one. */
export function effectTime(lane: EffectLane, stop: StopLane): string | undefined {
  const { worst } = lane;
  if (!worst) return undefined;
  if (stop.at === undefined) return `at ${at(worst.hi)}`;
  const from = toMs((worst.lo - stop.at) as Ns);
  const to = toMs((worst.hi - stop.at) as Ns);
  const digits = Math.abs(to - from) < 2 ? 1 : 0;
  const text = (ms: number): string => `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(digits)}`;
  return `${text(from)}…${text(to)} ms`;
}
