import { expect, test } from 'vitest';
import type { ConfigInput, ConfiguredServer } from '../../../app/contract/server';
import {
  askedOf,
  chosenOf,
  fieldText,
  importsOf,
  isSaved,
  keyOf,
  type Listed,
  lackingOf,
  reachedBy,
  visible,
  withFile,
  withFound,
} from './importing';

const stdio = (name: string, change: Partial<ConfiguredServer> = {}): ConfiguredServer => ({
  name,
  spec: { kind: 'stdio', command: 'node', args: [`${name}.mjs`], env: {}, watch: [], title: name, importedFrom: '/a.json' },
  inputs: [],
  disabled: false,
  problems: [],
  ...change,
});
const file = (path: string, ...servers: readonly ConfiguredServer[]): Listed => ({ path, form: 'cursor', servers, problems: [] });
const input = (id: string, change: Partial<ConfigInput> = {}): ConfigInput => ({
  id,
  description: `the ${id}`,
  password: false,
  default: undefined,
  ...change,
});

test('a command is shown whole, word by word, with what cannot be seen in it', () => {
  const words = ['a b', "it's", '--url=postgres://me:hunter2@db/x', `long${'g'.repeat(300)}`, 'txt.\u202Eexe', 'new\nline'];
  const line = reachedBy({ kind: 'stdio', command: '/bin/x', args: words, env: {}, watch: [] });
  expect(line).toContain(`/bin/x 'a b' 'it'\\''s'`);
  expect(line).toContain('g'.repeat(300));
  expect(line).toContain('txt.\\u{202e}exe');
  expect(line).toContain('new\\u{a}line');
  expect(line).not.toContain('hunter2');
  const address = { kind: 'http', transport: 'auto', headers: {} } as const;
  expect(reachedBy({ ...address, url: 'https://me:hunter2@shop.test/mcp' })).not.toContain('hunter2');
  expect(reachedBy({ ...address, url: 'https://shop.test/mcp?x=1' })).toBe('https://shop.test/mcp?x=1');
  expect(visible('plain, ünïcode 漢字')).toBe('plain, ünïcode 漢字');
});

test('a chosen file stands first and only once; files found later stand before those, and take nothing away', () => {
  const [a, b, c] = [file('/a.json'), file('/b.json'), file('/c.json')];
  const again = file('/b.json', stdio('new'));
  expect(withFile([a, b], again)).toEqual([again, a]);
  expect(withFound([a, b], [c, again])).toEqual([c, a, again]);
});

test('of a file that was picked out, what its client would start is chosen', () => {
  const picked = file('/a.json', stdio('on'), stdio('off', { disabled: true }));
  expect(chosenOf(picked)).toEqual([keyOf(picked, { name: 'on' })]);
});

test('each value is asked for once, unless two files describe it differently', () => {
  const token = input('TOKEN', { password: true });
  const files = [
    file('/a.json', stdio('one', { inputs: [token, input('region', { default: 'eu' })] }), stdio('two', { inputs: [token] })),
    file('/b.json', stdio('three', { inputs: [token, input('region', { description: 'of the moon' })] })),
  ];
  const chosen = new Set(files.flatMap(chosenOf));
  const asked = askedOf(files, chosen);
  expect(asked.map(({ id, of }) => [id, of])).toEqual([
    ['TOKEN', ['one', 'two', 'three']],
    ['region', ['one']],
    ['region', ['three']],
  ]);
  expect(lackingOf(asked, {}).map(({ id, of }) => [id, of[0]])).toEqual([
    ['TOKEN', 'one'],
    ['region', 'three'],
  ]);
  const [first, , moon] = asked.map(({ key }) => key);
  const typed = { [String(first)]: 's3cret', [String(moon)]: 'dark side' };
  expect(lackingOf(asked, typed)).toEqual([]);
  expect(importsOf(files, chosen, typed)).toEqual([
    { path: '/a.json', names: ['one', 'two'], inputs: { TOKEN: 's3cret', region: 'eu' } },
    { path: '/b.json', names: ['three'], inputs: { TOKEN: 's3cret', region: 'dark side' } },
  ]);
  // What is not chosen asks for nothing.
  expect(askedOf(files, new Set())).toEqual([]);
  expect(importsOf(files, new Set(), typed)).toEqual([]);
});

test('a password of the file is neither shown nor sent; another default can be emptied', () => {
  const password = input('pin', { password: true, default: '' });
  const region = input('region', { default: 'eu' });
  expect([fieldText(password, undefined), fieldText(region, undefined), fieldText(region, '')]).toEqual(['', 'eu', '']);
  const files = [file('/a.json', stdio('one', { inputs: [password, region] }))];
  const chosen = new Set(files.flatMap(chosenOf));
  const asked = askedOf(files, chosen);
  expect(lackingOf(asked, {})).toEqual([]);
  expect(importsOf(files, chosen, { [String(asked[1]?.key)]: '' })).toEqual([{ path: '/a.json', names: ['one'], inputs: { region: '' } }]);
});

test('a server that was taken over before is known by its file and its name', () => {
  const server = stdio('one');
  const saved = { ...server.spec, id: 'x' };
  expect(isSaved(server, [{ kind: 'demo' }, saved])).toBe(true);
  expect(isSaved(server, [{ ...saved, title: 'two' }])).toBe(false);
  expect(isSaved(server, [{ ...saved, importedFrom: undefined }])).toBe(false);
});
