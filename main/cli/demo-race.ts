// The race that Stopgap is about, run against the demo server and told as text: a card that is charged although Stop was
// pressed, and a ticket that is not written because it was pressed in time.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Events, ServerStatus } from '../../app/contract/host';
import { calls } from '../../app/trace/calls';
import { Trace } from '../../app/trace/trace';
import { judge } from '../../app/verdict/judge';
import type { Verdict } from '../../app/verdict/verdict';
import { connectClient, type HostClient } from '../host/client';
import { createHost, type Host } from '../host/host';
import { startProbe } from '../probes';
import { loadSettings } from '../store/settings';
import { raceText } from './race-text';

export interface DemoRaceOptions {
  /** Script of the demo server. */
  readonly demoScript: string;
  readonly print: (line: string) => void;
}

interface Race {
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  readonly stopAfterMs: number;
  readonly reason: string;
  readonly about: string;
}

const RACES: readonly Race[] = [
  {
    tool: 'charge_card',
    arguments: { amount: 4200, currency: 'EUR' },
    stopAfterMs: 300,
    reason: 'pressed Stop',
    about: 'Charge 42 €, and press Stop after 300 ms.',
  },
  {
    tool: 'create_ticket',
    arguments: { title: 'Printer on fire' },
    stopAfterMs: 300,
    reason: 'pressed Stop',
    about: 'Create a ticket, and press Stop after 300 ms.',
  },
];

/**
 * Runs the races one after the other, in a temporary folder.
 * @returns exit code: 0 when they ran, whatever they showed
 * @throws Error in plain words when the demo server could not be reached
 */
export async function demoRace({ demoScript, print }: DemoRaceOptions): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stopgap-race-'));
  const host = createHost({
    traces: folder,
    demo: { script: demoScript, state: path.join(folder, 'demo-state') },
    version: 'demo-race',
    settings: await loadSettings(path.join(folder, 'settings.json')),
    judge,
    startProbe,
  });
  const end = (): void => void host.close().then(() => process.exit(130));
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  try {
    await runRaces(host, print);
  } finally {
    await host.close();
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
  }
  return 0;
}

async function runRaces(host: Host, print: (line: string) => void): Promise<void> {
  const client = connectClient(host);
  const trace = new Trace();
  client.on('batch', ({ batch }) => trace.append(batch));
  await client.request('hello', {});
  const connected = statusThat(client, ({ state, tools }) => state === 'failed' || (state === 'connected' && tools.length > 0));
  await client.request('server.connect', { spec: { kind: 'demo' } });
  const status = await connected;
  if (status.state === 'failed') throw new Error(status.why);
  print(`Connected to ${status.title} (${status.server?.name} ${status.server?.version}), protocol ${status.protocol}, over stdio.`);

  for (const race of RACES) {
    print('');
    print(race.about);
    const verdict = await run(client, status, race);
    const fold = calls(trace);
    fold.take();
    for (const line of raceText(trace, fold, verdict)) print(line);
  }
  const { view } = await client.request('hello', {});
  print('');
  print(`Everything that was sent and received: ${view.path}`);
}

/** Calls, stops, and waits until time alone changes nothing more. */
async function run(client: HostClient, status: ServerStatus, race: Race): Promise<Verdict> {
  const { tool } = race;
  const { probes = [] } = status.setups[tool] ?? {};
  const { call } = await client.request('tool.call', { tool, arguments: race.arguments, probes: [...probes] });
  const settled = eventThat(client, 'verdicts', ({ verdicts }) => verdicts.find((verdict) => verdict.call === call && verdict.settled));
  await new Promise((resolve) => setTimeout(resolve, race.stopAfterMs));
  await client.request('call.stop', { call, how: { means: 'cancel' }, reason: race.reason });
  return settled;
}

const statusThat = (client: HostClient, test: (status: ServerStatus) => boolean): Promise<ServerStatus> =>
  eventThat(client, 'status', (status) => (test(status) ? status : undefined));

/** The first event from now on of which something is read. */
function eventThat<E extends keyof Events, T>(client: HostClient, event: E, read: (payload: Events[E]) => T | undefined): Promise<T> {
  return new Promise((resolve) => {
    const stop = client.on(event, (payload) => {
      const value = read(payload);
      if (value === undefined) return;
      stop();
      resolve(value);
    });
  });
}
