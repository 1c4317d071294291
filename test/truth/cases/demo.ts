// The demo, whose every tool shows one truth about cancelling. It keeps no log; the case looks into its state folder by itself.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { certaintyIs, replyIs, type TruthCase } from '../case';
import type { Handle, Scene } from '../scene';

const server = 'the demo';

/** What a folder holds, as one text. */
const listing = (scene: Scene, folder: string) => (): string => readdirSync(path.join(scene.demoState, folder)).sort().join();
const ledger = (scene: Scene) => (): string => readFileSync(path.join(scene.demoState, 'ledger.jsonl'), 'utf8');

/** Past its commit point from the beginning, and so slow to write that the cancel is out before it. */
const COMMITTED = { amount: 4200, commit_ms: 0, write_ms: 1200 } as const;

/** Charges past the commit point, stopped before the write, and seen to have been written. */
async function charged(scene: Scene, as: string, more: Readonly<Record<string, unknown>> = {}): Promise<Handle> {
  const call = await scene.use('charge_card', () => ({ ...COMMITTED, ...more }), {
    probes: ['ledger'],
    as,
    normallyMs: COMMITTED.write_ms,
  });
  const end = scene.witness(as, 'ledger.jsonl', ledger(scene));
  await scene.sees('the commit point', call, (_, { sent }) => scene.now > sent.t + 300e6);
  await scene.stop(call);
  await scene.saw(call);
  end();
  return call;
}

export const DEMO: readonly TruthCase[] = [
  {
    name: 'charge_card past its commit point',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.demo();
      return charged(scene, 'charge');
    },
    also: certaintyIs('proved'),
  },
  {
    name: 'charge_card before its commit point',
    class: 'B',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.demo();
      const args = { amount: 4200, commit_ms: 60_000, write_ms: 60_000 };
      const call = await scene.use('charge_card', () => args, { probes: ['ledger'], as: 'charge', normallyMs: 100 });
      scene.witness('charge', 'ledger.jsonl', ledger(scene));
      await scene.stop(call);
      return call;
    },
  },
  {
    name: 'charge_card, and its retry',
    class: 'O',
    server,
    acceptable: ['double-write'],
    async run(scene) {
      await scene.demo();
      const first = await charged(scene, 'charge');
      await scene.settled(first);
      scene.witness('retry', 'ledger.jsonl', ledger(scene));
      const retry = await scene.use('charge_card', () => COMMITTED, { probes: ['ledger'], as: 'retry', retryOf: first });
      await scene.replied(retry);
      await scene.saw(retry);
      return retry;
    },
  },
  {
    name: 'charge_card and its retry with one idempotency key',
    class: 'O',
    server,
    acceptable: ['completed'],
    async run(scene) {
      await scene.demo();
      const first = await charged(scene, 'charge', { idempotency_key: 'k' });
      await scene.settled(first);
      const retry = await scene.use('charge_card', () => ({ ...COMMITTED, idempotency_key: 'k' }), {
        probes: ['ledger'],
        as: 'retry',
        retryOf: first,
      });
      await scene.replied(retry);
      return retry;
    },
  },
  {
    name: 'create_ticket',
    class: 'B',
    server,
    acceptable: ['stopped'],
    async run(scene) {
      await scene.demo();
      const call = await scene.use('create_ticket', () => ({ title: 'The door sticks' }), {
        probes: ['tickets'],
        as: 'ticket',
        normallyMs: 1200,
      });
      scene.witness('ticket', 'tickets', listing(scene, 'tickets'));
      await scene.stop(call);
      return call;
    },
  },
  {
    name: 'deploy, whose child goes on',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.demo();
      const call = await scene.use('deploy', () => ({ service: 'shop', version: '1.4.0' }), {
        probes: ['releases'],
        as: 'deploy',
        normallyMs: 2600,
      });
      scene.witness('deploy', 'releases', listing(scene, 'releases'));
      await scene.sees('the call', call, (_, { sent }) => scene.now > sent.t + 100e6);
      await scene.stop(call);
      await scene.saw(call);
      return call;
    },
    also: certaintyIs('proved'),
  },
  {
    name: 'huge_search answers late',
    class: 'C',
    server,
    acceptable: ['late-result'],
    async run(scene) {
      await scene.demo();
      const call = await scene.use('huge_search', () => ({}), { probes: [], as: 'search' });
      await scene.stop(call);
      await scene.replied(call);
      return call;
    },
    also: replyIs('late-result'),
  },
];
