// What the copy buttons put on the clipboard: the call as words for a shell, and the verdict with its raw messages.

import { asNs, minus } from '../../../app/base/time';
import type { Call } from '../../../app/trace/calls';
import { textOf } from '../../bodies';
import { callArguments } from '../../callArguments';
import { commandLine } from '../../commandLine';
import type { Stopgap } from '../../context';

/** Every frame of a call in order: its request, acts, progress, cancels and replies. */
export function framesOf(call: Call): readonly number[] {
  const { arrangement, sent, progress, cancels, misaddressed, stops, undelivered, replies } = call;
  const stamps = [...(arrangement ? [arrangement] : []), sent, ...cancels, ...misaddressed, ...stops, ...undelivered, ...replies];
  return [...new Set([...stamps.map(({ seq }) => seq), ...progress])].sort((a, b) => a - b);
}

/** Messages only: what went over the wire for this call. */
export function messagesOf(call: Call): readonly number[] {
  const { sent, progress, cancels, misaddressed, replies } = call;
  return [
    ...new Set([
      sent.seq,
      ...progress,
      ...cancels.map(({ seq }) => seq),
      ...misaddressed.map(({ seq }) => seq),
      ...replies.map(({ seq }) => seq),
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
    },
    shell.platform === 'win32' ? 'windows' : 'posix',
  );
  await actions.copy(text, 'the command line');
}

/** Raw texts as they were on the wire, parsed where they are JSON. */
export async function copyJson({ feed, bodies, actions }: Stopgap, call: Call): Promise<void> {
  const seqs = messagesOf(call);
  const read = await bodies.read(seqs);
  const messages = seqs.map((seq, i) => ({
    seq,
    atMs: feed.trace.t(seq) / 1e6,
    dir: feed.trace.dir(seq),
    raw: textOf(read[i]) ?? null,
  }));
  await actions.copy(JSON.stringify({ verdict: feed.verdict(call.index) ?? null, messages }, undefined, 2), 'the verdict and its messages');
}
