import { expect, test } from 'vitest';
import { COMMANDS, GROUPS, keyText } from './commands';

test('no id, no title and no key stands for two commands', () => {
  for (const of of [
    COMMANDS.map(({ id }) => id),
    COMMANDS.map(({ title }) => title),
    COMMANDS.flatMap(({ keys }) => keys.map((key) => key.toLowerCase())),
  ])
    expect(of.filter((each, i) => of.indexOf(each) !== i)).toEqual([]);
});

test('every key of the window’s drawing has its command', () => {
  const by = Object.fromEntries(COMMANDS.flatMap(({ id, keys }) => keys.map((key) => [key, id])));
  const drawn = [
    'w',
    's',
    'a',
    'd',
    '0',
    'f',
    'l',
    'Space',
    'ArrowUp',
    'ArrowDown',
    'ArrowLeft',
    'ArrowRight',
    'n',
    '1',
    '2',
    '3',
    '4',
    '/',
    'Enter',
    'Escape',
    'Shift+Escape',
    'p',
    'r',
    'o',
    'm',
    '[',
    ']',
    '?',
    '$mod+k',
  ];
  expect(drawn.filter((key) => by[key] === undefined)).toEqual([]);
});

test('every command belongs to a group and can be read', () => {
  expect(COMMANDS.filter(({ group, title }) => !GROUPS.includes(group) || title.trim() === '')).toEqual([]);
  const text = (id: string, mac: boolean): string | undefined =>
    keyText(COMMANDS.find((command) => command.id === id) ?? { keys: [] }, mac);
  expect([
    text('call.stop', false),
    text('palette', false),
    text('palette', true),
    text('zoom.in', false),
    text('tool.call', false),
  ]).toEqual(['Esc', 'Ctrl K', '⌘ K', 'W', 'Ctrl ⏎']);
});
