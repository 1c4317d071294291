// Servers over HTTP, where the same stop differs (measured on real servers): with sessions on the SDK's first version the cancel's
// POST silences the call and dropping its connection does nothing; behind the handler of its second version it is the other
// way round; without sessions the cancel comes to an instance that has no such call.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { sdkV1Http, sdkV2Http } from '../../real/servers';
import { allOf, certaintyIs, finds, holds, replyIs, stopIs, type TruthCase } from '../case';
import type { CallMore, Handle, Scene, Step } from '../scene';

type Mode = Parameters<typeof sdkV1Http>[1];

const v1 = 'upon @modelcontextprotocol/sdk 1.32.2, over HTTP';
const v2 = 'upon @modelcontextprotocol/server 2.4.0, over HTTP';
const demo = 'the demo, over HTTP';

const onV1 = (scene: Scene, mode: Mode): Promise<void> =>
  scene.overHttp((where) => sdkV1Http(where, mode), mode === 'sse' ? 'sse' : 'http');
const onV2 = (scene: Scene): Promise<void> => scene.overHttp(sdkV2Http);

const NEVER: readonly Step[] = [{ say: 'begun' }, { gate: 'never' }];
const AFTER: readonly Step[] = [{ say: 'begun' }, { gate: 'go' }, { write: 'late' }];
const DROP = { means: 'drop' } as const;

async function begun(scene: Scene, tool: string, steps: readonly Step[], more: CallMore = {}): Promise<Handle> {
  const call = await scene.use(tool, (as) => ({ as, steps }), more);
  await scene.reached(call, 'begun');
  return call;
}

/** Stopped when the server has begun; never let go. */
async function stopped(scene: Scene, tool: string, how: { readonly means: 'cancel' | 'drop' }, more: CallMore = {}): Promise<Handle> {
  const call = await begun(scene, tool, NEVER, more);
  await scene.stop(call, how);
  return call;
}

/** The cancel has been read, and what comes from now on has not crossed it: without a fence, two round trips may be a crossing. */
async function longAfter(scene: Scene, call: Handle): Promise<void> {
  await scene.readCancel(call);
  await scene.sees(
    'four round trips',
    call,
    ({ stop, fence }) => scene.now > (stop.at ?? 0) + Math.max(2 * fence.tie, 4 * (fence.idle ?? 0)),
  );
}

/** Stopped when the server has begun, and let go when the place has been looked at since. */
async function writesAfter(scene: Scene, tool: string, how: { readonly means: 'cancel' | 'drop' } = { means: 'cancel' }): Promise<Handle> {
  const call = await begun(scene, tool, AFTER);
  await scene.stop(call, how);
  if (how.means === 'cancel') await longAfter(scene, call);
  await scene.looked(call);
  await scene.open('go');
  await scene.saw(call);
  return call;
}

async function answersLate(scene: Scene, tool: string, more: CallMore): Promise<Handle> {
  const call = await begun(scene, tool, [{ say: 'begun' }, { gate: 'go' }], more);
  await scene.stop(call);
  await longAfter(scene, call);
  await scene.open('go');
  await scene.replied(call);
  return call;
}

const CANCEL = { means: 'cancel' } as const;
const KNOWN = { normallyMs: 100 } as const;
const severityIs = (severity: string) => holds('severity', ({ verdict }) => verdict.severity, severity);

