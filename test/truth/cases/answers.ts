// Servers that answer after a cancel: with what they did, with an error that says "cancelled", twice, to the wrong id.
import { allOf, finds, holds, other, replyIs, type TruthCase } from '../case';
import type { Handle, Program, Scene, Step } from '../scene';

const server = 'truth-server';

/** Cancels a call that then goes on with steps once the cancel has been read, all ties are over and the place was looked at. */
async function late(scene: Scene, steps: readonly Step[], more: Program = {}): Promise<Handle> {
  const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, ...steps], more);
  await scene.reached(call, 'begun');
  await scene.stop(call);
  await scene.lookedFenced(call);
  await scene.pastTie(call);
  await scene.open('go');
  await scene.replied(call);
  return call;
}

/** Cancels a call that answers at once when it reads the cancel. */
async function atOnce(scene: Scene, onCancel: readonly Step[], more: Program = {}): Promise<Handle> {
  const call = await scene.call([{ say: 'begun' }, { gate: 'never' }], { abort: true, onCancel, ...more });
  await scene.reached(call, 'begun');
  await scene.stop(call);
  await scene.replied(call);
  return call;
}

/** What a case of "cancelled", said in one way, is. */
const says = (name: string, step: Step): TruthCase => ({
  name,
  class: 'D',
  server,
  acceptable: ['acknowledged'],
  async run(scene) {
    await scene.truthServer();
    return atOnce(scene, [step], { normallyMs: 100 });
  },
});

