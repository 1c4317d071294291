// Every line of the report card against traces in which it is a pass, a fail, and not known.
import { describe, expect, test } from 'vitest';
import { fromMs } from '../../base/time';
import { Build } from '../../trace/build.testing';
import { HttpBuild } from '../../trace/buildHttp.testing';
import { judge } from '../../verdict/judge';
import { exampleOf } from './arguments';
import { CHECK_IDS, CHECKS, type Line, linesOf } from './card';
import type { Court, ExerciseRecord, RunRecord, ToolRecord } from './evidence';
import { type CheckedTool, momentOf, planOfTool, type RunKind, type Where, windowOf } from './plan';

const STDIO: Where = { protocol: '2025-11-25', transport: 'stdio' };

function courtOf(build: Build, untilMs: number): Court {
  const trace = build.trace();
  const court = judge(trace);
  court.advance(fromMs(untilMs));
  return { trace, calls: court.calls, world: court.world, findings: court.findings, verdict: (call) => court.verdict(call) };
}

const TOOL: CheckedTool = { name: 'write', description: 'Writes a line.', inputSchema: {} };

interface Told {
  readonly build: Build;
  /** By run, the ids of its calls. */
  readonly runs: Readonly<Partial<Record<RunKind, number | readonly [number, number]>>>;
  readonly tool?: Partial<CheckedTool>;
  readonly left?: ToolRecord['left'];
  readonly refusal?: string;
  readonly where?: Where;
}

/** The line of one check about a tool. */
function lineOf(check: string, { build, runs, tool = {}, left = {}, refusal, where = STDIO }: Told): Line | undefined {
  const court = courtOf(build, 20_000);
  const index = (id: number): number => court.calls.find(1, 'client', `n:${id}`)?.index ?? -1;
  const records = Object.fromEntries(
    Object.entries(runs).map(([kind, ids]): [string, RunRecord] => [
      kind,
      typeof ids === 'number' ? { call: index(ids) } : { call: index(ids[0]), again: index(ids[1]) },
    ]),
  );
  const record: ToolRecord = { tool: { ...TOOL, ...tool }, refusal, runs: records, left };
  return linesOf({ where, tools: [record], exercises: [] }, court).find((line) => line.check === check && line.tool === 'write');
}

const answer = (check: string, told: Told) => {
  const line = lineOf(check, told);
  return line && { status: line.status, sentence: line.sentence };
};

/** A session with a probe, and one call that nobody stopped, of which it saw the write. */
const begun = (tool: Readonly<Record<string, boolean>> = {}): Build =>
  new Build()
    .opened([{ name: 'write', annotations: tool }])
    .watching('file')
    .at(10)
    .call(1, 'write', { probes: ['file'], settle: 500, normally: 100 })
    .seen('file', 100, 105)
    .at(110)
    .result(1);

/** The same, and call 2 of it cancelled at 1060 ms. */
const stoppedAt1060 = (): Build =>
  begun()
    .at(1000)
    .call(2, 'write', { probes: ['file'], settle: 500, normally: 100 })
    .at(1060)
    .stop(2)
    .at(1061)
    .pong(2);

