// What every wire owes the tap, whatever the bytes travel through: the same requirements, held against the same server over
// each of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildEntry } from '../../test/build.testing';
import { serveHttp } from '../demo/over-http';
import { openState } from '../demo/state';
import { DemoTasks } from '../demo/tasks';
import { startClock } from '../host/clock';
import { http } from './http';
import { stdioWire } from './stdio-wire';
import type { Wire } from './wire';
import { call, cancel, Heard, initialize, initialized } from './wire.testing';

let program: string;
beforeAll(async () => {
  program = await buildEntry('main/demo/server.ts');
}, 60_000);

let cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanup.reverse()) await clean();
  cleanup = [];
});

const clock = startClock();
const KINDS = ['stdio', 'http', 'http-json', 'http-stateless', 'sse'] as const;
type Kind = (typeof KINDS)[number];

async function wireOf(kind: Kind): Promise<Wire> {
  const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-wire-'));
  cleanup.push(() => rmSync(folder, { recursive: true, force: true }));
  if (kind === 'stdio')
    return stdioWire({ command: process.execPath, args: [program, '--state', folder], clock, graceMs: 5000, conceal: (text) => text });
  openState(folder);
  const server = await serveHttp(kind, 0, { folder, program, tasks: new DemoTasks() });
  cleanup.push(() => server.close());
  return http({ url: server.url, transport: 'auto', headers: {}, clock, userAgent: 'test', graceMs: 500 });
}

/** A wire that has been started and has shaken hands. */
async function connected(kind: Kind): Promise<{ wire: Wire; heard: Heard }> {
  const wire = await wireOf(kind);
  cleanup.push(() => wire.close());
  const heard = new Heard();
  await wire.start(heard);
  heard.send(wire, initialize);
  await heard.saw('done initialize');
  // On a pipe that only says that it was written: who ends a process that is still starting measures the machine.
  await heard.saw(/^s2c reply/);
  wire.setProtocolVersion('2025-11-25');
  heard.send(wire, initialized);
  await heard.saw('done notifications/initialized');
  return { wire, heard };
}

const lines = (heard: Heard, what: RegExp): readonly string[] => heard.log.filter((line) => what.test(line));
const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' }) as const;

describe.each(KINDS)('%s', (kind) => {
  test('says what it is, and begins with a step of the connection', async () => {
    const { wire, heard } = await connected(kind);
    const name = kind === 'stdio' || kind === 'sse' ? kind : 'http';
    expect(wire.transport).toBe(name);
    expect(wire.ordered).toBe(kind === 'stdio');
    expect(wire.stateful).toBe(kind === 'stdio' ? undefined : kind !== 'http-stateless');
    expect(wire.pid === undefined).toBe(kind !== 'stdio');
    expect(heard.log[0]).toBe(kind === 'stdio' ? 'started' : 'connecting');
  });

  test('tells of each message that it was written before anything comes of it, and times ascend', async () => {
    const { wire, heard } = await connected(kind);
    for (let id = 1; id <= 20; id++) heard.send(wire, ping(id));
    await heard.until(() => lines(heard, /^done ping/).length === 20);
    await heard.until(() => lines(heard, /^s2c reply n:/).length === 21);
    expect(lines(heard, /^c2s ping/)).toHaveLength(20);
    expect(heard.log.findIndex((line) => line.startsWith('c2s ping'))).toBeLessThan(
      heard.log.findIndex((line) => line.startsWith('s2c reply n:1')),
    );
    expect(heard.times).toEqual([...heard.times].sort((a, b) => a - b));
    expect(new Set(lines(heard, /^s2c reply n:/)).size).toBe(21);
    expect(lines(heard, /^not-json/)).toEqual([]);
  });

  test('hands texts on as they came', async () => {
    const { wire, heard } = await connected(kind);
    heard.send(wire, { jsonrpc: '2.0', id: 'für', method: 'ping' });
    await heard.saw(/s2c reply s:für/);
    expect(heard.texts.at(-1)).toBe('{"result":{},"jsonrpc":"2.0","id":"für"}');
  });

  test('reads on when it may again, and has lost nothing', async () => {
    const { wire, heard } = await connected(kind);
    heard.isBusy = true;
    for (let id = 1; id <= 5; id++) heard.send(wire, call(id, 'search_orders', { query: 'Ada' }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    heard.isBusy = false;
    await heard.until(() => lines(heard, /^s2c reply n:[1-5]/).length === 5);
  });

  test('carries a cancel, and the server says nothing more', async () => {
    const { wire, heard } = await connected(kind);
    heard.send(wire, call(1, 'crawl_site', { url: 'https://example.org' }));
    await heard.saw(/^c2s tools\/call/);
    heard.send(wire, cancel(1));
    await heard.saw('done notifications/cancelled');
    expect(lines(heard, /^c2s notifications\/cancelled/)).toHaveLength(1);
  });

  test('closes the connection of a call, and says so before', async () => {
    const { wire, heard } = await connected(kind);
    heard.send(wire, call(1, 'huge_search', {}));
    await heard.saw(/^c2s tools\/call/);
    let before: number | undefined;
    const dropped = wire.drop(1, () => {
      before = heard.log.length;
    });
    expect(dropped).toBe(kind === 'stdio' || kind === 'sse' ? 'connection' : 'stream');
    expect(heard.log.slice(0, before).some((line) => line.startsWith('cut') || line.startsWith('lost'))).toBe(false);
    expect(lines(heard, /^lost/)).toHaveLength(dropped === 'connection' ? 1 : 0);
    expect(lines(heard, /^s2c reply n:1/)).toEqual([]);
    if (dropped === 'connection') return;
    heard.send(wire, ping(2));
    await heard.saw('done ping');
  });

  test('ends once, however often it is asked to, and takes nothing after that', async () => {
    const { wire, heard } = await connected(kind);
    expect(await Promise.all([wire.close(), wire.close()])).toEqual([undefined, undefined]);
    heard.send(wire, ping(1));
    await heard.saw(/^failed ping: /);
    expect(lines(heard, /^c2s ping/)).toEqual([]);
    expect(await wire.processes()).toEqual([]);
  });

  test('ends without having begun', async () => {
    const wire = await wireOf(kind);
    expect(await wire.close()).toBeUndefined();
  });
});
