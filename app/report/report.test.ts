// Reports of every golden trace: the JSON keeps to its schema, and the text says the same with the same marks.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { asNs } from '../base/time';
import { Build, traceOf } from '../trace/build.testing';
import { HttpBuild } from '../trace/buildHttp.testing';
import { TaskBuild } from '../trace/buildTasks.testing';
import { FAULT_GOLDEN } from '../verdict/golden.faults.testing';
import { HTTP_GOLDEN } from '../verdict/golden.http.testing';
import { TASK_GOLDEN } from '../verdict/golden.tasks.testing';
import { GOLDEN, type Golden, untilOf } from '../verdict/golden.testing';
import { judge } from '../verdict/judge';
import { checked, unexpected } from './expectations';
import { type Judged, reportOf } from './json';
import { report as schema } from './schema';
import { textOf } from './text';
import { listed, plainPaint, SIGNS, wrapped } from './words';

function judgedOf(g: Omit<Golden, 'rule'>): Judged {
  const trace = traceOf(g.frames);
  const court = judge(trace);
  court.advance(untilOf(g));
  return { trace, court, names: new Map(), now: untilOf(g) };
}

const story = (rule: string, answer: string): Golden => {
  const found = GOLDEN.find((g) => g.rule === rule && g.answer === answer);
  if (!found) throw new Error(`expected a golden trace of ${rule}: ${answer}`);
  return found;
};

const text = (judged: Judged, width = 100): readonly string[] => textOf(judged, reportOf(judged), { width, paint: plainPaint });

