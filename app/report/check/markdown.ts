// A report card for an issue or a pull request. What a server said is quoted so that it formats nothing.
import { plain } from '../markdown';
import type { CheckReport, ReportedLine } from './schema';
import { checkOf, type Group, groupsOf, headOf, ownLines, STATUS_SIGNS, sumsOf } from './words';

export function checkMarkdown(report: CheckReport): string {
  return [
    '# Cancellation report card',
    '',
    `${plain(headOf(report))}. ${report.interrupted ? 'Ended early. ' : ''}${sumsOf(report)}.`,
    ...groupsOf(report).flatMap(groupLines),
    '',
  ].join('\n');
}

function groupLines(group: Group): readonly string[] {
  const rows = ownLines(group);
  const fails = rows.filter(({ status }) => status === 'fail');
  return [
    '',
    group.tool === null ? '## The server' : `## ${plain(group.tool)}`,
    ...(group.untried === undefined ? [] : ['', `Not tried: ${plain(group.untried)}`]),
    ...(rows.length === 0 ? [] : ['', '| | check | | rule |', '|---|---|---|---|', ...rows.map(row)]),
    ...(fails.length === 0 ? [] : ['', ...fails.map(({ check }) => `- \`${check}\`: ${plain(checkOf(check).fix)}`)]),
  ];
}

function row({ check, status, sentence, source, because }: ReportedLine): string {
  const frames = because.map(({ seq }) => `\\[${seq}\\]`).join(' ');
  return `| ${STATUS_SIGNS[status]} | \`${check}\` | ${plain(sentence)}${frames === '' ? '' : ` ${frames}`} | ${plain(source)} |`;
}
