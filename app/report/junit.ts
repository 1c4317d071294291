// The report as JUnit XML, for CI that reads nothing else: a test case for each expectation and one for each call. A call at or
// above the severity that fails a run, and that no expectation names, is a failure; what is not known is never a success: it is
// reported as skipped, with its sentence.
import { element, escaped } from './markup';
import type { Report, ReportedCall } from './schema';

/**
 * @param suite name of the suite: the scenario or the trace
 * @param surprises names of the calls that fail the run, with why
 */
export function junitOf(report: Report, suite: string, surprises: readonly string[]): string {
  const cases = [...report.calls.map((call) => callCase(call, suite)), ...report.expectations.map((one) => expectationCase(one, suite))];
  const unexpected = surprises.map((says, index) =>
    element('testcase', { classname: suite, name: `found, and expected by nobody (${index + 1})` }, [
      element('failure', { message: says }, [escaped(says)]),
    ]),
  );
  const all = [...cases, ...unexpected];
  const count = (tag: string): string => String(all.filter((one) => one.includes(`<${tag} `)).length);
  const attributes = { name: suite, tests: String(all.length), failures: count('failure'), skipped: count('skipped') };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', attributes, [element('testsuite', attributes, all)])}\n`;
}

function callCase({ name, verdict, certainty, sentence, because }: ReportedCall, suite: string): string {
  const says = [sentence, ...because.map((one) => `[${one.seq}] ${one.says}`)].join('\n');
  const unknown = certainty === 'unknown' ? [element('skipped', { message: `${verdict}: not known` }, [escaped(sentence)])] : [];
  return element('testcase', { classname: suite, name: `${name}: ${verdict}` }, [...unknown, element('system-out', {}, [escaped(says)])]);
}

function expectationCase({ ok, expected, saw }: Report['expectations'][number], suite: string): string {
  const failure = ok ? [] : [element('failure', { message: `saw ${saw}` }, [escaped(`expected ${expected}; saw ${saw}`)])];
  return element('testcase', { classname: suite, name: expected }, failure);
}
