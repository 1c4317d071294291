import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromMs } from '../app/base/time';
import { type CallInWords, commandLine, quote } from './commandLine';

const CALL: CallInWords = {
  spec: { kind: 'demo' },
  tool: 'charge_card',
  arguments: { amount: 4200, note: "it's" },
  stop: { after: fromMs(300.04), how: { means: 'cancel' }, reason: 'user pressed stop' },
  probes: [],
  settle: fromMs(3000),
  normally: fromMs(400),
  task: undefined,
};

test('the demo race in words', () => {
  expect(commandLine(CALL, 'posix')).toBe(
    `stopgap call demo charge_card --args '{"amount":4200,"note":"it'\\''s"}' --stop-after 300ms --reason 'user pressed stop' --settle 3000ms --normally 400ms`,
  );
});

test('the demo over another wire is a word of its own', () => {
  const bare = { ...CALL, arguments: {}, stop: undefined, settle: undefined, normally: undefined };
  expect(commandLine({ ...bare, spec: { kind: 'demo', over: 'http-stateless' } }, 'posix')).toBe(
    'stopgap call demo:http-stateless charge_card',
  );
});

test('a revision that is insisted on, and a task, go along', () => {
  const bare = { ...CALL, arguments: {}, stop: undefined, settle: undefined, normally: undefined };
  const line = commandLine({ ...bare, spec: { kind: 'demo', protocol: '2026-07-28' }, task: { ttl: fromMs(60_000) } }, 'posix');
  expect(line).toBe('stopgap call demo charge_card --task --task-ttl 60000ms --protocol 2026-07-28');
});

test('a server by its command line is one word, its probes stand beside it, and values of the environment do not', () => {
  const line = commandLine(
    {
      ...CALL,
      spec: { kind: 'stdio', command: 'node', args: ['my server.mjs', '--x'], env: { TOKEN: 'secret' }, watch: [], cwd: '/srv' },
      arguments: {},
      stop: { after: fromMs(5), how: { means: 'timeout', silent: true }, reason: undefined },
      probes: [{ kind: 'folder', name: 'out', path: '/tmp/my out', shared: false }],
      normally: undefined,
    },
    'posix',
  );
  expect(line).toBe(
    `stopgap call 'node '\\''my server.mjs'\\'' --x' charge_card --stop-after 5ms --how timeout:silent --probe 'folder:/tmp/my out' --settle 3000ms --cwd /srv --env 'TOKEN=…'`,
  );
  expect(line).not.toContain('secret');
});

test('a shell hands every quoted word on unchanged', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      const script = `for word in ${words.map((each) => quote(each, 'posix')).join(' ')}; do printf '%s\\0' "$word"; done`;
      expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 40 },
  );
});

test('words for Windows keep quotes and backslashes apart', () => {
  expect([quote('a b', 'windows'), quote('say "hi"', 'windows'), quote('C:\\dir with\\', 'windows'), quote('plain', 'windows')]).toEqual([
    '"a b"',
    '"say \\"hi\\""',
    '"C:\\dir with\\\\"',
    'plain',
  ]);
});
