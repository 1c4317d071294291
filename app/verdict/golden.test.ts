// Every headline against its golden traces: yes, no and unknown.
import { describe, expect, test } from 'vitest';
import { traceOf } from '../trace/build.testing';
import { FAULT_GOLDEN, FAULT_RULES } from './golden.faults.testing';
import { HTTP_GOLDEN, HTTP_RULES } from './golden.http.testing';
import { TASK_GOLDEN, TASK_RULES } from './golden.tasks.testing';
import { GOLDEN, type Golden, untilOf } from './golden.testing';
import { judge } from './judge';
import { ruleOf } from './rules';
import { HEADLINES, SEVERITIES } from './verdict';

const verdictOf = (g: Omit<Golden, 'rule'>) => {
  const court = judge(traceOf(g.frames));
  court.advance(untilOf(g));
  const call = court.calls.all.findLast((c) => c.sender === 'client' && c.key === g.key);
  const verdict = court.verdict(call?.index ?? -1);
  if (!verdict) throw new Error(`no verdict on ${g.key}`);
  return { verdict, court };
};

describe.each(HEADLINES.map((id) => ({ id })))('$id', ({ id }) => {
  const cases = GOLDEN.filter((g) => g.rule === id);

  test('has a golden trace for yes, no and unknown', () => {
    expect(cases.map((g) => g.answer).sort()).toEqual(['no', 'unknown', 'yes']);
    expect(ruleOf(id).title).not.toBe('');
  });

  test.each(cases)('$answer: $story', (g) => {
    const { verdict } = verdictOf(g);
    const { stop, reply, effect } = verdict;
    const saw = {
      verdict: verdict.verdict,
      severity: verdict.severity,
      certainty: verdict.certainty,
      stop: stop.state,
      reply: reply.state,
      effect: effect.state,
    };
    expect(saw).toEqual(g.expect);
    if (g.answer === 'yes') expect(verdict.verdict).toBe(id);
    if (g.answer === 'no') expect(verdict.verdict).not.toBe(id);
  });
});

describe('over HTTP', () => {
  test.each(HTTP_RULES.map((rule) => ({ rule })))('$rule has a golden trace for yes, no and unknown', ({ rule }) => {
    const answers = HTTP_GOLDEN.filter((g) => g.rule === rule).map((g) => g.answer);
    expect(answers.sort()).toEqual(['no', 'unknown', 'yes']);
  });

  test.each(HTTP_GOLDEN)('$rule, $answer: $story', (g) => {
    const { verdict, court } = verdictOf(g);
    const { stop, reply, effect, severity, certainty } = verdict;
    const saw = { verdict: verdict.verdict, severity, certainty, stop: stop.state, reply: reply.state, effect: effect.state };
    expect(saw).toEqual(g.expect);
    expect(verdict.sentence).toContain(g.says);
    expect(court.findings.map(({ finding }) => finding)).toEqual(g.findings);
  });
});

describe('of tasks', () => {
  test.each(TASK_RULES.map((rule) => ({ rule })))('$rule has a golden trace for yes, no and unknown', ({ rule }) => {
    const answers = TASK_GOLDEN.filter((g) => g.rule === rule).map((g) => g.answer);
    expect(answers.sort()).toEqual(['no', 'unknown', 'yes']);
  });

  test.each(TASK_GOLDEN)('$rule, $answer: $story', (g) => {
    const { verdict, court } = verdictOf(g);
    const { stop, reply, effect, severity, certainty } = verdict;
    const saw = { verdict: verdict.verdict, severity, certainty, stop: stop.state, reply: reply.state, effect: effect.state };
    expect(saw).toEqual(g.expect);
    expect(verdict.sentence).toContain(g.says);
    expect(court.findings.map(({ finding }) => finding)).toEqual(g.findings);
  });
});

describe('under faults of ours', () => {
  test.each(FAULT_RULES.map((rule) => ({ rule })))('$rule has a golden trace for yes, no and unknown', ({ rule }) => {
    const answers = FAULT_GOLDEN.filter((g) => g.rule === rule).map((g) => g.answer);
    expect(answers.sort()).toEqual(['no', 'unknown', 'yes']);
  });

  test.each(FAULT_GOLDEN)('$rule, $answer: $story', (g) => {
    const { verdict, court } = verdictOf(g);
    const { stop, reply, effect, severity, certainty } = verdict;
    const saw = { verdict: verdict.verdict, severity, certainty, stop: stop.state, reply: reply.state, effect: effect.state };
    expect(saw).toEqual(g.expect);
    expect(verdict.sentence).toContain(g.says);
    expect(court.findings.map(({ finding }) => finding)).toEqual(g.findings);
    expect(stop.flags).toEqual([]);
    expect(verdict.faults.length).toBeGreaterThan(0);
  });
});

test.each([...GOLDEN, ...HTTP_GOLDEN, ...TASK_GOLDEN, ...FAULT_GOLDEN])(
  '$rule, $answer: every statement points at frames that exist, and none is worse than its rule allows',
  (g) => {
    const { verdict } = verdictOf(g);
    const refs = [verdict.because, verdict.stop.because, verdict.reply.because, verdict.effect.because];
    for (const because of refs) {
      expect(because.length).toBeGreaterThan(0);
      for (const { seq, says } of because) {
        expect(g.frames[seq]).toBeDefined();
        expect(says).not.toBe('');
      }
    }
    expect(SEVERITIES.indexOf(verdict.severity)).toBeLessThanOrEqual(SEVERITIES.indexOf(ruleOf(verdict.verdict).severity));
    expect(verdict.sentence).toMatch(/^[A-Z“].*\.$/s);
    expect(verdict.sentence).not.toMatch(/undefined|NaN|Infinity|∞/);
  },
);

test('a sentence says when, and how sure it is', () => {
  const story = (rule: string, answer: string) => {
    const g = GOLDEN.find((x) => x.rule === rule && x.answer === answer);
    if (!g) throw new Error('no such golden trace');
    return verdictOf(g).verdict.sentence;
  };
  expect(story('write-after-cancel', 'yes')).toBe(
    'The write landed 87 ms after your cancel: 1 line appended (probe ledger). The server had read the cancel at least 75 ms before it.',
  );
  expect(story('write-after-cancel', 'unknown')).toContain('It may not be this call’s own');
  expect(story('never-told', 'yes')).toContain('The server was never told to stop');
  expect(story('stopped', 'yes')).toContain('for longer than the call would still have needed');
  expect(story('unknown-write', 'yes')).toContain('assume that it may have happened');
});
