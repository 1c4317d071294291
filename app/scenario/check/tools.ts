// What is asked of every tool of a server. One entry for each line of the card: what it asks, whose rule that is, when it can be
// asked at all, and how it is judged from the runs. What is not known is `unknown`; a rule of nobody's is said to be advice.
import { asNs, fromMs, minus, type Ns, plus, words } from '../../base/time';
import type { Call } from '../../trace/calls';
import type { Because, Finding } from '../../verdict/verdict';
import { closingCancels, eraOf } from '../../wire/era';
import { outcomeOf } from '../sweep';
import { type Answer, BEHAVIOUR, type Check, fail, notTried, pass, TIMING, unknown } from './answer';
import {
  cancelled,
  processesOf,
  processesWatched,
  provedProbes,
  type Run,
  type Seen,
  standing,
  type ToolEvidence,
  wasTold,
  watched,
} from './evidence';
import { mayWrite, otherMeans } from './plan';

export interface ToolCheck extends Check {
  /** Whether there is such a line for a tool at all. */
  readonly applies: (evidence: ToolEvidence) => boolean;
  readonly judge: (evidence: ToolEvidence) => Answer;
}

const always = (): boolean => true;
const overHttp = ({ where }: ToolEvidence): boolean => where.transport !== 'stdio';
const stopBecause = ({ verdict }: Seen): readonly Because[] => verdict.stop.because;
const since = (t: Ns, run: Run): string => words(minus(t, run.verdict.stop.at ?? run.call.sent.t));

/** Something is judged from the runs that were stopped; where there are none, why not. */
const ofRuns = (runs: readonly Run[], whyNot: string, judge: (runs: readonly Run[]) => Answer): Answer =>
  runs.length === 0 ? notTried(whyNot) : judge(runs);

// ── Does it stop? ───────────────────────────────────────────────────────────────────────────────────────────────────

/** What a call that was cancelled shows of whether its work was stopped. */
function stopping(run: Run, evidence: ToolEvidence): Answer {
  const { verdict } = run;
  const { stop, reply } = verdict;
  if (stop.state === 'undelivered')
    return unknown('The cancel did not reach the server, so nothing can be said of what it would have done.', stop.because);
  if (!wasTold(run))
    return unknown(
      'It had been answered before the cancel left: it is too quick to be stopped there. Give it arguments with which it takes longer.',
      reply.because,
    );
  return workedOn(run, evidence) ?? stoppedIt(run, evidence);
}

/** Proof that it worked on, or died of it. */
function workedOn(run: Run, { court }: ToolEvidence): Answer | undefined {
  const { verdict, call, session } = run;
  const { reply, afterStop, effect } = verdict;
  const later = standing(run).filter((one) => one.state === 'after');
  const sure = later.find((one) => one.certainty === 'proved');
  if (sure) {
    const claimed = reply.state === 'acknowledged' ? ' It had answered “cancelled” all the same.' : '';
    return fail(
      `It wrote after it had been cancelled: ${sure.says} (${sure.probe}), not before ${since(sure.lo, run)} after the cancel.${claimed}`,
      [...stopBecause(run), { seq: sure.seq, says: `${sure.probe}: ${sure.says}` }],
    );
  }
  if (reply.state === 'late-result') {
    const says = `It worked on to its end: its result came ${reply.lateBy === undefined ? '' : `${words(reply.lateBy)} `}after the cancel.`;
    return fail(says, [...stopBecause(run), ...reply.because]);
  }
  if (afterStop.progress > 0) {
    const last = call.progress.at(-1) ?? call.sent.seq;
    const says = `It worked on: ${times(afterStop.progress, 'notification of progress', 'notifications of progress')} came after the cancel, the last ${since(court.trace.t(last), run)} after it.`;
    return fail(says, [...stopBecause(run), { seq: last, says: 'the last progress' }]);
  }
  const span = (call.arrangement?.probes ?? [])
    .flatMap((probe) => court.world.of(session.number, probe)?.work ?? [])
    .find((work) => work.sign === 'span' && work.call === call.key && work.lo > plus(verdict.stop.at ?? call.sent.t, verdict.fence.tie));
  if (span)
    return fail(`It worked on: ${span.says}, ${since(span.lo, run)} after the cancel.`, [
      ...stopBecause(run),
      { seq: span.seq, says: span.says },
    ]);
  const end =
    reply.state === 'lost'
      ? session.ends.find(({ life }) => life.event !== 'closed' && !(life.event === 'exited' && life.asked !== 'nobody'))
      : undefined;
  if (end)
    return fail('The server ended, or its connection broke, when the call was cancelled: a cancel is for one call, not for all.', [
      ...stopBecause(run),
      { seq: end.seq, says: 'the end of the session' },
    ]);
  const [unsure] = [...later, ...effect.observations.filter((one) => one.state === 'straddles' && !one.reverted)];
  if (!unsure) return undefined;
  return unknown(
    `Something was written about then (${unsure.probe}: ${unsure.says}), but not surely by this call, or not surely after the cancel.`,
    [...stopBecause(run), { seq: unsure.seq, says: `${unsure.probe}: ${unsure.says}` }],
  );
}

