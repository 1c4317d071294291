// The laws of the judge: the same facts give the same verdict however their wires interleave and however they are cut
// into pieces, the history is never rewritten, and calls in flight together do not disturb each other.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asNs, FOREVER, fromMs, type Ns } from '../base/time';
import { append, Build, traceOf } from '../trace/build.testing';
import { HttpBuild } from '../trace/buildHttp.testing';
import { TaskBuild } from '../trace/buildTasks.testing';
import { Trace } from '../trace/trace';
import type { Frame } from '../wire/frame';
import { FAULT_GOLDEN } from './golden.faults.testing';
import { HTTP_GOLDEN } from './golden.http.testing';
import { TASK_GOLDEN } from './golden.tasks.testing';
import { GOLDEN as OVER_STDIO, untilOf } from './golden.testing';
import { type Judge, judge } from './judge';
import type { Verdict } from './verdict';

const GOLDEN = [...OVER_STDIO, ...HTTP_GOLDEN, ...TASK_GOLDEN, ...FAULT_GOLDEN];

/** What a verdict says, without the numbers of the frames that it points at. */
const gist = (v: Verdict) => ({
  ...Object.fromEntries(
    Object.entries(v).filter(([key]) => !['because', 'history', 'stop', 'reply', 'effect', 'fence', 'faults', 'normally'].includes(key)),
  ),
  because: v.because.map((b) => b.says),
  faults: v.faults.map((b) => b.says),
  stop: { ...v.stop, because: v.stop.because.map((b) => b.says) },
  reply: { ...v.reply, because: v.reply.because.map((b) => b.says) },
  effect: {
    state: v.effect.state,
    certainty: v.effect.certainty,
    readFirst: v.effect.readFirst,
    seen: v.effect.observations.map(({ seq: _, ...o }) => o),
  },
  fence: { ...v.fence, seq: undefined },
  takes: v.normally?.takes,
});

const all = (court: Judge): Verdict[] =>
  court.calls.all.flatMap((call) => {
    const verdict = court.verdict(call.index);
    return verdict ? [verdict] : [];
  });

/** Verdicts by call, so that another order of the requests of two wires does not matter. */
const byCall = (court: Judge) => {
  const named = court.calls.all.map(
    (call) => [`${call.session} ${call.sender} ${call.key} ${call.occurrence}`, court.verdict(call.index)] as const,
  );
  return Object.fromEntries(named.flatMap(([name, verdict]) => (verdict ? [[name, { ...gist(verdict), call: 0 }]] : [])));
};

const judged = (frames: readonly Frame[], until: Ns): Judge => {
  const court = judge(traceOf(frames));
  court.advance(until);
  return court;
};

/** The wire that a frame came over: acts are made by the process that writes to the server, in the same turn. */
const wireOf = (frame: Frame): string => (frame.kind === 'effect' ? `probe ${frame.effect.probe}` : frame.dir === 's2c' ? 'in' : 'out');

function merge(frames: readonly Frame[], choose: (options: number) => number): Frame[] {
  const wires = new Map<string, Frame[]>();
  for (const frame of frames) wires.set(wireOf(frame), [...(wires.get(wireOf(frame)) ?? []), frame]);
  const queues = [...wires.values()];
  const renumbered = new Map<number, number>();
  const merged: Frame[] = [];
  while (queues.some((queue) => queue.length > 0)) {
    const open = queues.filter((queue) => queue.length > 0);
    const next = open[choose(open.length)]?.shift();
    if (!next) continue;
    renumbered.set(next.seq, merged.length);
    merged.push({ ...next, seq: merged.length });
  }
  return merged.map((frame) =>
    frame.kind === 'effect' && frame.effect.effect === 'reverted'
      ? { ...frame, effect: { ...frame.effect, of: frame.effect.of.map((seq) => renumbered.get(seq) ?? seq) } }
      : frame,
  );
}

describe('any interleaving that keeps each wire’s order gives the same verdicts', () => {
  test.each(GOLDEN)('$rule, $answer: $story', (g) => {
    const straight = byCall(judged(g.frames, untilOf(g)));
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(1000)), (stream) => {
        const mixed = merge(g.frames, (options) => (stream.next().value ?? 0) % options);
        expect(byCall(judged(mixed, untilOf(g)))).toEqual(straight);
      }),
      { numRuns: 25 },
    );
  });
});

describe('folding in pieces equals folding at once', () => {
  test.each(GOLDEN)('$rule, $answer: $story', (g) => {
    const whole = all(judged(g.frames, untilOf(g)));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const trace = new Trace();
        const court = judge(trace);
        const rest = [...g.frames];
        for (let i = 0; rest.length > 0; i++) {
          const piece = rest.splice(0, sizes[i % sizes.length] ?? 1);
          for (const frame of piece) append(trace, frame);
          court.advance(piece.at(-1)?.t ?? asNs(0));
        }
        court.advance(untilOf(g));
        expect(all(court)).toEqual(whole);
      }),
      { numRuns: 15 },
    );
  });

  test.each(GOLDEN)('also when all of the trace is there already: $rule, $answer: $story', (g) => {
    const trace = traceOf(g.frames);
    const court = judge(trace);
    for (let end = 1; end <= trace.length; end += 3) court.advance(trace.t(end - 1), end);
    court.advance(untilOf(g));
    expect(all(court)).toEqual(all(judged(g.frames, untilOf(g))));
  });
});

