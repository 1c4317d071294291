// A report card for a terminal: line by line with its evidence, then what to do about what failed, once for each check.
import { hung, type Paint, wrapped } from '../words';
import type { CheckReport, ReportedLine } from './schema';
import { checkOf, type Group, groupsOf, headOf, ownLines, STATUS_ROLES, STATUS_SIGNS, sumsOf } from './words';

/** As wide as the longest id of a check. */
const ID = 28;

export function checkText(report: CheckReport, width: number, paint: Paint): readonly string[] {
  const groups = groupsOf(report).flatMap((group) => [...groupText(group, width, paint), '']);
  const ended = report.interrupted ? 'Ended early. ' : '';
  return [
    paint('strong', `Cancellation report card: ${headOf(report)}`),
    '',
    ...groups,
    ...fixes(report, width, paint),
    ...wrapped(`${ended}${sumsOf(report)}.`, width),
  ];
}

function groupText(group: Group, width: number, paint: Paint): readonly string[] {
  const { tool, untried } = group;
  return [
    paint('strong', tool ?? 'The server'),
    ...(untried === undefined ? [] : hung(`  ${STATUS_SIGNS['not-tried']} not tried: `, untried, width, paint)),
    ...ownLines(group).flatMap((line) => lineText(line, width, paint)),
  ];
}

function lineText({ check, status, sentence, because }: ReportedLine, width: number, paint: Paint): readonly string[] {
  const frames = because.length === 0 ? '' : ` [${because.map(({ seq }) => seq).join(', ')}]`;
  const name = check.padEnd(ID);
  const head = `${paint(STATUS_ROLES[status], STATUS_SIGNS[status])} ${status === 'fail' ? paint('breach', name) : name}`;
  return wrapped(`${sentence}${frames}`, Math.max(30, width - ID - 5)).map((text, index) =>
    index === 0 ? `  ${head} ${text}` : ' '.repeat(ID + 5) + text,
  );
}

/** What to do about each check that failed. */
function fixes({ lines }: CheckReport, width: number, paint: Paint): readonly string[] {
  const failed = new Map<string, ReportedLine[]>();
  for (const line of lines) if (line.status === 'fail') failed.set(line.check, [...(failed.get(line.check) ?? []), line]);
  if (failed.size === 0) return [];
  const said = [...failed].flatMap(([check, of]) => {
    const tools = of.flatMap(({ tool }) => tool ?? []).join(', ');
    const rule = of[0]?.source ?? '';
    return [
      `  ${paint('breach', check)}${tools === '' ? '' : `: ${tools}`}`,
      ...hung('    rule  ', rule, width, paint),
      ...hung('    fix   ', checkOf(check).fix, width, paint),
    ];
  });
  return [paint('strong', 'What to do (docs/check.md)'), ...said, ''];
}