describe('honours-cancel', () => {
  test('fails where something was written after the cancel', () => {
    const build = stoppedAt1060().seen('file', 1095, 1105).clear('file', 1105, 1700);
    expect(answer('honours-cancel', { build, runs: { undisturbed: 1, 'at-work': 2 } })).toEqual({
      status: 'fail',
      sentence: expect.stringMatching(
        /^It wrote after it had been cancelled: 1 line appended \(file\), not before 35 ms after the cancel\.$/,
      ),
    });
  });

  test('passes where probes that have seen it write saw nothing for longer than it would have taken', () => {
    const build = stoppedAt1060().clear('file', 1000, 1700);
    expect(answer('honours-cancel', { build, runs: { undisturbed: 1, 'at-work': 2 } })).toMatchObject({
      status: 'pass',
      sentence: expect.stringContaining('It stopped: file saw nothing'),
    });
  });

  test('does not pass by a probe that has never seen it write', () => {
    const build = new Build()
      .opened([{ name: 'write' }])
      .watching('file')
      .at(1000)
      .call(2, 'write', { probes: ['file'], settle: 500, normally: 100 })
      .at(1060)
      .stop(2)
      .at(1061)
      .pong(2)
      .clear('file', 1000, 1700);
    expect(answer('honours-cancel', { build, runs: { 'at-work': 2 } })).toMatchObject({
      status: 'unknown',
      sentence: expect.stringContaining('have never seen it write'),
    });
  });

  test('does not know what silence means where nobody watches', () => {
    const build = new Build()
      .opened([{ name: 'write' }])
      .at(1000)
      .call(2, 'write', { settle: 500 })
      .at(1060)
      .stop(2)
      .at(1061)
      .pong(2);
    expect(answer('honours-cancel', { build, runs: { repeat: 2 } })).toMatchObject({
      status: 'unknown',
      sentence: expect.stringContaining('cannot be seen from the wire'),
    });
  });

  test('fails where the result comes all the same, and says how late', () => {
    const build = new Build()
      .opened([{ name: 'write' }])
      .at(1000)
      .call(2, 'write')
      .at(1060)
      .stop(2)
      .at(1061)
      .pong(2)
      .at(1400)
      .result(2);
    expect(answer('honours-cancel', { build, runs: { 'at-work': 2 } })).toEqual({
      status: 'fail',
      sentence: 'It worked on to its end: its result came 340 ms after the cancel.',
    });
  });

  test('does not know where the answer crossed the cancel', () => {
    const build = new Build()
      .opened([{ name: 'write' }])
      .at(1000)
      .call(2, 'write')
      .at(1060)
      .stop(2)
      .at(1061)
      .result(2)
      .at(1062)
      .pong(2);
    expect(answer('honours-cancel', { build, runs: { 'at-work': 2 } })?.status).toBe('unknown');
  });

  test('was not tried where there is no run, and says why', () => {
    expect(answer('honours-cancel', { build: begun(), runs: {}, left: { 'at-work': 'It takes 7 ms.' } })).toEqual({
      status: 'not-tried',
      sentence: 'It takes 7 ms.',
    });
  });
});

describe('keeps-silent-after-cancel', () => {
  const stopped = (): Build =>
    new Build()
      .opened([{ name: 'write' }])
      .at(1000)
      .call(2, 'write', { settle: 500 })
      .at(1060)
      .stop(2)
      .at(1061);

  test('passes where nothing came', () => {
    expect(answer('keeps-silent-after-cancel', { build: stopped().pong(2), runs: { 'at-work': 2 } })?.status).toBe('pass');
  });

  test('fails for an error that says so, and calls it harmless', () => {
    const build = stopped().error(2, 0, 'context canceled').at(1062).pong(2);
    expect(answer('keeps-silent-after-cancel', { build, runs: { 'at-work': 2 } })).toEqual({
      status: 'fail',
      sentence: 'It answered that it was cancelled, 1 ms after the cancel (error 0). Harmless, and not asked for: no answer is owed.',
    });
  });

  test('fails for a late result', () => {
    const build = stopped().pong(2).at(1400).result(2);
    expect(answer('keeps-silent-after-cancel', { build, runs: { 'at-work': 2 } })?.status).toBe('fail');
  });

  test('does not know where every answer crossed', () => {
    const build = stopped().result(2).at(1062).pong(2);
    expect(answer('keeps-silent-after-cancel', { build, runs: { 'at-work': 2 } })?.status).toBe('unknown');
  });
});

describe('no-progress-after-cancel', () => {
  const working = (): Build =>
    new Build()
      .opened([{ name: 'write' }])
      .at(1000)
      .call(2, 'write', { settle: 500 });
  const stop = (build: Build): Build => build.at(1060).stop(2).at(1061).pong(2);

  test.each([
    ['pass', stop(working().at(1030).progress(2))],
    ['fail', stop(working().at(1030).progress(2)).at(1200).progress(2, 2)],
    ['unknown', stop(working())],
  ])('%s', (status, build) => {
    expect(answer('no-progress-after-cancel', { build, runs: { 'at-work': 2 } })?.status).toBe(status);
  });
});

describe('stays-responsive', () => {
  const stopped = (): Build =>
    new Build()
      .opened([{ name: 'write' }])
      .at(1000)
      .call(2, 'write', { settle: 500 })
      .at(1060)
      .stop(2);

  test.each([
    ['pass', stopped().at(1062).pong(2)],
    ['fail', stopped().at(1900).result(2).at(1901).pong(2)],
    ['fail', stopped()],
    [
      'not-tried',
      new Build()
        .opened([{ name: 'write' }])
        .at(1000)
        .call(2, 'write', { settle: 500, fence: false })
        .at(1060)
        .stop(2, { fence: false }),
    ],
  ])('%s', (status, build) => {
    expect(answer('stays-responsive', { build, runs: { 'at-work': 2 } })?.status).toBe(status);
  });
});