test('the history has every change in order, and a deadline is judged at its own moment', () => {
  const b = new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger')
    .at(10);
  b.call(3, 'charge', { probes: ['ledger'], normally: 10_000 })
    .at(310)
    .stop(3)
    .at(312)
    .pong(3)
    .clear('ledger', 6, 3320);
  const court = judged(b.frames, fromMs(9000));
  expect(court.nextAt).toBe(fromMs(310 + 1.5 * (10_000 - 300)));
  const verdict = all(court).at(-1);
  expect(verdict?.history).toEqual([
    { at: fromMs(10), verdict: 'waiting' },
    { at: fromMs(310), verdict: 'settling' },
    { at: fromMs(3310), verdict: 'quiet' },
  ]);
});

describe('tasks', () => {
  const running = (tool = 'search'): TaskBuild =>
    new TaskBuild()
      .openedTasks([{ name: 'search', annotations: { readOnlyHint: true } }, { name: 'charge' }])
      .at(10)
      .callTask(3, tool)
      .at(12)
      .created(3, 'T');
  const of = (court: Judge): Verdict | undefined => court.verdict(court.calls.all.find(({ key }) => key === 'n:3')?.index ?? -1);

  test('a poll that says what is known changes nothing; one that says otherwise does', () => {
    const b = running().at(100).poll('T', 'working').at(200).poll('T', 'input_required');
    const trace = new Trace();
    const court = judge(trace);
    const changes = b.frames.map((frame) => {
      append(trace, frame);
      return court.advance(frame.t).some(({ call }) => court.calls.all[call]?.key === 'n:3');
    });
    expect(changes.slice(-5)).toEqual([true, false, false, false, true]);
  });

  test('work in flight beside it: a log is a stopped task’s own only while it alone has not come out', () => {
    const stopped = (): TaskBuild => running().at(310).cancelTask(3, 'T').at(311).refused(-32603, 'busy');
    expect(of(judged(stopped().at(600).log().frames, fromMs(9000)))?.verdict).toBe('still-working');
    const beside = stopped().at(400).callTask(4, 'search').at(402).created(4, 'U').at(600).log();
    expect(of(judged(beside.frames, fromMs(9000)))?.afterStop.logs).toBe(0);
    const over = stopped().at(400).callTask(4, 'search').at(402).created(4, 'U').at(500).news('U', 'completed').at(600).log();
    expect(of(judged(over.frames, fromMs(9000)))?.afterStop.logs).toBe(1);
  });

  test('a question of the server that names the task is its work, whatever else is open', () => {
    const named = (task: string): object => ({ _meta: { 'io.modelcontextprotocol/related-task': { taskId: task } } });
    const asking = (task: string): TaskBuild =>
      running()
        .at(310)
        .cancelTask(3, 'T')
        .at(311)
        .refused(-32603, 'busy')
        .at(400)
        .call(4, 'search')
        .at(600)
        .s2c({ id: 1, method: 'elicitation/create', params: named(task) });
    expect(of(judged(asking('T').frames, fromMs(9000)))).toMatchObject({
      verdict: 'still-working',
      certainty: 'proved',
      afterStop: { requests: 1 },
    });
    expect(of(judged(asking('U').frames, fromMs(9000)))?.afterStop.requests).toBe(0);
  });

  test('a finished task tells how long its tool takes, and a list that shows its end is heard', () => {
    const b = running('charge')
      .at(500)
      .list({ T: 'completed' })
      .at(1000)
      .watching('ledger')
      .call(4, 'charge', { probes: ['ledger'] })
      .at(1100)
      .stop(4)
      .at(1101)
      .pong(4);
    const court = judged(b.clear('ledger', 1000, 4200).frames, fromMs(9000));
    expect(of(court)).toMatchObject({ verdict: 'completed', reply: { state: 'in-time', at: fromMs(500) } });
    expect(court.verdict(court.calls.all.findLast(({ key }) => key === 'n:4')?.index ?? -1)).toMatchObject({
      verdict: 'stopped',
      normally: { takes: fromMs(490) },
    });
  });

  test('a retry of a stopped task that wrote twice is a double write', () => {
    const b = new TaskBuild()
      .openedTasks([{ name: 'charge' }])
      .at(5)
      .watching('ledger')
      .at(10)
      .callTask(3, 'charge', { probes: ['ledger'] });
    b.at(12).created(3, 'T').at(100).cancelTask(3, 'T').at(101).acknowledged('T').seen('ledger', 200, 210);
    b.at(4000)
      .call(4, 'charge', { probes: ['ledger'], retryOf: 3 })
      .seen('ledger', 4100, 4110)
      .at(4200)
      .result(4);
    const court = judged(b.frames, fromMs(9000));
    expect(court.verdict(court.calls.all.findLast(({ key }) => key === 'n:4')?.index ?? -1)?.verdict).toBe('double-write');
    expect(of(court)?.verdict).toBe('write-after-cancel');
  });

  test('a call that a fault of ours still keeps from the server is never called stopped', () => {
    const b = new Build()
      .opened([{ name: 'charge' }])
      .at(5)
      .watching('ledger')
      .at(10)
      .act({ act: 'call', id: 3, tool: 'charge', probes: ['ledger'], settle: fromMs(3000), normally: fromMs(400), fence: true })
      .fault('hold', 'request', 3)
      .at(310)
      .stop(3)
      .at(312)
      .pong(3)
      .clear('ledger', 5, 10_400);
    const verdict = of(judged(b.frames, fromMs(12_000)));
    expect(verdict).toMatchObject({ verdict: 'quiet', certainty: 'unknown', stop: { state: 'sent' } });
    expect(verdict?.sentence).toContain('has not been sent the call yet');
  });

  test('a tasks/cancel that a fault of ours drops told nobody; one that it holds counts from when it was written', () => {
    const cancel = { id: 'C', method: 'tasks/cancel', params: { taskId: 'T' } };
    const stopped = (fault: 'hold' | 'drop'): TaskBuild =>
      running('charge')
        .at(310)
        .act({ act: 'stop', id: 3, how: { means: 'cancel' }, wrote: true, late: false })
        .frame('c2s', {
          kind: 'act',
          act: {
            act: 'fault',
            fault,
            rule: 'lost',
            item: 1,
            what: 'request',
            id: 'C',
            method: 'tasks/cancel',
            raw: JSON.stringify(cancel),
          },
        });
    expect(of(judged(stopped('drop').at(900).poll('T', 'completed').frames, fromMs(9000)))).toMatchObject({
      verdict: 'never-told',
      stop: { state: 'undelivered', because: [{ says: 'a fault of ours (lost) dropped the tasks/cancel' }] },
    });
    const held = stopped('hold')
      .at(500)
      .frame('c2s', { kind: 'act', act: { act: 'released', item: 1, by: 'time', id: 'C' } })
      .c2s(cancel);
    const verdict = of(judged(held.at(501).s2c({ id: 'C', result: { taskId: 'T', status: 'cancelled' } }).frames, fromMs(9000)));
    expect(verdict).toMatchObject({ stop: { state: 'task-cancel', at: fromMs(500) }, reply: { state: 'acknowledged', lateBy: fromMs(1) } });
  });

  test('a ping behind the notification does not tell that the tasks/cancel after it was read', () => {
    const b = new TaskBuild(true)
      .openedTasks([{ name: 'charge' }])
      .at(5)
      .watching('ledger')
      .at(10)
      .callTask(3, 'charge', { probes: ['ledger'] })
      .at(300)
      .act({ act: 'stop', id: 3, how: { means: 'cancel' }, wrote: true, late: false })
      .cancelled(3)
      .act({ act: 'fence', id: 3, ping: 'fence-3' })
      .c2s({ id: 'fence-3', method: 'server/discover' })
      .at(302)
      .pong(3)
      .at(303)
      .created(3, 'T')
      .at(340)
      .cancelTask(3, 'T')
      .at(342)
      .seen('ledger', 341, 342)
      .at(900)
      .acknowledged('T');
    const verdict = of(judged(b.frames, fromMs(9000)));
    expect(verdict).toMatchObject({ verdict: 'write-after-cancel', stop: { at: fromMs(340) }, effect: { readFirst: 'unknown' } });
  });

  test('a cancel that is refused because the task had ended takes nothing back from having told nobody', () => {
    const refused = (b: TaskBuild): TaskBuild =>
      b.at(900).cancelTask(3, 'T').at(902).refused(-32602, 'Cannot cancel task in terminal status');
    const given = running().at(310).stopPolling(3);
    expect(of(judged(refused(given).frames, fromMs(9000)))).toMatchObject({
      verdict: 'never-told',
      stop: { state: 'not-sent', at: fromMs(310) },
    });
    expect(of(judged(refused(running()).frames, fromMs(9000)))?.stop.state).toBe('task-cancel');
  });

  test('a task that is given up, and cancelled in a later session with its server, was told', () => {
    const id = '786512e2-9e0d-44bd-8f29-789f320fe840';
    const address = { event: 'connecting', url: 'http://127.0.0.1:3000/mcp', transport: 'http' } as const;
    const b = new TaskBuild()
      .life(address)
      .openedTasks([{ name: 'charge' }])
      .at(10)
      .callTask(3, 'charge')
      .at(12)
      .created(3, id)
      .at(100)
      .stopPolling(3);
    expect(of(judged(b.frames, fromMs(9000)))?.verdict).toBe('never-told');
    b.at(200)
      .life({ event: 'closed' })
      .session(2)
      .at(300)
      .life(address)
      .openedTasks()
      .at(400)
      .list({ [id]: 'working' })
      .at(500)
      .c2s({ id: 'C', method: 'tasks/cancel', params: { taskId: id } });
    b.at(501).s2c({ id: 'C', result: { taskId: id, status: 'cancelled' } });
    expect(of(judged(b.frames, fromMs(9000)))).toMatchObject({
      verdict: 'unknown-write',
      stop: { state: 'task-cancel', at: fromMs(500) },
      reply: { state: 'acknowledged' },
    });
  });

  test('a task that is forgotten once its cancel was taken is not lost', () => {
    const b = running()
      .at(310)
      .cancelTask(3, 'T')
      .at(311)
      .acknowledged('T', 'working')
      .at(600)
      .ask('T')
      .at(601)
      .refused(-32602, 'Task not found');
    expect(of(judged(b.frames, fromMs(9000)))).toMatchObject({ verdict: 'unknown-read', reply: { state: 'none' } });
  });

  test('an outcome is late only where something shows that it had not been there when the cancel was read', () => {
    const state = (b: TaskBuild): string | undefined => of(judged(b.frames, fromMs(9000)))?.reply.state;
    const cancelled = (b: TaskBuild): TaskBuild =>
      b
        .at(310)
        .act({ act: 'stop', id: 3, how: { means: 'cancel' }, wrote: true, late: false })
        .c2s({ id: 'C', method: 'tasks/cancel', params: { taskId: 'T' } })
        .at(311)
        .s2c({ id: 'C', error: { code: -32603, message: 'busy' } });
    expect(state(cancelled(running()).at(600).fetch('T').at(601).fetched('T'))).toBe('crossed');
    expect(state(cancelled(running().at(300).fetch('T')).at(601).fetched('T'))).toBe('late-result');
    expect(state(cancelled(running().at(309).ask('T')).at(601).says('T', 'completed'))).toBe('crossed');
    expect(state(cancelled(running()).at(601).news('T', 'completed'))).toBe('late-result');
    expect(state(cancelled(running()).at(315).news('T', 'completed'))).toBe('crossed');
  });

  test('a state that nobody knows shows nobody at work', () => {
    const b = (status: string): TaskBuild =>
      running().at(310).cancelTask(3, 'T').at(311).refused(-32603, 'busy').at(600).poll('T', status).at(900).poll('T', 'completed');
    expect(of(judged(b('archived').frames, fromMs(9000)))?.reply.state).toBe('crossed');
    expect(of(judged(b('input_required').frames, fromMs(9000)))?.reply.state).toBe('late-result');
  });

  test('what the caller was told is what its next poll says', () => {
    const saw = (b: TaskBuild): string | undefined => of(judged(b.frames, fromMs(9000)))?.callerSaw;
    expect(saw(running().at(310).cancelTask(3, 'T').at(311).acknowledged('T'))).toBe(
      'Error -32603, “Task T was cancelled”, at its next poll: the same as a failure.',
    );
    expect(saw(running().at(310).cancelTask(3, 'T').at(311).acknowledged('T').at(600).poll('T', 'completed'))).toContain('was cancelled');
    expect(saw(running().at(310).stopPolling(3))).toBe('Nothing: it has stopped polling.');
    expect(saw(running().at(310).poll('T', 'completed'))).toBe('The result, as it came.');
    expect(saw(running().at(310).stopAct(3, { means: 'notify' }, true).cancelled(3, 'no more'))).toBe(
      'Error -32603, “no more”: the same as a failure.',
    );
    expect(saw(running().at(310).stopPolling(3, { means: 'timeout', silent: true }))).toContain('Request timed out');
  });

  test('a tasks/cancel whose POST was refused told nobody', () => {
    const b = new HttpBuild()
      .openedHttp([{ name: 'charge' }])
      .at(20)
      .post(3, 'charge');
    const made = { task: { taskId: 'T', status: 'working' } };
    b.at(21).begun(b.postOf(3)).on(b.postOf(3)).s2c({ id: 3, result: made }).on(undefined).end(b.postOf(3));
    b.at(300).act({ act: 'stop', id: 3, how: { means: 'cancel' }, wrote: true, late: false });
    b.request({ id: 'C' })
      .on(b.newest)
      .c2s({ id: 'C', method: 'tasks/cancel', params: { taskId: 'T' } })
      .at(310)
      .respond(b.newest, 503);
    expect(of(judged(b.frames, fromMs(9000)))).toMatchObject({ verdict: 'never-told', stop: { state: 'undelivered', at: fromMs(300) } });
  });
});

