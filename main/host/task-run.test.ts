import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { TaskRun, type TaskRunOptions } from './task-run';
import { createdBy, taskAbilitiesOf, taskStateOf, wishOf } from './task-state';

/** Timers that run when the test says so, and a server whose answers it chooses. */
function stage(more: Partial<TaskRunOptions> & { readonly created?: never } = {}, created: object = {}) {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly then: () => void }>();
  const asked: string[] = [];
  const waiting: { resolve: (answer: unknown) => void; reject: (error: Error) => void }[] = [];
  const state = taskStateOf({ taskId: 't', status: 'working', pollInterval: 500, ...created });
  if (!state) throw new Error('expected a task');
  const run = new TaskRun({
    created: state,
    form: 'experimental',
    windowMs: 3000,
    onOver: () => asked.push(`over at ${now}`),
    answer: (asks) => ('roots' in asks ? { roots: 'mine' } : undefined),
    later: (ms, then) => {
      const timer = { at: now + ms, then };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    ask: (method, { inputResponses }) => {
      asked.push(`${method} at ${now}${inputResponses ? ` ${JSON.stringify(inputResponses)}` : ''}`);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    ...more,
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    run,
    asked,
    timers,
    async pass(ms: number) {
      const end = now + ms;
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers.delete(next);
        now = next.at;
        next.then();
        await settle();
      }
      now = end;
    },
    async answer(status: string, more: object = {}) {
      waiting.shift()?.resolve({ taskId: 't', status, ...more });
      await settle();
    },
    async refuse(error: Error) {
      waiting.shift()?.reject(error);
      await settle();
    },
  };
}

describe('a task that nobody stops', () => {
  test('is asked after at the pace of its server, one question at a time, until it ends; then its result is asked for', async () => {
    const { asked, pass, answer, run, timers } = stage();
    await pass(2000);
    expect(asked).toEqual(['tasks/get at 500']);
    await answer('working', { pollInterval: 700 });
    await pass(700);
    await answer('input_required');
    expect(run.polled).toBe(true);
    await pass(1000);
    await answer('completed');
    expect(asked).toEqual(['tasks/get at 500', 'tasks/get at 2700', 'tasks/get at 3700', 'over at 3700', 'tasks/result at 3700']);
    expect([run.polled, run.over, timers.size]).toEqual([false, true, 0]);
  });

  test.each([
    [0, 50],
    [-1, 50],
    [1e9, 60_000],
    [undefined, 1000],
  ])('a pace of %s is kept within bounds', async (pollInterval, at) => {
    const { asked, pass } = stage({}, { pollInterval });
    await pass(60_000);
    expect(asked).toEqual([`tasks/get at ${at}`]);
  });

  test('a notification that it has ended is believed, and asked after no more', async () => {
    const { run, asked, timers } = stage();
    run.told({ ...run.state, status: 'failed' });
    expect([asked, timers.size]).toEqual([['over at 0', 'tasks/result at 0'], 0]);
  });

  test('one that was over when it was created is fetched at once', () => {
    expect(stage({}, { status: 'completed' }).asked).toEqual(['tasks/result at 0']);
  });

  test('its result comes with its status in the extension', async () => {
    const { asked, pass, answer } = stage({ form: 'extension' });
    await pass(500);
    await answer('completed', { result: {} });
    expect(asked).toEqual(['tasks/get at 500', 'over at 500']);
  });

  test('what it asks and can be answered here is answered once; the rest is left', async () => {
    const { asked, pass, answer } = stage({ form: 'extension' });
    await pass(500);
    await answer('input_required', { inputRequests: { roots: {} }, pollIntervalMs: 500 });
    expect(asked.at(-1)).toBe('tasks/update at 500 {"roots":"mine"}');
    await answer('');
    await pass(500);
    await answer('input_required', { inputRequests: { roots: {}, name: {} }, pollIntervalMs: 500 });
    expect(asked).toHaveLength(3);
  });

  test('one that the server does not know is asked after no more; one that cannot be reached is', async () => {
    const { asked, pass, refuse, run } = stage();
    await pass(500);
    await refuse(new Error('connection refused'));
    await pass(500);
    await refuse(new McpError(-32602, 'Task not found'));
    await pass(60_000);
    expect([asked.length, run.polled, run.over]).toEqual([2, false, false]);
  });
});

describe('a task that was cancelled', () => {
  test('is looked at to the end of the window though it says cancelled, and its result is asked for then', async () => {
    const { run, asked, pass, answer } = stage({}, { pollInterval: 1400 });
    run.cancelled();
    run.told({ ...run.state, status: 'cancelled' });
    await pass(1400);
    await answer('cancelled', { pollInterval: 1400 });
    await pass(1400);
    await answer('cancelled', { pollInterval: 1400 });
    expect([run.polled, asked.at(-1)]).toEqual([false, 'tasks/result at 2800']);
    await pass(60_000);
    expect(asked).toEqual(['over at 0', 'tasks/get at 1400', 'tasks/get at 2800', 'tasks/result at 2800']);
  });

  test('that turns completed is seen, and fetched at once', async () => {
    const { run, asked, pass, answer } = stage();
    run.cancelled();
    run.told({ ...run.state, status: 'cancelled' });
    await pass(500);
    await answer('completed');
    expect([run.state.status, asked]).toEqual(['completed', ['over at 0', 'tasks/get at 500', 'tasks/result at 500']]);
    await pass(10_000);
    // Its result, then the last look.
    await answer('');
    await answer('completed');
    expect([run.polled, asked.filter((one) => one.startsWith('tasks/result')).length]).toEqual([false, 1]);
  });

  test('that works on is asked after for as long as it does', async () => {
    const { run, asked, pass, answer } = stage({}, { pollInterval: 2000 });
    run.cancelled();
    for (let n = 0; n < 4; n++) {
      await pass(2000);
      await answer('working', { pollInterval: 2000 });
    }
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(run.polled).toBe(true);
  });
});

describe('how a call is to be run', () => {
  const server = { form: 'experimental', calls: true, list: true, cancel: true } as const;
  const tool = (taskSupport: 'forbidden' | 'optional' | 'required') => ({ taskSupport });
  const plain = { ttlMs: undefined };

  test.each([
    [undefined, tool('optional'), undefined],
    [undefined, tool('required'), plain],
    [undefined, undefined, undefined],
    [false, tool('required'), undefined],
    [true, tool('optional'), plain],
    [true, undefined, plain],
    [{ ttlMs: 5 }, tool('required'), { ttlMs: 5 }],
  ])('%j of %j', (asked, of, wish) => expect(wishOf(asked, 'x', of, server)).toEqual(wish));

  test('a plain call needs no abilities', () => expect(wishOf(undefined, 'x', tool('forbidden'), undefined)).toBeUndefined());

  test('what cannot be is refused, and why', () => {
    const why = (asked: boolean | { ttlMs?: number }, of: ReturnType<typeof tool>, abilities: Parameters<typeof wishOf>[3]) => {
      try {
        return wishOf(asked, 'x', of, abilities);
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    expect(why(true, tool('forbidden'), undefined)).toMatch(/no tasks capability.*Call x without a task/);
    expect(why(true, tool('forbidden'), { ...server, calls: false })).toMatch(/names no tools\/call/);
    expect(why(true, tool('forbidden'), server)).toMatch(/taskSupport is “forbidden”/);
    expect(why({ ttlMs: 5 }, tool('optional'), { ...server, form: 'extension' })).toMatch(/Expected no ttl/);
    expect(why({}, tool('optional'), { ...server, form: 'extension' })).toEqual(plain);
  });
});

test('a task that is polled no more is left alone, whatever comes', async () => {
  const { run, asked, pass, answer, timers } = stage();
  await pass(500);
  run.stopPolling();
  await answer('completed');
  run.told({ ...run.state, status: 'completed' });
  await pass(60_000);
  expect([asked, timers.size, run.over]).toEqual([['tasks/get at 500', 'over at 500'], 0, true]);
});

describe('what a server says', () => {
  const task = { taskId: 'a', status: 'working', createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:01Z' };

  test('of a task, in both forms', () => {
    const common = { id: 'a', status: 'working', message: undefined, created: task.createdAt, updated: task.lastUpdatedAt };
    expect(taskStateOf({ ...task, ttl: null, pollInterval: 5 })).toEqual({ ...common, ttlMs: undefined, pollIntervalMs: 5 });
    expect(taskStateOf({ ...task, ttlMs: 9, pollIntervalMs: 5 })).toEqual({ ...common, ttlMs: 9, pollIntervalMs: 5 });
    expect([taskStateOf({ taskId: 'a' }), taskStateOf(null), taskStateOf([])]).toEqual([undefined, undefined, undefined]);
  });

  test('when it makes one: under `task` in 2025-11-25, marked by its type in the extension', () => {
    expect(createdBy({ task }, 'experimental')?.id).toBe('a');
    expect(createdBy({ ...task, resultType: 'task' }, 'extension')?.id).toBe('a');
    expect([createdBy({ content: [] }, 'experimental'), createdBy({ task }, 'extension'), createdBy(task, 'extension')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('of what it can do', () => {
    const experimental = { form: 'experimental', calls: true, list: true, cancel: false };
    expect(taskAbilitiesOf({ tasks: { list: {}, requests: { tools: { call: {} } } } }, false)).toEqual(experimental);
    expect(taskAbilitiesOf({ tasks: {} }, false)).toEqual({ form: 'experimental', calls: false, list: false, cancel: false });
    expect(taskAbilitiesOf({ extensions: { 'io.modelcontextprotocol/tasks': {} } }, true)?.form).toBe('extension');
    // Each revision has its own form: what the other says of tasks counts for nothing.
    expect([taskAbilitiesOf({ tasks: {} }, true), taskAbilitiesOf({}, false), taskAbilitiesOf(undefined, false)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
