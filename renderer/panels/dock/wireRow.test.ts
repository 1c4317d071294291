// The wire log of a small race, read as a person reads it.
import { expect, test } from 'vitest';
import { HttpBuild } from '../../../app/trace/buildHttp.testing';
import { calls } from '../../../app/trace/calls';
import type { Verdict } from '../../../app/verdict/verdict';
import { MODERN } from '../../../app/wire/era';
import { FakeHost, fakeVerdict } from '../../fakeHost.testing';
import { wireRow } from './wireRow';

function log(host: Pick<FakeHost, 'trace' | 'raws'>, verdicts: readonly Verdict[] = []): readonly string[] {
  const fold = calls(host.trace);
  fold.take();
  const context = { trace: host.trace, calls: fold, verdict: (call: number) => verdicts[call], text: (seq: number) => host.raws[seq] };
  return Array.from({ length: host.trace.length }, (_, seq) => {
    const { time, sign, role, head, id, tail, exchange } = wireRow(context, seq);
    return [time, sign, role, head, id, tail, exchange && `by ${exchange}`].filter(Boolean).join(' ');
  });
}

test('a race from call to write', () => {
  const host = new FakeHost();
  host.effect(5, { effect: 'watching', probe: 'ledger', kind: 'folder', place: '/state', shared: false });
  host.call(10, 12, 'charge_card', { amount: 4200 }, ['ledger']);
  host.message(50, 's2c', { method: 'notifications/progress', params: { progressToken: 12, progress: 1, total: 4, message: '1 of 4' } });
  host.cancel(300, 12);
  host.act(300, { act: 'fence', id: 12, ping: 'f-1' });
  host.message(300, 'c2s', { id: 'f-1', method: 'ping' });
  host.message(308, 's2c', { id: 'f-1', result: {} });
  const seen = host.effect(407, {
    effect: 'seen',
    probe: 'ledger',
    lo: 395e6 as never,
    hi: 405e6 as never,
    says: '1 line appended',
    subject: 'ledger.jsonl',
  });
  host.reply(712, 12, 'Charged');
  const verdict = fakeVerdict(0);
  const judged = {
    ...verdict,
    effect: { ...verdict.effect, observations: [{ seq: seen, state: 'after', reverted: false }] },
  } as unknown as Verdict;
  expect(log(host, [judged])).toEqual([
    '5.000 ◇ quiet ledger: watching /state',
    '10.000 · quiet call #12 charge_card, watched by ledger',
    '10.000 → plain tools/call #12 charge_card {"amount":4200}',
    '50.000 ← quiet notifications/progress 1 of 4',
    '300.000 · cancel Stop pressed #12 send cancel',
    '300.000 → cancel notifications/cancelled #12 charge_card "user pressed stop"',
    '300.000 · quiet fence #12 ping #"f-1" right behind the cancel',
    '300.000 → quiet ping #"f-1" has the server read the cancel?',
    '308.000 ← proof ping reply #"f-1" the server has read past the cancel',
    '407.000 ◆ breach ledger: 1 line appended ledger.jsonl',
    '712.000 ← late result #12 charge_card, 412 ms after its cancel "Charged"',
  ]);
  host.close();
});

