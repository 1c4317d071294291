// Servers that answer nothing after a cancel, as the specification wants it: some have stopped, some write all the same.
import { allOf, certaintyIs, finds, holds, replyIs, type TruthCase } from '../case';
import type { Handle, Program, Scene, Step } from '../scene';

const server = 'truth-server';
const NEVER = [{ say: 'begun' }, { gate: 'never' }];
const readFirst = (yes: 'yes' | 'unknown') => holds('readFirst', ({ verdict }) => verdict.effect.readFirst, yes);

/** Calls, waits until the server has begun, cancels. */
async function cancelled(scene: Scene, steps: readonly Step[], more: Program = {}): Promise<Handle> {
  const call = await scene.call(steps, more);
  await scene.reached(call, 'begun');
  await scene.stop(call);
  return call;
}

/** A write that happens when the cancel has been read and the place has been looked at since. */
async function writesAfter(scene: Scene, step: Step, more: Program = {}): Promise<Handle> {
  const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'go' }, step], more);
  await scene.lookedFenced(call);
  await scene.open('go');
  await scene.saw(call);
  return call;
}

export const SILENT: readonly TruthCase[] = [
  {
    name: 'honours at once, normal duration known',
    class: 'B',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.truthServer();
      return cancelled(scene, NEVER, { abort: true, normallyMs: 100 });
    },
  },
  {
    name: 'honours at once, normal duration learned from a finished run that wrote',
    class: 'B',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.truthServer();
      const first = await scene.call([{ wait: 60 }, { write: 'a' }, { answer: 'done' }]);
      await scene.replied(first);
      await scene.saw(first);
      return cancelled(scene, NEVER, { abort: true });
    },
  },
  {
    name: 'honours at once, normal duration not known',
    class: 'B',
    server,
    acceptable: ['quiet'],
    async run(scene) {
      await scene.truthServer();
      return cancelled(scene, NEVER, { abort: true });
    },
  },
  {
    name: 'honours late: finishes its step first',
    class: 'B',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.truthServer();
      return cancelled(scene, [{ say: 'begun' }, { cancelled: true }, { wait: 60 }], { normallyMs: 100 });
    },
  },
  {
    name: 'honours at once, a part was written before',
    class: 'B',
    server,
    acceptable: ['write-before-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ write: 'part' }, { say: 'begun' }, { gate: 'never' }], { abort: true, normallyMs: 100 });
      await scene.saw(call);
      await scene.stop(call);
      return call;
    },
    also: holds('severity', ({ verdict }) => verdict.severity, 'warn'),
  },
  {
    name: 'honours at once, nobody watches',
    class: 'B',
    server,
    acceptable: ['unknown-write'],
    async run(scene) {
      await scene.truthServer();
      return cancelled(scene, NEVER, { abort: true, probes: [], normallyMs: 50 });
    },
  },
  {
    name: 'a tool declared read-only honours, nobody watches',
    class: 'B',
    server,
    acceptable: ['unknown-read'],
    async run(scene) {
      await scene.truthServer();
      return cancelled(scene, NEVER, { tool: 'read', abort: true, probes: [] });
    },
  },
  {
    name: 'ignores the cancel and writes',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      return writesAfter(scene, { write: 'late' });
    },
    also: allOf(certaintyIs('proved'), readFirst('yes'), replyIs('none')),
  },
  {
    name: 'ignores the cancel and writes long after the settle window',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'go' }, { write: 'late' }]);
      await scene.sees('quiet', call, ({ verdict }) => verdict === 'quiet');
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: certaintyIs('proved'),
  },
  {
    name: 'ignores the cancel and writes, nobody watches',
    class: 'A',
    server,
    acceptable: ['unknown-write'],
    async run(scene) {
      await scene.truthServer();
      const call = await cancelled(scene, [{ say: 'begun' }, { cancelled: true }, { write: 'late' }, { say: 'written' }], { probes: [] });
      await scene.reached(call, 'written');
      return call;
    },
  },
  {
    name: 'ignores the cancel and writes, no fence',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'go' }, { write: 'late' }], { fence: false });
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: readFirst('unknown'),
  },
  {
    name: 'writes as soon as it has read the cancel',
    class: 'A',
    server,
    acceptable: ['write-after-cancel', 'write-order-unknown'],
    async run(scene) {
      await scene.truthServer();
      const call = await cancelled(scene, NEVER, { onCancel: [{ write: 'at once' }] });
      await scene.saw(call);
      return call;
    },
  },
  {
    name: 'a tool declared read-only writes after the cancel',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      return writesAfter(scene, { write: 'late' }, { tool: 'read' });
    },
    also: finds('annotation-contradicted'),
  },
  {
    name: 'a file appears by rename after the cancel',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      return writesAfter(scene, { rename: 'whole' });
    },
  },
  {
    name: 'a file appears in a new folder three levels down after the cancel',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      return writesAfter(scene, { deep: 'a/b/c/file' });
    },
  },
  {
    name: 'a file is removed after the cancel',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      scene.elseWrites('precious');
      await scene.truthServer();
      return writesAfter(scene, { remove: 'precious' });
    },
  },
  {
    name: 'two writes after the cancel',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'go' }, { write: 'one' }, { gate: 'on' }, { write: 'two' }]);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      await scene.open('on');
      await scene.saw(call, 2);
      return call;
    },
  },
  {
    name: 'two hundred writes after the cancel, in one burst',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const burst = Array.from({ length: 200 }, (_, n) => ({ write: `burst-${n}` }));
      const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'go' }, ...burst]);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call, 200);
      return call;
    },
  },
  {
    name: 'a child process writes after the cancel',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const child = [{ say: 'begun' }, { gate: 'go' }, { write: 'by child' }];
      const call = await cancelled(scene, [{ spawn: child }, { gate: 'never' }], { abort: true });
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: certaintyIs('proved'),
  },
  {
    name: 'a child process writes after the cancel although the server honoured it, and nobody knew how long it takes',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await cancelled(scene, [{ spawn: [{ say: 'begun' }, { gate: 'go' }, { write: 'by child' }] }, { gate: 'never' }], {
        abort: true,
      });
      await scene.sees('quiet', call, ({ verdict }) => verdict === 'quiet');
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
  },
  {
    name: 'the SDK’s timeout sends a cancel, and the write comes after it',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'late' }]);
      await scene.reached(call, 'begun');
      await scene.stop(call, { means: 'timeout', silent: false });
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
  },
  {
    name: 'progress goes on after the cancel',
    class: 'A1',
    server,
    acceptable: ['still-working'],
    async run(scene) {
      await scene.truthServer();
      const call = await cancelled(scene, [{ say: 'begun' }, { progress: 1 }, { gate: 'go' }, { progress: 3 }]);
      await scene.pastTie(call);
      await scene.settled(call);
      await scene.open('go');
      await scene.sees('progress', call, ({ afterStop }) => afterStop.progress > 0);
      return call;
    },
    also: certaintyIs('proved'),
  },
  {
    name: 'log messages go on after the cancel',
    class: 'A2',
    server,
    acceptable: ['still-working'],
    async run(scene) {
      await scene.truthServer();
      const call = await cancelled(scene, [{ say: 'begun' }, { gate: 'go' }, { log: 'still here' }]);
      await scene.pastTie(call);
      await scene.settled(call);
      await scene.open('go');
      await scene.sees('a log message', call, ({ afterStop }) => afterStop.logs > 0);
      return call;
    },
    also: certaintyIs('inferred'),
  },
  {
    name: 'the server asks for something after the cancel',
    class: 'P',
    server,
    acceptable: ['still-working'],
    async run(scene) {
      await scene.truthServer();
      const call = await cancelled(scene, [
        { say: 'begun' },
        { gate: 'go' },
        { ask: 'elicitation/create', params: { message: 'Really?' } },
      ]);
      await scene.pastTie(call);
      await scene.settled(call);
      await scene.open('go');
      await scene.sees('a request', call, ({ afterStop }) => afterStop.requests > 0);
      return call;
    },
  },
  {
    name: 'progress stops with the cancel',
    class: 'B',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.truthServer();
      return cancelled(scene, [{ progress: 20 }, { say: 'begun' }, { gate: 'never' }], { abort: true, normallyMs: 100 });
    },
  },
  {
    name: 'two calls one after the other, each cancelled and honoured',
    class: 'B',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.truthServer();
      const first = await cancelled(scene, NEVER, { abort: true, normallyMs: 60 });
      await scene.sees('the first verdict', first, ({ verdict }) => verdict === 'stopped');
      return cancelled(scene, NEVER, { abort: true, normallyMs: 60 });
    },
  },
];