test('a call that was answered before its cancel left is settled with that: no window is waited for', () => {
  const b = new Build().opened().at(10).call(3, 'charge').at(20).result(3).at(30).stopAct(3, { means: 'cancel' }, true).cancelled(3);
  const court = judged(b.frames, fromMs(31));
  expect(all(court).at(-1)).toMatchObject({ verdict: 'finished-first', settled: true });
  expect(court.nextAt).toBe(FOREVER);
});

test('a reading is due when a deadline has passed, and not once it was taken', () => {
  const b = new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger')
    .at(10);
  b.call(3, 'charge', { probes: ['ledger'], normally: 400 })
    .at(100)
    .stop(3)
    .at(102)
    .pong(3);
  const trace = traceOf(b.frames);
  const court = judge(trace);
  court.advance(fromMs(3000));
  expect(court.due(fromMs(3000))).toEqual([]);
  court.advance(fromMs(3100));
  expect(court.due(fromMs(3100))).toEqual([{ session: 1, probe: 'ledger' }]);
  b.clear('ledger', 5, 3101);
  append(trace, b.frames.at(-1) as Frame);
  expect(court.advance(fromMs(3103)).map((v) => v.verdict)).toEqual(['stopped']);
  expect(court.due(fromMs(3200))).toEqual([]);
  expect(court.nextAt).toBe(FOREVER);
});

