// What standing in between costs: the same client makes the same calls, one after another, through the tap (every message
// stamped, its raw text written to a trace file, its facts in columns) and through the SDK's own transport.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { startClock } from '../../main/host/clock';
import { Tap, type TapListener } from '../../main/host/tap';
import { createRecorder } from '../../main/store/recorder';
import { stdioWire } from '../../main/transports/stdio-wire';
import { best, type Figure, figure, inTurns } from './figures';
import { server } from './servers';

const CALLS = 250;
const ROUNDS = 60;
const WARM = 8;

const nobody: TapListener = {
  stepped: () => undefined,
  faulted: () => undefined,
  replied: () => undefined,
  unreadable: () => undefined,
  goesOn: () => undefined,
  listens: () => undefined,
  listensNoMore: () => undefined,
  noise: () => undefined,
  stderr: () => undefined,
  lost: () => undefined,
  impaired: () => undefined,
  taskTold: () => undefined,
  resourceUpdated: () => undefined,
  exited: () => undefined,
};

export async function tapOverhead(): Promise<Figure> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stopgap-bench-'));
  const clock = startClock();
  const recorder = createRecorder({ folder, clock, began: new Date().toISOString(), by: 'stopgap bench' });
  const wire = stdioWire({ ...server('echo'), env: {}, clock, conceal: (text) => text });
  const tapped = await connected(new Tap({ session: 1, recorder, clock, wire, listener: nobody }));
  const bare = await connected(new StdioClientTransport(server('echo')));
  for (let round = 0; round < WARM; round++) {
    await calls(tapped);
    await calls(bare);
  }
  const measured = await inTurns(
    ROUNDS,
    () => calls(tapped),
    () => calls(bare),
    best,
  );
  await tapped.close();
  await bare.close();
  await wire.close();
  await recorder.close();
  rmSync(folder, { recursive: true, force: true });
  return figure({
    name: 'tap-overhead',
    ...measured,
    unit: 'µs a message',
    against: 'the same client on the SDK’s own transport',
    goal: { atMost: 1.05 },
    remark: `the best of ${ROUNDS} rounds of ${CALLS} calls for each, in turns`,
  });
}

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  return client;
}

/** @returns µs a message; a call is two */
async function calls(client: Client): Promise<number> {
  const since = performance.now();
  for (let n = 0; n < CALLS; n++) await client.callTool({ name: 'echo', arguments: {} });
  return ((performance.now() - since) * 1000) / (2 * CALLS);
}
