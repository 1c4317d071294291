// What the copy buttons put on the clipboard: the call as words for a shell, and the verdict with its raw messages.

import { asNs, minus } from '../../../app/base/time';
import { reportedCalls, reportOf } from '../../../app/report/json';
import type { Call, Calls } from '../../../app/trace/calls';
import { textOf } from '../../bodies';
import { callArguments } from '../../callArguments';
import { commandLine } from '../../commandLine';
import type { Stopgap } from '../../context';

/** Messages only: what went over the wire for this call, and for the task that it became. */
export function messagesOf(call: Call, calls: Calls): readonly number[] {
  const { sent, progress, cancels, misaddressed, replies, task } = call;
  const asked = task ? [...task.polls, ...task.cancels, ...task.results, ...task.updates].flatMap((index) => calls.all[index] ?? []) : [];
  return [
    ...new Set([
      sent.seq,
      ...progress,
      ...cancels.map(({ seq }) => seq),
      ...misaddressed.map(({ seq }) => seq),
      ...replies.map(({ seq }) => seq),
      ...(task?.answers ?? []).map(({ seq }) => seq),
      ...(task?.states ?? []).map(({ seq }) => seq),
      ...asked.flatMap((ask) => [ask.sent.seq, ...ask.replies.map(({ seq }) => seq)]),
    ]),
  ].sort((a, b) => a - b);
}

export async function copyCommandLine(stopgap: Stopgap, call: Call): Promise<void> {
  const { store, feed, actions, shell } = stopgap;
  const { status } = store.getState();
  const used = await callArguments(stopgap, call);
  if (!status.spec || call.tool === undefined || !used) {
    actions.say('warn', 'This call cannot be written as a command line: its server or its request is not known here.');
    return;
  }
  const stop = feed.verdict(call.index)?.stop;
  const { arrangement } = call;
  const text = commandLine(
    {
      spec: status.spec,
      tool: call.tool,
      arguments: used,
      stop:
        stop?.at !== undefined && stop.how
          ? { after: asNs(Math.max(0, minus(stop.at, call.sent.t))), how: stop.how, reason: stop.reason }
          : undefined,
      probes: status.probes.map(({ spec }) => spec).filter((spec) => arrangement?.probes.includes(spec.name)),
      settle: arrangement?.settle,
      normally: arrangement?.normally,
      task: arrangement?.task,
    },
    shell.platform === 'win32' ? 'windows' : 'posix',
  );
  await actions.copy(text, 'the command line');
}

/** What the JSON report says of one call, with its probes and findings (docs/cli.md). */
export async function copyReport({ feed, actions }: Stopgap, call: Call): Promise<void> {
  const court = { calls: feed.calls, world: feed.world, verdict: feed.verdict, findings: feed.findings };
  const judged = { trace: feed.trace, court, names: new Map<number, string>(), now: feed.now() };
  const report = reportOf(judged);
  const at = reportedCalls(judged).findIndex((reported) => reported.call === call);
  const own = report.calls[at];
  if (!own) {
    actions.say('warn', 'There is no report on this: only calls that somebody made, and requests that somebody stopped, are reported.');
    return;
  }
  const seqs = new Set(feed.findings.filter((finding) => finding.call === call.index).map(({ seq }) => seq));
  const text = JSON.stringify(
    {
      ...report,
      calls: [own],
      probes: report.probes.filter(({ name }) => call.arrangement?.probes.includes(name)),
      findings: report.findings.filter(({ seq }) => seqs.has(seq)),
    },
    undefined,
    2,
  );
  await actions.copy(text, 'the report');
}

/** Raw texts as they were on the wire, parsed where they are JSON. */
export async function copyJson({ feed, bodies, actions }: Stopgap, call: Call): Promise<void> {
  const seqs = messagesOf(call, feed.calls);
  const read = await bodies.read(seqs);
  const messages = seqs.map((seq, i) => ({
    seq,
    atMs: feed.trace.t(seq) / 1e6,
    dir: feed.trace.dir(seq),
    raw: textOf(read[i]) ?? null,
  }));
  await actions.copy(JSON.stringify({ verdict: feed.verdict(call.index) ?? null, messages }, undefined, 2), 'the verdict and its messages');
}
