import { expect, test } from 'vitest';
import type { ListedTask, TaskAbilities } from '../../../app/contract/host';
import { statusWords } from '../../taskWords';
import { abilitiesText, cancelWorth, careOf, groupsOf, timesText } from './taskList';

const task = (id: string, change: Partial<ListedTask> = {}): ListedTask => ({
  id,
  status: 'working',
  message: undefined,
  ttlMs: undefined,
  pollIntervalMs: undefined,
  created: undefined,
  updated: undefined,
  call: undefined,
  polled: false,
  ...change,
});

test('what nobody looks after comes first, and in each group the newest', () => {
  const groups = groupsOf([
    task('done', { status: 'completed', created: '2026-01-01T10:00:03Z' }),
    task('old orphan', { created: '2026-01-01T10:00:00Z' }),
    task('polled', { polled: true, call: 3 }),
    task('new orphan', { created: '2026-01-01T10:00:09Z', status: 'input_required' }),
  ]);
  expect(groups.map(({ care, tasks }) => [care, ...tasks.map(({ id }) => id)])).toEqual([
    ['nobody', 'new orphan', 'old orphan'],
    ['polled', 'polled'],
    ['over', 'done'],
  ]);
  expect(groupsOf([])).toEqual([]);
});

test('a status that nobody has heard of is running, and said as it came', () => {
  expect([careOf(task('a', { status: 'paused' })), statusWords('paused'), statusWords('input_required')]).toEqual([
    'nobody',
    '“paused”',
    'input required',
  ]);
});

test('times are the server’s, and nothing is said where it says none', () => {
  expect(timesText(task('a'))).toBe('');
  expect(timesText(task('a', { created: 'yesterday', ttlMs: 60_000 }))).toBe('kept for 1 min 0 s');
  expect(timesText(task('a', { created: '2026-01-01T10:00:00Z' }))).toMatch(/^since \d\d:\d\d:\d\d$/);
});

test('what can be known and what a cancel is worth, by the form of the tasks', () => {
  const experimental: TaskAbilities = { form: 'experimental', calls: true, list: true, cancel: true };
  const extension: TaskAbilities = { form: 'extension', calls: true, list: false, cancel: true };
  expect(abilitiesText(experimental)).toContain('also those that nobody here has made');
  expect(abilitiesText(extension)).toContain('only tasks that were made from here are known');
  expect(abilitiesText({ ...experimental, cancel: false })).toContain('a task of it cannot be stopped');
  expect(cancelWorth(extension)).toContain('may still end completed');
  expect(cancelWorth(experimental)).toContain('only a probe can show it');
});