describe('frees-processes', () => {
  const working = (): Build =>
    new Build()
      .opened([{ name: 'write' }])
      .effect({ effect: 'watching', probe: 'processes', kind: 'process', place: 'processes', shared: false })
      .at(1000)
      .call(2, 'write', { probes: ['processes'], settle: 500, normally: 100 });
  const sight = (build: Build, ms: number, does: string): Build =>
    build.at(ms).effect({
      effect: 'work',
      probe: 'processes',
      sign: 'process',
      lo: fromMs(ms),
      hi: fromMs(ms),
      says: `sh (pid 5) ${does}`,
      subject: 'pid 5',
    });
  const stop = (build: Build): Build => build.at(1060).stop(2).at(1061).pong(2);

  test.each([
    ['pass', 'No process was seen', stop(working())],
    ['pass', 'It had started 1 process; none was there', stop(sight(working(), 1020, 'started'))],
    [
      'fail',
      'A process that it had started ran on: sh (pid 5) still runs, 340 ms after the cancel',
      sight(stop(sight(working(), 1020, 'started')), 1400, 'still runs'),
    ],
  ])('%s: %s', (status, says, build) => {
    expect(answer('frees-processes', { build, runs: { 'at-work': 2 } })).toEqual({ status, sentence: expect.stringContaining(says) });
  });

  test('was not tried where nobody watched them, and is no line over HTTP', () => {
    expect(answer('frees-processes', { build: stoppedAt1060(), runs: { 'at-work': 2 } })?.status).toBe('not-tried');
    expect(
      answer('frees-processes', { build: stoppedAt1060(), runs: { 'at-work': 2 }, where: { ...STDIO, transport: 'http' } }),
    ).toBeUndefined();
  });
});

describe('repeat-after-cancel', () => {
  const repeated = (build: Build): Build => build.at(1062).call(3, 'write', { probes: ['file'], settle: 3000, retryOf: 2 });

  test('fails where both wrote', () => {
    const build = begun()
      .at(1000)
      .call(2, 'write', { probes: ['file'], settle: 100, normally: 100 })
      .seen('file', 1010, 1012)
      .at(1060)
      .stop(2)
      .at(1061)
      .pong(2);
    const both = repeated(build).seen('file', 1500, 1505).at(1510).result(3);
    expect(answer('repeat-after-cancel', { build: both, runs: { repeat: [2, 3] } })?.status).toBe('fail');
  });

  test('passes where only the repeat did', () => {
    const build = repeated(stoppedAt1060()).seen('file', 1700, 1705).at(1710).result(3);
    expect(answer('repeat-after-cancel', { build, runs: { undisturbed: 1, repeat: [2, 3] } })).toEqual({
      status: 'pass',
      sentence: 'Only the repeat wrote; it was answered after 648 ms.',
    });
  });

  /** Both were open when anything was seen: only how many there are can tell. */
  const withEffects = (...at: readonly number[]): Build =>
    at
      .reduce((build, ms) => build.seen('file', ms, ms + 2), repeated(stoppedAt1060()))
      .at(1710)
      .result(3);

  test('fails where two things are there and one call alone makes one', () => {
    expect(answer('repeat-after-cancel', { build: withEffects(1090, 1165), runs: { undisturbed: 1, repeat: [2, 3] } })).toEqual({
      status: 'fail',
      sentence: expect.stringContaining('left 2 changes where one call leaves 1'),
    });
  });

  test('does not know where two things are there and nobody has seen one call alone', () => {
    expect(answer('repeat-after-cancel', { build: withEffects(1090, 1165), runs: { repeat: [2, 3] } })?.status).toBe('unknown');
  });

  test('does not know where the repeat failed, or was not answered', () => {
    expect(
      answer('repeat-after-cancel', { build: repeated(stoppedAt1060()).at(1710).result(3, 'taken', true), runs: { repeat: [2, 3] } })
        ?.status,
    ).toBe('unknown');
    expect(answer('repeat-after-cancel', { build: repeated(stoppedAt1060()), runs: { repeat: [2, 3] } })?.status).toBe('unknown');
  });
});

describe('annotations-match-behaviour', () => {
  test.each([
    ['fail', { readOnlyHint: true }, { readOnly: true }],
    ['pass', { readOnlyHint: false }, { readOnly: false }],
    ['pass', {}, {}],
  ])('%s for %j', (status, annotations, tool) => {
    expect(answer('annotations-match-behaviour', { build: begun(annotations), runs: { undisturbed: 1 }, tool })?.status).toBe(status);
  });

  test('does not know of a tool that says it only reads and that nobody watches', () => {
    const build = new Build()
      .opened([{ name: 'write', annotations: { readOnlyHint: true } }])
      .at(10)
      .call(1, 'write')
      .at(20)
      .result(1);
    expect(answer('annotations-match-behaviour', { build, runs: { undisturbed: 1 }, tool: { readOnly: true } })?.status).toBe('unknown');
  });
});

