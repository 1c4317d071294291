// `stopgap check`: the cancellation report card of a server and its tools.
import { writeFile } from 'node:fs/promises';
import { checkReportOf } from '../../app/report/check/schema';
import { countOf } from '../../app/report/check/words';
import { plainPaint } from '../../app/report/words';
import { meant } from '../../app/scenario/nearest';
import { ScenarioError } from '../../app/scenario/schema';
import { check } from '../host/checker';
import { Interrupted, type Live, NotReached } from '../host/live';
import { plain } from '../host/why';
import { inOptions, probesOf } from './call';
import { type CheckForm, cardIn } from './check-form';
import { connect, freshTrace } from './connection';
import { EXIT, type ExitCode, interrupted, notReached, wrongInput } from './exit';
import { type ServerOptions, serverWordOptions } from './options';
import { serverOf } from './server-word';
import { painter, print, said, width } from './terminal';

export interface CheckOptions extends ServerOptions {
  readonly tool?: readonly string[];
  readonly allowWrites?: true;
  readonly args?: Readonly<Record<string, Record<string, unknown>>>;
  readonly probe?: readonly string[];
  readonly settle?: number;
  readonly patience?: number;
  readonly budget?: number;
  readonly skip?: readonly string[];
  readonly as?: CheckForm;
  /** A file; stdout when absent. */
  readonly output?: string;
}

const SETTLE_MS = 1000;
const PATIENCE_MS = 30_000;
const BUDGET_MS = 600_000;

/**
 * @returns 0 when no line failed, 1 when one did
 * @throws CliError
 */
export async function checkServer(server: string, options: CheckOptions, signal: AbortSignal): Promise<ExitCode> {
  const form = formOf(options);
  const voice = said(options.quiet);
  const spec = serverOf(server, serverWordOptions(options));
  const { fence, protocol, tool: tools, args = {}, settle = SETTLE_MS, patience = PATIENCE_MS, budget = BUDGET_MS, skip = [] } = options;
  const trace = options.trace === undefined ? undefined : await freshTrace(options.trace);
  const connection = await connect({ spec, probes: probesOf(options.probe ?? []), fence, protocol, trace, signal, warn: voice.warn }).catch(
    refused,
  );
  const { live } = connection;
  let card: Awaited<ReturnType<typeof check>>;
  try {
    await live.ready();
    toolsAreThere(live, options);
    // A probe that cannot watch would let a check say less than it was asked to find out.
    await live.until(() => live.status.probes.every(({ state }) => state !== 'off') || undefined);
    live.probesWatch();
    card = await check({
      live,
      tools,
      allowWrites: options.allowWrites === true,
      arguments: args,
      skip,
      settleMs: settle,
      patienceMs: patience,
      budgetMs: budget,
      onProgress: ({ done, of, doing }) => voice.progress(`${done} of ${of}: ${doing}`),
      warn: voice.warn,
    });
  } catch (error) {
    return refused(error);
  } finally {
    await connection.close();
  }
  const report = checkReportOf(card());
  const plainly = options.output !== undefined;
  const text = cardIn(form, report, { width: width(), paint: plainly ? plainPaint : painter(options.color) });
  if (options.output === undefined) await print(text);
  else await written(options.output, text);
  if (trace !== undefined) voice.progress(`the trace is in ${trace}`);
  if (report.interrupted) return EXIT.interrupted;
  return countOf(report, 'fail') === 0 || options.failOn === 'never' ? EXIT.ok : EXIT.found;
}

/** How the command line ends for what can go wrong before there is anything to tell. */
function refused(error: unknown): never {
  if (error instanceof NotReached) throw notReached(error.message);
  if (error instanceof Interrupted) throw interrupted();
  if (error instanceof ScenarioError) throw wrongInput(inOptions(error));
  throw error;
}

function formOf({ as, json }: CheckOptions): CheckForm {
  if (json && as !== undefined && as !== 'json') throw wrongInput(`--as: expected it without --json, or as json, got ${as}`);
  return json ? 'json' : (as ?? 'text');
}

function toolsAreThere({ status }: Live, { tool = [], args = {} }: CheckOptions): void {
  const known = status.tools.map(({ name }) => name);
  const there = (option: string, name: string): void => {
    if (!known.includes(name))
      throw wrongInput(`${option}: expected one of the server's tools (${known.join(', ')}), got “${name}”${meant(name, known)}`);
  };
  for (const name of tool) there('--tool', name);
  for (const name of Object.keys(args)) there('--args', name);
}

const written = (file: string, text: string): Promise<void> =>
  writeFile(file, text).catch((error: unknown) => {
    throw wrongInput(`-o: expected a file that can be written, got ${file}: ${plain(error)}`);
  });
