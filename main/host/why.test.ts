import { expect, test } from 'vitest';
import { UndeliveredError } from '../transports/wire';
import { handshakeWhy, outlivedSays, Unanswered } from './why';

const node = { pid: 77, command: 'node server.mjs' };
const sleep = { pid: 78, command: 'sleep 60' };

test.each([
  [
    'the server itself',
    { afterMs: 2000, server: true, processes: [{ ...node, signal: 'SIGTERM' }] },
    'The server did not end 2 s after its stdin had been closed: pid 77 node server.mjs had to be ended by SIGTERM.',
  ],
  [
    'with a child that did not listen',
    {
      afterMs: 2000,
      server: true,
      processes: [
        { ...node, signal: 'SIGTERM' },
        { ...sleep, signal: 'SIGKILL' },
      ],
    },
    'The server did not end 2 s after its stdin had been closed: pid 77 node server.mjs had to be ended by SIGTERM, pid 78 sleep 60 by SIGKILL.',
  ],
  [
    'what it left behind',
    { afterMs: 300, server: false, processes: [sleep, { pid: 79, command: '' }].map((one) => ({ ...one, signal: 'SIGKILL' as const })) },
    'The server had ended, but 300 ms after its stdin had been closed processes that it had started were still there: pid 78 sleep 60 and pid 79 had to be ended by SIGKILL.',
  ],
  [
    'a crowd, with long command lines',
    {
      afterMs: 300,
      server: false,
      processes: Array.from({ length: 7 }, (_, n) => ({ pid: n, command: 'x'.repeat(n === 0 ? 200 : 1), signal: 'SIGTERM' as const })),
    },
    `The server had ended, but 300 ms after its stdin had been closed processes that it had started were still there: pid 0 ${'x'.repeat(120)}…, pid 1 x, pid 2 x, pid 3 x, pid 4 x and 2 more had to be ended by SIGTERM.`,
  ],
] as const)('what outlived the end of its server is named: %s', (_, outlived, says) => {
  expect(outlivedSays(outlived)).toBe(says);
});

test('a server that could not be written to may still have something to say: nothing is claimed about what it printed', () => {
  const why = (noise: string | undefined): string =>
    handshakeWhy({
      error: new UndeliveredError('it could not be written: write EPIPE'),
      command: 'echo',
      seen: { noise, stderr: undefined },
      ending: undefined,
      asked: 'initialize',
    });
  expect(why(undefined)).not.toContain('printed');
  expect(why('hello')).toContain('On stdout it said “hello”. Run the command');
});

test('what the server was to answer first is called by its name', () => {
  const silent = { error: new Unanswered(20_000), command: 'node', seen: { noise: undefined, stderr: undefined }, ending: undefined };
  expect(handshakeWhy({ ...silent, asked: 'server/discover' })).toMatch(/^Expected an answer to server\/discover within 20 s/);
  const ended = { ...silent, ending: { code: 3, signal: undefined, afterMs: 40 }, asked: 'server/discover' };
  expect(handshakeWhy(ended)).toMatch(/^Expected an answer to server\/discover, but the process ended with exit code 3/);
});
