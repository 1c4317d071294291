// The report as Markdown, for an issue or a pull request. What a server said is quoted so that it formats nothing.
import type { Report, ReportedCall } from './schema';
import { orphanWords } from './tasks';
import { lastedWords, SIGNS } from './words';

export function markdownOf(report: Report): string {
  const { server, calls, findings, probes, orphanTasks, expectations } = report;
  return [
    '# What really happened',
    '',
    server === null
      ? 'No server was reached.'
      : `${plain(server.name)} ${plain(server.version)}, protocol ${plain(server.protocol)}, ${server.transport}.`,
    ...section('Calls', callTable(calls)),
    ...calls.flatMap(callLines),
    ...section(
      'Findings',
      findings.map(
        ({ finding, severity, seq, sentence, lastsMs }) =>
          `- ${SIGNS[severity]} \`${finding}\`: ${plain(sentence)}${lastedWords(lastsMs)} [${seq}]`,
      ),
    ),
    ...section(
      'Probes',
      probes.map(
        ({ name, kind, watchedFromMs, watchedToMs, gaps }) =>
          `- ${plain(name)} (${plain(kind)}): watched from ${Math.round(watchedFromMs)} ms to ${Math.round(watchedToMs)} ms${
            gaps.length === 0 ? ', without a gap' : `; gaps: ${gaps.map((gap) => plain(gap.why)).join('; ')}`
          }`,
      ),
    ),
    ...section(
      'Tasks that nobody asks for any more',
      orphanTasks.map((task) => `- ${plain(orphanWords(task))} [${task.seq}]`),
    ),
    ...section(
      'Expectations',
      expectations.map(({ ok, expected, saw }) => `- ${ok ? '✓' : '✗'} ${plain(expected)}${ok ? '' : `; saw ${plain(saw)}`}`),
    ),
    '',
  ].join('\n');
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];

function callTable(calls: readonly ReportedCall[]): readonly string[] {
  if (calls.length === 0) return [];
  const rows = calls.map(
    ({ name, verdict, severity, certainty, stop, reply, effect }) =>
      `| ${SIGNS[severity]} | ${plain(name)} | \`${verdict}\` | ${certainty} | ${stop.state} | ${reply.state} | ${effect.state} |`,
  );
  return ['| | call | verdict | certainty | stop | reply | effect |', '|---|---|---|---|---|---|---|', ...rows];
}

function callLines({ name, sentence, because, callerSaw, http, task }: ReportedCall): readonly string[] {
  return [
    '',
    `**${plain(name)}**: ${plain(sentence)}`,
    '',
    ...because.map(({ seq, says }) => `- [${seq}] ${plain(says)}`),
    ...(http === null ? [] : [`- Over HTTP: ${plain(http.says)}`]),
    ...(task === null ? [] : [`- As a task: ${plain(task.says)}`]),
    `- The caller saw: ${plain(callerSaw)}`,
  ];
}

/** A text that formats nothing: on one line, with every sign that means something to Markdown escaped. */
export const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>#|!~&]/g, (sign) => `\\${sign}`);
