// What standing in between costs: the same calls, one after another, through the whole host and through the bare client.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ZERO } from '../../app/base/time';
import { best, type Figure, figure, inTurns } from './figures';
import { connect } from './host';
import { server } from './servers';

const CALLS = 250;
const ROUNDS = 60;
const settle = ZERO;

export async function tapOverhead(): Promise<Figure> {
  const bench = await connect(server('echo'), false);
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport(server('echo')));

  const ours = async (): Promise<number> => {
    const since = performance.now();
    for (let n = 0; n < CALLS; n++) {
      const answered = bench.next((message) => message.facts.shape === 'result');
      await bench.session.call({
        tool: 'echo',
        arguments: {},
        probes: [],
        settle,
        normally: undefined,
        fence: false,
        stopAfterMs: undefined,
        onStopped: () => undefined,
      });
      await answered;
    }
    return ((performance.now() - since) * 1000) / (2 * CALLS);
  };
  const bare = async (): Promise<number> => {
    const since = performance.now();
    for (let n = 0; n < CALLS; n++) await client.callTool({ name: 'echo', arguments: {} }, undefined, { onprogress: () => undefined });
    return ((performance.now() - since) * 1000) / (2 * CALLS);
  };

  for (let warm = 0; warm < 8; warm++) {
    await ours();
    await bare();
  }
  const measured = await inTurns(ROUNDS, ours, bare, best);
  await bench.close();
  await client.close();
  return figure({
    name: 'tap-overhead',
    ...measured,
    unit: 'µs a message',
    against: 'the SDK’s client on its own transport, the same calls',
    goal: { atMost: 1.05 },
  });
}
