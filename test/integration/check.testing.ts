// What the tests of the report card ask of it.
import { type CheckReport, checkReport } from '../../app/report/check/schema';
import type { Cli } from './cli.testing';

/** Checks, and holds the report against its schema. */
export async function checked(
  cli: Cli,
  server: string,
  words: readonly string[],
): Promise<{ readonly report: CheckReport; readonly code: number | null; readonly err: string }> {
  const { out, code, err } = await cli.run(['check', server, '--json', '--quiet', ...words]);
  if (out === '') throw new Error(`expected a report, got none: ${err}`);
  return { report: checkReport.parse(JSON.parse(out)), code, err };
}

/** `tool: check` of every line that failed. */
export const failed = ({ lines }: CheckReport): readonly string[] =>
  lines.filter(({ status }) => status === 'fail').map(({ tool, check }) => `${tool ?? 'server'}: ${check}`);

export const statusOf = ({ lines }: CheckReport, tool: string | null, check: string): string | undefined =>
  lines.find((one) => one.tool === tool && one.check === check)?.status;

export const serverLines = ({ lines }: CheckReport): readonly string[] =>
  lines.filter(({ tool }) => tool === null).map(({ status }) => status);
