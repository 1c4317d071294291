// `stopgap run`: scenarios from files, one after the other, each with a server of its own, and their expectations.
import path from 'node:path';
import type { Scenario } from '../../app/scenario/scenario';
import { ScenarioError } from '../../app/scenario/schema';
import { EXTENSION } from '../../app/wire/tracefile';
import { freshTrace } from './connection';
import { CliError, EXIT, type ExitCode, wrongInput } from './exit';
import type { RunningOptions } from './options';
import { perform } from './perform';
import { kindOf } from './place';
import { openScenario, type ScenarioFile } from './scenario-file';
import { addressHasNone, demoHasNone, noHeaders } from './server-options';
import { type Told, tell } from './tell';
import { said } from './terminal';

/**
 * Every file is read before anything is started.
 * @throws CliError
 */
export async function run(files: readonly string[], options: RunningOptions, signal: AbortSignal): Promise<ExitCode> {
  const scenarios = await Promise.all(files.map(openScenario));
  const { json, color, quiet } = options;
  const done: Told[] = [];
  let error: CliError | undefined;
  for (const scenario of scenarios) {
    try {
      const told = await one(scenario, options, signal, scenarios.length > 1);
      done.push(told);
      if (!json) await tell([told], { json, color });
      error = told.performed.error;
    } catch (thrown) {
      if (!(thrown instanceof CliError)) throw thrown;
      error = thrown;
    }
    if (error) break;
  }
  if (json) await tell(done, { json, color, several: scenarios.length > 1 });
  if (error) throw error;
  const failed = done.filter(({ performed }) => performed.code !== EXIT.ok).length;
  if (!quiet && scenarios.length > 1) said(quiet).progress(`${scenarios.length} scenarios, ${failed} failed`);
  return failed === 0 ? EXIT.ok : EXIT.found;
}

async function one(scenario: ScenarioFile, options: RunningOptions, signal: AbortSignal, several: boolean): Promise<Told> {
  const { fence, failOn, quiet } = options;
  const trace = options.trace === undefined ? undefined : await freshTrace(traceOf(options.trace, scenario.file, several));
  const voice = said(quiet);
  voice.progress(`${scenario.file}${scenario.scenario.name === undefined ? '' : `: ${scenario.scenario.name}`}`);
  try {
    const performed = await perform({
      scenario: withOptions(scenario.scenario, options),
      fence,
      failOn,
      trace,
      signal,
      untilAnswered: false,
      said: voice,
    });
    if (trace !== undefined) voice.progress(`the trace is in ${trace}`);
    return { title: scenario.scenario.name ?? scenario.file, performed };
  } catch (error) {
    throw error instanceof ScenarioError ? scenario.located(error) : error;
  }
}

/** What the command line says about the server goes before what the file says. */
function withOptions(scenario: Scenario, { protocol = scenario.server.protocol, env = {}, cwd, header = {} }: RunningOptions): Scenario {
  const { server } = scenario;
  const hasProcessOptions = cwd !== undefined || Object.keys(env).length > 0;
  if (server.kind === 'http') {
    if (hasProcessOptions) throw addressHasNone();
    return { ...scenario, server: { ...server, protocol, headers: { ...server.headers, ...header } } };
  }
  if (Object.keys(header).length > 0) throw noHeaders();
  if (server.kind === 'stdio')
    return {
      ...scenario,
      server: { ...server, protocol, env: { ...server.env, ...env }, cwd: cwd === undefined ? server.cwd : path.resolve(cwd) },
    };
  if (hasProcessOptions) throw demoHasNone();
  return { ...scenario, server: { ...server, protocol } };
}

/** Where a scenario's trace goes: the file that was named; in a folder, a file named like the scenario. */
function traceOf(out: string, file: string, several: boolean): string {
  if (/[\\/]$/.test(out) || kindOf(out) === 'folder') return path.join(out, `${path.parse(file).name}${EXTENSION}`);
  if (several) throw wrongInput(`--trace: expected a folder (${out}/) for several scenarios, got a file`);
  return out;
}