/** Nothing shows that it worked on: whether that means that it stopped. */
function stoppedIt(run: Run, evidence: ToolEvidence): Answer {
  const { verdict, call } = run;
  const { reply } = verdict;
  const because = [...stopBecause(run), ...verdict.because];
  const when = answered(run);
  if (verdict.verdict === 'rolled-back') return pass(`It stopped, and took back what it had done.${when}`, because);
  const [before] = standing(run);
  if (before)
    return unknown(
      `What it writes was there before the cancel (${before.probe}: ${before.says}), so this run cannot show whether it stopped. A sweep shows until when a cancel helps (stopgap sweep).`,
      [...stopBecause(run), { seq: before.seq, says: `${before.probe}: ${before.says}` }],
    );
  if (reply.state === 'crossed')
    return unknown('Its answer crossed the cancel, so the cancel came too late to show anything.', [...stopBecause(run), ...reply.because]);
  // An error that comes late and says "cancelled" is the end of a stop, if nothing was written meanwhile.
  const ended =
    outcomeOf(verdict) === 'prevented' || (verdict.settled && reply.state === 'late-error' && verdict.effect.state === 'not-seen');
  if (ended && provedProbes(evidence))
    return pass(
      `It stopped: ${verdict.effect.probes.join(', ')} saw nothing for longer than it would have taken, and sees it write when nobody stops it.${when}`,
      because,
    );
  if (ended && mayWrite(evidence.tool))
    return unknown(
      'Its probes saw nothing, but have never seen it write either, so that says nothing. Watch the place where it writes.',
      because,
    );
  if (verdict.effect.state === 'watch-gap')
    return unknown('Nothing was seen, but its place was not watched throughout.', verdict.effect.because);
  const said = call.replies[0]?.saysCancelled
    ? 'It says that it was cancelled, which proves nothing'
    : 'Nothing came back, as the revision asks for';
  const unseen = mayWrite(evidence.tool)
    ? 'nobody watches what it does: whether it stopped cannot be seen from the wire. A probe would show it.'
    : 'it declares that it only reads, which leaves no trace: whether it stopped cannot be seen from the wire.';
  return unknown(`${said}, and ${unseen}${when}`, [...stopBecause(run), ...reply.because]);
}

/** At once or late, where an answer tells. */
function answered(run: Run): string {
  const { reply } = run.verdict;
  if (reply.lateBy === undefined || !run.call.replies[0]?.saysCancelled) return '';
  return ` It said so ${words(reply.lateBy)} after the cancel: ${reply.state === 'acknowledged' ? 'at once' : 'late'}.`;
}

const honoursCancel: ToolCheck = {
  id: 'honours-cancel',
  title: 'Stops when it is cancelled at work',
  source: BEHAVIOUR,
  fix: 'Look at the call’s signal (AbortSignal, context, cancellation token) between the steps of the work, and hand it on to what the work waits for. What can no longer be stopped belongs at the very end, in one step.',
  applies: always,
  judge: (evidence) => {
    const run = evidence.run('at-work');
    return run ? stopping(run, evidence) : notTried(evidence.whyNot('at-work'));
  },
};

