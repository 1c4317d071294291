// What a rule sees of a call: the three lanes and the few facts beside them, already read off the frames. No transport,
// no clock: how far time has come is one of the facts.
import type { Ns } from '../base/time';
import type { Call, Reply, Session } from '../trace/calls';
import type { TaskCancel } from './overTasks';
import type { Because, Certainty, EffectLane, Fence, Headline, ReplyLane, Severity, StopLane } from './verdict';

/** What counts as work going on after the stop (docs/verdicts.md, section 4). */
export interface AfterStop {
  readonly progress: number;
  readonly logs: number;
  readonly requests: number;
  readonly work: number;
  /** `proved` when progress named the call; `inferred` when only logs or requests came while no other call was open. */
  readonly certainty: Certainty;
  readonly because: readonly Because[];
}

/** A probe's reading that saw nothing, and what it says. */
export interface AllClear extends Because {
  readonly probe: string;
}

export interface Normally {
  readonly takes: Ns;
  readonly seq: number;
}

export interface View {
  readonly call: Call;
  readonly session: Session;
  readonly stop: StopLane;
  readonly reply: ReplyLane;
  readonly first: Reply | undefined;
  readonly effect: EffectLane;
  readonly fence: Fence;
  /** The `tasks/cancel` that was sent for its task. */
  readonly taskCancel: TaskCancel | undefined;
  readonly after: AfterStop;
  readonly mayWrite: boolean;
  readonly idempotent: boolean;
  readonly settled: boolean;
  readonly normally: Normally | undefined;
  /** Until when the call has to be watched before silence means anything; undefined when its duration is not known. */
  readonly outlastAt: Ns | undefined;
  /** Every probe has read the place after `outlastAt`, saw nothing, and missed nothing: those readings. */
  readonly outlasted: readonly AllClear[] | undefined;
  /** What the server holds open for the call, and has not let go of (a transaction, a lock). */
  readonly held: readonly Because[];
  /** That faults of ours were on, and what they did to the call. */
  readonly faults: readonly Because[];
  /** A fault of ours let the cancel overtake the call. */
  readonly overtaken: boolean;
  /** For a retry: the effect lane of the stopped call that it repeats. */
  readonly retried: { readonly call: Call; readonly effect: EffectLane; readonly stopped: boolean } | undefined;
}

/** What a rule answers when it applies. */
export interface Ruling {
  readonly severity: Severity;
  readonly certainty: Certainty;
  readonly because: readonly Because[];
}

/** One headline: when it applies, how bad it is at worst, and what it means for a person who reads it the first time. */
export interface Rule {
  readonly id: Headline;
  readonly title: string;
  /** The worst it can be. */
  readonly severity: Severity;
  readonly judge: (view: View) => Ruling | undefined;
}

/** The stop was a cancel of another kind than this call needs: what the server does then says nothing against it. */
export const wrongMeans = (view: View): boolean => view.stop.flags.includes('wrong-means') && view.stop.state === 'sent';

/** A stop that told the server: the names that end in `-cancel` need one. */
export const told = (view: View): boolean =>
  (view.stop.state === 'sent' && !wrongMeans(view)) || view.stop.state === 'stream-closed' || view.stop.state === 'task-cancel';

/** The person stopped the call, whatever the server was told, and no reply had come before. */
export const stopped = (view: View): boolean => view.stop.at !== undefined && view.reply.state !== 'in-time';

/** No reply to the call since its stop. That a task is cancelled is the word that `tasks/cancel` is owed, and says no more than silence. */
export const unanswered = ({ stop, reply }: View): boolean =>
  reply.state === 'none' || (stop.state === 'task-cancel' && reply.state === 'acknowledged');

/**
 * No reply, no sign of work since, and nothing seen, not even something that was taken back: only of such a call is it said
 * that it was quiet, or that it stopped.
 */
export const silent = (view: View): boolean =>
  stopped(view) &&
  told(view) &&
  unanswered(view) &&
  view.after.because.length === 0 &&
  view.effect.state === 'not-seen' &&
  view.effect.observations.length === 0;

/** Silent for longer than the call would still have needed, with nothing held open, and not after a refusal to stop. */
export const outlasted = (view: View): readonly AllClear[] | undefined =>
  silent(view) && view.settled && view.held.length === 0 && view.taskCancel?.refused === undefined ? view.outlasted : undefined;

/** A success: a result that does not say `isError`. */
export const succeeded = (reply: Reply | undefined): boolean => reply?.shape === 'result' && !reply.isError && !reply.asksInput;
