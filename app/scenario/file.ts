// A scenario file as text: YAML, with the place of every field kept, so that an error names its line and an editor can mark
// it. The command line and the window read files with this and nothing else.
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { planOf } from './plan';
import { readScenario, type Scenario } from './scenario';
import { type Problem, pathText, type Resolve, ScenarioError } from './schema';

/** A problem with its place in the text. */
export interface Placed {
  /** The field: `steps[0].tool`. Undefined where the text is no YAML. */
  readonly field: string | undefined;
  readonly says: string;
  /** From 1. */
  readonly line: number;
  /** Offsets of what is wrong: of the key where it has one; of what holds it where it is missing. */
  readonly from: number;
  readonly to: number;
}

export interface ScenarioText {
  /** Undefined where the text is none. */
  readonly scenario: Scenario | undefined;
  /** In the order of the text. */
  readonly problems: readonly Placed[];
  /** Problems that were found later, with their places. */
  placed(problems: readonly Problem[]): readonly Placed[];
  /** Line on which a step begins, from 1; undefined for one that is not there. */
  lineOfStep(index: number): number | undefined;
}

/** Reads a scenario. @param resolve makes the file's relative paths absolute */
export function readScenarioText(text: string, resolve: Resolve): ScenarioText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const places = new Places(document, lines, text.length);
  const [broken] = document.errors;
  if (broken) {
    const says = `expected YAML, got ${(broken.message.split('\n')[0] ?? 'something else').replace(/:$/, '')}`;
    const [from, to] = broken.pos;
    return places.text(undefined, [{ field: undefined, says, line: lines.linePos(from).line, from, to: Math.max(to, from + 1) }]);
  }
  try {
    return places.text(readScenario(document.toJS(), resolve), []);
  } catch (error) {
    if (error instanceof ScenarioError) return places.text(undefined, places.of(error.problems));
    throw error;
  }
}

/**
 * Reads a scenario and checks that what it refers to is there, as far as that can be told without a server.
 * @param builtIn names of the probes that come with the demo
 */
export function checkScenarioText(text: string, resolve: Resolve, builtIn: readonly string[]): ScenarioText {
  const read = readScenarioText(text, resolve);
  const { scenario } = read;
  if (!scenario) return read;
  try {
    planOf(scenario, scenario.server.kind === 'demo' ? builtIn : []);
    return read;
  } catch (error) {
    if (error instanceof ScenarioError) return { ...read, problems: read.placed(error.problems) };
    throw error;
  }
}

class Places {
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #length: number;

  constructor(document: Document, lines: LineCounter, length: number) {
    this.#document = document;
    this.#lines = lines;
    this.#length = length;
  }

  text(scenario: Scenario | undefined, problems: readonly Placed[]): ScenarioText {
    return {
      scenario,
      problems,
      placed: (later) => this.of(later),
      lineOfStep: (index) => {
        const range = this.#rangeOf(['steps', index]);
        return range && this.#lines.linePos(range[0]).line;
      },
    };
  }

  of(problems: readonly Problem[]): readonly Placed[] {
    return problems.map((problem) => this.#placed(problem)).sort((a, b) => a.line - b.line);
  }

  #placed({ path, says }: Problem): Placed {
    const field = pathText(path);
    for (let length = path.length; length > 0; length--) {
      const range = this.#rangeOf(path.slice(0, length));
      if (range) return { field, says, line: this.#lines.linePos(range[0]).line, from: range[0], to: range[1] };
    }
    return { field, says, line: 1, from: 0, to: Math.min(1, this.#length) };
  }

  /** Where a field stands: its key where it has one, else itself. */
  #rangeOf(at: readonly PropertyKey[]): readonly [number, number] | undefined {
    const holder: unknown = at.length === 1 ? this.#document.contents : this.#document.getIn(at.slice(0, -1), true);
    const last = at.at(-1);
    if (isMap(holder)) {
      const pair = holder.items.find(({ key }) => (isScalar(key) ? String(key.value) : undefined) === String(last));
      return isNode(pair?.key) && pair.key.range ? [pair.key.range[0], pair.key.range[1]] : undefined;
    }
    const node: unknown = this.#document.getIn(at, true);
    return isNode(node) && node.range ? [node.range[0], Math.max(node.range[1], node.range[0] + 1)] : undefined;
  }
}
