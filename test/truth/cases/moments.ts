// When the effect comes: before the cancel, around it, on both sides of it, taken back, twice, by somebody else; and what is
// said where the client told nobody, or killed the server.
import { allOf, certaintyIs, holds, other, replyIs, stopIs, type TruthCase } from '../case';
import type { Handle, Program, Scene, Step } from '../scene';
import { rest } from '../until';

const server = 'truth-server';

/** A place in a text that is filled in: by an argument of the call, by what a probe offers. */
const hole = (name: string): string => `\${${name}}`;
const HOOK = `${hole('probes.hook.url')}/x`;

/** Writes, is seen to have written, and is cancelled then. */
async function written(scene: Scene, after: readonly Step[], more: Program = {}): Promise<Handle> {
  const call = await scene.call([{ write: 'early' }, ...after], more);
  await scene.saw(call);
  await scene.stop(call);
  await scene.looked(call);
  return call;
}

/** A write that is let go at a distance from the cancel, in ms; nobody knows which of the two comes first. */
const race = (distance: number): TruthCase => ({
  name: `a write ${distance === 0 ? 'at the moment' : `${Math.abs(distance)} ms ${distance < 0 ? 'before' : 'after'} the moment`} of the cancel`,
  class: 'H',
  server,
  acceptable: ['write-after-cancel', 'write-before-cancel', 'write-order-unknown'],
  async run(scene) {
    await scene.truthServer();
    const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'racing' }], { abort: false });
    await scene.reached(call, 'begun');
    if (distance <= 0) scene.openNow('go');
    if (distance < 0) await rest(-distance);
    const stopped = scene.stop(call);
    if (distance > 0) await rest(distance);
    if (distance > 0) scene.openNow('go');
    await stopped;
    await scene.saw(call);
    return call;
  },
});

/** The stopped call, and its retry, let go in turn. @param looked whether the place is looked at between the retry and its write */
async function retried(scene: Scene, firstWrites: boolean, more: Program = {}, looked = true): Promise<Handle> {
  const first = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'one' }], { ...more, as: 'first', abort: !firstWrites });
  await scene.reached(first, 'begun');
  await scene.stop(first);
  await scene.looked(first);
  await scene.open('go');
  if (firstWrites) await scene.saw(first);
  await scene.settled(first);
  const retry = await scene.call([{ gate: 'two' }, { write: 'two' }, { gate: 'on' }, { answer: 'done' }], {
    ...more,
    as: 'retry',
    retryOf: first,
  });
  if (looked) await scene.lookedSent(retry);
  await scene.open('two');
  await scene.saw(retry);
  await scene.open('on');
  await scene.replied(retry);
  return retry;
}

