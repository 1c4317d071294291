// Ids that no client of the SDK chooses, cancels that hit nothing or somebody else, and a server that numbers its own requests
// like ours. Spoken by hand, for no client would send them.
import { allOf, finds, holds, other, replyIs, stopIs, type TruthCase } from '../case';
import type { Handle, Program, Scene, Step } from '../scene';
import { RawWire } from '../wire';

const server = 'truth-server, by hand';
const flag = (name: 'stale' | 'twice' | 'forbidden') => holds(`flag ${name}`, ({ verdict }) => verdict.stop.flags.includes(name), true);

async function cancelled(scene: Scene, steps: readonly Step[], more: Program): Promise<Handle> {
  const call = await scene.call(steps, more);
  await scene.reached(call, 'begun');
  await scene.stop(call);
  return call;
}

/** A call that writes after its cancel. */
async function writesAfter(scene: Scene, more: Program): Promise<Handle> {
  const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], more);
  await scene.looked(call);
  await scene.open('go');
  await scene.saw(call);
  return call;
}

const cancelOf = (requestId: unknown, reason?: unknown) => ({
  message: {
    jsonrpc: '2.0' as const,
    method: 'notifications/cancelled',
    params: { requestId, ...(reason === undefined ? {} : { reason }) } as Record<string, unknown>,
  },
});

/** An id whose cancel the server overlooks, as the SDK's servers do with falsy ones. */
const overlooked = (id: number | string): TruthCase => ({
  name: `the id ${JSON.stringify(id)}, whose cancel the server overlooks`,
  class: 'N',
  server,
  acceptable: ['write-after-cancel'],
  async run(scene) {
    await scene.byHand([`deaf=${JSON.stringify(id)}`]);
    return writesAfter(scene, { id, abort: true });
  },
});

const honoured = (id: number | string): TruthCase => ({
  name: `the id ${JSON.stringify(id)}, whose cancel is honoured`,
  class: 'B',
  server,
  acceptable: ['stopped'],
  async run(scene) {
    await scene.byHand();
    return cancelled(scene, [{ say: 'begun' }, { gate: 'never' }], { id, abort: true, normallyMs: 100 });
  },
});

