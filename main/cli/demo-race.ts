// The race that Stopgap is about, run against the demo server and told as text: a card that is charged although Stop was
// pressed, and a ticket that is not written because it was pressed in time.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import type { Events, ServerStatus } from '../../app/contract/host';
import { calls } from '../../app/trace/calls';
import { Trace } from '../../app/trace/trace';
import { judge } from '../../app/verdict/judge';
import type { Verdict } from '../../app/verdict/verdict';
import { connectClient, type HostClient } from '../host/client';
import { createHost, type Host } from '../host/host';
import { checkProbe, startProbe } from '../probes';
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

/** How long the readings that close a call's window may take to be judged. */
const LAST_READING_MS = 1000;

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
    checkProbe,
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
  const verdicts = new Map<number, Verdict>();
  let file = '';
  client.on('view', (view) => {
    file = view.path;
  });
  client.on('batch', ({ batch }) => trace.append(batch));
  client.on('verdicts', (event) => {
    for (const verdict of event.verdicts) verdicts.set(verdict.call, verdict);
  });
  await client.request('hello', {});
  const connected = eventThat(client, 'status', ({ state, tools }) => state === 'failed' || (state === 'connected' && tools.length > 0));
  await client.request('server.connect', { spec: { kind: 'demo' } });
  const status = await connected;
  if (status.state === 'failed') throw new Error(status.why);
  print(`Connected to ${status.title} (${status.server?.name} ${status.server?.version}), protocol ${status.protocol}, over stdio.`);

  for (const race of RACES) {
    print('');
    print(race.about);
    const call = await run(client, status, race);
    const verdict = verdicts.get(call);
    if (!verdict) throw new Error(`expected a verdict on call ${call}`);
    const fold = calls(trace);
    fold.take();
    for (const line of raceText(trace, fold, verdict)) print(line);
  }
  print('');
  print(`Everything that was sent and received: ${file}`);
}

/**
 * Calls, stops, and waits until time alone changes nothing more.
 * @returns index of the call
 */
async function run(client: HostClient, status: ServerStatus, race: Race): Promise<number> {
  const { tool } = race;
  const { probes = [] } = status.setups[tool] ?? {};
  const { call } = await client.request('tool.call', { tool, arguments: race.arguments, probes: [...probes] });
  // The window of the call ends, and what the probes were asked for then has come in.
  const settled = eventThat(client, 'verdicts', ({ verdicts }) => verdicts.some((one) => one.call === call && one.settled));
  const concluded = eventThat(client, 'verdicts', ({ verdicts }) =>
    verdicts.some((one) => one.call === call && one.settled && one.verdict !== 'quiet'),
  );
  await rest(race.stopAfterMs);
  await client.request('call.stop', { call, how: { means: 'cancel' }, reason: race.reason });
  await settled;
  await Promise.race([concluded, rest(LAST_READING_MS)]);
  return call;
}

/** The first event from now on that satisfies a test. */
function eventThat<E extends keyof Events>(client: HostClient, event: E, test: (payload: Events[E]) => boolean): Promise<Events[E]> {
  return new Promise((resolve) => {
    const stop = client.on(event, (payload) => {
      if (!test(payload)) return;
      stop();
      resolve(payload);
    });
  });
}
