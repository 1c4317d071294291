// What is worth knowing and is not about one call's outcome: bytes that are no messages, replies that nobody asked for,
// promises of a tool that its deeds contradict. Each points at the first frame that shows it and counts the rest.
import { minus, type Ns, words } from '../base/time';
import type { World } from '../evidence/world';
import type { Call, Calls, Session } from '../trace/calls';
import type { Trace } from '../trace/trace';
import { idText } from '../wire/jsonrpc';
import { type Finding, type FindingName, SEVERITIES, type Severity, type Verdict } from './verdict';

const SEVERITY: Readonly<Record<FindingName, Severity>> = {
  'annotation-contradicted': 'breach',
  'server-blocked': 'warn',
  'process-outlived-close': 'warn',
  'held-open': 'warn',
  'noise-on-stdout': 'note',
  'duplicate-reply': 'note',
  'reply-to-unknown-id': 'note',
  'reply-without-id': 'note',
  'progress-after-completion': 'note',
  'probe-gap': 'note',
};

type VerdictOf = (call: number) => Verdict | undefined;

/** All findings of a trace so far, worst first, then in the order of their frames. */
export function findings(trace: Trace, calls: Calls, world: World, verdict: VerdictOf): readonly Finding[] {
  const found = [
    ...[...calls.sessions.values()].flatMap((session) => ofSession(trace, session)),
    ...calls.all.flatMap((call) => ofCall(trace, call, calls, verdict(call.index))),
    ...world.watches.flatMap((watch) =>
      watch.gaps
        .slice(0, 1)
        .map((gap) =>
          make(
            'probe-gap',
            gap.seq,
            `The probe ${watch.probe} could not watch for ${words(minus(gap.hi, gap.lo))}: ${gap.why}.`,
            watch.gaps.length,
          ),
        ),
    ),
  ];
  return found.sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || a.seq - b.seq);
}

function make(finding: FindingName, seq: number, sentence: string, count = 1, call?: number): Finding {
  return { finding, severity: SEVERITY[finding], seq, call, sentence, count };
}

function ofSession(trace: Trace, session: Session): Finding[] {
  const found: Finding[] = [];
  const first = (seqs: readonly number[], name: FindingName, says: (seq: number) => string): void => {
    const seq = seqs[0];
    if (seq !== undefined) found.push(make(name, seq, says(seq), seqs.length));
  };
  for (const { seq, life } of session.outlived) found.push(make('process-outlived-close', seq, life.says, life.processes.length));
  first(
    session.noise,
    'noise-on-stdout',
    (seq) => `Bytes on stdout that are no MCP message (${trace.name(seq)}). Only messages belong there; logs belong on stderr.`,
  );
  first(
    session.orphans.map((reply) => reply.seq),
    'reply-to-unknown-id',
    (seq) => `A reply to ${idText(trace.key(seq))}, which no request has used${looksRetyped(trace, seq)}.`,
  );
  first(
    session.withoutId,
    'reply-without-id',
    () => 'A message that should carry the id of a request and has none: nobody can tell what it answers.',
  );
  return found;
}

/** Whether the same id in the other type was asked: a server that answers `5` with `"5"`. */
function looksRetyped(trace: Trace, seq: number): string {
  const key = trace.key(seq);
  const other = key.startsWith('s:') ? `n:${key.slice(2)}` : `s:${key.slice(2)}`;
  return trace.names.find(other) === undefined ? '' : ` (${idText(other)} was asked: the type differs, so the ids differ)`;
}

/** The end of an ascending list that is later than a moment: the whole is never walked for it. */
function laterThan(trace: Trace, seqs: readonly number[], t: Ns): readonly number[] {
  let start = seqs.length;
  while (start > 0 && trace.t(seqs[start - 1] ?? 0) > t) start--;
  return start === seqs.length ? [] : seqs.slice(start);
}

function ofCall(trace: Trace, call: Call, calls: Calls, verdict: Verdict | undefined): Finding[] {
  const found: Finding[] = [];
  const name = `${call.tool ?? call.method} ${idText(call.key)}`;
  const second = call.replies[1];
  const reply = call.replies[0];
  if (second)
    found.push(
      make(
        'duplicate-reply',
        second.seq,
        `${name} was answered ${call.replies.length} times; JSON-RPC allows one reply.`,
        call.replies.length - 1,
        call.index,
      ),
    );
  const late = reply ? laterThan(trace, call.progress, reply.t) : [];
  if (late[0] !== undefined) {
    found.push(make('progress-after-completion', late[0], `Progress for ${name} came after its reply.`, late.length, call.index));
  }
  return verdict ? [...found, ...ofVerdict(call, calls, verdict, name)] : found;
}

/** What a call's verdict shows of its server. */
function ofVerdict(call: Call, calls: Calls, verdict: Verdict, name: string): Finding[] {
  const found: Finding[] = [];
  const say = (finding: FindingName, seq: number, sentence: string): void => void found.push(make(finding, seq, sentence, 1, call.index));
  const { fence, held, effect, stop } = verdict;
  if (fence.blocked && fence.seq !== undefined) {
    say(
      'server-blocked',
      fence.seq,
      `The server read nothing while it worked on ${name}: the ping behind the cancel was answered only after the call.`,
    );
  }
  if (stop.at !== undefined && held[0]) {
    say('held-open', held[0].seq, `The server still holds something open after ${name} was stopped: ${held[0].says}.`);
  }
  const declared = calls.sessions.get(call.session)?.tools.get(call.tool ?? '');
  const wrote = effect.worst;
  // A write that was taken back was a write.
  const sure = effect.observations.find((o) => o.certainty === 'proved');
  if (declared?.readOnly === true && sure) {
    say(
      'annotation-contradicted',
      sure.seq,
      `${declared.name} is declared read-only (readOnlyHint), and it wrote: ${sure.says} (${sure.probe}).`,
    );
  }
  if (declared?.idempotent === true && wrote && verdict.verdict === 'double-write' && verdict.certainty === 'proved') {
    say(
      'annotation-contradicted',
      wrote.seq,
      `${declared.name} is declared idempotent (idempotentHint), and its retry wrote a second time: ${wrote.says} (${wrote.probe}).`,
    );
  }
  return found;
}
