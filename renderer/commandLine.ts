// A call as words for a shell: what somebody would type to see the same race again without the window. The words are
// those of the command line's own help; quoting is the part that must never go wrong.

import { type Ns, toMs } from '../app/base/time';
import { unreachable } from '../app/base/unreachable';
import { demoWord, type ServerSpec } from '../app/contract/server';
import type { ProbeSpec } from '../app/evidence/probe';
import { probeWord } from '../app/evidence/probeWord';
import { meansWord } from '../app/scenario/means';
import type { Means } from '../app/wire/frame';

export type ShellKind = 'posix' | 'windows';

/** One word, quoted so that the shell hands it on unchanged. */
export function quote(word: string, shell: ShellKind): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (shell === 'posix') return `'${word.replaceAll("'", `'\\''`)}'`;
  // The C runtime's rules: backslashes count only before a quote.
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

export interface CallInWords {
  readonly spec: ServerSpec;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** How long after the call it was stopped, and how. */
  readonly stop: { readonly after: Ns; readonly how: Means; readonly reason: string | undefined } | undefined;
  readonly probes: readonly ProbeSpec[];
  readonly settle: Ns | undefined;
  readonly normally: Ns | undefined;
  /** It was asked to be run as a task; `ttl`: for how long that is to be kept. */
  readonly task: { readonly ttl?: Ns | undefined } | undefined;
}

const duration = (t: Ns): string => `${Math.round(toMs(t) * 10) / 10}ms`;

/** The server as `stopgap call` takes it: `demo`, the command line as one word, or the address. */
function serverWord(spec: ServerSpec, shell: ShellKind): string {
  switch (spec.kind) {
    case 'demo':
      return demoWord(spec.over);
    case 'stdio':
      return [spec.command, ...spec.args].map((word) => quote(word, shell)).join(' ');
    case 'http':
      return spec.url;
    default:
      return unreachable(spec);
  }
}

/** `stopgap call …`. Environment values are secrets: their names appear as a reminder, their values never. */
export function commandLine(call: CallInWords, shell: ShellKind): string {
  const { spec, stop } = call;
  const words = ['stopgap', 'call', serverWord(spec, shell), call.tool];
  if (Object.keys(call.arguments).length > 0) words.push('--args', JSON.stringify(call.arguments));
  if (stop) {
    words.push('--stop-after', duration(stop.after));
    if (stop.how.means !== 'cancel') words.push('--how', meansWord(stop.how));
    if (stop.reason !== undefined) words.push('--reason', stop.reason);
  }
  if (call.task) words.push('--task');
  if (call.task?.ttl !== undefined) words.push('--task-ttl', duration(call.task.ttl));
  if (spec.protocol !== undefined) words.push('--protocol', spec.protocol);
  if (spec.kind !== 'demo') for (const probe of call.probes) words.push('--probe', probeWord(probe));
  if (call.settle !== undefined) words.push('--settle', duration(call.settle));
  if (call.normally !== undefined) words.push('--normally', duration(call.normally));
  if (spec.kind === 'stdio') {
    if (spec.cwd !== undefined) words.push('--cwd', spec.cwd);
    for (const name of Object.keys(spec.env)) words.push('--env', `${name}=…`);
  }
  return words.map((word) => quote(word, shell)).join(' ');
}