describe('description-says-cancel', () => {
  test.each([
    ['pass', { description: 'Writes a line. Cancelled before 200 ms it writes nothing.' }],
    ['fail', { description: 'Writes a line.' }],
    ['fail', { description: undefined }],
    ['pass', { description: 'Reads a line.', readOnly: true }],
  ])('%s for %j', (status, tool) => {
    expect(answer('description-says-cancel', { build: begun(), runs: {}, tool })?.status).toBe(status);
  });

  test('quotes the sentence', () => {
    const tool = { description: 'Writes a line. Cancelled before 200 ms it writes nothing.' };
    expect(answer('description-says-cancel', { build: begun(), runs: {}, tool })?.sentence).toBe(
      'Its description says: “Cancelled before 200 ms it writes nothing.”',
    );
  });
});

describe('the whole server', () => {
  const PING = 'check-ping';
  const said = (): Build => new Build().opened().at(100).cancelled(99);
  const pinged = (build: Build): Build => build.c2s({ id: PING, method: 'ping' });
  const ponged = (build: Build): Build => pinged(build).at(105).s2c({ id: PING, result: {} });

  function serverLine(
    check: string,
    exercise: ExerciseRecord['exercise'],
    build: Build,
    requests: readonly string[] = [],
  ): Line | undefined {
    const record: ExerciseRecord = {
      exercise,
      tried: true,
      session: 1,
      from: new Build().opened().frames.length,
      to: build.frames.length,
      ping: `s:${PING}`,
      requests,
    };
    return linesOf({ where: STDIO, tools: [], exercises: [record] }, courtOf(build, 9000)).find((line) => line.check === check);
  }

  test.each([
    ['pass', ponged(said())],
    ['fail', pinged(said())],
    ['fail', pinged(said()).at(110).life({ event: 'exited', code: 1, asked: 'nobody' })],
    [
      'fail',
      ponged(
        said()
          .at(103)
          .s2c({ error: { code: -32601, message: 'method not found' } }),
      ),
    ],
    ['fail', ponged(said().at(103).s2c({ id: 99, result: {} }))],
  ])('ignores-unknown-id: %s', (status, build) => {
    expect(serverLine('ignores-unknown-id', 'unknown-id', build)?.status).toBe(status);
  });

  test('what stands in a refusal over HTTP is no answer to the notification', () => {
    const refusing = new HttpBuild().opened();
    const from = refusing.frames.length;
    const said = refusing.at(100).request();
    const exchange = said.newest;
    said.on(exchange).cancelled(99);
    const answers = (status: number) => (build: HttpBuild) =>
      build
        .respond(exchange, status, 'json')
        .s2c({ error: { code: -32000, message: 'not like this' } })
        .end(exchange)
        .on(undefined);
    const pong = (build: Build): Build => build.c2s({ id: PING, method: 'ping' }).at(120).s2c({ id: PING, result: {} });
    const record: ExerciseRecord = { exercise: 'unknown-id', tried: true, session: 1, from, to: 10_000, ping: `s:${PING}`, requests: [] };
    const build = pong(answers(400)(said));
    const lines = linesOf({ where: { ...STDIO, transport: 'http' }, tools: [], exercises: [record] }, courtOf(build, 9000));
    expect(lines.find(({ check }) => check === 'ignores-unknown-id')?.status).toBe('pass');
  });

  const listed = (): Build => new Build().opened().at(100).c2s({ id: 5, method: 'tools/list' }).cancelled('5');
  test.each([
    ['pass', ponged(listed()).s2c({ id: 5, result: { tools: [] } })],
    ['fail', ponged(listed())],
  ])('tells-ids-by-type: %s', (status, build) => {
    expect(serverLine('tells-ids-by-type', 'wrong-typed-id', build, ['n:5'])?.status).toBe(status);
  });

  const begins = (): Build => new Build().opened().at(100).c2s({ id: 'i1', method: 'initialize' }).cancelled('i1');
  test.each([
    ['pass', 'all the same', ponged(begins().s2c({ id: 'i1', result: {} }))],
    ['pass', 'Asked again, it shakes hands', ponged(begins()).c2s({ id: 'i2', method: 'initialize' }).s2c({ id: 'i2', result: {} })],
    ['fail', 'nobody can connect', ponged(begins()).c2s({ id: 'i2', method: 'initialize' })],
    ['fail', 'ended when it was sent this', pinged(begins()).life({ event: 'exited', code: 1, asked: 'nobody' })],
  ])('leaves-initialize-alone: %s, %s', (status, says, build) => {
    expect(serverLine('leaves-initialize-alone', 'initialize', build, ['s:i1', 's:i2'])).toMatchObject({
      status,
      sentence: expect.stringContaining(says),
    });
  });

  test('says why an exercise was not made', () => {
    const record: ExerciseRecord = { exercise: 'initialize', tried: false, why: 'There is no initialize in this revision.' };
    const lines = linesOf({ where: STDIO, tools: [], exercises: [record] }, courtOf(new Build().opened(), 100));
    expect(lines.find(({ check }) => check === 'leaves-initialize-alone')).toMatchObject({ status: 'not-tried', sentence: record.why });
  });
});

