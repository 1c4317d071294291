// The fold of tasks: what belongs to which, however it arrives, and what of it is the call's reply.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FOREVER, fromMs } from '../base/time';
import type { Frame } from '../wire/frame';
import { append, Build, traceOf } from './build.testing';
import { TaskBuild } from './buildTasks.testing';
import { type Call, type Calls, calls } from './calls';
import { changesOf, orphanedTasks } from './tasks';
import { Trace } from './trace';

function folded(frames: readonly Frame[]): Calls {
  const fold = calls(traceOf(frames));
  fold.take();
  return fold;
}

const named = (fold: Calls, key: string, occurrence = 1): Call => {
  const call = fold.all.find((one) => one.key === key && one.occurrence === occurrence && one.sender === 'client');
  if (!call) throw new Error(`expected a call ${key}`);
  return call;
};

/** A call's task in short: each state with its time in ms and what said it. */
const states = (call: Call): readonly string[] => (call.task?.states ?? []).map(({ status, by, t }) => `${status} ${by} ${t / 1e6}`);
const replies = (call: Call): readonly string[] =>
  call.replies.map(
    ({ shape, isError, saysCancelled, t }) => `${shape}${isError ? '!' : ''}${saysCancelled ? ' cancelled' : ''} ${t / 1e6}`,
  );
const orphans = (fold: Calls): readonly string[] =>
  [...fold.sessions.values()].flatMap((session) => orphanedTasks(session, fold.all).map(({ id }) => id));

const running = (extension = false): TaskBuild =>
  new TaskBuild(extension).openedTasks().at(10).callTask(3, 'export').at(12).created(3, 'T');

test.each([false, true])(
  'a task has its states from whatever said them, and its call a reply only when it came out (extension: %s)',
  (extension) => {
    const b = running(extension).at(100).poll('T', 'working').at(200).news('T', 'input_required').at(300).poll('T', 'completed');
    const call = named(folded(b.frames), 'n:3');
    expect(states(call)).toEqual(['working creation 12', 'working poll 101', 'input_required notification 200', 'completed poll 301']);
    expect(replies(call)).toEqual(['result 301']);
    expect(call.task).toMatchObject({
      id: 'T',
      call: call.index,
      ttl: fromMs(60_000),
      pollInterval: fromMs(500),
      polls: [call.index + 1, call.index + 2],
    });
    expect(call.task && changesOf(call.task).map(({ status }) => status)).toEqual(['working', 'input_required', 'completed']);
  },
);

test('requests about a task are no calls of their own, and say which task they are about', () => {
  const b = running()
    .at(100)
    .poll('T', 'working')
    .at(200)
    .cancelTask(3, 'T')
    .at(201)
    .acknowledged('T')
    .at(300)
    .fetch('T')
    .at(301)
    .fetched('T');
  const fold = folded(b.frames);
  const call = named(fold, 'n:3');
  const about = fold.all.filter(({ purpose }) => purpose === 'task');
  expect(about.map(({ method }) => method)).toEqual(['tasks/get', 'tasks/cancel', 'tasks/result']);
  expect(about.map((asked) => fold.taskOf(asked)?.call)).toEqual([call.index, call.index, call.index]);
  expect([call.task?.polls, call.task?.cancels, call.task?.results]).toEqual([[call.index + 1], [call.index + 2], [call.index + 3]]);
  expect(replies(call)).toEqual(['error cancelled 201', 'result 301']);
});

test('a result that is fetched says whether the completed task came to an error', () => {
  const b = running().at(100).poll('T', 'completed').at(110).fetch('T').at(111).fetched('T', true);
  expect(replies(named(folded(b.frames), 'n:3'))).toEqual(['result! 101']);
  expect(replies(named(folded(running(true).at(100).poll('T', 'completed', { isError: true }).frames), 'n:3'))).toEqual(['result! 101']);
});

