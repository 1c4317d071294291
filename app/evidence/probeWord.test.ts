// A probe as one word, both ways.
import { describe, expect, test } from 'vitest';
import { placeOf } from './probe';
import { probeOf, probeWord } from './probeWord';

const split = (line: string): readonly string[] => line.split(' ').filter((word) => word !== '');
const read = (word: string) => probeOf(word, 'p', split);

test.each([
  'folder:./out',
  'http:0',
  'http:8080',
  'sql:sqlite:./shop.db::select count(*) from orders',
  'sql:postgres://127.0.0.1/shop::select a::text from b',
  'read:list_tickets',
  'read:tickets://all',
  'command:git rev-parse HEAD',
  'process:',
  'otel:4318',
])('%s', (word) => expect(probeWord(read(word))).toBe(word));

test.each([
  ['sql:postgres://ada:p@ss/w@db/shop?token=a::select 1', 'sql:postgres://ada:***@db/shop?token=***::select 1'],
  ['command:psql postgres://ada:s3cret@db/shop', 'command:psql postgres://ada:***@db/shop'],
])('%s shows no password, neither as a word nor as a place', (word, shown) => {
  expect(probeWord(read(word))).toBe(shown);
  expect(placeOf(read(word))).not.toMatch(/p@ss|s3cret|token=a/);
});

test('a sink without a port takes a free one', () => expect(read('http:')).toMatchObject({ kind: 'http', port: 0 }));

describe('what is none', () => {
  test.each([
    ['floder:x', 'expected a probe as folder:DIR, http:PORT, sql:DSN::QUERY, read:TOOL, command:LINE, process:, otel:PORT, got “floder:x”'],
    ['x', 'expected a probe as'],
    ['folder:', 'expected folder:DIR, got “folder:”'],
    ['http:x', 'expected http:PORT, got “http:x”'],
    ['sql:sqlite:x.db', 'expected sql:DSN::QUERY, got “sql:sqlite:x.db”'],
    ['command:', 'expected command:LINE, got “command:”'],
    ['process:x', 'expected process:, got “process:x”'],
  ])('%s', (word, says) => expect(() => read(word)).toThrow(says));
});
