// The read probe through the whole host: a server is asked what it has done, its answers belong to no call, and while it is
// too busy to answer nobody claims to have looked.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SpecOf } from '../../app/evidence/probe';
import { startProbe } from '../../main/probes';
import { type TestHost, testHost } from './host.testing';

const FIXTURES = pathToFileURL(path.join(import.meta.dirname, '../fixtures/mcp.mjs')).href;

/** Creates tickets a while after it was asked to, whatever it is told meanwhile; lists them; or is busy with nothing. */
const SERVER = `
  import { answer, serve, tool } from '${FIXTURES}';
  const tickets = [];
  const create = ({ id, args }) => setTimeout(() => tickets.push({ id: args.ticket, title: 'a ticket' }), 500);
  const list = ({ id }) => answer(id, JSON.stringify({ tickets, total: tickets.length }));
  const block = ({ id, args }) => {
    for (const end = Date.now() + args.ms; Date.now() < end; );
    tickets.push({ id: args.ticket, title: 'made while busy' });
    answer(id, 'done');
  };
  serve({
    name: 'tickets',
    tools: [tool('create', 'Creates a ticket.'), tool('list', 'Lists the tickets.'), tool('block', 'Is busy.')],
    onCall: (call) => ({ create, list, block })[call.name](call),
  });`;

const PROBE: SpecOf<'read'> = { kind: 'read', name: 'list', shared: false, read: { tool: 'list', arguments: {} }, everyMs: 50 };

let host: TestHost;
beforeEach(async () => {
  host = await testHost(startProbe, { graceMs: 1000 });
  await host.connect({ command: process.execPath, args: ['--input-type=module', '-e', SERVER] });
  await host.until('the tools', () => host.status.tools.length > 0);
  expect(await host.request('probe.set', { connection: host.connection, probe: PROBE })).toMatchObject({ state: 'watching' });
});
afterEach(() => host.end());

test('a ticket that is created after a cancel is found by asking the server', async () => {
  const call = await host.call('create', { ticket: 42 }, { probes: ['list'], settleMs: 2000 });
  expect(await host.cancel(call)).toBe('sent');
  await host.until('the verdict', () => host.verdicts.get(call)?.settled);
  expect(host.verdicts.get(call)).toMatchObject({ verdict: 'write-after-cancel', certainty: 'proved' });
  expect(host.verdicts.get(call)?.effect.observations).toMatchObject([{ says: '1 item more: {"id":42,"title":"a ticket"}' }]);
  const asked = host.calls.all.filter((one) => one.tool === 'list');
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.every(({ purpose }) => purpose === 'probe')).toBe(true);
});

test('a server that is too busy to answer is a gap, and what it did meanwhile is dated no better than that', async () => {
  const call = await host.call('block', { ms: 4000, ticket: 7 }, { probes: ['list'] });
  await host.until('the answer', () => host.callOf(call).replies.length > 0);
  await host.until('the ticket', () => (host.verdicts.get(call)?.effect.observations.length ?? 0) > 0);
  const { sent, replies } = host.callOf(call);
  const [seen] = host.verdicts.get(call)?.effect.observations ?? [];
  expect(seen).toMatchObject({ says: '1 item more: {"id":7,"title":"made while busy"}' });
  expect(seen?.lo).toBeLessThanOrEqual(replies[0]?.t ?? 0);
  expect(seen?.hi).toBeGreaterThanOrEqual(sent.t);
  const gaps = host.findings.filter(({ finding }) => finding === 'probe-gap');
  expect(gaps.length).toBeGreaterThan(0);
});
