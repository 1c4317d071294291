// One stopped call as text: what was sent when, what came back, what happened, and which frames say so.
import { type Ns, toMs } from '../../app/base/time';
import type { Calls } from '../../app/trace/calls';
import type { Trace } from '../../app/trace/trace';
import type { Verdict } from '../../app/verdict/verdict';
import type { Seq } from '../../app/wire/frame';
import { idText } from '../../app/wire/jsonrpc';

/** How an observation lies to the stop, as the timeline draws it. */
const EFFECT = { after: '◆', straddles: '⬖', before: '◇', observed: '◇' } as const;
const MARK = { ok: '·', info: '·', note: 'i', warn: '△', breach: '◆' } as const;

/** The call of a verdict, line by line. Times count from its request. */
export function raceText(trace: Trace, fold: Calls, verdict: Verdict): readonly string[] {
  const call = fold.all[verdict.call];
  if (!call) throw new RangeError(`expected a call ${verdict.call} in the trace`);
  const own = (seq: Seq): boolean => fold.ofFrame(seq) === call || (call.fence !== undefined && fold.ofFrame(seq)?.index === call.fence);
  const seen = new Map(verdict.effect.observations.map((observation) => [observation.seq, observation]));
  const rows: { readonly t: Ns; readonly text: string; readonly seq: Seq }[] = [];
  for (let seq = call.sent.seq; seq < trace.length; seq++) {
    const effect = seen.get(seq);
    if (effect) rows.push({ t: effect.hi, seq, text: `${EFFECT[effect.state]} ${effect.probe}: ${effect.says}` });
    else if (own(seq)) rows.push({ t: trace.t(seq), seq, text: wireText(trace, seq) });
  }
  return [
    ...rows.filter(({ text }) => text !== '').map(({ t, text, seq }) => `  ${at(t, call.sent.t)}  ${text.padEnd(64)} frame ${seq}`),
    ...(call.replies.length === 0 ? [`  ${''.padStart(9)}  no reply`] : []),
    '',
    `  ${MARK[verdict.severity]} ${verdict.sentence}`,
    `    ${verdict.verdict} (${verdict.severity}, ${verdict.certainty})`,
    `    stop    ${verdict.stop.state} (${verdict.stop.certainty})${frames(verdict.stop.because)}`,
    `    reply   ${verdict.reply.state} (${verdict.reply.certainty})${frames(verdict.reply.because)}`,
    `    effect  ${verdict.effect.state} (${verdict.effect.certainty})${frames(verdict.effect.because)}`,
    `    because ${verdict.because.map(({ seq, says }) => `${says} [${seq}]`).join('; ')}`,
    `    the caller saw: ${verdict.callerSaw}`,
    ...(verdict.ifRetried === undefined ? [] : [`    if retried: ${verdict.ifRetried}`]),
  ];
}

const at = (t: Ns, since: Ns): string => `${Math.round(toMs(t) - toMs(since))} ms`.padStart(9);

const frames = (because: Verdict['because']): string => (because.length === 0 ? '' : ` [${because.map(({ seq }) => seq).join(', ')}]`);

/** A frame of the wire or an act; '' for one that says nothing by itself. */
function wireText(trace: Trace, seq: Seq): string {
  const extra = trace.extra(seq);
  if (extra?.about === 'act')
    return extra.act.act === 'stop' ? `■ Stop${extra.act.reason === undefined ? '' : `: ${extra.act.reason}`}` : '';
  if (trace.kind(seq) !== 'message') return '';
  const arrow = trace.dir(seq) === 'c2s' ? '→' : '←';
  const key = trace.key(seq);
  const what = trace.shape(seq) === 'result' || trace.shape(seq) === 'error' ? trace.shape(seq) : trace.name(seq);
  const tool = extra?.about === 'request' && extra.tool !== undefined ? ` ${extra.tool}` : '';
  return `${arrow} ${what}${tool}${key === '' ? '' : ` ${idText(key)}`}`;
}
