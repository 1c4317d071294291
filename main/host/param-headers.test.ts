// Which arguments are repeated in headers, and how.
import { expect, test } from 'vitest';
import { headerText, paramHeaders } from './param-headers';

const text = (name: string) => ({ type: 'string', 'x-mcp-header': name });
const schema = {
  type: 'object',
  properties: {
    region: text('Region'),
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    ratio: { type: 'number', 'x-mcp-header': 'Ratio' },
    plain: { type: 'string' },
    to: { type: 'object', properties: { city: text('City') } },
    lines: { type: 'array', items: text('Line') },
    broken: text('not a token'),
  },
};

test('what is marked and given goes out, at any depth of properties', () => {
  const args = { region: 'eu', count: 42, dry: false, ratio: 0.5, plain: 'x', to: { city: 'Zürich' }, lines: ['a'], broken: 'b' };
  expect(paramHeaders(schema, args)).toEqual({
    'mcp-param-region': 'eu',
    'mcp-param-count': '42',
    'mcp-param-dry-run': 'false',
    'mcp-param-city': '=?base64?WsO8cmljaA==?=',
  });
});

test.each([
  ['nothing is given', {}],
  ['null is given', { region: null, to: null }],
  ['a whole is given that is none, or too large to be exact', { count: 1.5 }],
  ['a whole is given that is too large to be exact', { count: 2 ** 60 }],
  ['there are no arguments', undefined],
])('no header where %s', (_, args) => {
  expect(paramHeaders(schema, args)).toEqual({});
});

test.each([undefined, true, {}, { properties: 'x' }])('no header for the schema %j', (odd) => {
  expect(paramHeaders(odd, { region: 'eu' })).toEqual({});
});

test('what a header cannot hold as it is goes out in Base64', () => {
  expect(headerText('plain text')).toBe('plain text');
  for (const odd of ['', ' led', 'trailing ', 'line\nbreak', 'größe', '=?base64?eA==?='])
    expect(Buffer.from(headerText(odd).replace(/^=\?base64\?(.*)\?=$/, '$1'), 'base64').toString()).toBe(odd);
});