export const MOMENTS: readonly TruthCase[] = [
  {
    name: 'a write before the cancel, then silence',
    class: 'A',
    server,
    acceptable: ['write-before-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ gate: 'early' }, { write: 'early' }, { gate: 'never' }]);
      await scene.lookedSent(call);
      await scene.open('early');
      await scene.saw(call);
      await scene.stop(call);
      return call;
    },
    also: allOf(
      certaintyIs('proved'),
      holds('severity', ({ verdict }) => verdict.severity, 'warn'),
    ),
  },
  {
    name: 'a write before the cancel, with a late reply',
    class: 'C',
    server,
    acceptable: ['write-before-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await written(scene, [{ gate: 'go' }, { answer: 'done' }]);
      await scene.fenced(call);
      await scene.open('go');
      await scene.replied(call);
      return call;
    },
    also: holds('severity', ({ verdict }) => verdict.severity, 'breach'),
  },
  ...[-20, -5, -2, 0, 1, 2, 5].map(race),
  {
    name: 'a part before the cancel and the rest after it, in one file',
    class: 'A4',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await written(scene, [{ gate: 'go' }, { write: 'early' }]);
      await scene.open('go');
      await scene.saw(call, 2);
      return call;
    },
  },
  {
    name: 'one write before the cancel and one after it, in two files',
    class: 'A4',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await written(scene, [{ gate: 'go' }, { write: 'late' }]);
      await scene.open('go');
      await scene.saw(call, 2);
      return call;
    },
  },
  {
    name: 'a write before the cancel is rolled back after it',
    class: 'B',
    server,
    acceptable: ['rolled-back'],
    async run(scene) {
      await scene.truthServer();
      const call = await written(scene, [{ gate: 'go' }, { undo: 'early' }]);
      await scene.open('go');
      await scene.sees('the way back', call, ({ effect }) => effect.observations.every((seen) => seen.reverted));
      return call;
    },
  },
  {
    name: 'a write after the cancel is rolled back',
    class: 'B',
    server,
    acceptable: ['rolled-back'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }, { gate: 'back' }, { undo: 'late' }]);
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      await scene.open('back');
      await scene.sees('the way back', call, ({ effect }) => effect.observations.every((seen) => seen.reverted));
      return call;
    },
  },
  {
    name: 'one of two writes is rolled back',
    class: 'B',
    server,
    acceptable: ['write-before-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ write: 'kept' }, { write: 'early' }, { gate: 'go' }, { undo: 'early' }]);
      await scene.saw(call, 2);
      await scene.stop(call);
      await scene.open('go');
      await scene.sees('the way back', call, ({ effect }) => effect.observations.some((seen) => seen.reverted));
      return call;
    },
  },
  {
    name: 'two calls in flight on one probe: the other one writes',
    class: '-',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'never' }], { abort: true });
      const second = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'by the other' }, { gate: 'on' }, { answer: 'done' }], {
        as: 'other',
      });
      await scene.reached(call, 'begun');
      await scene.reached(second, 'begun');
      await scene.stop(call);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(second);
      await scene.open('on');
      await scene.replied(second);
      return call;
    },
    // By design: the observation could be either's, and the sentence says so.
    also: allOf(certaintyIs('inferred'), other('other', 'completed')),
  },
  {
    name: 'two calls in flight on one probe: the stopped one writes after its settle window',
    class: '-',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], { settleMs: 50, normallyMs: 60_000 });
      const second = await scene.call([{ say: 'begun' }, { gate: 'end' }, { answer: 'done' }], { as: 'other' });
      await scene.reached(call, 'begun');
      await scene.reached(second, 'begun');
      await scene.stop(call);
      await scene.settled(call);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      await scene.open('end');
      await scene.replied(second);
      return call;
    },
    also: allOf(certaintyIs('inferred'), other('other', 'completed')),
  },
  {
    name: 'a retry is on its way, and the stopped call writes after its settle window',
    class: 'O',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], { settleMs: 50, normallyMs: 60_000 });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.settled(call);
      const retry = await scene.call([{ say: 'begun' }, { gate: 'end' }, { answer: 'done' }], { as: 'retry', retryOf: call });
      await scene.lookedSent(retry);
      await scene.open('go');
      await scene.saw(call);
      await scene.open('end');
      await scene.replied(retry);
      return call;
    },
    also: certaintyIs('inferred'),
  },
  {
    name: 'two calls in flight on one probe that can tell them apart: the other one writes',
    class: '-',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.truthServer([], { owns: hole('as') });
      const call = await scene.call([{ say: 'begun' }, { gate: 'never' }], { as: 'alpha', abort: true, normallyMs: 100 });
      const second = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'shared file' }, { gate: 'on' }, { answer: 'done' }], {
        as: 'beta',
      });
      await scene.reached(call, 'begun');
      await scene.reached(second, 'begun');
      await scene.stop(call);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(second);
      await scene.open('on');
      await scene.replied(second);
      return call;
    },
    also: allOf(other('beta', 'completed'), ({ all }) =>
      all.find(({ handle }) => handle.as === 'beta')?.verdict.effect.worst?.certainty === 'proved'
        ? undefined
        : 'expected beta’s effect to be proved',
    ),
  },
  {
    name: 'somebody else writes to a shared place while a cancelled call is open',
    class: '-',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer([], { shared: true });
      const call = await scene.call([{ say: 'begun' }, { gate: 'never' }], { abort: true });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.looked(call);
      scene.elseWrites('theirs');
      await scene.saw(call);
      return call;
    },
    also: certaintyIs('inferred'),
  },
  {
    name: 'a write by the server itself when nothing is open is nobody’s',
    class: '-',
    server,
    acceptable: ['completed'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ answer: 'done' }, { gate: 'go' }, { write: 'afterwards' }, { say: 'written' }]);
      await scene.replied(call);
      await scene.read();
      await scene.open('go');
      await scene.reached(call, 'written');
      await scene.read();
      return call;
    },
    also: holds('observations', ({ verdict }) => verdict.effect.observations.length, 0),
  },
  {
    name: 'a retry writes a second time',
    class: 'O',
    server,
    acceptable: ['double-write'],
    async run(scene) {
      await scene.truthServer();
      return retried(scene, true, { normallyMs: 60, settleMs: 1000 });
    },
    also: certaintyIs('proved'),
  },
  {
    name: 'a retry of a call that had honoured the cancel writes once',
    class: 'O',
    server,
    acceptable: ['completed'],
    async run(scene) {
      await scene.truthServer();
      return retried(scene, false, { normallyMs: 60 });
    },
    also: other('first', 'stopped'),
  },
  {
    name: 'a retry that writes before anybody could look again: whose it is cannot be proved',
    class: 'O',
    server,
    acceptable: ['completed'],
    async run(scene) {
      await scene.truthServer();
      await scene.open('two');
      return retried(scene, false, { normallyMs: 60 }, false);
    },
    also: ({ all }) => {
      const first = all.find(({ handle }) => handle.as === 'first')?.verdict;
      const proved = first?.verdict === 'write-after-cancel' && first.certainty === 'proved';
      return proved ? 'expected no proof against the first call' : undefined;
    },
  },
  {
    name: 'the same call again right behind the cancel: both write',
    class: 'O',
    server,
    acceptable: ['double-write', 'completed'],
    async run(scene) {
      await scene.truthServer();
      const first = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'log' }], { as: 'first' });
      await scene.reached(first, 'begun');
      await scene.stop(first);
      const retry = await scene.call([{ say: 'begun' }, { gate: 'on' }, { write: 'log' }, { gate: 'end' }, { answer: 'done' }], {
        as: 'retry',
        retryOf: first,
      });
      await scene.looked(first);
      await scene.open('go');
      await scene.saw(first);
      await scene.open('on');
      await scene.saw(retry, 2);
      await scene.open('end');
      await scene.replied(retry);
      return retry;
    },
  },
  {
    name: 'gives up and tells nobody, and the write comes',
    class: '-',
    server,
    acceptable: ['never-told'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }]);
      await scene.reached(call, 'begun');
      await scene.stop(call, { means: 'abandon' });
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: allOf(
      stopIs('not-sent'),
      holds('severity', ({ verdict }) => verdict.severity, 'breach'),
    ),
  },
  {
    name: 'times out without a word, and nothing comes',
    class: '-',
    server,
    acceptable: ['never-told'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'never' }], { normallyMs: 60 });
      await scene.reached(call, 'begun');
      await scene.stop(call, { means: 'timeout', silent: true });
      return call;
    },
    also: holds('severity', ({ verdict }) => verdict.severity, 'warn'),
  },
  {
    name: 'the cancel names another id, and the write comes',
    class: 'N',
    server,
    acceptable: ['never-told'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], { abort: true });
      await scene.reached(call, 'begun');
      await scene.stop(call, { means: 'cancel-id', id: 999_999 });
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: stopIs('misaddressed'),
  },
  {
    name: 'the cancel names the neighbour’s id: that one stops, and the write comes',
    class: 'N',
    server,
    acceptable: ['never-told'],
    async run(scene) {
      await scene.truthServer();
      const neighbour = await scene.call([{ say: 'begun' }, { gate: 'never' }], { as: 'neighbour', abort: true, probes: [] });
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], { abort: true });
      await scene.reached(neighbour, 'begun');
      await scene.reached(call, 'begun');
      await scene.stop(call, { means: 'cancel-id', id: scene.idOf(neighbour) });
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: allOf(stopIs('misaddressed'), other('neighbour', 'unknown-write')),
  },
  {
    name: 'the same call again waits behind the cancelled one, and both write',
    class: 'K',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer(['serial']);
      const first = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'one' }], { as: 'first' });
      await scene.reached(first, 'begun');
      await scene.stop(first);
      await scene.looked(first);
      const second = await scene.call([{ write: 'two' }, { answer: 'done' }], { as: 'second', retryOf: first });
      await scene.open('go');
      await scene.replied(second);
      await scene.saw(first);
      return first;
    },
    // Whose is whose cannot be told: they were open together.
    also: other('second', 'double-write', 'completed'),
  },
  {
    name: 'killed, and nothing is seen',
    class: '-',
    server,
    acceptable: ['lost'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }]);
      await scene.reached(call, 'begun');
      await scene.stop(call, { means: 'kill' });
      await scene.open('go');
      return call;
    },
    also: stopIs('killed'),
  },
  {
    name: 'killed, and a daemon that it had started writes',
    class: 'A',
    server,
    acceptable: ['outlived-kill'],
    missing: () => (process.platform === 'linux' ? undefined : 'it needs setsid, which this platform does not have'),
    async run(scene) {
      await scene.truthServer();
      const daemon = [{ say: 'begun' }, { gate: 'go' }, { write: 'by daemon' }];
      const call = await scene.call([{ daemon }, { gate: 'never' }]);
      await scene.reached(call, 'begun');
      await scene.stop(call, { means: 'kill' });
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
  },
  {
    name: 'crashes when it is cancelled',
    class: 'L',
    server,
    acceptable: ['lost'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'never' }], { onCancel: [{ exit: 3 }], settleMs: 1500 });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.sees('the end', call, ({ reply }) => reply.state === 'lost');
      return call;
    },
    also: replyIs('lost'),
  },
  {
    name: 'writes when it is cancelled, and crashes',
    class: 'L',
    server,
    acceptable: ['write-after-cancel', 'write-order-unknown'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'never' }], { onCancel: [{ write: 'last' }, { exit: 3 }], settleMs: 1500 });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.saw(call);
      return call;
    },
    also: replyIs('lost'),
  },
  {
    name: 'crashes in a call that nobody stopped',
    class: '-',
    server,
    acceptable: ['lost'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ exit: 1 }]);
      await scene.sees('the end', call, ({ reply }) => reply.state === 'lost');
      return call;
    },
  },
  {
    name: 'a finished call is stopped too late',
    class: '-',
    server,
    acceptable: ['finished-first'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ write: 'a' }, { answer: 'done' }]);
      await scene.replied(call);
      await scene.stop(call);
      return call;
    },
    also: stopIs('too-late'),
  },
  {
    name: 'a request goes to the sink after the cancel',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      await scene.probe({ kind: 'http', name: 'hook' });
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { post: HOOK }], { probes: ['hook'] });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.looked(call, 'hook');
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: certaintyIs('proved'),
  },
  {
    name: 'the sink had the request before the cancel and answers it after',
    class: 'C',
    server,
    acceptable: ['write-order-unknown'],
    async run(scene) {
      await scene.truthServer();
      await scene.probe({ kind: 'http', name: 'hook', delayMs: 400 });
      const call = await scene.call([{ say: 'begun' }, { post: HOOK }, { answer: 'done' }], { probes: ['hook'] });
      await scene.reached(call, 'begun');
      await rest(150);
      await scene.stop(call);
      await scene.saw(call);
      return call;
    },
  },
  {
    name: 'a request to the sink is dropped before it is answered',
    class: 'D',
    server,
    acceptable: ['write-order-unknown'],
    async run(scene) {
      await scene.truthServer();
      await scene.probe({ kind: 'http', name: 'hook', delayMs: 5000 });
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { post: HOOK, drop: 100 }], { probes: ['hook'] });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.looked(call, 'hook');
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
  },
  {
    name: 'the sink sees the whole effect before the cancel, by its pattern',
    class: 'A',
    server,
    acceptable: ['write-before-cancel'],
    async run(scene) {
      await scene.truthServer();
      await scene.probe({ kind: 'http', name: 'hook', done: 'POST /whole' });
      const call = await scene.call([{ say: 'begun' }, { post: `${hole('probes.hook.url')}/whole` }, { gate: 'never' }], {
        probes: ['hook'],
      });
      await scene.saw(call);
      await scene.stop(call);
      return call;
    },
    also: holds('severity', ({ verdict }) => verdict.severity, 'breach'),
  },
];