test('twenty calls at once: stopping the seventh touches the seventh only', () => {
  const b = new Build().opened([{ name: 'charge' }]).at(10);
  for (let id = 1; id <= 20; id++) b.at(10 + id).call(id, 'charge');
  b.at(300).stop(7).at(301).pong(7);
  for (let id = 1; id <= 20; id++) if (id !== 7) b.at(400 + id).result(id);
  const verdicts = new Map(judgedCalls(judged(b.frames, fromMs(9000))));
  expect(verdicts.get('n:7')).toBe('unknown-write');
  expect([...verdicts].filter(([key, verdict]) => key !== 'n:7' && verdict !== 'completed')).toEqual([]);
});

const judgedCalls = (court: Judge): [string, string][] =>
  court.calls.all.flatMap((call) => (call.tool ? [[call.key, court.verdict(call.index)?.verdict ?? '']] : []));

test('two calls open on one probe: what is seen is each one’s only by inference', () => {
  const b = new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger');
  b.at(10)
    .call(3, 'charge', { probes: ['ledger'] })
    .at(20)
    .call(4, 'charge', { probes: ['ledger'] });
  b.at(100).stop(3).at(101).pong(3).seen('ledger', 140, 150).at(500).result(4);
  const [, , third, fourth] = all(judged(b.frames, fromMs(9000)));
  expect([third?.verdict, third?.certainty]).toEqual(['write-after-cancel', 'inferred']);
  expect([fourth?.effect.state, fourth?.effect.certainty]).toEqual(['observed', 'inferred']);
});

