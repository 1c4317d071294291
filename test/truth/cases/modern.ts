// Revision 2026-07-28: on a pipe a cancel is the notification as before, and over HTTP it is the response stream that is
// closed. What a server does then is written down by the server, for nothing can arrive that would tell it.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { sdkV2Http, serverBothEras } from '../../real/servers';
import { allOf, certaintyIs, finds, holds, other, replyIs, stopIs, type TruthCase } from '../case';
import type { CallMore, Handle, Outcome, Scene, Step } from '../scene';

const PROTOCOL = '2026-07-28';
const pipe = 'upon @modelcontextprotocol/server 2.4.0, 2026-07-28 over stdio';
const net = 'upon @modelcontextprotocol/server 2.4.0, 2026-07-28 over HTTP';
const byHand = 'truth-server, 2026-07-28 over stdio';

type Opens = (scene: Scene) => Promise<void>;
const overStdio: Opens = (scene) => scene.connect(serverBothEras(scene.where, `${scene.log}.starts`), {}, PROTOCOL);
const overHttp: Opens = (scene) => scene.overHttp(sdkV2Http, 'http', PROTOCOL);
const rawStdio: Opens = (scene) => scene.truthServer(['modern'], {}, PROTOCOL);

const CANCEL = { means: 'cancel' } as const;
type Means = { readonly means: 'cancel' | 'abandon' | 'notify' | 'drop' };
const NEVER: readonly Step[] = [{ say: 'begun' }, { gate: 'never' }];
const AFTER: readonly Step[] = [{ say: 'begun' }, { gate: 'go' }, { write: 'late' }];
const KNOWN = { normallyMs: 100 } as const;

async function begun(scene: Scene, tool: string, steps: readonly Step[], more: CallMore = {}): Promise<Handle> {
  const call = await scene.use(tool, (as) => ({ as, steps }), more);
  await scene.reached(call, 'begun');
  return call;
}

/** Stopped when the server has begun, and never let go. */
async function halts(scene: Scene, tool: string, more: CallMore = KNOWN): Promise<Handle> {
  const call = await begun(scene, tool, NEVER, more);
  await scene.stop(call);
  return call;
}

/** Stopped when the server has begun, and let go when the place has been looked at since. */
async function writesOn(scene: Scene, tool: string, how: Means = CANCEL, more: CallMore = {}): Promise<Handle> {
  const call = await begun(scene, tool, AFTER, more);
  await scene.stop(call, how);
  await scene.looked(call);
  await scene.open('go');
  await scene.saw(call);
  return call;
}

async function tooLate(scene: Scene): Promise<Handle> {
  const call = await scene.use('write_ignore', (as) => ({ as, steps: [{ write: 'early' }] }));
  await scene.replied(call);
  await scene.stop(call);
  return call;
}

/** A part has been written when it is stopped, and the rest is not. */
async function halfWritten(scene: Scene): Promise<Handle> {
  const call = await scene.use('write_abort', (as) => ({ as, steps: [{ write: 'part' }, { gate: 'never' }] }), KNOWN);
  await scene.saw(call);
  await scene.stop(call);
  return call;
}

async function writesTwice(scene: Scene): Promise<Handle> {
  const first = await writesOn(scene, 'write_ignore', CANCEL, { as: 'first', normallyMs: 60, settleMs: 1000 });
  await scene.settled(first);
  const steps: readonly Step[] = [{ say: 'begun' }, { gate: 'two' }, { write: 'again' }];
  const retry = await begun(scene, 'write_ignore', steps, { as: 'retry', normallyMs: 60, retryOf: first });
  await scene.lookedSent(retry);
  await scene.open('two');
  await scene.saw(retry);
  await scene.replied(retry);
  return retry;
}

/** Goes on with steps of the truth server long after the cancel has been read. */
async function goesOn(scene: Scene, steps: readonly Step[], seen: (scene: Scene, call: Handle) => Promise<void>, more: CallMore = {}) {
  const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, ...steps], more);
  await scene.reached(call, 'begun');
  await scene.stop(call);
  await scene.lookedFenced(call);
  await scene.pastTie(call);
  await scene.open('go');
  await seen(scene, call);
  return call;
}

const severityIs = (severity: string) => holds('severity', ({ verdict }) => verdict.severity, severity);
const flagged = (flag: string) => holds('flags', ({ verdict }) => verdict.stop.flags.join(), flag);
const inRounds = (rounds: number) => holds('rounds', ({ call }) => call.rounds.length + 1, rounds);
/** Nothing is said against a server that did what the revision wants. */
const findsNothing = ({ findings }: Outcome): string | undefined =>
  findings.length === 0 ? undefined : `expected no finding, got ${findings.map(({ finding }) => finding).join(', ')}`;