const heedsEarlyCancel: ToolCheck = {
  id: 'heeds-early-cancel',
  title: 'Heeds a cancel that comes before its handler starts',
  source: TIMING,
  fix: 'A handler may be started with a signal that is aborted already, and “abort” is not fired again: look at signal.aborted (throwIfAborted) before beginning, and not only for the event.',
  applies: always,
  judge: (evidence) => {
    const run = evidence.run('at-once');
    if (!run) return notTried(evidence.whyNot('at-once'));
    const overtook = findingOf(evidence, run, 'cancel-overtook-call');
    if (overtook)
      return unknown('Over HTTP the cancel may have been read before its call, and one for a call that nobody knows yet does nothing.', [
        { seq: overtook.seq, says: overtook.sentence },
      ]);
    return stopping(run, evidence);
  },
};

// ── What does it say afterwards? ────────────────────────────────────────────────────────────────────────────────────

const keepsSilent: ToolCheck = {
  id: 'keeps-silent-after-cancel',
  title: 'Answers nothing once it is cancelled',
  source: (where) =>
    eraOf(where.protocol).modern ? `${where.protocol} cancellation: the server must not send anything further` : BEHAVIOUR(where),
  fix: 'Answer nothing for a request whose cancel was read. Where the library answers by itself (“context canceled”), that is harmless: clients have to ignore it.',
  applies: always,
  judge: (evidence) =>
    ofRuns(cancelled(evidence), noneStopped(evidence), (runs) => {
      const broken = runs.find(({ verdict }) => verdict.reply.state === 'late-result' || verdict.reply.state === 'late-error');
      if (broken)
        return fail(
          `It answered ${since(broken.verdict.reply.at ?? broken.call.sent.t, broken)} after the cancel (${shapeOf(broken.call)}).`,
          broken.verdict.reply.because,
        );
      const said = runs.find(({ verdict }) => verdict.reply.state === 'acknowledged');
      if (said) {
        const { reply } = said.verdict;
        return fail(
          `It answered that it was cancelled, ${since(reply.at ?? said.call.sent.t, said)} after the cancel (${shapeOf(said.call)}). Harmless, and not asked for: no answer is owed.`,
          reply.because,
        );
      }
      const silent = runs.filter(({ verdict }) => verdict.reply.state === 'none' && verdict.settled);
      if (silent.length > 0)
        return pass(
          `Nothing came back in ${times(silent.length, 'run', 'runs')}, for longer than it would have taken.`,
          silent.flatMap(stopBecause),
        );
      return unknown(
        'Its answers crossed the cancels, which is nobody’s fault: nothing can be said of what it does when it has read one.',
        runs.flatMap(({ verdict }) => verdict.reply.because),
      );
    }),
};

const progressEnds: ToolCheck = {
  id: 'no-progress-after-cancel',
  title: 'Reports no progress once it is cancelled',
  source: (where) =>
    eraOf(where.protocol).modern
      ? `${where.protocol} cancellation: the server must not send anything further`
      : `${where.protocol} progress, Behavior Requirements`,
  fix: 'Stop reporting when the signal is aborted, which is best done by stopping the work.',
  applies: always,
  judge: (evidence) =>
    ofRuns(cancelled(evidence), noneStopped(evidence), (runs) => {
      const noisy = runs.find(({ verdict }) => verdict.afterStop.progress > 0);
      if (noisy) {
        const last = noisy.call.progress.at(-1) ?? noisy.call.sent.seq;
        return fail(
          `${times(noisy.verdict.afterStop.progress, 'notification', 'notifications')} of progress came after the cancel, the last ${since(evidence.court.trace.t(last), noisy)} after it.`,
          [...stopBecause(noisy), { seq: last, says: 'the last progress' }],
        );
      }
      const reported = runs.find(({ call }) => call.progress.length > 0);
      if (!reported) return unknown('It reported no progress in any run, so there was none that could have gone on.');
      const last = reported.call.progress.at(-1) ?? reported.call.sent.seq;
      return pass(`It had reported ${times(reported.call.progress.length, 'time', 'times')} before the cancel, and never after.`, [
        ...stopBecause(reported),
        { seq: last, says: 'the last progress' },
      ]);
    }),
};

// ── What does it leave behind? ──────────────────────────────────────────────────────────────────────────────────────

/** A process that lives this much longer than the cancel was not ended by it. */
const STILL_THERE = fromMs(250);