test('an error to tasks/result is how the task came out, unless it refuses the request by itself', () => {
  const asked = (code: number): Call => named(folded(running().at(100).fetch('T').at(400).refused(code, 'no').frames), 'n:3');
  expect(asked(-32603).replies).toMatchObject([{ shape: 'error', code: -32603 }]);
  expect(asked(-32602).replies).toEqual([]);
  expect(asked(-32602).task?.refusals).toMatchObject([{ code: -32602 }]);
});

test('news before the creation is the task’s, and what was heard before the call was sent is another’s', () => {
  const b = new TaskBuild()
    .openedTasks()
    .at(5)
    .news('T', 'completed')
    .at(10)
    .callTask(3, 'export')
    .at(11)
    .news('T', 'working')
    .at(12)
    .created(3, 'T');
  const fold = folded(b.frames);
  expect(states(named(fold, 'n:3'))).toEqual(['working notification 11', 'working creation 12']);
  expect(fold.sessions.get(1)?.tasks.get('T')?.call).toBe(named(fold, 'n:3').index);
});

test('an id that is used again is another task', () => {
  const b = running().at(100).poll('T', 'completed').at(200).callTask(4, 'export').at(202).created(4, 'T').at(300).poll('T', 'failed');
  const fold = folded(b.frames);
  expect([replies(named(fold, 'n:3')), replies(named(fold, 'n:4'))]).toEqual([['result 101'], ['error 301']]);
  expect(named(fold, 'n:4').task?.polls).toHaveLength(1);
});

test('a request id that is used again keeps the task of the call before', () => {
  const b = running().at(100).callTask(3, 'export').at(102).created(3, 'U').at(200).poll('T', 'completed').at(300).poll('U', 'failed');
  const fold = folded(b.frames);
  expect([replies(named(fold, 'n:3', 1)), replies(named(fold, 'n:3', 2))]).toEqual([['result 201'], ['error 301']]);
});

test('a request that is answered twice, with a task and with a result, has both', () => {
  const call = named(folded(running().at(100).result(3).frames), 'n:3');
  expect([call.task?.answers.length, replies(call)]).toEqual([2, ['result 100']]);
});

test('a server may ask the client for a task as well; it is not among those that the client asked for', () => {
  const b = new Build()
    .opened()
    .at(10)
    .s2c({ id: 3, method: 'sampling/createMessage', params: { task: {} } });
  b.at(20).c2s({ id: 3, result: { task: { taskId: 'T', status: 'working', ttl: null } } });
  b.at(30)
    .s2c({ id: 4, method: 'tasks/get', params: { taskId: 'T' } })
    .at(40)
    .c2s({ id: 4, result: { taskId: 'T', status: 'completed' } });
  const fold = folded(b.frames);
  const call = fold.all.find(({ sender, key }) => sender === 'server' && key === 'n:3');
  expect(call && [replies(call), call.task?.ttl]).toEqual([['result 40'], FOREVER]);
  expect(fold.sessions.get(1)?.tasks.size).toBe(0);
});

test('a call may go on for another round before it becomes a task', () => {
  const b = new TaskBuild(true)
    .openedTasks()
    .at(10)
    .callTask(3, 'export')
    .at(12)
    .asks(3, 'roots/list')
    .at(20)
    .round(4, 3, 'export')
    .at(22)
    .created(4, 'T');
  const call = named(folded(b.at(100).poll('T', 'completed').frames), 'n:3');
  expect([call.rounds.length, states(call), replies(call)]).toEqual([1, ['working creation 22', 'completed poll 101'], ['result 101']]);
});

