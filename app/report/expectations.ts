// What a scenario expected against what the report says, and what the report says that nobody expected. A finding that an
// expectation names is an expected one; a breach that none names fails the run even where nothing was expected at all.
import type { Expectation } from '../scenario/scenario';
import { SEVERITIES, type Severity } from '../verdict/verdict';
import type { Report, ReportedCall, ReportedExpectation } from './schema';

type OfCall = Extract<Expectation, { about: 'call' }>;
type OfFinding = Extract<Expectation, { about: 'finding' }>;

/** Each expectation, in order, with what was seen. */
export function checked(report: Report, expectations: readonly Expectation[]): readonly ReportedExpectation[] {
  return expectations.map((expectation, index) => ({
    index,
    ...(expectation.about === 'call' ? ofCall(report, expectation) : ofFinding(report, expectation)),
  }));
}

type Checked = Omit<ReportedExpectation, 'index'>;

const FIELDS = ['verdict', 'certainty', 'stop', 'reply', 'effect'] as const;
type Field = (typeof FIELDS)[number];

function stated(call: ReportedCall, field: Field): string {
  return field === 'verdict' || field === 'certainty' ? call[field] : call[field].state;
}

const wantedOf = (expectation: OfCall): readonly { readonly field: Field; readonly values: readonly string[] }[] =>
  FIELDS.flatMap((field) => (expectation[field] ? [{ field, values: expectation[field] as readonly string[] }] : []));

/** What is expected, in words. */
export function expectedText(expectation: Expectation): string {
  if (expectation.about === 'finding') return `${expectation.finding}: ${expectation.absent ? 'not found' : 'found'}`;
  const terms = wantedOf(expectation).map(({ field, values }) => `${field} ${values.join(' or ')}`);
  return `${expectation.call}: ${terms.join(', ') || 'was called'}`;
}

function ofCall(report: Report, expectation: OfCall): Checked {
  const wanted = wantedOf(expectation);
  const expected = expectedText(expectation);
  const call = report.calls.find(({ name }) => name === expectation.call);
  if (!call) return { ok: false, expected, saw: `${expectation.call} was not called` };
  const saw = wanted.map(({ field }) => `${field} ${stated(call, field)}`).join(', ');
  return {
    ok: wanted.every(({ field, values }) => values.includes(stated(call, field))),
    expected,
    saw: `${expectation.call}: ${saw || 'was called'}`,
  };
}

function ofFinding(report: Report, expectation: OfFinding): Checked {
  const { finding, absent } = expectation;
  const found = report.findings.filter((one) => one.finding === finding);
  const seen = found[0] ? `found: ${found[0].sentence}` : 'not found';
  return { ok: (found.length === 0) === absent, expected: expectedText(expectation), saw: `${finding}: ${seen}` };
}

/** From which severity on something that no expectation names fails a run; `never` lets everything pass. */
export const FAIL_ON = [...SEVERITIES.slice(1), 'never'] as const;
export type FailOn = Exclude<Severity, 'ok'> | 'never';

/** What was found at or above a severity and no expectation names, as sentences, worst first. */
export function unexpected(report: Report, expectations: readonly Expectation[], failOn: FailOn): readonly string[] {
  if (failOn === 'never') return [];
  const bad = ({ severity }: { readonly severity: Severity }): boolean => SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(failOn);
  const calls = report.calls.filter((call) => bad(call) && !namesVerdict(expectations, call));
  const findings = report.findings.filter((one) => bad(one) && !namesFinding(expectations, one.finding));
  return [
    ...calls.map(({ name, verdict, severity, certainty }) => `${name}: ${verdict} (${severity}, ${certainty})`),
    ...findings.map(({ finding, severity, sentence }) => `${finding} (${severity}): ${sentence}`),
  ];
}

const namesVerdict = (expectations: readonly Expectation[], call: ReportedCall): boolean =>
  expectations.some((one) => one.about === 'call' && one.call === call.name && one.verdict?.includes(call.verdict) === true);

const namesFinding = (expectations: readonly Expectation[], finding: string): boolean =>
  expectations.some((one) => one.about === 'finding' && one.finding === finding && !one.absent);
