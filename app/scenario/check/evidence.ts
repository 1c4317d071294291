// What a report card is judged from: which call of the trace was which run, and what was said to the server as a whole. Indices
// and frame numbers only; what they mean is read off the folds when the card is written, so that what arrives late still counts.
import { type Ns, plus, ZERO } from '../../base/time';
import type { World } from '../../evidence/world';
import type { Call, Calls, Session } from '../../trace/calls';
import type { Trace } from '../../trace/trace';
import type { Attributed, Because, Finding, Verdict } from '../../verdict/verdict';
import type { Seq, SessionNumber } from '../../wire/frame';
import type { CheckedTool, Exercise, RunKind, Where } from './plan';

/** A run: indices of its calls. */
export interface RunRecord {
  readonly call: number;
  /** The repeat of a run that is called again. */
  readonly again?: number | undefined;
  /** Over HTTP: a ping that was sent while the call was at work. */
  readonly ping?: string | undefined;
}

export interface ToolRecord {
  readonly tool: CheckedTool;
  /** Why it was not called at all. */
  readonly refusal: string | undefined;
  readonly runs: Readonly<Partial<Record<RunKind, RunRecord>>>;
  /** Why a run was not made. */
  readonly left: Readonly<Partial<Record<RunKind, string>>>;
}

export type ExerciseRecord = { readonly exercise: Exercise } & (
  | { readonly tried: false; readonly why: string }
  | {
      readonly tried: true;
      readonly session: SessionNumber;
      /** Frames from here up to there are what it brought about. */
      readonly from: Seq;
      readonly to: Seq;
      /** Typed key of the ping behind it. */
      readonly ping: string;
      /** Typed keys of the requests in it whose answers matter, in order. */
      readonly requests: readonly string[];
    }
);

/** Everything that was done for a card. */
export interface CheckRecord {
  readonly where: Where;
  readonly tools: readonly ToolRecord[];
  readonly exercises: readonly ExerciseRecord[];
}

/** The folds that it is judged from. */
export interface Court {
  readonly trace: Trace;
  readonly calls: Calls;
  readonly world: World;
  readonly findings: readonly Finding[];
  verdict(call: number): Verdict | undefined;
}

export interface Seen {
  readonly call: Call;
  readonly verdict: Verdict;
  readonly session: Session;
}

export interface Run extends Seen {
  readonly kind: RunKind;
  readonly again: Seen | undefined;
  readonly ping: Call | undefined;
}

/** What is known of one tool. */
export interface ToolEvidence {
  readonly where: Where;
  readonly tool: CheckedTool;
  readonly refusal: string | undefined;
  readonly court: Court;
  /** Its runs, in the order in which they were made. */
  readonly runs: readonly Run[];
  run(kind: RunKind): Run | undefined;
  /** Why there is no such run. */
  whyNot(kind: RunKind): string;
}

export function evidenceOf(record: ToolRecord, where: Where, court: Court): ToolEvidence {
  const runs = (Object.entries(record.runs) as [RunKind, RunRecord][]).flatMap(([kind, run]) => runOf(kind, run, court) ?? []);
  const run = (kind: RunKind): Run | undefined => runs.find((one) => one.kind === kind);
  return {
    where,
    tool: record.tool,
    refusal: record.refusal,
    court,
    runs,
    // A tool that nothing watches is stopped at work once, and called again in the same run.
    run: (kind) => run(kind) ?? (kind === 'at-work' ? run('repeat') : undefined),
    whyNot: (kind) => record.refusal ?? record.left[kind] ?? record.left[kind === 'at-work' ? 'repeat' : kind] ?? 'It was not come to.',
  };
}

function runOf(kind: RunKind, { call, again, ping }: RunRecord, court: Court): Run | undefined {
  const seen = seenOf(call, court);
  if (!seen) return undefined;
  return {
    ...seen,
    kind,
    again: again === undefined ? undefined : seenOf(again, court),
    ping: ping === undefined ? undefined : court.calls.find(seen.call.session, 'client', ping),
  };
}

function seenOf(index: number, court: Court): Seen | undefined {
  const call = court.calls.all[index];
  const verdict = court.verdict(index);
  const session = call && court.calls.sessions.get(call.session);
  return call && verdict && session ? { call, verdict, session } : undefined;
}

/** The runs that were stopped, with a cancel that the server was sent in time. */
export const cancelled = ({ runs }: ToolEvidence): readonly Run[] =>
  runs.filter((run) => (run.kind === 'at-work' || run.kind === 'at-once' || run.kind === 'repeat') && wasTold(run));

/** The cancel left, and no answer had come by then. */
export const wasTold = ({ verdict: { stop, reply } }: Seen): boolean =>
  (stop.state === 'sent' || stop.state === 'stream-closed') && reply.state !== 'in-time';

/** What was seen and not taken back. */
export const standing = ({ verdict }: Seen): readonly Attributed[] => verdict.effect.observations.filter((one) => !one.reverted);

/** Whether a probe has seen the tool write when nobody stopped it: only then does it mean anything that it sees nothing. */
export const provedProbes = ({ runs }: ToolEvidence): boolean =>
  runs.some((run) => [run, run.again].some((seen) => seen?.verdict.stop.state === 'none' && seen.verdict.effect.observations.length > 0));

/** Whether somebody watches what it writes. */
export const watched = ({ runs }: ToolEvidence): boolean => runs.some((run) => run.verdict.effect.probes.length > 0);

/** Processes that began during a call, and until when each was last seen to live. */
export interface LivingProcess {
  readonly subject: string;
  readonly first: Because & { readonly t: Ns };
  readonly last: Because & { readonly t: Ns };
}

/** The processes that a stopped call started, and nobody else can have: those that appeared in its window, before it was repeated. */
export function processesOf({ call, verdict, session, again }: Run, court: Court): readonly LivingProcess[] {
  const from = call.arrangement?.t ?? call.sent.t;
  const window = plus(verdict.stop.at ?? call.sent.t, call.arrangement?.settle ?? ZERO);
  const until = again ? (Math.min(window, again.call.sent.t) as Ns) : window;
  const found = new Map<string, LivingProcess>();
  for (const probe of call.arrangement?.probes ?? []) {
    for (const { sign, subject, lo, seq, says } of court.world.of(session.number, probe)?.work ?? []) {
      if (sign !== 'process' || lo < from || lo > until) continue;
      const sight = { seq, says, t: lo };
      found.set(subject, { subject, first: found.get(subject)?.first ?? sight, last: sight });
    }
  }
  return [...found.values()];
}

/** Whether a run's processes were watched at all. */
export const processesWatched = ({ call, session }: Seen, court: Court): boolean =>
  (call.arrangement?.probes ?? []).some((probe) => court.world.of(session.number, probe)?.kind === 'process');
