import { expect, test } from 'vitest';
import { AUTOMATIC, MODERN } from '../../../app/wire/era';
import { draftOf, revisionHint, specOf } from './draft';

const imported = {
  kind: 'stdio',
  command: 'node',
  args: ['my server.mjs', '--x'],
  cwd: '/srv',
  env: { TOKEN: '' },
  watch: ['a', 'b'],
  title: 'Orders',
  id: 'x1',
  importedFrom: '/home/me/mcp.json',
} satisfies Parameters<typeof specOf>[1];

test('a description that nobody changes is the same again, with its id and where it came from', () => {
  expect(specOf(draftOf(imported), imported)).toEqual({ spec: imported });
  const http = {
    kind: 'http',
    url: 'https://x.example/mcp',
    transport: 'sse',
    headers: { Authorization: '' },
    id: 'x2',
    title: 'X',
  } as const;
  expect(specOf(draftOf(http), http)).toEqual({ spec: http });
});

test('a command that the person has written is not the file’s any more', () => {
  const changed = specOf({ ...draftOf(imported), line: 'node other.mjs' }, imported);
  expect(changed).toEqual({ spec: expect.not.objectContaining({ importedFrom: expect.anything() }) });
});

test('what is no description says what is missing', () => {
  expect(specOf({ ...draftOf(undefined), kind: 'http', url: 'file:///etc/passwd' }, undefined)).toEqual({
    why: 'An address begins with http:// or https://.',
  });
  expect(specOf({ ...draftOf(undefined), line: '  ' }, undefined)).toHaveProperty('why');
});

test('a revision is chosen with what it makes of Stop', () => {
  const over = (kind: 'stdio' | 'http', protocol: string, transport: 'auto' | 'sse' = 'auto') =>
    revisionHint({ kind, transport, protocol });
  expect(over('http', MODERN)).toContain('Stop closes the response stream of a call here, which is the cancel; no message is sent.');
  expect(over('stdio', MODERN)).toContain('Stop sends notifications/cancelled.');
  expect(over('http', '2025-11-25')).toContain('Stop sends notifications/cancelled.');
  expect(over('http', MODERN, 'sse')).toContain('choose Streamable HTTP');
  expect(over('stdio', AUTOMATIC)).toContain('server/discover goes first');
  expect(over('stdio', '')).toContain('initialize goes first');
});
