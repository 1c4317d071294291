// A scenario file as text: YAML, with the line of every field kept, so that an error names the place.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { readScenario, type Scenario } from '../../app/scenario/scenario';
import { type Path, type Problem, pathText, ScenarioError } from '../../app/scenario/schema';
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
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken) {
    const line = lines.linePos(broken.pos[0]).line;
    throw wrongInput(`${file}:${line}: expected YAML, got ${(broken.message.split('\n')[0] ?? 'something else').replace(/:$/, '')}`);
  }
  const located = ({ problems }: ScenarioError): CliError => {
    const placed = problems.map((problem) => ({ ...problem, line: lineOf(document, lines, problem.path) })).sort((a, b) => a.line - b.line);
    return wrongInput(oneLine(file, placed));
  };
  const folder = path.dirname(path.resolve(file));
  try {
    const scenario = readScenario(document.toJS(), (relative) => path.resolve(folder, relative));
    return { file, scenario, located };
  } catch (error) {
    throw error instanceof ScenarioError ? located(error) : error;
  }
}

function oneLine(file: string, problems: readonly (Problem & { readonly line: number })[]): string {
  const [first] = problems;
  if (!first) return `${file}: expected a scenario`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${file}:${first.line}: ${pathText(first.path)}: ${first.says}${more}`;
}

/** The line of a field: of its key where it has one; of what holds it where it is missing. */
function lineOf(document: Document, lines: LineCounter, at: Path): number {
  for (let length = at.length; length > 0; length--) {
    const offset = offsetOf(document, at.slice(0, length));
    if (offset !== undefined) return lines.linePos(offset).line;
  }
  return 1;
}

function offsetOf(document: Document, at: Path): number | undefined {
  const holder: unknown = at.length === 1 ? document.contents : document.getIn(at.slice(0, -1), true);
  const last = at.at(-1);
  if (isMap(holder)) {
    const pair = holder.items.find(({ key }) => (isScalar(key) ? String(key.value) : undefined) === String(last));
    return isNode(pair?.key) ? pair.key.range?.[0] : undefined;
  }
  const node: unknown = document.getIn(at, true);
  return isNode(node) ? node.range?.[0] : undefined;
}
