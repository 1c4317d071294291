import { expect, test } from 'vitest';
import type { Tool } from '../../../app/contract/host';
import { suggestProbe, wordsOf } from './suggest';

const tool = (name: string, change: Partial<Tool> & { readonly args?: readonly string[] } = {}): Tool => {
  const { args = [], ...rest } = change;
  return {
    name,
    title: undefined,
    description: undefined,
    taskSupport: 'forbidden',
    inputSchema: { type: 'object', properties: Object.fromEntries(args.map((arg) => [arg, {}])) },
    ...rest,
  };
};

const kinds = (tools: readonly Tool[], others: readonly Tool[] = []): readonly (string | undefined)[] =>
  tools.map((one) => suggestProbe(one, [...tools, ...others])?.kind);

test('a tool’s name is taken apart, however it is written', () => {
  expect(['writeFile', 'write_file', 'write-file', 'Write a file.'].map((text) => wordsOf(text).filter((word) => word !== 'a'))).toEqual([
    ['write', 'file'],
    ['write', 'file'],
    ['write', 'file'],
    ['write', 'file'],
  ]);
});

test('the words of a tool say which probe fits', () => {
  expect(
    kinds([
      tool('write_file', { args: ['path', 'content'] }),
      tool('edit', { args: ['path'], description: 'Changes text in place.' }),
      tool('insert_rows', { args: ['table', 'values'] }),
      tool('notify', { args: ['webhook_url', 'text'] }),
      tool('execute_command', { args: ['command'] }),
      tool('deploy'),
      tool('git_commit', { args: ['repo_path', 'message'] }),
      tool('charge_card', { description: 'Charges a card by appending one line to ledger.jsonl.', args: ['amount'] }),
    ]),
  ).toEqual(['folder', 'folder', 'sql', 'http', 'process', 'process', 'command', 'folder']);
});

test('a sibling that reads what the tool writes is the witness', () => {
  const create = tool('create_ticket', { args: ['title'] });
  expect(suggestProbe(create, [create, tool('list_tickets', { readOnly: true })])).toEqual({
    kind: 'read',
    because: 'list_tickets of the same server may show what it did',
    ask: 'list_tickets',
  });
  // Of one thing and of another; declared to write; a tool that itself only reads.
  expect(kinds([create], [tool('list_orders'), tool('get_ticket', { readOnly: false })])).toEqual([undefined]);
  expect(kinds([tool('get_ticket')], [tool('list_tickets')])[0]).toBeUndefined();
});

test('a plain word in the tool’s own name outweighs a sibling; nothing said is nothing suggested', () => {
  expect(kinds([tool('write_file', { args: ['path'] })], [tool('read_file', { readOnly: true })])).toEqual(['folder']);
  expect(suggestProbe(tool('frobnicate'), [])).toBeUndefined();
  expect(suggestProbe(tool('write_file'), [])?.because).toBe('it speaks of “file”');
});