test('what was seen while nothing was open is nobody’s', () => {
  const b = new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger');
  b.at(10)
    .call(3, 'charge', { probes: ['ledger'] })
    .at(100)
    .result(3)
    .seen('ledger', 400, 410);
  expect(all(judged(b.frames, fromMs(9000))).at(-1)?.effect.state).toBe('not-seen');
});

test('a stopped call stays open on its probe until the next call opens there', () => {
  const b = new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger');
  b.at(10)
    .call(3, 'charge', { probes: ['ledger'] })
    .at(100)
    .stop(3)
    .at(101)
    .pong(3);
  b.at(60_000)
    .call(4, 'charge', { probes: ['ledger'] })
    .seen('ledger', 60_100, 60_110)
    .at(60_200)
    .result(4);
  const [third, fourth] = all(judged(b.frames, fromMs(70_000))).slice(-2);
  expect(third?.verdict).toBe('quiet');
  expect([fourth?.effect.state, fourth?.effect.certainty]).toEqual(['observed', 'proved']);
});

test('0, "" and "5" are ids of their own, and an id may be used again', () => {
  const b = new Build().at(10).call(0, 'charge').call('', 'charge').call(5, 'charge').call('5', 'charge');
  b.at(20).result('5').at(30).result('').at(40).error(0, -1, 'no').at(50).call('5', 'charge').at(60).stop('5').at(61).pong('5');
  const court = judged(b.frames, fromMs(100));
  expect(court.calls.all.filter((c) => c.tool).map((c) => [c.key, c.occurrence, court.verdict(c.index)?.verdict])).toEqual([
    ['n:0', 1, 'failed'],
    ['s:', 1, 'completed'],
    ['n:5', 1, 'waiting'],
    ['s:5', 1, 'completed'],
    ['s:5', 2, 'settling'],
  ]);
});

test('a server’s own request with the same id is another call', () => {
  const b = new Build().opened().at(10).call(3, 'charge').at(20).s2c({ id: 3, method: 'roots/list' });
  b.at(25).c2s({ id: 3, result: { roots: [] } });
  const court = judged(b.frames, fromMs(100));
  const [mine, its] = court.calls.all.slice(-2);
  expect([mine?.sender, its?.sender]).toEqual(['client', 'server']);
  expect([court.verdict(mine?.index ?? -1)?.verdict, court.verdict(its?.index ?? -1)?.verdict]).toEqual(['waiting', 'completed']);
});

test('a server that reads nothing while it works is blocked, not neglectful', () => {
  const b = new Build()
    .opened([{ name: 'charge' }])
    .at(10)
    .call(3, 'charge')
    .at(310)
    .stop(3)
    .at(1310)
    .result(3)
    .at(1311)
    .pong(3);
  const court = judged(b.frames, fromMs(9000));
  expect(all(court).at(-1)?.verdict).toBe('late-result-write');
  expect(court.findings.map((f) => f.finding)).toEqual(['server-blocked']);
});

test('findings: noise, strangers, twins, idless messages, progress after the end, broken promises, gaps', () => {
  const b = new Build()
    .opened([{ name: 'look', annotations: { readOnlyHint: true } }])
    .at(5)
    .watching('ledger')
    .at(10);
  b.frame('s2c', { kind: 'noise', why: 'not-json', raw: { text: 'listening…' } });
  b.call(3, 'look', { probes: ['ledger'] })
    .seen('ledger', 20, 30)
    .at(40)
    .result(3)
    .at(50)
    .result(3)
    .at(60)
    .progress(3);
  b.at(70)
    .result('3')
    .at(80)
    .s2c({ id: null, error: { code: -32700, message: 'parse error' } })
    .gap('ledger', 90, 95);
  expect(judged(b.frames, fromMs(100)).findings.map((f) => [f.finding, f.severity])).toEqual([
    ['annotation-contradicted', 'breach'],
    ['noise-on-stdout', 'note'],
    ['duplicate-reply', 'note'],
    ['progress-after-completion', 'note'],
    ['reply-to-unknown-id', 'note'],
    ['reply-without-id', 'note'],
    ['probe-gap', 'note'],
  ]);
});

