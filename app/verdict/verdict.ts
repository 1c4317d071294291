// The words in which Stopgap says what happened. Three lanes, each with its certainty and its evidence; one headline
// derived from all three. The names are public: they appear in reports, scenario files and tests.
import type { Ns } from '../base/time';
import type { Means, Seq } from '../wire/frame';

export const CERTAINTIES = ['proved', 'inferred', 'unknown'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

export const SEVERITIES = ['ok', 'info', 'note', 'warn', 'breach'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Headlines, worst first: the first that applies is the call's verdict. */
export const HEADLINES = [
  'double-write',
  'write-after-cancel',
  'never-told',
  'outlived-kill',
  'write-before-cancel',
  'write-order-unknown',
  'late-result-write',
  'still-working',
  'invalid-cancel',
  'lost',
  'unknown-write',
  'late-result',
  'late-error',
  'rolled-back',
  'acknowledged',
  'crossed',
  'unknown-read',
  'quiet',
  'stopped',
  'finished-first',
  'settling',
  'waiting',
  'completed',
  'failed',
] as const;
export type Headline = (typeof HEADLINES)[number];

export const STOPS = [
  'sent',
  'stream-closed',
  'task-cancel',
  'not-sent',
  'misaddressed',
  'undelivered',
  'killed',
  'too-late',
  'none',
] as const;
export type StopState = (typeof STOPS)[number];
export const FLAGS = ['stale', 'forbidden', 'wrong-means', 'twice'] as const;
export type StopFlag = (typeof FLAGS)[number];
export const REPLIES = ['waiting', 'in-time', 'none', 'crossed', 'acknowledged', 'late-error', 'late-result', 'lost'] as const;
export type ReplyState = (typeof REPLIES)[number];
export const EFFECTS = [
  'after',
  'straddles',
  'before',
  'observed',
  'watch-gap',
  'not-seen',
  'claimed',
  'none-expected',
  'not-probed',
] as const;
export type EffectState = (typeof EFFECTS)[number];

/** A piece of evidence: a frame, and what it says. */
export interface Because {
  readonly seq: Seq;
  readonly says: string;
}

interface Lane<S> {
  readonly state: S;
  readonly certainty: Certainty;
  readonly because: readonly Because[];
}

export interface StopLane extends Lane<StopState> {
  readonly flags: readonly StopFlag[];
  readonly how: Means | undefined;
  readonly reason: string | undefined;
  /** c: the moment of the stop; undefined when nobody stopped the call or Stop came too late. */
  readonly at: Ns | undefined;
}

export interface ReplyLane extends Lane<ReplyState> {
  readonly at: Ns | undefined;
  /** How long after c. */
  readonly lateBy: Ns | undefined;
  readonly code: number | undefined;
  readonly duplicate: boolean;
}

/** An observation that belongs to the call, and how it lies to c. */
export interface Attributed {
  readonly seq: Seq;
  readonly probe: string;
  readonly lo: Ns;
  readonly hi: Ns;
  readonly says: string;
  readonly state: Extract<EffectState, 'after' | 'straddles' | 'before' | 'observed'>;
  readonly reverted: boolean;
  /** The probe knows the effect to be complete. */
  readonly done: boolean;
  /** `inferred` when several calls were open on the probe, or its place is shared. */
  readonly certainty: Exclude<Certainty, 'unknown'>;
}

export interface EffectLane extends Lane<EffectState> {
  readonly observations: readonly Attributed[];
  /** The observation that set the lane. */
  readonly worst: Attributed | undefined;
  /** For `after`: whether the fence's pong came before `lo`. */
  readonly readFirst: 'yes' | 'unknown';
  /** The probes that watched. */
  readonly probes: readonly string[];
}

/** What shows that the cancel was read: the ping that went out right behind it; of a task the reply to `tasks/cancel` itself. */
export interface Fence {
  readonly state: 'off' | 'unanswered' | 'answered';
  /** When the pong came. */
  readonly at: Ns | undefined;
  readonly seq: Seq | undefined;
  /** How long an idle server takes to answer. */
  readonly idle: Ns | undefined;
  /** Differences up to this long are a tie: max(10 ms, 3 × idle). */
  readonly tie: Ns;
  /** The server read nothing for a while: the pong came far later than an idle one, and the reply before it. */
  readonly blocked: boolean;
  /** Over HTTP: when the status of the cancel's POST came; FOREVER until then. Undefined over another wire, and where no cancel was taken. */
  readonly taken: Ns | undefined;
}

export interface Verdict {
  /** Index of the call. */
  readonly call: number;
  readonly verdict: Headline;
  readonly severity: Severity;
  readonly certainty: Certainty;
  readonly sentence: string;
  readonly because: readonly Because[];
  /** What else applies, worst first. */
  readonly also: readonly Headline[];
  readonly stop: StopLane;
  readonly reply: ReplyLane;
  readonly effect: EffectLane;
  readonly fence: Fence;
  /** The settle window is over. Later facts still count. */
  readonly settled: boolean;
  /** What counts as work going on after c (section 4). */
  readonly afterStop: {
    readonly progress: number;
    readonly logs: number;
    readonly requests: number;
    /** Spans that started, processes that lived on. */
    readonly work: number;
  };
  /** What the server holds open for the call, and has not let go of. */
  readonly held: readonly Because[];
  /** That faults of ours were on, and what they did to its messages; empty where none was. */
  readonly faults: readonly Because[];
  /** What a client built on the SDK would have been told. */
  readonly callerSaw: string;
  /** What a retry would risk, for a stopped call. */
  readonly ifRetried: string | undefined;
  /** `normally`: how long the call takes when nobody stops it, where known, and which frame says so. */
  readonly normally: { readonly takes: Ns; readonly seq: Seq } | undefined;
  readonly history: readonly { readonly at: Ns; readonly verdict: Headline }[];
}

export const FINDINGS = [
  'annotation-contradicted',
  'cancel-ignored-by-revision',
  'server-blocked',
  'stream-never-ended',
  'process-outlived-close',
  'held-open',
  'task-completed-after-cancel',
  'noise-on-stdout',
  'duplicate-reply',
  'reply-to-unknown-id',
  'reply-without-id',
  'progress-after-completion',
  'cancel-overtook-call',
  'probe-gap',
] as const;
export type FindingName = (typeof FINDINGS)[number];

/** Something worth knowing that is not about one call's outcome. */
export interface Finding {
  readonly finding: FindingName;
  readonly severity: Severity;
  readonly seq: Seq;
  readonly call: number | undefined;
  readonly sentence: string;
  /** How many frames say the same. */
  readonly count: number;
  /** For what lasts: since when, and until when; `until` undefined while it does. */
  readonly lasts?: { readonly since: Ns; readonly until: Ns | undefined };
}