const freesProcesses: ToolCheck = {
  id: 'frees-processes',
  title: 'Ends the processes that it has started',
  source: BEHAVIOUR,
  fix: 'End what the handler has started when its signal is aborted: the whole group, and not only the shell in front of it. spawn(…, { signal }) ends one process; its children need a signal of their own.',
  applies: ({ where }) => where.transport === 'stdio',
  judge: (evidence) =>
    ofRuns(cancelled(evidence), noneStopped(evidence), (all) => {
      const { court } = evidence;
      const runs = all.filter((run) => processesWatched(run, court));
      if (runs.length === 0) return notTried('The server’s processes were not watched.');
      const found = runs.flatMap((run) => processesOf(run, court).map((process) => ({ run, process })));
      const left = found.find(
        ({ run, process }) => process.last.t > plus(run.verdict.stop.at ?? run.call.sent.t, asNs(run.verdict.fence.tie + STILL_THERE)),
      );
      if (left)
        return fail(
          `A process that it had started ran on: ${left.process.last.says}, ${since(left.process.last.t, left.run)} after the cancel.`,
          [...stopBecause(left.run), left.process.first, left.process.last].map(plainBecause),
        );
      const [ended] = found;
      if (ended)
        return pass(
          `It had started ${times(found.length, 'process', 'processes')}; none was there any more when its processes were looked at after the cancel.`,
          [plainBecause(ended.process.first)],
        );
      return pass('No process was seen that it would have started.', runs.flatMap(stopBecause));
    }),
};

const plainBecause = ({ seq, says }: Because): Because => ({ seq, says });

const freesStreams: ToolCheck = {
  id: 'frees-streams',
  title: 'Closes the response that nothing more is owed on',
  source: BEHAVIOUR,
  fix: 'End the response of a cancelled request: in order, and without a body where nothing was sent yet. A client that waits for it holds a connection for ever.',
  applies: (evidence) => overHttp(evidence) && evidence.where.transport === 'http' && !closingCancels(evidence.where.protocol, 'http'),
  judge: (evidence) =>
    ofRuns(cancelled(evidence), noneStopped(evidence), (runs) => {
      const open = runs.map((run) => findingOf(evidence, run, 'stream-never-ended')).find((one) => one !== undefined);
      if (open) return fail(open.sentence, [{ seq: open.seq, says: 'since then' }]);
      const ends = runs.flatMap(({ call }) =>
        call.exchanges.flatMap(({ end }) => (end && end.http.http !== 'cut' ? [{ seq: end.seq, says: 'the end of the response' }] : [])),
      );
      return ends.length > 0
        ? pass('The responses of cancelled calls were ended.', ends)
        : unknown('It was not watched for long enough to see whether a response is ended.');
    }),
};

const freesLocks: ToolCheck = {
  id: 'frees-locks',
  title: 'Holds no transaction and no lock once it is cancelled',
  source: BEHAVIOUR,
  fix: 'Roll back, and give the connection back, when the signal is aborted: the id by which the client could have done that was in the answer that nobody gets.',
  applies: ({ runs, court }) =>
    runs.some(({ call, session }) =>
      (call.arrangement?.probes ?? []).some((probe) => court.world.of(session.number, probe)?.kind === 'sql'),
    ),
  judge: (evidence) =>
    ofRuns(cancelled(evidence), noneStopped(evidence), (runs) => {
      const [held] = runs.flatMap(({ verdict }) => verdict.held);
      return held
        ? fail(`Something was held open and not let go of: ${held.says}.`, [held])
        : pass('Nothing was seen that it would hold open.', runs.flatMap(stopBecause));
    }),
};

// ── Does it harm others? ────────────────────────────────────────────────────────────────────────────────────────────

/** A pong that takes longer is not prompt, on however busy a machine. */
const PROMPT = fromMs(250);
/** One that waits for this part of what the work still needs was held up by it. */
const MOST_OF_IT = 0.7;