interface Wire {
  readonly server: string;
  readonly of: string;
  readonly opens: Opens;
  /** What a stop is there. */
  readonly stop: string;
}

const WIRES: readonly Wire[] = [
  { server: pipe, of: 'modern stdio', opens: overStdio, stop: 'sent' },
  { server: net, of: 'modern HTTP', opens: overHttp, stop: 'stream-closed' },
];

/** What holds on either wire. */
const onEither = ({ server, of, opens, stop }: Wire): readonly TruthCase[] => [
  {
    name: 'the cancel is heeded',
    class: of,
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await opens(scene);
      const call = await halts(scene, 'write_abort');
      if (of === 'modern HTTP') await scene.readCancel(call);
      return call;
    },
    also: allOf(stopIs(stop), replyIs('none'), findsNothing),
  },
  {
    name: 'the signal is ignored, and written later',
    class: of,
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await opens(scene);
      return writesOn(scene, 'write_ignore');
    },
    also: allOf(stopIs(stop), replyIs('none'), certaintyIs('proved')),
  },
  {
    name: 'the signal is ignored, nobody watches',
    class: of,
    server,
    acceptable: ['unknown-write'],
    async run(scene) {
      await opens(scene);
      return halts(scene, 'write_ignore', { probes: [] });
    },
    also: stopIs(stop),
  },
  {
    name: 'a read is stopped, nobody watches',
    class: of,
    server,
    acceptable: ['unknown-read'],
    async run(scene) {
      await opens(scene);
      return halts(scene, 'read_abort', { probes: [] });
    },
    also: stopIs(stop),
  },
  {
    name: 'the client gives up and tells nobody, and the write comes',
    class: of,
    server,
    acceptable: ['never-told'],
    async run(scene) {
      await opens(scene);
      const call = await writesOn(scene, 'write_abort', { means: 'abandon' });
      // A response that is still open when the session ends is closed by us, and that would be a cancel.
      await scene.replied(call);
      return call;
    },
    also: allOf(stopIs('not-sent'), severityIs('breach')),
  },
  {
    name: 'Stop comes when the answer is there',
    class: of,
    server,
    acceptable: ['finished-first'],
    async run(scene) {
      await opens(scene);
      return tooLate(scene);
    },
    also: allOf(stopIs('too-late'), findsNothing),
  },
  {
    name: 'a part has been written before the cancel',
    class: of,
    server,
    acceptable: ['write-before-cancel'],
    async run(scene) {
      await opens(scene);
      return halfWritten(scene);
    },
    also: stopIs(stop),
  },
  {
    name: 'it has asked for folders first: in its second round the cancel is heeded',
    class: of,
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await opens(scene);
      const call = await halts(scene, 'asks_abort');
      if (of === 'modern HTTP') await scene.readCancel(call);
      return call;
    },
    also: allOf(stopIs(stop), inRounds(2), findsNothing),
  },
  {
    name: 'it has asked for folders first: in its second round the signal is ignored, and written later',
    class: of,
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await opens(scene);
      return writesOn(scene, 'asks_ignore');
    },
    also: allOf(stopIs(stop), inRounds(2), certaintyIs('proved')),
  },
  {
    name: 'the stopped call and its retry both write',
    class: of,
    server,
    acceptable: ['double-write'],
    async run(scene) {
      await opens(scene);
      return writesTwice(scene);
    },
    also: allOf(certaintyIs('proved'), other('first', 'write-after-cancel')),
  },
];

/** The demo's ticket, which is written with the last of three steps. */
async function ticket(scene: Scene, over: 'http' | undefined): Promise<Handle> {
  await scene.demo(over, PROTOCOL);
  scene.witness('ticket', 'tickets', () => readdirSync(path.join(scene.demoState, 'tickets')).sort().join());
  const call = await scene.use('create_ticket', () => ({ title: 'The door sticks' }), {
    probes: ['tickets'],
    as: 'ticket',
    normallyMs: 1200,
  });
  if (over !== undefined)
    await scene.sees('the head of its response', call, (_, { exchanges }) => exchanges.some(({ response }) => response !== undefined));
  await scene.stop(call);
  return call;
}

