// What may be written at a place of a scenario file: told by the line, the lines above it and their indentation, not by the
// parsed file, because a file that is being typed seldom can be parsed.
import type { Tool } from '../../../app/contract/host';
import { PRESET_NAMES } from '../../../app/scenario/faults';
import { CERTAINTIES, EFFECTS, FINDINGS, HEADLINES, REPLIES, STOPS } from '../../../app/verdict/verdict';
import { PROTOCOLS } from '../../../app/wire/era';

/** What the window knows beside the grammar. */
export interface Known {
  readonly tools: readonly Tool[];
  readonly probes: readonly string[];
}

export interface Option {
  readonly label: string;
  readonly detail?: string;
  /** What is written, where that is more than the label. */
  readonly apply?: string;
}

export interface Completions {
  /** Where the word begins that is completed. */
  readonly from: number;
  readonly options: readonly Option[];
  /** Worth showing before anything of the word is typed. */
  readonly eager: boolean;
}

const TOP = ['version', 'name', 'about', 'server', 'settle', 'probes', 'faults', 'steps', 'expect'];
const SERVER = ['demo', 'command', 'args', 'env', 'cwd', 'url', 'transport', 'headers', 'protocol'];
const PROBE = [
  'folder',
  'match',
  'http',
  'status',
  'delay',
  'sql',
  'query',
  'every',
  'read',
  'arguments',
  'command',
  'cwd',
  'process',
  'otel',
  'shared',
  'done',
  'owns',
];
const FIRST = ['call', 'stop', 'settle', 'retry', 'wait', 'faults', 'release'];
const STEP: Readonly<Record<string, readonly string[]>> = {
  call: ['tool', 'arguments', 'probes', 'normally', 'settle', 'task'],
  stop: ['when', 'how', 'reason', 'fence'],
  retry: ['of', 'as', 'arguments'],
};
const EXPECT = ['call', 'verdict', 'certainty', 'stop', 'reply', 'effect', 'finding', 'absent'];
const MEANS = ['cancel', 'abandon', 'timeout', 'drop', 'kill', 'stop-polling'];

/** @returns undefined where nothing is known to be written */
export function completionsAt(text: string, offset: number, known: Known): Completions | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(start, offset);
  if (/(^|\s)#/.test(line)) return undefined;
  const word = /[\w./-]*$/.exec(line)?.[0] ?? '';
  const from = offset - word.length;
  const before = line.slice(0, line.length - word.length);
  const section = sectionOf(text.slice(0, start), line);
  const value = /(?:^|[\s{,-])([\w-]+):\s+(?:\[(?:[^\]]*,)?\s*)?$/.exec(before)?.[1];
  if (value !== undefined) return offered(from, valuesOf(section, value, text, known), true);
  if (/(?:^\s*(?:- +)?|[{,]\s*)$/.test(before)) return offered(from, keysOf(section, text.slice(0, start), before), false);
  return undefined;
}

const offered = (from: number, options: readonly Option[], eager: boolean): Completions | undefined =>
  options.length === 0 ? undefined : { from, options, eager };

/** The key at the left edge that the line stands under. */
function sectionOf(above: string, line: string): string {
  if (/^[\w-]/.test(line)) return /^([\w-]+):\s*\{/.exec(line)?.[1] ?? '';
  return [...above.matchAll(/^([\w-]+):/gm)].at(-1)?.[1] ?? '';
}

const keys = (names: readonly string[]): readonly Option[] => names.map((label) => ({ label, apply: `${label}: ` }));
const words = (names: readonly string[]): readonly Option[] => names.map((label) => ({ label }));

function keysOf(section: string, above: string, before: string): readonly Option[] {
  switch (section) {
    case '':
      return /^\s*$/.test(before) ? keys(TOP) : [];
    case 'server':
      return keys(SERVER);
    case 'probes':
      return keys(PROBE);
    case 'expect':
      return keys(EXPECT);
    case 'steps': {
      if (/-\s*$/.test(before)) return keys(FIRST);
      const kind = [...above.matchAll(/^\s*- +([\w-]+):/gm)].at(-1)?.[1] ?? '';
      return keys(STEP[kind] ?? []);
    }
    default:
      return [];
  }
}

function valuesOf(section: string, key: string, text: string, known: Known): readonly Option[] {
  if (section === 'server')
    return key === 'protocol' ? words(PROTOCOLS) : key === 'demo' ? words(['true', 'http', 'http-json', 'http-stateless', 'sse']) : [];
  if (section === 'expect') return expectedValues(key, text);
  if (key === 'faults') return words(PRESET_NAMES);
  if (section !== 'steps') return [];
  switch (key) {
    case 'tool':
      return known.tools.map(({ name, title }) => ({ label: name, ...(title === undefined ? {} : { detail: title }) }));
    case 'probes':
      return words([...new Set([...probeNames(text), ...known.probes])]);
    case 'how':
      return words([...MEANS, '{ timeout: silent }']);
    case 'when':
      return words(['300ms', '{ progress: 2 }', '{ on: first-progress }', '{ on: effect }', '{ on: reply }']);
    case 'on':
      return words(['first-progress', 'effect', 'reply']);
    case 'settle':
      return words([...callNames(text), 'all']);
    case 'stop':
    case 'retry':
    case 'of':
      return words(callNames(text));
    default:
      return [];
  }
}

function expectedValues(key: string, text: string): readonly Option[] {
  switch (key) {
    case 'call':
      return words(callNames(text));
    case 'verdict':
      return words(HEADLINES);
    case 'certainty':
      return words(CERTAINTIES);
    case 'stop':
      return words(STOPS);
    case 'reply':
      return words(REPLIES);
    case 'effect':
      return words(EFFECTS);
    case 'finding':
      return words(FINDINGS);
    case 'absent':
      return words(['true']);
    default:
      return [];
  }
}

/** The calls of the file, its retries included. */
function callNames(text: string): readonly string[] {
  const calls = [...text.matchAll(/^\s*- +call: +([\w.-]+)/gm)].map(([, name = '']) => name);
  const retries = [...text.matchAll(/^\s*- +retry: +([\w.-]+)\s*$/gm)].map(([, of = '']) => `${of}-retry`);
  const named = [...text.matchAll(/\bas: +([\w.-]+)/g)].map(([, name = '']) => name);
  return [...new Set([...calls, ...retries, ...named])];
}

function probeNames(text: string): readonly string[] {
  const [, block = ''] = /^probes:[^\n]*\n((?: +[^\n]*\n|\s*\n)*)/m.exec(text) ?? [];
  return [...block.matchAll(/^ {1,4}([\w-]+):/gm)].map(([, name = '']) => name);
}
