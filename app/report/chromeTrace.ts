// The trace in the form that trace viewers of browsers read (Trace Event Format): a process for each session, a thread for each
// call, so that a race can be laid beside a CPU profile. Bodies are not in it.
import type { Call } from '../trace/calls';
import { changesOf } from '../trace/tasks';
import type { Verdict } from '../verdict/verdict';
import { type Judged, nameOf, reportedCalls } from './json';

interface TraceEvent {
  readonly ph: 'X' | 'i' | 'M';
  readonly name: string;
  readonly cat?: string;
  readonly pid: number;
  readonly tid: number;
  /** µs since the trace began. */
  readonly ts?: number;
  readonly dur?: number;
  /** An instant of its thread. */
  readonly s?: 't';
  readonly args?: Readonly<Record<string, unknown>>;
}

const us = (ns: number): number => ns / 1e3;

/** `{ traceEvents }`, ready to be written as JSON. */
export function chromeTraceOf(judged: Judged): { readonly displayTimeUnit: 'ms'; readonly traceEvents: readonly TraceEvent[] } {
  const rows = reportedCalls(judged);
  const sessions = [...new Set(rows.map(({ call }) => call.session))];
  return {
    displayTimeUnit: 'ms',
    traceEvents: [
      ...sessions.map((session) => named('process_name', session, 0, sessionName(judged, session))),
      ...rows.flatMap(({ call, verdict }) => eventsOf(judged, call, verdict)),
    ],
  };
}

function sessionName({ court }: Judged, session: number): string {
  const opened = court.calls.sessions.get(session)?.opened?.life;
  return opened ? `${opened.server.name} ${opened.server.version} (${opened.transport})` : `session ${session}`;
}

const named = (name: 'process_name' | 'thread_name', pid: number, tid: number, text: string): TraceEvent => ({
  ph: 'M',
  name,
  pid,
  tid,
  args: { name: text },
});

function eventsOf(judged: Judged, call: Call, verdict: Verdict): readonly TraceEvent[] {
  const { trace, now } = judged;
  const at = { pid: call.session, tid: call.index + 1 };
  const { stop, reply, effect } = verdict;
  const instant = (name: string, t: number, args: Readonly<Record<string, unknown>>): TraceEvent => ({
    ph: 'i',
    cat: 'mcp',
    name,
    ...at,
    ts: us(t),
    s: 't',
    args,
  });
  const end = reply.at ?? now;
  return [
    named('thread_name', at.pid, at.tid, nameOf(judged, call)),
    {
      ph: 'X',
      cat: 'mcp',
      name: call.tool ?? call.method,
      ...at,
      ts: us(call.sent.t),
      dur: us(end - call.sent.t),
      args: { seq: call.sent.seq, verdict: verdict.verdict, certainty: verdict.certainty, sentence: verdict.sentence },
    },
    ...(stop.at === undefined ? [] : [instant(`stop: ${stop.state}`, stop.at, { because: stop.because })]),
    ...(call.task ? changesOf(call.task) : []).map(({ status, t, seq, by }) => instant(`task: ${status}`, t, { seq, by })),
    ...call.progress.map((seq) => instant('progress', trace.t(seq), { seq })),
    ...(reply.at === undefined ? [] : [instant(`reply: ${reply.state}`, reply.at, { because: reply.because })]),
    // An observation is an interval: absent at its beginning, there at its end.
    ...effect.observations.map(
      (seen): TraceEvent => ({
        ph: 'X',
        cat: 'probe',
        name: `${seen.probe}: ${seen.state}`,
        ...at,
        ts: us(seen.lo),
        dur: us(seen.hi - seen.lo),
        args: { seq: seen.seq, says: seen.says, reverted: seen.reverted },
      }),
    ),
  ];
}