const staysResponsive: ToolCheck = {
  id: 'stays-responsive',
  title: 'Answers others while it is at work',
  source: ({ protocol }) =>
    eraOf(protocol).modern ? `${protocol}: every server answers server/discover` : `${protocol} ping, Behavior Requirements`,
  fix: 'Do not hold the event loop, or the only thread: a cancel cannot be read until the work that it is for is over.',
  applies: always,
  judge: (evidence) =>
    ofRuns(cancelled(evidence), noneStopped(evidence), (runs) => {
      // A cancel that comes with the call is read before there is any work that could hold it up.
      const atWork = runs.filter(({ kind }) => kind !== 'at-once');
      const asked = (atWork.length > 0 ? atWork : runs).flatMap((run) => pongOf(run, evidence) ?? []);
      const [first] = asked;
      if (!first) return notTried('No ping was sent behind a cancel (--no-fence).');
      // One that blocks does so every time; a busy machine now and then.
      const blocked = asked.filter(isBlocked);
      if (blocked.length === asked.length)
        return fail(
          first.took === undefined
            ? 'The ping behind the cancel was never answered: nothing shows that the cancel was read.'
            : `It read nothing for ${words(first.took)} while it was at work: the ping behind the cancel was answered only then.`,
          [...stopBecause(first.run), ...first.because],
        );
      const prompt = asked.find(({ took }) => took !== undefined && took <= PROMPT);
      if (prompt?.took !== undefined) return pass(`A ping behind the cancel was answered within ${words(prompt.took)}.`, prompt.because);
      return unknown(
        'The pings behind the cancels were answered slowly, though not for as long as the work. The machine may have been busy.',
        first.because,
      );
    }),
};

/** Whether the answer to a ping had to wait for the work: it came late, and behind the answer of the call. */
function isBlocked({ took, run, at }: Pong): boolean {
  if (took === undefined || at === undefined) return true;
  const reply = run.call.replies[0];
  const behind = reply !== undefined && reply.t <= plus(at, run.verdict.fence.tie);
  return behind && took > Math.max(PROMPT, 5 * (run.verdict.fence.idle ?? 0)) && took >= MOST_OF_IT * leftOf(run);
}

/** What a call would still have needed when it was stopped, as far as that is known. */
function leftOf({ call, verdict: { stop, normally } }: Run): Ns {
  const worked = minus(stop.at ?? call.sent.t, call.sent.t);
  return normally ? asNs(Math.max(0, normally.takes - worked)) : asNs(0);
}

interface Pong {
  readonly run: Run;
  /** How long it took; undefined when it never came. */
  readonly took: Ns | undefined;
  readonly at: Ns | undefined;
  readonly because: readonly Because[];
}

/** What is known of the ping that went out behind a cancel, or over HTTP beside it. */
function pongOf(run: Run, { court }: ToolEvidence): Pong | undefined {
  const ping = run.ping ?? (run.call.fence === undefined ? undefined : court.calls.all[run.call.fence]);
  if (!ping) return undefined;
  const pong = ping.replies[0];
  if (!pong)
    return run.verdict.settled && run.session.ends.length === 0
      ? { run, took: undefined, at: undefined, because: [{ seq: ping.sent.seq, says: 'the ping' }] }
      : undefined;
  return { run, took: minus(pong.t, ping.sent.t), at: pong.t, because: [{ seq: pong.seq, says: 'its answer' }] };
}

const repeatAfterCancel: ToolCheck = {
  id: 'repeat-after-cancel',
  title: 'Does the thing once when it is called again after a cancel',
  source: ({ protocol }) => `${protocol} tools, idempotentHint; what a client does that retries after a Stop`,
  fix: 'Stop for a cancel, or take an idempotency key and do a thing with the same key once. A client that was told nothing can only try again.',
  applies: always,
  judge: (evidence) => {
    const run = evidence.run('repeat');
    const again = run?.again;
    if (!run || !again) return notTried(evidence.whyNot('repeat'));
    if (!wasTold(run))
      return unknown(
        'It had been answered before the cancel left, so the second call repeated nothing that was stopped.',
        run.verdict.reply.because,
      );
    const { reply } = again.verdict;
    const twice = wroteTwice(run, again, evidence);
    if (twice) return twice;
    const answer = again.call.replies[0];
    if (!answer) return unknown('The repeat was not answered while it was waited for.', [{ seq: again.call.sent.seq, says: 'the repeat' }]);
    if (answer.shape === 'error' || answer.isError)
      return unknown('The repeat failed, so it cannot be told what it would have done.', reply.because);
    const took = minus(answer.t, again.call.sent.t);
    if (evidence.run('repeat')?.verdict.effect.probes.length === 0)
      return pass(`The repeat was answered after ${words(took)}.`, reply.because);
    if (standing(again).length === 0)
      return unknown(
        'The repeat was answered, and no probe saw it write: how often it did cannot be told. Watch the place where it writes.',
        reply.because,
      );
    return pass(`Only the repeat wrote; it was answered after ${words(took)}.`, again.verdict.effect.because);
  },
};

