// A probe as one word of the command line: `KIND:WHERE`, and back.
import { unreachable } from '../base/unreachable';
import { masked, maskedDsn } from './dsn';
import { PROBE_KINDS, type ProbeKind, type ProbeSpec, probeSpec } from './probe';

/** The word for a probe, as far as one word can say it; passwords in addresses are masked. */
export function probeWord(spec: ProbeSpec): string {
  switch (spec.kind) {
    case 'folder':
      return `folder:${spec.path}`;
    case 'http':
      return `http:${spec.port}`;
    case 'sql':
      return `sql:${maskedDsn(spec.dsn)}::${spec.query}`;
    case 'read':
      return `read:${'tool' in spec.read ? spec.read.tool : spec.read.resource}`;
    case 'command':
      return `command:${masked(spec.command.join(' '))}`;
    case 'process':
      return 'process:';
    case 'otel':
      return `otel:${spec.port}`;
    default:
      return unreachable(spec);
  }
}

const WORDS: Readonly<Record<ProbeKind, string>> = {
  folder: 'folder:DIR',
  http: 'http:PORT',
  sql: 'sql:DSN::QUERY',
  read: 'read:TOOL',
  command: 'command:LINE',
  process: 'process:',
  otel: 'otel:PORT',
};

/** What a word of each kind looks like, as help and errors list them. */
export const PROBE_WORDS: readonly string[] = Object.values(WORDS);

/**
 * The probe that a word stands for. A path in it stays as it is: whoever knows the working directory resolves it.
 * @param name what the probe is called in the trace
 * @param split takes a command line apart, as a shell would
 * @throws Error saying what was expected and what was seen
 */
export function probeOf(word: string, name: string, split: (line: string) => readonly string[]): ProbeSpec {
  const [, kind = word, where = ''] = /^([^:]*):(.*)$/s.exec(word) ?? [];
  if (!Object.hasOwn(PROBE_KINDS, kind)) throw new Error(`expected a probe as ${PROBE_WORDS.join(', ')}, got “${word}”`);
  const read = probeSpec.safeParse(settingsOf(kind as ProbeKind, where, name, split));
  if (read.success) return read.data;
  throw new Error(`expected ${WORDS[kind as ProbeKind]}, got “${word}”`);
}

/** The settings as far as the word says them; what is missing or wrong is found by the schema. */
function settingsOf(kind: ProbeKind, where: string, name: string, split: (line: string) => readonly string[]): unknown {
  switch (kind) {
    case 'folder':
      return { kind, name, path: where };
    case 'http':
    case 'otel':
      return { kind, name, port: where === '' ? 0 : Number(where) };
    case 'sql': {
      const at = where.indexOf('::');
      return { kind, name, dsn: where.slice(0, Math.max(0, at)), query: at < 0 ? '' : where.slice(at + 2) };
    }
    case 'read':
      return { kind, name, read: where.includes('://') ? { resource: where } : { tool: where } };
    case 'command':
      return { kind, name, command: split(where) };
    case 'process':
      return where === '' ? { kind, name } : undefined;
    default:
      return unreachable(kind);
  }
}
