// A scenario file as the command line opens it: what is wrong in it is one line that names file, line and field.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Placed, readScenarioText } from '../../app/scenario/file';
import type { Scenario } from '../../app/scenario/scenario';
import type { ScenarioError } from '../../app/scenario/schema';
import { plain } from '../host/why';
import { type CliError, wrongInput } from './exit';

export interface ScenarioFile {
  readonly file: string;
  readonly scenario: Scenario;
  /** A problem found later, with its place in the file. */
  located(error: ScenarioError): CliError;
}

/** @throws CliError naming file, line and field, what was expected and what was seen */
export async function openScenario(file: string): Promise<ScenarioFile> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw wrongInput(`${file}: expected a scenario file that can be read, got ${plain(error)}`);
  });
  return parseScenario(text, file);
}

/** @param file its path, for errors and for the relative paths in it */
export function parseScenario(text: string, file: string): ScenarioFile {
  const folder = path.dirname(path.resolve(file));
  const read = readScenarioText(text, (relative) => path.resolve(folder, relative));
  if (!read.scenario) throw wrongInput(oneLine(file, read.problems));
  return { file, scenario: read.scenario, located: ({ problems }) => wrongInput(oneLine(file, read.placed(problems))) };
}

function oneLine(file: string, problems: readonly Placed[]): string {
  const [first] = problems;
  if (!first) return `${file}: expected a scenario`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${file}:${first.line}: ${first.field === undefined ? '' : `${first.field}: `}${first.says}${more}`;
}
