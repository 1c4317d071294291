// `stopgap sweep`: where does Stop stop helping? Calls a tool again and again, each time stopped at another moment.
import { createInterface } from 'node:readline/promises';
import { type SweepReport, type SweptTool, sweepReportOf, sweepText } from '../../app/report/sweep';
import { durationMs } from '../../app/scenario/duration';
import { meant } from '../../app/scenario/nearest';
import { ScenarioError } from '../../app/scenario/schema';
import { type Axis, boundarySentence, type Strategy } from '../../app/scenario/sweep';
import type { Means } from '../../app/wire/frame';
import { Interrupted, type Live, NotReached } from '../host/live';
import { commandReset } from '../host/reset';
import { type Reset, SweepError, sweep } from '../host/sweeper';
import { inOptions, probesOf } from './call';
import { connect, freshTrace } from './connection';
import { EXIT, type ExitCode, interrupted, notReached, wrongInput } from './exit';
import { type ServerOptions, serverWordOptions } from './options';
import { serverOf } from './server-word';
import { painter, print, said, width } from './terminal';

export interface SweepOptions extends ServerOptions {
  readonly args?: Record<string, unknown>;
  readonly from?: string;
  readonly to?: string;
  readonly runs?: number;
  readonly findBoundary?: true;
  readonly random?: true;
  readonly by: Axis;
  readonly how?: Means;
  readonly probe?: readonly string[];
  readonly settle?: number;
  readonly normally?: number;
  readonly resetTool?: string;
  readonly resetArgs?: Record<string, unknown>;
  readonly resetCommand?: string;
  readonly yes?: true;
}

const RUNS = 20;
const SETTLE_MS = 1000;
/** Behind the normal end of the call there is nothing left to stop. */
const BEYOND = 1.1;

/**
 * @returns 0 when a boundary was found or everything was prevented, 1 when it varies or nothing is known
 * @throws CliError
 */
export async function sweepTool(server: string, tool: string, options: SweepOptions, signal: AbortSignal): Promise<ExitCode> {
  const strategy = strategyOf(options);
  const reset = resetOf(options);
  const voice = said(options.quiet);
  const spec = serverOf(server, serverWordOptions(options));
  const { fence, protocol, settle = SETTLE_MS, normally, by: axis, how = { means: 'cancel' } } = options;
  const trace = options.trace === undefined ? undefined : await freshTrace(options.trace);
  const connection = await connect({ spec, probes: probesOf(options.probe ?? []), fence, protocol, trace, signal, warn: voice.warn }).catch(
    refused,
  );
  try {
    const { live } = connection;
    await live.ready();
    toolIsThere(live, tool);
    if (spec.kind !== 'demo') await agreed(live, tool, options, signal);
    const swept = await sweep({
      live,
      tool,
      arguments: options.args ?? {},
      probes: undefined,
      strategy,
      axis,
      how,
      settleMs: settle,
      normallyMs: normally ?? live.status.setups[tool]?.normallyMs,
      reset,
      signal,
      random: Math.random,
      onAttempt: (attempts, planned, tieMs) =>
        voice.progress(`${attempts.length} of ${planned}: ${boundarySentence(attempts, axis, tieMs)}`),
      progress: () => undefined,
      warn: voice.warn,
    });
    return await told({ tool, axis, ...swept }, options);
  } catch (error) {
    return refused(error);
  } finally {
    await connection.close();
  }
}

/** How the command line ends for what can go wrong in a sweep. */
function refused(error: unknown): never {
  if (error instanceof NotReached) throw notReached(error.message);
  if (error instanceof Interrupted) throw interrupted();
  if (error instanceof SweepError) throw wrongInput(error.message);
  if (error instanceof ScenarioError) throw wrongInput(inOptions(error));
  throw error;
}

async function told(swept: SweptTool, { json, color }: SweepOptions): Promise<ExitCode> {
  const report = sweepReportOf(swept);
  if (json) await print(`${JSON.stringify(report, undefined, 2)}\n`);
  else await print(`${sweepText(swept, width(), painter(color)).join('\n')}\n`);
  if (swept.interrupted) return EXIT.interrupted;
  return decided(report) ? EXIT.ok : EXIT.found;
}

const decided = ({ boundary }: SweepReport): boolean => boundary.known > 0 && !boundary.varies;

/** @returns what makes the strategy once it is known how long the tool normally takes */
function strategyOf({ from, to, runs = RUNS, findBoundary, random, by }: SweepOptions): (normallyMs: number) => Strategy {
  const how = findBoundary ? 'boundary' : random ? 'random' : 'grid';
  if (findBoundary && random) throw wrongInput('--random: expected it without --find-boundary, which chooses the moments itself');
  if (by === 'progress' && to === undefined) throw wrongInput('--to: expected the last count of progress to stop at (--to 8), got none');
  const first = momentOf('--from', from, by) ?? (by === 'progress' ? 1 : 0);
  const last = momentOf('--to', to, by);
  if (last !== undefined && last <= first) throw wrongInput(`--to: expected a moment after --from (${from ?? 0}), got ${to}`);
  return (normallyMs) => ({ how, from: first, to: last ?? Math.max(first + 1, normallyMs * BEYOND), runs });
}

function momentOf(option: string, text: string | undefined, by: Axis): number | undefined {
  if (text === undefined) return undefined;
  const value = by === 'progress' ? (/^\d+$/.test(text) ? Number(text) : undefined) : text === '0' ? 0 : durationMs(text);
  if (value !== undefined) return value;
  throw wrongInput(`${option}: expected ${by === 'progress' ? 'a count of progress (3)' : 'a duration (300ms, 1.5s)'}, got “${text}”`);
}

function resetOf({ resetTool, resetArgs, resetCommand }: SweepOptions): Reset {
  if (resetTool !== undefined && resetCommand !== undefined)
    throw wrongInput('--reset-command: expected it without --reset-tool, got both: one of them has to be enough');
  if (resetTool !== undefined) return { by: 'tool', tool: resetTool, arguments: resetArgs ?? {} };
  if (resetArgs !== undefined) throw wrongInput('--reset-args: expected --reset-tool with it, got none');
  if (resetCommand === undefined) return { by: 'nothing' };
  const command = commandReset(resetCommand);
  if (!command) throw wrongInput('--reset-command: expected a command line, got an empty word');
  return command;
}

function toolIsThere({ status }: Live, tool: string): void {
  const known = status.tools.map(({ name }) => name);
  if (known.includes(tool)) return;
  throw wrongInput(`<tool>: expected one of the server's tools (${known.join(', ')}), got “${tool}”${meant(tool, known)}`);
}

/** A sweep writes for real, many times. Only a tool that says that it only reads is called without a yes. */
async function agreed({ status }: Live, tool: string, { yes, runs = RUNS }: SweepOptions, signal: AbortSignal): Promise<void> {
  const found = status.tools.find(({ name }) => name === tool);
  if (yes || found?.readOnly === true) return;
  const says = `This calls ${tool} up to ${runs} times, for real: whatever it writes is written, as often as Stop comes too late.`;
  if (!process.stdin.isTTY) throw wrongInput(`--yes: expected it where nobody can be asked. ${says}`);
  const line = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await line.question(`stopgap: ${says} Go on? [y/N] `, { signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw wrongInput('nothing was called: expected a yes');
  } finally {
    line.close();
  }
}
