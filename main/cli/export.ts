// `stopgap export`: a trace file in a form that others read. No body of a message is in any of them; the sentences quote what
// probes saw and what the server called itself.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unreachable } from '../../app/base/unreachable';
import { chromeTraceOf } from '../../app/report/chromeTrace';
import { unexpected } from '../../app/report/expectations';
import { htmlOf } from '../../app/report/html';
import { type Judged, reportOf } from '../../app/report/json';
import { junitOf } from '../../app/report/junit';
import { markdownOf } from '../../app/report/markdown';
import { EXTENSION } from '../../app/wire/tracefile';
import { plain } from '../host/why';
import { EXIT, type ExitCode, wrongInput } from './exit';
import type { CommonOptions } from './options';
import { judgedFile } from './show';
import { print } from './terminal';

export const EXPORTS = ['html', 'markdown', 'json', 'junit', 'chrome-trace'] as const;
export type ExportForm = (typeof EXPORTS)[number];

export interface ExportOptions extends CommonOptions {
  readonly as: ExportForm;
  /** A file; stdout when absent. */
  readonly output?: string;
}

/** @throws CliError when the file is no trace, or nothing can be written there */
export async function exportTrace(file: string, { as, output, quiet }: ExportOptions): Promise<ExitCode> {
  const judged = await judgedFile(file, quiet);
  const text = textIn(as, judged, path.basename(file, EXTENSION));
  if (output === undefined) await print(text);
  else
    await writeFile(output, text).catch((error: unknown) => {
      throw wrongInput(`-o: expected a file that can be written, got ${output}: ${plain(error)}`);
    });
  return EXIT.ok;
}

function textIn(form: ExportForm, judged: Judged, title: string): string {
  const report = reportOf(judged);
  switch (form) {
    case 'html':
      return htmlOf(report, title);
    case 'markdown':
      return markdownOf(report);
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case 'junit':
      return junitOf(report, title, unexpected(report, [], 'breach'));
    case 'chrome-trace':
      return `${JSON.stringify(chromeTraceOf(judged))}\n`;
    default:
      return unreachable(form);
  }
}
