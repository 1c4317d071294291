// The race that Stopgap is about, run against the demo server and told as text: a card that is charged although Stop was
// pressed, and a ticket that is not written because it was pressed in time.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Scenario } from '../../app/scenario/scenario';
import { EXTENSION } from '../../app/wire/tracefile';
import { EXIT, type ExitCode } from './exit';
import { perform } from './perform';
import { tell } from './tell';
import { print, said } from './terminal';

const call = (name: string, tool: string, args: Readonly<Record<string, unknown>>) =>
  ({ step: 'call', name, tool, arguments: args, probes: undefined, normallyMs: undefined, settleMs: undefined, task: undefined }) as const;

const stop = (name: string) =>
  ({
    step: 'stop',
    call: name,
    when: { on: 'time', afterMs: 300 },
    how: { means: 'cancel' },
    reason: 'pressed Stop',
    fence: undefined,
  }) as const;

const RACE: Scenario = {
  name: 'the demo race',
  about: undefined,
  server: { kind: 'demo', over: undefined, protocol: undefined },
  settleMs: 3000,
  probes: [],
  faults: [],
  steps: [
    call('charge', 'charge_card', { amount: 4200, currency: 'EUR' }),
    stop('charge'),
    { step: 'settle', call: 'charge' },
    call('ticket', 'create_ticket', { title: 'Printer on fire' }),
    stop('ticket'),
    { step: 'settle', call: 'ticket' },
  ],
  expect: [],
};

/**
 * Runs the race in a temporary folder, where its trace is kept.
 * @throws CliError when the demo server could not be reached, or when interrupted
 */
export async function demoRace(signal: AbortSignal): Promise<ExitCode> {
  const voice = said();
  const trace = path.join(await mkdtemp(path.join(tmpdir(), 'stopgap-race-')), `race${EXTENSION}`);
  voice.progress('charging 42 €, then creating a ticket; Stop is pressed 300 ms into each');
  const performed = await perform({ scenario: RACE, fence: true, trace, failOn: 'never', untilAnswered: false, signal, said: voice });
  await tell([{ title: undefined, performed }], { color: 'auto' });
  if (performed.error) throw performed.error;
  await print(`Everything that was sent and received: ${trace}\n`);
  return EXIT.ok;
}