test('a span that starts after the cancel is work going on; one that only ends after it is not', () => {
  const story = (from: number) => {
    const b = new Build()
      .opened([{ name: 'charge' }])
      .at(5)
      .watching('spans')
      .at(10)
      .call(3, 'charge', { probes: ['spans'] });
    b.at(100).stop(3).at(101).pong(3).at(400);
    b.effect({
      effect: 'work',
      probe: 'spans',
      sign: 'span',
      lo: fromMs(from),
      hi: fromMs(from),
      says: 'span INSERT started',
      subject: 'a1',
      call: 3,
    });
    return all(judged(b.frames, fromMs(9000))).at(-1);
  };
  expect([story(300)?.verdict, story(300)?.certainty, story(300)?.afterStop.work]).toEqual(['still-working', 'proved', 1]);
  expect(story(50)?.verdict).toBe('quiet');
});

test('a process that appeared during the call and lives on after the stop is work going on', () => {
  const b = new Build()
    .opened([{ name: 'deploy' }])
    .at(5)
    .watching('procs')
    .at(10)
    .call(3, 'deploy', { probes: ['procs'] });
  const seen = (ms: number, subject: string) =>
    b.at(ms).effect({
      effect: 'work',
      probe: 'procs',
      sign: 'process',
      lo: fromMs(ms),
      hi: fromMs(ms),
      says: `sh (pid ${subject}) lives`,
      subject,
    });
  seen(50, '77').at(100).stop(3).at(101).pong(3);
  seen(200, '77');
  const verdict = all(judged(b.frames, fromMs(9000))).at(-1);
  expect([verdict?.verdict, verdict?.certainty]).toEqual(['still-working', 'proved']);
  expect(verdict?.sentence).toContain('sh (pid 77) lives');
});

test('what the server holds open forbids "stopped" until it is let go of', () => {
  const story = () => {
    const b = new Build()
      .opened([{ name: 'charge' }])
      .at(5)
      .watching('rows')
      .at(10)
      .call(3, 'charge', { probes: ['rows'], normally: 400 });
    b.at(100).stop(3).at(101).pong(3).at(200);
    return b
      .effect({ effect: 'held', probe: 'rows', lo: fromMs(150), hi: fromMs(200), says: 'idle in transaction', subject: 'backend 7' })
      .clear('rows', 5, 3300);
  };
  const held = judged(story().frames, fromMs(9000));
  expect(all(held).at(-1)?.verdict).toBe('quiet');
  expect(held.findings.map((f) => [f.finding, f.severity])).toEqual([['held-open', 'warn']]);
  const b = story();
  const seq = b.frames.findIndex((f) => f.kind === 'effect' && f.effect.effect === 'held');
  const freed = judged(
    b.at(4000).effect({ effect: 'freed', probe: 'rows', lo: fromMs(3900), hi: fromMs(4000), of: [seq] }).frames,
    fromMs(9000),
  );
  expect(all(freed).at(-1)?.verdict).toBe('stopped');
  expect(freed.findings).toEqual([]);
});

test('a probe that can tell whose an effect is, by trace context or by a text of the arguments, is believed', () => {
  const b = new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger');
  b.at(10)
    .call(3, 'charge', { probes: ['ledger'] })
    .at(20)
    .call(4, 'charge', { probes: ['ledger'] })
    .at(100)
    .stop(3)
    .at(101)
    .pong(3);
  b.at(150)
    .effect({ effect: 'seen', probe: 'ledger', lo: fromMs(140), hi: fromMs(150), says: '1 row', subject: 'row', call: 4 })
    .at(500)
    .result(4);
  const [third, fourth] = all(judged(b.frames, fromMs(9000))).slice(-2);
  expect([third?.verdict, third?.effect.state]).toEqual(['quiet', 'not-seen']);
  expect([fourth?.effect.state, fourth?.effect.certainty]).toEqual(['observed', 'proved']);
});

test('a tool declared idempotent that writes twice breaks its promise', () => {
  const b = new Build()
    .opened([{ name: 'charge', annotations: { idempotentHint: true } }])
    .at(5)
    .watching('ledger');
  b.at(10)
    .call(3, 'charge', { probes: ['ledger'] })
    .at(100)
    .stop(3)
    .at(101)
    .pong(3)
    .seen('ledger', 140, 150);
  b.at(5000)
    .call(4, 'charge', { probes: ['ledger'], retryOf: 3 })
    .seen('ledger', 5100, 5110)
    .at(5200)
    .result(4);
  expect(judged(b.frames, fromMs(9000)).findings.map((f) => f.finding)).toEqual(['annotation-contradicted']);
});

test('silence of spans or of the process tree is no all-clear', () => {
  const story = (kind: string, others: readonly string[]) => {
    const b = new Build()
      .opened([{ name: 'charge' }])
      .at(4)
      .watching('ledger')
      .at(5);
    b.effect({ effect: 'watching', probe: 'extra', kind, place: 'there', shared: false }).at(10);
    b.call(3, 'charge', { probes: ['extra', ...others], normally: 400 })
      .at(100)
      .stop(3)
      .at(101)
      .pong(3)
      .clear('ledger', 4, 3300);
    if (kind === 'process') b.clear('extra', 4, 3310);
    return all(judged(b.frames, fromMs(9000))).at(-1)?.verdict;
  };
  expect([story('otel', []), story('otel', ['ledger'])]).toEqual(['quiet', 'stopped']);
  expect([story('process', []), story('process', ['ledger'])]).toEqual(['unknown-write', 'stopped']);
});

