// A report card in each of its forms: what failed is said with what to do, and what a server said is text everywhere.
import { expect, test } from 'vitest';
import { plainPaint } from '../words';
import { checkHtml } from './html';
import { checkJunit } from './junit';
import { checkMarkdown } from './markdown';
import { type Card, checkReport, checkReportOf } from './schema';
import { checkText } from './text';
import { groupsOf, sumsOf } from './words';

const EVIL = '<script>alert(1)</script>';

const card: Card = {
  server: { name: `shop ${EVIL}`, version: '1', protocol: '2025-11-25', transport: 'stdio' },
  interrupted: false,
  lines: [
    {
      check: 'ignores-unknown-id',
      tool: undefined,
      status: 'pass',
      sentence: 'It ignored them.',
      source: 'S',
      because: [{ seq: 3, says: 'sent' }],
    },
    {
      check: 'honours-cancel',
      tool: 'charge',
      status: 'fail',
      sentence: `It wrote ${EVIL}.`,
      source: '2025-11-25 cancellation',
      because: [{ seq: 7, says: EVIL }],
    },
    { check: 'heeds-early-cancel', tool: 'charge', status: 'unknown', sentence: 'Not known.', source: 'S', because: [] },
    ...['honours-cancel', 'heeds-early-cancel', 'keeps-silent-after-cancel'].map((check) => ({
      check,
      tool: 'mail',
      status: 'not-tried' as const,
      sentence: 'No arguments are known.',
      source: 'S',
      because: [],
    })),
  ],
};
const report = checkReportOf(card);

test('the JSON keeps to its schema, and null stands for the whole server', () => {
  expect(checkReport.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  expect(report.lines[0]?.tool).toBeNull();
  expect(checkReport.safeParse({ ...report, lines: [{ ...report.lines[0], check: 'none-such' }] }).success).toBe(false);
});

test('the text says what to do once for each check, and why a tool was not tried in one line', () => {
  const text = checkText(report, 100, plainPaint).join('\n');
  expect(text).toContain('✗ honours-cancel');
  expect(text.match(/fix {3}/g)).toHaveLength(1);
  expect(text).toContain('honours-cancel: charge');
  expect(text.match(/No arguments are known/g)).toHaveLength(1);
  expect(text).toContain('1 failed, 1 passed, 1 not known, 3 not tried.');
});

test('an interrupted card says so', () => {
  expect(checkText(checkReportOf({ ...card, interrupted: true }), 100, plainPaint).join('\n')).toContain('Ended early.');
});

test.each([
  ['HTML', checkHtml(report)],
  ['JUnit', checkJunit(report)],
  ['Markdown', checkMarkdown(report)],
])('%s takes what a server said as text', (_form, text) => {
  expect(text).not.toContain(EVIL);
  expect(text).toContain('honours-cancel');
});

test('in JUnit what is not known is skipped, never passed', () => {
  const text = checkJunit(report);
  expect(text).toContain('tests="6" failures="1" skipped="4"');
  expect(text).toContain('<skipped message="unknown: Not known."/>');
});

test('lines are grouped by what they are about, in their order', () => {
  expect(groupsOf(report).map(({ tool, untried }) => [tool, untried])).toEqual([
    [null, undefined],
    ['charge', undefined],
    ['mail', 'No arguments are known.'],
  ]);
  expect(sumsOf({ lines: [] })).toBe('0 failed');
});
