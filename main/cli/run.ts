// `stopgap run`: scenarios from files, one after the other, each with a server of its own, and their expectations. With
// `--repeat` each is run many times, and what is told is how often it came out as expected.
import path from 'node:path';
import {
  heldText,
  REPEAT_FORMAT,
  REPEAT_VERSION,
  type RepeatReport,
  type Round,
  roundOf,
  tallyOf,
  verdictsText,
} from '../../app/report/repeat';
import type { Scenario } from '../../app/scenario/scenario';
import { ScenarioError } from '../../app/scenario/schema';
import { EXTENSION } from '../../app/wire/tracefile';
import { freshTrace } from './connection';
import { CliError, EXIT, type ExitCode, wrongInput } from './exit';
import type { RunningOptions } from './options';
import { type Performed, perform } from './perform';
import { kindOf } from './place';
import { openScenario, type ScenarioFile } from './scenario-file';
import { addressHasNone, demoHasNone, noHeaders } from './server-options';
import { type Told, tell } from './tell';
import { painter, print, said } from './terminal';

export interface RunOptions extends RunningOptions {
  readonly repeat?: number;
}

/**
 * Every file is read before anything is started.
 * @throws CliError
 */
export async function run(files: readonly string[], options: RunOptions, signal: AbortSignal): Promise<ExitCode> {
  const scenarios = await Promise.all(files.map(openScenario));
  if (options.repeat !== undefined) return repeat(scenarios, options.repeat, options, signal);
  const { json, color, quiet } = options;
  const done: Told[] = [];
  let error: CliError | undefined;
  for (const scenario of scenarios) {
    try {
      const performed = await one(scenario, options, signal, scenarios.length > 1);
      const told = { title: titleOf(scenario), performed };
      done.push(told);
      if (!json) await tell([told], { json, color });
      error = performed.error;
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

const titleOf = ({ scenario, file }: ScenarioFile): string => scenario.name ?? file;

/** Each scenario so many times in a row. What cuts a run short ends all of it; what there is by then is told. */
async function repeat(files: readonly ScenarioFile[], times: number, options: RunOptions, signal: AbortSignal): Promise<ExitCode> {
  const told: RepeatReport['scenarios'][number][] = [];
  let error: CliError | undefined;
  for (const file of files) {
    const rounds: Round[] = [];
    error = await roundsOf(file, times, options, signal, rounds);
    told.push({ name: titleOf(file), file: file.file, ...tallyOf(rounds) });
    if (!options.json) await print(repeatText(told.at(-1), options));
    if (error) break;
  }
  if (options.json)
    await print(
      `${JSON.stringify({ format: REPEAT_FORMAT, version: REPEAT_VERSION, scenarios: told } satisfies RepeatReport, undefined, 2)}\n`,
    );
  if (error) throw error;
  return told.every(({ runs, held }) => held === runs) ? EXIT.ok : EXIT.found;
}

/** @returns why it ended early */
async function roundsOf(
  file: ScenarioFile,
  times: number,
  options: RunOptions,
  signal: AbortSignal,
  rounds: Round[],
): Promise<CliError | undefined> {
  const voice = said(options.quiet);
  // Of a run of many only its end is news: its steps would bury it.
  const quiet = { ...options, quiet: true as const };
  while (rounds.length < times) {
    try {
      const { report, surprises, error } = await one(file, quiet, signal, true, rounds.length + 1);
      if (error) return error;
      rounds.push(roundOf(report, surprises));
    } catch (thrown) {
      if (thrown instanceof CliError) return thrown;
      throw thrown;
    }
    voice.progress(`${titleOf(file)}: ${heldText(tallyOf(rounds))}`);
  }
  return undefined;
}

function repeatText(told: RepeatReport['scenarios'][number] | undefined, { color }: RunOptions): string {
  if (!told) return '';
  const paint = painter(color);
  const held = told.held === told.runs;
  return [
    `${paint(held ? 'proof' : 'breach', held ? '✓' : '✗')} ${paint('strong', told.name)}: ${heldText(told)}`,
    ...told.calls.map(({ name, verdicts }) => `    ${name}: ${verdictsText(verdicts)}`),
    ...told.misses.map(({ run: number, says }) => `    ${paint('breach', `run ${number}`)}: ${says}`),
    '',
  ].join('\n');
}

/** @param number which run of many this is */
async function one(
  scenario: ScenarioFile,
  options: RunOptions,
  signal: AbortSignal,
  several: boolean,
  number?: number,
): Promise<Performed> {
  const { fence, failOn, quiet } = options;
  const trace = options.trace === undefined ? undefined : await freshTrace(traceOf(options.trace, scenario.file, several, number));
  const voice = said(quiet);
  if (number === undefined) voice.progress(`${scenario.file}${scenario.scenario.name === undefined ? '' : `: ${scenario.scenario.name}`}`);
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
    return performed;
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

/** Where a scenario's trace goes: the file that was named; in a folder, a file named like the scenario, and its run. */
function traceOf(out: string, file: string, several: boolean, number: number | undefined): string {
  const run = number === undefined ? '' : `-${String(number).padStart(3, '0')}`;
  if (/[\\/]$/.test(out) || kindOf(out) === 'folder') return path.join(out, `${path.parse(file).name}${run}${EXTENSION}`);
  if (several) throw wrongInput(`--trace: expected a folder (${out}/) for several runs, got a file`);
  return out;
}