export const HTTP: readonly TruthCase[] = [
  {
    name: 'with sessions: the cancel is heeded, and the stream stays open',
    class: 'HTTP sessions',
    server: v1,
    acceptable: ['stopped'],
    async run(scene) {
      await onV1(scene, 'sessions');
      return stopped(scene, 'write_abort', CANCEL, KNOWN);
    },
    also: allOf(stopIs('sent'), replyIs('none'), finds('stream-never-ended')),
  },
  {
    name: 'with sessions: the signal is ignored, and written later',
    class: 'HTTP sessions',
    server: v1,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await onV1(scene, 'sessions');
      return writesAfter(scene, 'write_ignore');
    },
    also: allOf(replyIs('none'), certaintyIs('proved')),
  },
  {
    name: 'with sessions: the signal is ignored, nobody watches',
    class: 'HTTP sessions',
    server: v1,
    acceptable: ['unknown-write'],
    async run(scene) {
      await onV1(scene, 'sessions');
      return stopped(scene, 'write_ignore', CANCEL, { probes: [] });
    },
  },
  {
    name: 'with sessions: the connection is dropped, and nothing stops',
    class: 'HTTP sessions, drop',
    server: v1,
    acceptable: ['never-told'],
    async run(scene) {
      await onV1(scene, 'sessions');
      return writesAfter(scene, 'write_abort', DROP);
    },
    also: allOf(stopIs('not-sent'), severityIs('breach')),
  },
  {
    name: 'with sessions: the connection is dropped, then the call cancelled',
    class: 'HTTP sessions, drop',
    server: v1,
    acceptable: ['stopped'],
    async run(scene) {
      await onV1(scene, 'sessions');
      const call = await stopped(scene, 'write_abort', DROP, KNOWN);
      await scene.stop(call);
      await scene.readCancel(call);
      return call;
    },
    also: stopIs('sent'),
  },
  {
    name: 'with sessions: the cancel is read before its call, and does nothing',
    class: 'HTTP sessions, overtaken',
    server: v1,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await onV1(scene, 'sessions');
      const call = await scene.use('write_abort', (as) => ({ as, steps: AFTER, hold: 'read' }));
      await scene.stop(call);
      await scene.sees('the status of the cancel', call, (_, { cancels }) => cancels[0]?.exchange?.response !== undefined);
      await scene.open('read');
      await scene.reached(call, 'begun');
      await scene.looked(call);
      await scene.open('go');
      await scene.saw(call);
      return call;
    },
    also: stopIs('sent'),
  },
  {
    name: 'in JSON mode: the cancel is heeded, and no head ever comes',
    class: 'HTTP JSON',
    server: v1,
    acceptable: ['stopped'],
    async run(scene) {
      await onV1(scene, 'json');
      return stopped(scene, 'write_abort', CANCEL, KNOWN);
    },
    also: allOf(stopIs('sent'), replyIs('none')),
  },
  {
    name: 'without sessions: the cancel reaches nobody, the call writes and answers late',
    class: 'HTTP stateless',
    server: v1,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await onV1(scene, 'stateless');
      const call = await writesAfter(scene, 'write_abort');
      await scene.replied(call);
      return call;
    },
    also: allOf(stopIs('sent'), replyIs('late-result')),
  },
  {
    name: 'without sessions: answers late, nobody watches',
    class: 'HTTP stateless',
    server: v1,
    acceptable: ['late-result-write'],
    async run(scene) {
      await onV1(scene, 'stateless');
      return answersLate(scene, 'write_abort', { probes: [] });
    },
  },
  {
    name: 'without sessions: a read answers late',
    class: 'HTTP stateless',
    server: v1,
    acceptable: ['late-result'],
    async run(scene) {
      await onV1(scene, 'stateless');
      return answersLate(scene, 'read_abort', { probes: [] });
    },
  },
  {
    name: 'without sessions: the connection is dropped, and the instance with it',
    class: 'HTTP stateless, drop',
    server: v1,
    acceptable: ['never-told'],
    async run(scene) {
      await onV1(scene, 'stateless');
      return stopped(scene, 'write_abort', DROP, KNOWN);
    },
    also: allOf(stopIs('not-sent'), severityIs('warn')),
  },
  {
    name: 'second version: the cancel does nothing, the call writes and answers late',
    class: 'HTTP v2',
    server: v2,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await onV2(scene);
      const call = await writesAfter(scene, 'write_abort');
      await scene.replied(call);
      return call;
    },
    also: allOf(stopIs('sent'), replyIs('late-result')),
  },
  {
    name: 'second version: the connection is dropped, and the work stops, which no revision up to 2025-11-25 says',
    class: 'HTTP v2, drop',
    server: v2,
    acceptable: ['never-told'],
    async run(scene) {
      await onV2(scene);
      return stopped(scene, 'write_abort', DROP, KNOWN);
    },
    also: allOf(stopIs('not-sent'), severityIs('warn')),
  },
  {
    name: 'second version: the connection is dropped, and the signal ignored',
    class: 'HTTP v2, drop',
    server: v2,
    acceptable: ['never-told'],
    async run(scene) {
      await onV2(scene);
      return writesAfter(scene, 'write_ignore', DROP);
    },
    also: severityIs('breach'),
  },
  {
    name: 'HTTP+SSE: the cancel is heeded',
    class: 'SSE',
    server: v1,
    acceptable: ['stopped'],
    async run(scene) {
      await onV1(scene, 'sse');
      return stopped(scene, 'write_abort', CANCEL, KNOWN);
    },
    also: allOf(stopIs('sent'), replyIs('none')),
  },
  {
    name: 'HTTP+SSE: the signal is ignored, and written later',
    class: 'SSE',
    server: v1,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await onV1(scene, 'sse');
      return writesAfter(scene, 'write_ignore');
    },
    also: replyIs('none'),
  },
  {
    name: 'polling: the stream is closed in between, and the answer comes by another one',
    class: 'HTTP polling',
    server: v1,
    acceptable: ['completed'],
    async run(scene) {
      await onV1(scene, 'resumable');
      const call = await begun(scene, 'write_ignore', [{ say: 'begun' }, { poll: true }, { gate: 'go' }, { write: 'polled' }]);
      await scene.sees('the stream’s end', call, (_, { exchanges }) => exchanges.some(({ end }) => end !== undefined));
      await scene.open('go');
      await scene.replied(call);
      await scene.saw(call);
      return call;
    },
    also: replyIs('in-time'),
  },
  {
    name: 'polling: cancelled while the stream is closed',
    class: 'HTTP polling',
    server: v1,
    acceptable: ['stopped'],
    async run(scene) {
      await onV1(scene, 'resumable');
      const call = await begun(scene, 'write_abort', [{ say: 'begun' }, { poll: true }, { gate: 'never' }], KNOWN);
      await scene.sees('the stream’s end', call, (_, { exchanges }) => exchanges.some(({ end }) => end !== undefined));
      await scene.stop(call);
      await scene.readCancel(call);
      return call;
    },
    also: stopIs('sent'),
  },
  {
    name: 'create_ticket with sessions',
    class: 'HTTP sessions',
    server: demo,
    acceptable: ['stopped'],
    run: (scene) => ticket(scene, 'http'),
  },
  {
    name: 'create_ticket without sessions',
    class: 'HTTP stateless',
    server: demo,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      const call = await ticket(scene, 'http-stateless');
      await scene.saw(call);
      await scene.replied(call);
      return call;
    },
    also: replyIs('late-result'),
  },
];

async function ticket(scene: Scene, over: 'http' | 'http-stateless'): Promise<Handle> {
  await scene.demo(over);
  const call = await scene.use('create_ticket', () => ({ title: 'The door sticks' }), {
    probes: ['tickets'],
    as: 'ticket',
    normallyMs: 1200,
  });
  scene.witness('ticket', 'tickets', () => readdirSync(path.join(scene.demoState, 'tickets')).sort().join());
  // A cancel that overtakes its call does nothing: the head says that the call has been read.
  await scene.sees('the head of its response', call, (_, { exchanges }) => exchanges.some(({ response }) => response !== undefined));
  await scene.stop(call);
  return call;
}
