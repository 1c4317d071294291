// The demo, whose every tool shows one truth about cancelling. It keeps no log; the case looks into its state folder by itself.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { allOf, certaintyIs, finds, type TruthCase } from '../case';
import type { Scene } from '../scene';

const server = 'the demo';

/** What a folder holds, as one text. */
const listing = (scene: Scene, folder: string) => (): string => readdirSync(path.join(scene.demoState, folder)).sort().join();
const ledger = (scene: Scene) => (): string => readFileSync(path.join(scene.demoState, 'ledger.jsonl'), 'utf8');

export const DEMO: readonly TruthCase[] = [
  {
    name: 'charge_card past its commit point',
    class: 'A',
    server,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.demo();
      // Past its commit point from the beginning, and so late that the cancel is out before it.
      const args = { amount: 4200, commit_ms: 0, write_ms: 700 };
      const call = await scene.use('charge_card', () => args, { probes: ['ledger'], as: 'charge' });
      scene.witness('charge', 'ledger.jsonl', ledger(scene));
      await scene.sees('the call', call, (_, { sent }) => scene.now > sent.t + 150e6);
      await scene.stop(call);
      await scene.saw(call);
      return call;
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
      const args = { amount: 4200, commit_ms: 0, write_ms: 300 };
      const first = await scene.use('charge_card', () => args, { probes: ['ledger'], as: 'charge' });
      const end = scene.witness('charge', 'ledger.jsonl', ledger(scene));
      await scene.stop(first);
      await scene.saw(first);
      await scene.settled(first);
      end();
      scene.witness('retry', 'ledger.jsonl', ledger(scene));
      const retry = await scene.use('charge_card', () => args, { probes: ['ledger'], as: 'retry', retryOf: first });
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
      const args = { amount: 4200, commit_ms: 0, write_ms: 300, idempotency_key: 'k' };
      const first = await scene.use('charge_card', () => args, { probes: ['ledger'], as: 'charge' });
      scene.witness('charge', 'ledger.jsonl', ledger(scene));
      await scene.stop(first);
      await scene.saw(first);
      await scene.settled(first);
      const retry = await scene.use('charge_card', () => args, { probes: ['ledger'], as: 'retry', retryOf: first });
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
    name: 'huge_search, cancelled: blocked or answered, never “stopped”',
    class: 'G2',
    server,
    acceptable: ['late-result', 'crossed', 'finished-first', 'unknown-read', 'still-working'],
    async run(scene) {
      await scene.demo();
      const call = await scene.use('huge_search', () => ({}), { probes: [], as: 'search' });
      await scene.sees('the call', call, (_, { sent }) => scene.now > sent.t + 200e6);
      await scene.stop(call);
      await scene.replied(call);
      await scene.fenced(call);
      return call;
    },
    also: allOf(finds('server-blocked')),
  },
];