test('"stopped" names the probes that outlasted the call, and no others', () => {
  const b = new Build().opened([{ name: 'charge' }]).at(4);
  b.watching('ledger').at(5);
  b.effect({ effect: 'watching', probe: 'spans', kind: 'otel', place: 'there', shared: false }).at(10);
  b.call(3, 'charge', { probes: ['spans', 'ledger'], normally: 400 })
    .at(100)
    .stop(3)
    .at(101)
    .pong(3)
    .clear('ledger', 4, 3300);
  expect(all(judged(b.frames, fromMs(9000))).at(-1)?.sentence).toBe(
    'Nothing came back, and nothing was seen in ledger for longer than the call would still have needed (it normally takes 400 ms).',
  );
});

test('a stream that the server ends only because the session is ended from here was left open; one that it ended before was not', () => {
  const left = (endsAt: number): readonly string[] => {
    const b = new HttpBuild()
      .openedHttp([{ name: 'charge' }])
      .at(20)
      .post(3, 'charge');
    b.at(22).stream(b.postOf(3)).at(1000).accepted(3);
    if (endsAt < 6000) b.at(endsAt).end(b.postOf(3));
    b.at(6000).request({ method: 'DELETE', purpose: 'end' });
    if (endsAt > 6000) b.at(endsAt).end(b.postOf(3));
    return judged(b.frames, fromMs(9000)).findings.map(({ finding }) => finding);
  };
  expect([left(6001), left(5999)]).toEqual([['stream-never-ended'], []]);
});

describe('neither "quiet" nor "stopped" is said beside something else that was seen', () => {
  const called = (): Build =>
    new Build()
      .opened([{ name: 'charge' }])
      .at(4)
      .watching('ledger')
      .at(10)
      .call(3, 'charge', { probes: ['ledger'], normally: 400 });
  const verdict = (b: Build) => all(judged(b.frames, fromMs(9000))).at(-1);

  test('work that goes on', () => {
    const working = called().at(100).stop(3).at(101).pong(3).at(500).progress(3).clear('ledger', 4, 3300);
    expect(verdict(working)).toMatchObject({ verdict: 'still-working', also: [] });
  });

  test('what was taken back', () => {
    const back = called().seen('ledger', 50, 60).at(100).stop(3).at(101).pong(3).reverted('ledger', 130, 140).clear('ledger', 4, 3300);
    expect(verdict(back)).toMatchObject({ verdict: 'rolled-back', also: [] });
  });
});

test('a sentence that speaks of a write points at it, also where the server was never told', () => {
  const b = new Build().opened([{ name: 'charge' }]).at(4);
  b.watching('ledger')
    .at(10)
    .call(3, 'charge', { probes: ['ledger'] })
    .seen('ledger', 50, 60);
  const seen = b.last;
  b.at(100).stopAct(3, { means: 'abandon' }, false);
  const verdict = all(judged(b.frames, fromMs(9000))).at(-1);
  expect(verdict?.sentence).toContain('1 line appended');
  expect(verdict?.because.map(({ seq }) => seq)).toContain(seen);
});

test('a process first seen between a reading before the call and one after it is the call’s by inference', () => {
  const b = new Build()
    .opened([{ name: 'deploy' }])
    .at(5)
    .watching('procs')
    .at(10)
    .call(3, 'deploy', { probes: ['procs'] });
  const seen = (lo: number, hi: number) =>
    b.at(hi).effect({ effect: 'work', probe: 'procs', sign: 'process', lo: fromMs(lo), hi: fromMs(hi), says: 'sh lives', subject: '77' });
  seen(8, 50).at(100).stop(3).at(101).pong(3);
  seen(200, 210);
  const verdict = all(judged(b.frames, fromMs(9000))).at(-1);
  expect([verdict?.verdict, verdict?.certainty]).toEqual(['still-working', 'inferred']);
});

describe('what the fence shows', () => {
  const written = (stop: (build: Build) => Build): Verdict | undefined => {
    const build = new Build()
      .opened([{ name: 'charge' }])
      .at(5)
      .watching('ledger')
      .at(10)
      .call(3, 'charge', { probes: ['ledger'] })
      .at(300);
    const { frames } = stop(build).at(302).pong(3).seen('ledger', 387, 397);
    const court = judged(frames, fromMs(8000));
    return court.verdict(court.calls.find(1, 'client', 'n:3')?.index ?? -1);
  };

  test('a pong before the effect shows that the cancel had been read', () => {
    expect(written((build) => build.stop(3))?.effect.readFirst).toBe('yes');
  });

  test('not where what stood before the ping named another call', () => {
    const verdict = written((build) =>
      build
        .stopAct(3, { means: 'cancel-id', id: '3' }, true)
        .cancelled('3')
        .act({ act: 'fence', id: 3, ping: 'fence-3' })
        .c2s({ id: 'fence-3', method: 'ping' }),
    );
    expect([verdict?.verdict, verdict?.fence.state, verdict?.effect.readFirst]).toEqual(['never-told', 'answered', 'unknown']);
  });
});

test('a gap after the reply of a call that was answered in time is no gap of that call', () => {
  const b = new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger')
    .at(10)
    .call(3, 'charge', { probes: ['ledger'] });
  b.at(100).result(3).gap('ledger', 5000, 6000);
  expect(all(judged(b.frames, fromMs(9000))).at(-1)?.effect.state).toBe('not-seen');
});

