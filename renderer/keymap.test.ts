import { expect, test } from 'vitest';
import { COMMANDS } from './commands';
import { keymap, keysOf, ownerOf, type Pressed, remap, unmap } from './keymap';

const keys = (id: string, remapped: Parameters<typeof keymap>[0]): readonly string[] | undefined =>
  keymap(remapped).find((command) => command.id === id)?.keys;

test('without anything remapped the table is as it comes', () => {
  expect(keymap({})).toEqual(COMMANDS);
});

test('a key that is given to another command leaves the one that came with it; unknown commands are left alone', () => {
  const remapped = remap({ 'no.such': ['x'] }, 'fit', ['W']);
  expect([keys('fit', remapped), keys('zoom.in', remapped), ownerOf('w', remapped)?.id]).toEqual([['W'], [], 'fit']);
  expect(remapped).toEqual({ 'no.such': ['x'], fit: ['W'] });
  expect(keys('zoom.in', unmap(remapped, 'fit'))).toEqual(['w']);
});

test('a key given by hand twice belongs to the last', () => {
  const remapped = remap(remap({}, 'fit', ['x']), 'live', ['X']);
  expect([keys('fit', remapped), keys('live', remapped)]).toEqual([[], ['X']]);
});

test('none takes a command’s keys away', () => {
  expect(keys('call.retry', { 'call.retry': [] })).toEqual([]);
});

test('a press as it is written in the file', () => {
  const press = (key: string, change: Partial<Pressed> = {}): Pressed => ({
    key,
    code: '',
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...change,
  });
  expect([
    keysOf(press('g'), false),
    keysOf(press('K', { ctrlKey: true, shiftKey: true }), false),
    keysOf(press('k', { metaKey: true }), true),
    keysOf(press('k', { ctrlKey: true }), true),
    keysOf(press('?', { shiftKey: true }), false),
    keysOf(press('ArrowUp', { altKey: true }), false),
    keysOf(press(' '), false),
    keysOf(press('Shift', { shiftKey: true }), false),
  ]).toEqual([['g'], ['$mod+Shift+k'], ['$mod+k'], ['Control+k'], ['?', 'Shift+?'], ['Alt+ArrowUp'], ['Space'], undefined]);
});
