// Calls that run as tasks: what a task says of itself after `tasks/cancel`, and what it does, are two things. In the experimental
// form of 2025-11-25 and in the later extension, which a cancelled task may still complete in. The server is ours
// (test/fixtures/tasks.mjs): no official one upon the packages lets its tasks do all of this, and none speaks the extension.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { MODERN } from '../../../app/wire/era';
import { fixture } from '../../fixtures/fixtures';
import { startHttp } from '../../http.testing';
import { serverEverything } from '../../real/servers';
import { allOf, finds, holds, stopIs, type TruthCase } from '../case';
import type { CallMore, Handle, Scene, Step } from '../scene';

type Form = 'experimental' | 'extension' | 'extension over HTTP';
/** What `tasks/cancel` does: see test/fixtures/tasks.mjs. */
type Cancelled = 'stop' | 'pretend' | 'flip' | 'ignore' | 'refuse';

const serverOf = (form: Form): string => `fixture tasks, ${form}`;

async function connect(scene: Scene, form: Form): Promise<void> {
  switch (form) {
    case 'experimental':
      return scene.connect(fixture('tasks', ...scene.where));
    case 'extension':
      return scene.connect(fixture('tasks', ...scene.where), {}, MODERN);
    case 'extension over HTTP': {
      const { command, args } = fixture('tasks', ...scene.where, 'http');
      return scene.overHttp(() => startHttp(command, args), 'http', MODERN);
    }
  }
}

/** A task that has begun. */
async function begun(
  scene: Scene,
  form: Form,
  steps: readonly Step[],
  { cancelled = 'stop', ...more }: CallMore & { readonly cancelled?: Cancelled } = {},
): Promise<Handle> {
  await connect(scene, form);
  const call = await scene.use('run', (as) => ({ as, steps: [{ say: 'begun' }, ...steps], cancelled }), { task: true, ...more });
  await scene.reached(call, 'begun');
  await made(scene, call);
  return call;
}

const made = (scene: Scene, call: Handle): Promise<void> => scene.sees('the task', call, (_, { task }) => task !== undefined);
const stateIs = (scene: Scene, call: Handle, status: string): Promise<void> =>
  scene.sees(`the task to be ${status}`, call, (_, { task }) => task?.states.at(-1)?.status === status);

const AFTER: readonly Step[] = [{ gate: 'go' }, { write: 'late' }, { say: 'written' }];
const NEVER: readonly Step[] = [{ gate: 'never' }];
const NO_PROBE: CallMore = { probes: [] };

/** Cancelled, and read; what it does from now on it does behind the cancel, and by more than two round trips. */
async function cancel(scene: Scene, call: Handle): Promise<void> {
  await scene.stop(call);
  await scene.readCancel(call);
  await scene.sees(
    'the end of the tie',
    call,
    ({ stop, fence }) => scene.now > (stop.at ?? 0) + Math.max(2 * fence.tie, 4 * (fence.idle ?? 0)),
  );
}

/** Lets it write, and sees that it has. */
async function lets(scene: Scene, call: Handle, watched: boolean): Promise<Handle> {
  if (watched) await scene.looked(call);
  await scene.open('go');
  await scene.reached(call, 'written');
  if (watched) await scene.saw(call);
  return call;
}

const flagged = holds('the flag wrong-means', ({ verdict }) => verdict.stop.flags.includes('wrong-means'), true);
const told = stopIs('task-cancel');