test('every check has an id of its own, a rule, and something to do', () => {
  expect(new Set(CHECK_IDS).size).toBe(CHECKS.length);
  for (const { source, fix, title } of CHECKS) for (const text of [source(STDIO), fix, title]) expect(text).not.toBe('');
});

test('a check that is left out has no line', () => {
  const record: ToolRecord = { tool: TOOL, refusal: 'No arguments are known.', runs: {}, left: {} };
  const card = (skip: readonly string[]) =>
    linesOf({ where: STDIO, tools: [record], exercises: [] }, courtOf(begun(), 500), skip).map(({ check }) => check);
  expect(card([])).toContain('description-says-cancel');
  expect(card(['description-says-cancel'])).not.toContain('description-says-cancel');
});

describe('the plan of a tool', () => {
  const facts = { tool: TOOL, where: STDIO, allowWrites: true, given: {}, normallyMs: 100, watchedBy: ['file'] };

  test('a tool that may write is called only when that is allowed, and watched', () => {
    expect(planOfTool({ ...facts, allowWrites: false })).toMatchObject({ called: false, why: expect.stringContaining('--allow-writes') });
    expect(planOfTool({ ...facts, watchedBy: [] })).toMatchObject({ called: false, why: expect.stringContaining('no probe watches') });
    expect(planOfTool(facts)).toMatchObject({ called: true, runs: ['at-work', 'at-once', 'repeat'] });
  });

  test('a tool that only reads is called without, and stopped at work once', () => {
    const tool = { ...TOOL, readOnly: true };
    expect(planOfTool({ ...facts, tool, allowWrites: false, watchedBy: [], normallyMs: undefined })).toMatchObject({
      called: true,
      runs: ['undisturbed', 'at-once', 'repeat'],
    });
  });

  test('over HTTP the other means is tried where a probe can show what comes of it', () => {
    const http = { protocol: '2025-11-25', transport: 'http' } as const;
    expect(planOfTool({ ...facts, where: http })).toMatchObject({ runs: ['at-work', 'at-once', 'repeat', 'other-means'] });
    expect(planOfTool({ ...facts, where: { ...http, transport: 'sse' } })).toMatchObject({ runs: ['at-work', 'at-once', 'repeat'] });
  });

  test('a tool that runs only as a task is left alone', () => {
    expect(planOfTool({ ...facts, tool: { ...TOOL, taskSupport: 'required' } })).toMatchObject({
      called: false,
      why: expect.stringContaining('only as a task'),
    });
  });

  test('arguments that nobody knows are not invented', () => {
    const inputSchema = { type: 'object', required: ['path'], properties: { path: { type: 'string' } } };
    expect(planOfTool({ ...facts, tool: { ...TOOL, inputSchema }, given: undefined })).toMatchObject({
      called: false,
      why: expect.stringContaining('requires path'),
    });
  });
});

test.each([
  [{}, { known: true, arguments: {} }],
  [
    { required: ['a', 'b'], properties: { a: { default: 0 }, b: { enum: ['x', 'y'] } } },
    { known: true, arguments: { a: 0, b: 'x' } },
  ],
  [
    { required: ['a'], properties: { a: { examples: ['one'] }, c: { default: 1 } } },
    { known: true, arguments: { a: 'one' } },
  ],
  [
    { required: ['a'], properties: { a: { type: 'string' } } },
    { known: false, missing: ['a'] },
  ],
  [
    { required: ['a'], examples: [{ a: 1 }] },
    { known: true, arguments: { a: 1 } },
  ],
])('the example of %j', (schema, example) => {
  expect(exampleOf(schema)).toEqual(example);
});

test('a call is cancelled past its middle, and watched for longer than it would have needed', () => {
  expect(momentOf(1000)).toBe(600);
  expect(momentOf(20)).toBeUndefined();
  expect(windowOf(1000, 600, 500)).toBe(600);
  expect(windowOf(1000, 900, 500)).toBe(500);
});
