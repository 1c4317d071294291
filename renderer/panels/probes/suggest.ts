// Which kind of probe fits a tool, guessed from nothing but what its server says of it: name, description, schema, and the
// tools beside it. A guess is only where the dialog begins and says why; the person chooses.
import type { Tool } from '../../../app/contract/host';
import type { ProbeKind } from '../../../app/evidence/probe';

export interface Suggestion {
  readonly kind: ProbeKind;
  /** What it was guessed from, as the rest of a sentence: `it speaks of “path”`. */
  readonly because: string;
  /** For `read`: the tool that could be asked. */
  readonly ask?: string;
}

/** A word of the tool's own name says more than an argument's, and that more than its description. */
const WEIGHT = { name: 4, argument: 3, description: 1 } as const;

const WORDS: readonly (readonly [kind: ProbeKind, words: readonly string[]])[] = [
  ['sql', ['sql', 'db', 'database', 'table', 'postgres', 'postgresql', 'mysql', 'sqlite', 'query', 'row', 'rows', 'insert', 'dsn']],
  ['http', ['http', 'https', 'url', 'uri', 'webhook', 'hook', 'endpoint', 'post', 'slack', 'notify', 'api', 'mail', 'email', 'sms']],
  ['command', ['git', 'commit', 'branch', 'kubectl', 'kubernetes', 'docker', 'container', 'terraform']],
  ['process', ['run', 'exec', 'execute', 'command', 'shell', 'process', 'spawn', 'script', 'terminal', 'bash', 'deploy']],
  ['otel', ['trace', 'span', 'opentelemetry', 'otel']],
  [
    'folder',
    [
      'file',
      'files',
      'filename',
      'folder',
      'directory',
      'path',
      'write',
      'export',
      'save',
      'log',
      'ledger',
      'download',
      'disk',
      'append',
      'move',
    ],
  ],
];

/** A tool's words: `writeFile`, `write_file` and "Write a file." all give `write` and `file`. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);

interface Hit {
  readonly kind: ProbeKind;
  readonly score: number;
  readonly word: string;
}

/**
 * The kind that fits a tool best.
 * @param others all tools of the server
 * @returns undefined when nothing it says points anywhere
 */
export function suggestProbe(tool: Tool, others: readonly Tool[]): Suggestion | undefined {
  const best = hits(tool).sort((a, b) => b.score - a.score)[0];
  const reader = readerFor(tool, others);
  // What the server itself can list is the surer witness, unless the tool's own words say plainly where it writes.
  if (reader && (best?.score ?? 0) < WEIGHT.name)
    return { kind: 'read', because: `${reader.name} of the same server may show what it did`, ask: reader.name };
  return best && { kind: best.kind, because: `it speaks of “${best.word}”` };
}

/** Each kind's score: the words of the tool that speak for it, each counted once, where it counts most. */
function hits(tool: Tool): Hit[] {
  const properties = tool.inputSchema['properties'];
  const where: readonly (readonly [number, ReadonlySet<string>])[] = [
    [WEIGHT.name, new Set(wordsOf(`${tool.name} ${tool.title ?? ''}`))],
    [WEIGHT.argument, new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties).flatMap(wordsOf) : [])],
    [WEIGHT.description, new Set(wordsOf(tool.description ?? ''))],
  ];
  return WORDS.flatMap(([kind, words]) => {
    const found = words.flatMap((word) => {
      const weight = where.find(([, said]) => said.has(word))?.[0];
      return weight === undefined ? [] : [{ word, weight }];
    });
    const first = [...found].sort((a, b) => b.weight - a.weight)[0];
    return first ? [{ kind, score: found.reduce((sum, { weight }) => sum + weight, 0), word: first.word }] : [];
  });
}

const READS = new Set(['list', 'get', 'read', 'search', 'find', 'show', 'fetch', 'query']);
const WRITES = new Set(['create', 'add', 'update', 'set', 'delete', 'remove', 'send', 'put', 'make', 'book', 'new']);

/** A tool that reads what this one writes: `list_tickets` for `create_ticket`. Never one that is declared to write. */
function readerFor(tool: Tool, others: readonly Tool[]): Tool | undefined {
  const things = wordsOf(tool.name).filter((word) => !WRITES.has(word));
  if (things.length === 0 || reads(tool)) return undefined;
  return others.find((other) => other.name !== tool.name && other.readOnly !== false && reads(other) && isAbout(other, things));
}

const reads = (tool: Tool): boolean => READS.has(wordsOf(tool.name)[0] ?? '');

const isAbout = (tool: Tool, things: readonly string[]): boolean => {
  const about = wordsOf(tool.name).map(singular);
  return things.some((thing) => about.includes(singular(thing)));
};

const singular = (word: string): string => (word.length > 3 ? word.replace(/ies$/, 'y').replace(/s$/, '') : word);
