// The list of a server's tasks: all its pages, and what stands in its place where a server tells of no others.
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import type { TaskAbilities } from '../../app/contract/host';
import { taskStateOf } from './task-state';
import { Tasks } from './tasks';

const LISTS: TaskAbilities = { form: 'experimental', calls: true, list: true, cancel: true };
const task = (taskId: string, status = 'working') => ({ taskId, status, createdAt: '', lastUpdatedAt: '', ttl: null });

type Answer = (method: string, params: Readonly<Record<string, unknown>>) => unknown;

/** @param answer throws what the server refuses */
function stage(answer: Answer) {
  const asked: string[] = [];
  const tasks = new Tasks({
    ask: async (method, params) => {
      asked.push(`${method} ${JSON.stringify(params)}`);
      return answer(method, params);
    },
    later: () => () => undefined,
    answer: () => undefined,
  });
  const begin = (id: string, request: number, form: TaskAbilities['form'] = 'experimental') => {
    const created = taskStateOf(task(id));
    if (!created) throw new Error('expected a task');
    return tasks.begin(created, { form, request, windowMs: 1000, onOver: () => undefined });
  };
  return { tasks, asked, begin };
}

test('every page is asked for, and each task has the request that made it, where that was sent from here', async () => {
  const { tasks, asked, begin } = stage((_, { cursor }) =>
    cursor === undefined ? { tasks: [task('a'), { nonsense: true }], nextCursor: 'next' } : { tasks: [task('b', 'completed')] },
  );
  begin('b', 7).stopPolling();
  const { tasks: found, says } = await tasks.list(LISTS);
  expect(found.map(({ id, status, request, polled }) => [id, status, request, polled])).toEqual([
    ['a', 'working', undefined, false],
    ['b', 'completed', 7, false],
  ]);
  expect([says, asked]).toEqual([undefined, ['tasks/list {}', 'tasks/list {"cursor":"next"}']]);
});

test('a cursor that comes again ends the list; an answer without a list is none', async () => {
  const { tasks, asked } = stage(() => ({ tasks: [task('a')], nextCursor: 'same' }));
  expect((await tasks.list(LISTS)).tasks).toHaveLength(2);
  expect(asked).toHaveLength(2);
  await expect(stage(() => ({})).tasks.list(LISTS)).rejects.toThrow('Expected a list of tasks');
});

test.each(['experimental', 'extension'] as const)('%s without a list: those made here, each asked after anew', async (form) => {
  const { tasks, asked, begin } = stage((_, { taskId }) => {
    if (taskId === 'gone') throw new McpError(-32602, 'Task not found');
    return task(String(taskId), 'cancelled');
  });
  begin('left', 3, form).stopPolling();
  begin('gone', 5, form);
  const { tasks: found, says } = await tasks.list({ ...LISTS, form, list: false });
  expect(found.map(({ id, status, request, polled }) => [id, status, request, polled])).toEqual([
    ['left', 'cancelled', 3, false],
    ['gone', 'working', 5, true],
  ]);
  expect(found[1]?.message).toMatch(/does not tell of it any more.*Task not found/);
  expect([says, asked.length]).toEqual([expect.stringContaining('made in this session'), 2]);
});

test('a server that cannot be reached is no list', async () => {
  const { tasks, begin } = stage(() => {
    throw new Error('connection refused');
  });
  begin('a', 1);
  await expect(tasks.list({ ...LISTS, list: false })).rejects.toThrow('connection refused');
});

test('what is told of a task of ours is taken, and of others not', () => {
  const { tasks, begin } = stage(() => ({}));
  const run = begin('a', 1);
  tasks.told(task('b', 'failed'));
  tasks.told({ taskId: 'a' });
  expect(run.over).toBe(false);
  tasks.told(task('a', 'failed'));
  expect([run.over, tasks.requestOf('a'), tasks.requestOf('b')]).toEqual([true, 1, undefined]);
});
