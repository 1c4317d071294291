// The end of the host itself: killed in the middle of a call, or asked to end. Nothing that was recorded is lost, and no
// server is left behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { calls } from '../../app/trace/calls';
import { judge } from '../../app/verdict/judge';
import { type OpenTrace, openTrace } from '../../main/store/replay';
import { alive } from './alive.testing';
import { install } from './cli.testing';

let folder: string;
let child: ChildProcess;

beforeEach(async () => {
  const installed = await install();
  folder = installed.folder;
  child = spawn(process.execPath, [installed.script, 'demo-race'], { env: { ...process.env, TMPDIR: folder }, stdio: 'ignore' });
});
afterEach(async () => {
  child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** Resolves with the race's trace file once a text stands in it. */
async function traceWith(text: string): Promise<string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await rest(5)) {
    const race = (await readdir(folder)).find((name) => name.startsWith('stopgap-race-'));
    const trace = race && (await readdir(path.join(folder, race))).find((name) => name.endsWith('.stopgap.ndjson'));
    const file = race && trace && path.join(folder, race, trace);
    if (file && (await readFile(file, 'utf8')).includes(text)) return file;
  }
  throw new Error(`waited for “${text}” in a trace file`);
}

const serverOf = (opened: OpenTrace): number => {
  for (let seq = 0; seq < opened.trace.length; seq++) {
    const extra = opened.trace.extra(seq);
    if (extra?.about === 'life' && extra.life.event === 'started') return extra.life.pid;
  }
  throw new Error('no process in the trace');
};

async function goneSoon(pid: number): Promise<boolean> {
  for (const deadline = Date.now() + 30_000; alive(pid) && Date.now() < deadline; ) await rest(20);
  return !alive(pid);
}

test('killed in mid-call, the host leaves a trace that opens with everything up to then; the server sees its stdin end', async () => {
  const file = await traceWith('notifications/cancelled');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const opened = await openTrace(file);
  const fold = calls(opened.trace);
  fold.take();
  const call = fold.all.find(({ tool }) => tool === 'charge_card');
  expect(call?.cancels.length).toBe(1);
  const verdicts = judge(opened.trace);
  verdicts.advance(opened.end);
  expect(verdicts.verdict(call?.index ?? -1)?.stop.state).toBe('sent');
  const [body] = await opened.bodies([call?.sent.seq ?? -1]);
  expect(body?.raw).toMatchObject({ text: expect.stringContaining('"name":"charge_card"') });
  expect(await goneSoon(serverOf(opened))).toBe(true);
  await opened.close();
});

test('asked to end in mid-call, it ends the server first, and says in the trace that it was wanted', async () => {
  const file = await traceWith('notifications/cancelled');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(130);
  const opened = await openTrace(file);
  expect(alive(serverOf(opened))).toBe(false);
  expect(opened.repaired).toBeUndefined();
  const fold = calls(opened.trace);
  fold.take();
  expect(fold.sessions.get(1)?.ends[0]?.life).toMatchObject({ event: 'exited', asked: 'quit' });
  await opened.close();
});