/** Whether a stopped call and its repeat both did the thing; undefined where nothing looks like it. */
function wroteTwice(run: Run, again: Seen, { runs }: ToolEvidence): Answer | undefined {
  const { verdict, certainty, because } = again.verdict;
  if (verdict === 'double-write' && certainty === 'proved')
    return fail('The stopped call and its repeat both wrote: whoever tries again after a Stop does the thing twice.', because);
  const both = new Map([...standing(run), ...standing(again)].map((one) => [one.seq, { seq: one.seq, says: `${one.probe}: ${one.says}` }]));
  const alone = runs.find(({ kind }) => kind === 'undisturbed');
  // Both were open when it was seen, so no observation is surely the one's or the other's; how many there are tells.
  const one = alone ? standing(alone).length : 0;
  if (one > 0 && both.size > one)
    return fail(
      `The stopped call and its repeat left ${both.size} changes where one call leaves ${one}: whoever tries again after a Stop does the thing twice.`,
      [...both.values()],
    );
  if (verdict !== 'double-write' && both.size < 2) return undefined;
  return one > 0 && both.size <= one
    ? undefined
    : unknown('More than one thing was written, and it cannot be told whether one of them was the stopped call’s.', [...both.values()]);
}

const httpMeans: ToolCheck = {
  id: 'http-means',
  title: 'Over HTTP, heeds the means that is the cancel, and no other',
  source: ({ protocol }) =>
    closingCancels(protocol, 'http')
      ? `${protocol} cancellation, Transport-Specific Cancellation`
      : `${protocol} transports: a disconnect should not be interpreted as a cancel`,
  fix: 'Up to 2025-11-25 a dropped connection may be a network that failed: let the call run on, and stop it for notifications/cancelled. From 2026-07-28 on it is the other way round.',
  applies: overHttp,
  judge: (evidence) => {
    const run = evidence.run('other-means');
    if (!run) return notTried(evidence.whyNot('other-means'));
    const byCancel = stopsBy(evidence.run('at-work'), evidence);
    const byOther = stopsBy(run, evidence);
    const closing = otherMeans(evidence.where)?.means === 'notify';
    const [cancel, other] = closing
      ? (['closing the stream', 'the notification'] as const)
      : (['the cancel’s POST', 'dropping the connection'] as const);
    const because = [...(evidence.run('at-work')?.verdict.because ?? []), ...run.verdict.because];
    const says = (both: string): string => `${both} (${cancel}: ${heeded(byCancel)}; ${other}: ${heeded(byOther)}).`;
    if (byOther === undefined) return unknown(says('Whether it heeds both means could not be seen'), because);
    if (byOther && !closing) return fail(says(byCancel ? 'It heeds both means' : 'It heeds the means that is no cancel'), because);
    if (byCancel === undefined) return unknown(says('It does not heed the means that is no cancel'), because);
    if (!byCancel) return fail(says(byOther ? 'It heeds the means that is no cancel' : 'It heeds neither'), because);
    return pass(says(byOther ? 'It heeds both means' : 'It heeds the cancel, and only that'), because);
  },
};

const heeded = (stops: boolean | undefined): string => (stops === undefined ? 'not known' : stops ? 'it stops' : 'it works on');

/** Whether a run shows that its work was stopped; undefined when it shows nothing. */
function stopsBy(run: Run | undefined, evidence: ToolEvidence): boolean | undefined {
  if (!run || run.verdict.stop.at === undefined || run.verdict.reply.state === 'in-time') return undefined;
  const { effect, settled, reply } = run.verdict;
  if (effect.observations.some((one) => one.state === 'after' && !one.reverted)) return false;
  if (reply.state === 'late-result') return false;
  if (effect.observations.length > 0)
    return run.verdict.verdict === 'rolled-back' || effect.observations.every((one) => one.reverted) ? true : undefined;
  return settled && effect.state === 'not-seen' && provedProbes(evidence) ? true : undefined;
}

// ── Does it say what it does? ───────────────────────────────────────────────────────────────────────────────────────

