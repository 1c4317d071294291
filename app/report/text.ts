// The report for a person at a terminal: the timeline first, then each call's sentence, its three lanes, the evidence by
// frame, and what the caller saw.
import { minus, type Ns, words } from '../base/time';
import type { Call } from '../trace/calls';
import type { Because, Verdict } from '../verdict/verdict';
import { idText } from '../wire/jsonrpc';
import { reportedHttp } from './http';
import { type Judged, nameOf, reportedCalls, retriedBy } from './json';
import type { Report } from './schema';
import { orphanWords, reportedTask } from './tasks';
import { legendOf, timelineText } from './timeline';
import { hung, lastedWords, listed, type Paint, SEVERITY_ROLES, SIGNS, wrapped } from './words';

export interface TextOptions {
  /** Columns of the terminal. */
  readonly width: number;
  readonly paint: Paint;
  /** Only these calls; all when absent. */
  readonly calls?: readonly Call[];
}

/** The whole report as lines. */
export function textOf(judged: Judged, report: Report, options: TextOptions): readonly string[] {
  const { width, paint } = options;
  const rows = reportedCalls(judged).filter(({ call }) => options.calls?.includes(call) ?? true);
  const drawn = timelineText(
    judged,
    rows.map(({ call }) => call),
    width,
    paint,
  );
  return [
    ...drawn,
    ...(drawn.length > 0
      ? ['', ...listed(legendOf(rows.map(({ call }) => call)), width).map((line) => paint('faint', line))]
      : ['No calls.']),
    ...rows.flatMap(({ call, verdict }) => ['', ...callText(judged, call, verdict, options)]),
    ...(options.calls ? [] : around(report, options)),
  ];
}

function callText(judged: Judged, call: Call, verdict: Verdict, { width, paint }: TextOptions): readonly string[] {
  const { stop, reply, effect } = verdict;
  const sign = paint(SEVERITY_ROLES[verdict.severity], SIGNS[verdict.severity]);
  const retried = retriedBy(judged, call);
  const http = reportedHttp(judged, call);
  const task = reportedTask(call);
  const name = nameOf(judged, call);
  const tool = call.tool ?? call.method;
  const what = [
    ...(name.startsWith(tool) ? [] : [`${tool} ${idText(call.key)}`]),
    ...(name === tool ? [idText(call.key)] : []),
    ...(retried ? [`a retry of ${nameOf(judged, retried)}`] : []),
  ].join(', ');
  const line = (label: string, text: string): readonly string[] => hung(`    ${label.padEnd(8)}`, text, width, paint);
  return [
    `${sign} ${paint('strong', name)}${what === '' ? '' : ` (${what})`}: ${paint(SEVERITY_ROLES[verdict.severity], verdict.verdict)}, ${verdict.certainty}${verdict.settled ? '' : ', not settled yet'}`,
    ...wrapped(verdict.sentence, width - 2).map((text) => `  ${text}`),
    ...line('stop', `${stop.state}${stop.flags.length > 0 ? `, ${stop.flags.join(', ')}` : ''} (${stop.certainty})${frames(stop.because)}`),
    ...line('reply', `${reply.state}${reply.duplicate ? ', more than one' : ''} (${reply.certainty})${frames(reply.because)}`),
    ...line(
      'effect',
      `${effect.state} (${effect.certainty}${effect.probes.length > 0 ? `; watched: ${effect.probes.join(', ')}` : ''})${frames(effect.because)}`,
    ),
    ...effect.observations.flatMap((o) =>
      line('', `${o.probe}: ${o.says}, ${o.state}${o.reverted ? ', taken back' : ''}${sampleOf(judged, o.seq)} [${o.seq}]`),
    ),
    ...(http === null ? [] : line('http', http.says)),
    ...(task === null ? [] : line('task', task.says)),
    ...line('because', verdict.because.map(({ seq, says }) => `${says} [${seq}]`).join('; ')),
    ...(verdict.also.length > 0 ? line('also', verdict.also.join(', ')) : []),
    ...(verdict.faults.length > 0 ? line('faults', verdict.faults.map(({ seq, says }) => `${says} [${seq}]`).join('; ')) : []),
    ...line('caller', `saw: ${verdict.callerSaw}`),
    ...(verdict.ifRetried === undefined ? [] : line('retry', verdict.ifRetried)),
    ...line('history', verdict.history.map((entry) => `${after(minus(entry.at, call.sent.t))}${entry.verdict}`).join(', ')),
  ];
}

/** How long after a call was sent its verdict changed: the clock of the timeline's axis. */
const after = (t: Ns): string => (t <= 0 ? '' : `after ${words(t)} `);

/** The beginning of what was seen, where the probe kept it. */
function sampleOf({ trace }: Judged, seq: number): string {
  const extra = trace.extra(seq);
  const sample = extra?.about === 'effect' && extra.effect.effect === 'seen' ? extra.effect.sample : undefined;
  return sample === undefined ? '' : `: ${sample.trim()}`;
}

const frames = (because: readonly Because[]): string => (because.length === 0 ? '' : ` [${because.map(({ seq }) => seq).join(', ')}]`);

/** What is not about one call: findings, probes, expectations. */
function around({ server, findings, probes, orphanTasks, expectations }: Report, { width, paint }: TextOptions): readonly string[] {
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', paint('strong', title), ...lines];
  return [
    ...section(
      'Findings',
      findings.flatMap(({ finding, severity, seq, sentence, lastsMs }) =>
        hung(`${SIGNS[severity]} `, `${finding}: ${sentence}${lastedWords(lastsMs)} [${seq}]`, width, (_, sign) =>
          paint(SEVERITY_ROLES[severity], sign),
        ),
      ),
    ),
    ...section(
      'Server',
      server === null
        ? []
        : wrapped(`${server.name} ${server.version}, protocol ${server.protocol}, ${server.transport}`, width - 2).map(
            (text) => `  ${text}`,
          ),
    ),
    ...section(
      'Probes, in the time since the trace began',
      probes.flatMap(({ name, kind, watchedFromMs, watchedToMs, gaps }) => [
        `  ${name} (${kind}) watched from ${Math.round(watchedFromMs)} ms to ${Math.round(watchedToMs)} ms${gaps.length === 0 ? ', without a gap' : ''}`,
        ...gaps.flatMap(({ fromMs, toMs, why }) =>
          hung('    gap ', `${Math.round(fromMs)} ms to ${Math.round(toMs)} ms: ${why}`, width, paint),
        ),
      ]),
    ),
    ...section(
      'Tasks that nobody asks for any more',
      orphanTasks.flatMap((task) => hung('  ', orphanWords(task), width, paint)),
    ),
    ...section(
      'Expectations',
      expectations.flatMap(({ ok, expected, saw }) =>
        hung(ok ? '✓ ' : '✗ ', ok ? expected : `expected ${expected}; saw ${saw}`, width, (_, sign) =>
          paint(ok ? 'proof' : 'breach', sign),
        ),
      ),
    ),
  ];
}
