// `stopgap show`: a trace file as text. Its verdicts are judged anew from its frames.

import type { Judged } from '../../app/report/json';
import { reportOf } from '../../app/report/json';
import { textOf } from '../../app/report/text';
import { judge } from '../../app/verdict/judge';
import { idText } from '../../app/wire/jsonrpc';
import { plain } from '../host/why';
import { openTrace } from '../store/replay';
import { EXIT, type ExitCode, wrongInput } from './exit';
import type { CommonOptions } from './options';
import { painter, print, said, width } from './terminal';

export interface ShowOptions extends CommonOptions {
  /** The id of one call, as it is shown. */
  readonly call?: string;
}

/**
 * A trace file, judged anew.
 * @throws CliError when the file is no trace
 */
export async function judgedFile(file: string, quiet: true | undefined): Promise<Judged> {
  const opened = await openTrace(file).catch((error: unknown) => {
    throw wrongInput(plain(error));
  });
  await opened.close();
  if (opened.repaired !== undefined) said(quiet).warn(opened.repaired);
  const court = judge(opened.trace);
  court.advance(opened.end);
  return { trace: opened.trace, court, names: new Map(), now: opened.end };
}

/** @throws CliError when the file is no trace, or has no such call */
export async function show(file: string, options: ShowOptions): Promise<ExitCode> {
  const judged = await judgedFile(file, options.quiet);
  const asked = judged.court.calls.all.filter(
    (call) => call.purpose === 'call' && call.sender === 'client' && call.method === 'tools/call',
  );
  const calls = options.call === undefined ? undefined : asked.filter((call) => idText(call.key) === options.call);
  if (calls?.length === 0)
    throw wrongInput(
      `--call: expected one of ${asked.map((call) => idText(call.key)).join(', ') || 'no calls, of which there are none'}, got ${options.call}`,
    );
  const report = reportOf(judged);
  if (options.json) await print(`${JSON.stringify(report, undefined, 2)}\n`);
  else
    await print(`${textOf(judged, report, { width: width(), paint: painter(options.color), ...(calls ? { calls } : {}) }).join('\n')}\n`);
  return EXIT.ok;
}