const annotations: ToolCheck = {
  id: 'annotations-match-behaviour',
  title: 'Does what its annotations say',
  source: ({ protocol }) => `${protocol} schema, ToolAnnotations`,
  fix: 'Set readOnlyHint only for what changes nothing anywhere, and idempotentHint only for what can be repeated with the same arguments without doing anything more. Clients decide by them what may be called without asking.',
  applies: always,
  judge: (evidence) => {
    const { tool, runs, court } = evidence;
    if (runs.length === 0) return notTried(evidence.whyNot('at-work'));
    const calls = new Set(runs.flatMap(({ call, again }) => [call.index, ...(again ? [again.call.index] : [])]));
    const broken = court.findings.find(
      ({ finding, call }) => finding === 'annotation-contradicted' && call !== undefined && calls.has(call),
    );
    if (broken) return fail(broken.sentence, [{ seq: broken.seq, says: 'what was seen' }]);
    const declared = runs[0]?.session.tools.get(tool.name);
    const because = declared ? [{ seq: declared.seq, says: 'what it declares' }] : [];
    if (tool.readOnly === true)
      return watched(evidence)
        ? pass('It declares that it only reads, and its probes saw it write nothing.', because)
        : unknown('It declares that it only reads, and no probe watches whether that is so.', because);
    const hints = [tool.readOnly, tool.destructive, tool.idempotent, tool.openWorld].filter((hint) => hint !== undefined);
    if (hints.length === 0)
      return pass(
        'It declares nothing, so clients have to take it for destructive and not repeatable. Nothing that it did contradicts that; saying what it is would spare its users questions.',
        because,
      );
    return pass('It declares that it may write, and did nothing that contradicts what else it declares.', because);
  },
};

/** Words about the call itself: “will not stop the whole operation” is about something else. */
const SAYS_CANCEL =
  /\b(?:cancel(?:s|l?ed|l?ing|lation|lable)?|abort(?:s|ed|ing)?|interrupt(?:s|ed|ing|ible)?|stopped|roll(?:s|ed)? back|undo(?:ne)?)\b/i;
const SENTENCE = /[^.!?\n]+[.!?]?/g;

const describesCancel: ToolCheck = {
  id: 'description-says-cancel',
  title: 'Says what cancelling it does',
  source: () => 'advice of Stopgap; no revision asks for it',
  fix: 'Add a sentence to the description: until when a cancel prevents the write, what is left behind when it comes later, and how to undo that.',
  applies: always,
  judge: ({ tool, court }) => {
    const declared = [...court.calls.sessions.values()].map((session) => session.tools.get(tool.name)).find((one) => one !== undefined);
    const because = declared ? [{ seq: declared.seq, says: 'its description' }] : [];
    const sentence = (tool.description ?? '').match(SENTENCE)?.find((one) => SAYS_CANCEL.test(one));
    if (sentence !== undefined) return pass(`Its description says: “${short(sentence.trim())}”`, because);
    if (!mayWrite(tool)) return pass('It declares that it only reads, so there is nothing that a Stop could leave half done.', because);
    return fail(
      `${tool.description ? 'Its description' : 'It has no description, so it'} says nothing of what cancelling does. A model and a person decide by it whether to stop, and what to do when they have.`,
      because,
    );
  },
};

const short = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

// ── Helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Why nothing is known of a tool after a cancel. */
function noneStopped(evidence: ToolEvidence): string {
  const tried = evidence.runs.some(({ kind }) => kind !== 'undisturbed');
  return tried ? 'It had been answered before a cancel could leave, in every run.' : evidence.whyNot('at-once');
}

const findingOf = ({ court }: ToolEvidence, { call }: Run, name: Finding['finding']): Finding | undefined =>
  court.findings.find(({ finding, call: of }) => finding === name && of === call.index);

function shapeOf({ replies }: Call): string {
  const reply = replies[0];
  if (!reply) return 'nothing';
  if (reply.shape === 'error') return `error ${reply.code ?? ''}`.trim();
  return reply.isError ? 'a result that says isError' : 'a result';
}

const times = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** Every line of a tool, in the order in which the card has them. */
export const TOOL_CHECKS: readonly ToolCheck[] = [
  honoursCancel,
  heedsEarlyCancel,
  keepsSilent,
  progressEnds,
  freesProcesses,
  freesStreams,
  freesLocks,
  staysResponsive,
  repeatAfterCancel,
  httpMeans,
  annotations,
  describesCancel,
];
