import { expect, test } from 'vitest';
import { readId } from './CancelIdDialog';
import { addressOf } from './RootsDialog';

test('a folder becomes a file:// address on every platform', () => {
  expect([addressOf('/home/me/my files'), addressOf('C:\\Users\\me'), addressOf('/a#b')]).toEqual([
    'file:///home/me/my%20files',
    'file:///C:/Users/me',
    'file:///a%23b',
  ]);
});

test('an id is a number or a text, and which one it is matters', () => {
  expect([readId('5'), readId('"5"'), readId('abc'), readId('""'), readId('  '), readId('{"a":1}')]).toEqual([
    5,
    '5',
    'abc',
    '',
    undefined,
    '{"a":1}',
  ]);
});
