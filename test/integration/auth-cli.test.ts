// The command line against a server that asks for an authorization: on a terminal the address is printed and waited for,
// elsewhere the run ends and says why.
import { spawn, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { type Answer, browser, type OAuthServer, oauthServer } from '../oauth.testing';
import { install } from './cli.testing';

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

async function installed(): Promise<{ readonly script: string; readonly server: OAuthServer }> {
  const { folder, script } = await install();
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const server = await oauthServer();
  closing.push(server.close);
  return { script, server };
}

interface Ran {
  readonly code: number | null;
  readonly text: string;
}

/** Runs a program, and does something each time that it has printed. */
function run(program: string, args: readonly string[], look: (text: string) => void = () => undefined): Promise<Ran> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      look(text);
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, text })));
}

test('without a terminal nobody is waited for', async () => {
  const { script, server } = await installed();
  const { code, text } = await run(process.execPath, [script, 'call', server.url, 'read_notes']);
  expect(code).toBe(3);
  expect(text).toMatch(/asks for an authorization \(401 Unauthorized\)/);
});

/** util-linux's `script` gives a program a terminal. */
const hasTerminals = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

test.runIf(hasTerminals).each<[Answer, number, RegExp]>([
  ['consent', 0, /read_notes #\d+/],
  ['refuse', 3, /The authorization was refused in the browser\./],
])('on a terminal the address is printed and waited for: %s', async (answer, code, says) => {
  const { script, server } = await installed();
  let isOpen = false;
  const words = [process.execPath, script, 'call', server.url, 'read_notes'].map((word) => `'${word}'`).join(' ');
  const ran = await run('script', ['-qec', words, '/dev/null'], (text) => {
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/auth\?\S+(?=\s)/.exec(text) ?? [];
    if (address === undefined || isOpen) return;
    isOpen = true;
    void browser(address, answer);
  });
  expect(ran).toEqual({ code, text: expect.stringMatching(says) });
  expect(ran.text).toContain('this server asks for an authorization. Open this address, and answer there:');
  expect(server.tokens.filter((token) => ran.text.includes(token))).toEqual([]);
});
