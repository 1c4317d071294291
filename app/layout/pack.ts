// When a lane is free for the next call. Decided from the frames before the call's own, in their order, and never again:
// so the packing of a prefix is a prefix of the packing, and nothing jumps to another lane because of what came later.
import type { Call, Calls } from '../trace/calls';
import { isTerminal } from '../trace/tasks';
import type { Extra, Trace } from '../trace/trace';
import type { Seq } from '../wire/frame';
import { BIT } from '../wire/jsonrpc';
import { settleOf } from './extent';

/** Reads frames in order and knows, of every request so far, when it will have left its lane. */
export interface Endings {
  /** Reads the frames up to and without `end`. */
  read(end: Seq): void;
  /** From when on a call's lane may be used by another, in ns; infinite while it is in flight. */
  freeAt(call: number): number;
}

interface Open {
  readonly index: number;
  readonly settle: number;
  readonly session: number;
  replied: number;
  stopped: number;
  /** When its session ended. */
  ended: number;
}

const NEVER = Number.POSITIVE_INFINITY;

export function endings(trace: Trace, calls: Calls): Endings {
  const all: Open[] = [];
  const newest = new Map<number, Open>();
  /** Calls without an answer, by session: what a session's end closes. */
  const waiting = new Map<number, Set<Open>>();
  /** Calls that became tasks, by session and id: answered, and not over. */
  const tasks = new Map<string, Open>();
  let at = 0;

  const taskIn = (seq: Seq, id: string): Open | undefined => tasks.get(`${trace.session(seq)} ${id}`);

  const slot = (seq: Seq, asker: 0 | 1): number => (trace.session(seq) * 2 + asker) * 2 ** 31 + trace.keyNumber(seq);
  const asker = (seq: Seq): 0 | 1 => (trace.dir(seq) === 'c2s' ? 0 : 1);

  const request = (seq: Seq): void => {
    const call: Call | undefined = calls.all[all.length];
    // Over HTTP a request may be sent again, after a login: it is the same call.
    if (call?.sent.seq !== seq) return;
    const session = trace.session(seq);
    const settle = settleOf(call);
    const open: Open = { index: all.length, settle, session, replied: NEVER, stopped: NEVER, ended: NEVER };
    all.push(open);
    newest.set(slot(seq, asker(seq)), open);
    const others = waiting.get(session);
    if (others) others.add(open);
    else waiting.set(session, new Set([open]));
    const extra = call.purpose === 'task' ? trace.extra(seq) : undefined;
    if (trace.name(seq) === 'tasks/cancel' && extra?.about === 'request') stopped(taskIn(seq, extra.task ?? ''), trace.t(seq));
  };

  const over = (open: Open | undefined, t: number): void => {
    if (!open || open.replied !== NEVER) return;
    open.replied = t;
    waiting.get(open.session)?.delete(open);
  };

  const replied = (seq: Seq): void => {
    const open = newest.get(slot(seq, asker(seq) === 0 ? 1 : 0));
    const extra = trace.extra(seq);
    const made = open && extra?.about === 'task' && (trace.bits(seq) & BIT.makesTask) !== 0;
    if (made) tasks.set(`${open.session} ${extra.task.id}`, open);
    else over(open, trace.t(seq));
    said(seq, extra);
  };

  /** What is said of a task; a result that is one's names it, and says no state. */
  const said = (seq: Seq, extra: Extra | undefined): void => {
    if (extra?.about === 'task' && isTerminal(extra.task.status ?? 'completed')) over(taskIn(seq, extra.task.id), trace.t(seq));
  };

  const stopped = (open: Open | undefined, t: number): void => {
    if (open && open.stopped === NEVER) open.stopped = t;
  };

  const message = (seq: Seq): void => {
    const shape = trace.shape(seq);
    if (shape === 'request') request(seq);
    else if (shape === 'result' || shape === 'error') replied(seq);
    else if (shape === 'notification' && trace.name(seq) === 'notifications/cancelled')
      stopped(newest.get(slot(seq, asker(seq))), trace.t(seq));
    else if (shape === 'notification' && trace.name(seq).startsWith('notifications/tasks')) said(seq, trace.extra(seq));
  };

  const life = (seq: Seq): void => {
    const name = trace.name(seq);
    if (name !== 'exited' && name !== 'lost' && name !== 'closed') return;
    const session = trace.session(seq);
    for (const open of waiting.get(session) ?? []) open.ended = trace.t(seq);
    waiting.delete(session);
  };

  return {
    read(end) {
      for (; at < end; at++) {
        const kind = trace.kind(at);
        if (kind === 'message') message(at);
        else if (kind === 'life') life(at);
        // A request that a fault of ours keeps from the wire begins its call all the same.
        else if (kind === 'act' && trace.name(at) === 'fault') request(at);
        // A stop that wrote nothing is known by its act only; the id it names is the client's.
        else if (kind === 'act' && trace.name(at) === 'stop') stopped(newest.get(slot(at, 0)), trace.t(at));
      }
    },
    freeAt(index) {
      const open = all[index];
      if (!open) return NEVER;
      const { replied: answer, stopped: stop, ended, settle } = open;
      // What a stopped call still does is drawn behind its stop, so its lane stays its own until it has settled.
      if (stop < answer) return Math.max(stop + settle, answer === NEVER ? 0 : answer);
      return Math.min(answer, ended);
    },
  };
}