describe('a task outlives its session with a server at an address', () => {
  const long = '786512e2-9e0d-44bd-8f29-789f320fe840';
  const twice = (id: string, url = 'http://127.0.0.1:3000/mcp'): Calls => {
    const b = new TaskBuild().life({ event: 'connecting', url: 'http://127.0.0.1:3000/mcp', transport: 'http' });
    b.openedTasks().at(10).callTask(3, 'export').at(12).created(3, id).at(100).stopPolling(3).at(200).life({ event: 'closed' });
    b.session(2).at(300).life({ event: 'connecting', url, transport: 'http' }).openedTasks();
    return folded(
      b
        .at(400)
        .list({ [id]: 'working' })
        .at(500)
        .c2s({ id: 'C', method: 'tasks/cancel', params: { taskId: id } }).frames,
    );
  };

  test('and is cancelled in a later one', () => {
    const fold = twice(long);
    expect(named(fold, 'n:3').task?.cancels.map((index) => fold.all[index]?.key)).toEqual(['s:C']);
    expect([orphans(fold), fold.sessions.get(2)?.tasks.get(long)?.call]).toEqual([[long], named(fold, 'n:3').index]);
  });

  test.each([
    ['an id that a server which was started anew may give out again', 'task-1', undefined],
    ['another address', long, 'http://127.0.0.1:4000/mcp'],
  ])('not so %s', (_, id, url) => {
    const fold = twice(id, url);
    expect(named(fold, 'n:3').task?.cancels).toEqual([]);
    expect(orphans(fold)).toEqual([id, id]);
  });
});

test('orphans are what a list shows at work and nobody asks for, and what was given up without a word', () => {
  const listed = running().at(100).list({ A: 'working', B: 'completed', T: 'working' });
  expect(orphans(folded(listed.frames))).toEqual(['A']);
  expect(orphans(folded(listed.at(200).poll('A', 'working').frames))).toEqual([]);
  const given = running().at(100).poll('T', 'working').at(200).stopPolling(3);
  expect(orphans(folded(given.frames))).toEqual(['T']);
  expect(orphans(folded(given.at(300).cancelTask(3, 'T').at(301).acknowledged('T').frames))).toEqual([]);
});

test('whatever order the two wires are appended in, tasks and outcomes are the same', () => {
  const b = running().at(100).poll('T', 'working').at(150).list({ A: 'working' }).at(200).poll('T', 'completed');
  b.at(300).callTask(4, 'export').at(301).news('T', 'working').at(302).created(4, 'T').at(400).poll('T', 'failed', {}, 20);
  b.at(500)
    .callTask(5, 'export')
    .at(502)
    .created(5, 'U')
    .at(600)
    .cancelTask(5, 'U')
    .at(601)
    .acknowledged('U')
    .at(700)
    .fetch('U')
    .at(701)
    .fetched('U');
  const told = (fold: Calls): unknown =>
    ['n:3', 'n:4', 'n:5'].map((key) => {
      const call = named(fold, key);
      const { polls = [], cancels = [], results = [] } = call.task ?? {};
      return [states(call), replies(call), [...polls, ...cancels, ...results].map((index) => fold.all[index]?.key)];
    });
  const straight = told(folded(b.frames));
  const wires = [b.frames.filter(({ dir }) => dir !== 's2c'), b.frames.filter(({ dir }) => dir === 's2c')];
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: b.frames.length, maxLength: b.frames.length }), (turns) => {
      const [out = [], back = []] = wires.map((wire) => [...wire]);
      const mixed: Frame[] = [];
      for (const turn of [...turns, ...turns]) mixed.push(...((turn && out.length > 0) || back.length === 0 ? out : back).splice(0, 1));
      expect(told(folded(mixed.map((frame, seq) => ({ ...frame, seq }))))).toEqual(straight);
    }),
  );
});

test('what is asked often is kept once: facts that came through a port weigh little', () => {
  const b = running();
  for (let ms = 100; ms < 2000; ms += 100) b.at(ms).poll('T', 'working', { message: `${'still at it '.repeat(40)}` });
  const there = new Trace();
  there.append(structuredClone(traceOf(b.frames).batch(0, b.frames.length, 0)));
  const said = [...there.extras.values()].flatMap((extra) => (extra.about === 'task' ? (extra.task.says ?? []) : []));
  expect(said).toHaveLength(19);
  expect(said.every((text) => text.length === 200)).toBe(true);
  const fold = calls(there);
  fold.take();
  expect(states(named(fold, 'n:3'))).toHaveLength(20);
});

test('an ordinary result has nothing beside it', () => {
  const trace = new Trace();
  const b = new Build().at(10).call(3, 'charge').at(20).result(3);
  for (const frame of b.frames) append(trace, frame);
  expect(trace.extra(b.last)).toBeUndefined();
});