export const MODERN: readonly TruthCase[] = [
  ...WIRES.flatMap(onEither),
  {
    name: 'create_ticket',
    class: 'modern stdio',
    server: 'the demo, 2026-07-28 over stdio',
    acceptable: ['stopped'],
    run: (scene) => ticket(scene, undefined),
    also: allOf(stopIs('sent'), replyIs('none'), findsNothing),
  },
  {
    name: 'create_ticket',
    class: 'modern HTTP',
    server: 'the demo, 2026-07-28 over HTTP',
    acceptable: ['stopped'],
    run: (scene) => ticket(scene, 'http'),
    also: allOf(stopIs('stream-closed'), replyIs('none'), findsNothing),
  },
  {
    name: 'cut behind the first bytes of its stream, and heeded',
    class: 'modern HTTP',
    server: net,
    acceptable: ['stopped'],
    async run(scene) {
      await overHttp(scene);
      const call = await scene.use('write_abort', (as) => ({ as, steps: [{ progress: 1 }, ...NEVER] }), KNOWN);
      await scene.sees('progress', call, (_, { progress }) => progress.length > 0);
      await scene.stop(call);
      await scene.readCancel(call);
      return call;
    },
    also: allOf(stopIs('stream-closed'), findsNothing),
  },
  {
    name: 'cut behind the first bytes of its stream, and the work goes on with more progress, which nobody can hear',
    class: 'modern HTTP',
    server: net,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await overHttp(scene);
      const steps: readonly Step[] = [{ progress: 1 }, { say: 'begun' }, { gate: 'go' }, { progress: 2 }, { write: 'late' }];
      const call = await begun(scene, 'write_ignore', steps);
      await scene.sees('progress', call, (_, { progress }) => progress.length > 0);
      await scene.stop(call);
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: allOf(
      stopIs('stream-closed'),
      holds('progress', ({ call }) => call.progress.length, 1),
      findsNothing,
    ),
  },
  {
    name: 'the notification is posted on purpose: the wrong means, and the call writes and answers',
    class: 'modern HTTP, notify',
    server: net,
    acceptable: ['invalid-cancel'],
    async run(scene) {
      await overHttp(scene);
      const call = await writesOn(scene, 'write_abort', { means: 'notify' });
      await scene.replied(call);
      return call;
    },
    also: allOf(flagged('wrong-means'), replyIs('late-result'), findsNothing),
  },
  {
    name: 'the notification is posted, then the stream closed: the second is the cancel',
    class: 'modern HTTP, notify',
    server: net,
    acceptable: ['invalid-cancel'],
    async run(scene) {
      await overHttp(scene);
      const call = await begun(scene, 'write_abort', NEVER, KNOWN);
      await scene.stop(call, { means: 'notify' });
      await scene.stop(call);
      await scene.sees('the cut', call, ({ stop }) => stop.state === 'stream-closed');
      await scene.readCancel(call);
      return call;
    },
    also: allOf(stopIs('stream-closed'), flagged('wrong-means')),
  },
  {
    name: 'dropping the connection is closing the stream',
    class: 'modern HTTP',
    server: net,
    acceptable: ['stopped'],
    async run(scene) {
      await overHttp(scene);
      const call = await begun(scene, 'write_abort', NEVER, KNOWN);
      await scene.stop(call, { means: 'drop' });
      await scene.readCancel(call);
      return call;
    },
    also: stopIs('stream-closed'),
  },
  {
    name: 'progress goes on after the cancel was read',
    class: 'modern stdio',
    server: byHand,
    acceptable: ['still-working'],
    async run(scene) {
      await rawStdio(scene);
      const seen = (_: Scene, call: Handle): Promise<void> => scene.sees('progress', call, ({ verdict }) => verdict === 'still-working');
      return goesOn(scene, [{ progress: 2 }, { gate: 'never' }], seen);
    },
    also: finds('cancel-ignored-by-revision'),
  },
  {
    name: 'a result comes after the cancel was read, nobody watches',
    class: 'modern stdio',
    server: byHand,
    acceptable: ['late-result-write'],
    async run(scene) {
      await rawStdio(scene);
      const call = await scene.call([{ say: 'begun' }, { gate: 'go' }, { answer: 'done' }], { probes: [] });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.pastTie(call);
      await scene.open('go');
      await scene.replied(call);
      return call;
    },
    also: finds('cancel-ignored-by-revision'),
  },
  {
    name: 'it answers “cancelled” at once: harmless in the revisions before, and forbidden in this one only when it has not crossed',
    class: 'modern stdio',
    server: byHand,
    acceptable: ['acknowledged'],
    async run(scene) {
      await rawStdio(scene);
      const cancelled: Step = { error: 0, message: 'Request cancelled' };
      const call = await scene.call(NEVER, { abort: true, onCancel: [cancelled], normallyMs: 100 });
      await scene.reached(call, 'begun');
      await scene.stop(call);
      await scene.replied(call);
      return call;
    },
  },
];