/** The cases that every form has. */
const inForm = (form: Form): readonly TruthCase[] => {
  const server = serverOf(form);
  const turned = form === 'experimental' ? [finds('task-completed-after-cancel')] : [];
  return [
    {
      name: 'a task that heeds its cancel',
      class: 'B',
      server,
      acceptable: ['acknowledged', 'stopped'],
      async run(scene) {
        const call = await begun(scene, form, NEVER, { normallyMs: 100 });
        await cancel(scene, call);
        await stateIs(scene, call, 'cancelled');
        return call;
      },
      also: told,
    },
    {
      name: 'a task that says cancelled, and writes',
      class: 'F',
      server,
      acceptable: ['write-after-cancel'],
      async run(scene) {
        const call = await begun(scene, form, AFTER, { cancelled: 'pretend' });
        await cancel(scene, call);
        return lets(scene, call, true);
      },
      also: told,
    },
    {
      name: 'a task that says cancelled, and writes; nobody watches',
      class: 'F',
      server,
      // In the extension nothing can be fetched of a task that was cancelled; in 2025-11-25 this one has a result.
      acceptable: [form === 'experimental' ? 'late-result-write' : 'unknown-write'],
      async run(scene) {
        const call = await begun(scene, form, AFTER, { cancelled: 'pretend', settleMs: 2000, ...NO_PROBE });
        await cancel(scene, call);
        return lets(scene, call, false);
      },
      also: told,
    },
    {
      name: 'a task whose cancelled turns completed, and that writes',
      class: 'C',
      server,
      acceptable: ['write-after-cancel'],
      async run(scene) {
        const call = await begun(scene, form, AFTER, { cancelled: 'flip', settleMs: 2000 });
        await cancel(scene, call);
        await stateIs(scene, call, 'cancelled');
        await lets(scene, call, true);
        await stateIs(scene, call, 'completed');
        return call;
      },
      also: allOf(told, ...turned),
    },
    {
      name: 'a task whose cancelled turns completed, and that writes; nobody watches',
      class: 'C',
      server,
      acceptable: ['late-result-write', 'unknown-write'],
      async run(scene) {
        const call = await begun(scene, form, AFTER, { cancelled: 'flip', settleMs: 2000, ...NO_PROBE });
        await cancel(scene, call);
        await stateIs(scene, call, 'cancelled');
        await lets(scene, call, false);
        await stateIs(scene, call, 'completed');
        return call;
      },
      also: allOf(told, ...turned),
    },
    {
      name: 'a task whose cancel is acknowledged, and that works on and writes',
      class: 'A',
      server,
      acceptable: ['write-after-cancel'],
      async run(scene) {
        const call = await begun(scene, form, AFTER, { cancelled: 'ignore' });
        await cancel(scene, call);
        await lets(scene, call, true);
        await stateIs(scene, call, 'completed');
        return call;
      },
      also: told,
    },
    {
      name: 'a task whose cancel is acknowledged, and that works on and writes; nobody watches',
      class: 'A',
      server,
      acceptable: ['late-result-write'],
      async run(scene) {
        const call = await begun(scene, form, AFTER, { cancelled: 'ignore', ...NO_PROBE });
        await cancel(scene, call);
        await lets(scene, call, false);
        await stateIs(scene, call, 'completed');
        return call;
      },
      also: told,
    },
    {
      name: 'a task that had written before its cancel',
      class: 'B',
      server,
      acceptable: ['write-before-cancel'],
      async run(scene) {
        const call = await begun(scene, form, [{ write: 'early' }, ...NEVER]);
        await scene.saw(call);
        await cancel(scene, call);
        await stateIs(scene, call, 'cancelled');
        return call;
      },
      also: told,
    },
    {
      name: 'a task that nobody asks after any more writes',
      class: 'N',
      server,
      acceptable: ['never-told'],
      async run(scene) {
        const call = await begun(scene, form, AFTER);
        await scene.stop(call, { means: 'stop-polling' });
        return lets(scene, call, true);
      },
      also: allOf(
        stopIs('not-sent'),
        holds('severity', ({ verdict }) => verdict.severity, 'breach'),
      ),
    },
    {
      name: 'a task that nobody asks after any more; nobody watches',
      class: 'N',
      server,
      acceptable: ['never-told'],
      async run(scene) {
        const call = await begun(scene, form, AFTER, NO_PROBE);
        await scene.stop(call, { means: 'stop-polling' });
        return lets(scene, call, false);
      },
      also: allOf(
        stopIs('not-sent'),
        holds('severity', ({ verdict }) => verdict.severity, 'warn'),
      ),
    },
    {
      name: 'a task, stopped by the notification: it writes',
      class: 'L',
      server,
      acceptable: ['invalid-cancel'],
      async run(scene) {
        const call = await begun(scene, form, AFTER);
        await scene.stop(call, { means: 'notify' });
        await lets(scene, call, true);
        await stateIs(scene, call, 'completed');
        return call;
      },
      also: flagged,
    },
    {
      name: 'a task that nobody stops',
      class: '-',
      server,
      acceptable: ['completed'],
      async run(scene) {
        const call = await begun(scene, form, [{ write: 'a' }]);
        await stateIs(scene, call, 'completed');
        await scene.saw(call);
        return call;
      },
      also: stopIs('none'),
    },
    {
      name: 'a task that fails',
      class: '-',
      server,
      acceptable: ['failed'],
      async run(scene) {
        const call = await begun(scene, form, [{ fail: 'out of paper' }]);
        await stateIs(scene, call, 'failed');
        return call;
      },
    },
  ];
};

