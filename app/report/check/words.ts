// What the forms of a report card have in common: the signs, the groups, the sums.
import type { Status } from '../../scenario/check/answer';
import { CHECKS } from '../../scenario/check/card';
import type { Role } from '../words';
import type { CheckReport, ReportedLine } from './schema';

export const STATUS_SIGNS = { pass: '✓', fail: '✗', unknown: '?', 'not-tried': '–' } as const satisfies Record<Status, string>;
export const STATUS_ROLES = { pass: 'proof', fail: 'breach', unknown: 'unknown', 'not-tried': 'faint' } as const satisfies Record<
  Status,
  Role
>;
export const STATUS_WORDS = { pass: 'passed', fail: 'failed', unknown: 'not known', 'not-tried': 'not tried' } as const satisfies Record<
  Status,
  string
>;

/** What a check asks, and what to do where it failed. */
export const checkOf = (id: string): { readonly title: string; readonly fix: string } =>
  CHECKS.find((check) => check.id === id) ?? { title: id, fix: '' };

export interface Group {
  /** null: the whole server. */
  readonly tool: string | null;
  readonly lines: readonly ReportedLine[];
  /** Why nothing of the tool was tried, where that is one reason for every line that needs a call. */
  readonly untried: string | undefined;
}

/** The lines by what they are about: the server first, then its tools in their order. */
export function groupsOf({ lines }: Pick<CheckReport, 'lines'>): readonly Group[] {
  const byTool = new Map<string | null, ReportedLine[]>();
  for (const line of lines) byTool.set(line.tool, [...(byTool.get(line.tool) ?? []), line]);
  return [...byTool].map(([tool, of]) => ({ tool, lines: of, untried: untriedOf(of) }));
}

function untriedOf(lines: readonly ReportedLine[]): string | undefined {
  const not = lines.filter(({ status }) => status === 'not-tried');
  const [first] = not;
  return first && not.length > 2 && not.every(({ sentence }) => sentence === first.sentence) ? first.sentence : undefined;
}

/** The lines of a group that say something of their own. */
export const ownLines = ({ lines, untried }: Group): readonly ReportedLine[] =>
  lines.filter(({ status, sentence }) => !(status === 'not-tried' && sentence === untried));

export const countOf = ({ lines }: Pick<CheckReport, 'lines'>, status: Status): number =>
  lines.filter((line) => line.status === status).length;

/** `6 failed, 20 passed, 11 not known, 3 not tried` */
export function sumsOf(report: Pick<CheckReport, 'lines'>): string {
  const said = (['fail', 'pass', 'unknown', 'not-tried'] as const).flatMap((status) => {
    const count = countOf(report, status);
    return count > 0 || status === 'fail' ? [`${count} ${STATUS_WORDS[status]}`] : [];
  });
  return said.join(', ');
}

export const headOf = ({ server: { name, version, protocol, transport } }: CheckReport): string =>
  `${name} ${version}, protocol ${protocol}, ${transport}`;
