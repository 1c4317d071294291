// The report of a trace: what the JSON report says, and what every other report is made of. A pure function of frames and
// verdicts; it adds nothing and leaves out only what the vocabulary's other words already carry.
import { minus, type Ns, toMs } from '../base/time';
import type { Watch } from '../evidence/world';
import { meansWord } from '../scenario/means';
import type { Call } from '../trace/calls';
import type { Trace } from '../trace/trace';
import type { Judge } from '../verdict/judge';
import type { Because, EffectLane, ReplyLane, StopLane, Verdict } from '../verdict/verdict';
import type { SessionNumber } from '../wire/frame';
import { idOf, idText } from '../wire/jsonrpc';
import { reportedHttp } from './http';
import { REPORT_FORMAT, REPORT_VERSION, type Report, type ReportedCall, type ReportedExpectation } from './schema';
import { reportedOrphans, reportedTask } from './tasks';

/** A trace with its verdicts, and what its calls are called. */
export interface Judged {
  readonly trace: Trace;
  readonly court: Pick<Judge, 'calls' | 'world' | 'verdict' | 'findings'>;
  /** Names given to calls, by index; the others are named by their tool and id. */
  readonly names: ReadonlyMap<number, string>;
  /** How far time has come: probes that have not ended have watched until then. */
  readonly now: Ns;
  /** The sessions that it is about, where a recording holds others as well; all of them when absent. */
  readonly sessions?: ReadonlySet<SessionNumber>;
}

/** The report of everything so far. @param expectations what became of the scenario's, where there is one */
export function reportOf(judged: Judged, expectations: readonly ReportedExpectation[] = []): Report {
  const { court, now } = judged;
  return {
    format: REPORT_FORMAT,
    version: REPORT_VERSION,
    server: serverOf(judged),
    calls: reportedCalls(judged).map(({ call, verdict }) => reportedCall(judged, call, verdict)),
    probes: court.world.watches.filter(({ session }) => isAbout(judged, session)).map((watch) => reportedProbe(watch, now)),
    findings: court.findings
      .filter(({ seq }) => isAbout(judged, judged.trace.session(seq)))
      .map(({ finding, severity, seq, sentence, lasts }) => ({
        finding,
        severity,
        seq,
        sentence,
        lastsMs: lasts ? ms(minus(lasts.until ?? now, lasts.since)) : null,
      })),
    orphanTasks: reportedOrphans(court.calls, (session) => isAbout(judged, session)),
    expectations: [...expectations],
  };
}

/** The calls that somebody asked for, and any other request that somebody tried to stop, in order. */
export function reportedCalls(judged: Judged): readonly { readonly call: Call; readonly verdict: Verdict }[] {
  const { court } = judged;
  return court.calls.all.flatMap((call) => {
    if (!isAbout(judged, call.session)) return [];
    const verdict = court.verdict(call.index);
    const asked = call.purpose === 'call' && call.sender === 'client';
    return asked && verdict && (call.method === 'tools/call' || verdict.stop.state !== 'none') ? [{ call, verdict }] : [];
  });
}

const isAbout = ({ sessions }: Judged, session: SessionNumber): boolean => sessions?.has(session) ?? true;

/** What a call is called in a report. */
export const nameOf = ({ names }: Judged, call: Call): string => names.get(call.index) ?? `${call.tool ?? call.method}${idText(call.key)}`;

/** The call that another one repeats. */
export function retriedBy({ court }: Judged, call: Call): Call | undefined {
  const id = call.arrangement?.retryOf;
  if (id === undefined) return undefined;
  return court.calls.all.findLast(
    (other) => other.index < call.index && other.session === call.session && other.sender === 'client' && idOf(other.key) === id,
  );
}

function serverOf(judged: Judged): Report['server'] {
  const sessions = [...judged.court.calls.sessions.values()].filter(({ number }) => isAbout(judged, number));
  const opened = sessions.findLast((session) => session.opened)?.opened?.life;
  return opened ? { ...opened.server, protocol: opened.protocol, transport: opened.transport } : null;
}

function reportedCall(judged: Judged, call: Call, verdict: Verdict): ReportedCall {
  const { progress, logs, requests } = verdict.afterStop;
  const retried = retriedBy(judged, call);
  return {
    name: nameOf(judged, call),
    id: idOf(call.key),
    method: call.method,
    tool: call.tool ?? null,
    sentAtMs: ms(call.sent.t),
    stop: stopped(verdict.stop),
    reply: replied(verdict.reply),
    effect: effected(verdict.effect, verdict.stop.at),
    verdict: verdict.verdict,
    severity: verdict.severity,
    certainty: verdict.certainty,
    settled: verdict.settled,
    sentence: verdict.sentence,
    because: evidence(verdict.because),
    faults: verdict.faults.map(({ seq, says }) => ({ atMs: ms(judged.trace.t(seq)), seq, says })),
    callerSaw: verdict.callerSaw,
    retryOf: retried ? nameOf(judged, retried) : null,
    history: verdict.history.map(({ at, verdict: headline }) => ({ atMs: ms(at), verdict: headline })),
    afterStop: { progress, logs, requests },
    http: reportedHttp(judged, call),
    task: reportedTask(call),
  };
}

const evidence = (because: readonly Because[]): ReportedCall['because'] => because.map(({ seq, says }) => ({ seq, says }));

const stopped = ({ state, certainty, how, at, reason, flags, because }: StopLane): ReportedCall['stop'] => ({
  state,
  certainty,
  how: how ? meansWord(how) : null,
  atMs: optional(at),
  reason: reason ?? null,
  flags: [...flags],
  because: evidence(because),
});

const replied = ({ state, certainty, duplicate, at, lateBy, code, because }: ReplyLane): ReportedCall['reply'] => ({
  state,
  certainty,
  duplicate,
  atMs: optional(at),
  lateByMs: optional(lateBy),
  code: code ?? null,
  because: evidence(because),
});

function effected(lane: EffectLane, stop: Ns | undefined): ReportedCall['effect'] {
  const { state, certainty, worst, readFirst, observations, probes, because } = lane;
  return {
    state,
    certainty,
    probe: worst?.probe ?? null,
    fromMs: optional(worst?.lo),
    toMs: optional(worst?.hi),
    afterByMs: worst?.state === 'after' && stop !== undefined ? ms(minus(worst.lo, stop)) : null,
    readFirst,
    watchedBy: [...probes],
    observations: observations.map((o) => ({
      probe: o.probe,
      fromMs: ms(o.lo),
      toMs: ms(o.hi),
      state: o.state,
      reverted: o.reverted,
      says: o.says,
      seq: o.seq,
    })),
    because: evidence(because),
  };
}

const reportedProbe = (watch: Watch, now: Ns): Report['probes'][number] => ({
  name: watch.probe,
  kind: watch.kind,
  watchedFromMs: ms(watch.began.t),
  watchedToMs: ms(watch.ended?.t ?? now),
  gaps: watch.gaps.map(({ lo, hi, why }) => ({ fromMs: ms(lo), toMs: ms(hi), why })),
});

/** Milliseconds to the microsecond: more digits would claim more than the clock knows. */
const ms = (t: Ns): number => Math.round(toMs(t) * 1000) / 1000;
const optional = (t: Ns | undefined): number | null => (t === undefined ? null : ms(t));
