// What is worth knowing and is not about one call's outcome: bytes that are no messages, replies that nobody asked for,
// promises of a tool that its deeds contradict. Each points at the first frame that shows it and counts the rest.
import { minus, type Ns, words } from '../base/time';
import type { Call, Calls, Session } from '../trace/calls';
import { exchangeName, isTaken, statusOf } from '../trace/exchanges';
import { copiesOf, writtenAt } from '../trace/faults';
import { answersOf } from '../trace/tasks';
import type { Trace } from '../trace/trace';
import { eraOf } from '../wire/era';
import { idText } from '../wire/jsonrpc';
import { overtaken } from './faults';
import { type Facts, nearStop, settleOf, twoTrips } from './lanes';
import { heardCancel, leftOpen } from './overHttp';
import { endedAllTheSame } from './overTasks';
import { type Finding, type FindingName, SEVERITIES, type Severity, type Verdict } from './verdict';

const SEVERITY: Readonly<Record<FindingName, Severity>> = {
  'annotation-contradicted': 'breach',
  'cancel-ignored-by-revision': 'warn',
  'server-blocked': 'warn',
  'stream-never-ended': 'warn',
  'process-outlived-close': 'warn',
  'held-open': 'warn',
  'task-completed-after-cancel': 'warn',
  'noise-on-stdout': 'note',
  'duplicate-reply': 'note',
  'reply-to-unknown-id': 'note',
  'reply-without-id': 'note',
  'progress-after-completion': 'note',
  'cancel-overtook-call': 'note',
  'probe-gap': 'note',
};

type VerdictOf = (call: number) => Verdict | undefined;

