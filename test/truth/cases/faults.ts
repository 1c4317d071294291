// Faults of ours: races that happen because we want them to, against servers that write down what they did. What a fault does
// must never be laid to the server, and what the server does must not be excused by it.
import { allOf, certaintyIs, finds, holds, replyIs, stopIs, type TruthCase } from '../case';

const server = 'truth-server';

const severityIs = (severity: string) => holds('severity', ({ verdict }) => verdict.severity, severity);
const sayingFault = holds('faults', ({ verdict }) => verdict.faults.length > 0 && verdict.sentence.includes('fault of ours'), true);

export const FAULTS: readonly TruthCase[] = [
  {
    name: 'crossed on demand',
    class: '-',
    server,
    acceptable: ['crossed'],
    async run(scene) {
      await scene.truthServer();
      await scene.faults('perfect-crossing');
      const call = await scene.call([{ answer: 'done' }]);
      await scene.replied(call);
      await scene.stop(call);
      return call;
    },
    also: allOf(stopIs('sent'), replyIs('crossed'), sayingFault),
  },
  {
    name: 'crossed on demand, and it had written before',
    class: '-',
    server,
    acceptable: ['write-before-cancel'],
    async run(scene) {
      await scene.truthServer();
      await scene.faults('perfect-crossing');
      const call = await scene.call([{ write: 'a' }, { answer: 'done' }]);
      await scene.replied(call);
      await scene.saw(call);
      await scene.stop(call);
      return call;
    },
    also: allOf(replyIs('crossed'), sayingFault),
  },
  {
    name: 'a late answer is late, whatever a fault does to it',
    class: 'C',
    server,
    acceptable: ['late-result'],
    async run(scene) {
      await scene.truthServer();
      await scene.faults('slow-network');
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { answer: 'done' }]);
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.pastTie(call);
      await scene.open('go');
      await scene.replied(call);
      return call;
    },
    also: sayingFault,
  },
  {
    name: 'lost cancel, and the write lands',
    class: '-',
    server,
    acceptable: ['never-told'],
    async run(scene) {
      await scene.truthServer();
      await scene.faults('lost-cancel');
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'a' }, { answer: 'done' }]);
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: allOf(stopIs('undelivered'), severityIs('breach'), certaintyIs('proved'), sayingFault),
  },
  {
    name: 'cancel before the call is read, and the write lands',
    class: '-',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.truthServer();
      await scene.faults('early-cancel');
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { write: 'a' }, { answer: 'done' }]);
      await scene.stop(call);
      await scene.reached(call, 'begun');
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    // Ours is the order: the server has broken nothing.
    also: allOf(stopIs('sent'), severityIs('warn'), finds('cancel-overtook-call'), sayingFault),
  },
];