export const ANSWERS: readonly TruthCase[] = [
  {
    name: 'ignores the cancel, writes and answers',
    class: 'C',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await late(scene, [{ write: 'late' }, { answer: 'done' }]);
      await scene.saw(call);
      return call;
    },
    also: replyIs('late-result'),
  },
  {
    name: 'ignores the cancel and answers, nobody watches',
    class: 'C',
    server,
    acceptable: ['late-result-write'],
    async run(scene) {
      await scene.truthServer();
      return lateUnwatched(scene, { probes: [] });
    },
  },
  {
    name: 'a tool declared read-only ignores the cancel and answers, nobody watches',
    class: 'C',
    server,
    acceptable: ['late-result'],
    async run(scene) {
      await scene.truthServer();
      return lateUnwatched(scene, { probes: [], tool: 'read' });
    },
  },
  {
    name: 'ignores the cancel and answers, watched, nothing written',
    class: 'C',
    server,
    acceptable: ['late-result'],
    async run(scene) {
      await scene.truthServer();
      return late(scene, [{ answer: 'done' }], { settleMs: 200 });
    },
  },
  says('answers code 0 “Request cancelled” at once', { error: 0, message: 'Request cancelled' }),
  says('answers code 0 “context canceled” at once', { error: 0, message: 'context canceled' }),
  says('answers code -32800 at once', { error: -32800, message: 'no' }),
  says('answers code -32002 at once', { error: -32002, message: 'no' }),
  says('answers isError “context canceled” at once', { fail: 'failed to create: Patch: context canceled' }),
  {
    name: 'answers “cancelled” at once, nobody watches',
    class: 'F',
    server,
    acceptable: ['unknown-write'],
    async run(scene) {
      await scene.truthServer();
      return atOnce(scene, [{ error: 0, message: 'Request cancelled' }], { probes: [] });
    },
    also: replyIs('acknowledged'),
  },
  {
    name: 'answers “cancelled” at once, and the write lands all the same',
    class: 'E',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], {
        onCancel: [{ error: 0, message: 'context canceled' }],
      });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.replied(call);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: replyIs('acknowledged'),
  },
  {
    name: 'answers “cancelled”, and a child writes long after the settle window',
    class: 'E',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const child = [{ say: 'begun' }, { gate: 'go' }, { write: 'by child' }];
      const call = await scene.call([{ spawn: child }, { gate: 'never' }], {
        abort: true,
        onCancel: [{ error: 0, message: 'Request cancelled' }],
      });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.settled(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
  },
  {
    name: 'an error that speaks of something else comes late',
    class: 'C',
    server,
    acceptable: ['late-error'],
    async run(scene) {
      await scene.truthServer();
      return late(scene, [{ fail: 'disk full' }]);
    },
  },
  {
    name: 'answers twice after the cancel, and wrote',
    class: '-',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await late(scene, [{ write: 'late' }, { answer: 'done' }, { answer: 'done' }]);
      await scene.sees('both replies', call, (_, { replies }) => replies.length === 2);
      await scene.saw(call);
      return call;
    },
    also: finds('duplicate-reply'),
  },
  {
    name: 'says “cancelled” first and “done” afterwards, and wrote',
    class: 'E',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }, { answer: 'done' }], {
        onCancel: [{ error: 0, message: 'Request cancelled' }],
      });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.replied(call);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      await scene.sees('both replies', call, (_, { replies }) => replies.length === 2);
      return call;
    },
    also: replyIs('acknowledged'),
  },
  {
    name: 'answers with the id as another type, and wrote',
    class: 'N',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }, { answerAs: 'done' }]);
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: allOf(replyIs('none'), finds('reply-to-unknown-id')),
  },
  {
    name: 'answers without an id, nobody watches',
    class: 'M',
    server,
    acceptable: ['unknown-write'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { cancelled: true }, { answerNobody: 'done' }], { probes: [] });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      return call;
    },
    also: finds('reply-without-id'),
  },
  {
    name: 'answers every notification without an id, and honours the cancel',
    class: 'M',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.truthServer(['echo']);
      const call = await scene.call([{ say: 'begun' }, { gate: 'never' }], { abort: true, normallyMs: 100 });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      return call;
    },
    also: finds('reply-without-id'),
  },
  {
    name: 'a blocked event loop writes and answers before it reads the cancel',
    class: 'G2',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      return blocked(scene, 'spin');
    },
    also: allOf(
      finds('server-blocked'),
      holds('readFirst', ({ verdict }) => verdict.effect.readFirst, 'unknown'),
    ),
  },
  {
    name: 'a serial reader writes and answers before it reads the cancel',
    class: 'G1',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer(['serial']);
      return blocked(scene, 'gate');
    },
    also: allOf(
      finds('server-blocked'),
      holds('readFirst', ({ verdict }) => verdict.effect.readFirst, 'unknown'),
    ),
  },
  {
    name: 'a serial reader answers before it reads the cancel, nobody watches',
    class: 'G1',
    server,
    acceptable: ['late-result-write'],
    async run(scene) {
      await scene.truthServer(['serial']);
      return blocked(scene, 'gate', [], false);
    },
    also: finds('server-blocked'),
  },
  {
    name: 'the answer crosses the cancel, and the write was before',
    class: 'H',
    server,
    acceptable: ['write-before-cancel', 'finished-first'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ write: 'early' }, { say: 'begun' }, { gate: 'go' }, { answer: 'done' }]);
      await scene.saw(call);
      scene.openNow('go');
      await scene.stop(call);
      await scene.replied(call);
      return call;
    },
  },
  {
    name: 'two calls, one cancelled: the answer of the other is its own',
    class: '-',
    server,
    // How long the tool takes is known from the other call, once that is over.
    acceptable: ['stopped'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'never' }], { abort: true });
      const second = await scene.call([{ say: 'begun' }, { gate: 'go' }, { answer: 'done' }], { as: 'other' });
      await scene.reached(call, 'begun');
      await scene.reached(second, 'begun');
      await scene.stop(call);
      await scene.fenced(call);
      await scene.open('go');
      await scene.replied(second);
      return call;
    },
    also: other('other', 'completed'),
  },
];

/** As `late`, for calls that no probe watches. */
async function lateUnwatched(scene: Scene, more: Program): Promise<Handle> {
  const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }, { answer: 'done' }], more);
  await scene.reached(call, 'begun');
  await scene.stop(call);
  await scene.pastTie(call);
  await scene.open('go');
  await scene.replied(call);
  return call;
}

/** The server reads nothing for so long that it cannot be taken for a slow machine. */
async function blocked(scene: Scene, how: 'spin' | 'gate', steps: readonly Step[] = [{ write: 'late' }], watched = true): Promise<Handle> {
  const call = await scene.call([{ say: 'begun' }, { [how]: 'go' }, ...steps, { answer: 'done' }], watched ? {} : { probes: [] });
  await scene.reached(call, 'begun');
  await scene.stop(call);
  await (watched ? scene.looked(call) : scene.stopped(call));
  await scene.sees(
    'a long silence',
    call,
    ({ fence, stop }) => scene.now > (stop.at ?? 0) + Math.max(8 * fence.tie, 15 * (fence.idle ?? 0)),
  );
  await scene.open('go');
  await scene.replied(call);
  await scene.fenced(call);
  if (watched) await scene.saw(call);
  return call;
}
