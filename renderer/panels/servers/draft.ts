// What is typed in the dialog that describes a server, and the description that it makes.
import { parseArgsStringToArgv } from 'string-argv';
import type { ServerSpec } from '../../../app/contract/server';
import { AUTOMATIC, closingCancels, eraOf } from '../../../app/wire/era';
import { quote } from '../../commandLine';
import { type Pair, pairsOf, valuesOf } from './NamedValues';

type Described = Exclude<ServerSpec, { kind: 'demo' }>;
export type Transport = Extract<ServerSpec, { kind: 'http' }>['transport'];

export interface ServerDraft {
  readonly kind: Described['kind'];
  readonly line: string;
  readonly cwd: string;
  readonly env: readonly Pair[];
  readonly watch: string;
  readonly url: string;
  readonly transport: Transport;
  readonly headers: readonly Pair[];
  readonly title: string;
  /** A revision to insist on, `auto`, or '' for the handshake of before. */
  readonly protocol: string;
}

const EMPTY: ServerDraft = {
  kind: 'stdio',
  line: '',
  cwd: '',
  env: [],
  watch: '',
  url: '',
  transport: 'auto',
  headers: [],
  title: '',
  protocol: '',
};

/** Begins with a description; with nothing where there is none. */
export function draftOf(spec: ServerSpec | undefined): ServerDraft {
  if (!spec || spec.kind === 'demo') return EMPTY;
  const { kind, title = '', protocol = '' } = spec;
  if (spec.kind === 'http')
    return { ...EMPTY, kind, title, protocol, url: spec.url, transport: spec.transport, headers: pairsOf(spec.headers) };
  const { command, args, cwd = '', env, watch } = spec;
  const line = [command, ...args].map((word) => quote(word, 'posix')).join(' ');
  return { ...EMPTY, kind, title, protocol, line, cwd, env: pairsOf(env), watch: watch.join('\n') };
}

/** What the chosen revision means for this server, above all for its Stop. */
export function revisionHint({ kind, transport, protocol }: Pick<ServerDraft, 'kind' | 'transport' | 'protocol'>): string {
  if (protocol === '') return 'initialize goes first. Nothing breaks by that: some servers end when something else does.';
  if (protocol === AUTOMATIC)
    return 'server/discover goes first, in the same process or at the same address; a server that ends at a question that it does not know ends here too.';
  if (kind === 'http' && transport === 'sse' && eraOf(protocol).modern)
    return 'HTTP+SSE is the transport of 2024-11-05, and this revision is not spoken over it: choose Streamable HTTP.';
  const stop = closingCancels(protocol, kind)
    ? 'Stop closes the response stream of a call here, which is the cancel; no message is sent.'
    : 'Stop sends notifications/cancelled.';
  return `${stop} A server that answers with another revision is refused.`;
}

/** The words of a command line; no shell is involved. */
export const wordsOf = (line: string): readonly string[] => parseArgsStringToArgv(line.trim());

/**
 * @param edit the saved server that is changed: it keeps its id, and where it was imported from for as long as its command is
 * the one of the file
 * @returns what is missing, in words, where it is no description yet
 */
export function specOf(draft: ServerDraft, edit: Described | undefined): { readonly spec: Described } | { readonly why: string } {
  const title = draft.title.trim();
  const kept = {
    ...(title === '' ? {} : { title }),
    ...(edit?.id === undefined ? {} : { id: edit.id }),
    ...(draft.protocol === '' ? {} : { protocol: draft.protocol }),
  };
  if (draft.kind === 'http') {
    const url = draft.url.trim();
    if (!isAddress(url)) return { why: 'An address begins with http:// or https://.' };
    return { spec: { kind: 'http', url, transport: draft.transport, headers: valuesOf(draft.headers), ...kept } };
  }
  const [command, ...args] = wordsOf(draft.line);
  if (command === undefined) return { why: 'Quote words with spaces; no shell is involved, so no pipes and no variables.' };
  const cwd = draft.cwd.trim();
  const imported = edit?.kind === 'stdio' && edit.command === command && JSON.stringify(edit.args) === JSON.stringify(args);
  return {
    spec: {
      kind: 'stdio',
      command,
      args,
      env: valuesOf(draft.env),
      watch: lines(draft.watch),
      ...(cwd === '' ? {} : { cwd }),
      ...(imported && edit.importedFrom !== undefined ? { importedFrom: edit.importedFrom } : {}),
      ...kept,
    },
  };
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/** A line per watched path. */
const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