test('a race over HTTP: every exchange with what it carries, its status, its times and bytes', () => {
  const b = new HttpBuild().at(10).post(12, 'charge_card').at(12);
  b.stream(1).event(1, 'ev-1', 500).at(300).postCancel(12).at(302).respond(2, 202, 'none').end(2).at(900).end(1, 412);
  b.at(1000).request({ method: 'GET', purpose: 'stream', resumes: 'ev-1', bytes: 0 }).at(1001).respond(3, 405, 'html');
  b.at(1100).request({ id: 13 }).at(1103).fail(4, { phase: 'connect', why: 'the connection was refused', code: 'ECONNREFUSED' });
  const raws = b.frames.map((frame) => (frame.kind === 'message' ? frame.raw : ''));
  expect(log({ trace: b.trace(), raws })).toEqual([
    '10.000 ⇢ quiet POST #1 #12 /mcp, a request, 240 bytes',
    '10.000 · quiet call #12 charge_card, not probed',
    '10.000 → plain tools/call #12 charge_card {} by POST #1',
    '12.000 ⇠ quiet POST #1: 200 text/event-stream, 2 ms after its request',
    '12.000 ⇠ quiet POST #1: event stream open from here',
    '12.000 ⇠ quiet POST #1: event id ev-1, retry 500 ms, no message',
    '300.000 · cancel Stop pressed #12 send cancel',
    '300.000 ⇢ cancel POST #2 #12 /mcp, a cancel, 110 bytes',
    '300.000 → cancel notifications/cancelled #12 charge_card "user pressed stop" by POST #2',
    '302.000 ⇠ quiet POST #2: 202 2 ms after its request',
    '302.000 ⇠ quiet POST #2: ended 0 bytes, 2 ms in all',
    '900.000 ⇠ quiet POST #1: ended 412 bytes, 890 ms in all',
    '1000.000 ⇢ quiet GET #3 /mcp, takes up the stream behind event ev-1',
    '1001.000 ⇠ breach GET #3: 405 text/html, 1 ms after its request',
    '1100.000 ⇢ quiet POST #4 #13 /mcp, a request, 120 bytes',
    '1103.000 · breach POST #4: failed the connection was refused (ECONNREFUSED), 0 bytes, 3 ms in all',
  ]);
});

test('a server that misbehaves: noise, replies nobody asked for, a sudden end', () => {
  const host = new FakeHost();
  host.frame(1, 's2c', { kind: 'noise', why: 'not-json', raw: { text: 'listening' } });
  host.message(2, 's2c', { id: 99, result: {} });
  host.message(3, 's2c', { id: 1, error: { code: -32000, message: 'no' } });
  host.life(4, { event: 'exited', code: 7, asked: 'nobody' });
  host.life(5, { event: 'exited', signal: 'SIGKILL', asked: 'kill' });
  expect(log(host).map((row) => row.replace(/ \{.*/, ''))).toEqual([
    '1.000 ← unknown noise: not JSON',
    '2.000 ← unknown result #99 for a request nobody knows',
    '3.000 ← unknown error -32000 #1 for a request nobody knows',
    '4.000 · breach process exited code 7, nobody asked for it',
    '5.000 · quiet process exited SIGKILL, asked by kill',
  ]);
  host.close();
});

test('before the judge has said that an effect came after, it is an effect and no more', () => {
  const host = new FakeHost();
  host.call(1, 1, 'charge_card', {}, ['ledger']);
  host.effect(2, { effect: 'seen', probe: 'ledger', lo: 1e6 as never, hi: 2e6 as never, says: '1 line appended', subject: 'ledger.jsonl' });
  expect(log(host).at(-1)).toBe('2.000 ◇ plain ledger: 1 line appended ledger.jsonl');
  host.close();
});

test('the revision without a handshake: the question, the closed stream, a round of questions', () => {
  const b = new HttpBuild().openedHttp([{ name: 'charge' }], { protocol: MODERN });
  const before = b.frames.length;
  b.at(20).post(3, 'charge').at(300).close(3).at(400).post(4, 'charge').at(410).begun(b.newest);
  b.on(b.newest).s2c({ id: 4, result: { resultType: 'input_required', inputRequests: {} } });
  b.s2c({ id: 5, error: { code: -32021, message: 'no' } });
  const raws = b.frames.map((frame) => (frame.kind === 'message' ? frame.raw : ''));
  const lines = log({ trace: b.trace(), raws });
  expect(lines.find((line) => line.includes('server/discover'))).toContain('what do you offer?');
  const shown = lines.slice(before).join('\n');
  expect(shown).toContain('Stop pressed #3 close the stream (the cancel here)');
  expect(shown).toContain('cut closed from here: that is the cancel');
  expect(shown).toContain('input required #4 charge: the server asks for more');
  expect(shown).toContain('error -32021: it needs what this client does not offer');
});