/** What stands in the demo's folder of reports, as one text. */
const reports = (scene: Scene) => (): string => readdirSync(path.join(scene.demoState, 'reports')).join('\n');

async function exported(scene: Scene, when_cancelled: 'stop' | 'pretend', probes: readonly string[] = ['reports']): Promise<Handle> {
  await scene.demo();
  const more = { task: true, probes, as: 'report', normallyMs: 1000 };
  const call = await scene.use('export_report', () => ({ pages: 5, when_cancelled }), more);
  scene.witness('report', 'reports', reports(scene));
  await made(scene, call);
  await scene.stop(call);
  return call;
}

export const TASKS: readonly TruthCase[] = [
  ...inForm('experimental'),
  ...inForm('extension'),
  ...inForm('extension over HTTP'),
  {
    name: 'Stop before the task has an id: cancelled as soon as it has',
    class: 'B-trap',
    server: serverOf('experimental'),
    acceptable: ['acknowledged', 'stopped'],
    async run(scene) {
      await connect(scene, 'experimental');
      const call = await scene.use('run', (as) => ({ as, hold: 'made', steps: NEVER }), { task: true, normallyMs: 100 });
      await scene.stop(call);
      await scene.open('made');
      await stateIs(scene, call, 'cancelled');
      return call;
    },
    also: told,
  },
  {
    name: 'Stop before the task has an id, which never comes: it writes',
    class: 'N',
    server: serverOf('experimental'),
    acceptable: ['never-told'],
    async run(scene) {
      await connect(scene, 'experimental');
      const call = await scene.use('run', (as) => ({ as, plain: true, steps: AFTER }), { task: true });
      await scene.stop(call);
      return lets(scene, call, true);
    },
    also: stopIs('not-sent'),
  },
  {
    name: 'export_report as a task, which stops',
    class: 'B',
    server: 'the demo',
    acceptable: ['acknowledged', 'stopped'],
    run: (scene) => exported(scene, 'stop'),
    also: told,
  },
  {
    name: 'export_report as a task, which pretends',
    class: 'F',
    server: 'the demo',
    acceptable: ['write-after-cancel'],
    async run(scene) {
      const call = await exported(scene, 'pretend');
      await scene.saw(call);
      return call;
    },
    also: told,
  },
  {
    name: 'export_report as a task, which pretends; nobody watches',
    class: 'F',
    server: 'the demo',
    acceptable: ['unknown-write'],
    run: (scene) => exported(scene, 'pretend', []),
    also: told,
  },
  {
    name: 'simulate-research-query as a task is cancelled, nobody watches',
    class: 'B',
    server: '@modelcontextprotocol/server-everything 2026.8.31',
    acceptable: ['unknown-write'],
    async run(scene) {
      await scene.connect(serverEverything());
      const call = await scene.use('simulate-research-query', () => ({ topic: 'tea' }), { ...NO_PROBE, task: true });
      await made(scene, call);
      await scene.stop(call);
      await stateIs(scene, call, 'cancelled');
      return call;
    },
    also: told,
  },
];
