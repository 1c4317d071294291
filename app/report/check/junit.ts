// A report card as JUnit XML: a case for each line. What is not known, or was not tried, is skipped: it is never a success.
import { element, escaped } from '../markup';
import type { CheckReport, ReportedLine } from './schema';
import { checkOf, groupsOf } from './words';

export function checkJunit(report: CheckReport): string {
  const suites = groupsOf(report).map(({ tool, lines }) => suite(tool ?? 'the server', lines));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: `stopgap check ${report.server.name}`, ...sums(report.lines) }, suites)}\n`;
}

const suite = (name: string, lines: readonly ReportedLine[]): string =>
  element(
    'testsuite',
    { name, ...sums(lines) },
    lines.map((line) => testcase(name, line)),
  );

const sums = (lines: readonly ReportedLine[]): Readonly<Record<string, string>> => ({
  tests: String(lines.length),
  failures: String(lines.filter(({ status }) => status === 'fail').length),
  skipped: String(lines.filter(({ status }) => status === 'unknown' || status === 'not-tried').length),
});

function testcase(classname: string, { check, status, sentence, source, because }: ReportedLine): string {
  const says = [sentence, `rule: ${source}`, ...because.map(({ seq, says }) => `[${seq}] ${says}`)].join('\n');
  const out = element('system-out', {}, [escaped(says)]);
  switch (status) {
    case 'pass':
      return element('testcase', { classname, name: check }, [out]);
    case 'fail':
      return element('testcase', { classname, name: check }, [
        element('failure', { message: sentence }, [escaped(`${says}\nfix: ${checkOf(check).fix}`)]),
      ]);
    case 'unknown':
    case 'not-tried':
      return element('testcase', { classname, name: check }, [element('skipped', { message: `${status}: ${sentence}` }), out]);
  }
}
