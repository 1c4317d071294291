// One scenario from its start to its report: what `call` and `run` have in common. Whatever goes wrong on the way, what was
// recorded until then is reported.
import type { ServerStatus } from '../../app/contract/host';
import { checked, type FailOn, unexpected } from '../../app/report/expectations';
import { type Judged, reportOf } from '../../app/report/json';
import type { Report } from '../../app/report/schema';
import { ruleName } from '../../app/scenario/faults';
import { planOf } from '../../app/scenario/plan';
import type { Scenario } from '../../app/scenario/scenario';
import { ScenarioError } from '../../app/scenario/schema';
import { DEMO_PROBES } from '../demo/probes';
import { Interrupted, NotReached } from '../host/live';
import { type Names, runPlan } from '../host/runner';
import { inEnvironment, specOf } from '../host/scenario-server';
import { type Connection, connect } from './connection';
import { CliError, EXIT, type ExitCode, interrupted, notReached } from './exit';
import type { Said } from './terminal';

export interface PerformOptions {
  readonly scenario: Scenario;
  readonly fence: boolean;
  readonly trace: string | undefined;
  readonly failOn: FailOn;
  readonly untilAnswered: boolean;
  readonly signal: AbortSignal;
  readonly said: Said;
}

export interface Performed {
  readonly judged: Judged;
  readonly report: Report;
  /** What was found and nobody expected. */
  readonly surprises: readonly string[];
  readonly code: ExitCode;
  /** Why it ended early. */
  readonly error: CliError | undefined;
}

/**
 * Runs a scenario.
 * @throws ScenarioError when it refers to something that is not there, or takes what is not set from the environment
 * @throws CliError when the server could not be reached at all
 */
export async function perform(options: PerformOptions): Promise<Performed> {
  const { fence, trace, signal, said } = options;
  const scenario = inEnvironment(options.scenario, process.env);
  const plan = planOf(scenario, scenario.server.kind === 'demo' ? Object.keys(DEMO_PROBES) : []);
  const spec = specOf(scenario);
  const { protocol } = scenario.server;
  const connection = await connect({ spec, probes: scenario.probes, fence, protocol, trace, signal, warn: said.warn }).catch(
    (thrown: unknown) => {
      throw asCliError(thrown);
    },
  );
  const { status } = connection.live;
  said.progress(`connected to ${status.server?.name} ${status.server?.version}, protocol ${status.protocol}${transportText(status)}`);
  connection.live.server.setFaults(scenario.faults);
  if (scenario.faults.length > 0) said.progress(`faults: ${scenario.faults.map(ruleName).join('; ')}`);
  const names: Names = new Map();
  let error: unknown;
  try {
    await runPlan({ live: connection.live, plan, untilAnswered: options.untilAnswered, ...said }, names);
  } catch (thrown) {
    error = asCliError(thrown);
  } finally {
    await connection.close();
  }
  if (error instanceof ScenarioError || (error !== undefined && !(error instanceof CliError))) throw error;
  return { ...conclude(connection, names, options, error?.code), error };
}

/** How the command line ends for what can go wrong with a server. */
function asCliError(thrown: unknown): unknown {
  if (thrown instanceof NotReached) return notReached(thrown.message);
  return thrown instanceof Interrupted ? interrupted() : thrown;
}

function conclude(
  connection: Connection,
  names: Names,
  { scenario, failOn }: PerformOptions,
  failed: ExitCode | undefined,
): Omit<Performed, 'error'> {
  const { recorder, judge, clock } = connection.live.recording;
  const judged: Judged = { trace: recorder.trace, court: judge, names, now: clock.now() };
  const bare = reportOf(judged);
  const expectations = checked(bare, scenario.expect);
  const surprises = unexpected(bare, scenario.expect, failOn);
  const holds = expectations.every(({ ok }) => ok) && surprises.length === 0;
  return { judged, report: { ...bare, expectations: [...expectations] }, surprises, code: failed ?? (holds ? EXIT.ok : EXIT.found) };
}

/** How the messages travel, where that is not a pipe. */
function transportText({ transport, stateful, fellBack }: ServerStatus): string {
  if (transport === undefined || transport === 'stdio') return '';
  const name = transport === 'http' ? `Streamable HTTP, ${stateful ? 'with a session' : 'without a session'}` : 'HTTP+SSE';
  return `, over ${name}${fellBack === undefined ? '' : ` (Streamable HTTP was refused: ${fellBack.why})`}`;
}