/** All findings of a trace so far, worst first, then in the order of their frames. */
export function findings(facts: Pick<Facts, 'trace' | 'calls' | 'world' | 'now'>, verdict: VerdictOf): readonly Finding[] {
  const { trace, calls, world, now } = facts;
  const found = [
    ...[...calls.sessions.values()].flatMap((session) => ofSession(trace, session)),
    ...calls.all.flatMap((call) => ofCall(trace, call, calls, verdict(call.index), now)),
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
  // What a server that refuses a request says with its refusal is neither noise nor an answer: the status is what counts.
  const isRefusal = (seq: number): boolean => {
    const exchange = session.exchanges.get(trace.exchange(seq));
    const status = exchange && statusOf(exchange);
    return status !== undefined && !isTaken(status);
  };
  const first = (all: readonly number[], name: FindingName, says: (seq: number) => string): void => {
    const seqs = all.some(isRefusal) ? all.filter((seq) => !isRefusal(seq)) : all;
    const seq = seqs[0];
    if (seq !== undefined) found.push(make(name, seq, says(seq), seqs.length));
  };
  for (const { seq, life } of session.outlived) found.push(make('process-outlived-close', seq, life.says, life.processes.length));
  first(session.noise, 'noise-on-stdout', (seq) =>
    trace.exchange(seq) > 0
      ? `Bytes in the response #${trace.exchange(seq)} that are no MCP message (${trace.name(seq)}). Only messages belong there.`
      : `Bytes on stdout that are no MCP message (${trace.name(seq)}). Only messages belong there; logs belong on stderr.`,
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

function ofCall(trace: Trace, call: Call, calls: Calls, verdict: Verdict | undefined, now: Ns): Finding[] {
  const found: Finding[] = [];
  const name = `${call.tool ?? call.method} ${idText(call.key)}`;
  const answers = answersOf(call);
  // A request that a fault of ours sent twice may be answered twice.
  const copies = copiesOf(call, 'request');
  const second = answers[1 + copies];
  const reply = copies === 0 ? call.replies[0] : undefined;
  if (second)
    found.push(
      make(
        'duplicate-reply',
        second.seq,
        `${name} was answered ${answers.length} times; JSON-RPC allows one reply.`,
        answers.length - 1,
        call.index,
      ),
    );
  const late = reply ? laterThan(trace, call.progress, reply.t) : [];
  if (late[0] !== undefined) {
    found.push(
      make(
        'progress-after-completion',
        late[0],
        `Progress for ${name} came after its ${call.task ? 'task had ended' : 'reply'}.`,
        late.length,
        call.index,
      ),
    );
  }
  if (!verdict) return found;
  const session = calls.sessions.get(call.session);
  const early = overtaken(call, verdict.stop);
  const posted = session && call.exchanges.length > 0 && !early ? overHttp(call, session, verdict, name, now) : [];
  const ignored = session && !early && ignoredCancel(trace, call, session, verdict, name);
  const undead = session && call.task ? completedAfterCancel(call, calls, session, name) : undefined;
  return [
    ...found,
    ...ofVerdict(call, calls, verdict, name),
    ...posted,
    ...(ignored ? [ignored] : []),
    ...(undead ? [undead] : []),
    ...(early ? byFault(call, verdict, name) : []),
  ];
}

/**
 * A cancelled task that came out otherwise. Revision 2025-11-25, Tasks: it MUST stay cancelled once `tasks/cancel` has been
 * answered. In the later extension that is only an acknowledgement, and a task is cancelled when it says so: for good, as well.
 */
function completedAfterCancel(call: Call, calls: Calls, session: Session, name: string): Finding | undefined {
  const { protocol } = session.opened?.life ?? {};
  const era = eraOf(protocol).taskCancel;
  const found = endedAllTheSame(call, calls, era === 'stays-cancelled');
  if (!found) return undefined;
  const { cancelled, later } = found;
  const rule = era === 'stays-cancelled' ? `Under ${protocol} a cancelled task stays cancelled` : 'A task that has been cancelled stays so';
  const says = `The task of ${name} ${cancelled.says}, and ${words(minus(later.t, cancelled.t))} later it ${later.says}. ${rule}.`;
  return make('task-completed-after-cancel', later.seq, says, 1, call.index);
}

/**
 * What a server still sent for a request that was cancelled, where the revision forbids it. What came so soon that the cancel
 * cannot be shown to have been read is excused (docs/verdicts.md, section 4), and a cancel by the wrong means binds nobody.
 */
function ignoredCancel(trace: Trace, call: Call, session: Session, verdict: Verdict, name: string): Finding | undefined {
  const { stop, fence } = verdict;
  const { at } = stop;
  const { protocol } = session.opened?.life ?? {};
  const told = (stop.state === 'sent' && !stop.flags.includes('wrong-means')) || stop.state === 'stream-closed';
  if (at === undefined || !told || verdict.reply.state === 'in-time') return undefined;
  if (eraOf(protocol).afterCancel !== 'must-send-nothing') return undefined;
  const sent = [...laterThan(trace, call.progress, at), ...call.replies.map(({ seq }) => seq)]
    .filter((seq) => trace.t(seq) > at && !nearStop(trace.t(seq), at, fence))
    .sort((a, b) => a - b);
  const first = sent[0];
  if (first === undefined) return undefined;
  const what = trace.shape(first) === 'notification' ? 'progress' : 'a reply';
  const says = `The server sent ${what} for ${name} ${words(minus(trace.t(first), at))} after its cancel. Under ${protocol} it must not send anything further.`;
  return make('cancel-ignored-by-revision', first, says, sent.length, call.index);
}

/** The cancel overtook the call because a fault of ours wanted it so. */
function byFault(call: Call, { stop }: Verdict, name: string): Finding[] {
  const [first] = stop.because;
  if (!first) return [];
  const when =
    call.written && stop.at !== undefined
      ? `the call was written ${words(minus(call.written.t, stop.at))} later`
      : 'the call has not been written';
  const says = `A fault of ours let the cancel of ${name} overtake it: ${when}. A cancel for a call that the server does not know yet does nothing.`;
  return [make('cancel-overtook-call', first.seq, says, 1, call.index)];
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
      `The server read nothing while it worked on ${name}: the ${fenceName(calls, call)} behind the cancel was answered only after the call.`,
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

/** What went out behind the cancel of a call. */
const fenceName = (calls: Calls, { fence }: Call): string => (fence === undefined ? undefined : calls.all[fence]?.method) ?? 'ping';

/** What the exchanges of a stopped call show. */
function overHttp(call: Call, session: Session, verdict: Verdict, name: string, now: Ns): Finding[] {
  return [streamNeverEnded(call, session, verdict, name, now), cancelOvertook(call, session, verdict, name)].filter((f) => f !== undefined);
}

/** A response that the server leaves open beyond the settle window of a cancel that it has taken. */
function streamNeverEnded(call: Call, session: Session, { stop }: Verdict, name: string, now: Ns): Finding | undefined {
  const left = leftOpen(call, session, stop);
  if (!left || minus(left.until ?? now, left.since) < settleOf(call)) return undefined;
  const { exchange, began, since, until, seq } = left;
  const post = `${exchangeName(exchange)} of ${name}`;
  const says = began
    ? `The response stream of ${post} was left open after the cancel. No reply is owed on it any more, and it keeps a connection.`
    : `${post} has not been answered since the cancel, not even with a head: a client that waits for it waits for ever.`;
  return { ...make('stream-never-ended', seq, says, 1, call.index), lasts: { since, until } };
}

/**
 * A cancel that may have been read before its call: written within two round trips of it, and answered before the call's own
 * response began. Never so when that had begun before the cancel was written (measured: then it is always heard). A server
 * without a session connects the two in no order, and one that answers "cancelled" has.
 */
function cancelOvertook(call: Call, session: Session, { stop, reply, fence }: Verdict, name: string): Finding | undefined {
  const cancel = heardCancel(call);
  const taken = cancel?.exchange?.response;
  const head = call.exchanges[0]?.response;
  if (stop.state !== 'sent' || !cancel?.exchange || !taken || !head || head.t <= taken.t) return undefined;
  if (reply.state === 'acknowledged' || session.opened?.life.stateful === false) return undefined;
  const behind = minus(cancel.t, writtenAt(call));
  if (behind > twoTrips(fence)) return undefined;
  const when = behind < 0 ? 'before it had been written whole' : `${words(behind)} after it`;
  const says = `The cancel of ${name} was posted ${when}, and was answered (${statusOf(cancel.exchange)}) ${words(minus(head.t, taken.t))} before the call’s own response began: it may have been read first, and a cancel for a call that the server does not know yet does nothing.`;
  return make('cancel-overtook-call', taken.seq, says, 1, call.index);
}
