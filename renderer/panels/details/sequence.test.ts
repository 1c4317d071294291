import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromMs } from '../../../app/base/time';
import { world } from '../../../app/evidence/world';
import { HttpBuild } from '../../../app/trace/buildHttp.testing';
import { TaskBuild } from '../../../app/trace/buildTasks.testing';
import { calls } from '../../../app/trace/calls';
import type { Verdict } from '../../../app/verdict/verdict';
import { MODERN } from '../../../app/wire/era';
import { FakeHost, fakeVerdict } from '../../fakeHost.testing';
import { modelOf } from '../../timeline/shop.testing';
import { sequenceOf } from './sequence';

let host: FakeHost;
beforeEach(() => {
  host = new FakeHost();
  host.effect(0, { effect: 'watching', probe: 'ledger', kind: 'folder', place: '/state', shared: false });
});
afterEach(() => host.close());

const ARROW = { client: 'C', server: 'S', world: 'W' } as const;

/** The sequence in a line for each step, and where the lifelines become dashed. */
function read(stop: number | undefined, observations: readonly object[] = []): readonly string[] {
  const fold = calls(host.trace);
  fold.take();
  const seeing = world();
  for (let seq = 0; seq < host.trace.length; seq++) seeing.take(host.trace, seq);
  const verdict = fakeVerdict(0);
  const judged = {
    ...verdict,
    stop: { ...verdict.stop, at: stop === undefined ? undefined : fromMs(stop) },
    effect: { ...verdict.effect, observations },
  } as unknown as Verdict;
  const call = fold.all[0];
  if (!call) throw new Error('expected a call');
  const { steps, clientUntil, serverUntil } = sequenceOf(call, { trace: host.trace, calls: fold, world: seeing, verdict: judged });
  return [
    ...steps.map(
      (step) =>
        `${step.after === undefined ? '' : `≈${step.after} `}${step.when} ${ARROW[step.from]}${step.dashed ? '⇢' : '→'}${ARROW[step.to]} ${step.role} ${step.says}`,
    ),
    `client ${clientUntil}, server ${serverUntil} of ${steps.length}`,
  ];
}

test('a race: what was sent, what was read, what happened in the world, what came back', () => {
  host.call(10, 12, 'charge_card', {}, ['ledger']);
  host.cancel(300, 12);
  host.act(300, { act: 'fence', id: 12, ping: 'f-1' });
  host.message(300.1, 'c2s', { id: 'f-1', method: 'ping' });
  host.message(308, 's2c', { id: 'f-1', result: {} });
  const seq = host.effect(407, {
    effect: 'seen',
    probe: 'ledger',
    lo: fromMs(395),
    hi: fromMs(405),
    says: '1 line appended',
    subject: 'l',
  });
  host.reply(712, 12);
  const seen = {
    seq,
    probe: 'ledger',
    lo: fromMs(395),
    hi: fromMs(405),
    says: '1 line appended',
    state: 'after',
    reverted: false,
    certainty: 'proved',
  };
  expect(read(300, [seen])).toEqual([
    '−290.0 ms C→S request charge_card',
    '≈290 ms +0.0 ms C→S cancel cancel “user pressed stop”',
    '+0.1 ms C→S unknown ping',
    '+8.0 ms S→C proof pong: read past the cancel',
    '+95…+105 ms S→W breach 1 line appended · ledger',
    '≈307 ms +412.0 ms S→C late result',
    'client 1, server 6 of 6',
  ]);
});

test('a server that was not told and goes silent: its line ends with its last word', () => {
  host.call(0, 1, 'crawl_site');
  host.message(50, 's2c', { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } });
  host.act(100, { act: 'stop', id: 1, how: { means: 'abandon' }, wrote: false, late: false });
  host.life(150, { event: 'exited', code: 7, asked: 'nobody' });
  expect(read(100)).toEqual([
    '−100.0 ms C→S request crawl_site',
    '≈100 ms +0.0 ms C→C cancel gave up, told nobody',
    '+50.0 ms S→S unknown the process ended',
    'client 1, server 3 of 3',
  ]);
});