export const IDS: readonly TruthCase[] = [
  overlooked(0),
  overlooked(''),
  honoured(0),
  honoured(''),
  honoured('5'),
  honoured('n:5'),
  {
    name: 'the same number as a number and as a text, one of them cancelled',
    class: 'N',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.byHand();
      const text = await scene.call([{ say: 'begun' }, { gate: 'on' }, { answer: 'done' }], { id: '7', as: 'text', probes: [] });
      await scene.reached(text, 'begun');
      const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'never' }], { id: 7, abort: true, normallyMs: 100 });
      await scene.open('on');
      await scene.replied(text);
      return call;
    },
    also: other('text', 'completed'),
  },
  {
    name: 'an id used again after it was answered: the second call is cancelled and writes',
    class: '-',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.byHand();
      const first = await scene.call([{ write: 'first' }, { gate: 'end' }, { answer: 'done' }], { id: 7, as: 'first' });
      await scene.saw(first);
      await scene.open('end');
      await scene.replied(first);
      return writesAfter(scene, { id: 7, as: 'second', normallyMs: 60_000 });
    },
    also: other('first', 'completed'),
  },
  {
    name: 'an id used again after it was cancelled: the second call completes',
    class: '-',
    server,
    acceptable: ['completed'],
    async run(scene) {
      await scene.byHand();
      const first = await cancelled(scene, [{ say: 'begun' }, { gate: 'never' }], { id: 7, as: 'first', abort: true, normallyMs: 60 });
      await scene.sees('its verdict', first, ({ verdict }) => verdict === 'stopped');
      const call = await scene.call([{ gate: 'go' }, { write: 'second' }, { gate: 'end' }, { answer: 'done' }], { id: 7, as: 'second' });
      await scene.lookedSent(call);
      await scene.open('go');
      await scene.saw(call);
      await scene.open('end');
      await scene.replied(call);
      return call;
    },
    also: other('first', 'stopped'),
  },
  {
    name: 'an id used again while its first call still runs: both write',
    class: 'O',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.byHand();
      const first = await cancelled(scene, [{ say: 'begun' }, { gate: 'go' }, { write: 'first' }], { id: 7, as: 'first' });
      await scene.looked(first);
      await scene.open('go');
      await scene.saw(first);
      const second = await scene.call([{ write: 'second' }, { gate: 'end' }, { answer: 'done' }], { id: 7, as: 'second' });
      await scene.saw(second);
      await scene.open('end');
      await scene.replied(second);
      return first;
    },
    also: other('second', 'completed'),
  },
  {
    name: 'a cancel in the same write as its call, heeded before it began',
    class: 'F',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.byHand();
      return scene.call([{ gate: 'never' }], { abort: true, cancelledAtOnce: true, normallyMs: 100 });
    },
  },
  {
    name: 'a cancel in the same write as its call, and it writes all the same',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.byHand();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], { cancelledAtOnce: true });
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
  },
  {
    name: 'a finished call is cancelled all the same',
    class: 'N',
    server,
    acceptable: ['finished-first'],
    async run(scene) {
      await scene.byHand();
      const call = await scene.call([{ write: 'a' }, { gate: 'end' }, { answer: 'done' }], { normallyMs: 60 });
      await scene.saw(call);
      await scene.open('end');
      await scene.replied(call);
      await scene.stop(call);
      return call;
    },
    also: flag('stale'),
  },
  {
    name: 'a cancel of an unknown id changes nothing',
    class: 'N',
    server,
    acceptable: ['completed'],
    async run(scene) {
      const wire = await scene.byHand();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'a' }, { gate: 'end' }, { answer: 'done' }], {
        abort: true,
      });
      await scene.reached(call, 'begun');
      await wire.send([cancelOf(424_242)]);
      await scene.open('go');
      await scene.saw(call);
      await scene.open('end');
      await scene.replied(call);
      return call;
    },
    also: stopIs('none'),
  },
  {
    name: 'a cancel in the other type of id stops nothing, and the write comes',
    class: 'N',
    server,
    acceptable: ['completed'],
    async run(scene) {
      const wire = await scene.byHand();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'a' }, { gate: 'end' }, { answer: 'done' }], {
        id: 5,
        abort: true,
      });
      await scene.reached(call, 'begun');
      await wire.send([cancelOf('5')]);
      await scene.open('go');
      await scene.saw(call);
      await scene.open('end');
      await scene.replied(call);
      return call;
    },
    also: stopIs('none'),
  },
  {
    name: 'a cancel in the other type of id, meant for the call',
    class: 'N',
    server,
    acceptable: ['never-told'],
    async run(scene) {
      const wire = await scene.byHand();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], { id: 5, abort: true });
      await scene.reached(call, 'begun');
      wire.act({ act: 'stop', id: 5, how: { means: 'cancel-id', id: '5' }, wrote: true, late: false });
      await wire.send([cancelOf('5')]);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: stopIs('misaddressed'),
  },
  {
    name: 'a cancel whose reason is no text, dropped by the server',
    class: 'N',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      const wire = await scene.byHand(['strict']);
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], { id: 5, abort: true });
      await scene.reached(call, 'begun');
      await wire.send([cancelOf(5, { why: 'no text' })]);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
  },
  {
    name: 'a cancel without an id stops nothing',
    class: 'N',
    server,
    acceptable: ['completed'],
    async run(scene) {
      const wire = await scene.byHand();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'a' }, { gate: 'end' }, { answer: 'done' }], {
        abort: true,
      });
      await scene.reached(call, 'begun');
      await wire.send([cancelOf(undefined), cancelOf(null)]);
      await scene.open('go');
      await scene.saw(call);
      await scene.open('end');
      await scene.replied(call);
      return call;
    },
    also: stopIs('none'),
  },
  {
    name: 'cancelled twice, and honoured',
    class: 'B',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      const wire = await scene.byHand();
      const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'never' }], { id: 5, abort: true, normallyMs: 100 });
      await wire.send([cancelOf(5)]);
      return call;
    },
    also: flag('twice'),
  },
  {
    name: 'the server takes the cancel for another call’s: the cancelled one answers',
    class: 'I',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.byHand(['mistaken']);
      const bystander = await scene.call([{ say: 'begun' }, { gate: 'never' }], { as: 'bystander', abort: true, probes: [] });
      await scene.reached(bystander, 'begun');
      const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'go' }, { write: 'late' }, { answer: 'done' }], { abort: true });
      await scene.lookedFenced(call);
      await scene.open('go');
      await scene.saw(call);
      await scene.replied(call);
      return call;
    },
    also: other('bystander', 'waiting', 'lost'),
  },
  {
    name: 'the server’s own request has the id of our call, and it takes that back',
    class: '-',
    server,
    acceptable: ['completed'],
    async run(scene) {
      await scene.byHand();
      const call = await scene.call(
        [
          { ask: 'roots/list', id: 0 },
          { takeBack: 0 },
          { say: 'begun' },
          { gate: 'go' },
          { write: 'a' },
          { gate: 'end' },
          { answer: 'done' },
        ],
        { id: 0 },
      );
      await scene.reached(call, 'begun');
      await scene.open('go');
      await scene.saw(call);
      await scene.open('end');
      await scene.replied(call);
      return call;
    },
    also: stopIs('none'),
  },
  {
    name: 'the server’s own request has the id of our cancelled call, and is answered',
    class: '-',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      const wire = await scene.byHand();
      const call = await scene.call([{ ask: 'roots/list', id: 5 }, { say: 'begun' }, { gate: 'never' }], {
        id: 5,
        abort: true,
        normallyMs: 100,
      });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.fenced(call);
      await wire.send([{ message: { jsonrpc: '2.0', id: 5, result: { roots: [] } } }]);
      return call;
    },
    also: replyIs('none'),
  },
  {
    name: 'initialize is cancelled, and never answered',
    class: 'L',
    server,
    acceptable: ['invalid-cancel'],
    async run(scene) {
      const wire = await scene.byHand(['mute-initialize'], false);
      return handshakeCancelled(scene, wire);
    },
    also: flag('forbidden'),
  },
  {
    name: 'initialize is cancelled, and the server dies of it',
    class: 'L',
    server,
    acceptable: ['invalid-cancel'],
    async run(scene) {
      const wire = await scene.byHand(['mute-initialize', 'dies-of-it'], false);
      const call = await handshakeCancelled(scene, wire);
      await scene.sees('the end', call, ({ reply }) => reply.state === 'lost');
      return call;
    },
    also: allOf(
      flag('forbidden'),
      holds('lost beside it', ({ verdict }) => verdict.also.includes('lost'), true),
    ),
  },
  {
    name: 'progress for the cancelled call’s token comes after another call took its id',
    class: '-',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.byHand();
      const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'never' }], { id: 7, as: 'first', abort: true, normallyMs: 60 });
      await scene.sees('its verdict', call, ({ verdict }) => verdict === 'stopped');
      const second = await scene.call([{ progress: 2 }, { answer: 'done' }], { id: 7, as: 'second', probes: [] });
      await scene.replied(second);
      return call;
    },
    also: other('second', 'completed'),
  },
  {
    name: 'answers twice, the second time when its id belongs to another call',
    class: '-',
    server,
    acceptable: ['completed'],
    async run(scene) {
      await scene.byHand();
      const call = await scene.call([{ answer: 'done' }, { answer: 'done' }, { say: 'twice' }], { id: 9, as: 'first' });
      await scene.reached(call, 'twice');
      await scene.sees('both', call, (_, { replies }) => replies.length === 2);
      return call;
    },
    also: finds('duplicate-reply'),
  },
];

/** By hand, a client that cancels its own handshake. */
export async function handshakeCancelled(scene: Scene, wire: RawWire): Promise<Handle> {
  await wire.send([{ message: { jsonrpc: '2.0', id: 'init', method: 'initialize', params: RawWire.INITIALIZE } }, cancelOf('init')]);
  const call = wire.find('init');
  if (!call) throw new Error('initialize is no call');
  return scene.adopt(call.index, 'init');
}