describe.each([...GOLDEN, ...HTTP_GOLDEN, ...TASK_GOLDEN, ...FAULT_GOLDEN])('$rule, $answer: $story', (g) => {
  const judged = judgedOf(g);

  test('the report is what its schema says, and survives JSON', () => {
    const report = reportOf(judged);
    expect(schema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    expect(report.calls.length).toBeGreaterThan(0);
  });

  test('the text keeps to the width, and every call has its sign and its verdict', () => {
    const report = reportOf(judged);
    const lines = text(judged, 90);
    const drawn = lines.slice(0, 1 + 2 * report.calls.length);
    expect(drawn.filter((line) => line.length > 90)).toEqual([]);
    expect(lines.join('\n')).not.toMatch(/undefined|NaN|Infinity|null|\[object/);
    for (const call of report.calls)
      expect(
        lines.some(
          (line) =>
            line.startsWith(`${SIGNS[call.severity]} ${call.name}: ${call.verdict}`) ||
            line.startsWith(`${SIGNS[call.severity]} ${call.name} (`),
        ),
      ).toBe(true);
  });
});

test('evidence is drawn: a write after the cancel has its mark, whatever else is there', () => {
  const lines = text(judgedOf(story('write-after-cancel', 'yes')));
  expect(lines.slice(0, 3).join('\n')).toMatch(/▼[^\n]*cancel[^\n]*\n[^\n]*◆/);
  expect(lines).toMatchSnapshot();
});

test('what is not known is hatched, and a call that nobody watched says so', () => {
  const drawn = (rule: string): string => text(judgedOf(story(rule, 'yes'))).join('\n');
  expect(drawn('unknown-write')).toMatch(/╱+○ not probed/);
  expect(drawn('stopped')).toMatch(/╱+✓ no effect seen/);
  expect(drawn('late-result')).toMatch(/▼╌+◁ late \+/);
});

describe('of tasks', () => {
  const run = (): TaskBuild =>
    new TaskBuild()
      .openedTasks()
      .at(10)
      .callTask(3, 'export')
      .at(12)
      .created(3, 'T')
      .at(200)
      .poll('T', 'working')
      .at(600)
      .poll('T', 'input_required');
  const judged = (build: TaskBuild): Judged => judgedOf({ ...story('completed', 'yes'), frames: build.frames, until: 1000 });

  test('a call is one row that lasts until its task came out, with its states and every time that it was asked for', () => {
    const lines = text(judged(run().at(900).poll('T', 'completed')), 140);
    expect(lines[1]).toMatch(/^· export#3 ┣━+∙━+●━+┫ 891 ms$/);
    expect(lines.join('\n')).toContain(
      'task    T: working, input_required after 591 ms, completed after 891 ms; polled 3 times; kept for 1 min 0 s',
    );
    expect(lines.join('\n')).toContain('● state of the task  ∙ asked for it');
    expect(text(judgedOf(story('completed', 'yes'))).join('\n')).not.toContain('state of the task');
  });

  test('the report has the changes of its state, and how often it was asked for', () => {
    const { calls } = reportOf(judged(run().at(900).poll('T', 'completed', { message: 'all pages written' })));
    expect(calls[0]?.task).toEqual({
      id: 'T',
      createdAtMs: 12,
      ttlMs: 60_000,
      pollIntervalMs: 500,
      states: [
        { status: 'working', by: 'creation', atMs: 12, seq: 11, says: null },
        { status: 'input_required', by: 'poll', atMs: 601, seq: 15, says: null },
        { status: 'completed', by: 'poll', atMs: 901, seq: 17, says: 'all pages written' },
      ],
      polls: 3,
      cancels: 0,
      says: 'T: working, input_required after 591 ms, completed after 891 ms; polled 3 times; kept for 1 min 0 s',
    });
  });

  test('over HTTP the POST of tasks/cancel is the one that carried the cancel', () => {
    const b = new HttpBuild()
      .openedHttp([{ name: 'export' }])
      .at(20)
      .post(3, 'export');
    const made = { task: { taskId: 'T', status: 'working' } };
    b.at(21).begun(b.postOf(3)).on(b.postOf(3)).s2c({ id: 3, result: made }).on(undefined).end(b.postOf(3));
    b.at(300).exchange('C', { method: 'tasks/cancel', params: { taskId: 'T' } }, { taskId: 'T', status: 'cancelled' });
    const { calls } = reportOf(judgedOf({ ...story('completed', 'yes'), frames: b.frames }));
    expect(calls[0]).toMatchObject({ stop: { state: 'task-cancel' }, http: { cancelExchange: b.newest, cancelStatus: 200 } });
  });

  test('tasks that nobody asks for any more are named', () => {
    const orphaned = judged(run().at(700).stopPolling(3).at(800).list({ A: 'working', B: 'completed' }));
    expect(reportOf(orphaned).orphanTasks.map(({ id, by }) => [id, by])).toEqual([
      ['T', 'poll'],
      ['A', 'list'],
    ]);
    expect(text(orphaned).join('\n')).toContain('A said “working” last (list), and nobody asks for it any more');
  });
});

describe('over HTTP', () => {
  const posted = (rule: string, answer: string): Judged => {
    const found = HTTP_GOLDEN.find((g) => g.rule === rule && g.answer === answer);
    if (!found) throw new Error(`expected a golden trace of ${rule}: ${answer}`);
    return judgedOf(found);
  };

  test('a report names the exchanges of a call and of its cancel, and how long its stream stays open', () => {
    const judged = posted('stream-never-ended', 'yes');
    const report = reportOf(judged);
    expect(report.calls[0]?.http).toEqual({
      exchange: 5,
      status: 200,
      streamOpenForMs: 11_978,
      end: null,
      resumedOn: [],
      cancelExchange: 6,
      cancelStatus: 202,
      says: 'POST #5: 200, its stream open for 12 s so far; the cancel by POST #6: 202',
    });
    expect(report.findings.map(({ finding, lastsMs }) => [finding, lastsMs])).toEqual([['stream-never-ended', 11_000]]);
    const lines = text(judged).join('\n');
    expect(lines).toMatch(/▼═+ +cancel · 202 · stream open 11 s/);
    expect(lines.replace(/\s+/g, ' ')).toContain('POST #5: 200, its stream open for 12 s so far; the cancel by POST #6: 202');
    expect(lines).toMatch(/It lasted\s+11 s/);
  });

  test('a stream that was taken up again is named, and a drop is no cancel', () => {
    expect(reportOf(posted('lost', 'no')).calls[0]?.http?.resumedOn).toEqual([6]);
    const dropped = posted('not-sent', 'yes');
    expect(reportOf(dropped).calls[0]).toMatchObject({
      stop: { state: 'not-sent', how: 'drop' },
      http: { end: 'cut', cancelExchange: null },
    });
    expect(text(dropped).join('\n')).toMatch(/▽╌*.*dropped, not told/);
  });
});

test('a painter is given every mark and every word in its role', () => {
  const judged = judgedOf(story('write-after-cancel', 'yes'));
  const painted = textOf(judged, reportOf(judged), { width: 100, paint: (role, piece) => `<${role}>${piece}</>` });
  expect(painted[2]).toMatch(/<breach>[^<]*◆/);
  expect(painted.map((line) => line.replace(/<\w*>|<\/>/g, ''))).toEqual(text(judged));
});

test('the documented report is one', () => {
  const docs = readFileSync(fileURLToPath(new URL('../../docs/cli.md', import.meta.url)), 'utf8');
  const [, shown = ''] = /```json\n(.*?)```/s.exec(docs) ?? [];
  expect(schema.parse(JSON.parse(shown)).calls[0]?.verdict).toBe('write-after-cancel');
});

test('a trace without calls', () => {
  const trace = traceOf([]);
  const judged = { trace, court: judge(trace), names: new Map(), now: asNs(0) };
  expect(schema.parse(reportOf(judged))).toMatchObject({ server: null, calls: [] });
  expect(text(judged)).toEqual(['No calls.']);
});

describe('expectations', () => {
  const judged = judgedOf(story('write-after-cancel', 'yes'));
  const report = reportOf(judged);
  const name = report.calls.at(-1)?.name ?? '';
  const none = { verdict: undefined, certainty: undefined, stop: undefined, reply: undefined, effect: undefined };

  test('hold or do not, and say what was seen', () => {
    expect(
      checked(report, [
        { about: 'call', call: name, ...none, verdict: ['stopped', 'write-after-cancel'], certainty: ['proved'] },
        { about: 'call', call: name, ...none, stop: ['sent'], effect: ['not-seen'] },
        { about: 'call', call: 'other', ...none },
        { about: 'finding', finding: 'noise-on-stdout', absent: true },
        { about: 'finding', finding: 'noise-on-stdout', absent: false },
      ]),
    ).toEqual([
      {
        index: 0,
        ok: true,
        expected: `${name}: verdict stopped or write-after-cancel, certainty proved`,
        saw: `${name}: verdict write-after-cancel, certainty proved`,
      },
      { index: 1, ok: false, expected: `${name}: stop sent, effect not-seen`, saw: `${name}: stop sent, effect after` },
      { index: 2, ok: false, expected: 'other: was called', saw: 'other was not called' },
      { index: 3, ok: true, expected: 'noise-on-stdout: not found', saw: 'noise-on-stdout: not found' },
      { index: 4, ok: false, expected: 'noise-on-stdout: found', saw: 'noise-on-stdout: not found' },
    ]);
  });

  test('a breach that none of them names is a surprise; one that is named is not', () => {
    expect(unexpected(report, [], 'breach')).toEqual([`${name}: write-after-cancel (breach, proved)`]);
    expect(unexpected(report, [{ about: 'call', call: name, ...none, effect: ['after'] }], 'breach')).toHaveLength(1);
    expect(unexpected(report, [{ about: 'call', call: name, ...none, verdict: ['write-after-cancel'] }], 'breach')).toEqual([]);
    expect(unexpected(report, [], 'never')).toEqual([]);
  });

  test('findings count like verdicts', () => {
    const finding = { finding: 'server-blocked', severity: 'warn', seq: 1, sentence: 'It read nothing.', lastsMs: null } as const;
    const blocked = { ...report, calls: [], findings: [finding] };
    expect(unexpected(blocked, [], 'breach')).toEqual([]);
    expect(unexpected(blocked, [], 'warn')).toEqual(['server-blocked (warn): It read nothing.']);
    expect(unexpected(blocked, [{ about: 'finding', finding: 'server-blocked', absent: false }], 'warn')).toEqual([]);
  });
});

test('wrapping', () => {
  expect(wrapped('a bb ccc dddd', 6)).toEqual(['a bb', 'ccc', 'dddd']);
  expect(wrapped('aaaaaaaaaa b', 4)).toEqual(['aaaaaaaaaa', 'b']);
  expect(wrapped('', 4)).toEqual(['']);
  expect(listed(['a b', 'c d', 'e f'], 8)).toEqual(['a b  c d', 'e f']);
});

test.each(GOLDEN)('$rule, $answer: whatever the JSON states, it says which frames show it', (g) => {
  for (const call of reportOf(judgedOf(g)).calls) {
    for (const { because } of [call, call.stop, call.reply, call.effect]) expect(because.length).toBeGreaterThan(0);
    for (const { seq } of call.effect.observations) expect(g.frames[seq]?.kind).toBe('effect');
  }
});

test('what was taken back is not drawn as an effect that is there, nor as if nothing had been seen', () => {
  const drawn = text(judgedOf(story('rolled-back', 'yes')))
    .slice(0, 3)
    .join('\n');
  expect(drawn).toMatch(/↶[^\n]*taken back · ledger/);
  expect(drawn).not.toMatch(/◇|no effect seen/);
});

test('nothing is drawn as watched beyond the reading that says so, whatever came later in the trace', () => {
  const g = story('stopped', 'yes');
  const build = new Build();
  build.frames.push(...g.frames);
  const trace = traceOf(build.at(30_000).call(9, 'charge').at(31_000).result(9).frames);
  const court = judge(trace);
  court.advance(asNs(32e9));
  const lines = text({ trace, court, names: new Map(), now: asNs(32e9) });
  const column = (sign: string): number => Math.max(...lines.slice(0, 7).map((line) => line.indexOf(sign)));
  expect(column('✓')).toBeGreaterThan(0);
  expect(column('✓')).toBeLessThan(column('┣'));
});