test('an effect that was taken back, by inference; a call that nobody stopped counts from its request', () => {
  host.call(10, 1, 'book_seat', {}, ['ledger']);
  const seq = host.effect(60, { effect: 'seen', probe: 'ledger', lo: fromMs(40), hi: fromMs(60), says: 'a seat', subject: 's' });
  host.effect(90, { effect: 'reverted', probe: 'ledger', lo: fromMs(80), hi: fromMs(90), says: 'gone', of: [seq] });
  host.reply(95, 1);
  const seen = {
    seq,
    probe: 'ledger',
    lo: fromMs(40),
    hi: fromMs(60),
    says: 'a seat',
    state: 'before',
    reverted: true,
    certainty: 'inferred',
  };
  expect(read(undefined, [seen])).toEqual([
    '+0.0 ms C→S request book_seat',
    '+30…+50 ms S⇢W ink a seat · ledger',
    '+80.0 ms S⇢W proof taken back · ledger',
    '+85.0 ms S→C request result',
    'client 3, server 4 of 4',
  ]);
});

test('over HTTP statuses stand between the messages, and say nothing of what the server does', () => {
  const b = new HttpBuild().openedHttp().at(100).post(3, 'charge_card');
  b.at(110).stream(b.postOf(3)).at(300).accepted(3, 4);
  const model = modelOf(b.frames, 5000);
  const call = model.calls.find(1, 'client', 'n:3');
  if (!call) throw new Error('expected call 3');
  const { steps, serverUntil } = sequenceOf(call, { ...model, verdict: model.verdict(call.index) });
  expect(steps.map(({ says, thin, role }) => [thin ? 'thin' : 'message', role, says].join(' '))).toEqual([
    'message request charge_card',
    'thin request POST #5: 200, a stream',
    'message cancel cancel “user pressed stop”',
    'thin unknown POST #6: 202',
  ]);
  expect(serverUntil).toBe(0);
});

test('a stream that is closed as the cancel is a cut, and after it the server is not heard any more', () => {
  const b = new HttpBuild().openedHttp([], { protocol: MODERN }).at(100).post(3, 'charge_card');
  b.at(110).stream(b.postOf(3)).at(300).close(3);
  const model = modelOf(b.frames, 5000);
  const call = model.calls.find(1, 'client', 'n:3');
  if (!call) throw new Error('expected call 3');
  const { steps, serverUntil } = sequenceOf(call, { ...model, verdict: model.verdict(call.index) });
  expect(steps.map(({ says, cut }) => (cut ? `cut: ${says}` : says))).toEqual([
    'charge_card',
    'POST #3: 200, a stream',
    'cut: closes the stream: the cancel here',
  ]);
  expect(serverUntil).toBe(0);
});

test('a dropped connection told nobody, and a torn response is a loss of its own', () => {
  const dropped = new HttpBuild().openedHttp().at(100).post(3, 'charge_card').at(300).drop(3);
  const torn = new HttpBuild().openedHttp().at(100).post(3, 'charge_card').at(300);
  const said = [dropped, torn.fail(torn.postOf(3))].map(({ frames }) => {
    const model = modelOf(frames, 5000);
    const call = model.calls.find(1, 'client', 'n:3');
    return call ? sequenceOf(call, { ...model, verdict: model.verdict(call.index) }).steps.at(-1)?.says : undefined;
  });
  expect(said).toEqual(['dropped the connection, told nobody', 'POST #5 failed: the connection was reset']);
});

test('a task: the answer that made it, its states, how often it was asked for, tasks/cancel, and what it came to', () => {
  const b = new TaskBuild()
    .openedTasks([{ name: 'report' }])
    .at(100)
    .callTask(3, 'report')
    .at(110)
    .created(3, 'T');
  b.at(300).poll('T', 'working').at(400).poll('T', 'input_required').at(500).cancelTask(3, 'T').at(504).acknowledged('T');
  const model = modelOf(b.at(900).poll('T', 'completed').frames, 5000);
  const call = model.calls.find(1, 'client', 'n:3');
  if (!call) throw new Error('expected call 3');
  const { steps } = sequenceOf(call, { ...model, verdict: model.verdict(call.index) });
  expect(steps.map(({ says, role, from, thin }) => [thin ? 'thin' : role, ARROW[from], says].join(' '))).toEqual([
    'request C report',
    'request S a task: working',
    'request S task: input required',
    'cancel C tasks/cancel',
    'late S task cancelled',
    'thin C tasks/get, the last of 3',
    'late S then task completed',
  ]);
});