describe('how long a stopped call may still write', () => {
  const slow = { probes: ['ledger'], normally: 10_000 };
  const start = (): Build =>
    new Build()
      .opened([{ name: 'charge' }])
      .at(5)
      .watching('ledger')
      .at(10);
  const of = (build: Build, key: string): Verdict | undefined => {
    const court = judged(build.frames, fromMs(30_000));
    return court.verdict(court.calls.find(1, 'client', key)?.index ?? -1);
  };

  test('a call that was open beside it when it was stopped does not end its time', () => {
    const b = start().call(3, 'charge', slow).at(500).call(4, 'charge', slow).at(1000).stop(3).at(1002).pong(3);
    b.clear('ledger', 5, 1010).seen('ledger', 9000, 9010).at(9500).result(4).clear('ledger', 9010, 20_000);
    expect([of(b, 'n:3')?.verdict, of(b, 'n:3')?.certainty]).toEqual(['write-after-cancel', 'inferred']);
    expect(of(b, 'n:4')?.effect.worst?.certainty).toBe('inferred');
  });

  test('nor does a retry, before the time that it would still have needed is over', () => {
    const b = start().call(3, 'charge', slow).at(1000).stop(3).at(1002).pong(3).clear('ledger', 5, 1010);
    b.at(5000)
      .call(4, 'charge', { ...slow, retryOf: 3 })
      .seen('ledger', 10_000, 10_010)
      .at(15_000)
      .result(4)
      .clear('ledger', 10_010, 20_000);
    expect([of(b, 'n:3')?.verdict, of(b, 'n:3')?.certainty]).toEqual(['write-after-cancel', 'inferred']);
  });

  test('what comes after that time, with another call open, is that one’s', () => {
    const b = start().call(3, 'charge', slow).at(1000).stop(3).at(1002).pong(3).clear('ledger', 5, 1010).clear('ledger', 5, 16_000);
    b.at(17_000).call(4, 'charge', slow).clear('ledger', 5, 17_001).seen('ledger', 18_000, 18_010).at(20_000).result(4);
    expect(of(b, 'n:3')?.verdict).toBe('stopped');
    expect(of(b, 'n:4')?.effect.worst?.certainty).toBe('proved');
  });
});

test('what came about while the cancel was being written is neither before it nor after it', () => {
  const b = new Build()
    .opened([{ name: 'charge' }])
    .at(5)
    .watching('ledger')
    .at(10)
    .call(3, 'charge', { probes: ['ledger'] });
  b.at(300).stopAct(3, { means: 'cancel' }, true).at(320).cancelled(3).seen('ledger', 295, 315);
  expect(all(judged(b.frames, fromMs(9000))).at(-1)?.verdict).toBe('write-order-unknown');
});

describe('a server that has not read the cancel', () => {
  const start = (): Build =>
    new Build()
      .opened([{ name: 'charge' }])
      .at(5)
      .watching('ledger')
      .at(10)
      .call(3, 'charge', { probes: ['ledger'], normally: 400 })
      .at(300)
      .stop(3)
      .clear('ledger', 5, 310);
  const of = (build: Build, key: string): Verdict | undefined => {
    const court = judged(build.frames, fromMs(20_000));
    return court.verdict(court.calls.find(1, 'client', key)?.index ?? -1);
  };

  test('is not said to have stopped, however long it is silent', () => {
    const verdict = of(start().clear('ledger', 5, 9000), 'n:3');
    expect([verdict?.verdict, verdict?.sentence]).toEqual(['quiet', expect.stringContaining('has not answered the ping')]);
  });

  test('is, when a reading has come after the pong', () => {
    expect(of(start().clear('ledger', 5, 9000).at(9500).pong(3), 'n:3')?.verdict).toBe('quiet');
    expect(of(start().clear('ledger', 5, 9000).at(9500).pong(3).clear('ledger', 5, 9510), 'n:3')?.verdict).toBe('stopped');
  });

  test('may do what it was asked for while the next call waits behind it', () => {
    const queued = start()
      .at(5000)
      .call(4, 'charge', { probes: ['ledger'] });
    const b = queued.clear('ledger', 5, 5010).seen('ledger', 6000, 6010).at(6011).pong(3).at(6500).result(4);
    expect([of(b, 'n:3')?.verdict, of(b, 'n:3')?.certainty]).toEqual(['write-after-cancel', 'inferred']);
  });
});

test('over HTTP: what comes with a refusal is neither noise nor an answer without an id; what comes with a response is', () => {
  const b = new HttpBuild().openedHttp();
  const noise = (): HttpBuild => b.frame('s2c', { kind: 'noise', why: 'not-json', raw: { text: 'odd' }, exchange: b.newest });
  b.request({ method: 'GET', purpose: 'stream' }).respond(b.newest, 405).on(b.newest);
  b.s2c({ error: { code: -32000, message: 'Method not allowed' }, id: null }).on(undefined);
  noise().end(b.newest);
  expect(judged(b.frames, fromMs(9000)).findings).toEqual([]);
  b.request().stream(b.newest);
  noise();
  expect(judged(b.frames, fromMs(9000)).findings.map(({ finding, sentence }) => [finding, sentence])).toEqual([
    ['noise-on-stdout', `Bytes in the response #${b.newest} that are no MCP message (not-json). Only messages belong there.`],
  ]);
});
