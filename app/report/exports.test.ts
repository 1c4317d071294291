// The exported forms of every golden trace: well formed, self-contained, and with whatever a server said as text.
import { describe, expect, test } from 'vitest';
import { asNs } from '../base/time';
import { Build, traceOf } from '../trace/build.testing';
import { HTTP_GOLDEN } from '../verdict/golden.http.testing';
import { TASK_GOLDEN } from '../verdict/golden.tasks.testing';
import { GOLDEN, untilOf } from '../verdict/golden.testing';
import { judge } from '../verdict/judge';
import { chromeTraceOf } from './chromeTrace';
import { htmlOf } from './html';
import { type Judged, reportOf } from './json';
import { junitOf } from './junit';
import { markdownOf } from './markdown';

const judgedAt = (frames: Build['frames'], until: number): Judged => {
  const trace = traceOf(frames);
  const court = judge(trace);
  court.advance(asNs(until));
  return { trace, court, names: new Map(), now: asNs(until) };
};

/** Every tag that is opened is closed, in order; attributes are quoted. Enough to know that nothing broke out. */
function wellFormed(markup: string): boolean {
  const open: string[] = [];
  for (const [, closing, name = '', , empty] of markup.matchAll(/<(\/)?([a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/)?>/g)) {
    if (['meta', '!doctype'].includes(name)) continue;
    if (closing) {
      if (open.pop() !== name) return false;
    } else if (!empty) open.push(name);
  }
  return open.length === 0;
}

describe.each([...GOLDEN, ...TASK_GOLDEN])('$rule, $answer: $story', (golden) => {
  const judged = judgedAt([...golden.frames], untilOf(golden));
  const report = reportOf(judged);

  test('the page is whole, loads nothing, and says every sentence and draws every call', () => {
    const page = htmlOf(report, 'a trace');
    expect(wellFormed(page.replace(/<!doctype html>|<style>[\s\S]*?<\/style>/g, ''))).toBe(true);
    expect(page).not.toMatch(/<script|src=|href=|url\((?!#hatch)|https?:/i);
    expect(page).not.toMatch(/undefined|NaN|Infinity|\[object/);
    expect(page.match(/<g class="row /g)).toHaveLength(report.calls.length);
  });

  test('JUnit counts what it holds, and what is not known is never a success', () => {
    const xml = junitOf(report, 'a trace', []);
    expect(wellFormed(xml)).toBe(true);
    expect(xml).toContain(`tests="${report.calls.length}"`);
    expect(xml.match(/<skipped/g) ?? []).toHaveLength(report.calls.filter(({ certainty }) => certainty === 'unknown').length);
  });

  test('Markdown has a row for every call', () => {
    expect(
      markdownOf(report)
        .split('\n')
        .filter((line) => /^\| [·i△◆] \|/.test(line)),
    ).toHaveLength(report.calls.length);
  });

  test('the trace for viewers has a span for every call, and no length below nothing', () => {
    const { traceEvents } = chromeTraceOf(judged);
    expect(traceEvents.filter(({ ph, cat }) => ph === 'X' && cat === 'mcp')).toHaveLength(report.calls.length);
    expect(traceEvents.every(({ ts = 0, dur = 0 }) => Number.isFinite(ts) && dur >= 0)).toBe(true);
  });
});

test.each(HTTP_GOLDEN)('over HTTP, $rule, $answer: page and Markdown name the exchanges, and how long lasts what lasts', (golden) => {
  const report = reportOf(judgedAt([...golden.frames], untilOf(golden)));
  const exchanges = report.calls.flatMap(({ http }) => http?.says ?? []);
  expect(exchanges.length).toBeGreaterThan(0);
  const lasting = report.findings.filter(({ lastsMs }) => lastsMs !== null);
  const forms = [htmlOf(report, 'a trace').replace(/&#39;/g, "'"), markdownOf(report).replace(/\\(?=[#_])/g, '')];
  for (const form of forms) {
    for (const says of exchanges) expect(form).toContain(`Over HTTP: ${says}`);
    expect(form.match(/It lasted \d/g) ?? []).toHaveLength(lasting.length);
  }
});

test.each(TASK_GOLDEN)('of tasks, $rule, $answer: page, picture, Markdown and the trace for viewers show its states', (golden) => {
  const judged = judgedAt([...golden.frames], untilOf(golden));
  const report = reportOf(judged);
  const tasks = report.calls.flatMap(({ task }) => task ?? []);
  const page = htmlOf(report, 'a trace').replace(/&#39;/g, "'");
  const states = tasks.flatMap((task) => task.states);
  expect(page.match(/<circle [^>]*class="state"/g) ?? []).toHaveLength(states.length);
  for (const { says } of tasks)
    expect([page.includes(`As a task: ${says}`), markdownOf(report).includes('As a task: ')]).toEqual([true, true]);
  expect(chromeTraceOf(judged).traceEvents.filter(({ name }) => name.startsWith('task: '))).toHaveLength(states.length);
});

test('what a server says is text in every form', () => {
  const hostile = '</script><img src=x onerror="alert(1)">|`*_[a](b)';
  const build = new Build().opened([{ name: hostile }]);
  build.at(10).call(1, hostile).at(50).error(1, -1, hostile);
  const report = reportOf(judgedAt(build.frames, 60e6));
  const page = htmlOf({ ...report, server: { name: hostile, version: '1', protocol: 'x', transport: 'stdio' } }, hostile);
  expect(page).not.toContain('<img');
  expect(page).not.toContain('</script>');
  expect(junitOf(report, hostile, [hostile])).not.toContain('<img');
  expect(markdownOf(report)).not.toMatch(/(?<!\\)<img/);
  expect(junitOf(report, 'a\u0000b', [])).not.toContain('\u0000');
});

test('a breach that nobody expected is a failure for JUnit', () => {
  const report = reportOf(judgedAt([], 0));
  const xml = junitOf(report, 'suite', ['charge: write-after-cancel']);
  expect(xml).toContain('failures="1"');
  expect(xml).toContain('<failure message="charge: write-after-cancel">');
});
